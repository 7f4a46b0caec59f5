/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lens_shaders.h"

static const uint32_t lens_1[] =
#include "lens_1.inc"
    ;
static const uint32_t lens_4[] =
#include "lens_4.inc"
    ;

const struct shader lens_shader = SHADER_CODE(lens_1, lens_4);
