/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles as products (foveate_tile_product.cuh): what a block reads, into shared memory, a plane for each
 * channel. */
#ifndef FOVEA_KERNELS_FOVEATE_PRODUCT_WINDOW_CUH
#define FOVEA_KERNELS_FOVEATE_PRODUCT_WINDOW_CUH

#include "foveate_tile_window.cuh"

/* Of the block, read anew each time: what compilers work out from it ahead, for every kind of tile, would lie in
 * local memory. */
static __device__ __forceinline__ int product_thread()
{
#ifdef __CUDA_ARCH__
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
#else
    return (int)threadIdx.x;
#endif
}

#define PRODUCT_COLORS 3 /* alpha is kept, not blurred */
#define PRODUCT_WINDOW 32 /* samples that a warp's outputs are made of, along either axis */

#define PRODUCT_PITCH 56 /* halves of a row of the block's window: odd in units of 16 bytes */
#define PRODUCT_SIDE 48 /* of it, at most */
#define PRODUCT_PLANE (PRODUCT_SIDE * PRODUCT_PITCH)

/* Of the picture's own tiles and of those of levels; counts are of samples. */
struct product_shape {
    int before; /* of the window, before the first output: as far as a Gaussian reaches */
    int own; /* outputs from one warp's to the next one's */
    int spline; /* outputs before the first pixel's own */

    __device__ __forceinline__ explicit product_shape(bool picture)
        : before(picture ? 8 : 10), own(picture ? 16 : 8), spline(picture ? 0 : 2)
    {
    }
};
#define PRODUCT_SIDE_OF_LEVEL 40 /* own + PRODUCT_WINDOW */

/* Whether a tile's Gaussians reach no farther than that; on levels a sample more is four sigmas away. */
static __device__ __forceinline__ bool product_reaches(int level, int radius)
{
    return radius <= (level == 0 ? 8 : 11);
}

/* ---- Shared memory: nodes of each warp, then the planes */

#define PRODUCT_NODES 5 /* along either axis; every fourth output */
#define PRODUCT_NODES_PITCH 28 /* floats of a warp's */

struct product_memory {
    float4 *shares; /* of a warp */
    float *nodes; /* of a warp */
    uint32_t *planes;

    __device__ __forceinline__ explicit product_memory(char *shared)
    {
        const int warp = product_thread() / 32;
        shares = (float4 *)shared + 3 * warp;
        nodes = (float *)(shared + FOVEATE_TILE_LIGHT_BYTES) + warp * PRODUCT_NODES_PITCH;
        planes = (uint32_t *)(shared + FOVEATE_TILE_FIXED_BYTES);
    }
};

static __device__ __forceinline__ __half2 low_halves(__half2 a, __half2 b)
{
    return half2_of(__byte_perm(bits_of(a), bits_of(b), 0x5410));
}

static __device__ __forceinline__ __half2 high_halves(__half2 a, __half2 b)
{
    return half2_of(__byte_perm(bits_of(a), bits_of(b), 0x7632));
}

/* ---- Windows */

/* The window of a tile of a level, asked for and then put down: a thread has a pair of columns, and every so many
 * rows. */
struct level_window {
    static const int side = PRODUCT_SIDE_OF_LEVEL;
    static const int pairs = side / 2;
    static const int rows = FOVEATE_TILE_THREADS / pairs; /* at a time */
    static const int reads = (side + rows - 1) / rows;

    uint2 middle; /* of the tile, its base */
    bool light; /* no base: halves are as precise as light is dark */
    uint4 two[reads];

    /* (left, top): its first sample. */
    __device__ __forceinline__ void ask(const foveate_frame &frame, const foveate_tiles &tiles,
                                        int k, int x0, int y0, int left, int top)
    {
        const foveate_level &level = tiles.levels[k];
        const int half = foveate_tile_side_px(k) / 2;
        light = frame.light != 0;
        middle = *sample_at(tiles, level, min(x0 + half, frame.width_px - 1) >> k,
                            min(y0 + half, frame.height_px - 1) >> k);
        const int last_x = level.width + FOVEATE_MARGIN - 1;
        const int last_y = level.height + FOVEATE_MARGIN - 1;
        const bool inside = left >= -FOVEATE_MARGIN && top >= -FOVEATE_MARGIN &&
                            left + side - 1 <= last_x && top + side - 1 <= last_y;
        const int thread = product_thread();
        const int x = left + thread % pairs * 2;
        const int row = min(thread / pairs, rows - 1); /* the last threads ask for what others do */
        if (inside) {
            const char *from = (const char *)sample_at(tiles, level, x, top + row);
            const uint32_t step = (uint32_t)(rows * level.pitch) * 8u;
#pragma unroll
            for (int i = 0; i < reads; i++) {
                /* Rows beyond the last one are not put down, and the first is there. */
                const bool beyond = i == reads - 1 && row + i * rows >= side;
                two[i] = *(const uint4 *)(from + (beyond ? 0u : (uint32_t)i * step));
            }
        } else {
            const int x_first = min(max(x, -FOVEATE_MARGIN), last_x);
            const int x_second = min(max(x + 1, -FOVEATE_MARGIN), last_x);
#pragma unroll
            for (int i = 0; i < reads; i++) {
                const int y = min(max(top + row + i * rows, -FOVEATE_MARGIN), last_y);
                const uint2 a = *sample_at(tiles, level, x_first, y);
                const uint2 b = *sample_at(tiles, level, x_second, y);
                two[i] = make_uint4(a.x, a.y, b.x, b.y);
            }
        }
    }

