/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Subtiles of the picture in plain arithmetic: the window of samples in shared memory, relative to
 * the tile's base (gauss/cuda/tiles/picture.cuh says why), and the blur along rows and then along
 * columns, each pixel with the sigma of its own place. Sigma changes little within a Gaussian's
 * support, so two passes give what one pass in two dimensions would. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_PASSES_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_PASSES_CUH

#include "kernels/gauss/cuda/common/image.cuh"
#include "sample.cuh"
#include "sigma.cuh"

/* ---- What all blocks of the picture work with */

/* Everything a block works with. */
template <enum fovea_format FORMAT, typename Image> struct tile_work {
    const gauss_frame &frame;
    const gauss_tiles &tiles;
    const tile_law law;
    const Image src;
    const Image dst;
    char *shared;
};

/* Reads four words of the picture where they lie in it and where they stick out. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ tile_words<typename Image::word, 4> load_own(
    const tile_work<FORMAT, Image> &work, int x, int y)
{
    const gauss_frame &frame = work.frame;
    const clamped_image<Image> clamped = {work.src, frame.width_px - 1, frame.height_px - 1};
    return load_four(clamped, x + 4 <= frame.width_px && has_runs(work.src, 4), x, y);
}

static __device__ __forceinline__ float between(float a, float b, float part)
{
    return fmaf(part, b - a, a);
}

/* Divides i by a constant divisor without a division each time, exact while i times the divisor is
 * below 2^20. */
struct tile_divider {
    uint32_t inverse;

    __device__ __forceinline__ explicit tile_divider(int divisor)
        : inverse((uint32_t)(1048576.0f * ptx_rcp((float)divisor)) + 1u)
    {
    }
    __device__ __forceinline__ int operator()(int i) const
    {
        return (int)((uint32_t)i * inverse >> 20);
    }
};

/* ---- A subtile in shared memory */

#define TILE_GROUP GAUSS_TILE_GROUP

/* A block's shared memory, cut for a subtile's shape. */
struct tile_memory {
    __half *light; /* the light of each level of 8 bits */
    float *grid; /* sigma before its ramp at every fourth pixel */
    uint2 *least; /* one sample for each warp */
    uint2 *window; /* shape.rows of shape.pitch; then outputs, GAUSS_TILE_LINE a row */
    uint2 *lines; /* shape.rows of GAUSS_TILE_LINE */

    __device__ __forceinline__ tile_memory(char *shared, const gauss_tile_shape &shape)
        : light((__half *)shared), grid((float *)(shared + GAUSS_TILE_LIGHT_BYTES)),
          least((uint2 *)(grid + GAUSS_TILE_GRID)), window(least + GAUSS_TILE_WARPS),
          lines(window + shape.rows * shape.pitch)
    {
    }
};

/* Fills the light of each level of 8 bits in shared memory; a barrier follows. */
static __device__ __forceinline__ void fill_light(__half *table, bool light)
{
    for (int i = (int)threadIdx.x; light && i < 256; i += GAUSS_TILE_THREADS) {
        table[i] = __float2half_rn(srgb_to_light((float)i * (1.0f / 255.0f)));
    }
}

/* ---- Windows */

/* So many loads are issued before the first of them is used. */
#define TILE_READS 4

/* Statistics of a window's samples: the least, which is the base in light; of floats, whether one
 * is NaN or infinite, which is kept as a NaN. */
struct tile_window_stats {
    tile_sample least;
    uint32_t all; /* the AND of all words */

    template <enum fovea_format FORMAT> __device__ __forceinline__ void start()
    {
        least = holds_floats<FORMAT>() ? flat_sample(0.0f) : flat_sample(65504.0f);
        all = ~0u;
    }
    __device__ __forceinline__ void look(const tile_sample &sample)
    {
        least = least_of(least, sample);
    }
    __device__ __forceinline__ void look_for_bad(const uint2 &bits)
    {
        least = add_scaled(least, __float2half2_rn(0.0f), sample_of_bits(bits.x, bits.y));
    }
    __device__ __forceinline__ bool is_bad() const
    {
        const float2 xy = __half22float2(least.xy);
        const float2 zw = __half22float2(least.zw);
        return isnan(xy.x + xy.y + zw.x + zw.y);
    }
};

