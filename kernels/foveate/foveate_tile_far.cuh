/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A far tile: a square from level 2 or up, or a quarter from level 1. A warp makes one, in registers, by four chains
 * of products, each the transposed of the one before (foveate_tile_mma.cuh):
 *
 *   1, 2   16 x 16 samples from the 32 x 32 around them, along rows and then along columns, with the
 *          banded matrix of a Gaussian, the same for both; once for each of the task's blurs, a few
 *          variances that span the tile's. Each sample is mixed from two of them: linear in variance, which
 *          is right to the second order.
 *   3, 4   pixels from those, along rows and columns, by the cubic B-spline. With 1024 and the middle of
 *          the range in the last one's sum, rounding to a half is rounding to a level.
 *
 * Sums are halves. Their rounding is by a part of what is summed; weights add up to 1, so that a flat picture of 8 bits
 * is off by less than half a level at the end, and in light by less than it takes to be another level.
 * Ten bits are taken relative to the window's least.
 *
 * About 700 instructions a warp. Bound by writing the picture. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_FAR_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_FAR_CUH

#include "foveate_tile_nodes.cuh"
#include "foveate_tile_window.cuh"

#include <stddef.h>

/* A blur's matrix: sixteen rows, 32 columns, as two fragments. */
struct far_weights {
    mma_a step[2];
};

/* A task's words, one a lane: all of it by one load. */
struct far_task {
    uint32_t word;

    __device__ __forceinline__ explicit far_task(const foveate_tile_task *task)
    {
        const int count = sizeof(foveate_tile_task) / 4;
        word = ((const uint32_t *)task)[min((int)threadIdx.x % 32, count - 1)];
    }
    __device__ __forceinline__ uint32_t at(size_t offset) const
    {
        return __shfl_sync(~0u, word, (int)(offset / 4));
    }
    __device__ __forceinline__ float number(size_t offset) const
    {
        return __uint_as_float(at(offset));
    }
};

#define FAR_NUMBER(task, field) (task).number(offsetof(foveate_tile_task, field))

/* A tile as its threads see it. */
template <enum fovea_format FORMAT, typename Image> struct far_tile {
    const tile_work<FORMAT, Image> &work;
    far_task task;
    int level;
    int blurs;
    int x0, y0; /* pixels */
    int offset; /* of the first pixel's sample, beyond output 2 */
    int g, t; /* of the lane */
    uint4 *weights; /* this thread's, of each blur: two of FOVEATE_TILE_THREADS apart */
};

/* ---- Blurs */

/* What output i has of sample k: columns stand for places 4t to 4t + 3 (foveate_tile_tables.cuh). */
template <typename Tile>
static __device__ __forceinline__ void fill_weights(const Tile &tile, int i)
{
    const size_t at = offsetof(foveate_tile_task, blur) + (size_t)i * sizeof(foveate_tile_blur);
    const float power = tile.task.number(at + offsetof(foveate_tile_blur, power));
    const float first = tile.task.number(at + offsetof(foveate_tile_blur, first));
    const float middle = tile.task.number(at + offsetof(foveate_tile_blur, middle));
#pragma unroll
    for (int s = 0; s < 2; s++) {
        uint32_t bits[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float pair[2];
#pragma unroll
            for (int n = 0; n < 2; n++) {
                const int d =
                    16 * s + 4 * tile.t + k / 2 * 2 + n - FOVEATE_TILE_RADIUS - tile.g - k % 2 * 8;
                const float square = (float)(d * d);
                const float weight = exp2_of(fmaf(square, power, first));
                const float most = FOVEATE_TILE_RADIUS * FOVEATE_TILE_RADIUS;
                pair[n] = d == 0 ? middle : square > most ? 0.0f : weight;
            }
            bits[k] = halves_of(pair[0], pair[1]);
        }
        tile.weights[(2 * i + s) * FOVEATE_TILE_THREADS] =
            make_uint4(bits[0], bits[1], bits[2], bits[3]);
    }
}

template <typename Tile>
static __device__ __forceinline__ mma_a weights_of(const Tile &tile, int i, int step)
{
    const uint4 bits = tile.weights[(2 * i + step) * FOVEATE_TILE_THREADS];
    return {{bits.x, bits.y, bits.z, bits.w}};
}

