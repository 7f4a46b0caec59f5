/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* These kernels make RGBA8, nearest or bilinear, which most displays are given. A thread first
 * finds where all its pixels come from. Where the picture has every pixel around those places, it
 * reads them all before it works with the first, and asks for no edge. As they are stored, pixels
 * are bound by memory then; with a place for each colour, by how many lines of the cache the reads
 * touch. Places come from a type: spot.cuh's lens_formula_spots, or grid.cuh's lens_grid_spots. */
#ifndef FOVEA_KERNELS_LENS_CUDA_PIXELS_CUH
#define FOVEA_KERNELS_LENS_CUDA_PIXELS_CUH

#include "bytes.cuh"

/* ---- Pixels with one place each -------------------------------------------------------------- */

/* A pixel's place, the pixels around it, and the word that they make. */
template <typename Spots> struct lens_plain {
    typedef Spots spots;
    static const bool NEAREST = false;

    lens_spot spot;
    lens_four four;

    template <typename Column> __device__ __forceinline__ void find(const Column &column, int down)
    {
        spot = column.at(LENS_AXIS, down);
    }
    __device__ __forceinline__ bool has_sources(const lens_frame &frame) const
    {
        return lens_has_four(frame, spot);
    }
    template <typename Image>
    __device__ __forceinline__ void load(const lens_frame &frame, const Image &src)
    {
        four = lens_load_four(frame, src, spot);
    }
    template <typename Bytes>
    __device__ __forceinline__ uint32_t word(const lens_frame &frame, const Bytes &bytes) const
    {
        return bytes.all(four, lens_parts_of(frame, spot), Spots::averages_alpha(frame));
    }
    template <typename Image, typename Bytes>
    __device__ __forceinline__ uint32_t edge_word(const lens_frame &frame, const Image &src,
                                                  const Bytes &bytes, uint32_t blank)
    {
        if (!lens_is_inside(frame, spot)) {
            return blank;
        }
        four = lens_load_edge(frame, src, spot);
        return word(frame, bytes);
    }
};

/* Nearest ones move as they are. */
template <typename Spots> struct lens_nearest_plain {
    typedef Spots spots;
    static const bool NEAREST = true;

    lens_spot spot;
    uint32_t source;

    template <typename Column> __device__ __forceinline__ void find(const Column &column, int down)
    {
        spot = column.at(LENS_AXIS, down);
    }
    __device__ __forceinline__ bool has_sources(const lens_frame &frame) const
    {
        return lens_has_nearest(frame, spot);
    }
    template <typename Image>
    __device__ __forceinline__ void load(const lens_frame &frame, const Image &src)
    {
        source = lens_load_nearest(frame, src, spot);
    }
    __device__ __forceinline__ uint32_t word(const lens_frame &, const lens_moved_bytes &) const
    {
        return source;
    }
    template <typename Image>
    __device__ __forceinline__ uint32_t edge_word(const lens_frame &frame, const Image &src,
                                                  const lens_moved_bytes &, uint32_t blank)
    {
        return lens_nearest_or(frame, src, spot, blank);
    }
};

/* ---- Pixels with a place for each colour ------------------------------------------------------
 */

/* Green and alpha come from the axis's place, and red and blue do not. */
template <typename Spots> struct lens_colored {
    typedef Spots spots;
    static const bool NEAREST = false;

    lens_spot places[LENS_COLORS];
    lens_four fours[LENS_COLORS];

    template <typename Column> __device__ __forceinline__ void find(const Column &column, int down)
    {
#pragma unroll
        for (int color = 0; color < LENS_COLORS; color++) {
            places[color] = column.at(color, down);
        }
    }
    __device__ __forceinline__ bool has_sources(const lens_frame &frame) const
    {
        return lens_has_four(frame, places[0]) & lens_has_four(frame, places[1]) &
               lens_has_four(frame, places[2]);
    }
    template <typename Image>
    __device__ __forceinline__ void load(const lens_frame &frame, const Image &src)
    {
#pragma unroll
        for (int color = 0; color < LENS_COLORS; color++) {
            fours[color] = lens_load_four(frame, src, places[color]);
        }
    }
    template <typename Bytes>
    __device__ __forceinline__ uint32_t word(const lens_frame &frame, const Bytes &bytes) const
    {
        const lens_parts axis = lens_parts_of(frame, places[LENS_AXIS]);
        return lens_word_by<Bytes::AT>(
            bytes.template one<0>(fours[0], lens_parts_of(frame, places[0])),
            bytes.template one<1>(fours[1], axis),
            bytes.template one<2>(fours[2], lens_parts_of(frame, places[2])),
            lens_alpha_of(fours[LENS_AXIS], axis, Spots::averages_alpha(frame)));
    }

    template <int COLOR, typename Image, typename Bytes>
    __device__ __forceinline__ uint32_t edge_byte(const lens_frame &frame, const Image &src,
                                                  const Bytes &bytes, uint32_t blank)
    {
        if (!lens_is_inside(frame, places[COLOR])) {
            return blank >> (8 * COLOR) << (8 * Bytes::AT);
        }
        fours[COLOR] = lens_load_edge(frame, src, places[COLOR]);
        return bytes.template one<COLOR>(fours[COLOR], lens_parts_of(frame, places[COLOR]));
    }
    template <typename Image, typename Bytes>
    __device__ __forceinline__ uint32_t edge_word(const lens_frame &frame, const Image &src,
                                                  const Bytes &bytes, uint32_t blank)
    {
        const uint32_t red = edge_byte<0>(frame, src, bytes, blank);
        const uint32_t green = edge_byte<1>(frame, src, bytes, blank);
        const uint32_t blue = edge_byte<2>(frame, src, bytes, blank);
        const uint32_t alpha =
            lens_is_inside(frame, places[LENS_AXIS])
                ? lens_alpha_of(fours[LENS_AXIS], lens_parts_of(frame, places[LENS_AXIS]),
                                Spots::averages_alpha(frame))
                : blank;
        return lens_word_by<Bytes::AT>(red, green, blue, alpha);
    }
};

