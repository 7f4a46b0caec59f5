/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pixels on the device: a format's raw word, the numbers in it that are averaged, and back. Whole
 * numbers round to nearest, halves up. Floats round to nearest even, NaN and infinity stay what
 * they are, and what is finite stays finite. keep_alpha takes the colour of one word and the alpha
 * of another, bit by bit. */
#pragma once

#include "fovea_image.h"
#include "light.h"

#include <cuda_fp16.h>

template <enum fovea_format> struct pixel;

static __device__ inline uint32_t round_unorm(float value, float highest)
{
    return (uint32_t)fminf(fmaxf(value + 0.5f, 0.0f), highest);
}

/* A float without a sign, with 5 bits of exponent and `mantissa` bits: half precision,
 * shortened. */
static __device__ inline float decode_small_float(uint32_t bits, int mantissa)
{
    return __half2float(__ushort_as_half((unsigned short)(bits << (10 - mantissa))));
}

/* Negative numbers become 0. */
static __device__ inline uint32_t encode_small_float(float value, int mantissa)
{
    const uint32_t infinity = 31u << mantissa;
    if (isnan(value)) {
        return infinity | 1u;
    }
    if (!(value > 0.0f)) {
        return 0;
    }
    if (isinf(value)) {
        return infinity;
    }
    if (value < 6.103515625e-5f) { /* 2^-14: no implicit one below, steps of 2^-(14 + mantissa) */
        return __float2uint_rn(value * (float)(16384 << mantissa));
    }
    const int dropped = 23 - mantissa;
    uint32_t bits = __float_as_uint(value);
    bits += (1u << (dropped - 1)) - 1u + (bits >> dropped & 1u);
    /* exponent bias 127 -> 15 */
    return min((bits >> dropped) - (112u << mantissa), infinity - 1u);
}

/* The first channels of a format with alpha; the others of a word are 0. */
template <typename Whole, int CHANNELS> struct pixel_without_alpha : Whole {
    typedef typename Whole::word word;
    static const int part_count = CHANNELS;
    static const int channels = CHANNELS;

    static __device__ word keep_alpha(word colour, word)
    {
        return colour;
    }
};

template <> struct pixel<FOVEA_FORMAT_RGBA8> {
    typedef uint32_t word;
    typedef uint8_t part; /* what an unaligned pixel is read and written by */
    static const int part_count = 4;
    static const int white = 255; /* highest level of a colour; 0: the format holds floats */
    static const int channels = 4; /* that may be averaged; of four the last is alpha */
    static const int alpha_white = 255;

    static __device__ float4 decode(word w)
    {
        return make_float4((float)(w & 255u), (float)(w >> 8 & 255u), (float)(w >> 16 & 255u),
                           (float)(w >> 24));
    }
    static __device__ word encode(float4 v)
    {
        return round_unorm(v.x, 255.0f) | round_unorm(v.y, 255.0f) << 8 |
               round_unorm(v.z, 255.0f) << 16 | round_unorm(v.w, 255.0f) << 24;
    }
    static __device__ word keep_alpha(word colour, word alpha)
    {
        return (colour & 0x00ffffffu) | (alpha & 0xff000000u);
    }
};

template <> struct pixel<FOVEA_FORMAT_RGB8> : pixel_without_alpha<pixel<FOVEA_FORMAT_RGBA8>, 3> {
};
template <> struct pixel<FOVEA_FORMAT_R8> : pixel_without_alpha<pixel<FOVEA_FORMAT_RGBA8>, 1> {
};