/* Stores four pixels in the window: bytes, or half floats as they are. */
template <typename Word>
static __device__ __forceinline__ void put_four(const tile_decoder &decode,
                                                const tile_words<Word, 4> &words, uint2 *to,
                                                tile_window_stats &stats)
{
#pragma unroll
    for (int n = 0; n < 4; n++) {
        if constexpr (sizeof(Word) == sizeof(uint2)) {
            to[n] = words.of[n];
            stats.look_for_bad(to[n]);
        } else {
            const tile_sample sample = decode(words.of[n]);
            to[n] = bits_of(sample);
            stats.all &= words.of[n];
            if (decode.light) {
                stats.look(sample);
            }
        }
    }
}

/* Loads pixels, those left of and above (x0, y0) too, four at a time. Returns this thread's
 * statistics. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ tile_window_stats
load_pixels(const tile_work<FORMAT, Image> &work, const gauss_tile_shape &shape,
            const tile_memory &memory, int x0, int y0, const tile_sample &base)
{
    tile_decoder decode(becomes_light<FORMAT>(work.frame), memory.light);
    decode.zero = decode.zero + base;
    const int left = x0 - shape.aside;
    const int top = y0 - shape.radius;
    const bool inside = left >= 0 && top >= 0 && left + shape.columns <= work.frame.width_px &&
                        top + shape.rows <= work.frame.height_px;
    const bool runs = inside && has_runs(work.src, 4);
    const clamped_image<Image> clamped = {work.src, work.frame.width_px - 1,
                                          work.frame.height_px - 1};
    const int fours = shape.columns / 4;
    const int count = shape.rows * fours;
    const tile_divider by_fours(fours);
    tile_window_stats stats;
    stats.start<FORMAT>();
    if (!runs) {
#pragma unroll 1
        for (int i = (int)threadIdx.x; i < count; i += GAUSS_TILE_THREADS) {
            const int row = by_fours(i);
            const int column = (i - row * fours) * 4;
            put_four(decode, load_four(clamped, false, left + column, top + row),
                     memory.window + row * shape.pitch + column, stats);
        }
        return stats;
    }
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < count; i += TILE_READS * GAUSS_TILE_THREADS) {
        tile_words<typename Image::word, 4> words[TILE_READS];
#pragma unroll
        for (int k = 0; k < TILE_READS; k++) {
            const int at = min(i + k * GAUSS_TILE_THREADS, count - 1);
            const int row = by_fours(at);
            words[k] = load_four(clamped, true, left + (at - row * fours) * 4, top + row);
        }
#pragma unroll
        for (int k = 0; k < TILE_READS; k++) {
            const int at = i + k * GAUSS_TILE_THREADS;
            const int row = by_fours(at);
            if (at < count) {
                put_four(decode, words[k],
                         memory.window + row * (shape.pitch - shape.columns) + 4 * at, stats);
            }
        }
    }
    return stats;
}

/* Subtracts the base, which turned out after the window was loaded. */
static __device__ __forceinline__ void rebase_window(const gauss_tile_shape &shape,
                                                     const tile_memory &memory,
                                                     const tile_sample &base)
{
    for (int i = (int)threadIdx.x; i < shape.rows * shape.pitch; i += GAUSS_TILE_THREADS) {
        memory.window[i] = bits_of(load_sample<tile_sample>(memory.window + i) - base);
    }
}

/* Returns the base. In light it subtracts the least sample from the window, which was loaded
 * relative to none; otherwise the base stays. `all` is a condition of each thread on entry, and of
 * all threads afterwards. */
static __device__ __forceinline__ tile_sample settle_base(bool light, const gauss_tile_shape &shape,
                                                          const tile_memory &memory,
                                                          const tile_sample &base,
                                                          const tile_sample &least, int &all)
{
    if (light) {
        keep_least(least, memory.least);
    }
    all = __syncthreads_and(all);
    if (!light) {
        return base;
    }
    const tile_sample found = least_of_block(memory.least);
    rebase_window(shape, memory, found);
    __syncthreads();
    return found;
}

/* ---- Weights of four samples; two are converted at a time */

template <typename Sample> struct tile_four_weights;

template <> struct tile_four_weights<tile_sample> {
    __half2 pairs[2];

    __device__ __forceinline__ void set(const float (&weights)[4])
    {
        pairs[0] = __floats2half2_rn(weights[0], weights[1]);
        pairs[1] = __floats2half2_rn(weights[2], weights[3]);
    }
    __device__ __forceinline__ __half2 of(int n) const
    {
        return n % 2 ? __high2half2(pairs[n / 2]) : __low2half2(pairs[n / 2]);
    }
};

