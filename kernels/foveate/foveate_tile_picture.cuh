/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The second kernel of the tiles: the picture, a tile a block, from the level that the first kernel's
 * list says. A tile's window of samples is loaded into shared memory, blurred along rows and columns,
 * up-sampled along columns and rows by the cubic B-spline, and written.
 *
 * Samples are taken relative to a base of the tile: what is flat is then zero, and loses nothing to
 * halves. In encoded levels the base is the tile's middle sample, a whole level; in linear light it is
 * the least of the window, so that what is dark stays as precise as it is dark.
 *
 * Bound by instruction issue: about half of it in blur_four. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_PICTURE_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_PICTURE_CUH

#include "foveate_gaussian.cuh"
#include "foveate_tile_blur.cuh"
#include "foveate_tile_levels.cuh"

/* All that a block is about. */
template <enum fovea_format FORMAT, typename Image> struct tile_work {
    const foveate_frame &frame;
    const foveate_tiles &tiles;
    const tile_law law;
    const Image src;
    const Image dst;
    char *shared;
};

/* ---- Windows */

/* Rounded to whole levels, which halves hold exactly. */
static __device__ __forceinline__ tile_sample whole_levels(const tile_sample &sample)
{
    return {h2rint(sample.xy), h2rint(sample.zw)};
}

static __device__ __forceinline__ tile_sample largest_sample()
{
    return {both_halves(65504.0f, 65504.0f), both_halves(65504.0f, 65504.0f)};
}

static __device__ __forceinline__ tile_sample zero_sample()
{
    return {both_halves(0.0f, 0.0f), both_halves(0.0f, 0.0f)};
}

/* Each warp's least, for least_of_block after a barrier. */
static __device__ __forceinline__ void keep_least(tile_sample least, uint2 *of_warps)
{
#pragma unroll
    for (int i = 16; i > 0; i >>= 1) {
        const uint2 bits = bits_of(least);
        least = least_of(least, sample_of_bits(__shfl_xor_sync(~0u, bits.x, i),
                                               __shfl_xor_sync(~0u, bits.y, i)));
    }
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = bits_of(least);
    }
}

static __device__ __forceinline__ tile_sample least_of_block(const uint2 *of_warps)
{
    tile_sample least = load_sample(of_warps);
#pragma unroll
    for (int i = 1; i < FOVEATE_TILE_WARPS; i++) {
        least = least_of(least, load_sample(of_warps + i));
    }
    return least;
}

