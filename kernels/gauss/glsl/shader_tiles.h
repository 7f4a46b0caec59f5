/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Decides whether the shaders make a plan in tiles (gauss/glsl/tiles.glsl), and what they read
 * then. Steeper laws are blended from nodes (smooth_nodes.comp). */
#ifndef FOVEA_KERNELS_GAUSS_GLSL_SHADER_TILES_H
#define FOVEA_KERNELS_GAUSS_GLSL_SHADER_TILES_H

#include "kernels/gauss/gauss.h"

struct gauss_shader_tiles {
    bool used;
    int32_t level_count; /* with the picture, for any gaze */
    int32_t near_level_count; /* while the gaze lies in the picture */
    float slope; /* sigma before the ramp changes by at most so much a pixel */
    float fine_sigma_px; /* below it, both axes are summed at once */
    struct gauss_level levels[GAUSS_MAX_LEVELS]; /* from 1 on; the picture is not stored */
    int32_t kinds; /* where the kinds of places lie among the samples */
    uint32_t sample_count; /* levels and kinds together, eight bytes each */
};

struct gauss_shader_tiles gauss_shader_tiles_of(const struct gauss_plan *plan);

/* Returns the levels that a frame may need. A late gaze may be any. */
int32_t gauss_shader_tiles_level_count(const struct gauss_shader_tiles *tiles,
                                       const struct gauss_frame *frame);

#endif
