/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The picture from what is blurred, by tiles of 16 x 16 pixels: of each block of 4 x 4 from the level that it
 * needs. A lane has four pixels of rows g and g + 8. */
#ifndef FOVEA_KERNELS_FOVEATE_SMALL_SHOW_CUH
#define FOVEA_KERNELS_FOVEATE_SMALL_SHOW_CUH

#include "foveate_small_blur.cuh"

/* Raised sums or light, [n][row g, row g + 8]. */
template <int CHANNELS> struct small_shown {
    uint32_t of[CHANNELS][2][2];
};

template <typename Format, int LEVEL>
static __device__ __forceinline__ void show_level(const small_work &work, int tx, int ty,
                                                  const bool (&takes)[2],
                                                  small_shown<Format::CHANNELS> &shown,
                                                  const small_lane &l)
{
    const uint4 across = work.piece(work.small.x.show[LEVEL] + tx, l);
    const uint4 down = work.piece(work.small.y.show[LEVEL] + ty, l);
    const int x = work.small.x.from[LEVEL][tx] + 2 * l.t;
    const int y = work.small.y.from[LEVEL][ty] + l.g;
    const char *left = work.memory.blurred[LEVEL] + sample_at<LEVEL>(0, x, y);
    const char *right = work.memory.blurred[LEVEL] + sample_at<LEVEL>(0, x + 8, y);
    const int below = sample_at<LEVEL>(0, 0, 8);
#pragma unroll
    for (int c = 0; c < Format::CHANNELS; c++) {
        const int plane = sample_at<LEVEL>(c, 0, 0);
        const uint32_t start = last_sum(Format::LIGHT && c < 3);
        small_result lines[2] = {};
        small_result sums[2] = {make_uint2(start, start), make_uint2(start, start)};
#pragma unroll
        for (int n = 0; n < 2; n++) {
            small_multiply(lines[n], across, *(const uint32_t *)(left + plane + n * below),
                           *(const uint32_t *)(right + plane + n * below));
        }
        small_multiply(sums[0], down, lines[0].x, lines[1].x);
        small_multiply(sums[1], down, lines[0].y, lines[1].y);
#pragma unroll
        for (int n = 0; n < 2; n++) {
            shown.of[c][n][0] = takes[0] ? sums[n].x : shown.of[c][n][0];
            shown.of[c][n][1] = takes[1] ? sums[n].y : shown.of[c][n][1];
        }
    }
}

template <typename Format>
static __device__ __forceinline__ void take_near(const small_work &work, const bool (&takes)[2],
                                                 small_shown<Format::CHANNELS> &shown,
                                                 const small_lane &l)
{
#pragma unroll
    for (int i = 0; i < Format::CHANNELS * 4; i++) {
        const int c = i / 4, n = i / 2 % 2, r = i % 2;
        const uint32_t kept = *kept_near<Format::CHANNELS>(work, c, n, r, l);
        shown.of[c][n][r] = takes[r] ? kept : shown.of[c][n][r];
    }
}

template <typename Format>
static __device__ __forceinline__ void store_shown(const small_work &work, int x0, int y0,
                                                   const small_shown<Format::CHANNELS> &shown,
                                                   const small_lane &l)
{
    const int x = x0 + 4 * l.t;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int y = y0 + 8 * r + l.g;
        if (x >= work.frame.width_px || y >= work.frame.height_px) {
            continue;
        }
        uint32_t words[Format::BYTES] = {};
        uint32_t bytes[4][2] = {};
        if (Format::CHANNELS < Format::BYTES) {
            small_load_four<Format::BYTES>(work.memory.picture + y * work.memory.pitch, x, words);
        }
#pragma unroll
        for (int i = 0; i < Format::CHANNELS * 2; i++) {
            const int c = i / 2, n = i % 2;
            bytes[c][n] = bytes_of_raised(shown.of[c][n][r], Format::LIGHT && c < 3);
        }
        blend_words<Format>(bytes, words);
        small_store_four<Format::BYTES>(work.target, x, y, words);
    }
}

template <typename Format> static __device__ void show_tile(const small_work &work, int tile)
{
    const small_lane l;
    const int tx = tile % TILES;
    const int ty = tile / TILES;
    const uint32_t levels = work.memory.state->levels[tile];
    const uint32_t blocks = work.memory.state->blocks[tile] >> (l.g / 4 * 4 + l.t);
    const bool near[2] = {(blocks & 1u) != 0, (blocks >> 8 & 1u) != 0};
    const bool one[2] = {(blocks >> 16 & 1u) != 0, (blocks >> 24 & 1u) != 0};
    const bool all[2] = {true, true};
    small_shown<Format::CHANNELS> shown = {};
    if (levels & 1u) {
        blur_near<Format>(work, tx * TILE, ty * TILE);
    }
    if (levels & 4u) {
        show_level<Format, 2>(work, tx, ty, all, shown, l);
    }
    if (levels & 2u) {
        show_level<Format, 1>(work, tx, ty, one, shown, l);
    }
    if (levels & 1u) {
        take_near<Format>(work, near, shown, l);
    }
    store_shown<Format>(work, tx * TILE, ty * TILE, shown, l);
}

#endif
