/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Sums of RGBA8's pixels around places, as they are stored and as sRGB's light. A pixel that has
 * one place is a word of `lens_nearest_one`, `lens_stored_one` or `lens_light_one`; what has
 * several is summed into a `lens_stored` or, in light and by a spline, a `lens_floats`. */
#pragma once

#include "images.cuh"
#include "kernels/image/light.cuh"
#include "kernels/lens/place.h"
#include "spot.cuh"

typedef lens_square<2> lens_four;

/* Makes a word of byte AT of each argument, and of alpha's uppermost one. */
template <int AT>
DEVICE uint32_t lens_word_by(uint32_t red, uint32_t green, uint32_t blue, uint32_t alpha)
{
    return __byte_perm(__byte_perm(red, green, AT | (AT + 4) << 4),
                       __byte_perm(blue, alpha, AT | 0x70), 0x5410);
}

/* The low bits of 2^23 plus a number hold its whole part, rounded. */
DEVICE uint32_t lens_bits_of(float value)
{
    return __float_as_uint(value + 8388608.0f);
}

/* Returns 0 to below 1. The bits behind the point of a float from 1 to below 2 are the part. */
DEVICE float lens_part_of(uint32_t part)
{
    return __uint_as_float(0x3f800000u | part >> 9) - 1.0f;
}

/* ---- As they are stored, bilinear ------------------------------------------------------------ */

/* The weights of four pixels as 16 bits each, which add up to 2^16, less 3 at most, so that an even
 * picture stays as it is. The lower bits are the left pixel's weight, the upper ones the right
 * one's.
 */
struct lens_stored_weights {
    uint32_t rows[2];

    DEVICE lens_stored_weights of(const lens_parts &parts)
    {
        const uint32_t right_below = __umulhi(parts.x, parts.y);
        const uint32_t left_below = parts.y - right_below;
        const uint32_t right_above = parts.x - right_below;
        const uint32_t left_above = ~parts.x - left_below;
        return {{__byte_perm(left_above, right_above, 0x7632),
                 __byte_perm(left_below, right_below, 0x7632)}};
    }
};

/* Sums whole numbers, of 65536 a level and place. */
struct lens_stored {
    static const int AT = 2;
    static const int SIDE = 2; /* of what a place takes */
    static const bool IS_LIGHT = false;

    uint32_t sums[4];
    uint32_t share; /* of a place, times 2^32 */

    explicit MEMBER lens_stored(int count) : share(0xffffffffu / (uint32_t)count + 1u)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            sums[i] = (uint32_t)count << 15; /* half a level, so that the mean is rounded */
        }
    }
    template <int CHANNEL> MEMBER void add_one(const lens_four &four, const lens_parts &parts)
    {
        const lens_stored_weights w = lens_stored_weights::of(parts);
#pragma unroll
        for (int j = 0; j < 2; j++) {
            sums[CHANNEL] = __dp2a_lo(
                w.rows[j],
                __byte_perm(four.rows[j][0], four.rows[j][1], CHANNEL | (CHANNEL + 4) << 4),
                sums[CHANNEL]);
        }
    }
    MEMBER void add_alpha(const lens_four &four, const lens_parts &parts)
    {
        add_one<3>(four, parts);
    }
    MEMBER void add(const lens_four &four, const lens_parts &parts)
    {
        const lens_stored_weights w = lens_stored_weights::of(parts);
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const uint32_t low = __byte_perm(four.rows[j][0], four.rows[j][1], 0x5140);
            sums[0] = __dp2a_lo(w.rows[j], low, sums[0]);
            sums[1] = __dp2a_hi(w.rows[j], low, sums[1]);
            sums[2] = __dp2a_lo(w.rows[j], __byte_perm(four.rows[j][0], four.rows[j][1], 0x7362),
                                sums[2]);
        }
    }
    /* Returns a word whose byte AT is the mean. */
    template <int CHANNEL> MEMBER uint32_t mean() const
    {
        return __umulhi(sums[CHANNEL], share);
    }
    /* Returns a word whose uppermost byte it is. */
    MEMBER uint32_t mean_of_alpha() const
    {
        return mean<3>() << 8;
    }
};

/* ---- In floats, as they are stored or as light ----------------------------------------------- */

/* Turns light into sRGB's levels: byte AT of what is returned, rounded. Floats from 2^15 to 2^16
 * have eight bits behind the point. */
struct lens_light_level {
    static const int AT = 1;

