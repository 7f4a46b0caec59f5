/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Modules of kernels, one kernel a format, as foveate_cuda loads and launches them. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_COMMON_KERNELS_H
#define FOVEA_KERNELS_FOVEATE_CUDA_COMMON_KERNELS_H

#include "kernels/cuda/cuda_device.h"
#include "kernels/foveate/foveate.h"
#include "params.h"

#define FOVEATE_CUDA_FORMATS (FOVEA_FORMAT_RGBA32F + 1)

/* One kernel for each format of linear images; in arrays through surfaces, some formats have
 * none. */
struct foveate_cuda_kernels {
    CUfunction linear[FOVEATE_CUDA_FORMATS];
    CUfunction surface[FOVEATE_CUDA_FORMATS];
};

/* Kernels called <prefix>_linear_rgba8, <prefix>_surface_rgba8 and so on, of the formats in the
 * set: bit 1 << format. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_get_kernels(const struct cuda_device *device,
                                                            CUmodule module, const char *prefix,
                                                            uint32_t formats,
                                                            struct foveate_cuda_kernels *out);
#define FOVEATE_CUDA_EVERY_FORMAT (~0u)

/* Images that one launch works on, z of its grid. */
struct foveate_cuda_slice {
    uint32_t count;
    struct foveate_cuda_batch batch;
    struct foveate_cuda_linear src; /* of the first */
    struct foveate_cuda_linear dst;
};

/* next_bytes: to the image after it; 0 where there is none. */
struct foveate_cuda_linear foveate_cuda_linear_view(const struct fovea_image *image,
                                                    ptrdiff_t next_bytes);

#endif
