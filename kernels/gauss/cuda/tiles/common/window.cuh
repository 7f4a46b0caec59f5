/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Loads a tile's window of samples into shared memory, relative to the tile's base
 * (gauss/cuda/tiles/picture.cuh says why), and the pixels that keep their alpha. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_WINDOW_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_WINDOW_CUH

#include "blur.cuh"
#include "kernels/gauss/cuda/common/gaussian.cuh"
#include "kernels/gauss/cuda/common/vectors.cuh"

/* Everything a block works with. */
template <enum fovea_format FORMAT, typename Image> struct tile_work {
    const gauss_frame &frame;
    const gauss_tiles &tiles;
    const tile_law law;
    const Image src;
    const Image dst;
    char *shared;
};

/* ---- Windows */

/* Rounds to whole levels, which halves hold exactly. */
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

/* Stores each warp's least sample, for least_of_block after a barrier. */
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
    tile_sample least = load_sample<tile_sample>(of_warps);
#pragma unroll
    for (int i = 1; i < GAUSS_TILE_WARPS; i++) {
        least = least_of(least, load_sample<tile_sample>(of_warps + i));
    }
    return least;
}

/* So many loads are issued before the first of them is used. */
#define TILE_READS 4

/* Statistics of a window's samples: the least, which is the base in light; of floats, whether one
 * is NaN or infinite, which is kept as a NaN. */
struct tile_window_stats {
    tile_sample least;
    uint32_t all; /* the AND of all words */

    template <enum fovea_format FORMAT> __device__ __forceinline__ void start()
    {
        least = holds_floats<FORMAT>() ? zero_sample() : largest_sample();
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

/* Stores four pixels in the window. */
template <enum fovea_format FORMAT, typename Word>
static __device__ __forceinline__ void put_four(const tile_decoder<FORMAT> &decode,
                                                const tile_words<Word, 4> &words, uint2 *to,
                                                tile_window_stats &stats)
{
#pragma unroll
    for (int n = 0; n < 4; n++) {
        if constexpr (pixel<FORMAT>::white == 0) {
            to[n] = tile_pixel<FORMAT>::halves(words.of[n]);
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
    tile_decoder<FORMAT> decode(becomes_light<FORMAT>(work.frame), memory.light);
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

/* ---- Words */

/* Reads four words of the picture where they lie in it and where they stick out. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ tile_words<typename Image::word, 4> load_own(
    const tile_work<FORMAT, Image> &work, int x, int y)
{
    const gauss_frame &frame = work.frame;
    const clamped_image<Image> clamped = {work.src, frame.width_px - 1, frame.height_px - 1};
    return load_four(clamped, x + 4 <= frame.width_px && has_runs(work.src, 4), x, y);
}

/* ---- Of a tile from a level */

/* The opaque flags of the four blocks of the first kernel that have read the tile's pixels, or a
 * warp's. Their loads are issued before other work and used after it. */
struct tile_flags {
    uint8_t of[4];

    __device__ __forceinline__ void issue_loads(const gauss_tiles &tiles, int x0, int y0)
    {
        const int x = x0 / GAUSS_TILE_MADE_PX;
        const int y = y0 / GAUSS_TILE_MADE_PX;
        const uint8_t *flags = opaque_flag(tiles, x, y);
        const int right = x + 1 < tiles.made_columns;
        const int below = y + 1 < tiles.made_rows ? tiles.made_columns : 0;
        of[0] = flags[0];
        of[1] = flags[right];
        of[2] = flags[below];
        of[3] = flags[below + right];
    }
    __device__ __forceinline__ bool are_set() const
    {
        return of[0] & of[1] & of[2] & of[3];
    }
};

#endif
