/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* From the picture to the coarser levels of foveate_small.cu, and back: level 1 from the picture, level 2 from
 * level 1, and pixels from what is blurred of either. */
#ifndef FOVEA_KERNELS_FOVEATE_SMALL_LEVELS_CUH
#define FOVEA_KERNELS_FOVEATE_SMALL_LEVELS_CUH

#include "foveate_small_work.cuh"

/* ---- Level 1 from the picture, level 2 from level 1: 48 x 48 inputs, 16 x 16 outputs */

template <typename Format>
static __device__ __forceinline__ void load_pixels(const small_work &work, int x, int y,
                                                   uint32_t (&pairs)[Format::CHANNELS][2])
{
    const small_memory &m = work.memory;
    uint32_t words[Format::BYTES];
    const char *row = m.picture + min(max(y, 0), work.frame.height_px - 1) * m.pitch;
    small_load_four<Format::BYTES>(m, work.frame.width_px, x, row, words);
#pragma unroll
    for (int c = 0; c < Format::CHANNELS; c++) {
#pragma unroll
        for (int n = 0; n < 2; n++) {
            pairs[c][n] = halves_of_bytes(two_of_channel(words, c, n),
                                          Format::LIGHT && c < 3 ? m.light : nullptr);
        }
    }
}

template <typename Format> static __device__ void make_level_1(const small_work &work, int tile)
{
    const int CHANNELS = Format::CHANNELS;
    const small_lane l;
    const int columns = work.small.x.samples / TILE;
    const int ty = tile / columns;
    const int tx = tile - ty * columns;
    uint4 across[3];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        across[k] = work.piece(work.small.x.make_1 + 3 * tx + k, l);
    }
    small_result sums[CHANNELS][2] = {};
#pragma unroll 1
    for (int ky = 0; ky < 3; ky++) {
        small_result lines[CHANNELS][2] = {};
#pragma unroll
        for (int n = 0; n < 2; n++) {
            const int y = work.small.y.start_1[ty] + TILE * ky + 8 * n + l.g;
#pragma unroll
            for (int kx = 0; kx < 3; kx++) {
                uint32_t pairs[CHANNELS][2];
                load_pixels<Format>(work, work.small.x.start_1[tx] + TILE * kx + 4 * l.t, y, pairs);
#pragma unroll
                for (int c = 0; c < CHANNELS; c++) {
                    small_multiply(lines[c][n], across[kx], pairs[c][0], pairs[c][1]);
                }
            }
        }
        const uint4 down = work.piece(work.small.y.make_1 + 3 * ty + ky, l);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            small_multiply(sums[c][0], down, lines[c][0].x, lines[c][1].x);
            small_multiply(sums[c][1], down, lines[c][0].y, lines[c][1].y);
        }
    }
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        store_tile<1>(work.memory.level[1], c, tx * TILE, ty * TILE, sums[c], l);
    }
}

/* One channel. */
static __device__ void make_level_2(const small_work &work, int tile, int channel)
{
    const small_lane l;
    const int tx = tile % 2;
    const int ty = tile / 2;
    small_result sums[2] = {};
#pragma unroll 1
    for (int ky = 0; ky < 3; ky++) {
        small_result lines[2] = {};
#pragma unroll
        for (int kx = 0; kx < 3; kx++) {
            const uint4 across = work.piece(work.small.x.make_2 + 3 * tx + kx, l);
            /* Past the end the weights are 0, and anything but NaN may lie there. */
            const int x = min(TILE * (tx + kx), work.small.x.samples - TILE) + 2 * l.t;
#pragma unroll
            for (int n = 0; n < 2; n++) {
                const int y = min(TILE * (ty + ky) + 8 * n + l.g, work.small.y.samples - 1);
                const char *from = work.memory.level[1];
                small_multiply(lines[n], across,
                               *(const uint32_t *)(from + sample_at<1>(channel, x, y)),
                               *(const uint32_t *)(from + sample_at<1>(channel, x + 8, y)));
            }
        }
        const uint4 down = work.piece(work.small.y.make_2 + 3 * ty + ky, l);
        small_multiply(sums[0], down, lines[0].x, lines[1].x);
        small_multiply(sums[1], down, lines[0].y, lines[1].y);
    }
    store_tile<2>(work.memory.level[2], channel, tx * TILE, ty * TILE, sums, l);
}

/* ---- The picture from levels: a warp makes 16 columns */

