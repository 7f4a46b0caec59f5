/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The MMA path of tiles (gauss/cuda/tiles/mma/tile.cuh): the variances of a warp's outputs, and
 * the blur. */
#pragma once

#include "kernels/cuda/mma.cuh"
#include "table.cuh"
#include "window.cuh"

/* ---- Variances of a warp's outputs */

DEVICE float between(float a, float b, float part)
{
    return fmaf(part, b - a, a);
}

#define MMA_TWO_VARIANCES 1.41f /* ratio of the largest sigma^2 to the least */
/* So many variances are enough where each pixel evaluates sigma, up to these distances of the
 * largest from the least: levels that are averaged as stored are half a level off, light a third of
 * one. */
DEVICE int count_variances(float span, bool light)
{
    return light ? 4 + (span > 0.18f) + (span > 0.34f) + (span > 0.53f)
                 : 4 + (span > 0.3f) + 2 * (span > 0.75f);
}

/* Finds the least of floats from 0 on, which are ordered as their bits are. */
DEVICE tile_range range_of_warp(float own)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return {__uint_as_float(__reduce_min_sync(~0u, __float_as_uint(own))),
            __uint_as_float(__reduce_max_sync(~0u, __float_as_uint(own)))};
#else
    return range_of_lanes<32>({own, own});
#endif
}

struct tile_mma_variances {
    int count;
    float part; /* If all outputs have one variance, it lies that far from an entry to the next. */
    float least; /* of the warp's */
    /* The variances of a lane's outputs: rows g and g + 8 of columns 2t and 2t + 1, then of the
     * columns 8 on. */
    float at[8];

    /* (x0, y0) is the warp's first output. Where all outputs have one variance BYTES take one
     * Gaussian between two of the table, which are 5 % apart: its weights are off by a last place
     * of halves, which is enough for 8 bits. */
    template <bool BYTES>
    MEMBER void find(const tile_law &law, const tile_mma_shape &shape, int x0, int y0,
                     const tile_mma_memory &memory)
    {
        const int level = shape.level;
        const int lane = tile_mma_lane();
        const int column = lane % MMA_NODES;
        const int row = lane / MMA_NODES % MMA_NODES;
        const float step_px = (float)(1 << level);
        const float sigma_px = law.at(((float)(x0 + min(8 * column, shape.used)) + 0.5f) * step_px,
                                      ((float)(y0 + min(8 * row, shape.used)) + 0.5f) * step_px);
        const float own = gauss_tile_residual(sigma_px, level);
        if (lane < MMA_NODES * MMA_NODES) {
            ((float *)memory.shares)[lane] = own;
        }
        __syncwarp();
        const float per_output = shape.used == 16 ? 0.125f : 0.25f;
        place(memory.shares, lane / 4, lane % 4 * 2, {0.125f, per_output});
        __syncwarp();
        const tile_range range = range_of_warp(own);
        least = range.low;
        choose<BYTES>(range, gauss_tile_variance(level) / (step_px * step_px), memory.shares);
        __syncwarp();
    }

    /* If sigma is small, a Gaussian changes fast with it: then each pixel evaluates it, and up to
     * seven variances are blended. (x0, y0) is the warp's first pixel. Of a MIXED subtile a corner
     * may ask for a little more than the table has. */
    MEMBER void find_narrow(const tile_law &law, int x0, int y0, bool light,
                            const tile_mma_memory &memory)
    {
        const int lane = tile_mma_lane();
        float low = INFINITY;
        float high = 0.0f;
        const float x = (float)(x0 + lane % 4 * 2) + 0.5f;
        const float y = (float)(y0 + lane / 4) + 0.5f;
#pragma unroll
        for (int n = 0; n < 8; n++) {
            at[n] = law.own_plain(x + (float)(n / 4 * 8 + n % 2), y + (float)(n / 2 % 2 * 8));
        }
        if (law.has_others()) {
#pragma unroll
            for (int n = 0; n < 8; n++) {
                at[n] = least_of_others(law.tiles, x + (float)(n / 4 * 8 + n % 2),
                                        y + (float)(n / 2 % 2 * 8), at[n]);
            }
        }
#pragma unroll
        for (int n = 0; n < 8; n++) {
            at[n] = fminf(sampled_variance(law.applied(at[n])), GAUSS_TILE_MOST_VARIANCE);
            low = fminf(low, at[n]);
            high = fmaxf(high, at[n]);
        }
        const tile_range range = {range_of_warp(low).low, range_of_warp(high).high};
        least = range.low;
        /* Polynomials far from 0 would cancel: the weights would miss 1 by a level. */
#pragma unroll
        for (int n = 0; n < 8; n++) {
            at[n] -= least;
        }
        count = count_variances(range.high - range.low, light);
        part = 0.0f;
        choose_narrow(range, memory.shares);
        __syncwarp();
    }