template <> struct tile_four_weights<tile_floats> {
    float weights[4];

    __device__ __forceinline__ void set(const float (&all)[4])
    {
#pragma unroll
        for (int n = 0; n < 4; n++) {
            weights[n] = all[n];
        }
    }
    __device__ __forceinline__ float of(int n) const
    {
        return weights[n];
    }
};

/* ---- Weights g^(i^2), at distances of i samples */

/* Returns the weight of the first neighbour for a variance v. */
static __device__ __forceinline__ float first_weight(float v)
{
    /* log2(e) / 2 */
    const float gaussian = ptx_ex2(-0.72134752f * ptx_rcp(v));
    return v > 0.01f ? gaussian : 0.0f;
}

/* The ratio of a weight to the next one grows by a constant factor: g, g^3, g^5. */
struct tile_weights {
    float weight[TILE_GROUP];
    float ratio[TILE_GROUP];
    float factor[TILE_GROUP];
    float total[TILE_GROUP];

    __device__ __forceinline__ void start(const float (&v)[TILE_GROUP])
    {
#pragma unroll
        for (int n = 0; n < TILE_GROUP; n++) {
            const float first = first_weight(v[n]);
            weight[n] = first;
            factor[n] = first * first;
            ratio[n] = first * factor[n];
            total[n] = 0.0f;
        }
    }
    __device__ __forceinline__ void step(int n)
    {
        total[n] += weight[n];
        weight[n] *= ratio[n];
        ratio[n] *= factor[n];
    }
};

/* Reads a line's samples, or the sums of the two lines at one distance above and below. */
template <typename Sample> struct tile_line {
    const uint2 *at;
    int step;

    __device__ __forceinline__ Sample operator()(int i) const
    {
        return load_sample<Sample>(at + i * step);
    }
    __device__ __forceinline__ tile_line from(int i) const
    {
        return {at + i * step, step};
    }
};

template <typename Sample> struct tile_two_lines {
    const uint2 *above;
    const uint2 *below;

    __device__ __forceinline__ Sample operator()(int i) const
    {
        return load_sample<Sample>(above + i) + load_sample<Sample>(below + i);
    }
    __device__ __forceinline__ tile_two_lines from(int i) const
    {
        return {above + i, below + i};
    }
};

/* Sums four outputs along a line from its first sample on, each with its own weights; the middle
 * sample weighs 1. Samples move through a ring of registers. The loops are unrolled by the group,
 * so that every index is a constant: otherwise the rings would lie in local memory, which takes
 * half again the time. Two weights are converted at a time. */
template <typename Sample, typename Line>
static __device__ __forceinline__ void sum_four(const Line &line, int radius, tile_weights &weights,
                                                Sample (&out)[TILE_GROUP])
{
    Sample left[TILE_GROUP];
    Sample right[TILE_GROUP];
#pragma unroll
    for (int n = 0; n < TILE_GROUP; n++) {
        left[n] = right[n] = out[n] = line(n);
    }
    Line before = line;
    Line after = line.from(TILE_GROUP - 1);
#pragma unroll 1
    for (int i = 0; i < radius; i += TILE_GROUP) {
#pragma unroll
        for (int k = 0; k < TILE_GROUP; k++) {
            if (k > 0 && i + k >= radius) {
                break;
            }
            before = before.from(-1);
            after = after.from(1);
            left[(2 * TILE_GROUP - 1 - k) % TILE_GROUP] = before(0);
            right[k] = after(0);
            tile_four_weights<Sample> four;
            four.set(weights.weight);
#pragma unroll
            for (int n = 0; n < TILE_GROUP; n++) {
                const Sample &x = left[(n + 2 * TILE_GROUP - 1 - k) % TILE_GROUP];
                const Sample &y = right[(n + k + 1) % TILE_GROUP];
                out[n] = add_scaled(out[n], four.of(n), x + y);
                weights.step(n);
            }
        }
    }
}

/* Makes four outputs of a line from `centre` on, `step` apart, each with its own variance. */
template <typename Sample>
static __device__ __forceinline__ void blur_four(const uint2 *centre, int step, int radius,
                                                 const float (&v)[TILE_GROUP],
                                                 Sample (&out)[TILE_GROUP])
{
    tile_weights weights;
    weights.start(v);
    sum_four<Sample>(tile_line<Sample>{centre, step}, radius, weights, out);
#pragma unroll
    for (int n = 0; n < TILE_GROUP; n++) {
        const float scale = ptx_rcp(1.0f + 2.0f * weights.total[n]);
        out[n] = tile_kind<Sample>::weight_of(scale) * out[n];
    }
}

