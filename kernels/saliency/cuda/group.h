/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images that are under way together. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_GROUP_H
#define FOVEA_KERNELS_SALIENCY_CUDA_GROUP_H

#include "saliency_cuda.h"

#include <stdatomic.h>

struct saliency_cuda_group {
    struct saliency_cuda *cuda;
    CUstream stream;
    struct fovea_image first;
    ptrdiff_t next_bytes;
    uint32_t count;
    struct fovea_blob *out_blobs;
    uint32_t *out_counts;
    atomic_uint next; /* whose blobs nobody has chosen yet */
    _Atomic enum fovea_result chosen;
};

/* How many candidates one of them has, once its report is there. */
uint32_t saliency_cuda_reported(const struct saliency_cuda *cuda, uint32_t image);
/* Writes the blobs of all. */
FOVEA_MUST_CHECK enum fovea_result saliency_cuda_choose(struct saliency_cuda_group *group,
                                                        struct thread_pool *pool);

#endif
