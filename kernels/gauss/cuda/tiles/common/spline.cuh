/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Up-samples a level's blurred samples by the cubic B-spline, along columns first, then along rows
 * straight into the picture. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_SPLINE_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_SPLINE_CUH

#include "window.cuh"

template <typename Sample> struct spline_weights {
    typename tile_kind<Sample>::weight of[4];

    /* Returns the spline's weights at a place `part` of a sample beyond the second of four. */
    __device__ __forceinline__ explicit spline_weights(float part)
    {
        typedef tile_kind<Sample> kind;
        const float residual = 1.0f - part;
        of[0] = kind::weight_of(residual * residual * residual * (1.0f / 6));
        of[1] = kind::weight_of((3 * part * part * part - 6 * part * part + 4) * (1.0f / 6));
        of[2] = kind::weight_of((3 * residual * residual * residual - 6 * residual * residual + 4) *
                                (1.0f / 6));
        of[3] = kind::weight_of(part * part * part * (1.0f / 6));
    }

    __device__ __forceinline__ Sample operator()(const Sample &a, const Sample &b, const Sample &c,
                                                 const Sample &d) const
    {
        return add_scaled(add_scaled(add_scaled(of[3] * d, of[2], c), of[1], b), of[0], a);
    }
};

/* Makes pixel n of the STEP around a sample from five samples: the first half of the pixels lies
 * between the second and the third, the other half between the third and the fourth. */
template <typename Sample>
static __device__ __forceinline__ Sample spline_at(const Sample (&five)[5], int n, int step_px)
{
    const bool second_half = 2 * n >= step_px;
    const float at = ((float)n + 0.5f) / (float)step_px + (second_half ? -0.5f : 0.5f);
    const spline_weights<Sample> weigh(at);
    return second_half ? weigh(five[1], five[2], five[3], five[4])
                       : weigh(five[0], five[1], five[2], five[3]);
}

/* Opaque pixels have these bits in their alpha, and any other bits elsewhere. */
template <typename Word> static __device__ __forceinline__ Word all_bits();
template <> __device__ __forceinline__ uint32_t all_bits<uint32_t>()
{
    return ~0u;
}
template <> __device__ __forceinline__ uint2 all_bits<uint2>()
{
    return make_uint2(~0u, ~0u);
}

/* Up-samples a column of the tile's outputs, `cell` rows down, to rows of pixels. */
template <int STEP, typename Sample>
static __device__ __forceinline__ void upsample_down(const gauss_tile_shape &shape,
                                                     const tile_memory &memory, int step_px)
{
    const int cells = shape.side_px / step_px;
    for (int i = (int)threadIdx.x; i < cells * shape.outputs; i += GAUSS_TILE_THREADS) {
        const int cell = i / shape.outputs;
        const int column = i - cell * shape.outputs;
        Sample five[5];
#pragma unroll
        for (int k = 0; k < 5; k++) {
            five[k] = load_sample<Sample>(memory.window + (cell + k) * shape.line + column);
        }
        uint2 *to = memory.lines + cell * step_px * shape.line + column;
        if constexpr (STEP > 0) {
#pragma unroll
            for (int n = 0; n < STEP; n++) {
                to[n * shape.line] = bits_of(spline_at(five, n, STEP));
            }
        } else {
#pragma unroll 1
            for (int n = 0; n < step_px; n++) {
                to[n * shape.line] = bits_of(spline_at(five, n, step_px));
            }
        }
    }
}

template <enum fovea_format FORMAT, typename Image> struct tile_upsampling {
    typedef typename tile_pixel<FORMAT>::sample sample;
    typedef typename Image::word word;

    const tile_work<FORMAT, Image> &work;
    const gauss_tile_shape &shape;
    const tile_memory &memory;
    const tile_encoder<FORMAT> encode;
    bool opaque;
    int x0;
    int y0;

    /* Writes COUNT pixels from (x, y) on with blurred colours. */
    template <int COUNT>
    __device__ __forceinline__ void write(int x, int y, tile_words<word, COUNT> &words) const
    {
        const int last_x = work.frame.width_px - 1;
        if (needs_alpha<FORMAT>(work.frame)) {
#pragma unroll 1
            for (int i = 0; i < COUNT; i++) {
                word own = work.src.load(min(x + i, last_x), y);
                words.set(i, pixel<FORMAT>::keep_alpha(words.at(i), own));
            }
        }
        store_run<COUNT>(work.dst, has_runs(work.dst, COUNT), x, y, last_x + 1, words);
    }

    /* Makes the STEP pixels around a sample. */
    template <int STEP> __device__ __forceinline__ void cell(int column, int row) const
    {
        sample five[5];
        load_five(column, row, five);
        tile_words<word, STEP> words;
#pragma unroll
        for (int n = 0; n < STEP; n++) {
            words.of[n] = encode(spline_at(five, n, STEP));
        }
        write<STEP>(x0 + column * STEP, y0 + row, words);
    }

    /* Does the same for steps of 8 and 16, four pixels at a time. */
    __device__ __forceinline__ void wide_cell(int column, int row, int step_px) const
    {
        sample five[5];
        load_five(column, row, five);
#pragma unroll 1
        for (int n = 0; n < step_px && x0 + column * step_px + n < work.frame.width_px; n += 4) {
            tile_words<word, 4> words = {};
#pragma unroll 1
            for (int i = 0; i < 4; i++) {
                words.set(i, encode(spline_at(five, n + i, step_px)));
            }
            write<4>(x0 + column * step_px + n, y0 + row, words);
        }
    }

    __device__ __forceinline__ void load_five(int column, int row, sample (&five)[5]) const
    {
#pragma unroll
        for (int k = 0; k < 5; k++) {
            five[k] = load_sample<sample>(memory.lines + row * shape.line + column + k);
        }
    }
};

