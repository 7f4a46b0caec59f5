/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blur_shaders.h"

static const uint32_t blur_rows_1[] =
#include "blur_rows_1.inc"
    ;
static const uint32_t blur_rows_4[] =
#include "blur_rows_4.inc"
    ;
static const uint32_t blur_columns_1[] =
#include "blur_columns_1.inc"
    ;
static const uint32_t blur_columns_4[] =
#include "blur_columns_4.inc"
    ;
static const uint32_t blur_picture_1[] =
#include "blur_picture_1.inc"
    ;
static const uint32_t blur_picture_4[] =
#include "blur_picture_4.inc"
    ;

const struct shader blur_shader_rows = SHADER_CODE(blur_rows_1, blur_rows_4);
const struct shader blur_shader_columns = SHADER_CODE(blur_columns_1, blur_columns_4);
const struct shader blur_shader_picture = SHADER_CODE(blur_picture_1, blur_picture_4);
