/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Keeps what has been in focus in the images of a context on its CUDA device, where kernels find
 * it. Every call pushes the device. */
#pragma once

#include "kernels/cuda/cuda_block.h"
#include "kernels/operator/operator.h"

/* Zeros until the first batch with depths. */
struct context_cuda_focuses {
    struct cuda_block *block; /* struct operator_focus of each image of the largest batch: 1.5 MiB,
                                 which never moves, so that graphs that were captured find it */
};

/* Makes it where it is not there. Waits for that, and for nothing else. */
FOVEA_MUST_CHECK enum fovea_result context_cuda_focuses_make(const struct cuda_device *device,
                                                             struct context_cuda_focuses *focuses);
struct operator_focus *context_cuda_focuses_of(const struct context_cuda_focuses *focuses);

/* Around a run that changes them, on whatever stream: it follows the one before. What is captured
 * follows what its own stream has to do. */
FOVEA_MUST_CHECK enum fovea_result context_cuda_focuses_follow(
    const struct cuda_device *device, const struct context_cuda_focuses *focuses, CUstream stream);
FOVEA_MUST_CHECK enum fovea_result context_cuda_focuses_note(
    const struct cuda_device *device, const struct context_cuda_focuses *focuses, CUstream stream,
    enum fovea_result launched);

/* Frees it after waiting for what uses it; abandoned: graphs may still use it, and it stays to the
 * end of the process. */
void context_cuda_focuses_finish(const struct cuda_device *device,
                                 struct context_cuda_focuses *focuses, bool abandoned);
