/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* These kernels make RGBA8, bilinear, which most displays are given. A thread first finds where all
 * its pixels come from. Where the picture has every pixel around those places, it reads them all
 * before it works with the first, and asks for no edge. As they are stored, pixels are bound by
 * memory then; with a place for each colour, by how many lines of the cache the reads touch. */
#ifndef FOVEA_KERNELS_LENS_CUDA_BYTES_CUH
#define FOVEA_KERNELS_LENS_CUDA_BYTES_CUH

#include "kernels/image/image.cuh"
#include "kernels/image/light.cuh"
#include "params.h"
#include "place.cuh"
#include "spot.cuh"

/* ---- Reading --------------------------------------------------------------------------------- */

/* The four pixels that a place lies among. */
struct lens_four {
    uint32_t above[2];
    uint32_t below[2];
};

/* Pixels that lie beside each other, in less than 2^31 bytes. */
struct lens_packed_image {
    char *data;
    uint32_t row_bytes;

    __device__ char *at(int x, int y) const
    {
        return data + ((uint32_t)y * row_bytes + (uint32_t)x * 4u);
    }
    __device__ uint32_t load(int x, int y) const
    {
        return __ldg((const uint32_t *)at(x, y));
    }
    __device__ lens_four load_four(int x, int y) const
    {
        const uint32_t *above = (const uint32_t *)at(x, y);
        const uint32_t *below = (const uint32_t *)((const char *)above + row_bytes);
        return {{__ldg(above), __ldg(above + 1)}, {__ldg(below), __ldg(below + 1)}};
    }

    /* A pixel, and those below it. */
    typedef char *spot;
    __device__ spot spot_at(int x, int y) const
    {
        return at(x, y);
    }
    __device__ void store(spot spot, int down, uint32_t word) const
    {
        *(uint32_t *)(spot + (uint32_t)down * row_bytes) = word;
    }
};

struct lens_surface_image : surface_image<pixel<FOVEA_FORMAT_RGBA8>> {
    __device__ lens_four load_four(int x, int y) const
    {
        return {{load(x, y), load(x + 1, y)}, {load(x, y + 1), load(x + 1, y + 1)}};
    }
    typedef int2 spot;
    __device__ spot spot_at(int x, int y) const
    {
        return make_int2(x, y);
    }
    __device__ void store(spot spot, int down, uint32_t word) const
    {
        surface_image<pixel<FOVEA_FORMAT_RGBA8>>::store(spot.x, spot.y + down, word);
    }
};

template <typename Image>
static __device__ __forceinline__ lens_four lens_load_four(const lens_frame &frame,
                                                           const Image &src, const lens_spot &spot)
{
    return src.load_four(spot.x >> frame.fixed.bits, spot.y >> frame.fixed.bits);
}

/* Beyond the picture's edge is its outermost pixel. */
template <typename Image>
static __device__ lens_four lens_load_edge(const lens_frame &frame, const Image &src,
                                           const lens_spot &spot)
{
    const int x = spot.x >> frame.fixed.bits;
    const int y = spot.y >> frame.fixed.bits;
    const int left = max(x, 0);
    const int right = min(x + 1, frame.shape.width_px - 1);
    const int above = max(y, 0);
    const int below = min(y + 1, frame.shape.height_px - 1);
    return {{src.load(left, above), src.load(right, above)},
            {src.load(left, below), src.load(right, below)}};
}

