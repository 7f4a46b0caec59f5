/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pixels of pictures of all formats. All threads take the same way: one kernel for each raw format
 * is enough. */
#pragma once

#include "kernels/image/image.cuh"
#include "sample.cuh"

template <enum fovea_format FORMAT>
DEVICE void picture_store_as(const lightfield_cuda_picture &picture, int x, int y, float4 color)
{
    const linear_image<pixel<FORMAT>> image = {picture.image};
    image.store(x, y, pixel<FORMAT>::encode(color));
}

#define PICTURE_FORMAT(name)                                                                       \
    case FOVEA_FORMAT_##name:                                                                      \
        picture_store_as<FOVEA_FORMAT_##name>(picture, x, y, color);                               \
        break

static __device__ __noinline__ void picture_store_any(const lightfield_cuda_picture &picture, int x,
                                                      int y, float4 color)
{
    switch (picture.format) {
        PICTURE_FORMAT(RGB8);
        PICTURE_FORMAT(R8);
        PICTURE_FORMAT(A2B10G10R10);
        PICTURE_FORMAT(B10G11R11F);
        PICTURE_FORMAT(RGBA16F);
        PICTURE_FORMAT(RGBA32F);
        PICTURE_FORMAT(RGB16F);
        PICTURE_FORMAT(R16F);
        PICTURE_FORMAT(RGB32F);
        PICTURE_FORMAT(R32F);
    }
}

/* A sum of levels, divided by the sum of its weights. */
DEVICE void picture_store(const lightfield_cuda_picture &picture, int x, int y, color3 sum,
                          float weight)
{
    const float part = weight > 0.0f ? picture.scale / weight : 0.0f;
    const float4 color = make_float4(sum.r * part, sum.g * part, sum.b * part, picture.opaque);
    if (picture.format == FOVEA_FORMAT_RGBA8) {
        picture_store_as<FOVEA_FORMAT_RGBA8>(picture, x, y, color);
    } else {
        picture_store_any(picture, x, y, color);
    }
}

DEVICE float picture_float(const image_linear &view, int x, int y)
{
    const linear_image<pixel<FOVEA_FORMAT_R32F>> image = {view};
    return pixel<FOVEA_FORMAT_R32F>::decode(image.load(x, y)).x;
}

DEVICE void picture_store_float(const lightfield_cuda_picture &picture, int x, int y, float value)
{
    if (picture.image.data) {
        picture_store_as<FOVEA_FORMAT_R32F>(picture, x, y, make_float4(value, 0.0f, 0.0f, 0.0f));
    }
}
