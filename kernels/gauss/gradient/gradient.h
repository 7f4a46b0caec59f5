/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients of the machine: the derivative of a loss with respect to the picture, to the gaze and
 * to the sigma of each pixel, from that with respect to the blurred picture.
 *
 *     out(x) = sum over y of K_sigma(x)(x - y) in(y), y beyond an edge is the edge's pixel
 *     d in(y) = sum over x of K_sigma(x)(x - y) d out(x)
 *     d sigma(x) = d out(x) . (d out(x) / d sigma)
 *     d gaze = sum over x of d out(x) . (d out(x) / d sigma) (d sigma(x) / d gaze)
 *
 * Sigma of several foveas is the least of theirs, so x in the last sum is the pixels that have
 * sigma by that fovea: where it is the same by two, the one with the lower number.
 *
 * tables.h says how. What the blockwise method makes is constant in the gaze but for steps, so its
 * gaze's derivative is that of the smooth method with the same settings, whose field of sigma the
 * fragments sample. */
#pragma once

#include "kernels/gauss/gauss.h"
#include "kernels/operator/operator.h"

/* A plan's settings without steps, for the gaze's derivative. It reads the plan's tables, which
 * outlive it; the paper's rings are no law of that kind, so that one is made. sigma_bound_px holds
 * for the plan too. */
struct gauss_gradient_plan {
    struct gauss_plan view;
    struct gauss_plan *own; /* NULL: the view is of the plan */
};
FOVEA_MUST_CHECK enum fovea_result gauss_gradient_plan_init(struct gauss_gradient_plan *own,
                                                            const struct gauss_plan *plan);
void gauss_gradient_plan_finish(struct gauss_gradient_plan *own);

extern const struct operator_gradient_api gauss_gradient;
/* It is there if FOVEA_HAVE_CUDA is 1. */
extern const struct operator_cuda_gradient_api gauss_operator_cuda_gradient;
