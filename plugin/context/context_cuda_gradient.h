/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients of images in CUDA memory: what context_cuda.c has of them. The device is pushed around
 * every call. */
#pragma once

#include "context_backend.h"
#include "kernels/operator/operator_cuda.h"

struct context_captured_gradient;

/* A device has them from the first gradient on. */
struct context_cuda_gradients {
    const struct operator_cuda_gradient_api *api;
    struct operator_cuda *kernels;
    struct context_captured_gradient *captured; /* by graphs that are still there */
};

/* Says in the log why it fails. *plan is made where it is NULL; a stream that is being captured has
 * a plan of its own. */
FOVEA_MUST_CHECK enum fovea_result context_cuda_gradient_run(
    struct cuda_device *device, struct context_cuda_gradients *gradients,
    const struct operator_plan *chain_plan, struct operator_cuda_plan **plan,
    const struct context_gradient *gradient);
/* chain_plan: it is about to go; NULL: it stays. */
void context_cuda_gradient_retire(struct context_cuda_gradients *gradients,
                                  const struct operator_plan *chain_plan,
                                  struct operator_cuda_plan **plan);
void context_cuda_gradients_forget_gone(struct context_cuda_gradients *gradients);
/* Leaves its memory on the device to the end of the process, because graphs use it. Call it before
 * finish. */
void context_cuda_gradients_abandon(struct context_cuda_gradients *gradients);
void context_cuda_gradients_finish(struct context_cuda_gradients *gradients);