template <> struct pixel<FOVEA_FORMAT_A2B10G10R10> {
    typedef uint32_t word;
    typedef uint32_t part;
    static const int part_count = 1;
    static const int white = 1023;
    static const int channels = 4;
    static const int alpha_white = 3;

    static __device__ float4 decode(word w)
    {
        return make_float4((float)(w & 1023u), (float)(w >> 10 & 1023u), (float)(w >> 20 & 1023u),
                           (float)(w >> 30));
    }
    static __device__ word encode(float4 v)
    {
        return round_unorm(v.x, 1023.0f) | round_unorm(v.y, 1023.0f) << 10 |
               round_unorm(v.z, 1023.0f) << 20 | round_unorm(v.w, 3.0f) << 30;
    }
    static __device__ word keep_alpha(word colour, word alpha)
    {
        return (colour & 0x3fffffffu) | (alpha & 0xc0000000u);
    }
};

template <> struct pixel<FOVEA_FORMAT_B10G11R11F> {
    typedef uint32_t word;
    typedef uint32_t part;
    static const int part_count = 1;
    static const int white = 0;
    static const int channels = 3;
    static const int alpha_white = 0;

    static __device__ float4 decode(word w)
    {
        return make_float4(decode_small_float(w & 0x7ffu, 6),
                           decode_small_float(w >> 11 & 0x7ffu, 6), decode_small_float(w >> 22, 5),
                           0.0f);
    }
    static __device__ word encode(float4 v)
    {
        return encode_small_float(v.x, 6) | encode_small_float(v.y, 6) << 11 |
               encode_small_float(v.z, 5) << 22;
    }
    static __device__ word keep_alpha(word colour, word)
    {
        return colour;
    }
};

template <> struct pixel<FOVEA_FORMAT_RGBA16F> {
    typedef uint2 word;
    typedef uint16_t part;
    static const int part_count = 4;
    static const int white = 0;
    static const int channels = 4;
    static const int alpha_white = 0;

    static __device__ float low(uint32_t pair)
    {
        return __half2float(__ushort_as_half((unsigned short)(pair & 0xffffu)));
    }
    static __device__ uint32_t bits_of(float value)
    {
        const float largest = 65504.0f;
        const bool too_large = isfinite(value) && fabsf(value) > largest;
        return __half_as_ushort(__float2half_rn(too_large ? copysignf(largest, value) : value));
    }
    static __device__ uint32_t join(float first, float second)
    {
        return bits_of(first) | bits_of(second) << 16;
    }
    static __device__ float4 decode(word w)
    {
        return make_float4(low(w.x), low(w.x >> 16), low(w.y), low(w.y >> 16));
    }
    static __device__ word encode(float4 v)
    {
        return make_uint2(join(v.x, v.y), join(v.z, v.w));
    }
    static __device__ word keep_alpha(word colour, word alpha)
    {
        return make_uint2(colour.x, (colour.y & 0x0000ffffu) | (alpha.y & 0xffff0000u));
    }
};

template <>
struct pixel<FOVEA_FORMAT_RGB16F> : pixel_without_alpha<pixel<FOVEA_FORMAT_RGBA16F>, 3> {
};
template <> struct pixel<FOVEA_FORMAT_R16F> : pixel_without_alpha<pixel<FOVEA_FORMAT_RGBA16F>, 1> {
};

template <> struct pixel<FOVEA_FORMAT_RGBA32F> {
    typedef uint4 word;
    typedef uint32_t part;
    static const int part_count = 4;
    static const int white = 0;
    static const int channels = 4;
    static const int alpha_white = 0;

    static __device__ float4 decode(word w)
    {
        return make_float4(__uint_as_float(w.x), __uint_as_float(w.y), __uint_as_float(w.z),
                           __uint_as_float(w.w));
    }
    static __device__ word encode(float4 v)
    {
        return make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z),
                          __float_as_uint(v.w));
    }
    static __device__ word keep_alpha(word colour, word alpha)
    {
        return make_uint4(colour.x, colour.y, colour.z, alpha.w);
    }
};

template <>
struct pixel<FOVEA_FORMAT_RGB32F> : pixel_without_alpha<pixel<FOVEA_FORMAT_RGBA32F>, 3> {
};
template <> struct pixel<FOVEA_FORMAT_R32F> : pixel_without_alpha<pixel<FOVEA_FORMAT_RGBA32F>, 1> {
};