static __device__ __forceinline__ uint32_t lens_nearest_of(const lens_four &four,
                                                           const lens_parts &parts)
{
    const uint32_t above = parts.right() ? four.above[1] : four.above[0];
    const uint32_t below = parts.right() ? four.below[1] : four.below[0];
    return parts.below() ? below : above;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* A word of byte AT of each argument, alpha's uppermost one. */
template <int AT>
static __device__ __forceinline__ uint32_t lens_word_by(uint32_t red, uint32_t green, uint32_t blue,
                                                        uint32_t alpha)
{
    return __byte_perm(__byte_perm(red, green, AT | (AT + 4) << 4),
                       __byte_perm(blue, alpha, AT | 0x70), 0x5410);
}

/* The low bits of 2^23 plus a number hold its whole part, rounded. */
static __device__ __forceinline__ uint32_t lens_bits_of(float value)
{
    return __float_as_uint(value + 8388608.0f);
}

/* Sums bytes as they are stored. The weights of the four are 16 bits each and add up to 2^16, less
 * 3 at most, so that an even picture stays as it is; a value is byte 2 of a sum, which is rounded.
 */
struct lens_stored_bytes {
    static const int AT = 2;

    /* Left in the lower bits, right in the upper ones. */
    struct weights {
        uint32_t above;
        uint32_t below;
    };

    static __device__ __forceinline__ weights weights_of(const lens_parts &parts)
    {
        const uint32_t right_below = __umulhi(parts.x, parts.y);
        const uint32_t left_below = parts.y - right_below;
        const uint32_t right_above = parts.x - right_below;
        const uint32_t left_above = ~parts.x - left_below;
        return {__byte_perm(left_above, right_above, 0x7632),
                __byte_perm(left_below, right_below, 0x7632)};
    }

    /* Takes the two lower bytes of both words. */
    static __device__ __forceinline__ uint32_t sum_low(const weights &w, uint32_t above,
                                                       uint32_t below)
    {
        return __dp2a_lo(w.below, below, __dp2a_lo(w.above, above, 1u << 15));
    }

    /* Takes the two upper ones. */
    static __device__ __forceinline__ uint32_t sum_high(const weights &w, uint32_t above,
                                                        uint32_t below)
    {
        return __dp2a_hi(w.below, below, __dp2a_hi(w.above, above, 1u << 15));
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t one(const lens_four &four, const lens_parts &parts) const
    {
        const uint32_t bytes = CHANNEL | (CHANNEL + 4) << 4;
        return sum_low(weights_of(parts), __byte_perm(four.above[0], four.above[1], bytes),
                       __byte_perm(four.below[0], four.below[1], bytes));
    }

    __device__ __forceinline__ uint32_t all(const lens_four &four, const lens_parts &parts,
                                            bool averages_alpha) const
    {
        const weights w = weights_of(parts);
        const uint32_t above = __byte_perm(four.above[0], four.above[1], 0x5140);
        const uint32_t below = __byte_perm(four.below[0], four.below[1], 0x5140);
        const uint32_t last_above = __byte_perm(four.above[0], four.above[1], 0x7362);
        const uint32_t last_below = __byte_perm(four.below[0], four.below[1], 0x7362);
        const uint32_t alpha = averages_alpha ? sum_high(w, last_above, last_below) << 8
                                              : lens_nearest_of(four, parts);
        return lens_word_by<AT>(sum_low(w, above, below), sum_high(w, above, below),
                                sum_low(w, last_above, last_below), alpha);
    }
};

/* Alpha is not light. It is the uppermost byte of what is returned. */
static __device__ __forceinline__ uint32_t lens_alpha_of(const lens_four &four,
                                                         const lens_parts &parts,
                                                         bool averages_alpha)
{
    return averages_alpha ? lens_stored_bytes().one<3>(four, parts) << 8
                          : lens_nearest_of(four, parts);
}

/* Bytes as sRGB's light, from a table in shared memory: a power for each of twelve bytes would take
 * as long as four copies of the picture. Each lane reads its own bank of it. A value is the lowest
 * byte of what is returned. */
struct lens_light_bytes {
    static const int AT = 0;
    static const int LEVELS = 256;
    static const int LANES = 32;

    const float *table; /* light of level i for lane j at [i][j] */
    uint32_t lane_bytes;

    /* By a block of as many threads as there are levels. */
    static __device__ void fill(float *table, int thread)
    {
        const float light = srgb_to_light((float)thread * (1.0f / 255.0f));
        for (int i = 0; i < LANES; i++) {
            table[thread * LANES + (thread + i) % LANES] = light;
        }
    }

    template <int CHANNEL> __device__ __forceinline__ float at(uint32_t word) const
    {
        const int ROW_BITS = 7; /* of LANES floats */
        const uint32_t row_bytes =
            CHANNEL == 0 ? word << ROW_BITS : word >> ((8 * CHANNEL - ROW_BITS) & 31);
        return *(const float *)((const char *)table +
                                ((row_bytes & (255u << ROW_BITS)) | lane_bytes));
    }

    static __device__ __forceinline__ uint32_t level_of(float light)
    {
        const float power = ptx_ex2(ptx_lg2(light) * (1.0f / 2.4f));
        const float curved = fmaf(power, 1.055f * 255.0f, -0.055f * 255.0f);
        return lens_bits_of(light <= 0.0031308f ? light * (12.92f * 255.0f) : curved);
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t sum(const lens_four &four, const float4 &w) const
    {
        const float light = w.x * at<CHANNEL>(four.above[0]) + w.y * at<CHANNEL>(four.above[1]) +
                            w.z * at<CHANNEL>(four.below[0]) + w.w * at<CHANNEL>(four.below[1]);
        return level_of(light);
    }

    /* From 0 to below 1: the bits behind the point of a float from 1 to below 2. */
    static __device__ __forceinline__ float part_of(uint32_t part)
    {
        return __uint_as_float(0x3f800000u | part >> 9) - 1.0f;
    }

    /* The weights of the four, from the left above to the right below, add up to 1. */
    static __device__ __forceinline__ float4 weights_of(const lens_parts &parts)
    {
        const float part_x = part_of(parts.x);
        const float part_y = part_of(parts.y);
        const float right_below = part_x * part_y;
        const float left_below = part_y - right_below;
        return make_float4(1.0f - part_x - left_below, part_x - right_below, left_below,
                           right_below);
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t one(const lens_four &four, const lens_parts &parts) const
    {
        return sum<CHANNEL>(four, weights_of(parts));
    }

    __device__ __forceinline__ uint32_t all(const lens_four &four, const lens_parts &parts,
                                            bool averages_alpha) const
    {
        const float4 w = weights_of(parts);
        return lens_word_by<AT>(sum<0>(four, w), sum<1>(four, w), sum<2>(four, w),
                                lens_alpha_of(four, parts, averages_alpha));
    }
};

/* ---- Pixels: of one place each --------------------------------------------------------------- */

/* A pixel's places, the pixels around them, and the word that they make. SIMPLE: as most are, whose
 * lens has even powers of r alone, and whose alpha is not interpolated. */
template <bool SIMPLE> struct lens_plain {
    lens_spot spot;
    lens_four four;

    __device__ __forceinline__ void find(const lens_frame &frame, const lens_column &column,
                                         int down)
    {
        spot = lens_spot_at<SIMPLE>(frame, LENS_AXIS, column, down);
    }
    __device__ __forceinline__ bool has_four(const lens_frame &frame) const
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
        return bytes.all(four, lens_parts_of(frame, spot), !SIMPLE && frame.averages_alpha);
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

/* ---- Pixels: of a place for each colour ------------------------------------------------------ */

/* Green and alpha come from the axis's place, and red and blue do not. */
template <bool SIMPLE> struct lens_colored {
    lens_spot spots[LENS_COLORS];
    lens_four fours[LENS_COLORS];

    __device__ __forceinline__ void find(const lens_frame &frame, const lens_column &column,
                                         int down)
    {
#pragma unroll
        for (int color = 0; color < LENS_COLORS; color++) {
            spots[color] = lens_spot_at<SIMPLE>(frame, color, column, down);
        }
    }
    __device__ __forceinline__ bool has_four(const lens_frame &frame) const
    {
        return lens_has_four(frame, spots[0]) & lens_has_four(frame, spots[1]) &
               lens_has_four(frame, spots[2]);
    }
    template <typename Image>
    __device__ __forceinline__ void load(const lens_frame &frame, const Image &src)
    {
#pragma unroll
        for (int color = 0; color < LENS_COLORS; color++) {
            fours[color] = lens_load_four(frame, src, spots[color]);
        }
    }
    template <typename Bytes>
    __device__ __forceinline__ uint32_t word(const lens_frame &frame, const Bytes &bytes) const
    {
        const lens_parts axis = lens_parts_of(frame, spots[LENS_AXIS]);
        return lens_word_by<Bytes::AT>(
            bytes.template one<0>(fours[0], lens_parts_of(frame, spots[0])),
            bytes.template one<1>(fours[1], axis),
            bytes.template one<2>(fours[2], lens_parts_of(frame, spots[2])),
            lens_alpha_of(fours[LENS_AXIS], axis, !SIMPLE && frame.averages_alpha));
    }

    template <int COLOR, typename Image, typename Bytes>
    __device__ __forceinline__ uint32_t edge_byte(const lens_frame &frame, const Image &src,
                                                  const Bytes &bytes, uint32_t blank)
    {
        if (!lens_is_inside(frame, spots[COLOR])) {
            return blank >> (8 * COLOR) << (8 * Bytes::AT);
        }
        fours[COLOR] = lens_load_edge(frame, src, spots[COLOR]);
        return bytes.template one<COLOR>(fours[COLOR], lens_parts_of(frame, spots[COLOR]));
    }
    template <typename Image, typename Bytes>
    __device__ __forceinline__ uint32_t edge_word(const lens_frame &frame, const Image &src,
                                                  const Bytes &bytes, uint32_t blank)
    {
        const uint32_t red = edge_byte<0>(frame, src, bytes, blank);
        const uint32_t green = edge_byte<1>(frame, src, bytes, blank);
        const uint32_t blue = edge_byte<2>(frame, src, bytes, blank);
        const uint32_t alpha =
            lens_is_inside(frame, spots[LENS_AXIS])
                ? lens_alpha_of(fours[LENS_AXIS], lens_parts_of(frame, spots[LENS_AXIS]),
                                !SIMPLE && frame.averages_alpha)
                : blank;
        return lens_word_by<Bytes::AT>(red, green, blue, alpha);
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
    const lens_column column = lens_column_at(frame, x, first);
    const typename Image::spot to = dst.spot_at(x, first);
    Pixel pixels[LENS_BYTE_ROWS];
    bool all = first + (LENS_BYTE_ROWS - 1) * LENS_SIDE_Y < height_px;
#pragma unroll
    for (int i = 0; i < LENS_BYTE_ROWS; i++) {
        pixels[i].find(frame, column, i * LENS_SIDE_Y);
        all = all & pixels[i].has_four(frame);
    }
    if (all) {
#pragma unroll
        for (int i = 0; i < LENS_BYTE_ROWS; i++) {
            pixels[i].load(frame, src);
        }
#pragma unroll
        for (int i = 0; i < LENS_BYTE_ROWS; i++) {
            dst.store(to, i * LENS_SIDE_Y, pixels[i].word(frame, bytes));
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < LENS_BYTE_ROWS; i++) {
        if (first + i * LENS_SIDE_Y < height_px) {
            dst.store(to, i * LENS_SIDE_Y, pixels[i].edge_word(frame, src, bytes, blank));
        }
    }
}

template <template <bool> class Pixel, int PASSES, typename Image, typename Bytes>
static __device__ __forceinline__ void lens_make_bytes(const lens_frame &frame, const Image &src,
                                                       const Image &dst, const Bytes &bytes)
{
    const uint32_t blank = frame.fixed.blank;
    const int rows = LENS_SIDE_Y * LENS_BYTE_ROWS;
    const int x = blockIdx.x * LENS_SIDE_X + threadIdx.x;
    int first = blockIdx.y * (rows * PASSES) + threadIdx.y;
    if (x >= frame.shape.width_px) {
        return;
    }
    for (int i = 0; i < PASSES && first < frame.shape.height_px; i++, first += rows) {
        if (frame.fixed.is_simple) {
            lens_make_some<Pixel<true>>(frame, src, dst, bytes, x, first, blank);
        } else {
            lens_make_some<Pixel<false>>(frame, src, dst, bytes, x, first, blank);
        }
    }
}

template <template <bool> class Pixel, typename Image>
static __device__ __forceinline__ void lens_make_light(const lens_frame &frame, const Image &src,
                                                       const Image &dst)
{
    __shared__ float levels[lens_light_bytes::LEVELS * lens_light_bytes::LANES];
    lens_light_bytes::fill(levels, threadIdx.y * LENS_SIDE_X + threadIdx.x);
    __syncthreads();
    lens_make_bytes<Pixel, LENS_LIGHT_PASSES>(frame, src, dst,
                                              lens_light_bytes{levels, threadIdx.x * 4u});
}

#endif
