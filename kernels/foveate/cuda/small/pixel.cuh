/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Four pixels of 8 bits in a row: words in shared memory, and a pair of halves for each two pixels
 * of a channel. Stored values go into the first product as they are (foveate/cuda/small/params.h);
 * its results have 128 subtracted, where halves are finest. Light is 0 to 1. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_PIXEL_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_PIXEL_CUH

#include "kernels/foveate/cuda/common/image.cuh"
#include "kernels/image/light.cuh"
#include "mma.cuh"

/* BYTES of a pixel, of which the first CHANNELS are blurred. */
template <int BYTES_, int CHANNELS_, bool LIGHT_> struct small_format {
    static const bool LIGHT = LIGHT_;
    static const int BYTES = BYTES_;
    static const int CHANNELS = CHANNELS_;
};

/* Selects bytes i and j of eight, each in 16 bits. */
static __device__ __forceinline__ uint32_t two_bytes(uint32_t a, uint32_t b, int i, int j)
{
    return __byte_perm(a, b, (uint32_t)(i | j << 8)) & 0x00ff00ffu;
}

/* Returns pixels 2 n and 2 n + 1 of channel c: bytes in 16 bits. */
template <int BYTES>
static __device__ __forceinline__ uint32_t two_of_channel(const uint32_t (&words)[BYTES], int c,
                                                          int n)
{
    const int word = (2 * n * BYTES + c) / 4;
    const int first = 2 * n * BYTES + c - 4 * word;
    if (first + BYTES < 4) { /* the other bytes from a word of zeros */
        return __byte_perm(words[word], 0, (uint32_t)(first | 0x4040 | (first + BYTES) << 8));
    }
    return two_bytes(words[word], words[word + 1 < BYTES ? word + 1 : word], first, first + BYTES);
}

static __device__ __forceinline__ uint32_t light_of_bytes(uint32_t two, const uint16_t *light)
{
    return (uint32_t)light[two & 255u] | (uint32_t)light[two >> 16] << 16;
}

/* Converts two bytes to results. `light` is NULL for stored values. */
static __device__ __forceinline__ uint32_t sums_of_bytes(uint32_t two, const uint16_t *light)
{
    if (light) {
        return light_of_bytes(two, light);
    }
    const __half2 biased = pair_of_bits(two | 0x64006400u); /* 1024 + byte */
    return bits_of_pair(__hsub2(biased, __float2half2_rn(1152.0f)));
}

/* Converts two bytes to inputs of a first product. Weights for light are at most 1, for its alpha
 * too. */
template <typename Format>
static __device__ __forceinline__ uint32_t halves_of_bytes(uint32_t two, const uint16_t *light)
{
    return Format::LIGHT ? sums_of_bytes(two, light) : two;
}

/* The sums of a first product begin here. */
template <typename Format> static __device__ __forceinline__ uint32_t first_sum()
{
    return Format::LIGHT ? 0u : 0xb400b400u; /* -0.25: -128 of 2^-9 */
}

/* Rounds results to 1024 + byte; light stays as it is. */
static __device__ __forceinline__ uint32_t biased(uint32_t two, bool light)
{
    return light ? two : bits_of_pair(__hadd2(pair_of_bits(two), __float2half2_rn(1152.0f)));
}

/* The sums of a last product begin here, so that they come out biased. */
static __device__ __forceinline__ uint32_t last_sum(bool light)
{
    return light ? 0u : 0x64806480u; /* 1152 */
}

static __device__ __forceinline__ uint32_t level_of_light(float v)
{
    return round_unorm(light_to_srgb(v) * 255.0f, 255.0f);
}

/* Converts biased results, or light, to bytes in 16 bits. Halves from 1024 on are ordered as their
 * bits. */
static __device__ __forceinline__ uint32_t bytes_of_biased(uint32_t two, bool light)
{
    if (light) {
        const float2 v = __half22float2(pair_of_bits(two));
        return level_of_light(v.x) | level_of_light(v.y) << 16;
    }
    return __viaddmin_s16x2_relu(two, 0x9c009c00u, 0x00ff00ffu); /* less 0x6400, 0 to 255 */
}

/* Packs the bytes of channels, two pairs of pixels in 16 bits each, into words of four pixels. */
template <typename Format>
static __device__ __forceinline__ void interleave(const uint32_t (&c)[4][2],
                                                  uint32_t (&words)[Format::BYTES])
{
    if constexpr (Format::BYTES == 1) {
        words[0] = __byte_perm(c[0][0], c[0][1], 0x6420);
        return;
    }
    const uint32_t rg[2] = {c[0][0] | c[1][0] << 8, c[0][1] | c[1][1] << 8}; /* r g r g */
    if constexpr (Format::BYTES == 3) {
        words[0] = __byte_perm(rg[0], c[2][0], 0x2410);
        words[1] = __byte_perm(__byte_perm(rg[0], c[2][0], 0x0063), rg[1], 0x5410);
        words[2] = __byte_perm(rg[1], c[2][1], 0x6324);
    } else if constexpr (Format::BYTES == 4) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint32_t ba = c[2][i] | c[3][i] << 8;
            words[2 * i] = __byte_perm(rg[i], ba, 0x5410);
            words[2 * i + 1] = __byte_perm(rg[i], ba, 0x7632);
        }
    }
}

/* Packs the words of four pixels; channels that are not blurred stay as in `words`. */
template <typename Format>
static __device__ __forceinline__ void blend_words(const uint32_t (&channels)[4][2],
                                                   uint32_t (&words)[Format::BYTES])
{
    uint32_t made[Format::BYTES];
    interleave<Format>(channels, made);
#pragma unroll
    for (int w = 0; w < Format::BYTES; w++) {
        const uint32_t mask = Format::CHANNELS < Format::BYTES ? 0x00ffffffu : ~0u;
        words[w] = (made[w] & mask) | (words[w] & ~mask);
    }
}

#endif
