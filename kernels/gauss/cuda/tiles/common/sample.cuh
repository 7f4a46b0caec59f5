/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A sample of a tile is stored as four halves. RGBA8's samples stay two registers of two halves, so
 * that an instruction works on two channels. RGBA16F has values up to 65504 of either sign: they
 * are stored as halves, which is as exact as the pixels themselves, and summed as floats, because
 * halves would overflow and lose dark values beside bright ones.
 *
 * Levels of 8 bits get the exponent of 1024 (a bias), where a half's steps are whole numbers: they
 * need no conversion, and rounding to a level is an addition. A sample is a level less the middle
 * of its range, 128. In linear light it is the light, 0 to 1, whose relative precision counts in
 * the dark. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_SAMPLE_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_SAMPLE_CUH

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

static __device__ __forceinline__ tile_sample sample_of_bits(uint32_t xy, uint32_t zw)
{
    return {half2_of(xy), half2_of(zw)};
}

static __device__ __forceinline__ uint2 bits_of(const tile_sample &sample)
{
    return make_uint2(bits_of(sample.xy), bits_of(sample.zw));
}

static __device__ __forceinline__ tile_sample operator+(const tile_sample &a, const tile_sample &b)
{
    return {__hadd2(a.xy, b.xy), __hadd2(a.zw, b.zw)};
}

static __device__ __forceinline__ tile_sample operator-(const tile_sample &a, const tile_sample &b)
{
    return {__hsub2(a.xy, b.xy), __hsub2(a.zw, b.zw)};
}

static __device__ __forceinline__ tile_sample operator*(__half2 weight, const tile_sample &a)
{
    return {__hmul2(weight, a.xy), __hmul2(weight, a.zw)};
}

/* sum + weight a */
static __device__ __forceinline__ tile_sample add_scaled(const tile_sample &sum, __half2 weight,
                                                         const tile_sample &a)
{
    return {__hfma2(weight, a.xy, sum.xy), __hfma2(weight, a.zw, sum.zw)};
}

static __device__ __forceinline__ tile_sample least_of(const tile_sample &a, const tile_sample &b)
{
    return {__hmin2(a.xy, b.xy), __hmin2(a.zw, b.zw)};
}

/* ---- Samples of floats */

struct tile_floats {
    float4 v;
};

static __device__ __forceinline__ tile_floats operator+(const tile_floats &a, const tile_floats &b)
{
    return {make_float4(a.v.x + b.v.x, a.v.y + b.v.y, a.v.z + b.v.z, a.v.w + b.v.w)};
}

static __device__ __forceinline__ tile_floats operator*(float weight, const tile_floats &a)
{
    return {make_float4(weight * a.v.x, weight * a.v.y, weight * a.v.z, weight * a.v.w)};
}

static __device__ __forceinline__ tile_floats add_scaled(const tile_floats &sum, float weight,
                                                         const tile_floats &a)
{
    return {make_float4(fmaf(weight, a.v.x, sum.v.x), fmaf(weight, a.v.y, sum.v.y),
                        fmaf(weight, a.v.z, sum.v.z), fmaf(weight, a.v.w, sum.v.w))};
}

static __device__ __forceinline__ uint2 bits_of(const tile_floats &sample)
{
    return make_uint2(bits_of(__floats2half2_rn(sample.v.x, sample.v.y)),
                      bits_of(__floats2half2_rn(sample.v.z, sample.v.w)));
}

/* ---- Both: from memory, and what multiplies them */

template <typename Sample> struct tile_kind;

template <> struct tile_kind<tile_sample> {
    typedef __half2 weight;

    static __device__ __forceinline__ tile_sample of_bits(uint32_t xy, uint32_t zw)
    {
        return sample_of_bits(xy, zw);
    }
    static __device__ __forceinline__ __half2 weight_of(float weight)
    {
        return __float2half2_rn(weight);
    }
};

template <> struct tile_kind<tile_floats> {
    typedef float weight;

    static __device__ __forceinline__ tile_floats of_bits(uint32_t xy, uint32_t zw)
    {
        const float2 a = __half22float2(half2_of(xy));
        const float2 b = __half22float2(half2_of(zw));
        return {make_float4(a.x, a.y, b.x, b.y)};
    }
    static __device__ __forceinline__ float weight_of(float weight)
    {
        return weight;
    }
};

template <typename Sample> static __device__ __forceinline__ Sample load_sample(const uint2 *from)
{
    const uint2 bits = *from;
    return tile_kind<Sample>::of_bits(bits.x, bits.y);
}

/* ---- Formats: levels as biased halves, and back */

/* A pixel while it is averaged. Half floats are taken as they are. */
template <enum fovea_format> struct tile_pixel;

template <> struct tile_pixel<FOVEA_FORMAT_RGBA8> {
    typedef tile_sample sample;
};

template <> struct tile_pixel<FOVEA_FORMAT_RGBA16F> {
    typedef tile_floats sample;
};

/* Floats hold light already. */
template <enum fovea_format FORMAT> static __device__ __forceinline__ bool holds_floats()
{
    return pixel<FORMAT>::white == 0;
}

template <enum fovea_format FORMAT>
static __device__ __forceinline__ bool becomes_light(const gauss_frame &frame)
{
    return !holds_floats<FORMAT>() && frame.light != 0;
}

/* ---- Pixels as samples */

/* All four halves are that. */
static __device__ __forceinline__ tile_sample flat_sample(float value)
{
    return {__floats2half2_rn(value, value), __floats2half2_rn(value, value)};
}

/* The biased halves of a sample's 0. */
static __device__ __forceinline__ tile_sample biased_middle()
{
    return flat_sample(1024.0f + 128.0f);
}

