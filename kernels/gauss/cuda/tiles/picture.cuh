/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The second kernel of the tiles makes the picture: each block makes a tile, or a part of one, as
 * the first kernel's list says (gauss_tiles.cu draws the block): nearly all by matrix products
 * (gauss/cuda/tiles/mma/tile.cuh). This file has the rest, narrow Gaussians of the picture: in two
 * passes along rows and columns, in two dimensions at once, or pixel by pixel.
 *
 * Samples are taken relative to a base of the tile: flat regions are then zero, and lose nothing to
 * halves. For stored levels the base is the tile's middle sample, a whole level. In linear light it
 * is the least of the window, so that dark samples stay as precise as they are dark.
 *
 * The kernel is bound by waits for memory and by its longest blocks, which the list names first. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_PICTURE_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_PICTURE_CUH

#include "direct.cuh"
#include "kernels/gauss/cuda/common/gaussian.cuh"
#include "kernels/gauss/cuda/tiles/common/passes.cuh"
#include "kernels/gauss/cuda/tiles/mma/tile.cuh"

/* ---- Pixels one by one, where sigma changes too much for a tile, or a float is NaN or infinite,
 * which would spread over all of a tile */

/* Returns a sample of any level, of the picture too, as numbers around 0. */
template <enum fovea_format FORMAT, typename Image> struct gathered_level {
    const tile_work<FORMAT, Image> &work;
    int k;

    __device__ __forceinline__ float4 value(int x, int y) const
    {
        tile_sample sample;
        if (k == 0) {
            const clamped_image<Image> clamped = {work.src, work.frame.width_px - 1,
                                                  work.frame.height_px - 1};
            const typename Image::word word = clamped.load(x, y);
            if constexpr (pixel<FORMAT>::white == 0) {
                return pixel<FORMAT>::decode(word);
            } else {
                const tile_decoder decode(work.frame.light != 0, (const __half *)work.shared);
                sample = decode(word);
            }
        } else {
            const gauss_level &level = work.tiles.levels[k];
            sample = load_sample<tile_sample>(sample_at(
                work.tiles, level, min(max(x, -GAUSS_MARGIN), level.width + GAUSS_MARGIN - 1),
                min(max(y, -GAUSS_MARGIN), level.height + GAUSS_MARGIN - 1)));
        }
        const float2 xy = __half22float2(sample.xy);
        const float2 zw = __half22float2(sample.zw);
        return make_float4(xy.x, xy.y, zw.x, zw.y);
    }
};

template <enum fovea_format FORMAT>
static __device__ __forceinline__ typename pixel<FORMAT>::word word_of_sample(float4 v, bool light)
{
    typedef pixel<FORMAT> Pixel;
    const float middle = light ? 0.0f : (Pixel::white + 1) / 2;
    const float4 levels =
        make_float4(v.x + middle, v.y + middle, v.z + middle, v.w + (Pixel::alpha_white + 1) / 2);
    return Pixel::encode(light ? light_to_levels<Pixel>(levels) : levels);
}

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void gather_square(const tile_work<FORMAT, Image> &work,
                                                     int width_px, int height_px, int x0, int y0)
{
    const gauss_frame &frame = work.frame;
    const bool light = becomes_light<FORMAT>(frame);
    const auto levels = [&](int k) { return gathered_level<FORMAT, Image>{work, k}; };
    fill_light((__half *)work.shared, light);
    __syncthreads();
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < width_px * height_px; i += GAUSS_TILE_THREADS) {
        const int x = x0 + i % width_px;
        const int y = y0 + i / width_px;
        if (x >= frame.width_px || y >= frame.height_px) {
            continue;
        }
        const float sigma_px = work.law.of_pixel(x, y);
        typename Image::word word = work.src.load(x, y);
        if (sigma_px * GAUSS_REACH >= 1.0f) {
            const float4 v =
                sum_pixel(levels, work.law.level_count, IMAGE_LIGHT_STORED, sigma_px, x, y);
            const typename Image::word color = word_of_sample<FORMAT>(v, light);
            word = pixel<FORMAT>::keep_alpha(color, word);
        }
        work.dst.store(x, y, word);
    }
}

