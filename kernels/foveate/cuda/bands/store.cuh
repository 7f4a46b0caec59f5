/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Writes a unit of foveate_bands.cu into the picture. Sums become words, which keep the picture's
 * alpha, and the pixels of fragments without a filter. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_BANDS_STORE_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_BANDS_STORE_CUH

#include "product.cuh"

static __device__ __forceinline__ uint32_t level_of_light(float v)
{
    return round_unorm(light_to_srgb(v) * 255.0f, 255.0f);
}

/* Converts two neighbours' sums to levels in the low bytes of two halves. Averages stay in range:
 * behind the exponent of 1024 the steps of halves are integers. */
template <bool LIGHT> static __device__ __forceinline__ uint32_t levels_of(uint32_t sums)
{
    const __half2 pair = *(const __half2 *)&sums;
    if (LIGHT) {
        const float2 v = __half22float2(pair);
        return level_of_light(v.x) | level_of_light(v.y) << 16;
    }
    const __half2 biased = __hadd2(pair, __float2half2_rn(1024.0f + 128.0f));
    return *(const uint32_t *)&biased;
}

/* Packs two pixels; `alpha` has their fourth bytes. */
template <bool LIGHT, int CHANNELS, int COUNT, int TILES>
static __device__ __forceinline__ uint2 words_of(const unit_sums<CHANNELS, COUNT, TILES> &sums,
                                                 int tile, int half, int q, uint32_t alpha)
{
    uint32_t levels[CHANNELS];
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        const mma_halves &sum = sums.of[tile][q][c];
        levels[c] = levels_of<LIGHT>(half == 0 ? sum.x : sum.y);
    }
    if constexpr (CHANNELS == 1) {
        return make_uint2(levels[0], levels[0] >> 16);
    } else {
        const uint32_t two = __byte_perm(levels[0], levels[1], 0x6240u);
        const uint32_t other_two = __byte_perm(levels[2], alpha, 0x5240u);
        return make_uint2(__byte_perm(two, other_two, 0x5410u),
                          __byte_perm(two, other_two, 0x7632u));
    }
}

/* The bits of a word that are made; the others are the picture's own. */
template <enum fovea_format FORMAT> static __device__ __forceinline__ uint32_t made_part(int ring)
{
    return ring == FOVEATE_RING_NONE ? 0u : pixel<FORMAT>::keep_alpha(~0u, 0u);
}

/* The places of columns 2 t and 2 t + 1 of a unit's quarters in the picture. */
template <int COUNT> struct lane_columns {
    int x[COUNT]; /* of the first */
    uint32_t inside; /* bits 2 q and 2 q + 1 */

    __device__ __forceinline__ lane_columns(const foveate_frame &frame, const bands_region &region,
                                            const unit &u)
        : inside(0)
    {
        const bands_lane l;
        const int side = frame.fragment_px;
#pragma unroll
        for (int q = 0; q < COUNT; q++) {
            const int columns = quarter_columns(u, side, q);
            x[q] = region.x + u.x + quarter_start(side, q) + 2 * l.t;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const bool is_inside =
                    2 * l.t + i < columns && x[q] + i >= 0 && x[q] + i < frame.width_px;
                inside |= (uint32_t)is_inside << (2 * q + i);
            }
        }
    }
};

/* Reads what a pair of pixels has in the window, and its alpha. */
struct own_pixels {
    const bands_region &region;
    const char *window;
    const uint8_t *alpha;

    template <enum fovea_format FORMAT>
    __device__ __forceinline__ uint2 at(const unit &u, int column, int row, uint32_t part) const
    {
        uint2 own = {};
        if (FORMAT == FOVEA_FORMAT_RGBA8) {
            const uint8_t *from =
                alpha + (u.y + row) * ALPHA_PITCH + (region.lead & 3) + u.x + column;
            own = make_uint2((uint32_t)from[0] << 24, (uint32_t)from[1] << 24);
        }
        if (part == 0) {
            const uint32_t *words =
                (const uint32_t *)(window + (region.radius + u.y + row) * region.pitch_bytes) +
                region.lead + u.x + column;
            own.x |= words[0] & 0x00ffffffu;
            own.y |= words[1] & 0x00ffffffu;
        }
        return own;
    }
};

