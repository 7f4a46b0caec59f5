/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Interpolates the picture from the blurs of levels 1 and 2, by tiles of 16 x 16 pixels, into
 * global memory: each block of 4 x 4 from the level that it needs. A lane has four pixels of rows g
 * and g + 8. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_UPSAMPLE_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_UPSAMPLE_CUH

#include "blur.cuh"

/* Biased results or light, [n][row g, row g + 8]. */
template <int CHANNELS> struct small_upsampled {
    uint32_t of[CHANNELS][2][2];
};

/* Filters along y first, then along x. */
template <typename Format, int LEVEL>
static __device__ __forceinline__ void upsample_level(const small_work &work, int tx, int ty,
                                                      const bool (&takes)[2],
                                                      small_upsampled<Format::CHANNELS> &upsampled,
                                                      const small_lane &l)
{
    const uint4 down = work.operand(work.small.y.upsample[LEVEL] + ty, l);
    const uint4 across = work.operand(work.small.x.upsample[LEVEL] + tx, l);
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
            upsampled.of[c][n][0] = takes[0] ? sums[n].x : upsampled.of[c][n][0];
            upsampled.of[c][n][1] = takes[1] ? sums[n].y : upsampled.of[c][n][1];
        }
    }
}

/* A row of the tile; the blocks of level 0 are there already. */
template <typename Format>
static __device__ __forceinline__ void write_upsampled(const small_work &work,
                                                       const small_view &dst, int x, int y,
                                                       bool whole, bool near,
                                                       uint32_t (&words)[Format::BYTES],
                                                       const uint32_t (&bytes)[4][2])
{
    const bool there = y < work.frame.height_px;
    blend_words<Format>(bytes, words);
    if constexpr (Format::BYTES == 3) {
        if (whole && dst.plain) {
            small_write_sixteen(dst, x / TILE * TILE, y, there, words);
            return;
        }
    }
    if (there && !near && x < work.frame.width_px) {
        small_write_four<Format::BYTES>(dst, x, y, work.frame.width_px, words);
    }
}

/* Writes four pixels of two rows; channels that are not blurred are read again. */
template <typename Format> struct small_kept {
    uint32_t of[2][Format::BYTES];
};

template <typename Format>
static __device__ __forceinline__ small_kept<Format> read_kept(const small_work &work,
                                                               const small_view &src, int x, int y)
{
    small_kept<Format> kept = {};
#pragma unroll
    for (int r = 0; r < 2 && Format::CHANNELS < Format::BYTES; r++) {
        if (x < work.frame.width_px && y + 8 * r < work.frame.height_px) {
            small_read_four<Format::BYTES>(src, x, y + 8 * r, work.frame.width_px, kept.of[r]);
        }
    }
    return kept;
}

template <typename Format>
static __device__ __forceinline__ void upsample_tile(const small_work &work, const small_view &src,
                                                     const small_view &dst, int tile)
{
    const small_lane l;
    const int tx = tile % TILES;
    const int ty = tile / TILES;
    const int x = tx * TILE + 4 * l.t;
    const int y = ty * TILE + l.g;
    const uint32_t levels = work.memory.state->levels[tile];
    if ((levels & 6u) == 0) {
        return;
    }
    const bool all[2] = {true, true};
    bool near[2], one[2];
    small_is_of(work, 0, x / 4, y / 4, near);
    small_is_of(work, 1, x / 4, y / 4, one);
    small_kept<Format> kept = read_kept<Format>(work, src, x, y);
    small_upsampled<Format::CHANNELS> upsampled = {};
    if (levels & 4u) {
        upsample_level<Format, 2>(work, tx, ty, all, upsampled, l);
    }
    if (levels & 2u) {
        upsample_level<Format, 1>(work, tx, ty, one, upsampled, l);
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        uint32_t bytes[4][2] = {};
#pragma unroll
        for (int i = 0; i < Format::CHANNELS * 2; i++) {
            bytes[i / 2][i % 2] =
                bytes_of_biased(upsampled.of[i / 2][i % 2][r], Format::LIGHT && i / 2 < 3);
        }
        write_upsampled<Format>(work, dst, x, y + 8 * r, (levels & 1u) == 0, near[r], kept.of[r],
                                bytes);
    }
}

#endif