/* ---- A subtile from the picture itself */

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

/* The base of a window that is being written, and whether all of it is opaque: then no pixel is
 * read for its alpha. */
struct tile_loaded {
    tile_sample base;
    int opaque;
};

/* Returns the least sigma that write_blurred takes, where write_direct takes those below `fine`. By
 * distance both find the same sigma of a pixel, and each pixel has one writer. By angle they
 * interpolate between other places: a pixel must not be left out by both, and one within a
 * ten-thousandth of `fine` is written twice. */
static __device__ __forceinline__ float least_blurred(const tile_law &law, float fine)
{
    return law.tiles.law.kind == GAUSS_LAW_RADIAL ? fine : 0.9999f * fine;
}

/* After the two passes, writes the pixels whose sigma is from `from` on. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_blurred(const tile_work<FORMAT, Image> &work,
                                                     const gauss_tile_shape &shape,
                                                     const tile_memory &memory,
                                                     const tile_loaded &loaded, float from, int x0,
                                                     int y0)
{
    const tile_encoder encode(loaded.base, becomes_light<FORMAT>(work.frame));
    const gauss_frame &frame = work.frame;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < TILE_FOURS; i += GAUSS_TILE_THREADS) {
        const tile_four at(i);
        const int x = x0 + at.column;
        const int y = y0 + at.row;
        uint32_t mask = 15u;
        if (from > 0.0f) {
            float sigma_px[TILE_GROUP] = {};
            sigmas_of_four(work.law, shape, memory.grid, x0, y0, at.column, at.row, sigma_px);
            mask = pixels_within(sigma_px, from, INFINITY);
        }
        if (x >= frame.width_px || y >= frame.height_px || mask == 0) {
            continue;
        }
        const uint2 *samples = memory.window + at.row * GAUSS_TILE_LINE + at.column;
        tile_words<typename Image::word, 4> words;
        tile_words<typename Image::word, 4> own;
#pragma unroll
        for (int n = 0; n < TILE_GROUP; n++) {
            words.of[n] = encode(load_sample<typename tile_pixel<FORMAT>::sample>(samples + n));
            own.of[n] = all_bits<typename Image::word>();
        }
        if (!loaded.opaque) {
            own = load_own(work, x, y);
        }
#pragma unroll
        for (int n = 0; n < TILE_GROUP; n++) {
            words.of[n] = pixel<FORMAT>::keep_alpha(words.of[n], own.of[n]);
        }
        write_some(work, x, y, words, mask);
    }
}

/* Loads the window of a subtile; its grid may be written before.
 * Returns false if floats are there that only gathering can make. The whole block waits. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ bool load_picture(const tile_work<FORMAT, Image> &work,
                                                    const gauss_tile_shape &shape,
                                                    const tile_memory &memory, int x0, int y0,
                                                    tile_loaded &loaded)
{
    const gauss_frame &frame = work.frame;
    const bool light = becomes_light<FORMAT>(frame);
    fill_light(memory.light, light);
    tile_sample &base = loaded.base;
    base = flat_sample(0.0f);
    if constexpr (pixel<FORMAT>::white > 0) {
        if (light) {
            __syncthreads();
        } else {
            const int middle = GAUSS_TILE_SUBTILE_PX / 2;
            const int middle_row = shape.rows / 2 - shape.radius;
            const tile_decoder decode(false, nullptr);
            base = decode(work.src.load(min(x0 + middle, frame.width_px - 1),
                                        min(y0 + middle_row, frame.height_px - 1)));
        }
    }
    const tile_window_stats stats = load_pixels(work, shape, memory, x0, y0, base);
    if constexpr (pixel<FORMAT>::white > 0) {
        loaded.opaque = are_opaque<FORMAT>(stats.all);
        base = settle_base(light, shape, memory, base, stats.least, loaded.opaque);
        return true;
    } else {
        loaded.opaque = 0;
        return __syncthreads_and(!stats.is_bad()) != 0;
    }
}

/* Which pixels of a subtile of the picture a block makes, and how:
 *
 *     direct   fine    pixels
 *     yes      yes     below fine_sigma, in two dimensions at once
 *     yes      no      all, in two dimensions at once
 *     no       yes     from fine_sigma on, in two passes
 *     no       no      all, in two passes */