    /* Returns which of the lane's outputs are copied, one bit each. */
    MEMBER uint32_t copied() const
    {
        uint32_t outputs = 0;
#pragma unroll
        for (int n = 0; n < 8; n++) {
            outputs |= (uint32_t)(least == 0.0f && at[n] == 0.0f) << n;
        }
        return outputs;
    }

  private:
    /* Chooses the table's entries near Chebyshev's nodes on the range, and entry 0 if something is
     * copied, which is exact. The polynomial of each entry, in the variance above the least, is 1
     * there and 0 at the others. */
    MEMBER void choose_narrow(const tile_range &range, float4 *shares)
    {
        const int most = GAUSS_TILE_VARIANCES;
        const float span = range.high - range.low;
        const int lane = tile_mma_lane();
        int own = 0;
        int after = 0;
        float v[most];
        float mine = 0.0f;
#pragma unroll
        for (int i = 0; i < most; i++) {
            const float of_4[most] = {0.038f, 0.309f, 0.691f, 0.962f, 0.962f, 0.962f, 0.962f};
            const float of_5[most] = {0.024f, 0.206f, 0.5f, 0.794f, 0.976f, 0.976f, 0.976f};
            const float of_6[most] = {0.017f, 0.146f, 0.371f, 0.629f, 0.854f, 0.983f, 0.983f};
            const float of_7[most] = {0.013f, 0.109f, 0.283f, 0.5f, 0.717f, 0.891f, 0.987f};
            const float node = count == 4   ? of_4[i]
                               : count == 5 ? of_5[i]
                               : count == 6 ? of_6[i]
                                            : of_7[i];
            const bool copies = i == 0 && range.low == 0.0f;
            const int wanted =
                copies ? 0 : __float2int_rn(entry_of_any_variance(fmaf(node, span, range.low)));
            /* Those that follow need entries of their own. */
            const int last = tile_mma_table::entries - 1 - 2 * (count - 1 - i);
            const int entry = min(max(wanted, after), last);
            after = entry + 2;
            v[i] = variance_of_any_entry(entry) - range.low;
            own = lane == i ? entry : own;
            mine = lane == i ? v[i] : mine;
        }
        float of[most] = {1.0f};
        float scale = 1.0f;
#pragma unroll
        for (int i = 0; i < most; i++) {
            if (i == lane || i >= count) {
                continue;
            }
#pragma unroll
            for (int d = most - 1; d > 0; d--) {
                of[d] = fmaf(-v[i], of[d], of[d - 1]);
            }
            of[0] *= -v[i];
            scale *= mine - v[i];
        }
        const float inverse = ptx_rcp(scale);
        if (lane < count) {
            shares[2 * lane] =
                make_float4(__int_as_float(own), inverse * of[0], inverse * of[1], inverse * of[2]);
            shares[2 * lane + 1] =
                make_float4(inverse * of[3], inverse * of[4], inverse * of[5], inverse * of[6]);
        }
    }
    /* Chooses each variance's entry of the table, and the polynomial in the variance that is 1
     * there and 0 at the others. `before` is the variance that samples have without the blur. */
    template <bool BYTES> MEMBER void choose(const tile_range &range, float before, float4 *shares)
    {
        const float least = (float)tile_mma_table::narrow;
        const float most = (float)(tile_mma_table::entries - 1);
        const float low = fminf(fmaxf(entry_of_variance(range.low), least), most);
        const float span = fminf(fmaxf(entry_of_variance(range.high), least), most) - low;
        const bool three = range.high + before > MMA_TWO_VARIANCES * (range.low + before);
        const float outside = three ? 0.067f : 0.146f; /* Chebyshev's nodes of 3 and of 2 */
        const int a = min((int)fmaf(outside, span, low), tile_mma_table::entries - 2);
        const int c = min(max(a + (three ? 2 : 1), (int)ceilf(fmaf(1.0f - outside, span, low))),
                          tile_mma_table::entries - 1);
        count = three ? 3 : 2;
        /* Lane 0 has the first variance, lane 1 the last, lane 2 the one between. */
        const int lane = tile_mma_lane();
        const int b = (a + c) / 2;
        const int own = lane == 0 ? a : lane == 1 ? c : b;
        const float v = variance_of_entry(own);
        const float first = variance_of_entry(lane == 0 ? c : a);
        const float second = variance_of_entry(lane == 2 ? c : b);
        const float scale = ptx_rcp((v - first) * (three ? v - second : 1.0f));
        part = 0.0f;
        if (BYTES && range.low == range.high) {
            const float next = variance_of_entry(a + 1);
            part = (range.low - variance_of_entry(a)) * ptx_rcp(next - variance_of_entry(a));
            count = 1;
            shares[0] = make_float4(__int_as_float(a), 1.0f, 0.0f, 0.0f);
        } else if (lane < count) {
            shares[2 * lane] = three
                                   ? make_float4(__int_as_float(own), scale * (first * second),
                                                 -scale * (first + second), scale)
                                   : make_float4(__int_as_float(own), -scale * first, scale, 0.0f);
        }
    }
    /* The lane's outputs, from the row and column of its first. `per_output` is the fraction of the
     * way from a node to the next, before and from output 8 on. Outputs that are not used may have
     * any value. */
    MEMBER void place(const float4 *nodes, int row, int column, const float2 &per_output)
    {
        const float4 a = nodes[0];
        const float4 b = nodes[1];
        const float c = ((const float *)nodes)[8];
        const float upper = (float)row * per_output.x;
        const float lower = (float)row * per_output.y;
        const float rows[2][3] = {
            {between(a.x, a.w, upper), between(a.y, b.x, upper), between(a.z, b.y, upper)},
            {between(a.w, b.z, lower), between(b.x, b.w, lower), between(b.y, c, lower)}};
#pragma unroll
        for (int h = 0; h < 2; h++) {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                const float step =
                    (rows[h][j + 1] - rows[h][j]) * (j ? per_output.y : per_output.x);
                at[4 * j + 2 * h] = fmaf((float)column, step, rows[h][j]);
                at[4 * j + 2 * h + 1] = at[4 * j + 2 * h] + step;
            }
        }
    }
};

