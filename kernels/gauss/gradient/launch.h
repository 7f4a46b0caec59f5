/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The files of gradients on CUDA share this: gradient_cuda.c has plans and memory, launch.c the
 * launches for some images of a batch. */
#pragma once

#include "gradient.h"

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/gaze/gaze_cuda.h"
#include "kernels/operator/operator_cuda_base.h"
#include "params.h"

struct gauss_cuda_gradient {
    struct operator_cuda base;
    CUmodule module;
    struct gaze_cuda_kernels gaze_kernels;
    struct cuda_kernels read, write;
    CUfunction places, columns, rows, node_rows, node_dots, gaze_parts, gaze, sigmas;
};

struct gauss_cuda_gradient_plan {
    struct operator_cuda_plan base; /* batch: gazes, their derivatives, scratch memory */
    const struct gauss_plan *plan;
    struct gauss_gradient_plan laws;
    struct gauss_gradient_tables tables; /* their rows and weights are on the device too */
    struct gauss_gradient_params params; /* what does not change from batch to batch */
    int64_t levels[GAUSS_MAX_LEVELS], between; /* floats of an image's scratch memory before them */
    struct gauss_gradient_law stepped, even; /* for the image's derivative, and the gaze's */
    uint32_t gaze_capacity; /* foveas of images */
    uint32_t image_capacity;
};

/* A slice of a batch. */
struct gauss_gradient_slice {
    const struct gauss_cuda_gradient *gradient;
    const struct gauss_cuda_gradient_plan *plan;
    enum fovea_format format;
    CUstream stream;
    uint32_t count;
    struct gauss_gradient_params params;
};

/* The images of the batch from `first` on: slice->count of them. */
FOVEA_MUST_CHECK enum fovea_result gauss_gradient_launch(struct gauss_gradient_slice *slice,
                                                         const struct operator_derivatives *batch,
                                                         uint32_t first);
