/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles as products (foveate_tile_product.cuh): what a block reads, into shared memory, a plane for each
 * channel. */
#ifndef FOVEA_KERNELS_FOVEATE_PRODUCT_WINDOW_CUH
#define FOVEA_KERNELS_FOVEATE_PRODUCT_WINDOW_CUH

#include "foveate_tile_window.cuh"

/* Of the block, read anew each time: what compilers work out from it ahead, for every kind of tile, would lie in
 * local memory. */
static __device__ __forceinline__ uint32_t product_thread()
{
#ifdef __CUDA_ARCH__
    uint32_t thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
#else
    return threadIdx.x;
#endif
}

static __device__ __forceinline__ int product_lane()
{
    return (int)(product_thread() % 32u);
}

static __device__ __forceinline__ int product_warp()
{
    return (int)(product_thread() / 32u);
}

#define PRODUCT_COLORS 3 /* alpha is kept, not blurred */
#define PRODUCT_WINDOW 32 /* samples that a warp's outputs are made of, along either axis */

/* What a block of products makes: counts are of samples. A warp's outputs are 16 x 16, but one's and the next one's
 * overlap by what the spline needs. WIDE: fourths of a wide tile. From level 3 on a tile has no more outputs than
 * one warp makes: all four make them, and each up-samples its own pixels. */
template <int LEVEL, bool WIDE> struct product_shape {
    static const int before = 8; /* of the window, before the first output */
    static const int spline = LEVEL == 0 ? 0 : 2; /* outputs before the first pixel's own */
    static const int side_px = LEVEL < 2 ? (WIDE ? FOVEATE_TILE_FOURTH_PX : FOVEATE_TILE_QUARTER_PX)
                                         : FOVEATE_TILE_WIDE_PX;
    static const int warp_px = side_px / 2;
    static const int own = LEVEL < 3 ? warp_px >> LEVEL : 0; /* from one warp's to the next one's */
    static const int last_node = WIDE ? (LEVEL == 4 ? 3 : 4) : (LEVEL == 0 ? 4 : 3);
    static const int side = own + PRODUCT_WINDOW; /* of the block's window */
    /* Rows that are loaded as squares begin at multiples of 16 bytes: other warps' columns are kept twice. */
    static const bool twice = own % 8 != 0;
    static const int right = twice ? PRODUCT_WINDOW : own; /* where the right warps' columns begin */
    /* Halves of a row in shared memory: odd in units of 16 bytes. */
    static const int pitch = twice ? 2 * PRODUCT_WINDOW + 8 : 56;
    static const int plane = side * pitch;
};

