/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The MMA path of tiles (gauss/cuda/tiles/mma/tile.cuh): loads a block's window into shared
 * memory, a plane for each channel. */
#pragma once

#include "kernels/gauss/cuda/common/image.cuh"
#include "kernels/gauss/cuda/tiles/common/sample.cuh"
#include "kernels/gauss/cuda/tiles/common/sigma.cuh"

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
DEVICE tile_words<typename Image::word, 4> load_own(const tile_work<FORMAT, Image> &work, int x,
                                                    int y)
{
    const gauss_frame &frame = work.frame;
    const clamped_image<Image> clamped = {work.src, frame.width_px - 1, frame.height_px - 1};
    return load_four(clamped, x + 4 <= frame.width_px && has_runs(work.src, 4), x, y);
}

/* Reads tid.x anew each time: values that compilers hoist from it, for every kind of tile, would
 * spill to local memory. */
DEVICE uint32_t tile_mma_thread()
{
    return ptx_thread_x();
}

DEVICE int tile_mma_lane()
{
    return (int)(tile_mma_thread() % 32u);
}

DEVICE int tile_mma_warp()
{
    return (int)(tile_mma_thread() / 32u);
}

#define MMA_COLORS 3 /* alpha is kept, not blurred */
#define MMA_WINDOW 32 /* samples under a warp's outputs, along either axis */
#define MMA_BEFORE 8 /* samples before the first output */

/* The shape of a block's work, in samples. It is known at run time only, so that one piece of code
 * makes all shapes: separate code for each would be fetched anew by nearly every warp. */
struct tile_mma_shape {
    int level;
    int side_px; /* the block's side */
    int own; /* samples between the first outputs of two warps; they overlap by what the spline
                needs */
    int spline; /* outputs before that of the first pixel */
    int used; /* outputs used, along either axis */
    bool narrow; /* sigma is small, and evaluated at each pixel */

    /* Returns the shape of a subtile. */
    DEVICE tile_mma_shape of_subtile(int level, bool fine)
    {
        return {level,
                GAUSS_TILE_SUBTILE_PX,
                16 >> level,
                level == 0 ? 0 : 2,
                level == 0 ? 16 : 12,
                level == 0 && fine};
    }
    /* Returns the shape of a whole tile, or of a quadrant of one. From level 3 on it has no more
     * outputs than one warp makes: all four warps make them, and each up-samples its own pixels. */
    DEVICE tile_mma_shape of_whole(int level)
    {
        return {level,
                level == 1 ? GAUSS_TILE_QUADRANT_PX : GAUSS_TILE_PX,
                level < 3 ? 12 : 0,
                2,
                level >= 4 ? 12 : 16,
                false};
    }

    MEMBER int warp_px() const
    {
        return side_px / 2;
    }
    /* Returns where the right warps' window begins in a row. ldmatrix loads rows from multiples of
     * 16 bytes. Outputs of levels are 12 apart, so the columns of right warps are stored a second
     * time. */
    MEMBER int right() const
    {
        return level == 0 ? own : MMA_WINDOW;
    }
};

/* ---- Shared memory: gauss/cuda/tiles/gauss_tiles.cu draws it */

#define MMA_NODES 3 /* along either axis: at outputs 0, 8 and the end of those used */
/* Halves of a row: an odd number of 16 bytes, so that rows have no bank conflicts. */
#define MMA_PITCH (2 * MMA_WINDOW + 8)
#define MMA_PLANE (48 * MMA_PITCH)
static_assert(2 * MMA_COLORS * MMA_PLANE == GAUSS_TILE_PLANES_BYTES, "what a launch asks for");

struct tile_mma_memory {
    float4 *shares; /* this warp's: two for each variance; before them, sigmas at nodes */
    uint2 *least; /* of all warps */
    uint32_t *planes;

    MEMBER explicit tile_mma_memory(char *shared)
        : shares((float4 *)shared + 2 * GAUSS_TILE_VARIANCES * tile_mma_warp()),
          least((uint2 *)(shared + GAUSS_TILE_SHARES_BYTES)),
          planes((uint32_t *)(shared + GAUSS_TILE_FIXED_BYTES))
    {
    }
};

/* Rounds to whole levels, which halves hold exactly. */
DEVICE tile_sample whole_levels(const tile_sample &sample)
{
    return {h2rint(sample.xy), h2rint(sample.zw)};
}

