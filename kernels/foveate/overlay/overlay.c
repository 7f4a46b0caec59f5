/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "overlay.h"

static const uint32_t overlay_1[] =
#include "overlay_1.inc"
    ;
static const uint32_t overlay_4[] =
#include "overlay_4.inc"
    ;

const struct shader foveate_shader_overlay = SHADER_CODE(overlay_1, overlay_4);
