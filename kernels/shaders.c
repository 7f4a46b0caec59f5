/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "shaders.h"

#include "kernels/foveate/glsl/shader_tile_shape.h"

static const uint32_t foveate_1[] =
#include "foveate_1.inc"
    ;
static const uint32_t foveate_4[] =
#include "foveate_4.inc"
    ;
static const uint32_t blockwise_levels_1[] =
#include "blockwise_levels_1.inc"
    ;
static const uint32_t blockwise_levels_4[] =
#include "blockwise_levels_4.inc"
    ;
static const uint32_t smooth_level_1[] =
#include "smooth_level_1.inc"
    ;
static const uint32_t smooth_level_4[] =
#include "smooth_level_4.inc"
    ;
static const uint32_t smooth_nodes_1[] =
#include "smooth_nodes_1.inc"
    ;
static const uint32_t smooth_nodes_4[] =
#include "smooth_nodes_4.inc"
    ;
static const uint32_t smooth_tile_kinds_1[] =
#include "smooth_tile_kinds_1.inc"
    ;
static const uint32_t smooth_tile_kinds_4[] =
#include "smooth_tile_kinds_4.inc"
    ;
static const uint32_t smooth_levels_1[] =
#include "smooth_levels_1.inc"
    ;
static const uint32_t smooth_levels_4[] =
#include "smooth_levels_4.inc"
    ;
static const uint32_t smooth_tile_near_1[] =
#include "smooth_tile_near_1.inc"
    ;
static const uint32_t smooth_tile_far_1[] =
#include "smooth_tile_far_1.inc"
    ;
static const uint32_t smooth_tile_near_4[] =
#include "smooth_tile_near_4.inc"
    ;
static const uint32_t smooth_tile_far_4[] =
#include "smooth_tile_far_4.inc"
    ;
static const uint32_t raw_copy_1[] =
#include "raw_copy_1.inc"
    ;
static const uint32_t raw_copy_4[] =
#include "raw_copy_4.inc"
    ;
static const uint32_t overlay_1[] =
#include "overlay_1.inc"
    ;
static const uint32_t overlay_4[] =
#include "overlay_4.inc"
    ;
static const uint32_t gaze_latch_1[] =
#include "gaze_latch_1.inc"
    ;

struct shader shader_get(enum shader_operator which, uint32_t words)
{
    static const struct shader table[SHADER_COUNT][2] = {
        [SHADER_FOVEATE] = {{foveate_1, sizeof foveate_1}, {foveate_4, sizeof foveate_4}},
        [SHADER_BLOCKWISE_LEVELS] = {{blockwise_levels_1, sizeof blockwise_levels_1},
                                     {blockwise_levels_4, sizeof blockwise_levels_4}},
        [SHADER_SMOOTH_LEVEL] = {{smooth_level_1, sizeof smooth_level_1},
                                 {smooth_level_4, sizeof smooth_level_4}},
        [SHADER_SMOOTH_NODES] = {{smooth_nodes_1, sizeof smooth_nodes_1},
                                 {smooth_nodes_4, sizeof smooth_nodes_4}},
        [SHADER_TILE_KINDS] = {{smooth_tile_kinds_1, sizeof smooth_tile_kinds_1},
                               {smooth_tile_kinds_4, sizeof smooth_tile_kinds_4}},
        [SHADER_SMOOTH_LEVELS] = {{smooth_levels_1, sizeof smooth_levels_1},
                                  {smooth_levels_4, sizeof smooth_levels_4}},
        [SHADER_TILE_NEAR] = {{smooth_tile_near_1, sizeof smooth_tile_near_1},
                              {smooth_tile_near_4, sizeof smooth_tile_near_4}},
        [SHADER_TILE_FAR] = {{smooth_tile_far_1, sizeof smooth_tile_far_1},
                             {smooth_tile_far_4, sizeof smooth_tile_far_4}},
        [SHADER_OVERLAY] = {{overlay_1, sizeof overlay_1}, {overlay_4, sizeof overlay_4}},
        [SHADER_LATCH] = {{gaze_latch_1, sizeof gaze_latch_1}, {gaze_latch_1, sizeof gaze_latch_1}},
        [SHADER_COPY] = {{raw_copy_1, sizeof raw_copy_1}, {raw_copy_4, sizeof raw_copy_4}},
    };
    return table[which][words == 4];
}