/* Samples of pixels: left and above (x0, y0) too, four at a time. -> the least of this thread's. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ tile_sample load_pixels(const tile_work<FORMAT, Image> &work,
                                                          const foveate_tile_shape &shape,
                                                          const tile_memory &memory, int x0, int y0,
                                                          const tile_sample &base)
{
    tile_decoder<FORMAT> decode(work.frame.light != 0, memory.light);
    decode.zero = decode.zero + base;
    const int left = x0 - shape.aside;
    const int top = y0 - shape.radius;
    const bool inside = left >= 0 && top >= 0 && left + shape.columns <= work.frame.width_px &&
                        top + shape.rows <= work.frame.height_px;
    const bool runs = inside && has_runs(work.src, 4);
    const endless_image<Image> endless = {work.src, work.frame.width_px - 1,
                                          work.frame.height_px - 1};
    const int fours = shape.columns / 4;
    tile_sample least = largest_sample();
    for (int i = (int)threadIdx.x; i < shape.rows * fours; i += FOVEATE_TILE_THREADS) {
        const int row = i / fours;
        const int column = (i - row * fours) * 4;
        const uint4 words = load_four(endless, runs, left + column, top + row);
        const tile_sample a = decode(words.x);
        const tile_sample b = decode(words.y);
        const tile_sample c = decode(words.z);
        const tile_sample d = decode(words.w);
        uint2 *to = memory.window + row * shape.pitch + column;
        to[0] = bits_of(a);
        to[1] = bits_of(b);
        to[2] = bits_of(c);
        to[3] = bits_of(d);
        if (work.frame.light) {
            least = least_of(least, least_of(least_of(a, b), least_of(c, d)));
        }
    }
    return least;
}

/* Samples of a level, two at a time where none is beyond its margins. */
static __device__ __forceinline__ tile_sample load_samples(const foveate_tiles &tiles, int k,
                                                           const foveate_tile_shape &shape,
                                                           const tile_memory &memory, int x0,
                                                           int y0, const tile_sample &base)
{
    const foveate_level &level = tiles.levels[k];
    const int left = x0 - shape.aside;
    const int top = y0 - shape.radius;
    const int last_x = level.width + FOVEATE_MARGIN - 1;
    const int last_y = level.height + FOVEATE_MARGIN - 1;
    const bool inside = left >= -FOVEATE_MARGIN && top >= -FOVEATE_MARGIN &&
                        left + shape.columns - 1 <= last_x && top + shape.rows - 1 <= last_y;
    const int pairs = shape.columns / 2;
    tile_sample least = largest_sample();
    for (int i = (int)threadIdx.x; i < shape.rows * pairs; i += FOVEATE_TILE_THREADS) {
        const int row = i / pairs;
        const int column = (i - row * pairs) * 2;
        tile_sample a;
        tile_sample b;
        if (inside) {
            const uint4 two = *(const uint4 *)sample_at(tiles, level, left + column, top + row);
            a = sample_of_bits(two.x, two.y);
            b = sample_of_bits(two.z, two.w);
        } else {
            const int x = left + column;
            const int y = min(max(top + row, -FOVEATE_MARGIN), last_y);
            a = load_sample(sample_at(tiles, level, min(max(x, -FOVEATE_MARGIN), last_x), y));
            b = load_sample(sample_at(tiles, level, min(max(x + 1, -FOVEATE_MARGIN), last_x), y));
        }
        least = least_of(least, least_of(a, b));
        uint2 *to = memory.window + row * shape.pitch + column;
        to[0] = bits_of(a - base);
        to[1] = bits_of(b - base);
    }
    return least;
}

/* Subtracts what turned out to be the base after the window was loaded. */
static __device__ __forceinline__ void rebase_window(const foveate_tile_shape &shape,
                                                     const tile_memory &memory,
                                                     const tile_sample &base)
{
    for (int i = (int)threadIdx.x; i < shape.rows * shape.pitch; i += FOVEATE_TILE_THREADS) {
        memory.window[i] = bits_of(load_sample(memory.window + i) - base);
    }
}

/* In light: the base of the window that was loaded relative to none. Else what it was. */
static __device__ __forceinline__ tile_sample settle_base(bool light,
                                                          const foveate_tile_shape &shape,
                                                          const tile_memory &memory,
                                                          const tile_sample &base,
                                                          const tile_sample &least)
{
    if (light) {
        keep_least(least, memory.least);
    }
    __syncthreads();
    if (!light) {
        return base;
    }
    const tile_sample found = least_of_block(memory.least);
    rebase_window(shape, memory, found);
    __syncthreads();
    return found;
}

/* ---- Words */

template <enum fovea_format FORMAT>
static __device__ __forceinline__ bool needs_alpha(const foveate_frame &frame)
{
    return tile_pixel<FORMAT>::has_alpha && !frame.blur_alpha;
}