/* A tile's pixels that are of `level`, into the picture. */
template <typename Format>
static __device__ __forceinline__ void put_tile(const small_work &work, int level, int x0, int y0,
                                                const small_result (&sums)[Format::CHANNELS][2],
                                                const small_lane &l)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const int x = x0 + 4 * l.t;
        const int y = y0 + 8 * r + l.g;
        if (x < work.frame.width_px && y < work.frame.height_px &&
            work.memory.blocks[y / 4 * BLOCKS + x / 4] == level) {
            char *row = work.memory.picture + y * work.memory.pitch;
            uint32_t words[Format::BYTES] = {};
            uint32_t bytes[4] = {};
            if (Format::CHANNELS < Format::BYTES) {
                small_load_four<Format::BYTES>(work.memory, x + 4, x, row, words);
            }
#pragma unroll
            for (int c = 0; c < Format::CHANNELS; c++) {
                bytes[c] =
                    four_of_halves(r == 0 ? sums[c][0].x : sums[c][0].y,
                                   r == 0 ? sums[c][1].x : sums[c][1].y, Format::LIGHT && c < 3);
            }
            blend_words<Format>(bytes, words);
            small_store_four<Format::BYTES>(row, x, words);
        }
    }
}

template <typename Format>
static __device__ void show_level_1(const small_work &work, int tx, int ty, const uint4 &across,
                                    const small_lane &l)
{
    const int CHANNELS = Format::CHANNELS;
    const int x = work.small.x.from_1[tx] + 2 * l.t;
    const uint4 down = work.piece(work.small.y.show_1 + ty, l);
    small_result sums[CHANNELS][2] = {};
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        small_result lines[2] = {};
#pragma unroll
        for (int n = 0; n < 2; n++) {
            const int y = work.small.y.from_1[ty] + 8 * n + l.g;
            const char *from = work.memory.blurred[1];
            small_multiply(lines[n], across, *(const uint32_t *)(from + sample_at<1>(c, x, y)),
                           *(const uint32_t *)(from + sample_at<1>(c, x + 8, y)));
        }
        small_multiply(sums[c][0], down, lines[0].x, lines[1].x);
        small_multiply(sums[c][1], down, lines[0].y, lines[1].y);
    }
    put_tile<Format>(work, 1, tx * TILE, ty * TILE, sums, l);
}

/* Lines of level 2 along x for 16 columns: the right matrices of the products along y. */
template <int CHANNELS>
static __device__ __forceinline__ void show_lines_2(const small_work &work, int tx,
                                                    small_result (&lines)[CHANNELS][4],
                                                    const small_lane &l)
{
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const uint4 across = work.piece(work.small.x.show_2 + 2 * tx + k, l);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
#pragma unroll
            for (int n = 0; n < 4; n++) {
                const int x = TILE * k + 2 * l.t;
                const int y = 8 * n + l.g;
                const char *from = work.memory.blurred[2];
                small_multiply(lines[c][n], across,
                               *(const uint32_t *)(from + sample_at<2>(c, x, y)),
                               *(const uint32_t *)(from + sample_at<2>(c, x + 8, y)));
            }
        }
    }
}

template <typename Format>
static __device__ void show_columns(const small_work &work, int tx, int first, int step)
{
    const int CHANNELS = Format::CHANNELS;
    const small_lane l;
    const uint4 across = work.piece(work.small.x.show_1 + tx, l);
    small_result lines[CHANNELS][4] = {};
    show_lines_2<CHANNELS>(work, tx, lines, l);
    const int rows = (work.frame.height_px + TILE - 1) / TILE;
#pragma unroll 1
    for (int ty = first; ty < rows; ty += step) {
        const uint32_t levels = work.memory.state->tiles[8 * ty + tx];
        if (levels & 4u) {
            small_result sums[CHANNELS][2] = {};
#pragma unroll
            for (int k = 0; k < 2; k++) {
                const uint4 down = work.piece(work.small.y.show_2 + 2 * ty + k, l);
#pragma unroll
                for (int c = 0; c < CHANNELS; c++) {
                    small_multiply(sums[c][0], down, lines[c][2 * k].x, lines[c][2 * k + 1].x);
                    small_multiply(sums[c][1], down, lines[c][2 * k].y, lines[c][2 * k + 1].y);
                }
            }
            put_tile<Format>(work, 2, tx * TILE, ty * TILE, sums, l);
        }
        if (levels & 2u) {
            show_level_1<Format>(work, tx, ty, across, l);
        }
    }
}

#endif
