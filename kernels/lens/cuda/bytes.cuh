/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* These kernels make RGBA8, bilinear, which most displays are given. They are bound by
 * instructions, so a pixel whose four neighbours all lie in the picture takes a shorter way: it
 * asks for no edge. */
#ifndef FOVEA_KERNELS_LENS_CUDA_BYTES_CUH
#define FOVEA_KERNELS_LENS_CUDA_BYTES_CUH

#include "kernels/image/image.cuh"
#include "kernels/image/light.cuh"
#include "params.h"
#include "place.cuh"

/* The four pixels that a place lies among. */
struct lens_four {
    uint32_t above[2];
    uint32_t below[2];
};

/* Pixels that lie beside each other, in less than 2^31 bytes. */
struct lens_packed_image {
    char *data;
    uint32_t row_bytes;

    __device__ uint32_t load(int x, int y) const
    {
        return load_at((uint32_t)y * row_bytes + (uint32_t)x * 4u);
    }
    __device__ uint32_t load_at(uint32_t offset_bytes) const
    {
        return __ldg((const uint32_t *)(data + offset_bytes));
    }
    __device__ lens_four load_four(int x, int y) const
    {
        const uint32_t above = (uint32_t)y * row_bytes + (uint32_t)x * 4u;
        const uint32_t below = above + row_bytes;
        return {{load_at(above), load_at(above + 4u)}, {load_at(below), load_at(below + 4u)}};
    }
    __device__ void store(int x, int y, uint32_t word) const
    {
        *(uint32_t *)(data + ((uint32_t)y * row_bytes + (uint32_t)x * 4u)) = word;
    }
};

struct lens_surface_image : surface_image<pixel<FOVEA_FORMAT_RGBA8>> {
    __device__ lens_four load_four(int x, int y) const
    {
        return {{load(x, y), load(x + 1, y)}, {load(x, y + 1), load(x + 1, y + 1)}};
    }
};

/* Says whether the picture has all four pixels. */
static __device__ __forceinline__ bool lens_has_four(const lens_shape &shape,
                                                     const lens_place &place)
{
    return (uint32_t)place.at_x < (uint32_t)(shape.width_px - 1) &&
           (uint32_t)place.at_y < (uint32_t)(shape.height_px - 1);
}

/* Beyond the picture's edge is its outermost pixel. */
template <typename Image>
static __device__ lens_four lens_load_edge(const lens_shape &shape, const Image &src,
                                           const lens_place &place)
{
    const int left = max(place.at_x, 0);
    const int right = min(place.at_x + 1, shape.width_px - 1);
    const int above = max(place.at_y, 0);
    const int below = min(place.at_y + 1, shape.height_px - 1);
    return {{src.load(left, above), src.load(right, above)},
            {src.load(left, below), src.load(right, below)}};
}

/* Returns false if the place lies outside the picture. */
template <typename Image>
static __device__ __forceinline__ bool lens_load_four(const lens_shape &shape, const Image &src,
                                                      const lens_place &place, lens_four &four)
{
    if (lens_has_four(shape, place)) {
        four = src.load_four(place.at_x, place.at_y);
        return true;
    }
    if (lens_is_outside(&shape, &place)) {
        return false;
    }
    four = lens_load_edge(shape, src, place);
    return true;
}

static __device__ __forceinline__ uint32_t lens_nearest_of(const lens_four &four,
                                                           const lens_place &place)
{
    const bool right = place.part_x >= 0.5f;
    const uint32_t above = right ? four.above[1] : four.above[0];
    const uint32_t below = right ? four.below[1] : four.below[0];
    return place.part_y >= 0.5f ? below : above;
}

/* The low bits of 2^23 plus a number hold its whole part, rounded. */
static __device__ __forceinline__ uint32_t lens_bits_of(float value, float scale)
{
    return __float_as_uint(fmaf(value, scale, 8388608.0f));
}

#define LENS_BITS_OF_0 0x4b000000u

/* Each argument's uppermost byte, in the order of a pixel's. */
static __device__ __forceinline__ uint32_t lens_uppermost(uint32_t red, uint32_t green,
                                                          uint32_t blue, uint32_t alpha)
{
    return __byte_perm(__byte_perm(red, green, 0x0073), __byte_perm(blue, alpha, 0x0073), 0x5410);
}

/* Sums bytes as they are stored. Weights along an axis are 12 bits and add up to 4096, so that an
 * even picture stays as it is; a value is the uppermost byte of a sum, which is rounded. */
struct lens_stored_bytes {
    struct weights {
        uint32_t across; /* of the left and of the right pixel, in 16 bits each */
        uint32_t above;
        uint32_t below;
    };

    static __device__ __forceinline__ weights weights_of(const lens_place &place)
    {
        const uint32_t right = lens_bits_of(place.part_x, 4096.0f);
        const uint32_t below = lens_bits_of(place.part_y, 4096.0f);
        return {right * 65535u + (4096u - LENS_BITS_OF_0 * 65535u), LENS_BITS_OF_0 + 4096u - below,
                below - LENS_BITS_OF_0};
    }

    static __device__ __forceinline__ uint32_t down(const weights &w, uint32_t above,
                                                    uint32_t below)
    {
        return above * w.above + (below * w.below + (1u << 23));
    }

    /* Takes the two lower bytes of both words. */
    static __device__ __forceinline__ uint32_t sum_low(const weights &w, uint32_t above,
                                                       uint32_t below)
    {
        return down(w, __dp2a_lo(w.across, above, 0u), __dp2a_lo(w.across, below, 0u));
    }