/* Four words of the picture, where they lie in it and where they stick out. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ uint4 load_own(const tile_work<FORMAT, Image> &work, int x, int y)
{
    const foveate_frame &frame = work.frame;
    const endless_image<Image> endless = {work.src, frame.width_px - 1, frame.height_px - 1};
    return load_four(endless, x + 4 <= frame.width_px && has_runs(work.src, 4), x, y);
}

template <enum fovea_format FORMAT>
static __device__ __forceinline__ uint4 keep_alphas(const uint4 &colors, const uint4 &own)
{
    typedef pixel<FORMAT> Pixel;
    return make_uint4(Pixel::keep_alpha(colors.x, own.x), Pixel::keep_alpha(colors.y, own.y),
                      Pixel::keep_alpha(colors.z, own.z), Pixel::keep_alpha(colors.w, own.w));
}

/* A sample of the window at `centre`, averaged over the square around it; relative to the base. */
static __device__ __forceinline__ float4 average_square(const uint2 *centre, int pitch,
                                                        float sigma_px)
{
    const gaussian_axis axis(0.0f, sigma_px);
    float4 sum = {};
    gaussian g = axis.start;
#pragma unroll 1
    for (int j = axis.first; j <= axis.last; j++, g.step()) {
        float4 row = {};
        gaussian h = axis.start;
#pragma unroll 1
        for (int i = axis.first; i <= axis.last; i++, h.step()) {
            const tile_sample sample = load_sample(centre + j * pitch + i);
            const float2 xy = __half22float2(sample.xy);
            const float2 zw = __half22float2(sample.zw);
            row = gaussian_add(row, h.weight, make_float4(xy.x, xy.y, zw.x, zw.y));
        }
        sum = gaussian_add(sum, g.weight, row);
    }
    const float total = axis.total();
    return gaussian_add(float4{}, 1.0f / (total * total), sum);
}

/* The pixels whose sigma is below fine_sigma, copies among them; the others are left. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_fine_pixels(const tile_work<FORMAT, Image> &work,
                                                         const foveate_tile_shape &shape,
                                                         const tile_memory &memory,
                                                         const tile_encoder<FORMAT> &encode, int x0,
                                                         int y0)
{
    const foveate_frame &frame = work.frame;
    const int side = FOVEATE_TILE_QUARTER_PX;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < side * side; i += FOVEATE_TILE_THREADS) {
        const int x = x0 + i % side;
        const int y = y0 + i / side;
        if (x >= frame.width_px || y >= frame.height_px) {
            continue;
        }
        const float sigma_px = work.law.of_pixel(x, y);
        if (sigma_px >= work.tiles.fine_sigma) {
            continue;
        }
        uint32_t word = work.src.load(x, y);
        if (sigma_px * FOVEATE_REACH >= 1.0f) {
            const uint2 *centre =
                memory.window + (i / side + shape.radius) * shape.pitch + i % side + shape.aside;
            const float4 v = average_square(centre, shape.pitch, sigma_px);
            const uint32_t color = encode({both_halves(v.x, v.y), both_halves(v.z, v.w)});
            word = frame.blur_alpha ? color : pixel<FORMAT>::keep_alpha(color, word);
        }
        work.dst.store(x, y, word);
    }
}

/* Four pixels from (x, y) on; `from` is their samples. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_four(const tile_work<FORMAT, Image> &work,
                                                  const tile_encoder<FORMAT> &encode,
                                                  const uint2 *from, bool fine, int x, int y)
{
    const foveate_frame &frame = work.frame;
    uint4 words = make_uint4(encode(load_sample(from)), encode(load_sample(from + 1)),
                             encode(load_sample(from + 2)), encode(load_sample(from + 3)));
    if (needs_alpha<FORMAT>(frame)) {
        words = keep_alphas<FORMAT>(words, load_own(work, x, y));
    }
    if (!fine) {
        store_run<4>(work.dst, has_runs(work.dst, 4), x, y, frame.width_px, words);
        return;
    }
#pragma unroll 1
    for (int n = 0; n < 4 && x + n < frame.width_px; n++) {
        if (work.law.of_pixel(x + n, y) >= work.tiles.fine_sigma) {
            work.dst.store(x + n, y, word_at(words, n));
        }
    }
}

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_from_picture(const tile_work<FORMAT, Image> &work,
                                                         int radius, bool fine, int x0, int y0)
{
    const foveate_frame &frame = work.frame;
    const bool light = frame.light != 0;
    const foveate_tile_shape shape = foveate_tile_shape_of(0, radius);
    const tile_memory memory(work.shared, shape);
    fill_light<pixel<FORMAT>>(memory.light, light, FOVEATE_TILE_THREADS);
    fill_grid<true>(work.law, shape, 0, x0, y0, memory.grid);
    tile_sample base = zero_sample();
    if (light) {
        __syncthreads();
    } else {
        const int middle = FOVEATE_TILE_QUARTER_PX / 2;
        const tile_decoder<FORMAT> decode(false, nullptr);
        base = decode(work.src.load(min(x0 + middle, frame.width_px - 1),
                                    min(y0 + middle, frame.height_px - 1)));
    }
    const tile_sample least = load_pixels(work, shape, memory, x0, y0, base);
    base = settle_base(light, shape, memory, base, least);
    const tile_encoder<FORMAT> encode(base, light);
    if (fine) {
        write_fine_pixels(work, shape, memory, encode, x0, y0);
    }
    blur_rows<true>(work.law, shape, memory);
    __syncthreads();
    blur_columns<true>(work.law, shape, memory);
    __syncthreads();
    const int fours = FOVEATE_TILE_QUARTER_PX / 4;
    for (int i = (int)threadIdx.x; i < FOVEATE_TILE_QUARTER_PX * fours; i += FOVEATE_TILE_THREADS) {
        const int row = i / fours;
        const int column = i % fours * 4;
        if (x0 + column < frame.width_px && y0 + row < frame.height_px) {
            write_four(work, encode, memory.window + row * shape.line + column, fine, x0 + column,
                       y0 + row);
        }
    }
}

/* ---- Up-sampling by the cubic B-spline */

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