/* ---- The blur */

/* The weights of one variance as operands: those of samples 2t and 2t + 1 for output g, from eight
 * before the window's first on, in steps of eight, are all that W consists of. They are left
 * operands down and right operands across. Each register has its own copy of a word that occurs
 * twice: compilers would otherwise move it anew for every mma. */
struct tile_mma_weights {
    uint32_t upper[4]; /* W, its first 16 columns */
    uint32_t lower[4];
    uint32_t across[2][2][2]; /* [outputs, 8 on][samples, 16 on] */

    /* Loads an entry's words, `part` of the way to the next entry's. */
    static MEMBER void load(int entry, float part, uint32_t (&w)[5])
    {
        const int lane = tile_mma_lane();
        const uint32_t *from =
            tile_mma_gaussians.of[entry] + lane % 4 * 2 - lane / 4 - 16 - tile_mma_table::first;
#pragma unroll
        for (int j = 0; j < 5; j++) {
            w[j] = __ldg(from + 8 * j);
        }
        if (part > 0.0f) {
#pragma unroll
            for (int j = 0; j < 5; j++) {
                const __half2 next = half2_of(__ldg(from + tile_mma_table::words + 8 * j));
                const __half2 step = __hsub2(next, half2_of(w[j]));
                w[j] = bits_of(__hfma2(__float2half2_rn(part), step, half2_of(w[j])));
            }
        }
    }

    MEMBER void set(const uint32_t (&w)[5])
    {
        const uint32_t opaque_zero =
            blockIdx.y; /* The grid has one row, so this is 0, which compilers do not know. */
#pragma unroll
        for (int k = 0; k < 2; k++) {
            upper[2 * k] = w[1 + k];
            upper[2 * k + 1] = w[k] | opaque_zero;
            lower[2 * k] = w[3 + k];
            lower[2 * k + 1] = w[2 + k] | opaque_zero;
#pragma unroll
            for (int s = 0; s < 2; s++) {
                across[0][s][k] = w[1 + 2 * s + k] ^ opaque_zero;
                across[1][s][k] = w[2 * s + k] + opaque_zero;
            }
        }
    }
};

