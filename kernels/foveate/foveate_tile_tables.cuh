/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The constant matrices of the tiles, as each lane holds them (foveate_tile_mma.cuh): how pixels make
 * samples of levels 1 and 2, and the B-spline that makes pixels of samples. Worked out by the compiler.
 *
 * Rows and columns of a product may be put in any order where the other side has the same. An order that
 * fits: a thread reads four neighbours at once, while it holds columns 2t, 2t + 1 and 2t + 8, 2t + 9. So those
 * stand for places 4t to 4t + 3, and so do the rows of a product whose result is read that way. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_TABLES_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_TABLES_CUH

#include "foveate_tile_mma.cuh"
#include "foveate_tile_params.h"

/* Of a row or a column of 16: the place it stands for. */
static __host__ __device__ constexpr int place_of(int i)
{
    return 4 * (i % 8 / 2) + i % 2 + i / 8 * 2;
}

/* ---- Halves */

static __host__ __device__ constexpr uint32_t half_bits(double v)
{
    if (v < 5.9e-8) {
        return 0;
    }
    int exponent = 0;
    while (v < 1.0 && exponent > -14) {
        v *= 2.0;
        exponent--;
    }
    if (v < 1.0) {
        return (uint32_t)(v * 1024.0 + 0.5); /* without the implicit one */
    }
    return ((uint32_t)(exponent + 15) << 10) + (uint32_t)((v - 1.0) * 1024.0 + 0.5);
}

static __host__ __device__ constexpr double half_value(uint32_t bits)
{
    double v = (double)(bits & 1023u) / 1024.0 + (bits >> 10 ? 1.0 : 0.0);
    for (int i = (int)(bits >> 10 ? bits >> 10 : 1u); i < 15; i++) {
        v *= 0.5;
    }
    return v;
}

/* ---- Decimation: [1 5 10 10 5 1]/32, and twice that, which is one filter of sixteen taps */

static __host__ __device__ constexpr int tap_of(int level, int i)
{
    constexpr int once[6] = {1, 5, 10, 10, 5, 1};
    constexpr int twice[16] = {1, 5, 15, 35, 65, 101, 135, 155, 155, 135, 101, 65, 35, 15, 5, 1};
    if (level == 1) {
        return i >= 0 && i < 6 ? once[i] : 0;
    }
    return i >= 0 && i < 16 ? twice[i] : 0;
}

/* Of a level's taps together. */
static __host__ __device__ constexpr int tap_total(int level)
{
    return level == 1 ? 32 : 1024;
}

/* The first pixel of sample i is (i << level) - tap_reach. */
static __host__ __device__ constexpr int tap_reach(int level)
{
    return level == 1 ? 2 : 6;
}

/* ---- Enlarging. The sample around a pixel and two on either side. */

struct tile_spline {
    uint32_t weight[5];
};

static __host__ __device__ constexpr double spline_of(double u)
{
    const double far = u < 2.0 ? 2.0 - u : 0.0;
    const double near = u < 1.0 ? 1.0 - u : 0.0;
    return (far * far * far - 4.0 * near * near * near) / 6.0;
}

/* Of pixel n of the step_px around a sample. The weights add up to 1. */
static __host__ __device__ constexpr tile_spline tile_spline_of(int n, int step_px)
{
    tile_spline spline = {};
    const double at = ((double)n + 0.5) / (double)step_px + 1.5;
    double total = 0.0;
    for (int i = 0; i < 5; i++) {
        const double u = at > i ? at - i : i - at;
        spline.weight[i] = i == 2 ? 0u : half_bits(spline_of(u));
        total += half_value(spline.weight[i]);
    }
    spline.weight[2] = half_bits(1.0 - total);
    return spline;
}

/* ---- Fragments */

/* Tiles may begin up to three samples into their quad on the levels beyond the second. */
#define TILE_SPLINES 8

static __host__ __device__ constexpr int tile_spline_index(int level, int offset)
{
    return level < 3 ? level - 1 : level == 3 ? 2 + offset / 2 : 4 + offset;
}

struct tile_tables {
    mma_a bytes[3][6][32]; /* along rows, of bytes, for a quad; of levels 1 and 2 */
    mma_a across[3][5][32]; /* along rows, of halves, for sixteen samples */
    mma_a down[3][5][32]; /* along columns */
    mma_a spline[TILE_SPLINES][3][32]; /* sixteen pixels from sixteen samples */
};

