/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* RGBA8, bilinear: what most displays are given. Bound by memory as it is stored, and by arithmetic
 * in light. */
#ifndef FOVEA_KERNELS_LENS_CUDA_BYTES_CUH
#define FOVEA_KERNELS_LENS_CUDA_BYTES_CUH

#include "kernels/image/light.cuh"
#include "params.h"
#include "place.cuh"

/* Pixels that lie beside each other, in less than 2^31 bytes. */
struct lens_packed_image {
    char *data;
    uint32_t row_bytes;

    __device__ uint32_t load(int x, int y) const
    {
        return __ldg((const uint32_t *)(data + ((uint32_t)y * row_bytes + (uint32_t)x * 4u)));
    }
    __device__ void store(int x, int y, uint32_t word) const
    {
        *(uint32_t *)(data + ((uint32_t)y * row_bytes + (uint32_t)x * 4u)) = word;
    }
};

/* The four pixels that a place lies among. */
struct lens_four {
    uint32_t above[2];
    uint32_t below[2];
};

template <typename Image>
static __device__ __forceinline__ lens_four lens_four_at(const lens_shape &shape, const Image &src,
                                                         const lens_place &place)
{
    const int left = max(place.at_x, 0);
    const int right = min(place.at_x + 1, shape.width_px - 1);
    const int above = max(place.at_y, 0);
    const int below = min(place.at_y + 1, shape.height_px - 1);
    return {{src.load(left, above), src.load(right, above)},
            {src.load(left, below), src.load(right, below)}};
}

static __device__ __forceinline__ uint32_t lens_nearest_of(const lens_four &four,
                                                           const lens_place &place)
{
    const bool right = place.part_x >= 0.5f;
    const uint32_t above = right ? four.above[1] : four.above[0];
    const uint32_t below = right ? four.below[1] : four.below[0];
    return place.part_y >= 0.5f ? below : above;
}

/* Their weights, of which the sum is 1. */
static __device__ __forceinline__ float4 lens_weights_of(const lens_place &place)
{
    const float right_below = place.part_x * place.part_y;
    const float left_below = place.part_y - right_below;
    return make_float4(1.0f - place.part_x - left_below, place.part_x - right_below, left_below,
                       right_below);
}

/* What is added to 2^23 has its whole part in the last digits. */
static __device__ __forceinline__ uint32_t lens_whole_of(float value, float scale)
{
    return __float_as_uint(fmaf(value, scale, 8388608.0f));
}

/* Bytes as they are stored: weights are 16 bits, and an instruction sums two products. */
struct lens_stored_bytes {
    /* In 1/65535, of the two pixels above and of the two below. */
    struct pairs {
        uint32_t above;
        uint32_t below;
    };

    static __device__ __forceinline__ pairs pairs_of(const lens_place &place)
    {
        const float4 w = lens_weights_of(place);
        return {__byte_perm(lens_whole_of(w.x, 65535.0f), lens_whole_of(w.y, 65535.0f), 0x5410),
                __byte_perm(lens_whole_of(w.z, 65535.0f), lens_whole_of(w.w, 65535.0f), 0x5410)};
    }

    /* 65536 times the value, and a half of that. LOW: of the two lower bytes of both words. */
    template <bool LOW>
    static __device__ __forceinline__ uint32_t sum(const pairs &weights, uint32_t above,
                                                   uint32_t below)
    {
        return LOW ? __dp2a_lo(weights.below, below, __dp2a_lo(weights.above, above, 32768u))
                   : __dp2a_hi(weights.below, below, __dp2a_hi(weights.above, above, 32768u));
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t one(const lens_four &four, const lens_place &place) const
    {
        const uint32_t bytes = CHANNEL | (CHANNEL + 4) << 4;
        return sum<true>(pairs_of(place), __byte_perm(four.above[0], four.above[1], bytes),
                         __byte_perm(four.below[0], four.below[1], bytes)) >>
               16;
    }

    __device__ __forceinline__ uint32_t all(const lens_four &four, const lens_place &place,
                                            bool averages_alpha) const
    {
        const pairs weights = pairs_of(place);
        const uint32_t above = __byte_perm(four.above[0], four.above[1], 0x5140);
        const uint32_t below = __byte_perm(four.below[0], four.below[1], 0x5140);
        const uint32_t last_above = __byte_perm(four.above[0], four.above[1], 0x7362);
        const uint32_t last_below = __byte_perm(four.below[0], four.below[1], 0x7362);
        const uint32_t first_two = __byte_perm(sum<true>(weights, above, below),
                                               sum<false>(weights, above, below), 0x0062);
        const uint32_t third = sum<true>(weights, last_above, last_below);
        const uint32_t alpha = averages_alpha ? sum<false>(weights, last_above, last_below)
                                              : lens_nearest_of(four, place) >> 8;
        return __byte_perm(first_two, __byte_perm(third, alpha, 0x0062), 0x5410);
    }
};

/* Bytes as sRGB's light, from a table in shared memory: a power for each of twelve bytes would take
 * as long as four copies of the picture. Each lane reads its own bank of it. */
struct lens_light_bytes {
    static const int LEVELS = 256;
    static const int LANES = 32;

