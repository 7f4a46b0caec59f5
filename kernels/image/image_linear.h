/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An image in linear memory as kernels have it. Included by C and CUDA. */
#pragma once

#include "fovea_image.h"

struct image_linear {
    uint64_t data;
    int64_t row_stride_bytes;
    int64_t pixel_stride_bytes;
    int32_t whole_pixels; /* 1: every pixel is aligned to its size and read and written at once */
    int32_t reserved;
};

#ifndef __CUDACC__
/* next_bytes: to the image after it; 0 where there is none. */
struct image_linear image_linear_of(const struct fovea_image *image, ptrdiff_t next_bytes);
#endif