DEVICE __half2 low_halves(__half2 a, __half2 b)
{
    return half2_of(__byte_perm(bits_of(a), bits_of(b), 0x5410));
}

DEVICE __half2 high_halves(__half2 a, __half2 b)
{
    return half2_of(__byte_perm(bits_of(a), bits_of(b), 0x7632));
}

/* One channel each of four neighbours. */
typedef uint2 tile_mma_colors[MMA_COLORS];

/* Packs samples by channel, less `zero`. */
DEVICE void colors_of_samples(const uint4 &first, const uint4 &second, const tile_sample &zero,
                              tile_mma_colors &colors)
{
    const tile_sample a = sample_of_bits(first.x, first.y) - zero;
    const tile_sample b = sample_of_bits(first.z, first.w) - zero;
    const tile_sample c = sample_of_bits(second.x, second.y) - zero;
    const tile_sample d = sample_of_bits(second.z, second.w) - zero;
    colors[0] = make_uint2(bits_of(low_halves(a.xy, b.xy)), bits_of(low_halves(c.xy, d.xy)));
    colors[1] = make_uint2(bits_of(high_halves(a.xy, b.xy)), bits_of(high_halves(c.xy, d.xy)));
    colors[2] = make_uint2(bits_of(low_halves(a.zw, b.zw)), bits_of(low_halves(c.zw, d.zw)));
}

DEVICE void store_colors(const tile_mma_colors &colors, uint32_t *planes)
{
#pragma unroll
    for (int c = 0; c < MMA_COLORS; c++) {
        *(uint2 *)(planes + c * (MMA_PLANE / 2)) = colors[c];
    }
}

/* A thread loads four columns of a window, every so many rows, and stores them later. */
template <int SIDE> struct tile_mma_column {
    static const int fours = SIDE / 4;
    static const int rows = GAUSS_TILE_THREADS / fours; /* rows at a time */
    static const int reads = (SIDE + rows - 1) / rows;

    int x;
    int row; /* first row; the last threads repeat others' work */

    MEMBER tile_mma_column()
        : x((int)(tile_mma_thread() % (uint32_t)fours * 4u)),
          row(min((int)(tile_mma_thread() / (uint32_t)fours), rows - 1))
    {
    }
    MEMBER bool is_beyond(int i) const
    {
        return reads * rows > SIDE && i == reads - 1 && row + i * rows >= SIDE;
    }
    MEMBER uint32_t *place(uint32_t *planes, int i) const
    {
        return planes + (row + i * rows) * (MMA_PITCH / 2) + x / 2;
    }
};

#define MMA_LEVEL_SIDE 44 /* 12 + MMA_WINDOW; all shapes load as many */
#define MMA_PICTURE_SIDE 48

/* ---- Floats. Samples are taken relative to the least of the window, which is known when all of it
 * has been seen, or to 0 if that is below 0, or the largest would overflow. Without a base flat
 * regions would not stay flat, because weights end with the window. */

DEVICE tile_sample base_of_least(const tile_sample &least)
{
    const __half2 zero = __float2half2_rn(0.0f);
    return {__hmax2(least.xy, zero), __hmax2(least.zw, zero)};
}

/* Returns the least of the window's samples, relative to its base. */
DEVICE tile_sample least_from_base(const tile_sample &least)
{
    const __half2 zero = __float2half2_rn(0.0f);
    return {__hmin2(least.xy, zero), __hmin2(least.zw, zero)};
}

struct tile_mma_stats {
    tile_sample least = flat_sample(65504.0f);
    __half2 bad = {}; /* NaN if a sample was NaN or infinite */

    MEMBER void look(uint32_t xy, uint32_t zw)
    {
        const __half2 zero = __float2half2_rn(0.0f);
        const tile_sample sample = sample_of_bits(xy, zw);
        least = least_of(least, sample);
        bad = __hfma2(sample.zw, zero, __hfma2(sample.xy, zero, bad));
    }

    /* Finds the block's least sample, with a barrier. Returns false if a thread has seen a float
     * that matrix products would spread. */
    MEMBER bool settle(uint2 *of_warps, tile_sample &out_least) const
    {
        keep_least(least, of_warps);
        if (!__syncthreads_and(!__hisnan(__hadd(__low2half(bad), __high2half(bad))))) {
            return false;
        }
        out_least = least_of_block(of_warps);
        return true;
    }
};