template <int STEP, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void upsample_across(
    const tile_upsampling<FORMAT, Image> &upsampling, int step_px)
{
    const foveate_frame &frame = upsampling.work.frame;
    const int cells = upsampling.shape.side_px / step_px;
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

/* ---- A tile from a level */

/* The four blocks of the first kernel that have read its pixels. */
static __device__ __forceinline__ bool is_opaque(const foveate_tiles &tiles, int x0, int y0)
{
    const int x = x0 / FOVEATE_TILE_PX;
    const int y = y0 / FOVEATE_TILE_PX;
    const uint8_t *flags = opaque_flag(tiles, x, y);
    const int right = x + 1 < tiles.made_columns;
    const int below = y + 1 < tiles.made_rows ? tiles.made_columns : 0;
    return flags[0] & flags[right] & flags[below] & flags[below + right];
}

static __device__ __forceinline__ tile_sample middle_of_tile(const foveate_frame &frame,
                                                             const foveate_tiles &tiles, int k,
                                                             int x0, int y0)
{
    const int half = foveate_tile_side_px(k) / 2;
    const int x = min(x0 + half, frame.width_px - 1) >> k;
    const int y = min(y0 + half, frame.height_px - 1) >> k;
    return whole_levels(load_sample(sample_at(tiles, tiles.levels[k], x, y)));
}

/* STEP is 1 << k where it is known, and all of the shape but the radius with it. */
template <int STEP, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_from_level(const tile_work<FORMAT, Image> &work, int k,
                                                       int radius, int x0, int y0)
{
    const bool light = work.frame.light != 0;
    const foveate_tiles &tiles = work.tiles;
    const foveate_tile_shape shape = foveate_tile_shape_of(k, radius);
    const tile_memory memory(work.shared, shape);
    const int first_x = (x0 >> k) - shape.before;
    const int first_y = (y0 >> k) - shape.before;
    fill_grid<false>(work.law, shape, k, first_x, first_y, memory.grid);
    tile_sample base = light ? zero_sample() : middle_of_tile(work.frame, tiles, k, x0, y0);
    const tile_sample least = load_samples(tiles, k, shape, memory, first_x, first_y, base);
    base = settle_base(light, shape, memory, base, least);
    blur_rows<false>(work.law, shape, memory);
    __syncthreads();
    blur_columns<false>(work.law, shape, memory);
    __syncthreads();
    upsample_down<STEP>(shape, memory, 1 << k);
    __syncthreads();
    const bool opaque = needs_alpha<FORMAT>(work.frame) && is_opaque(tiles, x0, y0);
    const tile_upsampling<FORMAT, Image> upsampling = {
        work, shape, memory, tile_encoder<FORMAT>(base, light), opaque, x0, y0};
    upsample_across<STEP>(upsampling, 1 << k);
}

/* ---- Quarters without any of this */

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void copy_quarter(const tile_work<FORMAT, Image> &work, int x0,
                                                    int y0)
{
    const foveate_frame &frame = work.frame;
    const int fours = FOVEATE_TILE_QUARTER_PX / 4;
    for (int i = (int)threadIdx.x; i < FOVEATE_TILE_QUARTER_PX * fours; i += FOVEATE_TILE_THREADS) {
        const int x = x0 + i % fours * 4;
        const int y = y0 + i / fours;
        if (x < frame.width_px && y < frame.height_px) {
            store_run<4>(work.dst, has_runs(work.dst, 4), x, y, frame.width_px,
                         load_own(work, x, y));
        }
    }
}

/* The place of a sample of any level, the picture included, as numbers around 0. */
template <enum fovea_format FORMAT, typename Image> struct gathered_level {
    const tile_work<FORMAT, Image> &work;
    int k;

    __device__ __forceinline__ float4 value(int x, int y) const
    {
        tile_sample sample;
        if (k == 0) {
            const endless_image<Image> endless = {work.src, work.frame.width_px - 1,
                                                  work.frame.height_px - 1};
            const tile_decoder<FORMAT> decode(work.frame.light != 0, (const __half *)work.shared);
            sample = decode(endless.load(x, y));
        } else {
            const foveate_level &level = work.tiles.levels[k];
            sample = load_sample(sample_at(
                work.tiles, level, min(max(x, -FOVEATE_MARGIN), level.width + FOVEATE_MARGIN - 1),
                min(max(y, -FOVEATE_MARGIN), level.height + FOVEATE_MARGIN - 1)));
        }
        const float2 xy = __half22float2(sample.xy);
        const float2 zw = __half22float2(sample.zw);
        return make_float4(xy.x, xy.y, zw.x, zw.y);
    }
};

/* One pixel by itself, exactly, as the plain kernels do (foveate_smooth.cu). */
template <enum fovea_format FORMAT, typename Image>
static __device__ float4 gather_pixel(const tile_work<FORMAT, Image> &work, float sigma_px, int x,
                                      int y)
{
    const int k = foveate_level_for(sigma_px, work.law.level_count);
    const float per_px = 1.0f / (float)(1 << k);
    const float sigma = sqrtf(sigma_px * sigma_px - foveate_level_variance(k)) * per_px;
    const gaussian_axis across(((float)x + 0.5f) * per_px - 0.5f, sigma);
    const gaussian_axis down(((float)y + 0.5f) * per_px - 0.5f, sigma);
    const gathered_level<FORMAT, Image> level = {work, k};
    float4 sum = {};
    gaussian g = down.start;
    for (int j = down.first; j <= down.last; j++, g.step()) {
        float4 row = {};
        gaussian h = across.start;
        for (int i = across.first; i <= across.last; i++, h.step()) {
            row = gaussian_add(row, h.weight, level.value(i, j));
        }
        sum = gaussian_add(sum, g.weight, row);
    }
    return gaussian_add(float4{}, 1.0f / (across.total() * down.total()), sum);
}

template <enum fovea_format FORMAT>
static __device__ __forceinline__ uint32_t word_of_sample(float4 v, bool light)
{
    typedef pixel<FORMAT> Pixel;
    const float middle = light ? 0.0f : (Pixel::white + 1) / 2;
    const float4 levels =
        make_float4(v.x + middle, v.y + middle, v.z + middle, v.w + (Pixel::alpha_white + 1) / 2);
    return Pixel::encode(light ? light_to_levels<Pixel>(levels) : levels);
}

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void gather_quarter(const tile_work<FORMAT, Image> &work, int x0,
                                                      int y0)
{
    const foveate_frame &frame = work.frame;
    fill_light<pixel<FORMAT>>((__half *)work.shared, frame.light != 0, FOVEATE_TILE_THREADS);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < FOVEATE_TILE_QUARTER_PX * FOVEATE_TILE_QUARTER_PX;
         i += FOVEATE_TILE_THREADS) {
        const int x = x0 + i % FOVEATE_TILE_QUARTER_PX;
        const int y = y0 + i / FOVEATE_TILE_QUARTER_PX;
        if (x >= frame.width_px || y >= frame.height_px) {
            continue;
        }
        const float sigma_px = work.law.of_pixel(x, y);
        uint32_t word = work.src.load(x, y);
        if (sigma_px * FOVEATE_REACH >= 1.0f) {
            const float4 v = gather_pixel(work, sigma_px, x, y);
            const uint32_t color = word_of_sample<FORMAT>(v, frame.light != 0);
            word = frame.blur_alpha ? color : pixel<FORMAT>::keep_alpha(color, word);
        }
        work.dst.store(x, y, word);
    }
}

