/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of the picture with narrow Gaussians are averaged in two dimensions at once, which is the
 * definition: the weights of a narrow Gaussian change so fast with sigma that a row with another
 * row's sigma would show.
 *
 * A thread makes four pixels in a row. It adds the two rows at one distance above and below first,
 * then the samples at one distance left and right; halves hold these sums of levels exactly. Floats
 * are summed as floats. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_DIRECT_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_DIRECT_CUH

#include "kernels/gauss/cuda/tiles/common/window.cuh"

#define TILE_GROUP GAUSS_TILE_GROUP

/* ---- Sigma */

/* By distance, all four are computed at once, so that none waits for another's load. By the gaze
 * alone. */
static __device__ __forceinline__ void radial_sigmas_of_four(const tile_law &law, int x, int y,
                                                             float (&sigma_px)[TILE_GROUP])
{
    const float dy = (float)y + 0.5f - law.gaze_y;
    const float dx = (float)x + 0.5f - law.gaze_x;
#pragma unroll
    for (int n = 0; n < TILE_GROUP; n++) {
        const float across = dx + (float)n;
        sigma_px[n] = law.applied(law.table(ptx_sqrt(fmaf(across, across, dy * dy))));
    }
}

static __device__ __forceinline__ void take_others_of_four(const tile_law &law, int x, int y,
                                                           float (&sigma_px)[TILE_GROUP])
{
#pragma unroll
    for (int n = 0; n < TILE_GROUP; n++) {
        const float plain =
            least_of_others(law.tiles, (float)(x + n) + 0.5f, (float)y + 0.5f, INFINITY);
        sigma_px[n] = fminf(sigma_px[n], law.applied(plain));
    }
}

/* Returns sigma of four pixels in a row. */
static __device__ __forceinline__ void sigmas_of_four(const tile_law &law, int x, int y,
                                                      float (&sigma_px)[TILE_GROUP])
{
    if (law.tiles.law.kind == GAUSS_LAW_RADIAL) {
        radial_sigmas_of_four(law, x, y, sigma_px);
        if (law.has_others()) {
            take_others_of_four(law, x, y, sigma_px);
        }
        return;
    }
#pragma unroll 1
    for (int n = 0; n < TILE_GROUP; n++) {
        const float sigma = law.of_pixel(x + n, y);
#pragma unroll
        for (int i = 0; i < TILE_GROUP; i++) {
            sigma_px[i] = n == i ? sigma : sigma_px[i];
        }
    }
}

/* ---- Weights of four samples; two are converted at a time */

template <typename Sample> struct tile_four_weights;

template <> struct tile_four_weights<tile_sample> {
    __half2 pairs[2];

    __device__ __forceinline__ void set(const float (&weights)[4])
    {
        pairs[0] = __floats2half2_rn(weights[0], weights[1]);
        pairs[1] = __floats2half2_rn(weights[2], weights[3]);
    }
    __device__ __forceinline__ __half2 of(int n) const
    {
        return n % 2 ? __high2half2(pairs[n / 2]) : __low2half2(pairs[n / 2]);
    }
};

template <> struct tile_four_weights<tile_floats> {
    float weights[4];

    __device__ __forceinline__ void set(const float (&all)[4])
    {
#pragma unroll
        for (int n = 0; n < 4; n++) {
            weights[n] = all[n];
        }
    }
    __device__ __forceinline__ float of(int n) const
    {
        return weights[n];
    }
};

/* ---- Weights g^(i^2), at distances of i samples */

/* Returns the weight of the first neighbour for a variance v. */
static __device__ __forceinline__ float first_weight(float v)
{
    /* log2(e) / 2 */
    const float gaussian = ptx_ex2(-0.72134752f * ptx_rcp(v));
    return v > 0.01f ? gaussian : 0.0f;
}

/* The ratio of a weight to the next one grows by a constant factor: g, g^3, g^5. */
struct tile_weights {
    float weight[TILE_GROUP];
    float ratio[TILE_GROUP];
    float factor[TILE_GROUP];
    float total[TILE_GROUP];

