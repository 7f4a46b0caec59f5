/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The image's derivative with the blockwise method on the cpu: the transpose of each fragment's
 * filter. It has the very taps that the frame had. */
#ifndef FOVEA_KERNELS_FOVEATE_GRADIENT_BLOCKWISE_H
#define FOVEA_KERNELS_FOVEATE_GRADIENT_BLOCKWISE_H

#include "smooth.h"

size_t foveate_gradient_blockwise_floats(const struct foveate_plan *plan);
/* Writes d_src; image->d_gaze_px is not touched. */
void foveate_gradient_blockwise_run(const struct foveate_plan *plan,
                                    const struct foveate_gradient_loops *loops, float *scratch,
                                    const struct foveate_gradient_image *image);

#endif
