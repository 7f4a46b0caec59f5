/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pixels of RGBA8 as words: how they are read, and the bilinear sums of four, as they are stored
 * and as sRGB's light. */
#ifndef FOVEA_KERNELS_LENS_CUDA_BYTES_CUH
#define FOVEA_KERNELS_LENS_CUDA_BYTES_CUH

#include "images.cuh"
#include "kernels/image/light.cuh"
#include "kernels/image/light_bytes.cuh"
#include "spot.cuh"

/* ---- Reading --------------------------------------------------------------------------------- */

/* It holds the four pixels that a place lies among. */
struct lens_four {
    uint32_t above[2];
    uint32_t below[2];
};

/* An image whose pixels lie beside each other, in less than 2^31 bytes. */
struct lens_packed_image {
    static const int SIDE_X = LENS_SIDE_X; /* threads of a block */
    static const int SIDE_Y = LENS_SIDE_Y;

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

    /* It leads to a pixel and to those below it. */
    typedef char *spot;
    __device__ spot spot_at(int x, int y) const
    {
        return at(x, y);
    }
    __device__ spot below(spot spot, int rows) const
    {
        return spot + (uint32_t)rows * row_bytes;
    }
    __device__ void store(spot spot, int down, uint32_t word) const
    {
        /* Nobody reads it soon: what the cache has of the source is to stay. */
        __stcs((uint32_t *)(spot + (uint32_t)down * row_bytes), word);
    }
};

struct lens_surface_image : surface_image<pixel<FOVEA_FORMAT_RGBA8>> {
    static const int SIDE_X = LENS_SURFACE_SIDE;
    static const int SIDE_Y = LENS_SURFACE_SIDE;

    __device__ lens_four load_four(int x, int y) const
    {
        return {{load(x, y), load(x + 1, y)}, {load(x, y + 1), load(x + 1, y + 1)}};
    }
    typedef int2 spot;
    __device__ spot spot_at(int x, int y) const
    {
        return make_int2(x, y);
    }
    __device__ spot below(spot spot, int rows) const
    {
        return make_int2(spot.x, spot.y + rows);
    }
    __device__ void store(spot spot, int down, uint32_t word) const
    {
        surface_image<pixel<FOVEA_FORMAT_RGBA8>>::store(spot.x, spot.y + down, word);
    }
};

static __device__ __forceinline__ lens_packed_image lens_bytes_of(const lens_frame &frame,
                                                                  const image_linear &image,
                                                                  int64_t next_bytes)
{
    const linear_image<pixel<FOVEA_FORMAT_RGBA8>> own =
        lens_image_of<pixel<FOVEA_FORMAT_RGBA8>>(frame, image, next_bytes);
    const uint32_t *words = (const uint32_t *)own.view.data;
    ptx_keep(words); /* else each pixel works out the image of the batch again */
    return {(char *)words, (uint32_t)own.view.row_stride_bytes};
}

static __device__ __forceinline__ lens_surface_image lens_bytes_of(const lens_frame &frame,
                                                                   uint64_t surface, int64_t)
{
    return {lens_image_of<pixel<FOVEA_FORMAT_RGBA8>>(frame, surface, 0)};
}

/* The images of a kernel that takes such parameters. */
template <typename Params>
using lens_image_in = decltype(lens_bytes_of(lens_frame(), Params().dst, 0));

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

/* Takes a NEAREST place. */
template <typename Image>
static __device__ __forceinline__ uint32_t lens_load_nearest(const lens_frame &frame,
                                                             const Image &src,
                                                             const lens_spot &spot)
{
    return src.load(spot.x >> frame.fixed.bits, spot.y >> frame.fixed.bits);
}

template <typename Image>
static __device__ __forceinline__ uint32_t lens_nearest_or(const lens_frame &frame,
                                                           const Image &src, const lens_spot &spot,
                                                           uint32_t blank)
{
    return lens_has_nearest(frame, spot) ? lens_load_nearest(frame, src, spot) : blank;
}