struct tile_share {
    bool direct;
    bool fine;
    int rows;
};

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_from_picture(const tile_work<FORMAT, Image> &work,
                                                         int radius, const tile_share &share,
                                                         int x0, int y0)
{
    typedef typename tile_pixel<FORMAT>::sample Sample;
    gauss_tile_shape shape = gauss_tile_shape_of(radius);
    if (share.direct) {
        shape.rows = share.rows + 2 * radius;
        shape.above = 0; /* The grid then has the pixels' own rows only. */
    }
    const tile_memory memory(work.shared, shape);
    if (!share.direct || work.tiles.law.kind != GAUSS_LAW_RADIAL) {
        fill_grid(work.law, shape, x0, y0, memory.grid);
    }
    tile_loaded loaded;
    if (!load_picture(work, shape, memory, x0, y0, loaded)) {
        gather_square(work, GAUSS_TILE_SUBTILE_PX, share.rows, x0, y0);
        return;
    }
    if (share.direct) {
        const float below = share.fine ? work.tiles.fine_sigma : INFINITY;
        const tile_encoder encode(loaded.base, becomes_light<FORMAT>(work.frame));
        write_direct(work, shape, memory, encode, below, share.rows, x0, y0);
        return;
    }
    blur_rows<Sample>(work.law, shape, memory);
    __syncthreads();
    blur_columns<Sample>(work.law, shape, memory);
    __syncthreads();
    const float from = share.fine ? least_blurred(work.law, work.tiles.fine_sigma) : 0.0f;
    write_blurred(work, shape, memory, loaded, from, x0, y0);
}

/* ---- Subtiles without any of this */

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void copy_subtile(const tile_work<FORMAT, Image> &work, int x0,
                                                    int y0)
{
    const gauss_frame &frame = work.frame;
    const int fours = GAUSS_TILE_SUBTILE_PX / 4;
    for (int i = (int)threadIdx.x; i < GAUSS_TILE_SUBTILE_PX * fours; i += GAUSS_TILE_THREADS) {
        const int x = x0 + i % fours * 4;
        const int y = y0 + i / fours;
        if (x < frame.width_px && y < frame.height_px) {
            store_run<4>(work.dst, has_runs(work.dst, 4), x, y, frame.width_px,
                         load_own(work, x, y));
        }
    }
}

/* ---- A block */