/* ---- A window of a level */

struct tile_mma_level_window {
    typedef tile_mma_column<MMA_LEVEL_SIDE> column;

    uint2 middle; /* of the tile */
    uint4 of[column::reads][2];

    /* (left, top) is the window's first sample. */
    MEMBER void issue_loads(const gauss_frame &frame, const gauss_tiles &tiles,
                            const tile_mma_shape &shape, int x0, int y0, int left, int top)
    {
        const gauss_level &level = tiles.levels[shape.level];
        const int half = shape.side_px / 2;
        middle = *sample_at(tiles, level, min(x0 + half, frame.width_px - 1) >> shape.level,
                            min(y0 + half, frame.height_px - 1) >> shape.level);
        const int last_x = level.width + GAUSS_MARGIN - 1;
        const int last_y = level.height + GAUSS_MARGIN - 1;
        const column own;
        const int x = left + own.x;
        /* Two samples are read at once; on level 5 tiles begin at odd ones, too. */
        if (left >= -GAUSS_MARGIN && left + MMA_LEVEL_SIDE - 1 <= last_x && left % 2 == 0) {
            const char *from = (const char *)sample_at(tiles, level, x, 0);
            const int pitch_bytes = 8 * level.pitch;
#pragma unroll
            for (int i = 0; i < column::reads; i++) {
                const int y = min(max(top + own.row + i * column::rows, -GAUSS_MARGIN), last_y);
                const uint4 *at = (const uint4 *)(from + y * pitch_bytes);
                of[i][0] = at[0];
                of[i][1] = at[1];
            }
            return;
        }
        int columns[4];
#pragma unroll
        for (int n = 0; n < 4; n++) {
            columns[n] = min(max(x + n, -GAUSS_MARGIN), last_x);
        }
#pragma unroll
        for (int i = 0; i < column::reads; i++) {
            const int y = min(max(top + own.row + i * column::rows, -GAUSS_MARGIN), last_y);
            const uint2 *row = sample_at(tiles, level, 0, y);
#pragma unroll
            for (int k = 0; k < 2; k++) {
                const uint2 a = row[columns[2 * k]];
                const uint2 b = row[columns[2 * k + 1]];
                of[i][k] = make_uint4(a.x, a.y, b.x, b.y);
            }
        }
    }

    /* The base of stored values. Light has none, because halves are more precise where it is
     * darker. */
    MEMBER tile_sample base() const
    {
        return whole_levels(sample_of_bits(middle.x, middle.y));
    }

    MEMBER tile_mma_stats stats() const
    {
        tile_mma_stats stats;
#pragma unroll
        for (int i = 0; i < 2 * column::reads; i++) {
            stats.look(of[i / 2][i % 2].x, of[i / 2][i % 2].y);
            stats.look(of[i / 2][i % 2].z, of[i / 2][i % 2].w);
        }
        return stats;
    }

    /* `own` is the shape's. */
    MEMBER void commit(int own, const tile_sample &zero, uint32_t *planes) const
    {
        const column at;
#pragma unroll
        for (int i = 0; i < column::reads; i++) {
            tile_mma_colors colors;
            colors_of_samples(of[i][0], of[i][1], zero, colors);
            uint32_t *place = at.place(planes, i);
            if (at.x < MMA_WINDOW) {
                store_colors(colors, place);
            }
            if (at.x >= own && at.x < own + MMA_WINDOW) {
                store_colors(colors, place + (MMA_WINDOW - own) / 2);
            }
        }
    }
};

/* ---- A window of the picture: RGBA8 as stored or, by a polynomial, as light, and RGBA16F, which
 * is light */

/* Converts two neighbours' bytes to channels, less `zero`. */
DEVICE void colors_of_words(uint32_t first, uint32_t second, const tile_sample &zero,
                            uint32_t (&colors)[MMA_COLORS])
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

DEVICE void light_of_words(uint32_t first, uint32_t second, uint32_t (&colors)[MMA_COLORS])
{
    const uint32_t even = 0x00ff00ffu;
    const uint32_t rg = __byte_perm(first, second, 0x5410);
    const uint32_t b = __byte_perm(first, second, 0x7632);
    colors[0] = bits_of(light_of_bytes(rg & even));
    colors[1] = bits_of(light_of_bytes(rg >> 8 & even));
    colors[2] = bits_of(light_of_bytes(b & even));
}

