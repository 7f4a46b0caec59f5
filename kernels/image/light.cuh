/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* UNORM pixels as light: a transfer function between a format's levels and 0..1, or where a frame's
 * light is wide 0..IMAGE_LIGHT_SCALE. Alpha is light already and stays in levels. Float formats
 * hold light and stay as they are.
 *
 * The fast power is off by some 1e-6 of its result: for sRGB (IEC 61966-2-1) three thousandths of a
 * level of ten bits, for PQ a fiftieth. */
#pragma once

#include "kernels/cuda/ptx.cuh"
#include "light.h"
#include "pixel.cuh"

/* Does __powf with numbers below 1.2e-38 as 0, which takes a third of its instructions. */
static __device__ inline float light_power(float base, float exponent)
{
    return ptx_ex2(exponent * ptx_lg2(base));
}

static __device__ inline float srgb_to_light(float encoded)
{
    return encoded <= 0.04045f ? encoded * (1.0f / 12.92f)
                               : light_power((encoded + 0.055f) * (1.0f / 1.055f), 2.4f);
}

static __device__ inline float light_to_srgb(float light)
{
    return light <= 0.0031308f ? light * 12.92f : 1.055f * light_power(light, 1.0f / 2.4f) - 0.055f;
}

/* SMPTE ST 2084. */
#define PQ_M1 (2610.0f / 16384.0f)
#define PQ_M2 (2523.0f / 32.0f)
#define PQ_C1 (3424.0f / 4096.0f)
#define PQ_C2 (2413.0f / 128.0f)
#define PQ_C3 (2392.0f / 128.0f)

static __device__ inline float pq_to_light(float encoded)
{
    const float root = light_power(encoded, 1.0f / PQ_M2);
    return light_power(fmaxf(root - PQ_C1, 0.0f) / (PQ_C2 - PQ_C3 * root), 1.0f / PQ_M1);
}

static __device__ inline float light_to_pq(float light)
{
    const float power = light_power(light, PQ_M1);
    return light_power((PQ_C1 + PQ_C2 * power) * ptx_rcp(1.0f + PQ_C3 * power), PQ_M2);
}

/* ITU-R BT.2100, table 5: light of the scene. */
#define HLG_A 0.17883277f
#define HLG_B 0.28466892f
#define HLG_C 0.55991073f

static __device__ inline float hlg_to_light(float encoded)
{
    return encoded <= 0.5f
               ? encoded * encoded * (1.0f / 3.0f)
               : (ptx_ex2((encoded - HLG_C) * (1.44269504f / HLG_A)) + HLG_B) * (1.0f / 12.0f);
}

static __device__ inline float light_to_hlg(float light)
{
    const float log = ptx_lg2(12.0f * light - HLG_B);
    return light <= 1.0f / 12.0f ? ptx_sqrt(3.0f * light) : 0.69314718f * HLG_A * log + HLG_C;
}

/* A frame's light, and a display's samples of it. */
struct frame_light {
    int kind;
    float value;
    const float *samples;

    __device__ frame_light(int light, float light_value, const float *display_samples)
        : kind(light), value(light_value), samples(display_samples)
    {
    }
};

static __device__ inline float sampled_to_light(float encoded, const frame_light &light)
{
    const float place = encoded * (light.value - 1.0f);
    const int below = min((int)place, (int)light.value - 2);
    const float first = __ldg(light.samples + below);
    return first + (place - (float)below) * (__ldg(light.samples + below + 1) - first);
}

/* The lowest value that gives the light. */
static __device__ inline float light_to_sampled(float value, const frame_light &light)
{
    int low = 0;
    int high = (int)light.value - 2;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (__ldg(light.samples + middle + 1) >= value) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    const float first = __ldg(light.samples + low);
    const float step = __ldg(light.samples + low + 1) - first;
    const float above = value - first;
    const float part = above > 0.0f && step > 0.0f ? fminf(above / step, 1.0f) : 0.0f;
    return ((float)low + part) / (light.value - 1.0f);
}

static __device__ inline float encoded_to_light(float encoded, const frame_light &light)
{
    switch (light.kind) {
    case IMAGE_LIGHT_SRGB:
        return srgb_to_light(encoded);
    case IMAGE_LIGHT_PQ:
        return pq_to_light(encoded);
    case IMAGE_LIGHT_GAMMA:
        return light_power(encoded, light.value);
    case IMAGE_LIGHT_TABLE:
        return sampled_to_light(encoded, light);
    default:
        return hlg_to_light(encoded);
    }
}