/* Does the same for a tile that lies in the picture and is written, and read if its alpha counts,
 * in runs. Nearly all tiles are such, and this way tests nothing for each pixel. */
template <int STEP, bool LIGHT, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void upsample_rows(
    const tile_upsampling<FORMAT, Image> &upsampling)
{
    typedef typename tile_pixel<FORMAT>::sample Sample;
    typedef typename Image::word Word;
    const tile_work<FORMAT, Image> &work = upsampling.work;
    const int side = STEP == 4 ? GAUSS_TILE_PX : GAUSS_TILE_SUBTILE_PX;
    const int cells = side / STEP;
    const int rows = GAUSS_TILE_THREADS / cells;
    const int column = (int)threadIdx.x % cells;
    const int row = (int)threadIdx.x / cells;
    const bool keeps = needs_alpha<FORMAT>(work.frame);
    const bool reads = keeps && !upsampling.opaque;
    const int x = upsampling.x0 + column * STEP;
    const int y = upsampling.y0 + row;
    image_run<Image> to = run_at(work.dst, x, y);
    image_run<Image> own = run_at(work.src, x, y);
    const uint2 *from = upsampling.memory.lines + row * upsampling.shape.line + column;
#pragma unroll 1
    for (int i = 0; i < side / rows; i++) {
        tile_words<Word, STEP> words;
        if (reads) {
            words = read_run<Word, STEP>(own);
        } else {
#pragma unroll
            for (int n = 0; n < STEP; n++) {
                words.of[n] = all_bits<Word>();
            }
        }
        Sample five[5];
#pragma unroll
        for (int k = 0; k < 5; k++) {
            five[k] = load_sample<Sample>(from + k);
        }
#pragma unroll
        for (int n = 0; n < STEP; n++) {
            const Sample sample = spline_at(five, n, STEP);
            Word color;
            if constexpr (LIGHT) {
                color = upsampling.encode.in_light(sample);
            } else {
                color = upsampling.encode.in_levels(sample);
            }
            words.of[n] = keeps ? pixel<FORMAT>::keep_alpha(color, words.of[n]) : color;
        }
        write_run_at(to, words);
        to = known_rows_on(to, rows, row_bytes(work.dst));
        own = known_rows_on(own, rows, row_bytes(work.src));
        from += rows * upsampling.shape.line;
    }
}

template <int STEP, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ bool has_tile_runs(
    const tile_upsampling<FORMAT, Image> &upsampling)
{
    const tile_work<FORMAT, Image> &work = upsampling.work;
    const int side = upsampling.shape.side_px;
    return STEP > 0 && upsampling.x0 + side <= work.frame.width_px &&
           upsampling.y0 + side <= work.frame.height_px && has_runs(work.dst, STEP) &&
           has_runs(work.src, STEP);
}

template <int STEP, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void upsample_across(
    const tile_upsampling<FORMAT, Image> &upsampling, int step_px)
{
    const gauss_frame &frame = upsampling.work.frame;
    if constexpr (STEP > 0) {
        if (has_tile_runs<STEP>(upsampling)) {
            if constexpr (pixel<FORMAT>::white > 0) {
                if (frame.light) {
                    upsample_rows<STEP, true>(upsampling);
                    return;
                }
            }
            upsample_rows<STEP, false>(upsampling);
            return;
        }
    }
    const int cells = upsampling.shape.side_px / step_px;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < cells * upsampling.shape.side_px; i += GAUSS_TILE_THREADS) {
        const int row = i / cells;
        const int column = i - row * cells;
        if (upsampling.y0 + row >= frame.height_px ||
            upsampling.x0 + column * step_px >= frame.width_px) {
            continue;
        }
        if constexpr (STEP > 0) {
            upsampling.template cell<STEP>(column, row);
        } else {
            upsampling.wide_cell(column, row, step_px);
        }
    }
}

#endif