/* The MMA path takes all that comes from a level, and most subtiles of the picture. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ bool takes_mma(const tile_work<FORMAT, Image> &work,
                                                 uint32_t entry)
{
    const int kind = kind_of_entry(entry);
    if (kind == GAUSS_TILE_LEVEL_0) {
        return (entry & GAUSS_TILE_FINE) == 0 &&
               tile_mma_reaches(radius_of_entry(entry), averages_light<FORMAT>(work.frame));
    }
    return kind >= GAUSS_TILE_NARROW || kind < GAUSS_TILE_LEVEL_0 + GAUSS_TILE_SUBTILE_LEVELS;
}

/* Returns false if the entry is not for the MMA path. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ bool make_mma_tile(const tile_work<FORMAT, Image> &work,
                                                     uint32_t entry)
{
    if (!takes_mma(work, entry)) {
        return false;
    }
    const int whole = kind_of_entry(entry) - GAUSS_TILE_WHOLE_0;
    const int quadrant = whole == 1 ? radius_of_entry(entry) : 0;
    const tile_mma_shape shape =
        whole > 0    ? tile_mma_shape::of_whole(whole)
        : whole == 0 ? tile_mma_shape::of_narrow()
                     : tile_mma_shape::of_subtile(kind_of_entry(entry) - GAUSS_TILE_LEVEL_0);
    const int x0 =
        column_of_entry(entry) * GAUSS_TILE_SUBTILE_PX + quadrant % 2 * GAUSS_TILE_QUADRANT_PX;
    const int y0 =
        row_of_entry(entry) * GAUSS_TILE_SUBTILE_PX + quadrant / 2 * GAUSS_TILE_QUADRANT_PX;
    if (!make_by_mma(work, shape, x0, y0)) {
        gather_square(work, shape.side_px, shape.side_px, x0, y0);
    }
    return true;
}

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_entry(const tile_work<FORMAT, Image> &work,
                                                  uint32_t entry)
{
    const int kind = kind_of_entry(entry);
    const int radius = radius_of_entry(entry);
    const bool fine = (entry & GAUSS_TILE_FINE) != 0;
    const int x0 = column_of_entry(entry) * GAUSS_TILE_SUBTILE_PX;
    const int y0 = row_of_entry(entry) * GAUSS_TILE_SUBTILE_PX;
    if (kind == GAUSS_TILE_LEVEL_0 || kind == GAUSS_TILE_DIRECT) {
        const bool half = (entry & GAUSS_TILE_HALF) != 0;
        const int below = (entry & GAUSS_TILE_LOWER) != 0 ? GAUSS_TILE_HALF_ROWS : 0;
        const tile_share share = {kind == GAUSS_TILE_DIRECT, fine,
                                  half ? GAUSS_TILE_HALF_ROWS : GAUSS_TILE_SUBTILE_PX};
        make_from_picture(work, radius, share, x0, y0 + below);
    } else if (kind == GAUSS_TILE_COPIED) {
        copy_subtile(work, x0, y0);
    } else {
        gather_square(work, GAUSS_TILE_SUBTILE_PX, GAUSS_TILE_SUBTILE_PX, x0, y0);
    }
}

/* Takes the block's entry, and clears the list for the next frame. */
static __device__ __forceinline__ uint32_t take_entry(const gauss_tiles &tiles)
{
    const tile_list list(tiles);
    const uint32_t entry = list.entries[blockIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        list.entries[blockIdx.x] = GAUSS_TILE_NONE;
        if (blockIdx.x == 0) {
            *list.counts = {};
        }
    }
    return entry;
}

/* One block makes all subtiles of a tile in turn, since large pictures have enough tiles to fill
 * the device. It makes both parts of a subtile in turn if they have no entries of their own. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_in_turn(const tile_work<FORMAT, Image> &work,
                                                    uint32_t entry)
{
    const bool in_subtiles = kind_of_entry(entry) == GAUSS_TILE_IN_SUBTILES;
    const int across = GAUSS_TILE_ACROSS;
    const int count = in_subtiles ? 2 * GAUSS_TILE_SUBTILES : makes_both(entry) ? 2 : 1;
    const int column = column_of_entry(entry);
    const int row = row_of_entry(entry);
    uint32_t four = entry;
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        uint32_t own = entry;
        if (in_subtiles) {
            if (i % 8 == 0) {
                const int subtile = i / 2 + (int)threadIdx.x % 32 / 8;
                four =
                    entry_of_subtile(work.law, column + subtile % across, row + subtile / across);
            }
            own = __shfl_sync(~0u, four, 8 * (i / 2 % 4));
        }
        /* Beside the picture a subtile's place may be more than an entry holds. */
        const bool inside =
            (column + i / 2 % across) * GAUSS_TILE_SUBTILE_PX < work.frame.width_px &&
            (row + i / 2 / across) * GAUSS_TILE_SUBTILE_PX < work.frame.height_px;
        const bool both = makes_both(own);
        if (in_subtiles && (!inside || (i % 2 == 1 && !both))) {
            continue;
        }
        if (both && i % 2 == 0) {
            own = narrow_part(work.law, own);
        }
        if (i > 0) {
            __syncthreads(); /* The tile before must be out of shared memory. */
        }
        if (!make_mma_tile(work, own)) {
            make_entry(work, own);
        }
    }
}

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_picture(const gauss_frame &frame,
                                                    const gauss_tiles &tiles, const Image &src,
                                                    const Image &dst, char *shared)
{
    const uint32_t entry = take_entry(tiles);
    if (entry == GAUSS_TILE_NONE) {
        return;
    }
    const tile_work<FORMAT, Image> work = {frame, tiles, tile_law(tiles, frame), src, dst, shared};
    /* Nearly all entries go by MMA, which needs none of what make_in_turn computes first. */
    if (!make_mma_tile(work, entry)) {
        make_in_turn(work, entry);
    }
}

#endif
