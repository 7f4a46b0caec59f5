/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The MMA path of tiles (gauss/cuda/tiles/mma/tile.cuh): windows of the picture whose pixels are
 * averaged as light; a polynomial converts RGBA8, and RGBA16F is light already. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_MMA_LIGHT_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_MMA_LIGHT_CUH

#include "window.cuh"

/* Converts two neighbours' bytes to channels. */
static __device__ __forceinline__ void light_of_words(uint32_t first, uint32_t second,
                                                      uint32_t (&colors)[MMA_COLORS])
{
    const uint32_t even = 0x00ff00ffu;
    const uint32_t rg = __byte_perm(first, second, 0x5410);
    const uint32_t b = __byte_perm(first, second, 0x7632);
    colors[0] = bits_of(light_of_bytes(rg & even));
    colors[1] = bits_of(light_of_bytes(rg >> 8 & even));
    colors[2] = bits_of(light_of_bytes(b & even));
}

template <enum fovea_format FORMAT, typename Image> struct tile_mma_light_window {
    typedef tile_mma_column<MMA_PICTURE_SIDE> column;

    tile_words<typename Image::word, 4> of[column::reads];

    /* (left, top) is the window's first pixel. */
    __device__ __forceinline__ void issue_loads(const tile_work<FORMAT, Image> &work, int left,
                                                int top)
    {
        const gauss_frame &frame = work.frame;
        const column own;
        const int x = left + own.x;
        if (left >= 0 && top >= 0 && left + MMA_PICTURE_SIDE <= frame.width_px &&
            top + MMA_PICTURE_SIDE <= frame.height_px && has_runs(work.src, 4)) {
            const image_run<Image> from = run_at(work.src, x, top + own.row);
            const int64_t stride = row_bytes(work.src);
#pragma unroll
            for (int i = 0; i < column::reads; i++) {
                /* Rows beyond the last are not stored, and the first row always exists. */
                of[i] = read_run<typename Image::word, 4>(
                    known_rows_on(from, (own.is_beyond(i) ? 0 : i) * column::rows, stride));
            }
            return;
        }
        const clamped_image<Image> clamped = {work.src, frame.width_px - 1, frame.height_px - 1};
#pragma unroll
        for (int i = 0; i < column::reads; i++) {
            of[i] = load_four(clamped, false, x, top + own.row + i * column::rows);
        }
    }

    __device__ __forceinline__ tile_mma_stats stats() const
    {
        tile_mma_stats stats;
#pragma unroll
        for (int i = 0; i < 4 * column::reads; i++) {
            stats.look(of[i / 4].of[i % 4].x, of[i / 4].of[i % 4].y);
        }
        return stats;
    }

    /* Stores the window. Returns whether all pixels that this thread has read are opaque, or false
     * for floats. */
    __device__ __forceinline__ bool commit(const tile_sample &zero, uint32_t *planes) const
    {
        const column at;
        uint32_t all = ~0u;
#pragma unroll
        for (int i = 0; i < column::reads; i++) {
            tile_mma_colors colors;
            if constexpr (pixel<FORMAT>::white == 0) {
                const uint2(&own)[4] = of[i].of;
                colors_of_samples(make_uint4(own[0].x, own[0].y, own[1].x, own[1].y),
                                  make_uint4(own[2].x, own[2].y, own[3].x, own[3].y), zero, colors);
            } else {
                uint32_t first[MMA_COLORS];
                uint32_t second[MMA_COLORS];
                light_of_words(of[i].of[0], of[i].of[1], first);
                light_of_words(of[i].of[2], of[i].of[3], second);
#pragma unroll
                for (int c = 0; c < MMA_COLORS; c++) {
                    colors[c] = make_uint2(first[c], second[c]);
                }
                all &= of[i].of[0] & of[i].of[1] & of[i].of[2] & of[i].of[3];
            }
            if (!at.is_beyond(i)) {
                store_colors(colors, at.place(planes, i));
            }
        }
        return are_opaque<FORMAT>(all);
    }
};

#endif
