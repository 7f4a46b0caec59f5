/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* RGBA8, which most displays are given, by two kinds of kernels. Of the first a pixel has one
 * place: a thread first finds where all its pixels come from. Where the picture has every pixel
 * around those places, it reads them all before it works with the first, and asks for no edge. As
 * they are stored, pixels are bound by memory then; with a place for each colour, by how many lines
 * of the cache the reads touch. Of the second a pixel is the mean of several places (lens.samples),
 * or a spline's. Sources come from a type: spot.cuh's lens_by_formula, or grid.cuh's lens_by_grid.
 */
#pragma once

#include "grid.cuh"
#include "sums.cuh"

/* ---- One place a pixel ----------------------------------------------------------------------- */

/* The pixels around a place, or around one for each colour; green and alpha come from the axis's.
 */
template <typename One, bool COLORED> struct lens_pixel {
    static const int PLACES = COLORED ? LENS_COLORS : 1;
    static const int AXIS = COLORED ? LENS_AXIS : 0;

    lens_spot places[PLACES];
    lens_square<One::TAPS> squares[PLACES];

    template <typename Column> MEMBER void find(const Column &column, int down)
    {
#pragma unroll
        for (int i = 0; i < PLACES; i++) {
            places[i] = column.at(COLORED ? i : LENS_AXIS, down);
        }
    }
    MEMBER bool has_sources(const lens_frame &frame) const
    {
        bool all = true;
#pragma unroll
        for (int i = 0; i < PLACES; i++) {
            all = all & lens_has<One::TAPS>(frame, places[i].x >> frame.fixed.bits,
                                            places[i].y >> frame.fixed.bits);
        }
        return all;
    }
    template <typename Image> MEMBER void load(const lens_frame &frame, const Image &src)
    {
#pragma unroll
        for (int i = 0; i < PLACES; i++) {
            squares[i] = src.template load_square<One::TAPS>(places[i].x >> frame.fixed.bits,
                                                             places[i].y >> frame.fixed.bits);
        }
    }
    template <int COLOR> MEMBER uint32_t one(const lens_frame &frame) const
    {
        return One::template one<COLOR>(squares[COLOR], lens_parts_of(frame, places[COLOR]));
    }
    MEMBER uint32_t word(const lens_frame &frame) const
    {
        const lens_parts parts = lens_parts_of(frame, places[AXIS]);
        if constexpr (COLORED) {
            return lens_word_by<One::AT>(one<0>(frame), one<1>(frame), one<2>(frame),
                                         One::alpha(squares[AXIS], parts, frame.averages_alpha));
        } else {
            return One::all(squares[AXIS], parts, frame.averages_alpha);
        }
    }
    /* A colour whose place lies outside is blank, and so is alpha. */
    template <typename Image> MEMBER uint32_t edge_word(const lens_frame &frame, const Image &src)
    {
        uint32_t blank = 0;
#pragma unroll
        for (int i = 0; i < PLACES; i++) {
            squares[i] = {};
            if (lens_is_inside<One::NEAREST>(frame, places[i])) {
                squares[i] = lens_load_edge<One::TAPS>(frame, src, places[i].x >> frame.fixed.bits,
                                                       places[i].y >> frame.fixed.bits);
            } else {
                blank |= !COLORED ? ~0u : i == AXIS ? 0xff00ff00u : 0xffu << (8 * i);
            }
        }
        return blank == ~0u ? frame.fixed.blank
                            : (word(frame) & ~blank) | (frame.fixed.blank & blank);
    }
};

