/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Decides whether the shaders make a plan in tiles (foveate/glsl/tiles.glsl), and what they read
 * then. Steeper laws are blended from nodes (smooth_nodes.comp). */
#ifndef FOVEA_KERNELS_FOVEATE_GLSL_SHADER_TILES_H
#define FOVEA_KERNELS_FOVEATE_GLSL_SHADER_TILES_H

#include "kernels/foveate/foveate.h"

struct foveate_shader_tiles {
    bool used;
    int32_t level_count; /* with the picture, for any gaze */
    int32_t near_level_count; /* while the gaze lies in the picture */
    float slope; /* sigma before the ramp changes by at most so much a pixel */
    float fine_sigma_px; /* below it, both axes are summed at once */
    struct foveate_level levels[FOVEATE_MAX_LEVELS]; /* from 1 on; the picture is not stored */
    int32_t kinds; /* where the kinds of places lie among the samples */
    uint32_t sample_count; /* levels and kinds together, eight bytes each */
};

struct foveate_shader_tiles foveate_shader_tiles_of(const struct foveate_plan *plan);

/* Returns the levels that a frame may need. A late gaze may be any. */
int32_t foveate_shader_tiles_level_count(const struct foveate_shader_tiles *tiles,
                                         const struct foveate_frame *frame);

#endif
