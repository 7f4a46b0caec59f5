/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The MMA path of tiles makes all pixels that have neighbours in their support. If a float is NaN
 * or infinite, pixels are gathered one by one, because matrix products would spread it over all of
 * the tile.
 *
 * The block loads its window into shared memory, a plane for each channel
 * (gauss/cuda/tiles/gauss_tiles.cu draws it). Then each of the four warps works alone: it makes 16
 * x 16 outputs from 32 x 32 samples, in registers from the first product to the last,
 *
 *     Y = W S         blurred down     16 x 32 times 32 x 32
 *     Z = Y W'        and across       16 x 32 times 32 x 16
 *     X = Z U'        up-sampled across and, its squares transposed,
 *     P = U X         down             the pixels
 *
 * because the result of one product is the left operand of the next (cuda/mma.cuh). W has the
 * Gaussian's weights, the same for every output. U has the cubic B-spline's, or is the identity if
 * outputs are pixels.
 *
 * Sigma grows across a warp's outputs, and W cannot. So outputs are blurred with two or three
 * variances that lie in their range, and each output blends them by Lagrange polynomials of its own
 * variance. For a texture of w cycles the error is, with x = (2 pi w)^2 / 2 and h half the range,
 * h^2 x^2 exp(-x sigma^2) / 4 for two variances at Chebyshev's nodes: less than 0.135 (h /
 * sigma^2)^2. Below 0.9 px the corners of a warp are too far apart for that: there each pixel
 * evaluates sigma, and four to seven variances are blended, the first of them 0 if pixels are
 * copied. Such subtiles are few; with code of their own they outlived all others. */
#pragma once

#include "window.cuh"
#include "write.cuh"

/* Returns whether samples are light, as floats always are. */
template <enum fovea_format FORMAT> DEVICE bool averages_light(const gauss_frame &frame)
{
    return holds_floats<FORMAT>() || frame.light != 0;
}

/* ---- A tile */

/* A warp's pixels, and the spline's rows from its first pixel on. */
struct tile_mma_place {
    int x0;
    int y0;
    int side_px;
    const uint32_t *across;
    const uint32_t *down;

    /* (x, y) is the block's first pixel. */
    MEMBER tile_mma_place(const tile_mma_shape &shape, int x, int y)
        : x0(x + tile_mma_warp() % 2 * shape.warp_px()),
          y0(y + tile_mma_warp() / 2 * shape.warp_px()), side_px(shape.warp_px())
    {
        /* All warps have made the same outputs from level 3 on. */
        const int first = shape.level < 3 ? 0 : side_px;
        across = spline_of_level(shape.level) + 8 * (tile_mma_warp() % 2 * first);
        down = spline_of_level(shape.level) + 8 * (tile_mma_warp() / 2 * first);
    }
    MEMBER bool is_in(const gauss_frame &frame) const
    {
        return x0 < frame.width_px && y0 < frame.height_px;
    }
};

template <enum fovea_format FORMAT, typename Image>
DEVICE void write_mma_tile(const tile_work<FORMAT, Image> &work, const tile_mma_place &place,
                           const tile_mma_levels &levels, const uint32_t (&z)[MMA_COLORS][4],
                           bool opaque)
{
    const int lane = tile_mma_lane();
    const int side_px = place.side_px;
    const tile_mma_writer<FORMAT, Image> writer(work, opaque, side_px, place.x0, place.y0,
                                                lane % 4 * 4, lane / 4);
    const uint32_t *across = place.across;
    const uint32_t *down = place.down;
    if (work.frame.light) {
        if (writer.is_plain()) {
            write_upsampled<true, true>(writer, levels, z, across, down, side_px);
        } else {
            write_upsampled<false, true>(writer, levels, z, across, down, side_px);
        }
    } else if (writer.is_plain()) {
        write_upsampled<true, false>(writer, levels, z, across, down, side_px);
    } else {
        write_upsampled<false, false>(writer, levels, z, across, down, side_px);
    }
}

/* The result of loading a block's window. */
struct tile_mma_loaded {
    tile_sample base; /* of floats the window's least, from which it follows */
    bool opaque; /* as far as this thread has seen */
    bool spreads; /* A float is NaN or infinite, which matrix products would spread. */
};

template <enum fovea_format FORMAT> DEVICE tile_sample base_of(const tile_sample &loaded)
{
    return holds_floats<FORMAT>() ? base_of_least(loaded) : loaded;
}

/* The opaque flags of the four blocks of the first kernel that have read the tile's pixels, or a
 * warp's. Their loads are issued before other work and used after it. */
struct tile_flags {
    uint8_t of[4];

    MEMBER void issue_loads(const gauss_tiles &tiles, int x0, int y0)
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
    MEMBER bool are_set() const
    {
        return of[0] & of[1] & of[2] & of[3];
    }
};

/* Finds the variances of a subtile of the picture. (x, y) is the warp's first output. */
template <enum fovea_format FORMAT, typename Image>
DEVICE void find_variances(const tile_work<FORMAT, Image> &work, const tile_mma_shape &shape,
                           const tile_mma_memory &memory, int x, int y,
                           tile_mma_variances &variances)
{
    if (shape.narrow) {
        variances.find_narrow(work.law, x, y, averages_light<FORMAT>(work.frame), memory);
    } else {
        variances.template find<(pixel<FORMAT>::white > 0)>(work.law, shape, x, y, memory);
    }
}

/* Loads a block's window, and meanwhile finds the variances of the warp's outputs, whose first is
 * (x, y). */