static __device__ inline float light_to_encoded(float value, const frame_light &light)
{
    switch (light.kind) {
    case IMAGE_LIGHT_SRGB:
        return light_to_srgb(value);
    case IMAGE_LIGHT_PQ:
        return light_to_pq(value);
    case IMAGE_LIGHT_GAMMA:
        return light_power(value, 1.0f / light.value);
    case IMAGE_LIGHT_TABLE:
        return light_to_sampled(value, light);
    default:
        return light_to_hlg(fminf(value, 1.0f));
    }
}

/* Luminance by BT.2020's primaries; a format of one colour is grey. */
template <typename Pixel> static __device__ inline float luminance_of(float4 v, int kind)
{
    if (Pixel::channels == 1) {
        return v.x;
    }
    const bool blue_first = kind == IMAGE_LIGHT_HLG_BLUE_FIRST;
    return IMAGE_LIGHT_RED * (blue_first ? v.z : v.x) + IMAGE_LIGHT_GREEN * v.y +
           IMAGE_LIGHT_BLUE * (blue_first ? v.x : v.z);
}

static __device__ inline float4 scaled_colors(float4 v, float scale)
{
    return make_float4(v.x * scale, v.y * scale, v.z * scale, v.w);
}

/* The OOTF of HLG and its inverse, by the exponent: colours keep their ratios. */
template <typename Pixel>
static __device__ inline float4 apply_ootf(float4 v, int kind, float exponent)
{
    const float luminance = luminance_of<Pixel>(v, kind);
    return scaled_colors(v, luminance > 1e-37f ? light_power(luminance, exponent) : 0.0f);
}

/* sRGB's, whatever else a frame's light may be. */
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

template <typename Pixel>
static __device__ inline float4 levels_to_light(float4 v, const frame_light &light)
{
    if constexpr (Pixel::white > 0) {
        const float scale = 1.0f / Pixel::white;
        v.x = encoded_to_light(v.x * scale, light);
        v.y = encoded_to_light(v.y * scale, light);
        v.z = encoded_to_light(v.z * scale, light);
        if (image_light_is_hlg(light.kind)) {
            v = apply_ootf<Pixel>(v, light.kind, light.value - 1.0f);
        }
        if (image_light_is_wide(light.kind)) {
            v = scaled_colors(v, IMAGE_LIGHT_SCALE);
        }
    }
    return v;
}

template <typename Pixel>
static __device__ inline float4 light_to_levels(float4 v, const frame_light &light)
{
    if constexpr (Pixel::white > 0) {
        if (image_light_is_wide(light.kind)) {
            v = scaled_colors(v, 1.0f / IMAGE_LIGHT_SCALE);
        }
        if (image_light_is_hlg(light.kind)) {
            v = apply_ootf<Pixel>(v, light.kind, 1.0f / light.value - 1.0f);
        }
        v.x = light_to_encoded(v.x, light) * Pixel::white;
        v.y = light_to_encoded(v.y, light) * Pixel::white;
        v.z = light_to_encoded(v.z, light) * Pixel::white;
    }
    return v;
}

/* ---- sRGB's bytes by arithmetic, two at a time */

/* Converts two levels of sRGB's 255, each the bits of a half, to light by a polynomial of degree
 * five that is off by less than 0.07 levels (tests/fit/fits.py). A table's halves
 * are off by 0.04, but lanes that look up bytes have bank conflicts. */
DEVICE __half2 light_of_bytes(uint32_t two)
{
    const __half2 x = __hmul2(half2_of(two), __float2half2_rn(32768.0f)); /* levels / 512 */
    __half2 sum =
        __hfma2(x, __float2half2_rn(0.087585449f * 32), __float2half2_rn(-0.30883789f * 16));
    sum = __hfma2(x, sum, __float2half2_rn(0.671875f * 8));
    sum = __hfma2(x, sum, __float2half2_rn(0.52490234f * 4));
    sum = __hfma2(x, sum, __float2half2_rn(0.032592773f * 2));
    sum = __hfma2(x, sum, __float2half2_rn(0.00092744827f));
    const uint32_t dark = __hle2_mask(x, __float2half2_rn(10.0f / 512));
    const uint32_t line = bits_of(__hmul2(x, __float2half2_rn(512.0f / (12.92f * 255.0f))));
    return half2_of((line & dark) | (bits_of(sum) & ~dark));
}
