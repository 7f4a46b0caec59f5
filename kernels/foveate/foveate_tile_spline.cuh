/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* From a level's blurred samples to pixels: up-sampling by the cubic B-spline along columns, then along rows
 * straight into the picture. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_SPLINE_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_SPLINE_CUH

#include "foveate_tile_window.cuh"

struct spline_weights {
    __half2 of[4];

    /* Of a place `part` of a sample beyond the second of four. */
    __device__ __forceinline__ explicit spline_weights(float part)
    {
        const float rest = 1.0f - part;
        of[0] = __float2half2_rn(rest * rest * rest * (1.0f / 6));
        of[1] = __float2half2_rn((3 * part * part * part - 6 * part * part + 4) * (1.0f / 6));
        of[2] = __float2half2_rn((3 * rest * rest * rest - 6 * rest * rest + 4) * (1.0f / 6));
        of[3] = __float2half2_rn(part * part * part * (1.0f / 6));
    }

    __device__ __forceinline__ tile_sample operator()(const tile_sample &a, const tile_sample &b,
                                                      const tile_sample &c,
                                                      const tile_sample &d) const
    {
        return add_scaled(add_scaled(add_scaled(of[3] * d, of[2], c), of[1], b), of[0], a);
    }
};

/* Pixel n of the STEP that lie around a sample, from the five samples around it: the first half of them
 * lies between the second and the third, the other half between the third and the fourth. */
static __device__ __forceinline__ tile_sample spline_at(const tile_sample (&five)[5], int n,
                                                        int step_px)
{
    const bool second_half = 2 * n >= step_px;
    const float at = ((float)n + 0.5f) / (float)step_px + (second_half ? -0.5f : 0.5f);
    const spline_weights weigh(at);
    return second_half ? weigh(five[1], five[2], five[3], five[4])
                       : weigh(five[0], five[1], five[2], five[3]);
}

