/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The compute shaders as SPIR-V. `words` is how many components a raw pixel has: 1 for 32-bit formats
 * (R32_UINT), 4 for RGBA16F (R16G16B16A16_UINT). Specialization constant 0 is the enum fovea_format, 1
 * FOVEATE_LIGHT_*: as what UNORM pixels are averaged, 2 whether alpha is averaged like a colour,
 * 3 whether foveate.comp may take SHADER_TILE_SHARED_BYTES.
 *
 * Descriptor set 0 of all of them: 0 sampled image (source), 1 storage image (result), 2 storage buffer
 * (the plan's law, levels, law's table), 3 storage buffer (all levels' samples), 4 storage buffer (text; overlay
 * only), 5 uniform buffer (what a latch left, where frame.late is 1), 6 storage buffer (blockwise: rings, taps, and
 * fragments' filters on levels). The latch itself: 2 storage buffer (the block), 3 and 4 storage buffers (what it leaves: for the kernels, and
 * for the host). */
#ifndef FOVEA_KERNELS_SHADERS_H
#define FOVEA_KERNELS_SHADERS_H

#include "kernels/foveate/foveate.h"

#include <stddef.h>
#include <stdint.h>

struct shader {
    const uint32_t *code;
    size_t bytes;
};

enum shader_operator {
    SHADER_FOVEATE, /* blockwise from pixels; push constants: struct foveate_frame */
    SHADER_BLOCKWISE_LEVELS, /* blockwise from levels, 0 included, as below; struct smooth_constants */
    /* Smooth by nodes; push constants: struct smooth_constants. In this order: level 0 of wide light and of
     * floats, LEVELS once for each two levels from 1 on, NODES. */
    SHADER_SMOOTH_LEVEL,
    SHADER_SMOOTH_LEVELS,
    SHADER_SMOOTH_NODES,
    /* Smooth in tiles instead, the same constants: KINDS and SMOOTH_LEVELS in any order, then the picture by the
     * other two in any order, FAR where there are levels. */
    SHADER_TILE_KINDS,
    SHADER_TILE_NEAR,
    SHADER_TILE_FAR,
    SHADER_OVERLAY, /* push constants: struct overlay_constants; 16x16 pixels a workgroup */
    SHADER_LATCH, /* push constants: struct foveate_late_own; one workgroup of one thread */
    SHADER_COPY, /* push constants: struct shader_copy; of the descriptors source and result alone */
    SHADER_COUNT,
};

/* A rectangle of the source, and where it goes in the result. */
struct shader_copy {
    int32_t from_px[2];
    int32_t to_px[2];
    int32_t size_px[2];
};
#define SHADER_COPY_ROWS 4 /* of a thread */

struct smooth_constants {
    struct foveate_frame frame;
    int32_t level; /* LEVELS: the first to make */
    int32_t level_count;
    /* tiles: of struct foveate_shader_tiles */
    float slope;
    float fine_sigma_px;
    int32_t kinds;
    int32_t places_each;
    /* blockwise: of struct foveate_shader_fragments */
    int32_t filters_at;
    int32_t weights_at;
};

struct shader shader_get(enum shader_operator which, uint32_t words);

/* How many workgroups cover the image wherever the gaze is: the grid may be shifted by up to one
 * fragment less one pixel. */
void shader_foveate_groups(const struct foveate_frame *frame, uint32_t out_groups[2]);
void shader_blockwise_groups(const struct foveate_frame *frame, uint32_t out_groups[2]);
/* One thread a pixel, or a sample of a level with its margins. */
void shader_pixel_groups(uint32_t width, uint32_t height, uint32_t out_groups[2]);
/* Of SMOOTH_LEVELS. */
void shader_levels_groups(const struct foveate_frame *frame, int32_t level, uint32_t out_groups[2]);
void shader_copy_groups(uint32_t width, uint32_t height, uint32_t out_groups[2]);
/* Of the shaders of the tiles: workgroups, and smooth_constants.places_each. */
int32_t shader_tile_places_each(const struct foveate_frame *frame);
void shader_tile_groups(enum shader_operator which, const struct foveate_frame *frame,
                        uint32_t out_groups[2]);

#endif
