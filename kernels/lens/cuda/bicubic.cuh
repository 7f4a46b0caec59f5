/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* RGBA8, bicubic (Catmull and Rom's spline), in samples.cuh's frame: a pixel is the mean of one
 * place or of several, of which each is a sum of 16 pixels. */
#ifndef FOVEA_KERNELS_LENS_CUDA_BICUBIC_CUH
#define FOVEA_KERNELS_LENS_CUDA_BICUBIC_CUH

#include "samples.cuh"

/* ---- Reading --------------------------------------------------------------------------------- */

/* It holds the pixels that a place lies among, by rows. */
struct lens_sixteen {
    uint32_t rows[4][4];
};

/* Beyond the picture's edge is its outermost pixel. */
template <typename Image>
static __device__ __forceinline__ lens_sixteen lens_load_sixteen(const lens_frame &frame,
                                                                 const Image &src,
                                                                 const lens_spot &spot)
{
    const int width = frame.shape.width_px;
    const int height = frame.shape.height_px;
    const int x = (spot.x >> frame.fixed.bits) - 1;
    const int y = (spot.y >> frame.fixed.bits) - 1;
    lens_sixteen taps;
    if ((x >= 0) & (y >= 0) & (x + 3 < width) & (y + 3 < height)) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                taps.rows[j][i] = src.load(x + i, y + j);
            }
        }
        return taps;
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int row = min(max(y + j, 0), height - 1);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            taps.rows[j][i] = src.load(min(max(x + i, 0), width - 1), row);
        }
    }
    return taps;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* Those of the pixels beside a place are not below 0, those of the two outer ones not above. */
struct lens_cubic {
    float inner[2];
    float outer[2]; /* what is taken away */

    static __device__ __forceinline__ lens_cubic at(uint32_t part)
    {
        const float t = lens_part_of(part);
        const float back = 1.0f - t; /* from the pixel behind */
        const float half = 0.5f * t * back;
        lens_cubic cubic;
        cubic.outer[0] = half * back;
        cubic.outer[1] = half * t;
        cubic.inner[1] = t * fmaf(t, fmaf(t, -1.5f, 2.0f), 0.5f);
        cubic.inner[0] = 1.0f - cubic.inner[1] + cubic.outer[0] + cubic.outer[1];
        return cubic;
    }
};

/* The same as whole numbers of 2^14, in pairs of 16 bits, which add up to 2^14: an even picture
 * stays as it is. */
struct lens_whole_cubic {
    uint32_t inner;
    uint32_t outer;

    static __device__ __forceinline__ lens_whole_cubic at(uint32_t part)
    {
        const lens_cubic cubic = lens_cubic::at(part);
        const uint32_t before = lens_bits_of(cubic.outer[0] * 16384.0f) & 0xffffu;
        const uint32_t behind = lens_bits_of(cubic.outer[1] * 16384.0f) & 0xffffu;
        const uint32_t right = lens_bits_of(cubic.inner[1] * 16384.0f) & 0xffffu;
        const uint32_t left = 16384u + before + behind - right;
        return {__byte_perm(left, right, 0x5410), __byte_perm(before, behind, 0x5410)};
    }
    /* Returns row j's, with its sign. */
    __device__ __forceinline__ int32_t of(int j) const
    {
        const int32_t low = (int32_t)((j == 1 || j == 2 ? inner : outer) & 0xffffu);
        const int32_t high = (int32_t)((j == 1 || j == 2 ? inner : outer) >> 16);
        return j == 0 ? -low : j == 1 ? low : j == 2 ? high : -high;
    }
};

/* ---- Sums of a pixel ------------------------------------------------------------------------- */

/* Bytes as they are stored: a row is a sum of 16 bits times 8, and rows are summed with 8 bits
 * behind the point. */
struct lens_stored_cubic {
    static const int AT = 0;
    typedef lens_stored_bytes bytes;
    typedef lens_sixteen taps;
    static const bool IN_TURN = true; /* 48 pixels at once are more than there are registers */

    int32_t sums[4]; /* of 16384 a level and place */
    float share;