    DEVICE uint32_t of(float light)
    {
        const float half = 32768.5f;
        const float power = ptx_ex2(ptx_lg2(light) * (1.0f / 2.4f));
        const float curved = fmaf(power, 1.055f * 255.0f, half - 0.055f * 255.0f);
        return __float_as_uint(light <= 0.0031308f ? fmaf(light, 12.92f * 255.0f, half) : curved);
    }
};

/* The weights of four pixels, from the left above to the right below, add up to 1. */
DEVICE float4 lens_weights_of(const lens_parts &parts)
{
    const float part_x = lens_part_of(parts.x);
    const float part_y = lens_part_of(parts.y);
    const float right_below = part_x * part_y;
    const float left_below = part_y - right_below;
    return make_float4(1.0f - part_x - left_below, part_x - right_below, left_below, right_below);
}

/* Light of bytes in shared memory: it pays where a pixel has many places, since to fill it takes a
 * block as long as three pixels a thread. Each lane reads its own bank of it. */
struct lens_light_table {
    static const int LEVELS = 256;
    static const int LANES = 32;

    const float *table; /* light of level i for lane j at [i][j] */
    uint32_t lane_bytes;

    /* A block of as many threads as there are levels calls it. */
    static __device__ void fill(float *table, int thread)
    {
        const float light = srgb_to_light((float)thread * (1.0f / 255.0f));
        for (int i = 0; i < LANES; i++) {
            table[thread * LANES + (thread + i) % LANES] = light;
        }
    }

    template <int CHANNEL> MEMBER float at(uint32_t word) const
    {
        const int ROW_BITS = 7; /* of LANES floats */
        const uint32_t row_bytes =
            CHANNEL == 0 ? word << ROW_BITS : word >> ((8 * CHANNEL - ROW_BITS) & 31);
        return *(const float *)((const char *)table +
                                ((row_bytes & (255u << ROW_BITS)) | lane_bytes));
    }
};

/* Sums of N x N pixels a place, bilinear or by the spline: of light by the table, whose mean is not
 * negative, or as they are stored. Alpha is no light. */
template <int N, bool LIGHT> struct lens_floats {
    static const int AT = LIGHT ? lens_light_level::AT : 0;
    static const int SIDE = N; /* of what a place takes */
    static const bool IS_LIGHT = LIGHT;
    typedef lens_square<N> taps;

    lens_light_table table; /* of light */
    float sums[4];
    float share;

    explicit MEMBER lens_floats(int count)
        : table{}, sums{0.0f, 0.0f, 0.0f, 0.0f}, share(1.0f / (float)count)
    {
    }
    template <int CHANNEL> MEMBER float value(uint32_t word) const
    {
        return LIGHT && CHANNEL < 3 ? table.at<CHANNEL>(word)
                                    : (float)(word >> (8 * CHANNEL) & 0xffu);
    }
    template <int CHANNEL> MEMBER void add_one(const taps &from, const lens_parts &parts)
    {
        const int FILTER = N == 4 ? LENS_BICUBIC : LENS_BILINEAR;
        float across[4];
        float down[4];
        lens_weights(FILTER, lens_part_of(parts.x), across);
        lens_weights(FILTER, lens_part_of(parts.y), down);
#pragma unroll
        for (int j = 0; j < N; j++) {
            float row = 0.0f;
#pragma unroll
            for (int i = 0; i < N; i++) {
                row += across[i] * value<CHANNEL>(from.rows[j][i]);
            }
            sums[CHANNEL] += down[j] * row;
        }
    }
    MEMBER void add_alpha(const taps &from, const lens_parts &parts)
    {
        add_one<3>(from, parts);
    }
    MEMBER void add(const taps &from, const lens_parts &parts)
    {
        add_one<0>(from, parts);
        add_one<1>(from, parts);
        add_one<2>(from, parts);
    }
    template <int CHANNEL> MEMBER uint32_t mean() const
    {
        const float most = LIGHT ? 1.0f : 255.0f;
        const float value = fminf(fmaxf(sums[CHANNEL] * share, 0.0f), most);
        return LIGHT ? lens_light_level::of(value) : lens_bits_of(value);
    }
    MEMBER uint32_t mean_of_alpha() const
    {
        return lens_bits_of(fminf(fmaxf(sums[3] * share, 0.0f), 255.0f)) << 24;
    }
};

typedef lens_floats<2, true> lens_floats_light;
typedef lens_floats<4, false> lens_cubic_stored;
typedef lens_floats<4, true> lens_cubic_light;

/* ---- Pixels with one place ------------------------------------------------------------------- */