    __device__ __forceinline__ tile_sample base() const
    {
        return light ? zero_sample() : whole_levels(sample_of_bits(middle.x, middle.y));
    }

    __device__ __forceinline__ void put(uint32_t *planes) const
    {
        const int thread = product_thread();
        const int row = min(thread / pairs, rows - 1);
        const tile_sample zero = base();
        uint32_t *to = planes + row * (PRODUCT_PITCH / 2) + thread % pairs;
#pragma unroll
        for (int i = 0; i < reads; i++) {
            if (i == reads - 1 && row + i * rows >= side) {
                break;
            }
            const tile_sample a = sample_of_bits(two[i].x, two[i].y) - zero;
            const tile_sample b = sample_of_bits(two[i].z, two[i].w) - zero;
            uint32_t *at = to + i * rows * (PRODUCT_PITCH / 2);
            at[0] = bits_of(low_halves(a.xy, b.xy));
            at[PRODUCT_PLANE / 2] = bits_of(high_halves(a.xy, b.xy));
            at[PRODUCT_PLANE] = bits_of(low_halves(a.zw, b.zw));
        }
    }
};

/* Two pixels' bytes as halves, less `zero`. */
static __device__ __forceinline__ void put_two_words(uint32_t first, uint32_t second,
                                                     const tile_sample &zero,
                                                     uint32_t (&colors)[PRODUCT_COLORS])
{
    const uint32_t rg = __byte_perm(first, second, 0x5140);
    const uint32_t b = __byte_perm(first, second, 0x7362);
    const uint32_t behind_1024 = 0x64646464u;
    colors[0] =
        bits_of(__hsub2(half2_of(__byte_perm(rg, behind_1024, 0x4140)), __low2half2(zero.xy)));
    colors[1] =
        bits_of(__hsub2(half2_of(__byte_perm(rg, behind_1024, 0x4342)), __high2half2(zero.xy)));
    colors[2] =
        bits_of(__hsub2(half2_of(__byte_perm(b, behind_1024, 0x4140)), __low2half2(zero.zw)));
}

static __device__ __forceinline__ void put_four_words(const tile_words<uint32_t, 4> &words,
                                                      const tile_sample &zero, uint32_t *planes)
{
    uint32_t first[PRODUCT_COLORS];
    uint32_t second[PRODUCT_COLORS];
    put_two_words(words.of[0], words.of[1], zero, first);
    put_two_words(words.of[2], words.of[3], zero, second);
#pragma unroll
    for (int c = 0; c < PRODUCT_COLORS; c++) {
        *(uint2 *)(planes + c * (PRODUCT_PLANE / 2)) = make_uint2(first[c], second[c]);
    }
}

/* The same of the picture, its first pixel at (left, top). -> the tile's base. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ tile_sample load_planes(const tile_work<FORMAT, Image> &work,
                                                          uint32_t *planes, int x0, int y0,
                                                          int left, int top)
{
    const int side = PRODUCT_SIDE;
    const int fours = side / 4;
    const int rows = FOVEATE_TILE_THREADS / fours; /* at a time */
    const int reads = (side + rows - 1) / rows;
    const foveate_frame &frame = work.frame;
    const int half = FOVEATE_TILE_QUARTER_PX / 2;
    const uint32_t middle =
        work.src.load(min(x0 + half, frame.width_px - 1), min(y0 + half, frame.height_px - 1));
    const tile_decoder<FORMAT> decode(false, nullptr);
    const int thread = product_thread();
    const int x = left + thread % fours * 4;
    const int row = min(thread / fours, rows - 1);
    uint32_t *to = planes + row * (PRODUCT_PITCH / 2) + thread % fours * 2;
    if (left >= 0 && top >= 0 && left + side <= frame.width_px && top + side <= frame.height_px &&
        has_runs(work.src, 4)) {
        const char *from = run_at(work.src, x, top + row);
        const int64_t step = rows * row_bytes(work.src);
        tile_words<uint32_t, 4> words[reads];
#pragma unroll
        for (int i = 0; i < reads; i++) {
            const bool beyond = i == reads - 1 && row + i * rows >= side;
            words[i] = read_run<uint32_t, 4>(from + (beyond ? 0 : i) * step);
        }
        const tile_sample base = decode(middle);
        const tile_sample zero = numbers_of_middle<pixel<FORMAT>>() + base;
#pragma unroll
        for (int i = 0; i < reads; i++) {
            if (i < reads - 1 || row + i * rows < side) {
                put_four_words(words[i], zero, to + i * rows * (PRODUCT_PITCH / 2));
            }
        }
        return base;
    }
    const endless_image<Image> endless = {work.src, frame.width_px - 1, frame.height_px - 1};
    const tile_sample base = decode(middle);
    const tile_sample zero = numbers_of_middle<pixel<FORMAT>>() + base;
#pragma unroll 1
    for (int i = row; i < side; i += rows) {
        put_four_words(load_four(endless, false, x, top + i), zero, to);
        to += rows * (PRODUCT_PITCH / 2);
    }
    return base;
}

#endif
