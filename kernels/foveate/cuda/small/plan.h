/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The matrices of small pictures (foveate/cuda/small/params.h), made on the host in double
 * precision. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_PLAN_H
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_PLAN_H

#include "kernels/foveate/foveate.h"
#include "params.h"

/* Operands, then blend weights. */
struct foveate_small_tables {
    uint16_t *halves;
    size_t bytes;
    size_t blend_at; /* bytes */
};

/* Returns whether a plan fits: its sizes, and the part near the gaze. */
bool foveate_small_fits(const struct foveate_plan *plan);
/* Fills all but addresses. The caller frees tables->halves, also after a failure. */
FOVEA_MUST_CHECK enum fovea_result foveate_small_fill(const struct foveate_plan *plan,
                                                      struct foveate_small *out_small,
                                                      struct foveate_small_tables *out_tables);

#endif