/* ---- A block */

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_entry(const tile_work<FORMAT, Image> &work,
                                                  uint32_t entry)
{
    const int kind = (int)(entry >> FOVEATE_TILE_KIND_SHIFT);
    const int radius = (int)(entry >> FOVEATE_TILE_RADIUS_SHIFT & FOVEATE_TILE_RADIUS_MASK);
    const bool fine = (entry >> FOVEATE_TILE_FINE_BIT & 1u) != 0;
    const int x0 = (int)(entry & FOVEATE_TILE_PLACE_MASK) * FOVEATE_TILE_QUARTER_PX;
    const int y0 =
        (int)(entry >> FOVEATE_TILE_ROW_SHIFT & FOVEATE_TILE_PLACE_MASK) * FOVEATE_TILE_QUARTER_PX;
    const int level = kind - FOVEATE_TILE_LEVEL_0;
    if (level == 2) {
        make_from_level<4>(work, 2, radius, x0, y0);
    } else if (level == 0) {
        make_from_picture(work, radius, fine, x0, y0);
    } else if (level == 1) {
        make_from_level<2>(work, 1, radius, x0, y0);
    } else if (kind == FOVEATE_TILE_COPIED) {
        copy_quarter(work, x0, y0);
    } else if (kind == FOVEATE_TILE_GATHERED) {
        gather_quarter(work, x0, y0);
    } else {
        make_from_level<0>(work, level, radius, x0, y0);
    }
}

