/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The nodes of small pictures (foveate/cuda/small/params.h) are a few Gaussians. Blended with the
 * right weights they come nearest to the Gaussian of another sigma. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_BLEND_H
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_BLEND_H

#include "plan.h"

#define FOVEATE_SMALL_BINS 144

/* The sigmas of each level's nodes, in pixels. */
struct foveate_small_sets {
    double sigmas[3][FOVEATE_SMALL_NODES];
    int32_t counts[3];
    bool light; /* light is averaged, not stored values */
};

/* A level's nodes, prepared for blending. */
struct foveate_small_blender {
    int32_t level, count;
    double first, last; /* sigmas; others are clamped to them */
    double spectra[FOVEATE_SMALL_NODES][FOVEATE_SMALL_BINS];
    double inverse[FOVEATE_SMALL_NODES][FOVEATE_SMALL_NODES];
};

FOVEA_MUST_CHECK enum fovea_result foveate_small_blender_init(const struct foveate_small_sets *sets,
                                                              int32_t level,
                                                              struct foveate_small_blender *out);

/* Writes the weights as halves, which sum to 1; those beyond the last node are 0. */
void foveate_small_blend(const struct foveate_small_blender *m, double sigma,
                         uint16_t parts[FOVEATE_SMALL_NODES]);

#endif
