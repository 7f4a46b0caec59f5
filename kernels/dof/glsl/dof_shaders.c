/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "dof_shaders.h"

static const uint32_t dof_1[] =
#include "dof_1.inc"
    ;
static const uint32_t dof_4[] =
#include "dof_4.inc"
    ;

const struct shader dof_shader = SHADER_CODE(dof_1, dof_4);