template <enum fovea_format FORMAT, typename Image> struct target {
    const foveate_frame &frame;
    const bands_region &region;
    const Image &dst;
    own_pixels own;

    /* Returns the row of the picture for the unit's row, or -1 outside. */
    __device__ __forceinline__ int y_of(const unit &u, int row) const
    {
        const int y = region.y + u.y + row;
        return row < u.rows && y >= 0 && y < frame.height_px ? y : -1;
    }

    template <bool WORDS>
    __device__ __forceinline__ void store_pair(int x, int y, uint32_t inside, uint2 pair) const
    {
        if (!WORDS) {
            if (inside == 3 && x % 2 == 0 && has_runs(dst, 2)) {
                write_run_at(run_at(dst, x, y), tile_words<uint32_t, 2>{{pair.x, pair.y}});
                return;
            }
            if (inside & 1u) {
                dst.store(x, y, pair.x);
            }
            if (inside & 2u) {
                dst.store(x + 1, y, pair.y);
            }
            return;
        }
        uint32_t *to = (uint32_t *)(words_of_view(dst) + y * row_bytes_of(dst)) + x;
        if (inside == 3 && ((uintptr_t)to & 7) == 0) {
            *(uint2 *)to = pair;
            return;
        }
        if (inside & 1u) {
            to[0] = pair.x;
        }
        if (inside & 2u) {
            to[1] = pair.y;
        }
    }

    template <bool LIGHT, bool WORDS, int CHANNELS, int COUNT, int TILES>
    __device__ __forceinline__ void store_as(const unit &u,
                                             const unit_sums<CHANNELS, COUNT, TILES> &sums) const
    {
        const lane_columns<COUNT> columns(frame, region, u);
        const int left = region.x + u.x;
#pragma unroll
        for (int half = 0; half < 2 * TILES; half++) {
            const int row = 8 * half + bands_lane().g;
            const int y = y_of(u, row);
            if (y < 0) {
                continue;
            }
#pragma unroll
            for (int q = 0; q < COUNT; q++) {
                const uint32_t inside = columns.inside >> 2 * q & 3u;
                if (inside == 0) {
                    continue;
                }
                const uint32_t part = made_part<FORMAT>(u.rings[q]);
                const uint2 kept = own.at<FORMAT>(u, columns.x[q] - left, row, part);
                const uint2 made = words_of<LIGHT>(sums, half / 2, half % 2, q, 0);
                store_pair<WORDS>(columns.x[q], y, inside,
                                  make_uint2((made.x & part) | (kept.x & ~part),
                                             (made.y & part) | (kept.y & ~part)));
            }
        }
    }

    /* Whole quarters that are made, lie in the picture, and whose pairs of pixels are aligned in
     * `dst` and alike in the plane of alpha, are written by pairs. */
    template <int COUNT> __device__ __forceinline__ bool is_plain(const unit &u) const
    {
        bool made = FORMAT == FOVEA_FORMAT_RGBA8 && u.width == COUNT * QUARTER_PX;
#pragma unroll
        for (int q = 0; q < COUNT; q++) {
            made = made && u.rings[q] != FOVEATE_RING_NONE;
        }
        const int x = region.x + u.x;
        const int y = region.y + u.y;
        return made && u.rows % QUARTER_PX == 0 && x >= 0 && y >= 0 &&
               x + u.width <= frame.width_px && y + u.rows <= frame.height_px && x % 2 == 0 &&
               (((uintptr_t)words_of_view(dst) | (uintptr_t)row_bytes_of(dst)) & 7) == 0;
    }

    template <bool LIGHT, int CHANNELS, int COUNT, int TILES>
    __device__ __forceinline__ void store_plain(const unit &u,
                                                const unit_sums<CHANNELS, COUNT, TILES> &sums) const
    {
        const bands_lane l;
        const uint8_t *alpha =
            own.alpha + (u.y + l.g) * ALPHA_PITCH + (region.lead & 3) + u.x + 2 * l.t;
        char *to = words_of_view(dst) + (region.y + u.y + l.g) * row_bytes_of(dst) +
                   4 * (region.x + u.x + 2 * l.t);
#pragma unroll
        for (int half = 0; half < 2 * TILES; half++) {
            if (QUARTER_PX * half >= u.rows) {
                break;
            }
#pragma unroll
            for (int q = 0; q < COUNT; q++) {
                const uint32_t two = *(const uint16_t *)(alpha + QUARTER_PX * q);
                *(uint2 *)(to + 4 * QUARTER_PX * q) =
                    words_of<LIGHT>(sums, half / 2, half % 2, q, two);
            }
            alpha += QUARTER_PX * ALPHA_PITCH;
            to += QUARTER_PX * row_bytes_of(dst);
        }
    }

    template <bool LIGHT, int CHANNELS, int COUNT, int TILES>
    __device__ __forceinline__ void store(const unit &u,
                                          const unit_sums<CHANNELS, COUNT, TILES> &sums) const
    {
        if (!has_words(dst)) {
            store_as<LIGHT, false>(u, sums);
        } else if (is_plain<COUNT>(u)) {
            store_plain<LIGHT>(u, sums);
        } else {
            store_as<LIGHT, true>(u, sums);
        }
    }
};

#endif