/* ---- Windows: four of a row's samples a thread, of one channel, as eight rows' right side of a product */

struct far_window {
    uint2 four[2][4]; /* of columns 16 s + 4t on; rows in the same order */
};

/* Where this thread's quads lie. */
struct far_places {
    const tile_quad *quad[2][4];
};

template <typename Tile> static __device__ __forceinline__ far_places places_of(const Tile &tile)
{
    const foveate_tiles &tiles = tile.work.tiles;
    const foveate_level &level = tiles.levels[tile.level];
    const int before = 2 + tile.offset + FOVEATE_TILE_RADIUS;
    const int quad = ((tile.x0 >> tile.level) - before + 2) / 4 + tile.t;
    const int row = (tile.y0 >> tile.level) - before + tile.g / 2 * 4 + tile.g % 2;
    far_places places;
#pragma unroll
    for (int n = 0; n < 4; n++) {
        const int y = min(max(row + n / 2 * 16 + n % 2 * 2, -FOVEATE_TILE_ROWS_BEFORE),
                          level.height + FOVEATE_TILE_ROWS_BEFORE - 1);
#pragma unroll
        for (int s = 0; s < 2; s++) {
            places.quad[s][n] =
                quad_at(tiles, level, min(max(quad + 4 * s, -1), level.pitch - 2), y);
        }
    }
    return places;
}

static __device__ __forceinline__ far_window load_window(const far_places &places, int channel)
{
    far_window window;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        window.four[i / 4][i % 4] = __ldg((const uint2 *)places.quad[i / 4][i % 4] + channel);
    }
    return window;
}

/* The least sample, in both halves; whole where samples are levels. */
static __device__ __forceinline__ __half2 least_of_window(const far_window &window, bool whole)
{
    __half2 least = half2_of(window.four[0][0].x);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const uint2 &four = window.four[i / 4][i % 4];
        least = __hmin2(least, __hmin2(half2_of(four.x), half2_of(four.y)));
    }
#pragma unroll
    for (int i = 16; i > 0; i >>= 1) {
        least = __hmin2(least, half2_of(__shfl_xor_sync(~0u, bits_of(least), i)));
    }
    least = __hmin2(least, __lowhigh2highlow(least));
    return whole ? h2rint(least) : least;
}

static __device__ __forceinline__ void subtract(far_window &window, __half2 base)
{
#pragma unroll
    for (int i = 0; i < 8; i++) {
        uint2 &four = window.four[i / 4][i % 4];
        four.x = bits_of(__hsub2(half2_of(four.x), base));
        four.y = bits_of(__hsub2(half2_of(four.y), base));
    }
}

/* ---- Samples: columns 2t and 2t + 1 of rows g and g + 8, then columns 8 on */

struct far_samples {
    mma_halves half[2];
};

/* Of one blur. Columns of the first product are rows of the window, in the order of the weights' columns. */
static __device__ __forceinline__ far_samples blurred(const far_window &window, const mma_a &first,
                                                      const mma_a &second)
{
    mma_halves across[4];
#pragma unroll
    for (int n = 0; n < 4; n++) {
        across[n] = mma(first, window.four[0][n].x, window.four[0][n].y, mma_halves{});
        across[n] = mma(second, window.four[1][n].x, window.four[1][n].y, across[n]);
    }
    far_samples samples;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        samples.half[i] = mma(first, across[0].row[i], across[1].row[i], mma_halves{});
        samples.half[i] = mma(second, across[2].row[i], across[3].row[i], samples.half[i]);
    }
    return samples;
}

/* Each sample's place among the blurs: 0 for the first. */
template <typename Tile> static __device__ __forceinline__ far_samples parts_of(const Tile &tile)
{
    const float middle = 0.5f * (FOVEATE_TILE_OUTPUTS - 1);
    const float c0 = FAR_NUMBER(tile.task, c0);
    const float cx = FAR_NUMBER(tile.task, cx);
    const float cy = FAR_NUMBER(tile.task, cy);
    const float cxx = FAR_NUMBER(tile.task, cxx);
    const float cyy = FAR_NUMBER(tile.task, cyy);
    const float cxy = FAR_NUMBER(tile.task, cxy);
    far_samples parts;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const float y = (float)(tile.g + 8 * r) - middle;
        const float of_row = fmaf(y, fmaf(y, cyy, cy), c0);
        const float along = fmaf(y, cxy, cx);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float x = (float)(2 * tile.t + 8 * i) - middle;
            parts.half[i].row[r] = halves_of(fmaf(x, fmaf(x, cxx, along), of_row),
                                             fmaf(x + 1.0f, fmaf(x + 1.0f, cxx, along), of_row));
        }
    }
    return parts;
}