/* Along rows, a quad's four samples of four channels from eight pixels, the bytes of four channels each. Row 2c + o is
 * channel c of sample o, row 8 + 2c + o of sample 2 + o. Step s: pixels 4t + 2 (s % 2), then one more, of
 * sixteen from 16 (s / 2) on. They begin two before the first sample's; on level 1 every other quad's, steps 2 to 5,
 * ten before, so that its pixels too begin with a thread's. */
static __host__ __device__ constexpr mma_a byte_fragment(int level, int step, int lane)
{
    mma_a fragment = {};
    const int channel = lane / 4 / 2;
    const int before = level == 1 && step >= 2 ? 10 : 2;
    const int part = level == 1 && step >= 2 ? step - 2 : step;
    for (int i = 0; i < 4; i++) {
        const int sample = lane / 4 % 2 + i % 2 * 2;
        const int pixel = lane % 4 * 4 + part % 2 * 2 + i / 2 + part / 2 * 16;
        const int tap = tap_of(level, pixel - before - (sample << level));
        fragment.a[i] = (uint32_t)tap << 8 * channel;
    }
    return fragment;
}

/* Halves: rows of A are samples, columns are pixels; both natural for columns of a picture, both by place_of
 * along rows, where pixels begin two before the first sample's. */
static __host__ __device__ constexpr mma_a half_fragment(int level, int step, int lane, bool across)
{
    mma_a fragment = {};
    for (int i = 0; i < 4; i++) {
        const int row = lane / 4 + i % 2 * 8;
        const int column = lane % 4 * 2 + i / 2 * 8;
        const int sample = across ? place_of(row) : row;
        for (int k = 0; k < 2; k++) {
            const int pixel = step * 16 + (across ? place_of(column + k) - 2 : column + k);
            const int tap = tap_of(level, pixel - (sample << level));
            fragment.a[i] |= half_bits((double)tap / tap_total(level)) << 16 * k;
        }
    }
    return fragment;
}

/* Pixels 16 step on, rows by place_of; the first one's sample is output 2 + offset. */
static __host__ __device__ constexpr mma_a spline_fragment(int level, int offset, int step,
                                                           int lane)
{
    mma_a fragment = {};
    for (int i = 0; i < 4; i++) {
        const int pixel = step * 16 + place_of(lane / 4 + i % 2 * 8);
        const tile_spline spline = tile_spline_of(pixel % (1 << level), 1 << level);
        for (int k = 0; k < 2; k++) {
            const int output = lane % 4 * 2 + i / 2 * 8 + k;
            const int at = output - offset - (pixel >> level);
            fragment.a[i] |= (at >= 0 && at < 5 ? spline.weight[at] : 0u) << 16 * k;
        }
    }
    return fragment;
}

static __host__ __device__ constexpr tile_tables make_tile_tables()
{
    tile_tables tables = {};
    for (int lane = 0; lane < 32; lane++) {
        for (int level = 1; level <= 2; level++) {
            for (int i = 0; i < 5; i++) {
                tables.across[level][i][lane] = half_fragment(level, i, lane, true);
                tables.down[level][i][lane] = half_fragment(level, i, lane, false);
            }
            for (int i = 0; i < 6; i++) {
                tables.bytes[level][i][lane] = byte_fragment(level, i, lane);
            }
        }
        for (int i = 0; i < 3; i++) {
            for (int level = 1; level <= 4; level++) {
                const int offsets = level < 3 ? 1 : 4;
                for (int offset = 0; offset < offsets; offset += level == 3 ? 2 : 1) {
                    tables.spline[tile_spline_index(level, offset)][i][lane] =
                        spline_fragment(level, offset, i, lane);
                }
            }
        }
    }
    return tables;
}

static __device__ const tile_tables tables_of_tiles = make_tile_tables();

static __device__ __forceinline__ mma_a load_fragment(const mma_a (&of_lanes)[32])
{
    const uint4 bits = __ldg((const uint4 *)&of_lanes[threadIdx.x % 32]);
    return {{bits.x, bits.y, bits.z, bits.w}};
}

#endif
