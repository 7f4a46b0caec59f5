/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The second kernel of the tiles: the picture, a tile a block, from the level that the first kernel's
 * list says: near tiles from the picture itself, a block each, far ones a warp each.
 *
 * Samples are taken relative to a base of the tile: what is flat is then zero, and loses nothing to
 * halves. In encoded levels the base is the tile's middle sample, a whole level; in linear light it is
 * the least of the window, so that what is dark stays as precise as it is dark.
 */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_PICTURE_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_PICTURE_CUH

#include "foveate_gaussian.cuh"
#include "foveate_tile_far.cuh"
#include "foveate_tile_near.cuh"

/* ---- Near tiles without any of this */

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void copy_near(const tile_work<FORMAT, Image> &work,
                                                 const near_tile &tile)
{
    const foveate_frame &frame = work.frame;
    const int fours = tile.side / 4;
    for (int i = (int)threadIdx.x; i < tile.side * fours; i += FOVEATE_TILE_THREADS) {
        const int x = tile.x0 + i % fours * 4;
        const int y = tile.y0 + i / fours;
        if (x < frame.width_px && y < frame.height_px) {
            store_run<4>(work.dst, has_runs(work.dst, 4), x, y, frame.width_px,
                         load_own(work, x, y));
        }
    }
}

/* One pixel by itself, exactly, as the plain kernels do without levels (foveate_smooth.cu). */
template <enum fovea_format FORMAT, typename Image>
static __device__ float4 gather_pixel(const tile_work<FORMAT, Image> &work, float sigma_px, int x,
                                      int y)
{
    const endless_image<Image> endless = {work.src, work.frame.width_px - 1,
                                          work.frame.height_px - 1};
    const tile_decoder<FORMAT> decode(work.frame.light != 0, (const __half *)work.shared);
    const gaussian_axis across((float)x, sigma_px);
    const gaussian_axis down((float)y, sigma_px);
    float4 sum = {};
    gaussian g = down.start;
    for (int j = down.first; j <= down.last; j++, g.step()) {
        float4 row = {};
        gaussian h = across.start;
        for (int i = across.first; i <= across.last; i++, h.step()) {
            const tile_sample sample = decode(endless.load(i, j));
            const float2 xy = __half22float2(sample.xy);
            const float2 zw = __half22float2(sample.zw);
            row = gaussian_add(row, h.weight, make_float4(xy.x, xy.y, zw.x, zw.y));
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
static __device__ __forceinline__ void gather_near(const tile_work<FORMAT, Image> &work,
                                                   const near_tile &tile)
{
    const foveate_frame &frame = work.frame;
    fill_light<pixel<FORMAT>>((__half *)work.shared, frame.light != 0, FOVEATE_TILE_THREADS);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < tile.side * tile.side; i += FOVEATE_TILE_THREADS) {
        const int x = tile.x0 + i % tile.side;
        const int y = tile.y0 + i / tile.side;
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
    const bool square = (entry >> FOVEATE_TILE_SQUARE_BIT & 1u) != 0;
    const near_tile tile = {
        (int)(entry & FOVEATE_TILE_PLACE_MASK) * FOVEATE_TILE_QUARTER_PX,
        (int)(entry >> FOVEATE_TILE_ROW_SHIFT & FOVEATE_TILE_PLACE_MASK) * FOVEATE_TILE_QUARTER_PX,
        square ? FOVEATE_TILE_PX : FOVEATE_TILE_QUARTER_PX, foveate_tile_halo(radius)};
    if (kind == FOVEATE_TILE_LEVEL_0) {
        make_near(work, tile);
    } else if (kind == FOVEATE_TILE_COPIED) {
        copy_near(work, tile);
    } else {
        gather_near(work, tile);
    }
}

/* The last block leaves the list as the next frame wants to find it. */
static __device__ __forceinline__ void leave_list(const tile_list &list)
{
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&list.counts->done, 1u) + 1u == gridDim.x) {
        *list.counts = {};
    }
}

/* Near tiles take a block each and come first, far ones a warp each. Blocks of either kind are as many as there may be
 * work for, and go round where that was too few. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_picture(const foveate_frame &frame,
                                                    const foveate_tiles &tiles, const Image &src,
                                                    const Image &dst, char *shared)
{
    const tile_list list(tiles);
    const tile_work<FORMAT, Image> work = {frame, tiles, tile_law(tiles, frame), src, dst, shared};
    const uint32_t near_blocks = (uint32_t)tiles.near_blocks;
    wait_for_kernels();
    if (blockIdx.x < near_blocks) {
        const uint32_t near = list.counts->near;
#pragma unroll 1
        for (uint32_t i = blockIdx.x; i < near; i += near_blocks) {
            make_entry(work, list.entries[i]);
            __syncthreads(); /* the tile is out of shared memory */
        }
    } else {
        const uint32_t far = list.counts->far;
        const uint32_t warps = (gridDim.x - near_blocks) * FOVEATE_TILE_WARPS;
        uint32_t i = (blockIdx.x - near_blocks) * FOVEATE_TILE_WARPS + threadIdx.x / 32;
#pragma unroll 1
        for (; i < far; i += warps) {
            make_far_tile(work, list.tasks + i);
        }
    }
    leave_list(list);
}

#endif