/* samples += part (of - samples), `part` what of `parts` lies beyond the blur before. */
static __device__ __forceinline__ void mix(far_samples &samples, const far_samples &of,
                                           const far_samples &parts, int before)
{
    const __half2 from = __float2half2_rn((float)-before);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const __half2 part = __hadd2_sat(half2_of(parts.half[i / 2].row[i % 2]), from);
        uint32_t &bits = samples.half[i / 2].row[i % 2];
        const __half2 a = half2_of(bits);
        const __half2 b = half2_of(of.half[i / 2].row[i % 2]);
        bits = bits_of(__hfma2(part, __hsub2(b, a), a));
    }
}

/* ---- Pixels */

/* What the last product begins with, so that its sum is a number whose last bits are the level. Alpha that is
 * not blurred: opaque. */
template <enum fovea_format FORMAT, int CHANNELS>
static __device__ __forceinline__ __half2 far_zero(int channel, bool light)
{
    typedef pixel<FORMAT> Pixel;
    if (channel == 3 && CHANNELS < 4) {
        return __float2half2_rn(1024.0f + (float)Pixel::alpha_white);
    }
    const int white = channel < 3 ? Pixel::white : Pixel::alpha_white;
    return __float2half2_rn(light && channel < 3 ? 0.0f : 1024.0f + (float)((white + 1) / 2));
}

/* Two neighbours' numbers of all channels -> their words. */
template <enum fovea_format FORMAT, bool LIGHT>
static __device__ __forceinline__ uint2 far_words(const uint32_t (&v)[4])
{
    typedef pixel<FORMAT> Pixel;
    if constexpr (LIGHT) {
        const float2 x = half_pair(v[0]);
        const float2 y = half_pair(v[1]);
        const float2 z = half_pair(v[2]);
        const float2 w = half_pair(v[3]);
        const float alpha = 1024.0f;
        return make_uint2(
            Pixel::encode(light_to_levels<Pixel>(make_float4(x.x, y.x, z.x, w.x - alpha))),
            Pixel::encode(light_to_levels<Pixel>(make_float4(x.y, y.y, z.y, w.y - alpha))));
    } else if constexpr (Pixel::white == 255) {
        const uint32_t rg = __byte_perm(v[0], v[1], 0x6240);
        const uint32_t ba = __byte_perm(v[2], v[3], 0x6240);
        return make_uint2(__byte_perm(rg, ba, 0x5410), __byte_perm(rg, ba, 0x7632));
    } else {
        const tile_sample low = numbers_of_zero<Pixel>();
        const tile_sample high = numbers_of_white<Pixel>();
        uint32_t words[2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint32_t select = i ? 0x7632 : 0x5410;
            const tile_sample sum =
                sample_of_bits(__byte_perm(v[0], v[1], select), __byte_perm(v[2], v[3], select));
            words[i] = tile_pixel<FORMAT>::word(
                least_of({__hmax2(sum.xy, low.xy), __hmax2(sum.zw, low.zw)}, high));
        }
        return make_uint2(words[0], words[1]);
    }
}

/* One of the flags of what a tile's pixels were read for. */
template <typename Tile> static __device__ __forceinline__ bool opaque_of_lane(const Tile &tile)
{
    const foveate_tiles &tiles = tile.work.tiles;
    const int level = min(tile.level, 2);
    const int x = tile.x0 >> level;
    const int y = (tile.y0 >> level) + FOVEATE_TILE_ROWS_BEFORE;
    const int lane = (int)threadIdx.x % 8;
    const int last_row =
        (tiles.levels[level].height + FOVEATE_TILE_ROWS_BEFORE) / FOVEATE_TILE_MADE_ROWS;
    const int quad = min(x / 4 + lane % 4, tiles.levels[level].pitch - 2);
    const int row = min((y + lane / 4 * 11) / FOVEATE_TILE_MADE_ROWS, last_row);
    return *opaque_flag(tiles, level, quad, row) != 0;
}