template <enum fovea_format FORMAT, typename Image>
DEVICE tile_mma_loaded load_mma_tile(const tile_work<FORMAT, Image> &work,
                                     const tile_mma_shape &shape, const tile_mma_memory &memory,
                                     int x0, int y0, int x, int y, tile_mma_variances &variances)
{
    const bool light = averages_light<FORMAT>(work.frame);
    const int left = (x0 >> shape.level) - shape.spline - MMA_BEFORE;
    const int top = (y0 >> shape.level) - shape.spline - MMA_BEFORE;
    tile_mma_loaded loaded = {flat_sample(0.0f), false, false};
    if (shape.level == 0) {
        tile_mma_picture_window<FORMAT, Image> window;
        window.issue_loads(work, x0, y0, left, top);
        find_variances(work, shape, memory, x, y, variances);
        if constexpr (pixel<FORMAT>::white == 0) {
            loaded.spreads = !window.stats().settle(memory.least, loaded.base);
            if (loaded.spreads) {
                return loaded;
            }
        } else if (!light) {
            loaded.base = window.base(work, x0, y0);
        }
        loaded.opaque = window.commit(light, base_of<FORMAT>(loaded.base), memory.planes);
        return loaded;
    }
    tile_mma_level_window window;
    window.issue_loads(work.frame, work.tiles, shape, x0, y0, left, top);
    tile_flags flags;
    if constexpr (pixel<FORMAT>::white > 0) {
        const int half = shape.warp_px();
        flags.issue_loads(work.tiles, x0 + tile_mma_warp() % 2 * half,
                          y0 + tile_mma_warp() / 2 * half);
    }
    variances.template find<(pixel<FORMAT>::white > 0)>(work.law, shape, x, y, memory);
    if constexpr (pixel<FORMAT>::white > 0) {
        loaded.opaque = flags.are_set();
    }
    if constexpr (pixel<FORMAT>::white == 0) {
        loaded.spreads = !window.stats().settle(memory.least, loaded.base);
        if (loaded.spreads) {
            return loaded;
        }
    } else if (!light) {
        loaded.base = window.base();
    }
    window.commit(shape.own, base_of<FORMAT>(loaded.base), memory.planes);
    return loaded;
}

/* Makes, up-samples and writes a warp's outputs. */
template <enum fovea_format FORMAT, typename Image>
DEVICE void make_outputs(const tile_work<FORMAT, Image> &work, const tile_mma_place &place,
                         const tile_mma_variances &variances, const tile_mma_memory &memory,
                         mma_place window, const tile_sample &base, bool opaque, bool narrow)
{
    tile_mma_sums sums;
    tile_mma_levels levels;
    uint32_t z[MMA_COLORS][4];
    if constexpr (FORMAT == FOVEA_FORMAT_RGBA16F) {
        tile_mma_float_writer<Image> writer(work, place.side_px, place.x0, place.y0);
        if (narrow) {
            const uint32_t copied = variances.copied();
            blur_outputs<true>(variances, memory.shares, window, sums);
            levels.set<FORMAT>(base, true);
            limit_outputs(sums, levels.low, levels.high, z);
            write_outputs(writer, levels, z, copied);
            return;
        }
        writer.issue_first_loads();
        blur_outputs<false>(variances, memory.shares, window, sums);
        levels.set<FORMAT>(base, true);
        limit_outputs(sums, levels.low, levels.high, z);
        if (writer.plain) {
            write_floats<true>(writer, levels, z, place.across, place.down);
        } else {
            write_floats<false>(writer, levels, z, place.across, place.down);
        }
    } else {
        if (narrow) {
            blur_outputs<true>(variances, memory.shares, window, sums);
        } else {
            blur_outputs<false>(variances, memory.shares, window, sums);
        }
        levels.set<FORMAT>(base, work.frame.light != 0);
        limit_outputs(sums, levels.low, levels.high, z);
        write_mma_tile(work, place, levels, z, opaque);
    }
}

/* Returns false, with nothing written, if floats are there that matrix products would spread. Of a
 * MIXED subtile, which is made from the picture and then from level 1, a warp writes its part when
 * it is made from the level that its least sigma asks for: `coarse`, if that is level 1. */
template <enum fovea_format FORMAT, typename Image>
DEVICE bool make_by_mma(const tile_work<FORMAT, Image> &work, const tile_mma_shape &shape, int x0,
                        int y0, bool mixed, bool &coarse)
{
    const tile_mma_memory memory(work.shared);
    const int right = tile_mma_warp() % 2;
    const int below = tile_mma_warp() / 2;
    tile_mma_variances variances;
    if (mixed && shape.level == 0) {
        coarse = false;
    }
    const tile_mma_loaded loaded = load_mma_tile(
        work, shape, memory, x0, y0, (x0 >> shape.level) - shape.spline + right * shape.own,
        (y0 >> shape.level) - shape.spline + below * shape.own, variances);
    if (loaded.spreads) {
        return false;
    }
    const bool opaque = __syncthreads_and(loaded.opaque) != 0;
    const tile_mma_place place(shape, x0, y0);
    if (mixed && shape.level == 0) {
        coarse = variances.least >= GAUSS_TILE_SIGMA_1 * GAUSS_TILE_SIGMA_1;
    }
    if (place.is_in(work.frame) && (!mixed || coarse == (shape.level > 0))) {
        const int lane = tile_mma_lane();
        const int row = below * shape.own + lane % 16;
        const mma_place window = mma_place_of(memory.planes) +
                                 2 * (row * MMA_PITCH + right * shape.right() + lane / 16 * 8);
        make_outputs(work, place, variances, memory, window, loaded.base, opaque, shape.narrow);
    }
    return true;
}
