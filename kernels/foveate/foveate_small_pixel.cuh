/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Four pixels of 8 bits in a row: as words in shared memory, and a pair of halves for each two pixels of
 * a channel. Stored values have 128 subtracted, where halves are finest; light is 0..1. */
#ifndef FOVEA_KERNELS_FOVEATE_SMALL_PIXEL_CUH
#define FOVEA_KERNELS_FOVEATE_SMALL_PIXEL_CUH

#include "foveate_image.cuh"
#include "foveate_light.cuh"
#include "foveate_small_mma.cuh"

/* BYTES a pixel, of which the first CHANNELS are blurred. */
template <int BYTES_, int CHANNELS_, bool LIGHT_> struct small_format {
    static const bool LIGHT = LIGHT_;
    static const int BYTES = BYTES_;
    static const int CHANNELS = CHANNELS_;
};

struct small_four {
    uint32_t of[4]; /* channel by channel, or pixel by pixel */
};

/* Bytes i and j of eight, each in 16 bits. */
static __device__ __forceinline__ uint32_t two_bytes(uint32_t a, uint32_t b, int i, int j)
{
    return __byte_perm(a, b, (uint32_t)(i | j << 8)) & 0x00ff00ffu;
}

/* Pixels 2 n and 2 n + 1 of channel c: bytes in 16 bits. */
template <int BYTES>
static __device__ __forceinline__ uint32_t two_of_channel(const uint32_t (&words)[BYTES], int c,
                                                          int n)
{
    const int word = 2 * n * BYTES / 4;
    const int other = word + 1 < BYTES ? word + 1 : word;
    const int first = 2 * n * BYTES - 4 * word + c;
    return two_bytes(words[word], words[other], first, first + BYTES);
}

static __device__ __forceinline__ uint32_t halves_of_bytes(uint32_t two, const uint16_t *light)
{
    if (light) {
        return (uint32_t)light[two & 255u] | (uint32_t)light[two >> 16] << 16;
    }
    const __half2 raised = pair_of_bits(two | 0x64006400u); /* 1024 + byte */
    return bits_of_pair(__hsub2(raised, __float2half2_rn(1152.0f)));
}

static __device__ __forceinline__ uint32_t level_of_light(float v)
{
    return round_unorm(light_to_srgb(v) * 255.0f, 255.0f);
}

/* Bytes in the low halves of 16 bits. */
static __device__ __forceinline__ uint32_t bytes_of_halves(uint32_t two, bool light)
{
    if (light) {
        const float2 v = __half22float2(pair_of_bits(two));
        return level_of_light(v.x) | level_of_light(v.y) << 16;
    }
    const __half2 low = __float2half2_rn(-128.0f);
    const __half2 high = __float2half2_rn(127.0f);
    const __half2 v = __hmin2(__hmax2(pair_of_bits(two), low), high);
    return bits_of_pair(__hadd2(v, __float2half2_rn(1152.0f))) & 0x00ff00ffu;
}

/* Four bytes of a channel from two pairs. */
static __device__ __forceinline__ uint32_t four_bytes(uint32_t first, uint32_t second)
{
    return __byte_perm(first, second, 0x6420);
}

/* Bytes of channels -> words of pixels; `old` gives the channels that are not blurred. */
template <typename Format>
static __device__ __forceinline__ void interleave(const uint32_t (&c)[4],
                                                  uint32_t (&words)[Format::BYTES])
{
    if constexpr (Format::BYTES == 1) {
        words[0] = c[0];
    } else if constexpr (Format::BYTES == 3) {
        const uint32_t rg = __byte_perm(c[0], c[1], 0x5140); /* r0 g0 r1 g1 */
        const uint32_t gr = __byte_perm(c[0], c[1], 0x7362); /* r2 g2 r3 g3 */
        words[0] = __byte_perm(rg, c[2], 0x2410);
        words[1] = __byte_perm(__byte_perm(rg, c[2], 0x0053), gr, 0x5410);
        words[2] = __byte_perm(gr, c[2], 0x7326);
    } else {
        const uint32_t low = __byte_perm(c[0], c[1], 0x5140);
        const uint32_t high = __byte_perm(c[0], c[1], 0x7362);
        const uint32_t low_ba = __byte_perm(c[2], c[3], 0x5140);
        const uint32_t high_ba = __byte_perm(c[2], c[3], 0x7362);
        words[0] = __byte_perm(low, low_ba, 0x5410);
        words[1] = __byte_perm(low, low_ba, 0x7632);
        words[2] = __byte_perm(high, high_ba, 0x5410);
        words[3] = __byte_perm(high, high_ba, 0x7632);
    }
}

/* Four pixels of a channel from two pairs. */
static __device__ __forceinline__ uint32_t four_of_halves(uint32_t first, uint32_t second,
                                                          bool light)
{
    return four_bytes(bytes_of_halves(first, light), bytes_of_halves(second, light));
}

/* The words of four pixels; what is not blurred stays what `words` has. */
template <typename Format>
static __device__ __forceinline__ void blend_words(const uint32_t (&channels)[4],
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