/* Returns a pixel's stored levels less the middle. */
DEVICE tile_sample levels_of_word(uint32_t word)
{
    return sample_of_bits(__byte_perm(word, 0x64646464u, 0x4140),
                          __byte_perm(word, 0x64646464u, 0x4342)) -
           biased_middle();
}

template <enum fovea_format FORMAT, typename Image> struct tile_mma_picture_window {
    typedef tile_mma_column<MMA_PICTURE_SIDE> column;
    typedef typename Image::word word;
    static const int half = GAUSS_TILE_SUBTILE_PX / 2;

    bool inside;
    word middle; /* of the tile, its base as stored */
    tile_words<word, 4> of[column::reads];

    /* (left, top) is the window's first pixel. */
    MEMBER void issue_loads(const tile_work<FORMAT, Image> &work, int x0, int y0, int left, int top)
    {
        const gauss_frame &frame = work.frame;
        const column own;
        const int x = left + own.x;
        inside = left >= 0 && top >= 0 && left + MMA_PICTURE_SIDE <= frame.width_px &&
                 top + MMA_PICTURE_SIDE <= frame.height_px && has_runs(work.src, 4);
        if (inside) {
            const image_run<Image> from = run_at(work.src, x, top + own.row);
            const int64_t stride = row_bytes(work.src);
#pragma unroll
            for (int i = 0; i < column::reads; i++) {
                /* Rows beyond the last are not stored, and the first row always exists. */
                of[i] = read_run<word, 4>(
                    known_rows_on(from, (own.is_beyond(i) ? 0 : i) * column::rows, stride));
            }
            middle = load_plain(work.src, x0 + half, y0 + half);
            return;
        }
        const clamped_image<Image> clamped = {work.src, frame.width_px - 1, frame.height_px - 1};
#pragma unroll
        for (int i = 0; i < column::reads; i++) {
            of[i] = load_four(clamped, false, x, top + own.row + i * column::rows);
        }
    }

    /* The base of stored values. Beside the picture its load is not issued with the others: a
     * thread that loads pixels from any memory would wait for all of them. */
    MEMBER tile_sample base(const tile_work<FORMAT, Image> &work, int x0, int y0) const
    {
        return levels_of_word(inside ? middle
                                     : work.src.load(min(x0 + half, work.frame.width_px - 1),
                                                     min(y0 + half, work.frame.height_px - 1)));
    }

    /* It is asked of floats. */
    MEMBER tile_mma_stats stats() const
    {
        tile_mma_stats stats;
#pragma unroll
        for (int i = 0; i < 4 * column::reads; i++) {
            stats.look(of[i / 4].of[i % 4].x, of[i / 4].of[i % 4].y);
        }
        return stats;
    }

    /* Stores the window, relative to the base. Returns whether all pixels that this thread has read
     * are opaque, or false for floats. */
    MEMBER bool commit(bool light, const tile_sample &base, uint32_t *planes) const
    {
        const tile_sample zero = biased_middle() + base;
        const column at;
        uint32_t all = ~0u;
#pragma unroll
        for (int i = 0; i < column::reads; i++) {
            tile_mma_colors colors;
            if constexpr (pixel<FORMAT>::white == 0) {
                const uint2(&own)[4] = of[i].of;
                colors_of_samples(make_uint4(own[0].x, own[0].y, own[1].x, own[1].y),
                                  make_uint4(own[2].x, own[2].y, own[3].x, own[3].y), base, colors);
            } else {
                uint32_t first[MMA_COLORS];
                uint32_t second[MMA_COLORS];
                if (light) {
                    light_of_words(of[i].of[0], of[i].of[1], first);
                    light_of_words(of[i].of[2], of[i].of[3], second);
                } else {
                    colors_of_words(of[i].of[0], of[i].of[1], zero, first);
                    colors_of_words(of[i].of[2], of[i].of[3], zero, second);
                }
#pragma unroll
                for (int c = 0; c < MMA_COLORS; c++) {
                    colors[c] = make_uint2(first[c], second[c]);
                }
                all &= of[i].of[0] & of[i].of[1] & of[i].of[2] & of[i].of[3];
            }
            if (!at.is_beyond(i)) {
                store_colors(colors, at.place(planes, i));
            }
        }
        return are_opaque<FORMAT>(all);
    }
};
