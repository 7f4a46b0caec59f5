/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blocks of the first kernel have this in common, whatever their pixels (bytes.cuh, floats.cuh):
 * the classifier's part, barriers, the flag of opaque pixels, and how workers fill the window with
 * pixels, sixteen bytes at a time. */
#pragma once

#include "classify.cuh"
#include "kernels/cuda/copy.cuh"
#include "kernels/gauss/cuda/common/image.cuh"
#include "kernels/gauss/cuda/tiles/common/sample.cuh"

/* ---- Barriers */

/* The workers' own barrier. */
DEVICE void workers_sync()
{
    ptx_barrier_sync<1, GAUSS_TILE_WORKERS>();
}

/* The classifier warp knows the block's levels, and goes on without waiting. */
DEVICE void signal_workers()
{
    ptx_barrier_arrive<2, GAUSS_TILE_MAKERS>();
}

DEVICE void wait_for_classifier()
{
    ptx_barrier_sync<2, GAUSS_TILE_MAKERS>();
}

/* ---- The ends of both parts */

/* The last warp to end writes whether the block has read opaque pixels alone. */
template <typename Memory>
DEVICE void end_warp(const gauss_tiles &tiles, Memory &memory, uint32_t all)
{
    const bool opaque = __all_sync(~0u, are_opaque<FOVEA_FORMAT_RGBA8>(all)) != 0;
    if (threadIdx.x % 32 == 0) {
        const uint32_t before = atomicAdd(&memory.warps_done, opaque ? 1u : 0x10001u);
        if ((before & 0xffffu) + 1 == GAUSS_TILE_WORKERS / 32) {
            *opaque_flag(tiles, (int)blockIdx.x, (int)blockIdx.y) =
                (uint8_t)(opaque && before >> 16 == 0);
        }
    }
}

/* The classifier warp's part: it lists its tile while the workers work. */
DEVICE void classifier_for_workers(const tile_law &law, const gauss_frame &frame, tile_needs &needs)
{
    const tile_index tile(law.tiles.grid);
    const tile_classified found = classify_around(law, tile);
    if (may_need_levels(law)) {
        needs = found.needs;
        signal_workers();
    }
    list_tile(law, frame, found.tile, tile);
}

/* ---- Windows */

/* A thread fills one column of PIXELS pixels out of ACROSS, in every AT_ONCE-th of ROWS rows; the
 * window's rows lie PITCH apart. */
template <int PIXELS, int ACROSS, int PITCH, int ROWS> struct tile_column {
    static const int at_once = GAUSS_TILE_WORKERS / ACROSS; /* all workers but a few */

    int index; /* column in the window */
    int first; /* first row */
    int x; /* in the picture, or beside it */
    bool fills;
    /* By runs; a column beside the picture copies the nearest one, which is repeated afterwards. */
    bool copies;

    template <typename Image>
    MEMBER tile_column(const gauss_frame &frame, const Image &image, int x0)
        : index((int)threadIdx.x % ACROSS), first((int)threadIdx.x / ACROSS),
          x(x0 + PIXELS * index), fills(first < at_once),
          copies(has_runs(image, PIXELS) && frame.width_px >= PIXELS &&
                 (frame.width_px % PIXELS == 0 || x + PIXELS <= frame.width_px))
    {
    }
    MEMBER bool is_beside(const gauss_frame &frame) const
    {
        return x < 0 || x >= frame.width_px;
    }

    /* Copies from the picture's row y0 on; copy_wait follows. */
    template <typename Image>
    MEMBER void copy(const gauss_frame &frame, const Image &image, uint4 *window, int y0) const
    {
        const int from_x = min(max(x, 0), (frame.width_px - 1) / PIXELS * PIXELS);
        uint4 *const to = window + first * PITCH + index;
        if (y0 >= 0 && y0 + ROWS <= frame.height_px) {
            const int64_t step = at_once * row_bytes(image);
            const char *from = run_at(image, from_x, y0 + first);
#pragma unroll
            for (int i = 0; i < ROWS; i += at_once) {
                if (i + first < ROWS) {
                    copy_begin(to + i * PITCH, from);
                }
                from += step;
            }
            return;
        }
#pragma unroll 1
        for (int i = 0; i + first < ROWS; i += at_once) {
            const int y = min(max(y0 + first + i, 0), frame.height_px - 1);
            copy_begin(to + i * PITCH, run_at(image, from_x, y));
        }
    }

    /* Surfaces have no asynchronous copies: it waits for a few rows at a time. */
    template <typename Pixel>
    MEMBER void copy(const gauss_frame &frame, const surface_image<Pixel> &image, uint4 *window,
                     int y0) const
    {
        const int from_x = min(max(x, 0), (frame.width_px - 1) / PIXELS * PIXELS);
#pragma unroll 4
        for (int i = 0; i < ROWS; i += at_once) {
            const int row = first + i;
            const int y = min(max(y0 + row, 0), frame.height_px - 1);
            if (row < ROWS) { /* the last one may be repeated by its thread already */
                window[row * PITCH + index] =
                    read_run<typename Pixel::word, PIXELS>(run_at(image, from_x, y));
            }
        }
    }

    /* Loads a column that is not made of runs; it waits for a few rows at a time. */
    template <typename Image>
    MEMBER void load(const gauss_frame &frame, const Image &image, uint4 *window, int y0) const
    {
        const clamped_image<Image> clamped = {image, frame.width_px - 1, frame.height_px - 1};
#pragma unroll 4
        for (int i = 0; i < ROWS; i += at_once) {
            const int row = min(first + i, ROWS - 1);
            if constexpr (PIXELS == 4) {
                window[row * PITCH + index] = load_four(clamped, false, x, y0 + row);
            } else {
                const uint2 a = clamped.load(x, y0 + row);
                const uint2 b = clamped.load(x + 1, y0 + row);
                window[row * PITCH + index] = make_uint4(a.x, a.y, b.x, b.y);
            }
        }
    }

    /* Starts to fill the column from the picture's row y0 on; end follows. */
    template <typename Image>
    MEMBER void begin(const gauss_frame &frame, const Image &image, uint4 *window, int y0) const
    {
        if (fills && copies) {
            copy(frame, image, window, y0);
        } else if (fills) {
            load(frame, image, window, y0);
        }
    }

    /* Waits for this thread's copies, and repeats the picture's first or last column. */
    MEMBER void end(const gauss_frame &frame, uint4 *window) const
    {
        copy_wait();
        if (!fills || !copies || !is_beside(frame)) {
            return;
        }
#pragma unroll 4
        for (int row = first; row < ROWS; row += at_once) {
            uint4 &own = window[row * PITCH + index];
            if constexpr (PIXELS == 4) {
                const uint32_t word = x < 0 ? own.x : own.w;
                own = make_uint4(word, word, word, word);
            } else {
                const uint2 pixel = x < 0 ? make_uint2(own.x, own.y) : make_uint2(own.z, own.w);
                own = make_uint4(pixel.x, pixel.y, pixel.x, pixel.y);
            }
        }
    }
};
