/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blur_shaders.h"

static const uint32_t blur_lines_1[] =
#include "blur_lines_1.inc"
    ;
static const uint32_t blur_lines_4[] =
#include "blur_lines_4.inc"
    ;
static const uint32_t blur_levels_1[] =
#include "blur_levels_1.inc"
    ;
static const uint32_t blur_levels_4[] =
#include "blur_levels_4.inc"
    ;
static const uint32_t blur_heat_1[] =
#include "blur_heat_1.inc"
    ;
static const uint32_t blur_heat_4[] =
#include "blur_heat_4.inc"
    ;

const struct shader blur_shader_lines = SHADER_CODE(blur_lines_1, blur_lines_4);
const struct shader blur_shader_levels = SHADER_CODE(blur_levels_1, blur_levels_4);
const struct shader blur_shader_heat = SHADER_CODE(blur_heat_1, blur_heat_4);
