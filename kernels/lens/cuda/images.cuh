/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A block's images: block z of a grid works on image z of a batch. */
#ifndef FOVEA_KERNELS_LENS_CUDA_IMAGES_CUH
#define FOVEA_KERNELS_LENS_CUDA_IMAGES_CUH

#include "kernels/image/image.cuh"
#include "params.h"

template <typename Pixel>
static __device__ linear_image<Pixel> lens_image_of(const lens_frame &, image_linear image,
                                                    int64_t next_bytes)
{
    image.data += blockIdx.z * next_bytes;
    return {image};
}

template <typename Pixel>
static __device__ surface_image<Pixel> lens_image_of(const lens_frame &frame, uint64_t surface,
                                                     int64_t)
{
    return {surface, frame.origin_x_px, frame.origin_y_px};
}

#endif