    __device__ __forceinline__ void start(const float (&v)[TILE_GROUP])
    {
#pragma unroll
        for (int n = 0; n < TILE_GROUP; n++) {
            const float first = first_weight(v[n]);
            weight[n] = first;
            factor[n] = first * first;
            ratio[n] = first * factor[n];
            total[n] = 0.0f;
        }
    }
    __device__ __forceinline__ void step(int n)
    {
        total[n] += weight[n];
        weight[n] *= ratio[n];
        ratio[n] *= factor[n];
    }
};

/* Reads the sums of the two lines at one distance above and below. */
template <typename Sample> struct tile_two_lines {
    const uint2 *above;
    const uint2 *below;

    __device__ __forceinline__ Sample operator()(int i) const
    {
        return load_sample<Sample>(above + i) + load_sample<Sample>(below + i);
    }
    __device__ __forceinline__ tile_two_lines from(int i) const
    {
        return {above + i, below + i};
    }
};

/* Sums four outputs along two lines from their first samples on, each with its own weights; the
 * middle sample weighs 1. Samples move through a ring of registers. The loops are unrolled by the
 * group, so that every index is a constant: otherwise the rings would lie in local memory, which
 * takes half again the time. Two weights are converted at a time. */
template <typename Sample>
static __device__ __forceinline__ void sum_four(const tile_two_lines<Sample> &lines, int radius,
                                                tile_weights &weights, Sample (&out)[TILE_GROUP])
{
    Sample left[TILE_GROUP];
    Sample right[TILE_GROUP];
#pragma unroll
    for (int n = 0; n < TILE_GROUP; n++) {
        left[n] = right[n] = out[n] = lines(n);
    }
    tile_two_lines<Sample> before = lines;
    tile_two_lines<Sample> after = lines.from(TILE_GROUP - 1);
#pragma unroll 1
    for (int i = 0; i < radius; i += TILE_GROUP) {
#pragma unroll
        for (int k = 0; k < TILE_GROUP; k++) {
            if (k > 0 && i + k >= radius) {
                break;
            }
            before = before.from(-1);
            after = after.from(1);
            left[(2 * TILE_GROUP - 1 - k) % TILE_GROUP] = before(0);
            right[k] = after(0);
            tile_four_weights<Sample> four;
            four.set(weights.weight);
#pragma unroll
            for (int n = 0; n < TILE_GROUP; n++) {
                const Sample &x = left[(n + 2 * TILE_GROUP - 1 - k) % TILE_GROUP];
                const Sample &y = right[(n + k + 1) % TILE_GROUP];
                out[n] = add_scaled(out[n], four.of(n), x + y);
                weights.step(n);
            }
        }
    }
}

/* ---- Up to five taps either side: weights in registers, of two pixels together */

template <typename Sample, int RADIUS> struct direct_weights {
    tile_four_weights<Sample> of[RADIUS];
    float scale[TILE_GROUP];

    __device__ __forceinline__ explicit direct_weights(const float (&sigma_px)[TILE_GROUP])
    {
        float tap[GAUSS_TILE_DIRECT_RADIUS][TILE_GROUP];
#pragma unroll
        for (int n = 0; n < TILE_GROUP; n++) {
            const float v = fmaxf(sigma_px[n] * sigma_px[n], 0.01f);
            const float g = ptx_ex2(-0.72134752f * ptx_rcp(v));
            const float g2 = g * g;
            const float g4 = g2 * g2;
            const float g8 = g4 * g4;
            tap[0][n] = g;
            tap[1][n] = g4;
            tap[2][n] = g8 * g;
            tap[3][n] = g8 * g8;
            tap[4][n] = g8 * g8 * tap[2][n];
            float sum = 0.5f;
#pragma unroll
            for (int i = 0; i < RADIUS; i++) {
                sum += tap[i][n];
            }
            const float inverse = ptx_rcp(2.0f * sum);
            scale[n] = inverse * inverse;
        }
#pragma unroll
        for (int i = 0; i < RADIUS; i++) {
            of[i].set(tap[i]);
        }
    }
};

