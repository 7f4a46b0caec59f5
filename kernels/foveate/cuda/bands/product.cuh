/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A unit's sums are two products with banded matrices, along x over rows of the window, then down.
 *
 *     lines = H W  H: 8 outputs of two quarters x columns, W: columns x 8 rows of the window, twice
 *     sums = V L   V: 16 outputs x rows, L: rows x 8 columns of a quarter, which are its lines
 *
 * 16 rows of the window follow each other. The result of H W, rounded to halves, is register for
 * register an L. A lane's columns of W are four neighbours (H's are permuted alike), and its rows
 * of L likewise. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_BANDS_PRODUCT_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_BANDS_PRODUCT_CUH

#include "filter.cuh"

const int DEPTH = 16; /* columns of a product */

struct bands_lane {
    int g, t;

    __device__ __forceinline__ bands_lane() : g((int)threadIdx.x % 32 / 4), t((int)threadIdx.x % 4)
    {
    }
};

/* [row g, row g + 8] of each quarter's 8 columns, two neighbours in a word, for every 16 rows. */
template <int CHANNELS, int COUNT, int TILES> struct unit_sums {
    mma_halves of[TILES][COUNT][CHANNELS];
};

/* Where a lane's W and H begin. */
template <int COUNT> struct along {
    const char *rows[2]; /* its pixels of the window: in one row, and in the row two on */
    mma_place taps[COUNT];
    float begin[COUNT];
    int first[COUNT / 2], end[COUNT / 2]; /* products that two quarters need: from 0 or 1 on */
};

/* [quarters 2 m and 2 m + 1][8 rows] */
template <int CHANNELS, int COUNT> struct unit_lines {
    float of[COUNT / 2][2][CHANNELS][4];
};

/* Adds product k of the pairs of quarters from FIRST to LAST; for the pair BEGINS it is the
 * first. */
template <int FIRST, int LAST, int BEGINS, bool LIGHT, int CHANNELS, int COUNT>
static __device__ __forceinline__ void multiply_along(unit_lines<CHANNELS, COUNT> &lines,
                                                      const along<COUNT> &from, int k,
                                                      const uint16_t *light)
{
    const int bytes = DEPTH * k;
    uint32_t weights[COUNT / 2][4];
#pragma unroll
    for (int m = FIRST; m <= LAST; m++) {
        load_taps(weights[m], from.taps[2 * m] + bytes, from.taps[2 * m + 1] + bytes);
    }
#pragma unroll
    for (int n = 0; n < 2; n++) {
        const uint4 words = *(const uint4 *)(from.rows[n] + 4 * bytes);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            const uint32_t first = pair_of<LIGHT>(words.x, words.y, c, light);
            const uint32_t second = pair_of<LIGHT>(words.z, words.w, c, light);
#pragma unroll
            for (int m = FIRST; m <= LAST; m++) {
                if (m == BEGINS) {
                    mma_begin(lines.of[m][n][c], weights[m], first, second,
                              LIGHT ? 0.0f : from.begin[2 * m],
                              LIGHT ? 0.0f : from.begin[2 * m + 1]);
                } else {
                    mma_add(lines.of[m][n][c], weights[m], first, second);
                }
            }
        }
    }
}

template <bool LIGHT, int CHANNELS, int COUNT>
static __device__ __forceinline__ void filter_along(unit_lines<CHANNELS, COUNT> &lines,
                                                    const along<COUNT> &from, const uint16_t *light)
{
    const int NONE = -1;
    const int last = COUNT / 2 - 1;
    multiply_along<0, 0, 0, LIGHT>(lines, from, 0, light);
    int k = 1;
    if constexpr (last > 0) {
        if (from.first[last] == 0) {
            multiply_along<last, last, last, LIGHT>(lines, from, 0, light);
        } else {
            multiply_along<0, last, last, LIGHT>(lines, from, 1, light);
            k = 2;
        }
    }
#pragma unroll 2
    for (; k < from.end[0]; k++) {
        multiply_along<0, last, NONE, LIGHT>(lines, from, k, light);
    }
    if constexpr (last > 0) {
#pragma unroll 1
        for (; k < from.end[last]; k++) {
            multiply_along<last, last, NONE, LIGHT>(lines, from, k, light);
        }
    }
}

/* Returns what the sums begin with: an exact half shall round up, if halves can tell. */
template <bool LIGHT> static __device__ __forceinline__ uint32_t sums_begin()
{
    return LIGHT ? 0u : 0x14001400u; /* 1/1024 */
}

template <bool LIGHT, int CHANNELS, int COUNT, int TILES>
static __device__ __forceinline__ void begin_sums(unit_sums<CHANNELS, COUNT, TILES> &sums)
{
#pragma unroll
    for (int i = 0; i < TILES * COUNT * CHANNELS; i++) {
        mma_halves &sum = sums.of[i / CHANNELS / COUNT][i / CHANNELS % COUNT][i % CHANNELS];
        sum.x = sum.y = sums_begin<LIGHT>();
    }
}

