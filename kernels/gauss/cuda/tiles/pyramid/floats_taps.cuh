/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The taps [1 5 10 10 5 1]/32, and that filter twice, which is one of sixteen taps, as matrix
 * operands of halves (cuda/mma.cuh) that the compiler computes. A lane loads its own before it
 * waits for pixels. g = lane / 4 and t = lane % 4. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_PYRAMID_FLOATS_TAPS_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_PYRAMID_FLOATS_TAPS_CUH

#include "kernels/gauss/cuda/tiles/mma/table.cuh"

template <int LEVEL> struct floats_filter {
    static const int step_px = 1 << LEVEL;
    static const int taps = LEVEL == 1 ? 6 : 16;
    /* Pixels from the window's first row or column to the first tap of the block's first sample. */
    static const int first_px = LEVEL == 1 ? 4 : 0;

    /* Returns a tap, or 0 beyond them. Halves hold all taps exactly. */
    static constexpr double tap(int i)
    {
        constexpr double of_1[6] = {1, 5, 10, 10, 5, 1};
        constexpr double of_2[16] = {1,   5,   15,  35, 65, 101, 135, 155,
                                     155, 135, 101, 65, 35, 15,  5,   1};
        return i < 0 || i >= taps ? 0.0 : LEVEL == 1 ? of_1[i % 6] / 32 : of_2[i % 16] / 1024;
    }
};

/* A lane's operands. */
template <int LEVEL> struct floats_table {
    typedef floats_filter<LEVEL> filter;
    static const int downs = LEVEL == 1 ? 3 : 6;
    static const int fours = LEVEL == 1 ? 2 : 5; /* groups of four pixels under two samples */
    static const int words = (downs + 2 * fours + 3) / 4 * 4;
    uint32_t of[words / 4][32][4];
    float taps[filter::taps];

    constexpr floats_table() : of(), taps()
    {
        for (int lane = 0; lane < 32; lane++) {
            for (int i = 0; i < downs; i++) {
                const int tap =
                    8 * i + lane % 4 * 2 - lane / 4 * filter::step_px - filter::first_px;
                of[i / 4][lane][i % 4] = half_bits(tap) | half_bits(tap + 1) << 16;
            }
            for (int i = 0; i < 2 * fours; i++) {
                set_across(lane, i);
            }
        }
        for (int i = 0; i < filter::taps; i++) {
            taps[i] = (float)filter::tap(i);
        }
    }

  private:
    static constexpr uint32_t half_bits(int tap)
    {
        const double own = filter::tap(tap);
        return own > 0.0 ? tile_mma_half_bits(own) : 0u;
    }
    /* Operand rows are four pixels' channels, of which a lane has two; columns are two samples'
     * channels. */
    constexpr void set_across(int lane, int i)
    {
        const int t = lane % 4;
        const int sample = lane / 16;
        const int channel = lane / 4 % 4;
        const uint32_t tap = half_bits(2 * i + t / 2 - sample * filter::step_px);
        const int at = downs + i;
        of[at / 4][lane][at % 4] = channel / 2 == t % 2 ? tap << channel % 2 * 16 : 0u;
    }
};

static __device__ const floats_table<1> floats_table_1;
static __device__ const floats_table<2> floats_table_2;

template <int LEVEL> struct floats_taps {
    typedef floats_table<LEVEL> table;
    static const int steps = LEVEL == 1 ? 3 : 5; /* from 16 rows of pixels to 16 of samples */
    uint32_t of[table::words];

    static __device__ __forceinline__ const table &all()
    {
        if constexpr (LEVEL == 1) {
            return floats_table_1;
        } else {
            return floats_table_2;
        }
    }
    __device__ __forceinline__ void load(int lane)
    {
#pragma unroll
        for (int i = 0; i < table::words / 4; i++) {
            const uint4 four = __ldg((const uint4 *)all().of[i][lane]);
            of[4 * i] = four.x;
            of[4 * i + 1] = four.y;
            of[4 * i + 2] = four.z;
            of[4 * i + 3] = four.w;
        }
    }
    static __device__ __forceinline__ float one(int i)
    {
        return __ldg(all().taps + i);
    }
    /* Returns the left operand of a step; rows 8 on have the same taps 8 samples later. */
    __device__ __forceinline__ void down(int step, uint32_t (&a)[4]) const
    {
        const int later = 1 << LEVEL;
        a[0] = down_from(2 * step);
        a[1] = down_from(2 * step - later);
        a[2] = down_from(2 * step + 1);
        a[3] = down_from(2 * step + 1 - later);
    }
    /* Returns the right operand of four pixels; number 0 has the first tap. */
    __device__ __forceinline__ uint32_t across(int four, int i) const
    {
        return of[table::downs + 2 * four + i];
    }

  private:
    __device__ __forceinline__ uint32_t down_from(int i) const
    {
        return i >= 0 && i < table::downs ? of[i] : 0u;
    }
};

#endif
