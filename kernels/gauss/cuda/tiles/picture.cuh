/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The second kernel of the tiles makes the picture: each block makes a tile, or a part of one, as
 * the first kernel's list says (gauss_tiles.cu draws the block), by matrix products
 * (gauss/cuda/tiles/mma/tile.cuh), or a copy.
 *
 * Samples are taken relative to a base of the tile: flat regions are then zero, and lose nothing to
 * halves. For stored levels the base is the tile's middle sample, a whole level; of floats it is
 * the least of the window. Light of RGBA8 has none, since halves are more precise where it is
 * darker.
 *
 * The kernel is bound by waits for memory and by its longest blocks, which the list names first. */
#pragma once

#include "kernels/gauss/cuda/common/gaussian.cuh"
#include "kernels/gauss/cuda/tiles/mma/tile.cuh"

/* ---- Pixels one by one, where sigma changes too much for a tile, or a float is NaN or infinite,
 * which would spread over all of a tile */

/* Returns a sample of any level, of the picture too, as numbers around 0. */
template <enum fovea_format FORMAT, typename Image> struct gathered_level {
    const tile_work<FORMAT, Image> &work;
    int k;

    MEMBER float4 value(int x, int y) const
    {
        typedef pixel<FORMAT> Pixel;
        if (k == 0) {
            const clamped_image<Image> clamped = {work.src, work.frame.width_px - 1,
                                                  work.frame.height_px - 1};
            const float4 v = Pixel::decode(clamped.load(x, y));
            const float middle = (Pixel::white + 1) / 2;
            const float4 stored = make_float4(v.x - middle, v.y - middle, v.z - middle, v.w);
            return Pixel::white == 0                   ? v
                   : becomes_light<FORMAT>(work.frame) ? levels_to_light<Pixel>(v)
                                                       : stored;
        }
        const gauss_level &level = work.tiles.levels[k];
        return floats_of(*sample_at(work.tiles, level,
                                    min(max(x, -GAUSS_MARGIN), level.width + GAUSS_MARGIN - 1),
                                    min(max(y, -GAUSS_MARGIN), level.height + GAUSS_MARGIN - 1)));
    }
};

template <enum fovea_format FORMAT>
DEVICE typename pixel<FORMAT>::word word_of_sample(float4 v, bool light)
{
    typedef pixel<FORMAT> Pixel;
    const float middle = light ? 0.0f : (Pixel::white + 1) / 2;
    const float4 levels =
        make_float4(v.x + middle, v.y + middle, v.z + middle, v.w + (Pixel::alpha_white + 1) / 2);
    return Pixel::encode(light ? light_to_levels<Pixel>(levels) : levels);
}

template <enum fovea_format FORMAT, typename Image>
DEVICE void gather_square(const tile_work<FORMAT, Image> &work, int width_px, int height_px, int x0,
                          int y0)
{
    const gauss_frame &frame = work.frame;
    const bool light = becomes_light<FORMAT>(frame);
    const auto levels = [&](int k) { return gathered_level<FORMAT, Image>{work, k}; };
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

/* ---- Subtiles without any of this */

template <enum fovea_format FORMAT, typename Image>
DEVICE void copy_subtile(const tile_work<FORMAT, Image> &work, int x0, int y0)
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

/* The MMA path takes all entries but those that are COPIED or GATHERED. Returns false if the entry
 * is not for it. MIXES takes part 0 or 1 of MIXED ones, too, which cost registers
 * (make_by_mma has `coarse`). */
template <bool MIXES, enum fovea_format FORMAT, typename Image>
DEVICE bool make_mma_tile(const tile_work<FORMAT, Image> &work, uint32_t entry, int part,
                          bool &coarse)
{
    const int kind = kind_of_entry(entry);
    const bool mixed = MIXES && kind == GAUSS_TILE_MIXED;
    const int level = mixed ? part : kind - GAUSS_TILE_LEVEL_0;
    const int whole = kind - GAUSS_TILE_WHOLE_0;
    if (level >= GAUSS_TILE_SUBTILE_LEVELS && whole < 0) {
        return false;
    }
    const int quadrant = whole > 0 ? part_of_entry(entry) : 0;
    const tile_mma_shape shape =
        whole > 0 ? tile_mma_shape::of_whole(whole)
                  : tile_mma_shape::of_subtile(level, part_of_entry(entry) == GAUSS_TILE_FINE);
    const int x0 =
        column_of_entry(entry) * GAUSS_TILE_SUBTILE_PX + quadrant % 2 * GAUSS_TILE_QUADRANT_PX;
    const int y0 =
        row_of_entry(entry) * GAUSS_TILE_SUBTILE_PX + quadrant / 2 * GAUSS_TILE_QUADRANT_PX;
    if (!make_by_mma(work, shape, x0, y0, mixed, coarse)) {
        gather_square(work, shape.side_px, shape.side_px, x0, y0);
    }
    return true;
}

template <enum fovea_format FORMAT, typename Image>
DEVICE void make_entry(const tile_work<FORMAT, Image> &work, uint32_t entry)
{
    const int kind = kind_of_entry(entry);
    const int x0 = column_of_entry(entry) * GAUSS_TILE_SUBTILE_PX;
    const int y0 = row_of_entry(entry) * GAUSS_TILE_SUBTILE_PX;
    if (kind == GAUSS_TILE_COPIED) {
        copy_subtile(work, x0, y0);
    } else {
        gather_square(work, GAUSS_TILE_SUBTILE_PX, GAUSS_TILE_SUBTILE_PX, x0, y0);
    }
}

/* Takes the block's entry, and clears the list for the next frame. */
DEVICE uint32_t take_entry(const gauss_tiles &tiles)
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
 * the device, and both parts of a MIXED one. */
template <enum fovea_format FORMAT, typename Image>
DEVICE void make_in_turn(const tile_work<FORMAT, Image> &work, uint32_t entry)
{
    const bool in_subtiles = kind_of_entry(entry) == GAUSS_TILE_IN_SUBTILES;
    const int across = GAUSS_TILE_ACROSS;
    const int count = in_subtiles ? 2 * GAUSS_TILE_SUBTILES : 2;
    const int column = column_of_entry(entry);
    const int row = row_of_entry(entry);
    uint32_t four = entry;
    bool coarse = false;
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
        if (!inside || (i % 2 == 1 && kind_of_entry(own) != GAUSS_TILE_MIXED)) {
            continue;
        }
        if (i > 0) {
            __syncthreads(); /* the entry before must be out of shared memory */
        }
        if (!make_mma_tile<true>(work, own, i % 2, coarse)) {
            make_entry(work, own);
        }
    }
}

template <enum fovea_format FORMAT, typename Image>
DEVICE void make_picture(const gauss_frame &frame, const gauss_tiles &tiles, const Image &src,
                         const Image &dst, char *shared)
{
    const uint32_t entry = take_entry(tiles);
    if (entry == GAUSS_TILE_NONE) {
        return;
    }
    const tile_work<FORMAT, Image> work = {frame, tiles, tile_law(tiles, frame), src, dst, shared};
    /* Nearly all entries go by MMA, which needs none of what make_in_turn computes first. */
    bool coarse = false;
    if (!make_mma_tile<false>(work, entry, 0, coarse)) {
        make_in_turn(work, entry);
    }
}