/* LENS_BYTE_ROWS pixels of a column, as many rows apart as a block has. */
template <typename Sources, typename One, bool COLORED, typename Image>
DEVICE void lens_make_column(const lens_frame &frame, const Image &src, const Image &dst)
{
    const int x = blockIdx.x * Image::SIDE_X + threadIdx.x;
    const int first = blockIdx.y * (Image::SIDE_Y * LENS_BYTE_ROWS) + threadIdx.y;
    const int height_px = frame.shape.height_px;
    if (x >= frame.shape.width_px || first >= height_px) {
        return;
    }
    const typename Sources::template column<One::NEAREST> sources(
        frame, lens_shown_at<One::NEAREST>(frame, x, first));
    const typename Image::column to = dst.column_at(x, first);
    lens_pixel<One, COLORED> pixels[LENS_BYTE_ROWS];
    bool all = first + (LENS_BYTE_ROWS - 1) * Image::SIDE_Y < height_px;
#pragma unroll
    for (int i = 0; i < LENS_BYTE_ROWS; i++) {
        pixels[i].find(sources, i * Image::SIDE_Y);
        all = all & pixels[i].has_sources(frame);
    }
    if (all) {
#pragma unroll
        for (int i = 0; i < LENS_BYTE_ROWS; i++) {
            pixels[i].load(frame, src);
        }
#pragma unroll
        for (int i = 0; i < LENS_BYTE_ROWS; i++) {
            dst.store(to, i * Image::SIDE_Y, pixels[i].word(frame));
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < LENS_BYTE_ROWS; i++) {
        if (first + i * Image::SIDE_Y < height_px) {
            dst.store(to, i * Image::SIDE_Y, pixels[i].edge_word(frame, src));
        }
    }
}

template <typename By, typename One, bool COLORED, typename Image>
DEVICE void lens_make_pixels(const lens_frame &frame, const Image &src, const Image &dst)
{
    By::make(frame, [&](auto sources) {
        lens_make_column<decltype(sources), One, COLORED>(frame, src, dst);
    });
}

/* ---- Several places a pixel, or a spline ----------------------------------------------------- */

/* Places of a pixel whose centre has a source may lie outside of the picture, and those of another
 * colour as far as they like. */
template <int N, typename Image>
DEVICE lens_square<N> lens_load(const lens_frame &frame, const Image &src, const lens_spot &spot)
{
    const int x = (spot.x >> frame.fixed.bits) - (N / 2 - 1);
    const int y = (spot.y >> frame.fixed.bits) - (N / 2 - 1);
    return lens_has<N>(frame, x, y) ? src.template load_square<N>(x, y)
                                    : lens_load_edge<N>(frame, src, x, y);
}

template <int CHANNEL, typename Sums, typename Column, typename Image>
DEVICE void lens_sum_color(const lens_frame &frame, const Image &src, const Column &sources,
                           Sums &sums)
{
    const lens_spot spot = sources.at(CHANNEL, 0);
    sums.template add_one<CHANNEL>(lens_load<Sums::SIDE>(frame, src, spot),
                                   lens_parts_of(frame, spot));
}

/* COLORED: green comes from the axis's places, and red and blue do not. */
template <typename Sources, bool COLORED, typename Sums, typename Image>
DEVICE void lens_sum_places(const lens_frame &frame, const Image &src, const lens_shown &pixel,
                            Sums &sums)
{
    const int across = frame.samples_across;
    const float share = 1.0f / (float)across;
#pragma unroll 1
    for (int j = 0; j < across; j++) {
        const float down_px = ((float)j + 0.5f) * share - 0.5f;
#pragma unroll 2
        for (int i = 0; i < across; i++) {
            const float right_px = ((float)i + 0.5f) * share - 0.5f;
            const typename Sources::template column<false> sources(
                frame, lens_shown_beside(frame, pixel, right_px, down_px));
            const lens_spot axis = sources.at(LENS_AXIS, 0);
            const lens_square<Sums::SIDE> taps = lens_load<Sums::SIDE>(frame, src, axis);
            if (COLORED) {
                sums.template add_one<1>(taps, lens_parts_of(frame, axis));
                lens_sum_color<0>(frame, src, sources, sums);
                lens_sum_color<2>(frame, src, sources, sums);
            } else {
                sums.add(taps, lens_parts_of(frame, axis));
            }
            if (frame.averages_alpha) {
                sums.add_alpha(taps, lens_parts_of(frame, axis));
            }
        }
    }
}

/* The pixel's centre says whether a colour is blank, and gives alpha that is kept. */
template <typename Sources, bool COLORED, typename Sums, typename Image>
DEVICE uint32_t lens_mean_word(const lens_frame &frame, const Image &src, const Sums &none, int x,
                               int y)
{
    const lens_shown pixel = lens_shown_at<false>(frame, x, y);
    const typename Sources::template column<false> sources(frame, pixel);
    const lens_spot centre = sources.at(LENS_AXIS, 0);
    const bool inside = lens_is_inside<false>(frame, centre);
    bool red_inside = inside;
    bool blue_inside = inside;
    if (COLORED) {
        red_inside = lens_is_inside<false>(frame, sources.at(0, 0));
        blue_inside = lens_is_inside<false>(frame, sources.at(2, 0));
    }
    const uint32_t blank = frame.fixed.blank;
    if (!(inside | red_inside | blue_inside)) {
        return blank;
    }
    Sums sums = none;
    lens_sum_places<Sources, COLORED>(frame, src, pixel, sums);
    const int TO = 8 * Sums::AT; /* where the bytes of a mean lie */
    uint32_t alpha = blank;
    if (inside) {
        const lens_parts parts = lens_parts_of(frame, centre);
        alpha = frame.averages_alpha ? sums.mean_of_alpha()
                                     : src.load((centre.x >> frame.fixed.bits) + parts.right(),
                                                (centre.y >> frame.fixed.bits) + parts.below());
    }
    return lens_word_by<Sums::AT>(
        red_inside ? sums.template mean<0>() : (blank & 0xffu) << TO,
        inside ? sums.template mean<1>() : (blank >> 8 & 0xffu) << TO,
        blue_inside ? sums.template mean<2>() : (blank >> 16 & 0xffu) << TO, alpha);
}

/* A thread makes some pixels of a column, more where its block fills a table first. */
template <typename By, typename Sums, bool COLORED, typename Image>
DEVICE void lens_make_means(const lens_frame &frame, const Image &src, const Image &dst)
{
    const int ROWS = Sums::IS_LIGHT ? LENS_TABLE_ROWS : LENS_BYTE_ROWS;
    const int x = blockIdx.x * Image::SIDE_X + threadIdx.x;
    const int first = blockIdx.y * (Image::SIDE_Y * ROWS) + threadIdx.y;
    Sums none(frame.samples_across * frame.samples_across);
    if constexpr (Sums::IS_LIGHT) {
        __shared__ float levels[lens_light_table::LEVELS * lens_light_table::LANES];
        const uint32_t thread = threadIdx.y * Image::SIDE_X + threadIdx.x;
        lens_light_table::fill(levels, thread);
        __syncthreads();
        none.table = {levels, thread % 32 * 4u};
    }
    if (x >= frame.shape.width_px) {
        return;
    }
    By::make(frame, [&](auto sources) {
#pragma unroll 1
        for (int i = 0, y = first; i < ROWS && y < frame.shape.height_px; i++, y += Image::SIDE_Y) {
            dst.store(dst.column_at(x, y), 0,
                      lens_mean_word<decltype(sources), COLORED>(frame, src, none, x, y));
        }
    });
}