/* ---- Variances */

/* Fills the grid with the law before its ramp at the centres of every fourth pixel, from `above`
 * rows above the first one on: a grid of sigma would smooth the ramp's kinks away where the blur
 * begins. */
static __device__ __forceinline__ void fill_grid(const tile_law &law, const gauss_tile_shape &shape,
                                                 int x0, int y0, float *grid)
{
    const int columns = GAUSS_TILE_SUBTILE_PX / 4 + 1;
    const int rows = (GAUSS_TILE_SUBTILE_PX + 2 * shape.above) / 4 + 1;
    for (int i = (int)threadIdx.x; i < columns * rows; i += GAUSS_TILE_THREADS) {
        const int column = 4 * (i % columns);
        const int row = 4 * (i / columns) - shape.above;
        grid[i] = law.plain((float)(x0 + column) + 0.5f, (float)(y0 + row) + 0.5f);
    }
}

/* Interpolates the values of four pixels in a row between two of the grid's. */
static __device__ __forceinline__ void variances_between(const tile_law &law, float first,
                                                         float next, float (&v)[TILE_GROUP])
{
    const float step = 0.25f * (next - first);
#pragma unroll
    for (int n = 0; n < TILE_GROUP; n++) {
        const float sigma_px = law.applied(fmaf((float)n, step, first));
        v[n] = sigma_px * sigma_px;
    }
}

/* ---- The two passes. A barrier comes before and after each. */

#define TILE_GROUPS (GAUSS_TILE_SUBTILE_PX / TILE_GROUP) /* of a row or column */

template <typename Sample>
static __device__ __forceinline__ void blur_rows(const tile_law &law, const gauss_tile_shape &shape,
                                                 const tile_memory &memory)
{
    const tile_divider by_rows(shape.rows);
    for (int i = (int)threadIdx.x; i < shape.rows * TILE_GROUPS; i += GAUSS_TILE_THREADS) {
        const int group = by_rows(i);
        const int row = i - group * shape.rows;
        const int grid_row = row + shape.above - shape.radius;
        const float part = (float)(grid_row % 4) * 0.25f;
        const float *v = memory.grid + grid_row / 4 * (TILE_GROUPS + 1) + group;
        float variances[TILE_GROUP];
        variances_between(law, between(v[0], v[TILE_GROUPS + 1], part),
                          between(v[1], v[TILE_GROUPS + 2], part), variances);
        Sample out[TILE_GROUP];
        blur_four(memory.window + row * shape.pitch + group * TILE_GROUP + shape.aside, 1,
                  shape.radius, variances, out);
#pragma unroll
        for (int n = 0; n < TILE_GROUP; n++) {
            memory.lines[row * GAUSS_TILE_LINE + group * TILE_GROUP + n] = bits_of(out[n]);
        }
    }
}

/* Writes to memory.window. */
template <typename Sample>
static __device__ __forceinline__ void blur_columns(const tile_law &law,
                                                    const gauss_tile_shape &shape,
                                                    const tile_memory &memory)
{
    for (int i = (int)threadIdx.x; i < GAUSS_TILE_SUBTILE_PX * TILE_GROUPS;
         i += GAUSS_TILE_THREADS) {
        const int group = i / GAUSS_TILE_SUBTILE_PX;
        const int column = i % GAUSS_TILE_SUBTILE_PX;
        const float part = (float)(column % 4) * 0.25f;
        const float *v = memory.grid + (shape.above / 4 + group) * (TILE_GROUPS + 1) + column / 4;
        float variances[TILE_GROUP];
        variances_between(law, between(v[0], v[1], part),
                          between(v[TILE_GROUPS + 1], v[TILE_GROUPS + 2], part), variances);
        Sample out[TILE_GROUP];
        blur_four(memory.lines + (group * TILE_GROUP + shape.radius) * GAUSS_TILE_LINE + column,
                  GAUSS_TILE_LINE, shape.radius, variances, out);
#pragma unroll
        for (int n = 0; n < TILE_GROUP; n++) {
            memory.window[(group * TILE_GROUP + n) * GAUSS_TILE_LINE + column] = bits_of(out[n]);
        }
    }
}

#endif