template <typename Spots> struct lens_nearest_colored {
    typedef Spots spots;
    static const bool NEAREST = true;

    lens_spot places[LENS_COLORS];
    uint32_t sources[LENS_COLORS];

    template <typename Column> __device__ __forceinline__ void find(const Column &column, int down)
    {
#pragma unroll
        for (int color = 0; color < LENS_COLORS; color++) {
            places[color] = column.at(color, down);
        }
    }
    __device__ __forceinline__ bool has_sources(const lens_frame &frame) const
    {
        return lens_has_nearest(frame, places[0]) & lens_has_nearest(frame, places[1]) &
               lens_has_nearest(frame, places[2]);
    }
    template <typename Image>
    __device__ __forceinline__ void load(const lens_frame &frame, const Image &src)
    {
#pragma unroll
        for (int color = 0; color < LENS_COLORS; color++) {
            sources[color] = lens_load_nearest(frame, src, places[color]);
        }
    }
    /* Green and alpha lie in bytes 1 and 3. */
    __device__ __forceinline__ uint32_t word(const lens_frame &, const lens_moved_bytes &) const
    {
        return (sources[LENS_AXIS] & 0xff00ff00u) | (sources[0] & 0xffu) | (sources[2] & 0xff0000u);
    }
    template <typename Image>
    __device__ __forceinline__ uint32_t edge_word(const lens_frame &frame, const Image &src,
                                                  const lens_moved_bytes &bytes, uint32_t blank)
    {
#pragma unroll
        for (int color = 0; color < LENS_COLORS; color++) {
            sources[color] = lens_nearest_or(frame, src, places[color], blank);
        }
        return word(frame, bytes);
    }
};

/* ---- Pictures -------------------------------------------------------------------------------- */

/* LENS_BYTE_ROWS pixels of a column, from row `first` on, as many rows apart as a block has. */
template <typename Pixel, typename Image, typename Bytes>
static __device__ __forceinline__ void lens_make_some(const lens_frame &frame, const Image &src,
                                                      const Image &dst, const Bytes &bytes, int x,
                                                      int first, uint32_t blank)
{
    const int height_px = frame.shape.height_px;
    const typename Image::spot to = dst.spot_at(x, first);
    Pixel pixels[LENS_BYTE_ROWS];
    const bool is_last = first + (LENS_BYTE_ROWS - 1) * Image::SIDE_Y >= height_px;
    if (Pixel::spots::template find<Image::SIDE_Y>(frame, x, first, pixels) & !is_last) {
#pragma unroll
        for (int i = 0; i < LENS_BYTE_ROWS; i++) {
            pixels[i].load(frame, src);
        }
#pragma unroll
        for (int i = 0; i < LENS_BYTE_ROWS; i++) {
            dst.store(to, i * Image::SIDE_Y, pixels[i].word(frame, bytes));
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < LENS_BYTE_ROWS; i++) {
        if (first + i * Image::SIDE_Y < height_px) {
            dst.store(to, i * Image::SIDE_Y, pixels[i].edge_word(frame, src, bytes, blank));
        }
    }
}

/* Places by the polynomial. */
struct lens_by_formula {
    static const int REGISTERS = 32; /* where pixels are as they are stored */
    static const int COLORED_REGISTERS = 40; /* and as light */

    template <template <typename> class Pixel, typename Image, typename Bytes>
    static __device__ __forceinline__ void make_some(const lens_frame &frame, const Image &src,
                                                     const Image &dst, const Bytes &bytes, int x,
                                                     int first, uint32_t blank)
    {
        if (frame.fixed.is_simple) {
            lens_make_some<Pixel<lens_formula_spots<true>>>(frame, src, dst, bytes, x, first,
                                                            blank);
        } else {
            lens_make_some<Pixel<lens_formula_spots<false>>>(frame, src, dst, bytes, x, first,
                                                             blank);
        }
    }
};

/* How many passes is no template's argument: a loop of a known number takes a tenth longer. */
template <typename By, template <typename> class Pixel, typename Image, typename Bytes>
static __device__ __forceinline__ void lens_make_passes(const lens_frame &frame, const Image &src,
                                                        const Image &dst, const Bytes &bytes,
                                                        int passes)
{
    const uint32_t blank = frame.fixed.blank;
    const int rows = Image::SIDE_Y * LENS_BYTE_ROWS;
    const int x = blockIdx.x * Image::SIDE_X + threadIdx.x;
    int first = blockIdx.y * (rows * passes) + threadIdx.y;
    if (x >= frame.shape.width_px) {
        return;
    }
#pragma unroll 1
    for (int i = 0; i < passes && first < frame.shape.height_px; i++, first += rows) {
        By::template make_some<Pixel>(frame, src, dst, bytes, x, first, blank);
    }
}

/* A loop of one pass takes up to 7 % longer than none. */
template <typename By, template <typename> class Pixel, typename Image, typename Bytes>
static __device__ __forceinline__ void lens_make_bytes(const lens_frame &frame, const Image &src,
                                                       const Image &dst, const Bytes &bytes)
{
    if (frame.passes == 1) {
        lens_make_passes<By, Pixel>(frame, src, dst, bytes, 1);
    } else {
        lens_make_passes<By, Pixel>(frame, src, dst, bytes, frame.passes);
    }
}

#endif