/* Adds rows 16 j .. of the window. `down` has the places of each quarter's taps; two tiles share
 * one filter. */
template <int CHANNELS, int COUNT, int TILES>
static __device__ __forceinline__ void filter_down(unit_sums<CHANNELS, COUNT, TILES> &sums,
                                                   const unit_lines<CHANNELS, COUNT> &lines,
                                                   const mma_place (&down)[COUNT], int j, int end)
{
    uint32_t rounded[COUNT][CHANNELS][2];
#pragma unroll
    for (int i = 0; i < COUNT * CHANNELS * 2; i++) {
        const int q = i / 2 / CHANNELS;
        const int c = i / 2 % CHANNELS;
        const float(&line)[4] = lines.of[q / 2][i % 2][c];
        rounded[q][c][i % 2] = mma_rounded(line[q % 2 * 2], line[q % 2 * 2 + 1]);
    }
#pragma unroll
    for (int tile = 0; tile < TILES; tile++) {
        if (TILES > 1 && (j < tile || j >= end + tile)) {
            continue;
        }
        /* A tile's taps are those of the tile above, 16 rows before. */
        const int bytes = DEPTH * (j - tile);
        uint32_t weights[4];
        load_taps(weights, down[0] + bytes, down[0] + bytes - QUARTER_PX);
#pragma unroll
        for (int q = 0; q < COUNT; q++) {
            if (TILES == 1 && q > 0) {
                load_taps(weights, down[q] + bytes, down[q] + bytes - QUARTER_PX);
            }
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                mma_add(sums.of[tile][q][c], weights, rounded[q][c][0], rounded[q][c][1]);
            }
        }
    }
}

struct unit_place {
    int row; /* of the window: the first that the unit's radius reaches */
    int column; /* the same, at a multiple of 4 or before */
    int reach; /* columns from there to the unit's first pixel */
    int radius;
};

static __device__ __forceinline__ unit_place place_of(const bands_region &region, const unit &u,
                                                      int radius)
{
    unit_place place;
    const int left = region.lead + u.x - radius;
    place.row = region.radius + u.y - radius;
    place.column = left & ~3;
    place.reach = radius + left - place.column;
    place.radius = radius;
    return place;
}

template <int COUNT>
static __device__ __forceinline__ along<COUNT> along_unit(const unit_place &place, int side,
                                                          const unit_filters &filters,
                                                          uint32_t slots)
{
    const bands_lane l;
    along<COUNT> a;
#pragma unroll
    for (int q = 0; q < COUNT; q++) {
        const foveate_bands_filter &filter = filters.at[slots >> 2 * q & 3u];
        a.taps[q] = taps_at(filter, 4 * l.t - place.reach - quarter_start(side, q) - l.g);
        a.begin[q] = filter.begin;
    }
#pragma unroll
    for (int m = 0; m < COUNT / 2; m++) {
        const int beyond = quarter_start(side, 2 * m + 1) + QUARTER_PX + place.reach + place.radius;
        a.first[m] = quarter_start(side, 2 * m) / DEPTH;
        a.end[m] = (beyond + DEPTH - 1) / DEPTH;
    }
    return a;
}

/* Rows of the window beyond the unit's belong to others, or repeat the last: taps of 0 cancel
 * them. */
template <bool LIGHT, int CHANNELS, int COUNT, int TILES>
static __device__ __forceinline__ void filter_unit(unit_sums<CHANNELS, COUNT, TILES> &sums,
                                                   const bands_region &region, const unit &u,
                                                   int side, const char *window,
                                                   const unit_filters &filters, uint32_t slots,
                                                   int radius, const uint16_t *light)
{
    const bands_lane l;
    const unit_place place = place_of(region, u, radius);
    along<COUNT> a = along_unit<COUNT>(place, side, filters, slots);
    mma_place down[COUNT];
#pragma unroll
    for (int q = 0; q < COUNT; q++) {
        down[q] = taps_at(filters.at[slots >> 2 * q & 3u], 4 * l.t - radius - l.g);
    }
    const char *first = window + place.column * 4 + 16 * l.t;
    const int end = (TILE_ROWS + 2 * radius + DEPTH - 1) / DEPTH;
    const int rows = u.rows + 2 * radius;
    const int row = place.row + l.g / 2 * 4 + l.g % 2;
#pragma unroll 1
    for (int j = 0; DEPTH * j < rows; j++) {
#pragma unroll
        for (int n = 0; n < 2; n++) {
            a.rows[n] = first + min(row + DEPTH * j + 2 * n, region.rows - 1) * region.pitch_bytes;
        }
        unit_lines<CHANNELS, COUNT> lines;
        filter_along<LIGHT>(lines, a, light);
        filter_down(sums, lines, down, j, end);
    }
}

#endif