/* Outputs as mma gives them: rows g and g + 8 of columns 2t and 2t + 1, then the columns 8 on. */
typedef float tile_mma_sums[MMA_COLORS][8];

/* Blurs a channel with one variance. `window` is the lane's row of the first square. */
DEVICE void blur_plane(mma_place window, const tile_mma_weights &weights, float (&across)[2][4])
{
    const int pitch_bytes = 2 * MMA_PITCH;
#pragma unroll
    for (int s = 0; s < 2; s++) {
        uint32_t above[4];
        uint32_t below[4];
        mma_load_transposed(above, window + 32 * s);
        mma_load_transposed(below, window + 32 * s + 16 * pitch_bytes);
        const mma_halves zero = make_uint2(0, 0);
        mma_halves left;
        mma_halves right;
        mma_begin_halves(left, weights.upper, above[0], above[1], zero);
        mma_begin_halves(right, weights.upper, above[2], above[3], zero);
        mma_add(left, weights.lower, below[0], below[1]);
        mma_add(right, weights.lower, below[2], below[3]);
        const uint32_t down[4] = {left.x, left.y, right.x, right.y};
#pragma unroll
        for (int o = 0; o < 2; o++) {
            const uint32_t(&w)[2] = weights.across[o][s];
            if (s == 0) {
                mma_begin(across[o], down, w[0], w[1], 0.0f, 0.0f);
            } else {
                mma_add(across[o], down, w[0], w[1]);
            }
        }
    }
}

/* Blurs a warp's outputs. NARROW takes the polynomials of find_narrow, and loads weights a variance
 * ahead: it has more of them than others, and its warps end last. */
template <bool NARROW>
DEVICE void blur_outputs(const tile_mma_variances &variances, const float4 *memory,
                         mma_place window, tile_mma_sums &sums)
{
#pragma unroll
    for (int i = 0; i < MMA_COLORS * 8; i++) {
        sums[i / 8][i % 8] = 0.0f;
    }
    uint32_t words[5];
    if (NARROW) {
        tile_mma_weights::load(__float_as_int(memory[0].x), 0.0f, words);
    }
#pragma unroll 1
    for (int i = 0; i < variances.count; i++) {
        const float4 share = memory[2 * i];
        const float4 higher = NARROW ? memory[2 * i + 1] : float4{};
        if (!NARROW) {
            tile_mma_weights::load(__float_as_int(share.x), variances.part, words);
        }
        tile_mma_weights weights;
        weights.set(words);
        if (NARROW) {
            const int next = min(i + 1, variances.count - 1);
            tile_mma_weights::load(__float_as_int(memory[2 * next].x), 0.0f, words);
        }
        float shares[8];
#pragma unroll
        for (int n = 0; n < 8; n++) {
            const float at = variances.at[n];
            const float highest =
                NARROW ? fmaf(fmaf(fmaf(fmaf(higher.w, at, higher.z), at, higher.y), at, higher.x),
                              at, share.w)
                       : share.w;
            shares[n] = fmaf(fmaf(highest, at, share.z), at, share.y);
        }
#pragma unroll
        for (int c = 0; c < MMA_COLORS; c++) {
            float across[2][4];
            blur_plane(window + c * (2 * MMA_PLANE), weights, across);
#pragma unroll
            for (int n = 0; n < 8; n++) {
                sums[c][n] = fmaf(shares[n], across[n / 4][n % 4], sums[c][n]);
            }
        }
    }
}

/* Clamps outputs to the range of their inputs, which rounding and negative polynomials may leave,
 * and packs them as a left operand. */
DEVICE void limit_outputs(const tile_mma_sums &sums, const __half2 *low, const __half2 *high,
                          uint32_t (&z)[MMA_COLORS][4])
{
#pragma unroll
    for (int c = 0; c < MMA_COLORS; c++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const __half2 two = half2_of(mma_rounded(sums[c][2 * k], sums[c][2 * k + 1]));
            z[c][k] = bits_of(__hmin2(__hmax2(two, low[c]), high[c]));
        }
    }
}
