/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "shaders.h"

static const uint32_t raw_copy_1[] =
#include "raw_copy_1.inc"
    ;
static const uint32_t raw_copy_4[] =
#include "raw_copy_4.inc"
    ;
static const uint32_t gaze_reduce_1[] =
#include "gaze_reduce_1.inc"
    ;
static const uint32_t gaze_reduce_4[] =
#include "gaze_reduce_4.inc"
    ;
static const uint32_t gaze_latch_1[] =
#include "gaze_latch_1.inc"
    ;

const struct shader shader_copy = SHADER_CODE(raw_copy_1, raw_copy_4);
const struct shader shader_reduce = SHADER_CODE(gaze_reduce_1, gaze_reduce_4);
const struct shader shader_latch = SHADER_CODE(gaze_latch_1, gaze_latch_1);

#define PIXEL_GROUP 16u /* the shaders' workgroup side */

void shader_pixel_groups(uint32_t width, uint32_t height, uint32_t out_groups[2])
{
    out_groups[0] = shader_divide_up(width, PIXEL_GROUP);
    out_groups[1] = shader_divide_up(height, PIXEL_GROUP);
}

void shader_copy_groups(uint32_t width, uint32_t height, uint32_t out_groups[2])
{
    out_groups[0] = shader_divide_up(width, PIXEL_GROUP);
    out_groups[1] = shader_divide_up(height, PIXEL_GROUP * SHADER_COPY_ROWS);
}
