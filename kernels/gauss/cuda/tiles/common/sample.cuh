/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A sample of a tile is four halves, in two registers of two, so that an instruction works on two
 * channels.
 *
 * Levels of 8 bits get the exponent of 1024 (a bias), where a half's steps are whole numbers: they
 * need no conversion, and rounding to a level is an addition. A sample is a level less the middle
 * of its range, 128. In linear light it is the light, 0 to 1, whose relative precision counts in
 * the dark. Half floats are samples as they are. */
#pragma once

#include "kernels/cuda/ptx.cuh"
#include "kernels/image/light.cuh"
#include "params.h"

/* Below sm_80 kernels are empty, and tiles.c does not launch them. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define TILE_HAS_MMA 1
#else
#define TILE_HAS_MMA 0
#endif

/* ---- Halves, when compiled */

/* The exponents from 2^-24 to 1, and 0. */
static constexpr uint32_t tile_half_bits(double value)
{
    if (value < 1.0 / 16384) {
        return (uint32_t)(value * 16777216.0 + 0.5);
    }
    int exponent = 15;
    while (value < 1.0) {
        value *= 2.0;
        exponent--;
    }
    return ((uint32_t)exponent << 10) + (uint32_t)(value * 1024.0 - 1024.0 + 0.5);
}

static constexpr double tile_half_value(uint32_t bits)
{
    int exponent = (int)(bits >> 10);
    double value = exponent > 0 ? 1.0 + (bits & 1023u) / 1024.0 : (bits & 1023u) / 512.0;
    for (; exponent < 15; exponent++) {
        value *= 0.5;
    }
    return value;
}

/* ---- Samples of levels */

struct tile_sample {
    __half2 xy;
    __half2 zw;
};

DEVICE tile_sample sample_of_bits(uint32_t xy, uint32_t zw)
{
    return {half2_of(xy), half2_of(zw)};
}

DEVICE uint2 bits_of(const tile_sample &sample)
{
    return make_uint2(bits_of(sample.xy), bits_of(sample.zw));
}

DEVICE tile_sample operator+(const tile_sample &a, const tile_sample &b)
{
    return {__hadd2(a.xy, b.xy), __hadd2(a.zw, b.zw)};
}

DEVICE tile_sample operator-(const tile_sample &a, const tile_sample &b)
{
    return {__hsub2(a.xy, b.xy), __hsub2(a.zw, b.zw)};
}

DEVICE tile_sample least_of(const tile_sample &a, const tile_sample &b)
{
    return {__hmin2(a.xy, b.xy), __hmin2(a.zw, b.zw)};
}

DEVICE float4 floats_of(uint2 bits)
{
    const float2 xy = __half22float2(half2_of(bits.x));
    const float2 zw = __half22float2(half2_of(bits.y));
    return make_float4(xy.x, xy.y, zw.x, zw.y);
}

/* ---- Formats */

/* Floats hold light already. */
template <enum fovea_format FORMAT> DEVICE bool holds_floats()
{
    return pixel<FORMAT>::white == 0;
}

template <enum fovea_format FORMAT> DEVICE bool becomes_light(const gauss_frame &frame)
{
    return !holds_floats<FORMAT>() && frame.light != 0;
}

/* ---- Pixels as samples */

/* All four halves are that. */
DEVICE tile_sample flat_sample(float value)
{
    return {__floats2half2_rn(value, value), __floats2half2_rn(value, value)};
}

/* The biased halves of a sample's 0. */
DEVICE tile_sample biased_middle()
{
    return flat_sample(1024.0f + 128.0f);
}

/* ---- The least of a window, which is the base of floats */

/* Stores each warp's least sample, for least_of_block after a barrier. */
DEVICE void keep_least(tile_sample least, uint2 *of_warps)
{
#pragma unroll
    for (int i = 16; i > 0; i >>= 1) {
        const uint2 bits = bits_of(least);
        least = least_of(least, sample_of_bits(__shfl_xor_sync(~0u, bits.x, i),
                                               __shfl_xor_sync(~0u, bits.y, i)));
    }
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = bits_of(least);
    }
}

DEVICE tile_sample least_of_block(const uint2 *of_warps)
{
    tile_sample least = sample_of_bits(of_warps[0].x, of_warps[0].y);
#pragma unroll
    for (int i = 1; i < GAUSS_TILE_WARPS; i++) {
        least = least_of(least, sample_of_bits(of_warps[i].x, of_warps[i].y));
    }
    return least;
}

/* ---- Levels in memory */

/* Returns the place of sample (x, y) of a level. */
DEVICE uint2 *sample_at(const gauss_tiles &tiles, const gauss_level &level, int x, int y)
{
    return (uint2 *)tiles.samples + blockIdx.z * tiles.next_samples + level.first +
           (y + GAUSS_MARGIN) * level.pitch + x + GAUSS_MARGIN;
}

DEVICE bool has_sample(const gauss_level &level, int x, int y)
{
    return x >= -GAUSS_MARGIN && y >= -GAUSS_MARGIN && x < level.width + GAUSS_MARGIN &&
           y < level.height + GAUSS_MARGIN;
}

/* `all` is the AND of words, of which opaque pixels have all alpha bits; floats are never said to
 * be opaque. */
template <enum fovea_format FORMAT> DEVICE bool are_opaque(uint32_t all)
{
    if constexpr (pixel<FORMAT>::white > 0) {
        return all >= 0xff000000u;
    } else {
        return false;
    }
}

/* Returns the flag of a block of the first kernel, which says that all pixels it has read are
 * opaque: tiles then need not read their alpha. */
DEVICE uint8_t *opaque_flag(const gauss_tiles &tiles, int x, int y)
{
    const int64_t image = tiles.next_samples == 0 ? 0 : blockIdx.z;
    return (uint8_t *)(tiles.state + image * tiles.state_bytes + tiles.flags_bytes) +
           y * tiles.made_columns + x;
}