/* Where a tile's pixels go. */
struct far_target {
    int side_px;
    bool plain; /* all are written, four at once, and none needs the alpha that it has */
    bool opaque;
};

template <enum fovea_format FORMAT, typename Tile>
static __device__ __forceinline__ far_target target_of(const Tile &tile, bool opaque_of_lane)
{
    const foveate_frame &frame = tile.work.frame;
    const int side_px = tile.level == 1 ? FOVEATE_TILE_QUARTER_PX : FOVEATE_TILE_PX;
    const bool opaque = !needs_alpha<FORMAT>(frame) || __all_sync(~0u, opaque_of_lane);
    const bool inside = tile.x0 + side_px <= frame.width_px && tile.y0 + side_px <= frame.height_px;
    return {side_px, inside && opaque && has_runs(tile.work.dst, 4), opaque};
}

/* Four pixels, opaque as they are. PLAIN: the target is. */
template <enum fovea_format FORMAT, bool PLAIN, typename Tile>
static __device__ __forceinline__ void write_far(const Tile &tile, const far_target &target, int x,
                                                 int y, uint4 words)
{
    if constexpr (PLAIN) {
        *(uint4 *)run_at(tile.work.dst, x, y) = words;
        return;
    }
    const foveate_frame &frame = tile.work.frame;
    if (x >= frame.width_px || y >= frame.height_px) {
        return;
    }
    if (!target.opaque) {
        words = keep_alphas<FORMAT>(words, load_own(tile.work, x, y));
    }
    store_run<4>(tile.work.dst, has_runs(tile.work.dst, 4), x, y, frame.width_px, words);
}

/* Samples of all channels, enlarged along rows to sixteen columns of pixels. */
template <int CHANNELS> struct far_columns {
    mma_halves channel[CHANNELS][2];
};

/* Sixteen by sixteen pixels from (x, y) of the tile on; rows g and g + 8 of both halves, four at a time. */
template <enum fovea_format FORMAT, bool LIGHT, int CHANNELS, bool PLAIN, typename Tile>
static __device__ __forceinline__ void write_block(const Tile &tile, const far_target &target,
                                                   const far_columns<CHANNELS> &columns,
                                                   const mma_a &down, const __half2 (&zero)[4],
                                                   int x, int y)
{
    uint32_t v[2][2][4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
#pragma unroll
        for (int n = 0; n < 2; n++) {
            const uint32_t none = bits_of(zero[c]);
            mma_halves made = {{none, none}};
            if (c < CHANNELS) {
                const mma_halves(&of)[2] = columns.channel[c % CHANNELS];
                made = mma(down, of[0].row[n], of[1].row[n], made);
            }
            v[0][n][c] = made.row[0];
            v[1][n][c] = made.row[1];
        }
    }
    x += 4 * tile.t;
    y += place_of(tile.g);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        const uint2 first = far_words<FORMAT, LIGHT>(v[r][0]);
        const uint2 second = far_words<FORMAT, LIGHT>(v[r][1]);
        if (x < target.side_px && y + 2 * r < target.side_px) {
            write_far<FORMAT, PLAIN>(tile, target, tile.x0 + x, tile.y0 + y + 2 * r,
                                     make_uint4(first.x, first.y, second.x, second.y));
        }
    }
}

/* Samples of all channels -> the tile's pixels. */
template <enum fovea_format FORMAT, bool LIGHT, int CHANNELS, bool PLAIN, typename Tile>
static __device__ __forceinline__ void far_enlarge(const Tile &tile, const far_target &target,
                                                   const far_samples (&samples)[CHANNELS],
                                                   const __half2 (&zero)[4])
{
    const mma_a(&tables)[3][32] =
        tables_of_tiles.spline[tile_spline_index(tile.level, tile.offset)];
#pragma unroll 1
    for (int i = 0; 16 * i < target.side_px; i++) {
        const mma_a across = load_fragment(tables[i]);
        far_columns<CHANNELS> columns;
#pragma unroll
        for (int k = 0; k < 2 * CHANNELS; k++) {
            const far_samples &of = samples[k / 2];
            columns.channel[k / 2][k % 2] =
                mma(across, of.half[0].row[k % 2], of.half[1].row[k % 2], mma_halves{});
        }
        const auto write = [&](int j) {
            write_block<FORMAT, LIGHT, CHANNELS, PLAIN>(
                tile, target, columns, load_fragment(tables[j]), zero, 16 * i, 16 * j);
        };
        if constexpr (PLAIN && !LIGHT) {
            write(0);
            write(1);
            if (target.side_px > 32) {
                write(2);
            }
        } else {
#pragma unroll 1
            for (int j = 0; 16 * j < target.side_px; j++) {
                write(j);
            }
        }
    }
}