/* Sums nothing: pixels are the nearest ones as they are, which is the same in every light. */
struct lens_nearest_one {
    static const bool NEAREST = true;
    static const int TAPS = 1;
    static const int AT = 0;

    template <int CHANNEL> DEVICE uint32_t one(const lens_square<1> &from, const lens_parts &)
    {
        return from.rows[0][0] >> (8 * CHANNEL);
    }
    DEVICE uint32_t alpha(const lens_square<1> &from, const lens_parts &, bool)
    {
        return from.rows[0][0];
    }
    DEVICE uint32_t all(const lens_square<1> &from, const lens_parts &, bool)
    {
        return from.rows[0][0];
    }
};

struct lens_stored_one {
    static const bool NEAREST = false;
    static const int TAPS = 2;
    static const int AT = lens_stored::AT;

    template <int CHANNEL> DEVICE uint32_t one(const lens_four &four, const lens_parts &parts)
    {
        lens_stored sums(1);
        sums.add_one<CHANNEL>(four, parts);
        return sums.sums[CHANNEL];
    }
    /* It is the uppermost byte of what is returned: of the sum, or of the nearest pixel. */
    DEVICE uint32_t alpha(const lens_four &four, const lens_parts &parts, bool averages)
    {
        const uint32_t above = parts.right() ? four.rows[0][1] : four.rows[0][0];
        const uint32_t below = parts.right() ? four.rows[1][1] : four.rows[1][0];
        return averages ? one<3>(four, parts) << 8 : parts.below() ? below : above;
    }
    DEVICE uint32_t all(const lens_four &four, const lens_parts &parts, bool averages_alpha)
    {
        lens_stored sums(1);
        sums.add(four, parts);
        return lens_word_by<AT>(sums.sums[0], sums.sums[1], sums.sums[2],
                                alpha(four, parts, averages_alpha));
    }
};

/* Light is worked out in halves: no table has to be filled first, so that a block can be small.
 * Sums are halves, too; a level is off by less than 0.2. */
struct lens_light_one {
    static const bool NEAREST = false;
    static const int TAPS = 2;
    static const int AT = lens_light_level::AT;

    /* The weights of two neighbours, the left one's first. */
    struct weights {
        __half2 above;
        __half2 below;
    };

    DEVICE weights weights_of(const lens_parts &parts)
    {
        const float4 w = lens_weights_of(parts);
        return {__floats2half2_rn(w.x, w.y), __floats2half2_rn(w.z, w.w)};
    }

    /* Red and blue of a pixel. */
    DEVICE __half2 red_blue_of(uint32_t word)
    {
        return light_of_bytes(word & 0x00ff00ffu);
    }

    /* One channel of two neighbours. */
    template <int CHANNEL> DEVICE __half2 light_of_two(const uint32_t (&two)[2])
    {
        const int bytes = CHANNEL | (CHANNEL + 4) << 8;
        return light_of_bytes(__byte_perm(two[0], two[1], bytes) & 0x00ff00ffu);
    }

    template <int CHANNEL> DEVICE float light(const lens_four &four, const weights &w)
    {
        const __half2 sums = __hfma2(w.below, light_of_two<CHANNEL>(four.rows[1]),
                                     __hmul2(w.above, light_of_two<CHANNEL>(four.rows[0])));
        return __low2float(sums) + __high2float(sums);
    }

    template <int CHANNEL> DEVICE uint32_t one(const lens_four &four, const lens_parts &parts)
    {
        return lens_light_level::of(light<CHANNEL>(four, weights_of(parts)));
    }
    DEVICE uint32_t alpha(const lens_four &four, const lens_parts &parts, bool averages)
    {
        return lens_stored_one::alpha(four, parts, averages);
    }
    DEVICE uint32_t all(const lens_four &four, const lens_parts &parts, bool averages_alpha)
    {
        const weights w = weights_of(parts);
        __half2 sums = __hmul2(__low2half2(w.above), red_blue_of(four.rows[0][0]));
        sums = __hfma2(__high2half2(w.above), red_blue_of(four.rows[0][1]), sums);
        sums = __hfma2(__low2half2(w.below), red_blue_of(four.rows[1][0]), sums);
        sums = __hfma2(__high2half2(w.below), red_blue_of(four.rows[1][1]), sums);
        return lens_word_by<AT>(
            lens_light_level::of(__low2float(sums)), lens_light_level::of(light<1>(four, w)),
            lens_light_level::of(__high2float(sums)), alpha(four, parts, averages_alpha));
    }
};