/* Whether a quarter's Gaussians reach no farther than products; on levels a sample more is four sigmas away. */
static __device__ __forceinline__ bool product_reaches(int level, int radius)
{
    return radius <= (level == 0 ? 8 : 12);
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
        const int warp = product_warp();
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

/* Four neighbours, into planes of so many halves. */
template <int PLANE>
static __device__ __forceinline__ void put_colors(const uint2 (&colors)[PRODUCT_COLORS],
                                                  uint32_t *planes)
{
#pragma unroll
    for (int c = 0; c < PRODUCT_COLORS; c++) {
        *(uint2 *)(planes + c * (PLANE / 2)) = colors[c];
    }
}

/* ---- Windows */

/* The window of a tile of a level, asked for and then put down: a thread has four columns, and every so many
 * rows. */
template <int LEVEL, bool WIDE> struct level_window {
    typedef product_shape<LEVEL, WIDE> shape;
    static const int fours = shape::side / 4;
    static const int rows = FOVEATE_TILE_THREADS / fours; /* at a time */
    static const int reads = (shape::side + rows - 1) / rows;

    uint2 middle; /* of the tile, its base */
    bool light; /* no base: halves are as precise as light is dark */
    uint4 of[reads][2];

    /* (left, top): its first sample. */
    __device__ __forceinline__ void ask(const foveate_frame &frame, const foveate_tiles &tiles,
                                        int x0, int y0, int left, int top)
    {
        const int side = shape::side;
        const foveate_level &level = tiles.levels[LEVEL];
        const int half = shape::side_px / 2;
        light = frame.light != 0;
        middle = *sample_at(tiles, level, min(x0 + half, frame.width_px - 1) >> LEVEL,
                            min(y0 + half, frame.height_px - 1) >> LEVEL);
        const int last_x = level.width + FOVEATE_MARGIN - 1;
        const int last_y = level.height + FOVEATE_MARGIN - 1;
        const bool inside = left >= -FOVEATE_MARGIN && top >= -FOVEATE_MARGIN &&
                            left + side - 1 <= last_x && top + side - 1 <= last_y;
        const int x = left + column();
        const int row = first_row();
        if (inside) {
            const char *from = (const char *)sample_at(tiles, level, x, top + row);
            const uint32_t step = (uint32_t)(rows * level.pitch) * 8u;
#pragma unroll
            for (int i = 0; i < reads; i++) {
                /* Rows beyond the last one are not put down, and the first is there. */
                const uint4 *at = (const uint4 *)(from + (is_beyond(i) ? 0u : (uint32_t)i * step));
                of[i][0] = at[0];
                of[i][1] = at[1];
            }
        } else {
#pragma unroll
            for (int i = 0; i < reads; i++) {
                const int y = min(max(top + row + i * rows, -FOVEATE_MARGIN), last_y);
#pragma unroll
                for (int k = 0; k < 2; k++) {
                    const int first = min(max(x + 2 * k, -FOVEATE_MARGIN), last_x);
                    const int second = min(max(x + 2 * k + 1, -FOVEATE_MARGIN), last_x);
                    const uint2 a = *sample_at(tiles, level, first, y);
                    const uint2 b = *sample_at(tiles, level, second, y);
                    of[i][k] = make_uint4(a.x, a.y, b.x, b.y);
                }
            }
        }
    }

    __device__ __forceinline__ tile_sample base() const
    {
        return light ? zero_sample() : whole_levels(sample_of_bits(middle.x, middle.y));
    }

    __device__ __forceinline__ void put(uint32_t *planes) const
    {
        const int x = column();
        const tile_sample zero = base();
        uint32_t *to = planes + first_row() * (shape::pitch / 2) + x / 2;
#pragma unroll
        for (int i = 0; i < reads; i++) {
            if (is_beyond(i)) {
                break;
            }
            put_four(i, zero, x, to + i * rows * (shape::pitch / 2));
        }
    }

  private:
    static __device__ __forceinline__ int column()
    {
        return (int)(product_thread() % (uint32_t)fours * 4u);
    }
    /* The last threads ask for what others do. */
    static __device__ __forceinline__ int first_row()
    {
        return min((int)(product_thread() / (uint32_t)fours), rows - 1);
    }
    static __device__ __forceinline__ bool is_beyond(int i)
    {
        return i == reads - 1 && first_row() + i * rows >= shape::side;
    }
    __device__ __forceinline__ void put_four(int i, const tile_sample &zero, int x,
                                             uint32_t *at) const
    {
        const tile_sample a = sample_of_bits(of[i][0].x, of[i][0].y) - zero;
        const tile_sample b = sample_of_bits(of[i][0].z, of[i][0].w) - zero;
        const tile_sample c = sample_of_bits(of[i][1].x, of[i][1].y) - zero;
        const tile_sample d = sample_of_bits(of[i][1].z, of[i][1].w) - zero;
        const uint2 colors[PRODUCT_COLORS] = {
            {bits_of(low_halves(a.xy, b.xy)), bits_of(low_halves(c.xy, d.xy))},
            {bits_of(high_halves(a.xy, b.xy)), bits_of(high_halves(c.xy, d.xy))},
            {bits_of(low_halves(a.zw, b.zw)), bits_of(low_halves(c.zw, d.zw))}};
        if (!shape::twice || x < PRODUCT_WINDOW) {
            put_colors<shape::plane>(colors, at);
        }
        if (shape::twice && x >= shape::own) {
            put_colors<shape::plane>(colors, at + (shape::right - shape::own) / 2);
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
    const uint2 colors[PRODUCT_COLORS] = {
        {first[0], second[0]}, {first[1], second[1]}, {first[2], second[2]}};
    put_colors<product_shape<0, false>::plane>(colors, planes);
}

/* The same of the picture, its first pixel at (left, top). -> the tile's base. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ tile_sample load_planes(const tile_work<FORMAT, Image> &work,
                                                          uint32_t *planes, int x0, int y0,
                                                          int left, int top)
{
    typedef product_shape<0, false> shape;
    const int side = shape::side;
    const int fours = side / 4;
    const int rows = FOVEATE_TILE_THREADS / fours; /* at a time */
    const int reads = (side + rows - 1) / rows;
    const foveate_frame &frame = work.frame;
    const int half = shape::side_px / 2;
    const uint32_t middle =
        work.src.load(min(x0 + half, frame.width_px - 1), min(y0 + half, frame.height_px - 1));
    const tile_decoder<FORMAT> decode(false, nullptr);
    const int column = (int)(product_thread() % (uint32_t)fours);
    const int x = left + 4 * column;
    const int row = min((int)(product_thread() / (uint32_t)fours), rows - 1);
    uint32_t *to = planes + row * (shape::pitch / 2) + 2 * column;
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
                put_four_words(words[i], zero, to + i * rows * (shape::pitch / 2));
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
        to += rows * (shape::pitch / 2);
    }
    return base;
}

#endif