/* A column of the tile's outputs, `cell` rows down, to rows of pixels. */
template <int STEP>
static __device__ __forceinline__ void upsample_down(const foveate_tile_shape &shape,
                                                     const tile_memory &memory, int step_px)
{
    const int cells = shape.side_px / step_px;
    for (int i = (int)threadIdx.x; i < cells * shape.outputs; i += FOVEATE_TILE_THREADS) {
        const int cell = i / shape.outputs;
        const int column = i - cell * shape.outputs;
        tile_sample five[5];
#pragma unroll
        for (int k = 0; k < 5; k++) {
            five[k] = load_sample(memory.window + (cell + k) * shape.line + column);
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

/* COUNT pixels from (x, y) on, their colours blurred. */
template <int COUNT, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_run(const tile_work<FORMAT, Image> &work, bool opaque,
                                                 int x, int y, uint4 words)
{
    const int width = work.frame.width_px;
    if (needs_alpha<FORMAT>(work.frame)) {
        uint4 own = make_uint4(~0u, ~0u, ~0u, ~0u);
        if (!opaque) {
            own = COUNT == 4 ? load_own(work, x, y)
                             : make_uint4(work.src.load(x, y),
                                          work.src.load(min(x + 1, width - 1), y), 0, 0);
        }
        words = keep_alphas<FORMAT>(words, own);
    }
    store_run<COUNT>(work.dst, has_runs(work.dst, COUNT), x, y, width, words);
}

/* Pixels of 32 bits that one instruction moves. */
template <int COUNT> struct tile_run;
template <> struct tile_run<2> {
    typedef uint2 words;
    static __device__ __forceinline__ words all_bits()
    {
        return make_uint2(~0u, ~0u);
    }
};
template <> struct tile_run<4> {
    typedef uint4 words;
    static __device__ __forceinline__ words all_bits()
    {
        return make_uint4(~0u, ~0u, ~0u, ~0u);
    }
};

template <enum fovea_format FORMAT, typename Image> struct tile_upsampling {
    const tile_work<FORMAT, Image> &work;
    const foveate_tile_shape &shape;
    const tile_memory &memory;
    const tile_encoder<FORMAT> encode;
    bool opaque;
    int x0;
    int y0;

    /* STEP pixels around a sample. */
    template <int STEP> __device__ __forceinline__ void cell(int column, int row) const
    {
        tile_sample five[5];
        load_five(column, row, five);
        uint4 words = {};
        words.x = encode(spline_at(five, 0, STEP));
        words.y = encode(spline_at(five, 1, STEP));
        if constexpr (STEP == 4) {
            words.z = encode(spline_at(five, 2, STEP));
            words.w = encode(spline_at(five, 3, STEP));
        }
        write_run<STEP>(work, opaque, x0 + column * STEP, y0 + row, words);
    }

    /* The same for steps of 8 and 16, four pixels at a time. */
    __device__ __forceinline__ void wide_cell(int column, int row, int step_px) const
    {
        tile_sample five[5];
        load_five(column, row, five);
#pragma unroll 1
        for (int n = 0; n < step_px && x0 + column * step_px + n < work.frame.width_px; n += 4) {
            uint4 words = {};
#pragma unroll 1
            for (int i = 0; i < 4; i++) {
                set_word(words, i, encode(spline_at(five, n + i, step_px)));
            }
            write_run<4>(work, opaque, x0 + column * step_px + n, y0 + row, words);
        }
    }

    __device__ __forceinline__ void load_five(int column, int row, tile_sample (&five)[5]) const
    {
#pragma unroll
        for (int k = 0; k < 5; k++) {
            five[k] = load_sample(memory.lines + row * shape.line + column + k);
        }
    }
};

/* The same for a tile that lies in the picture and is written, and read where its alpha counts, in runs:
 * nearly all of them, so that nothing is asked for each pixel. */
template <int STEP, bool LIGHT, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void upsample_rows(
    const tile_upsampling<FORMAT, Image> &upsampling)
{
    typedef typename tile_run<STEP>::words run;
    const tile_work<FORMAT, Image> &work = upsampling.work;
    const int side = STEP == 4 ? FOVEATE_TILE_PX : FOVEATE_TILE_QUARTER_PX;
    const int cells = side / STEP;
    const int rows = FOVEATE_TILE_THREADS / cells;
    const int column = (int)threadIdx.x % cells;
    const int row = (int)threadIdx.x / cells;
    const bool reads = needs_alpha<FORMAT>(work.frame) && !upsampling.opaque;
    const bool sets = needs_alpha<FORMAT>(work.frame);
    const int x = upsampling.x0 + column * STEP;
    const int y = upsampling.y0 + row;
    char *to = run_at(work.dst, x, y);
    const char *own = run_at(work.src, x, y);
    const uint2 *from = upsampling.memory.lines + row * upsampling.shape.line + column;
#pragma unroll 1
    for (int i = 0; i < side / rows; i++) {
        run words = tile_run<STEP>::all_bits();
        if (reads) {
            words = __ldg((const run *)own);
        }
        tile_sample five[5];
#pragma unroll
        for (int k = 0; k < 5; k++) {
            five[k] = load_sample(from + k);
        }
#pragma unroll
        for (int n = 0; n < STEP; n++) {
            const tile_sample sample = spline_at(five, n, STEP);
            const uint32_t color =
                LIGHT ? upsampling.encode.in_light(sample) : upsampling.encode.in_levels(sample);
            uint32_t &word = ((uint32_t *)&words)[n];
            word = sets ? pixel<FORMAT>::keep_alpha(color, word) : color;
        }
        *(run *)to = words;
        to += rows * row_bytes(work.dst);
        own += rows * row_bytes(work.src);
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
    const foveate_frame &frame = upsampling.work.frame;
    if constexpr (STEP > 0) {
        if (has_tile_runs<STEP>(upsampling)) {
            if (frame.light) {
                upsample_rows<STEP, true>(upsampling);
            } else {
                upsample_rows<STEP, false>(upsampling);
            }
            return;
        }
    }
    const int cells = upsampling.shape.side_px / step_px;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < cells * upsampling.shape.side_px;
         i += FOVEATE_TILE_THREADS) {
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