/* The middle row is taken as two halves of itself, so that all rows are pairs. */
template <int RADIUS, typename Sample>
static __device__ __forceinline__ void average_four(const uint2 *centre, int pitch,
                                                    const float (&sigma_px)[TILE_GROUP],
                                                    Sample (&out)[TILE_GROUP])
{
    const direct_weights<Sample, RADIUS> weights(sigma_px);
    tile_four_weights<Sample> down[RADIUS + 1]; /* weights of the rows, the next one's first */
    down[0].set({0.5f, 0.5f, 0.5f, 0.5f});
#pragma unroll
    for (int i = 0; i < RADIUS; i++) {
        down[i + 1] = weights.of[i];
    }
#pragma unroll
    for (int n = 0; n < TILE_GROUP; n++) {
        out[n] = Sample{};
    }
    tile_two_lines<Sample> rows = {centre - RADIUS, centre - RADIUS};
#pragma unroll 1
    for (int j = 0; j <= RADIUS; j++) {
        Sample x[TILE_GROUP + 2 * RADIUS];
#pragma unroll
        for (int i = 0; i < TILE_GROUP + 2 * RADIUS; i++) {
            x[i] = rows(i);
        }
#pragma unroll
        for (int n = 0; n < TILE_GROUP; n++) {
            Sample row = x[n + RADIUS];
#pragma unroll
            for (int i = 1; i <= RADIUS; i++) {
                row =
                    add_scaled(row, weights.of[i - 1].of(n), x[n + RADIUS - i] + x[n + RADIUS + i]);
            }
            out[n] = add_scaled(out[n], down[0].of(n), row);
        }
#pragma unroll
        for (int i = 0; i < RADIUS; i++) {
            down[i] = down[i + 1];
        }
        rows.above -= pitch;
        rows.below += pitch;
    }
#pragma unroll
    for (int n = 0; n < TILE_GROUP; n++) {
        out[n] = tile_kind<Sample>::weight_of(weights.scale[n]) * out[n];
    }
}

/* ---- Any radius: weights by recurrence */

template <typename Sample>
static __device__ __forceinline__ void average_four_far(const uint2 *centre, int pitch, int radius,
                                                        const float (&sigma_px)[TILE_GROUP],
                                                        Sample (&out)[TILE_GROUP])
{
    float v[TILE_GROUP];
#pragma unroll
    for (int n = 0; n < TILE_GROUP; n++) {
        v[n] = sigma_px[n] * sigma_px[n];
        out[n] = Sample{};
    }
    tile_weights first;
    first.start(v);
    tile_weights down = first;
#pragma unroll 1
    for (int j = 0; j <= radius; j++) {
        tile_weights across = first;
        Sample rows[TILE_GROUP];
        sum_four<Sample>(tile_two_lines<Sample>{centre - j * pitch, centre + j * pitch}, radius,
                         across, rows);
#pragma unroll
        for (int n = 0; n < TILE_GROUP; n++) {
            const float weight = j == 0 ? 0.5f : down.weight[n];
            out[n] = add_scaled(out[n], tile_kind<Sample>::weight_of(weight), rows[n]);
            if (j > 0) {
                down.step(n);
            }
        }
    }
#pragma unroll
    for (int n = 0; n < TILE_GROUP; n++) {
        const float inverse = ptx_rcp(1.0f + 2.0f * down.total[n]);
        out[n] = tile_kind<Sample>::weight_of(inverse * inverse) * out[n];
    }
}

/* ---- Pixels */