/* Takes the block's entry and leaves the list as the next frame wants to find it. */
static __device__ __forceinline__ uint32_t take_entry(const foveate_tiles &tiles)
{
    const tile_list list(tiles);
    const uint32_t entry = list.entries[blockIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        list.entries[blockIdx.x] = FOVEATE_TILE_NONE;
        if (blockIdx.x == 0) {
            *list.counts = {};
        }
    }
    return entry;
}

/* A tile in quarters is made by one block, one after another: large pictures have tiles enough to fill
 * the device. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_picture(const foveate_frame &frame,
                                                    const foveate_tiles &tiles, const Image &src,
                                                    const Image &dst, char *shared)
{
    const uint32_t entry = take_entry(tiles);
    if (entry == FOVEATE_TILE_NONE) {
        return;
    }
    const tile_work<FORMAT, Image> work = {frame, tiles, tile_law(tiles, frame), src, dst, shared};
    const bool in_quarters = entry >> FOVEATE_TILE_KIND_SHIFT == FOVEATE_TILE_IN_QUARTERS;
    for (int i = 0; i < (in_quarters ? 4 : 1); i++) {
        uint32_t own = entry;
        if (in_quarters) {
            const int x = (int)(entry & FOVEATE_TILE_PLACE_MASK) + i % 2;
            const int y = (int)(entry >> FOVEATE_TILE_ROW_SHIFT & FOVEATE_TILE_PLACE_MASK) + i / 2;
            if (x * FOVEATE_TILE_QUARTER_PX >= frame.width_px ||
                y * FOVEATE_TILE_QUARTER_PX >= frame.height_px) {
                continue;
            }
            own = entry_of_quarter(work.law, x, y);
            __syncthreads(); /* the quarter before is out of shared memory */
        }
        make_entry(work, own);
    }
}

#endif
