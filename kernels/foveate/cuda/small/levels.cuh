/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The coarser levels of foveate_small.cu: level 1 from the picture, level 2 from level 1, 48 x 48
 * inputs for 16 x 16 outputs. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_LEVELS_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_LEVELS_CUH

#include "work.cuh"

template <typename Format>
static __device__ __forceinline__ void load_pixels(const small_work &work, const char *row, int x,
                                                   uint32_t (&pairs)[Format::CHANNELS][2])
{
    uint32_t words[Format::BYTES];
    small_load_four<Format::BYTES>(row, x, words);
#pragma unroll
    for (int c = 0; c < Format::CHANNELS; c++) {
#pragma unroll
        for (int n = 0; n < 2; n++) {
            pairs[c][n] = halves_of_bytes<Format>(
                two_of_channel(words, c, n), Format::LIGHT && c < 3 ? work.memory.light : nullptr);
        }
    }
}

/* Outputs beside the picture have no weight, but have memory that nobody else writes. */
template <typename Format>
static __device__ __forceinline__ void make_level_1(const small_work &work, int tile)
{
    const int CHANNELS = Format::CHANNELS;
    const small_lane l;
    const int tx = tile % TILES_1;
    const int ty = tile / TILES_1;
    const int x = work.small.x.start_1[tx] + 4 * l.t;
    const char *rows = work.memory.picture + (work.small.y.start_1[ty] + l.g) * work.memory.pitch;
    uint4 across[3];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        across[k] = work.operand(work.small.x.make_1 + 3 * tx + k, l);
    }
    small_result sums[CHANNELS][2] = {};
#pragma unroll 1
    for (int ky = 0; ky < 3; ky++, rows += TILE * work.memory.pitch) {
        small_result lines[CHANNELS][2];
#pragma unroll
        for (int n = 0; n < 2; n++) {
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                lines[c][n] = make_uint2(first_sum<Format>(), first_sum<Format>());
            }
#pragma unroll
            for (int kx = 0; kx < 3; kx++) {
                uint32_t pairs[CHANNELS][2];
                load_pixels<Format>(work, rows + 8 * n * work.memory.pitch, x + TILE * kx, pairs);
#pragma unroll
                for (int c = 0; c < CHANNELS; c++) {
                    small_multiply(lines[c][n], across[kx], pairs[c][0], pairs[c][1]);
                }
            }
        }
        const uint4 down = work.operand(work.small.y.make_1 + 3 * ty + ky, l);
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

/* Makes one channel. Past the end the weights are 0, and any value but NaN may lie there. */
static __device__ void make_level_2(const small_work &work, int tile, int channel)
{
    const small_lane l;
    const int tx = tile % 2;
    const int ty = tile / 2;
    small_result sums[2] = {};
#pragma unroll
    for (int ky = 0; ky < 3; ky++) {
        const int y =
            min(TILE * (ty + ky) + l.lane / 16 * 8 + l.lane % 8, work.small.y.samples - 1);
        small_result lines[2] = {};
#pragma unroll
        for (int kx = 0; kx < 3; kx++) {
            const uint4 across = work.operand(work.small.x.make_2 + 3 * tx + kx, l);
            const int x = min(TILE * (tx + kx), work.small.x.samples - TILE) + l.lane / 8 % 2 * 8;
            uint32_t squares[4];
            mma_load_squares(squares,
                             mma_place_of(work.memory.level[1] + sample_at<1>(channel, x, y)));
            small_multiply(lines[0], across, squares[0], squares[1]);
            small_multiply(lines[1], across, squares[2], squares[3]);
        }
        const uint4 down = work.operand(work.small.y.make_2 + 3 * ty + ky, l);
        small_multiply(sums[0], down, lines[0].x, lines[1].x);
        small_multiply(sums[1], down, lines[0].y, lines[1].y);
    }
    store_tile<2>(work.memory.level[2], channel, tx * TILE, ty * TILE, sums, l);
}

#endif