static __device__ __forceinline__ tile_sample colors_in_light(uint32_t word, const __half *table)
{
    return {__halves2half2(table[word & 255u], table[word >> 8 & 255u]),
            __halves2half2(table[word >> 16 & 255u], __float2half_rn(0.0f))};
}

/* Decodes bytes to samples, of light or of stored levels. */
struct tile_decoder {
    tile_sample zero; /* the biased value of a sample's 0 */
    const __half *table;
    bool light;

    __device__ __forceinline__ tile_decoder(bool in_light, const __half *light_table)
        : zero(biased_middle()), table(light_table), light(in_light)
    {
    }

    __device__ __forceinline__ tile_sample operator()(uint32_t word) const
    {
        tile_sample sample = sample_of_bits(__byte_perm(word, 0x64646464u, 0x4140),
                                            __byte_perm(word, 0x64646464u, 0x4342)) -
                             zero;
        if (light) {
            const tile_sample colors = colors_in_light(word, table);
            sample.xy = colors.xy;
            sample.zw = __halves2half2(__low2half(colors.zw), __high2half(sample.zw));
        }
        return sample;
    }
};

/* ---- Samples as pixels */

/* Does light_to_srgb by single instructions; values that are not positive become 0 or less. */
static __device__ __forceinline__ float level_of_light(float light, float white)
{
    const float power = ptx_ex2(ptx_lg2(fmaxf(light, 0.0031308f)) * (1.0f / 2.4f));
    return light <= 0.0031308f ? light * (12.92f * white)
                               : fmaf(power, 1.055f * white, -0.055f * white);
}

/* Encodes samples relative to a base as words. Stored levels are rounded by the addition of the
 * base. An average lies between its inputs but for the halves' own rounding, hence the limits. */
struct tile_encoder {
    tile_sample base;
    bool light;

    __device__ __forceinline__ tile_encoder(const tile_sample &sample_base, bool in_light)
        : base(in_light ? sample_base : sample_base + biased_middle()), light(in_light)
    {
    }

    __device__ __forceinline__ uint32_t in_light(const tile_sample &sample) const
    {
        const float white = 255.0f;
        const float2 xy = __half22float2(sample.xy);
        const float2 zw = __half22float2(sample.zw);
        const float2 base_xy = __half22float2(base.xy);
        const float2 base_zw = __half22float2(base.zw);
        return pixel<FOVEA_FORMAT_RGBA8>::encode(make_float4(
            level_of_light(xy.x + base_xy.x, white), level_of_light(xy.y + base_xy.y, white),
            level_of_light(zw.x + base_zw.x, white), zw.y + base_zw.y + 128));
    }

    __device__ __forceinline__ uint32_t in_levels(const tile_sample &sample) const
    {
        const tile_sample low = flat_sample(1024.0f);
        const tile_sample high = flat_sample(1024.0f + 255.0f);
        const tile_sample sum = sample + base;
        const tile_sample biased =
            least_of({__hmax2(sum.xy, low.xy), __hmax2(sum.zw, low.zw)}, high);
        return __byte_perm(bits_of(biased.xy), bits_of(biased.zw), 0x6420);
    }

    __device__ __forceinline__ uint32_t operator()(const tile_sample &sample) const
    {
        return light ? in_light(sample) : in_levels(sample);
    }
    __device__ __forceinline__ uint2 operator()(const tile_floats &sample) const
    {
        return pixel<FOVEA_FORMAT_RGBA16F>::encode(sample.v);
    }
};

/* ---- The least of a window, which is its base in light */

/* Stores each warp's least sample, for least_of_block after a barrier. */
static __device__ __forceinline__ void keep_least(tile_sample least, uint2 *of_warps)
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

static __device__ __forceinline__ tile_sample least_of_block(const uint2 *of_warps)
{
    tile_sample least = load_sample<tile_sample>(of_warps);
#pragma unroll
    for (int i = 1; i < GAUSS_TILE_WARPS; i++) {
        least = least_of(least, load_sample<tile_sample>(of_warps + i));
    }
    return least;
}

/* ---- Levels in memory */

/* Returns the place of sample (x, y) of a level. */
static __device__ __forceinline__ uint2 *sample_at(const gauss_tiles &tiles,
                                                   const gauss_level &level, int x, int y)
{
    return (uint2 *)tiles.samples + blockIdx.z * tiles.next_samples + level.first +
           (y + GAUSS_MARGIN) * level.pitch + x + GAUSS_MARGIN;
}

static __device__ __forceinline__ bool has_sample(const gauss_level &level, int x, int y)
{
    return x >= -GAUSS_MARGIN && y >= -GAUSS_MARGIN && x < level.width + GAUSS_MARGIN &&
           y < level.height + GAUSS_MARGIN;
}

/* `all` is the AND of words, of which opaque pixels have all alpha bits; floats are never said to
 * be opaque. */
template <enum fovea_format FORMAT> static __device__ __forceinline__ bool are_opaque(uint32_t all)
{
    if constexpr (pixel<FORMAT>::white > 0) {
        return all >= 0xff000000u;
    } else {
        return false;
    }
}

/* Returns the flag of a block of the first kernel, which says that all pixels it has read are
 * opaque: tiles then need not read their alpha. */
static __device__ __forceinline__ uint8_t *opaque_flag(const gauss_tiles &tiles, int x, int y)
{
    const int64_t image = tiles.next_samples == 0 ? 0 : blockIdx.z;
    return (uint8_t *)(tiles.state + image * tiles.state_bytes + tiles.flags_bytes) +
           y * tiles.made_columns + x;
}

#endif