/* ---- A tile */

template <enum fovea_format FORMAT, bool LIGHT, int CHANNELS, typename Tile>
static __device__ __forceinline__ void make_far(const Tile &tile)
{
    /* What comes from memory is asked for first. */
    const bool opaque = needs_alpha<FORMAT>(tile.work.frame) && opaque_of_lane(tile);
    const far_places places = places_of(tile);
    far_window windows[CHANNELS];
    __half2 zero[4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
        zero[c] = far_zero<FORMAT, CHANNELS>(c, LIGHT);
        if (c < CHANNELS) {
            windows[c % CHANNELS] = load_window(places, c);
        }
    }
    const far_samples parts = parts_of(tile);
#pragma unroll 1
    for (int i = 0; i < tile.blurs; i++) {
        fill_weights(tile, i);
    }
    far_samples samples[CHANNELS];
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        if constexpr (pixel<FORMAT>::white > 255) {
            const __half2 base = least_of_window(windows[c], !LIGHT || c == 3);
            subtract(windows[c], base);
            zero[c] = __hadd2(zero[c], base);
        }
        samples[c] = blurred(windows[c], weights_of(tile, 0, 0), weights_of(tile, 0, 1));
    }
#pragma unroll 1
    for (int i = 1; i < tile.blurs; i++) {
        const mma_a first = weights_of(tile, i, 0);
        const mma_a second = weights_of(tile, i, 1);
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            mix(samples[c], blurred(windows[c], first, second), parts, i - 1);
        }
    }
    const far_target target = target_of<FORMAT>(tile, opaque);
    if (target.plain) {
        far_enlarge<FORMAT, LIGHT, CHANNELS, true>(tile, target, samples, zero);
    } else {
        far_enlarge<FORMAT, LIGHT, CHANNELS, false>(tile, target, samples, zero);
    }
}

template <enum fovea_format FORMAT, bool LIGHT, typename Tile>
static __device__ __forceinline__ void make_far_colors(const Tile &tile)
{
    if constexpr (FORMAT == FOVEA_FORMAT_R8) {
        make_far<FORMAT, LIGHT, 1>(tile);
    } else if (tile_pixel<FORMAT>::has_alpha && tile.work.frame.blur_alpha) {
        make_far<FORMAT, LIGHT, 4>(tile);
    } else {
        make_far<FORMAT, LIGHT, 3>(tile);
    }
}

/* The warp's. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_far_tile(const tile_work<FORMAT, Image> &work,
                                                     const foveate_tile_task *of)
{
    const far_task task(of);
    const uint32_t place = task.at(offsetof(foveate_tile_task, place));
    const int thread = near_thread();
    const int lane = thread % 32;
    const int level = (int)(place >> FOVEATE_TILE_KIND_SHIFT) - FOVEATE_TILE_LEVEL_0;
    const int x0 = (int)(place & FOVEATE_TILE_PLACE_MASK) * FOVEATE_TILE_QUARTER_PX;
    const int y0 =
        (int)(place >> FOVEATE_TILE_ROW_SHIFT & FOVEATE_TILE_PLACE_MASK) * FOVEATE_TILE_QUARTER_PX;
    const far_tile<FORMAT, Image> tile = {
        work,
        task,
        level,
        (int)(place >> FOVEATE_TILE_RADIUS_SHIFT & FOVEATE_TILE_RADIUS_MASK),
        x0,
        y0,
        (x0 >> level) % 4,
        lane / 4,
        lane % 4,
        (uint4 *)work.shared + thread};
    if (work.frame.light) {
        make_far_colors<FORMAT, true>(tile);
    } else {
        make_far_colors<FORMAT, false>(tile);
    }
}

#endif
