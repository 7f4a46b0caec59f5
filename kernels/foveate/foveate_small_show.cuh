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

/* First along y, then along x. */
template <typename Format, int LEVEL>
static __device__ __forceinline__ void show_level(const small_work &work, int tx, int ty,
                                                  const bool (&takes)[2],
                                                  small_shown<Format::CHANNELS> &shown,
                                                  const small_lane &l)
{
    const uint4 down = work.piece(work.small.y.show[LEVEL] + ty, l);
    const uint4 across = work.piece(work.small.x.show[LEVEL] + tx, l);
    const int x = work.small.x.from[LEVEL][tx] + l.g;
    const int y = work.small.y.from[LEVEL][ty] + 2 * l.t;
    const char *first = work.memory.blurred[LEVEL] + sample_at<LEVEL>(0, y, x);
    const char *second = work.memory.blurred[LEVEL] + sample_at<LEVEL>(0, y + 8, x);
    const int next = sample_at<LEVEL>(0, 0, 8);
#pragma unroll
    for (int c = 0; c < Format::CHANNELS; c++) {
        const int plane = sample_at<LEVEL>(c, 0, 0);
        const uint32_t start = last_sum(Format::LIGHT && c < 3);
        small_result lines[2] = {};
        small_result sums[2] = {make_uint2(start, start), make_uint2(start, start)};
#pragma unroll
        for (int n = 0; n < 2; n++) {
            small_multiply(lines[n], down, *(const uint32_t *)(first + plane + n * next),
                           *(const uint32_t *)(second + plane + n * next));
        }
        small_multiply_next(sums[0], lines[0], lines[1], across.x, across.y);
        small_multiply_next(sums[1], lines[0], lines[1], across.z, across.w);
#pragma unroll
        for (int n = 0; n < 2; n++) {
            shown.of[c][n][0] = takes[0] ? sums[n].x : shown.of[c][n][0];
            shown.of[c][n][1] = takes[1] ? sums[n].y : shown.of[c][n][1];
        }
    }
}

template <typename Format>
static __device__ __forceinline__ void store_shown(const small_work &work, int tile,
                                                   const bool (&near)[2],
                                                   const small_shown<Format::CHANNELS> &shown,
                                                   const small_lane &l)
{
    const int x = tile % TILES * TILE + 4 * l.t;
    const int y0 = tile / TILES * TILE + l.g;
    const int index = work.memory.state->near_index[tile];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        if (x >= work.frame.width_px || y0 + 8 * r >= work.frame.height_px) {
            continue;
        }
        char *row = work.memory.picture + (y0 + 8 * r) * work.memory.pitch;
        uint32_t words[Format::BYTES] = {};
        uint32_t bytes[4][2] = {};
        if (Format::CHANNELS < Format::BYTES) {
            small_load_four<Format::BYTES>(row, x, words);
        }
#pragma unroll
        for (int i = 0; i < Format::CHANNELS * 2; i++) {
            const int c = i / 2, n = i % 2;
            bytes[c][n] = bytes_of_raised(shown.of[c][n][r], Format::LIGHT && c < 3);
        }
        if (near[r]) {
#pragma unroll
            for (int c = 0; c < Format::CHANNELS; c++) {
                const uint32_t four = *kept_near<Format::CHANNELS>(work, index, c, r, l);
                bytes[c][0] = __byte_perm(four, 0, 0x4140);
                bytes[c][1] = __byte_perm(four, 0, 0x4342);
            }
        }
        blend_words<Format>(bytes, words);
        small_store_four<Format::BYTES>(row, x, words);
    }
}

template <typename Format>
static __device__ __forceinline__ void show_tile(const small_work &work, int tile)
{
    const small_lane l;
    const int tx = tile % TILES;
    const int ty = tile / TILES;
    const small_state &state = *work.memory.state;
    const uint32_t levels = state.levels[tile];
    const bool all[2] = {true, true};
    bool near[2], one[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int row = 4 * ty + 2 * r + l.g / 4;
        near[r] = (state.rows[0][row] >> (4 * tx + l.t) & 1u) != 0;
        one[r] = (state.rows[1][row] >> (4 * tx + l.t) & 1u) != 0;
    }
    small_shown<Format::CHANNELS> shown = {};
    if (levels & 4u) {
        show_level<Format, 2>(work, tx, ty, all, shown, l);
    }
    if (levels & 2u) {
        show_level<Format, 1>(work, tx, ty, one, shown, l);
    }
    store_shown<Format>(work, tile, near, shown, l);
}

#endif
