/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The taps [1 5 10 10 5 1]/32, and that filter twice, which is one of sixteen taps, as matrix
 * operands (cuda/mma.cuh): each lane computes its own, in registers. g = lane / 4 and t = lane %
 * 4. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_PYRAMID_TAPS_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_PYRAMID_TAPS_CUH

#include "kernels/gauss/cuda/tiles/common/sample.cuh"

/* The sum of a level's taps is a power of two, with this exponent. */
static __host__ __device__ constexpr int tap_bits(int level)
{
    return 5 * level;
}

/* mma steps of eight pixels that four samples take, along a row. */
static __host__ __device__ constexpr int tap_steps(int level)
{
    return 2 * level;
}

/* Computed here, because at its first use it would come after a wait. */
static __device__ __forceinline__ void keep(uint32_t &value)
{
    ptx_keep(value);
}

/* ---- Along rows */

/* Taps by four bytes, the first two before the first tap; 0 beyond them. */
template <int LEVEL> static __device__ __forceinline__ uint32_t four_taps(int i)
{
    uint32_t taps = i == 0 ? 0x05010000u : 0u;
    if (LEVEL == 1) {
        /* every second word of a row of words that overlap by half */
        taps = i == 1 ? 0x0a0a0501u : taps;
        taps = i == 2 ? 0x01050a0au : taps;
        return i == 3 ? 0x00000105u : taps;
    }
    taps = i == 1 ? 0x6541230fu : taps;
    taps = i == 2 ? 0x879b9b87u : taps;
    taps = i == 3 ? 0x0f234165u : taps;
    return i == 4 ? 0x00000105u : taps;
}

/* Left operands of four samples' four channels, for pixels whose bytes stay interleaved: the
 * taps of a row's other three channels are 0. Row g is channel g % 2 of sample g / 2, row g + 8
 * channel 2 + g % 2. A lane has read four pixels in a row, from 4t on; each of two steps takes
 * two of them. */
template <int LEVEL> struct taps_along {
    uint32_t a[tap_steps(LEVEL)][4];

    __device__ __forceinline__ void find(int lane)
    {
        const int sample = lane / 8;
        const int t = lane % 4;
        const int channel = lane / 4 % 2;
#pragma unroll
        for (int step = 0; step < tap_steps(LEVEL); step++) {
            const int place = LEVEL == 1 ? 2 * t - sample : t - sample + step / 2 * 4;
            const uint32_t taps = four_taps<LEVEL>(place) >> step % 2 * 16;
            a[step][0] = (taps & 0xffu) << 8 * channel;
            a[step][2] = (taps >> 8 & 0xffu) << 8 * channel;
            a[step][1] = a[step][0] << 16;
            a[step][3] = a[step][2] << 16;
#pragma unroll
            for (uint32_t &taps_of_two : a[step]) {
                keep(taps_of_two);
            }
        }
    }
};

/* ---- Down columns */

/* Returns two taps of a word as halves over the taps' sum. */
template <int LEVEL>
static __device__ __forceinline__ uint32_t two_taps(uint32_t low, uint32_t high, int pair)
{
    const uint32_t bytes = __byte_perm(low, high, 0x10u + 0x22u * (uint32_t)pair);
    const __half2 biased = half2_of(__byte_perm(bytes, 0x64646464u, 0x4140));
    const float scale = 1.0f / (1 << tap_bits(LEVEL));
    return bits_of(__hfma2(biased, __float2half2_rn(scale), __float2half2_rn(-1024.0f * scale)));
}

/* Right operands of eight samples down. A lane's column has at most four pairs of taps in a row,
 * two in each eight rows: so two of all its registers, one after the other, are not 0. */
template <int LEVEL> struct taps_down {
    uint32_t low;
    uint32_t high;
    int begins;

    __device__ __forceinline__ void find(int lane)
    {
        /* The first register's two rows less the column's first tap's, divided by two; each
         * register on is eight rows later. */
        const int first = LEVEL == 1 ? lane % 4 - 2 - lane / 4 : lane % 4 - 2 * (lane / 4);
        begins = -(first >> 2);
        low = LEVEL == 1 ? two_taps<1>(0x0a0a0501u, 0x00000105u, first & 3)
                         : two_taps<2>(0x230f0501u, 0x9b876541u, first & 3);
        high = LEVEL == 1 ? 0u : two_taps<2>(0x4165879bu, 0x01050f23u, first & 3);
        keep(low);
        keep(high);
    }
    /* Returns the operand of the rows from 8 i on. */
    __device__ __forceinline__ uint32_t from(int i) const
    {
        return i == begins ? low : i == begins + 1 ? high : 0u;
    }
};

#endif