    __device__ __forceinline__ lens_stored_cubic(const lens_stored_bytes &, int count)
        : sums{0, 0, 0, 0}, share(1.0f / (16384.0f * (float)count))
    {
    }
    template <typename Image>
    static __device__ __forceinline__ lens_sixteen load(const lens_frame &frame, const Image &src,
                                                        const lens_spot &spot)
    {
        return lens_load_sixteen(frame, src, spot);
    }
    /* Takes the two lower bytes, or the two upper ones. */
    template <bool HIGH>
    static __device__ __forceinline__ int32_t row_of(const lens_whole_cubic &w, uint32_t inner,
                                                     uint32_t outer)
    {
        const uint32_t away = HIGH ? __dp2a_hi(w.outer, outer, 0u) : __dp2a_lo(w.outer, outer, 0u);
        const uint32_t sum =
            HIGH ? __dp2a_hi(w.inner, inner, 0u - away) : __dp2a_lo(w.inner, inner, 0u - away);
        return (int32_t)sum >> 6;
    }
    template <int CHANNEL>
    __device__ __forceinline__ void add_one(const lens_sixteen &taps, const lens_parts &parts)
    {
        const uint32_t of = CHANNEL | (CHANNEL + 4) << 4;
        const lens_whole_cubic across = lens_whole_cubic::at(parts.x);
        const lens_whole_cubic down = lens_whole_cubic::at(parts.y);
        int32_t sum = 0;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const uint32_t(&row)[4] = taps.rows[j];
            sum += down.of(j) * row_of<false>(across, __byte_perm(row[1], row[2], of),
                                              __byte_perm(row[0], row[3], of));
        }
        sums[CHANNEL] += sum >> 8;
    }
    __device__ __forceinline__ void add(const lens_sixteen &taps, const lens_parts &parts)
    {
        const lens_whole_cubic across = lens_whole_cubic::at(parts.x);
        const lens_whole_cubic down = lens_whole_cubic::at(parts.y);
        int32_t sum[3] = {0, 0, 0};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const uint32_t(&row)[4] = taps.rows[j];
            const int32_t weight = down.of(j);
            const uint32_t inner = __byte_perm(row[1], row[2], 0x5140);
            const uint32_t outer = __byte_perm(row[0], row[3], 0x5140);
            sum[0] += weight * row_of<false>(across, inner, outer);
            sum[1] += weight * row_of<true>(across, inner, outer);
            sum[2] += weight * row_of<false>(across, __byte_perm(row[1], row[2], 0x62),
                                             __byte_perm(row[0], row[3], 0x62));
        }
#pragma unroll
        for (int c = 0; c < 3; c++) {
            sums[c] += sum[c] >> 8;
        }
    }
    template <int CHANNEL> __device__ __forceinline__ uint32_t mean() const
    {
        return lens_bits_of(fminf(fmaxf((float)sums[CHANNEL] * share, 0.0f), 255.0f));
    }
    __device__ __forceinline__ uint32_t mean_of_alpha() const
    {
        return mean<3>() << 24;
    }
};

/* Bytes as sRGB's light, in floats; no light is negative. Alpha is summed as it is stored. */
struct lens_light_cubic {
    static const int AT = lens_light_level::AT;
    typedef lens_light_table bytes;
    typedef lens_sixteen taps;
    static const bool IN_TURN = true; /* 48 pixels at once are more than there are registers */

    const lens_light_table &table;
    float light[3];
    float share;
    lens_stored_cubic alpha;

    __device__ __forceinline__ lens_light_cubic(const lens_light_table &table, int count)
        : table(table), light{0.0f, 0.0f, 0.0f}, share(1.0f / (float)count),
          alpha(lens_stored_bytes(), count)
    {
    }
    template <typename Image>
    static __device__ __forceinline__ lens_sixteen load(const lens_frame &frame, const Image &src,
                                                        const lens_spot &spot)
    {
        return lens_load_sixteen(frame, src, spot);
    }
    template <int CHANNEL>
    __device__ __forceinline__ float row_of(const lens_cubic &w, const uint32_t (&row)[4]) const
    {
        return w.inner[0] * table.at<CHANNEL>(row[1]) + w.inner[1] * table.at<CHANNEL>(row[2]) -
               w.outer[0] * table.at<CHANNEL>(row[0]) - w.outer[1] * table.at<CHANNEL>(row[3]);
    }
    template <int CHANNEL>
    __device__ __forceinline__ void add_light(const lens_sixteen &taps, const lens_cubic &across,
                                              const lens_cubic &down)
    {
        light[CHANNEL] += down.inner[0] * row_of<CHANNEL>(across, taps.rows[1]) +
                          down.inner[1] * row_of<CHANNEL>(across, taps.rows[2]) -
                          down.outer[0] * row_of<CHANNEL>(across, taps.rows[0]) -
                          down.outer[1] * row_of<CHANNEL>(across, taps.rows[3]);
    }
    template <int CHANNEL>
    __device__ __forceinline__ void add_one(const lens_sixteen &taps, const lens_parts &parts)
    {
        add_light<CHANNEL>(taps, lens_cubic::at(parts.x), lens_cubic::at(parts.y));
    }
    __device__ __forceinline__ void add(const lens_sixteen &taps, const lens_parts &parts)
    {
        const lens_cubic across = lens_cubic::at(parts.x);
        const lens_cubic down = lens_cubic::at(parts.y);
        add_light<0>(taps, across, down);
        add_light<1>(taps, across, down);
        add_light<2>(taps, across, down);
    }
    template <int CHANNEL> __device__ __forceinline__ uint32_t mean() const
    {
        return lens_light_level::of(fminf(fmaxf(light[CHANNEL] * share, 0.0f), 1.0f));
    }
    __device__ __forceinline__ uint32_t mean_of_alpha() const
    {
        return alpha.mean_of_alpha();
    }
};

/* Alpha that is averaged; `add` has taken none. */
static __device__ __forceinline__ void lens_add_alpha(lens_stored_cubic &sums,
                                                      const lens_sixteen &taps,
                                                      const lens_parts &parts, bool)
{
    sums.add_one<3>(taps, parts);
}

static __device__ __forceinline__ void lens_add_alpha(lens_light_cubic &sums,
                                                      const lens_sixteen &taps,
                                                      const lens_parts &parts, bool)
{
    sums.alpha.add_one<3>(taps, parts);
}

#endif
