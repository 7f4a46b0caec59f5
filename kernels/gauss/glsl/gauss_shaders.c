/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gauss_shaders.h"

#include "shader_tile_shape.h"

static uint32_t divide_up_signed(int32_t a, uint32_t b)
{
    return shader_divide_up((uint32_t)a, b);
}

int32_t gauss_shader_places_each(const struct gauss_frame *frame)
{
    const int64_t pixels = (int64_t)frame->width_px * frame->height_px;
    return pixels < SHADER_TILE_WHOLE_FROM_PX ? 1 : SHADER_TILE_PLACES_DOWN;
}

void gauss_shader_tile_groups(const struct shader *shader, const struct gauss_frame *frame,
                              uint32_t out_groups[2])
{
    const uint32_t columns = divide_up_signed(frame->width_px, SHADER_TILE_PX);
    const uint32_t rows = divide_up_signed(frame->height_px, SHADER_TILE_PX);
    const uint32_t each = (uint32_t)gauss_shader_places_each(frame);
    if (shader == &gauss_shader_tile_near || shader == &gauss_shader_tile_far) {
        const uint32_t down = SHADER_TILE_PLACES_DOWN / each;
        out_groups[0] = columns * SHADER_TILE_PLACES_ACROSS;
        out_groups[1] =
            rows * (shader == &gauss_shader_tile_near ? down : shader_divide_up(down, 2));
    } else {
        out_groups[0] = shader_divide_up(columns * rows, SHADER_TILE_KINDS_A_GROUP);
        out_groups[1] = 1;
    }
}

/* Samples of the last level with its margins; that of the one before are half as wide. */
void gauss_shader_levels_groups(const struct gauss_frame *frame, int32_t level, bool alone,
                                uint32_t out_groups[2])
{
    const uint32_t sample_px = (alone ? 1u : 2u) << level;
    const uint32_t margins = 2 * GAUSS_MARGIN;
    const uint32_t across = alone ? 2 * SHADER_LEVELS_ACROSS + 4 : SHADER_LEVELS_ACROSS;
    const uint32_t down = alone ? 2 * SHADER_LEVELS_DOWN + 4 : SHADER_LEVELS_DOWN;
    out_groups[0] =
        shader_divide_up(divide_up_signed(frame->width_px, sample_px) + margins, across);
    out_groups[1] = shader_divide_up(divide_up_signed(frame->height_px, sample_px) + margins, down);
}
