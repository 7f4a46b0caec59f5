/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A way (gauss/cuda/ways.h) is asked to make this: a frame's picture, or images of a batch, z of
 * each launch's grid. */
#pragma once

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/gauss/gauss.h"
#include "params.h"

struct gauss_cuda_run {
    const struct cuda_device *device;
    CUstream stream;
    const struct gauss_frame *frame;
    enum fovea_format format;
    bool surfaces; /* else linear images */
    bool whole; /* a block each, and no levels (struct gauss_cuda_bytes) */
    uint32_t count;
    uint32_t sources; /* the same, or 1: one picture for all, whose levels are made once */
    struct gauss_cuda_batch batch;
    struct gauss_cuda_others others;
    struct image_linear src; /* of the first */
    struct image_linear dst;
    struct gauss_cuda_sigmas sigmas; /* zeros where the plan is of no pictures of sigmas */
    CUdeviceptr wanted; /* of struct gauss_cuda_sigmas, for the batch's first image; 0: all are */
    CUdeviceptr levels; /* the first source's */
    int64_t next_bytes; /* to the next source's levels; 0 where there is one */
    CUdeviceptr state; /* the first image's, which is zero between frames; 0: it needs none */
    uint32_t states; /* how many lie there */
    /* They may hold anything, and are cleared first. Set until the last launch, so that a run that
     * failed half-way leaves nothing to the next one. */
    bool *states_dirty;
};

static inline CUfunction gauss_cuda_kernel(const struct cuda_kernels *kernels,
                                           const struct gauss_cuda_run *run)
{
    return run->surfaces ? kernels->surface[run->format] : kernels->linear[run->format];
}

/* Launches a thread for each sample, or pixel, of the sources. */
FOVEA_MUST_CHECK static inline enum fovea_result gauss_cuda_launch_samples(
    const struct gauss_cuda_run *run, CUfunction kernel, int32_t width, int32_t height,
    void *params)
{
    const struct cuda_launch launch = cuda_launch_over(
        kernel, width, height, run->sources, GAUSS_CUDA_BLOCK_WIDTH, GAUSS_CUDA_BLOCK_HEIGHT);
    return cuda_launch(run->device, run->stream, &launch, params);
}