static __device__ __forceinline__ uint32_t lens_nearest_of(const lens_four &four,
                                                           const lens_parts &parts)
{
    const uint32_t above = parts.right() ? four.above[1] : four.above[0];
    const uint32_t below = parts.right() ? four.below[1] : four.below[0];
    return parts.below() ? below : above;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Sums nothing: pixels are the nearest ones as they are, which is the same in every light. */
struct lens_moved_bytes {};

/* Makes a word of byte AT of each argument, and of alpha's uppermost one. */
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

    /* The lower bits are the left pixel's weight, the upper ones the right one's. */
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

/* Turns light into sRGB's levels: byte AT of what is returned, rounded. Floats from 2^15 to 2^16
 * have eight bits behind the point. */
struct lens_light_level {
    static const int AT = 1;

    static __device__ __forceinline__ uint32_t of(float light)
    {
        return by_line<1>(light, 12.92f * 255.0f);
    }
    /* Does the same with the slope of sRGB's line, in levels, from a register. SIGN -1: the number
     * is negative. */
    template <int SIGN> static __device__ __forceinline__ uint32_t by_line(float light, float line)
    {
        const float half = SIGN * 32768.5f;
        const float power = ptx_ex2(ptx_lg2(light) * (1.0f / 2.4f));
        const float curved = fmaf(power, SIGN * 1.055f * 255.0f, half - SIGN * 0.055f * 255.0f);
        return __float_as_uint(light <= 0.0031308f ? fmaf(light, SIGN * line, half) : curved);
    }
};

/* Returns 0 to below 1. The bits behind the point of a float from 1 to below 2 are the part. */
static __device__ __forceinline__ float lens_part_of(uint32_t part)
{
    return __uint_as_float(0x3f800000u | part >> 9) - 1.0f;
}

/* The weights of the four, from the left above to the right below, add up to 1. */
static __device__ __forceinline__ float4 lens_weights_of(const lens_parts &parts)
{
    const float part_x = lens_part_of(parts.x);
    const float part_y = lens_part_of(parts.y);
    const float right_below = part_x * part_y;
    const float left_below = part_y - right_below;
    return make_float4(1.0f - part_x - left_below, part_x - right_below, left_below, right_below);
}

/* Sums bytes as sRGB's light, which is worked out in halves: no table has to be filled first, so
 * that a block can be small. Sums are halves, too; a level is off by less than 0.2. */
struct lens_light_halves {
    static const int AT = lens_light_level::AT;

    /* The weights of two neighbours, the left one's first. */
    struct weights {
        __half2 above;
        __half2 below;
    };

    static __device__ __forceinline__ weights weights_of(const lens_parts &parts)
    {
        const float4 w = lens_weights_of(parts);
        return {__floats2half2_rn(w.x, w.y), __floats2half2_rn(w.z, w.w)};
    }

    /* Red and blue of a pixel. */
    static __device__ __forceinline__ __half2 red_blue_of(uint32_t word)
    {
        return light_of_bytes(word & 0x00ff00ffu);
    }

    /* One channel of two neighbours. */
    template <int CHANNEL>
    static __device__ __forceinline__ __half2 light_of_two(const uint32_t (&two)[2])
    {
        const int bytes = CHANNEL | (CHANNEL + 4) << 8;
        return light_of_bytes(__byte_perm(two[0], two[1], bytes) & 0x00ff00ffu);
    }

    template <int CHANNEL>
    static __device__ __forceinline__ float light(const lens_four &four, const weights &w)
    {
        const __half2 sums = __hfma2(w.below, light_of_two<CHANNEL>(four.below),
                                     __hmul2(w.above, light_of_two<CHANNEL>(four.above)));
        return __low2float(sums) + __high2float(sums);
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t one(const lens_four &four, const lens_parts &parts) const
    {
        return lens_light_level::of(light<CHANNEL>(four, weights_of(parts)));
    }

    __device__ __forceinline__ uint32_t all(const lens_four &four, const lens_parts &parts,
                                            bool averages_alpha) const
    {
        const weights w = weights_of(parts);
        __half2 sums = __hmul2(__low2half2(w.above), red_blue_of(four.above[0]));
        sums = __hfma2(__high2half2(w.above), red_blue_of(four.above[1]), sums);
        sums = __hfma2(__low2half2(w.below), red_blue_of(four.below[0]), sums);
        sums = __hfma2(__high2half2(w.below), red_blue_of(four.below[1]), sums);
        return lens_word_by<AT>(
            lens_light_level::of(__low2float(sums)), lens_light_level::of(light<1>(four, w)),
            lens_light_level::of(__high2float(sums)), lens_alpha_of(four, parts, averages_alpha));
    }
};

/* Light of bytes in shared memory: it pays where a pixel has many places, since to fill it takes a
 * block as long as three pixels a thread. Each lane reads its own bank of it. */
struct lens_light_table {
    static const int LEVELS = 256;
    static const int LANES = 32;

    const float *table; /* light of level i for lane j at [i][j] */
    uint32_t lane_bytes;

    __device__ __forceinline__ lens_light_table(const float *table, uint32_t lane_bytes)
        : table(table), lane_bytes(lane_bytes)
    {
    }

    /* A block of as many threads as there are levels calls it. */
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
};

#endif