    /* Takes the two upper ones. */
    static __device__ __forceinline__ uint32_t sum_high(const weights &w, uint32_t above,
                                                        uint32_t below)
    {
        return down(w, __dp2a_hi(w.across, above, 0u), __dp2a_hi(w.across, below, 0u));
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t one(const lens_four &four, const lens_place &place) const
    {
        const uint32_t bytes = CHANNEL | (CHANNEL + 4) << 4;
        return sum_low(weights_of(place), __byte_perm(four.above[0], four.above[1], bytes),
                       __byte_perm(four.below[0], four.below[1], bytes));
    }

    __device__ __forceinline__ uint32_t all(const lens_four &four, const lens_place &place,
                                            bool averages_alpha) const
    {
        const weights w = weights_of(place);
        const uint32_t above = __byte_perm(four.above[0], four.above[1], 0x5140);
        const uint32_t below = __byte_perm(four.below[0], four.below[1], 0x5140);
        const uint32_t last_above = __byte_perm(four.above[0], four.above[1], 0x7362);
        const uint32_t last_below = __byte_perm(four.below[0], four.below[1], 0x7362);
        const uint32_t alpha =
            averages_alpha ? sum_high(w, last_above, last_below) : lens_nearest_of(four, place);
        return lens_uppermost(sum_low(w, above, below), sum_high(w, above, below),
                              sum_low(w, last_above, last_below), alpha);
    }
};

/* Alpha is not light. It is the uppermost byte of what is returned. */
static __device__ __forceinline__ uint32_t lens_alpha_of(const lens_four &four,
                                                         const lens_place &place,
                                                         bool averages_alpha)
{
    return averages_alpha ? lens_stored_bytes().one<3>(four, place) : lens_nearest_of(four, place);
}

/* Bytes as sRGB's light, from a table in shared memory: a power for each of twelve bytes would take
 * as long as four copies of the picture. Each lane reads its own bank of it. */
struct lens_light_bytes {
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

    /* The level, in the uppermost byte. */
    static __device__ __forceinline__ uint32_t level_of(float light)
    {
        const float power = ptx_ex2(ptx_lg2(light) * (1.0f / 2.4f));
        const float curved = fmaf(power, 1.055f * 255.0f, -0.055f * 255.0f);
        const float level = light <= 0.0031308f ? light * (12.92f * 255.0f) : curved;
        return lens_bits_of(level, 1.0f) << 24;
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t sum(const lens_four &four, const float4 &w) const
    {
        const float light = w.x * at<CHANNEL>(four.above[0]) + w.y * at<CHANNEL>(four.above[1]) +
                            w.z * at<CHANNEL>(four.below[0]) + w.w * at<CHANNEL>(four.below[1]);
        return level_of(light);
    }

    /* The weights of the four, from the left above to the right below, add up to 1. */
    static __device__ __forceinline__ float4 weights_of(const lens_place &place)
    {
        const float right_below = place.part_x * place.part_y;
        const float left_below = place.part_y - right_below;
        return make_float4(1.0f - place.part_x - left_below, place.part_x - right_below, left_below,
                           right_below);
    }

    template <int CHANNEL>
    __device__ __forceinline__ uint32_t one(const lens_four &four, const lens_place &place) const
    {
        return sum<CHANNEL>(four, weights_of(place));
    }

    __device__ __forceinline__ uint32_t all(const lens_four &four, const lens_place &place,
                                            bool averages_alpha) const
    {
        const float4 w = weights_of(place);
        return lens_uppermost(sum<0>(four, w), sum<1>(four, w), sum<2>(four, w),
                              lens_alpha_of(four, place, averages_alpha));
    }
};

/* The channel around that colour's place, in the uppermost byte. */
template <int COLOR, typename Image, typename Bytes>
static __device__ __forceinline__ uint32_t lens_byte_of_color(const lens_shape &shape,
                                                              const Image &src, const Bytes &bytes,
                                                              const lens_shown &shown,
                                                              uint32_t blank)
{
    const lens_place place = lens_place_at(shape, COLOR, shown);
    lens_four four;
    return lens_load_four(shape, src, place, four) ? bytes.template one<COLOR>(four, place)
                                                   : blank << (24 - 8 * COLOR);
}

/* Green and alpha come from the axis's place, and red and blue do not. */
template <typename Image, typename Bytes>
static __device__ __forceinline__ uint32_t lens_colored_word(const lens_frame &frame,
                                                             const Image &src, const Bytes &bytes,
                                                             const lens_shown &shown,
                                                             uint32_t blank)
{
    const lens_shape &shape = frame.shape;
    const lens_place axis = lens_place_at(shape, LENS_AXIS, shown);
    uint32_t green = blank << 16;
    uint32_t alpha = blank;
    lens_four four;
    if (lens_load_four(shape, src, axis, four)) {
        green = bytes.template one<1>(four, axis);
        alpha = lens_alpha_of(four, axis, frame.averages_alpha);
    }
    return lens_uppermost(lens_byte_of_color<0>(shape, src, bytes, shown, blank), green,
                          lens_byte_of_color<2>(shape, src, bytes, shown, blank), alpha);
}

template <typename Image, typename Bytes>
static __device__ __forceinline__ uint32_t lens_word_of(const lens_frame &frame, const Image &src,
                                                        const Bytes &bytes, const lens_shown &shown,
                                                        uint32_t blank)
{
    const lens_place place = lens_place_at(frame.shape, LENS_AXIS, shown);
    lens_four four;
    return lens_load_four(frame.shape, src, place, four)
               ? bytes.all(four, place, frame.averages_alpha)
               : blank;
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
            const lens_shown shown = lens_shown_at(frame.shape, x, y);
            dst.store(x, y,
                      COLORED ? lens_colored_word(frame, src, bytes, shown, blank)
                              : lens_word_of(frame, src, bytes, shown, blank));
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
                                              lens_light_bytes{levels, threadIdx.x * 4u});
}

#endif
