/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* All blocks of the picture work with this; plain arithmetic takes subtiles of it in shared memory:
 * a window of samples relative to the tile's base (gauss/cuda/tiles/picture.cuh says
 * why). */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_WINDOW_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_WINDOW_CUH

#include "kernels/gauss/cuda/common/image.cuh"
#include "sample.cuh"
#include "sigma.cuh"

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

/* A block's shared memory. */
struct tile_memory {
    __half *light; /* the light of each level of 8 bits */
    uint2 *least; /* one sample for each warp */
    uint2 *window; /* shape.rows of shape.pitch */

    __device__ __forceinline__ explicit tile_memory(char *shared)
        : light((__half *)shared),
          least((uint2 *)(shared + GAUSS_TILE_LIGHT_BYTES + GAUSS_TILE_NODES_BYTES)),
          window(least + GAUSS_TILE_WARPS)
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

    template <enum fovea_format FORMAT> __device__ __forceinline__ void start()
    {
        least = holds_floats<FORMAT>() ? flat_sample(0.0f) : flat_sample(65504.0f);
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
 * relative to none; otherwise the base stays. The whole block waits. */
static __device__ __forceinline__ tile_sample settle_base(bool light, const gauss_tile_shape &shape,
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

#endif
