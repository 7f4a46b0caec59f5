/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What a way (foveate/cuda/ways.h) is asked to make: a frame's picture, or images of a batch, z of
 * each launch's grid. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_COMMON_RUN_H
#define FOVEA_KERNELS_FOVEATE_CUDA_COMMON_RUN_H

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/foveate/foveate.h"
#include "params.h"

struct foveate_cuda_run {
    const struct cuda_device *device;
    CUstream stream;
    const struct foveate_frame *frame;
    enum fovea_format format;
    bool surfaces; /* else linear images */
    uint32_t count;
    uint32_t sources; /* the same, or 1: one picture for all, whose levels are made once */
    struct foveate_cuda_batch batch;
    struct image_linear src; /* of the first */
    struct image_linear dst;
    struct foveate_cuda_sigmas sigmas; /* zeros where the plan is of no pictures of sigmas */
    CUdeviceptr levels; /* the first source's */
    int64_t next_bytes; /* to the next source's levels; 0 where there is one */
    CUdeviceptr state; /* the first image's, which is zero between frames; 0: it needs none */
    uint32_t states; /* how many lie there */
    /* They may hold anything, and are cleared first. Set until the last launch, so that a run that
     * failed half-way leaves nothing to the next one. */
    bool *states_dirty;
};

static inline CUfunction foveate_cuda_kernel(const struct cuda_kernels *kernels,
                                             const struct foveate_cuda_run *run)
{
    return run->surfaces ? kernels->surface[run->format] : kernels->linear[run->format];
}

#endif
