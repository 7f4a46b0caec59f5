/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images that one launch works on, z of its grid. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_COMMON_SLICE_H
#define FOVEA_KERNELS_FOVEATE_CUDA_COMMON_SLICE_H

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/foveate/foveate.h"
#include "params.h"

struct foveate_cuda_slice {
    uint32_t count;
    struct foveate_cuda_batch batch;
    struct image_linear src; /* of the first */
    struct image_linear dst;
};

#endif