    const float *levels; /* of this lane; those of one level lie beside each other */

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
        return levels[(word >> (8 * CHANNEL) & 255u) * LANES];
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t sum(const lens_four &four, const float4 &w) const
    {
        const float light = w.x * at<CHANNEL>(four.above[0]) + w.y * at<CHANNEL>(four.above[1]) +
                            w.z * at<CHANNEL>(four.below[0]) + w.w * at<CHANNEL>(four.below[1]);
        return lens_whole_of(light_to_srgb(fmaxf(light, 0.0f)), 255.0f);
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t one(const lens_four &four, const lens_place &place) const
    {
        return sum<CHANNEL>(four, lens_weights_of(place));
    }

    __device__ __forceinline__ uint32_t all(const lens_four &four, const lens_place &place,
                                            bool averages_alpha) const
    {
        const float4 w = lens_weights_of(place);
        const uint32_t first_two = __byte_perm(sum<0>(four, w), sum<1>(four, w), 0x0040);
        const uint32_t alpha = averages_alpha ? lens_stored_bytes().one<3>(four, place)
                                              : lens_nearest_of(four, place) >> 24;
        return __byte_perm(first_two, __byte_perm(sum<2>(four, w), alpha, 0x0040), 0x5410);
    }
};

/* The channel around that colour's place. */
template <int COLOR, typename Image, typename Bytes>
static __device__ __forceinline__ uint32_t lens_byte_of_color(const lens_shape &shape,
                                                              const Image &src, const Bytes &bytes,
                                                              int x, int y, uint32_t blank)
{
    const lens_place place = lens_place_at(shape, COLOR, x, y);
    return lens_is_outside(&shape, &place)
               ? blank >> (8 * COLOR)
               : bytes.template one<COLOR>(lens_four_at(shape, src, place), place);
}

/* Green and alpha, which come from the axis's place, and red and blue, which do not. */
template <typename Image, typename Bytes>
static __device__ __forceinline__ uint32_t lens_colored_word(const lens_frame &frame,
                                                             const Image &src, const Bytes &bytes,
                                                             int x, int y, uint32_t blank)
{
    const lens_shape &shape = frame.shape;
    const lens_place axis = lens_place_at(shape, LENS_AXIS, x, y);
    uint32_t green = blank >> 8;
    uint32_t alpha = blank >> 24;
    if (!lens_is_outside(&shape, &axis)) {
        const lens_four four = lens_four_at(shape, src, axis);
        green = bytes.template one<1>(four, axis);
        alpha = frame.averages_alpha ? lens_stored_bytes().one<3>(four, axis)
                                     : lens_nearest_of(four, axis) >> 24;
    }
    const uint32_t red = lens_byte_of_color<0>(shape, src, bytes, x, y, blank);
    const uint32_t blue = lens_byte_of_color<2>(shape, src, bytes, x, y, blank);
    return __byte_perm(__byte_perm(red, green, 0x0040), __byte_perm(blue, alpha, 0x0040), 0x5410);
}

template <typename Image, typename Bytes>
static __device__ __forceinline__ uint32_t lens_word_of(const lens_frame &frame, const Image &src,
                                                        const Bytes &bytes, int x, int y,
                                                        uint32_t blank)
{
    const lens_place place = lens_place_at(frame.shape, LENS_AXIS, x, y);
    return lens_is_outside(&frame.shape, &place)
               ? blank
               : bytes.all(lens_four_at(frame.shape, src, place), place, frame.averages_alpha);
}

template <bool COLORED, int ROWS, typename Image, typename Bytes>
static __device__ __forceinline__ void lens_make_bytes(const lens_frame &frame, const Image &src,
                                                       const Image &dst, const Bytes &bytes)
{
    const uint32_t blank = lens_blank_of<pixel<FOVEA_FORMAT_RGBA8>>(frame.shape);
    const int x = blockIdx.x * LENS_SIDE_X + threadIdx.x;
    const int first = blockIdx.y * LENS_SIDE_Y * ROWS + threadIdx.y;
    if (x >= frame.shape.width_px) {
        return;
    }
#pragma unroll 4
    for (int i = 0; i < ROWS; i++) {
        const int y = first + i * LENS_SIDE_Y;
        if (y < frame.shape.height_px) {
            dst.store(x, y,
                      COLORED ? lens_colored_word(frame, src, bytes, x, y, blank)
                              : lens_word_of(frame, src, bytes, x, y, blank));
        }
    }
}

template <bool COLORED, typename Image>
static __device__ __forceinline__ void lens_make_light(const lens_frame &frame, const Image &src,
                                                       const Image &dst)
{
    __shared__ float levels[lens_light_bytes::LEVELS * lens_light_bytes::LANES];
    lens_light_bytes::fill(levels, threadIdx.y * LENS_SIDE_X + threadIdx.x);
    __syncthreads();
    lens_make_bytes<COLORED, LENS_LIGHT_ROWS>(frame, src, dst,
                                              lens_light_bytes{levels + threadIdx.x});
}

#endif
