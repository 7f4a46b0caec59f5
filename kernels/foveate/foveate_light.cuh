/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* UNORM pixels as light: the transfer function of sRGB (IEC 61966-2-1) between a format's levels and
 * 0..1. Alpha is light already and stays in levels. Float formats hold light and stay as they are.
 *
 * The fast power is off by some 1e-6 of its result: three thousandths of a level of ten bits. */
#ifndef FOVEA_KERNELS_FOVEATE_LIGHT_CUH
#define FOVEA_KERNELS_FOVEATE_LIGHT_CUH

#include "foveate_pixel.cuh"

static __device__ inline float srgb_to_light(float encoded)
{
    return encoded <= 0.04045f ? encoded * (1.0f / 12.92f)
                               : __powf((encoded + 0.055f) * (1.0f / 1.055f), 2.4f);
}

static __device__ inline float light_to_srgb(float light)
{
    return light <= 0.0031308f ? light * 12.92f : 1.055f * __powf(light, 1.0f / 2.4f) - 0.055f;
}

template <typename Pixel> static __device__ inline float4 levels_to_light(float4 v)
{
    if constexpr (Pixel::white > 0) {
        const float scale = 1.0f / Pixel::white;
        v.x = srgb_to_light(v.x * scale);
        v.y = srgb_to_light(v.y * scale);
        v.z = srgb_to_light(v.z * scale);
    }
    return v;
}

template <typename Pixel> static __device__ inline float4 light_to_levels(float4 v)
{
    if constexpr (Pixel::white > 0) {
        v.x = light_to_srgb(v.x) * Pixel::white;
        v.y = light_to_srgb(v.y) * Pixel::white;
        v.z = light_to_srgb(v.z) * Pixel::white;
    }
    return v;
}

#endif
