/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveate in the table of operators. */
#ifndef FOVEA_KERNELS_FOVEATE_OPERATOR_FOVEATE_OPERATOR_H
#define FOVEA_KERNELS_FOVEATE_OPERATOR_FOVEATE_OPERATOR_H

#include "kernels/foveate/foveate.h"

extern const struct operator_api foveate_operator;
extern const struct operator_glsl_api foveate_operator_glsl;
/* Where FOVEA_HAVE_CUDA is 1. */
extern const struct operator_cuda_api foveate_operator_cuda;

/* A plan of the operator's. */
static inline const struct foveate_plan *foveate_plan_of(const struct operator_plan *plan)
{
    return (const struct foveate_plan *)plan;
}

/* What kernels get of a frame. */
struct foveate_frame foveate_frame_of(const struct foveate_plan *plan,
                                      const struct operator_frame *frame);

#endif