/* The shaders' tile and workgroup sides. */
#define FOVEATE_TILE_PX 32u
#define PIXEL_GROUP 16u

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* Workgroups of most_px along an axis, of whole fragments or of parts of one. */
static uint32_t fragment_groups(int32_t side_px, int32_t fragment_px, uint32_t most_px,
                                uint32_t most_fragments)
{
    const uint32_t each = (uint32_t)fragment_px;
    const uint32_t fragments = divide_up((uint32_t)side_px + each - 1, each);
    const uint32_t together = most_px / each < most_fragments ? most_px / each : most_fragments;
    return together > 0 ? divide_up(fragments, together) : fragments * divide_up(each, most_px);
}

void shader_foveate_groups(const struct foveate_frame *frame, uint32_t out_groups[2])
{
    const int32_t each = frame->fragment_px;
    out_groups[0] = fragment_groups(frame->width_px, each, FOVEATE_TILE_PX, FOVEATE_TILE_PX);
    out_groups[1] = fragment_groups(frame->height_px, each, FOVEATE_TILE_PX, 1);
}

void shader_blockwise_groups(const struct foveate_frame *frame, uint32_t out_groups[2])
{
    const int32_t each = frame->fragment_px;
    out_groups[0] = fragment_groups(frame->width_px, each, SHADER_BLOCKWISE_WIDTH_PX,
                                    SHADER_BLOCKWISE_FRAGMENTS);
    out_groups[1] = fragment_groups(frame->height_px, each, SHADER_BLOCKWISE_HEIGHT_PX, 1);
}

void shader_pixel_groups(uint32_t width, uint32_t height, uint32_t out_groups[2])
{
    out_groups[0] = divide_up(width, PIXEL_GROUP);
    out_groups[1] = divide_up(height, PIXEL_GROUP);
}

void shader_copy_groups(uint32_t width, uint32_t height, uint32_t out_groups[2])
{
    out_groups[0] = divide_up(width, PIXEL_GROUP);
    out_groups[1] = divide_up(height, PIXEL_GROUP * SHADER_COPY_ROWS);
}

static uint32_t divide_up_signed(int32_t a, uint32_t b)
{
    return divide_up((uint32_t)a, b);
}

int32_t shader_tile_places_each(const struct foveate_frame *frame)
{
    const int64_t pixels = (int64_t)frame->width_px * frame->height_px;
    return pixels < SHADER_TILE_WHOLE_FROM_PX ? 1 : SHADER_TILE_PLACES_DOWN;
}

void shader_tile_groups(enum shader_operator which, const struct foveate_frame *frame,
                        uint32_t out_groups[2])
{
    const uint32_t columns = divide_up_signed(frame->width_px, SHADER_TILE_PX);
    const uint32_t rows = divide_up_signed(frame->height_px, SHADER_TILE_PX);
    const uint32_t each = (uint32_t)shader_tile_places_each(frame);
    if (which == SHADER_TILE_NEAR || which == SHADER_TILE_FAR) {
        const uint32_t down = SHADER_TILE_PLACES_DOWN / each;
        out_groups[0] = columns * SHADER_TILE_PLACES_ACROSS;
        out_groups[1] = rows * (which == SHADER_TILE_NEAR ? down : divide_up(down, 2));
    } else {
        out_groups[0] = divide_up(columns * rows, SHADER_TILE_KINDS_A_GROUP);
        out_groups[1] = 1;
    }
}

/* Of the second level with its margins; the first one's are half as wide. */
void shader_levels_groups(const struct foveate_frame *frame, int32_t level, uint32_t out_groups[2])
{
    const uint32_t sample_px = 2u << level;
    const uint32_t margins = 2 * FOVEATE_MARGIN;
    out_groups[0] =
        divide_up(divide_up_signed(frame->width_px, sample_px) + margins, SHADER_LEVELS_ACROSS);
    out_groups[1] =
        divide_up(divide_up_signed(frame->height_px, sample_px) + margins, SHADER_LEVELS_DOWN);
}