/* The whole warp takes the taps of its widest pixel. */
template <typename Sample>
static __device__ __forceinline__ void average_in_warp(const uint2 *centre, int pitch, int radius,
                                                       const float (&sigma_px)[TILE_GROUP],
                                                       Sample (&out)[TILE_GROUP])
{
    const float largest = fmaxf(fmaxf(sigma_px[0], sigma_px[1]), fmaxf(sigma_px[2], sigma_px[3]));
    const int wanted =
        min((int)(GAUSS_REACH * range_of_lanes<32>({largest, largest}).high), radius);
    /* Floats take twice the registers. */
    const int most = sizeof(Sample) > 8 ? 2 : GAUSS_TILE_DIRECT_RADIUS;
    if (wanted > most) {
        average_four_far(centre, pitch, wanted, sigma_px, out);
        return;
    }
    if constexpr (sizeof(Sample) == 8) {
        if (wanted == 5) {
            average_four<5>(centre, pitch, sigma_px, out);
            return;
        }
        if (wanted == 4) {
            average_four<4>(centre, pitch, sigma_px, out);
            return;
        }
        if (wanted == 3) {
            average_four<3>(centre, pitch, sigma_px, out);
            return;
        }
    }
    if (wanted == 2) {
        average_four<2>(centre, pitch, sigma_px, out);
    } else {
        average_four<1>(centre, pitch, sigma_px, out);
    }
}

/* Returns the words of four pixels unchanged. The window has encoded levels as whole numbers, alpha
 * with them; other samples were rounded and are read again. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ tile_words<typename Image::word, 4> own_words(
    const tile_work<FORMAT, Image> &work, const tile_encoder &encode, const uint2 *centre, int x,
    int y)
{
    if constexpr (pixel<FORMAT>::white > 0) {
        if (!encode.light) {
            tile_words<typename Image::word, 4> words;
#pragma unroll
            for (int n = 0; n < TILE_GROUP; n++) {
                words.of[n] = encode.in_levels(load_sample<tile_sample>(centre + n));
            }
            return words;
        }
    }
    return load_own(work, x, y);
}

/* Returns the words of four pixels, which keep their alpha. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ tile_words<typename Image::word, 4> words_of_four(
    const tile_encoder &encode, const typename tile_pixel<FORMAT>::sample (&samples)[TILE_GROUP],
    const float (&sigma_px)[TILE_GROUP], const tile_words<typename Image::word, 4> &own)
{
    tile_words<typename Image::word, 4> words;
#pragma unroll
    for (int n = 0; n < TILE_GROUP; n++) {
        const typename Image::word word = pixel<FORMAT>::keep_alpha(encode(samples[n]), own.of[n]);
        words.of[n] = sigma_px[n] * GAUSS_REACH >= 1.0f ? word : own.of[n];
    }
    return words;
}

/* Assigns places in a tile of the picture to threads that make four pixels each: a warp takes 16
 * rows of two fours, so that its samples lie in different banks and it writes whole sectors. */
struct tile_four {
    int column;
    int row;

    __device__ __forceinline__ explicit tile_four(int i)
        : column(i / 16 % (GAUSS_TILE_SUBTILE_PX / 4) * 4),
          row(i % 16 + i / (16 * (GAUSS_TILE_SUBTILE_PX / 4)) * 16)
    {
    }
};

/* Writes the pixels of so many rows, copies among them. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_direct(const tile_work<FORMAT, Image> &work,
                                                    const gauss_tile_shape &shape,
                                                    const tile_memory &memory,
                                                    const tile_encoder &encode, int rows, int x0,
                                                    int y0)
{
    const gauss_frame &frame = work.frame;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < rows * (GAUSS_TILE_SUBTILE_PX / 4);
         i += GAUSS_TILE_THREADS) {
        const tile_four at(i);
        const int x = x0 + at.column;
        const int y = y0 + at.row;
        const bool inside = x < frame.width_px && y < frame.height_px;
        if (!__any_sync(~0u, inside)) {
            continue;
        }
        float sigma_px[TILE_GROUP] = {};
        sigmas_of_four(work.law, x, y, sigma_px);
        const uint2 *centre =
            memory.window + (at.row + shape.radius) * shape.pitch + at.column + shape.aside;
        tile_words<typename Image::word, 4> own = {};
        if (inside) {
            own = own_words(work, encode, centre, x, y);
        }
        typename tile_pixel<FORMAT>::sample samples[TILE_GROUP];
        average_in_warp(centre, shape.pitch, shape.radius, sigma_px, samples);
        if (inside) {
            store_run<4>(work.dst, has_runs(work.dst, 4), x, y, frame.width_px,
                         words_of_four<FORMAT, Image>(encode, samples, sigma_px, own));
        }
    }
}

#endif
