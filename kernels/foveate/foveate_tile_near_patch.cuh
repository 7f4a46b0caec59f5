/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A patch of 16 x 16 pixels by a warp of foveate_tile_near.cuh: where each pixel lies among the patch's
 * Gaussians, and the sum of those around it, each two products with its banded matrix. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_NEAR_PATCH_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_NEAR_PATCH_CUH

#include "foveate_tile_mma.cuh"
#include "foveate_tile_nodes.cuh"

/* ---- A patch */

/* The four pairs of neighbours along a column that a lane holds of a patch's channel: [half of the rows]
 * [half of the columns]. */
struct near_pixels {
    __half2 of[2][2];
};

/* A lane's share of the banded matrix: its pairs of weights, eight samples apart. As a first factor it
 * filters along rows, as a second one along columns. */
template <int HALO> struct near_band {
    static const int count = 3 + HALO / 4;
    uint32_t pair[count];

    __device__ __forceinline__ near_band(const near_weights &weights, int node)
    {
        const int lane = near_lane();
        const int first = 2 * (lane % 4) - lane / 4 - HALO - 8;
#pragma unroll
        for (int i = 0; i < count; i++) {
            pair[i] = weights.pairs[node][NEAR_PAIRS / 2 + first + 8 * i];
        }
    }

    /* Eight rows of a window of one channel, filtered along rows: 16 columns by eight rows. */
    __device__ __forceinline__ mma_halves along_rows(mma_address from) const
    {
        uint32_t x[4];
        mma_load(from, x);
        mma_halves sum = mma({{pair[1], pair[0], pair[2], pair[1]}}, x[0], x[1], mma_halves{});
        if constexpr (HALO == 4) {
            return mma_shallow(pair[3], pair[2], x[2], sum);
        } else {
            sum = mma({{pair[3], pair[2], pair[4], pair[3]}}, x[2], x[3], sum);
        }
        if constexpr (HALO == 12) {
            mma_load(from + 8 * sizeof(__half), x);
            sum = mma_shallow(pair[5], pair[4], x[3], sum);
        }
        return sum;
    }

    /* Eight rows of results from the groups of eight rows from `rows` on. In shallow steps: two groups together
     * would have to be moved to where deep ones want them. */
    __device__ __forceinline__ mma_halves along_columns(const mma_halves *rows) const
    {
        mma_halves sum = {};
#pragma unroll
        for (int i = 0; i < 1 + HALO / 4; i++) {
            sum = mma_shallow(rows[i].row[0], rows[i].row[1], pair[i + 1], sum);
        }
        return sum;
    }
};

/* Adds a Gaussian's part of a channel. */
template <int HALO>
static __device__ __forceinline__ void add_blurred(const near_band<HALO> &band, mma_address from,
                                                   const near_pixels &parts, near_pixels &sum)
{
    typedef near_shape<HALO> shape;
    const int groups = 2 + HALO / 4;
    mma_halves rows[groups];
#pragma unroll
    for (int i = 0; i < groups; i++) {
        rows[i] = band.along_rows(from + (mma_address)(8 * i * shape::pitch * sizeof(__half)));
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
        const mma_halves out = band.along_columns(rows + j);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            sum.of[j][h] = __hfma2(parts.of[j][h], half2_of(out.row[h]), sum.of[j][h]);
        }
    }
}

/* How much of a Gaussian a pixel takes that lies `places` among them. */
static __device__ __forceinline__ near_pixels parts_of(const near_pixels &places, int node)
{
    const __half2 at = __float2half2_rn((float)node);
    const __half2 one = __float2half2_rn(1.0f);
    const __half2 none = __float2half2_rn(0.0f);
    near_pixels parts;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const __half2 distance = __habs2(__hsub2(places.of[i / 2][i % 2], at));
        parts.of[i / 2][i % 2] = __hmax2(__hsub2(one, distance), none);
    }
    return parts;
}

/* All channels of the patch at (x, y) in the tile. */
template <int HALO>
static __device__ __forceinline__ void blur_patch(const near_nodes &nodes, near_weights &weights,
                                                  const __half *planes, int x, int y, int channels,
                                                  const near_pixels &places, near_pixels (&out)[4])
{
    typedef near_shape<HALO> shape;
    const int lane = near_lane();
    const mma_address from =
        mma_address_of(planes + (y + lane % 8) * shape::pitch + x + lane / 8 * 8);
#pragma unroll 1
    for (int node = 0; node < nodes.count; node++) {
        if (node % 2 == 0) {
            fill_weights(weights, HALO, nodes.sigma_px(node), nodes.sigma_px(node + 1));
        }
        const near_band<HALO> band(weights, node % 2);
        const near_pixels parts = parts_of(places, node);
#pragma unroll
        for (int c = 0; c < 4; c++) {
            if (c < channels) {
                add_blurred<HALO>(band, from + (mma_address)(c * shape::plane * sizeof(__half)),
                                  parts, out[c]);
            }
        }
    }
}

/* ---- Where pixels lie among the Gaussians */

/* Between the points around: x is a lane's column, y its pairs of rows. */
static __device__ __forceinline__ near_pixels places_between(const near_weights &weights)
{
    const int lane = near_lane();
    const float across = ((float)(lane / 4) + 0.5f) * (1.0f / NEAR_STEP);
    const float down = ((float)(lane % 4) * 2.0f + 0.5f) * (1.0f / NEAR_STEP);
    const __half2 of_rows = __floats2half2_rn(down, down + 1.0f / NEAR_STEP);
    float line[3][2];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const float *places = weights.places + 3 * k;
#pragma unroll
        for (int h = 0; h < 2; h++) {
            line[k][h] = fmaf(across, places[h + 1] - places[h], places[h]);
        }
    }
    near_pixels out;
#pragma unroll
    for (int j = 0; j < 2; j++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            out.of[j][h] = __hfma2(of_rows, __float2half2_rn(line[j + 1][h] - line[j][h]),
                                   __float2half2_rn(line[j][h]));
        }
    }
    return out;
}

/* By the law itself, for every pixel. `copied`: a bit for each of the lane's pixels that is left alone. */
static __device__ __forceinline__ near_pixels exact_places(const tile_law &law,
                                                           const near_nodes &nodes, int x0, int y0,
                                                           uint32_t &copied)
{
    const int lane = near_lane();
    uint4 words = {};
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        const int x = x0 + lane / 4 + i / 2 % 2 * 8;
        const int y = y0 + lane % 4 * 2 + i / 4 * 8 + i % 2;
        const float sigma_px = law.of_pixel(x, y);
        const uint32_t place = __half_as_ushort(__float2half_rn(nodes.place(sigma_px)));
        set_word(words, i / 2, word_at(words, i / 2) | place << i % 2 * 16);
        copied |= (uint32_t)(sigma_px * FOVEATE_REACH < 1.0f) << i;
    }
    return {{{half2_of(words.x), half2_of(words.y)}, {half2_of(words.z), half2_of(words.w)}}};
}

#endif
