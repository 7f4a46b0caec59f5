/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tables of the MMA path that the compiler computes: weights of Gaussians and of the spline, as
 * halves, and the bytes of sRGB's light. */
#pragma once

#include "kernels/gauss/cuda/tiles/common/sample.cuh"
#include <stdint.h>

/* ---- Weights of Gaussians, for every variance of the MMA path */

/* Entry i has variance i / 80, in samples squared, up to 32, then 0.4 2^((i - 32) / 14). It has the
 * weights at distances d and d + 1 for d from -26 on, as halves that add up to 1 and have just that
 * variance. */
struct tile_mma_table {
    static const int entries = 96;
    static const int narrow = 32; /* entries in even steps */
    static const int first = -26;
    static const int words = 52;
    uint32_t of[entries][words];

    constexpr tile_mma_table() : of()
    {
        for (int i = 0; i < narrow; i++) {
            fill(of[i], ratio_of_narrow(i / 80.0));
        }
        double variance = 0.4;
        for (int i = narrow; i < entries; i++) {
            fill(of[i], ratio_of(variance));
            variance *= 1.0507566386532194; /* 2^(1 / 14) */
        }
    }

  private:
    static constexpr double exponential(double x) /* from -2 to 0 */
    {
        double sum = 1.0;
        for (int i = 18; i > 0; i--) {
            sum = 1.0 + sum * x / i;
        }
        return sum;
    }
    /* Subnormal numbers cannot be constants. */
    static constexpr double times(double a, double b)
    {
        return a > 1e-30 && b > 1e-30 ? a * b : 0.0;
    }
    /* Returns the variance of weights g^(d^2). */
    static constexpr double variance_of(double g)
    {
        double weight = g;
        double ratio = g * g * g;
        double total = 0.5;
        double sum = 0.0;
        for (int d = 1; d < 27; d++) {
            total += weight;
            sum += d * d * weight;
            weight = times(weight, ratio);
            ratio = times(ratio, g * g);
        }
        return sum / total;
    }
    /* Returns the weight at distance 1 over that at 0. A narrow Gaussian has less variance once it
     * is sampled. */
    static constexpr double ratio_of(double variance)
    {
        double wider = variance;
        for (int i = 0; i < 6; i++) {
            wider += variance - variance_of(exponential(-0.5 / wider));
        }
        return exponential(-0.5 / wider);
    }
    static constexpr double ratio_of_narrow(double variance)
    {
        double low = 0.0;
        double high = 0.5;
        for (int i = 0; i < 40; i++) {
            const double middle = 0.5 * (low + high);
            if (variance_of(middle) < variance) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return variance > 0.0 ? high : 0.0;
    }
    static constexpr void fill(uint32_t (&words_of)[words], double g)
    {
        double weights[28] = {1.0};
        double total = 0.5;
        double ratio = g;
        for (int d = 1; d < 28; d++) {
            weights[d] = times(weights[d - 1], ratio);
            total += weights[d];
            ratio = times(ratio, g * g);
        }
        uint32_t halves[28] = {};
        double middle = 1.0;
        for (int d = 1; d < 28; d++) {
            halves[d] = tile_half_bits(0.5 * weights[d] / total);
            middle -= 2.0 * tile_half_value(halves[d]);
        }
        halves[0] = tile_half_bits(middle);
        for (int k = 0; k < words; k++) {
            const int d = k + first;
            const int next = d + 1;
            words_of[k] = halves[d < 0 ? -d : d] | halves[next < 0 ? -next : next] << 16;
        }
    }
};

static __device__ const tile_mma_table tile_mma_gaussians;

/* Returns the entry of a variance from 0.4 on. */
DEVICE float entry_of_variance(float v)
{
    /* 18.5069933 is -14 log2(0.4). */
    return fmaf(14.0f, ptx_lg2(v), 18.5069933f + tile_mma_table::narrow);
}

DEVICE float variance_of_entry(int i)
{
    const float beyond = (float)(i - tile_mma_table::narrow) - 18.5069933f;
    return ptx_ex2(beyond * (1.0f / 14.0f));
}

/* Returns the entry of any variance. */
DEVICE float entry_of_any_variance(float v)
{
    return v < 0.4f ? 80.0f * v : entry_of_variance(v);
}

DEVICE float variance_of_any_entry(int i)
{
    return i < tile_mma_table::narrow ? (float)i * (1.0f / 80.0f) : variance_of_entry(i);
}

/* Returns the variance of the sampled Gaussian, in which the polynomials are; it is 0 for
 * copies. */
DEVICE float sampled_variance(float sigma_px)
{
    const float v = sigma_px * sigma_px;
    const float g = ptx_ex2(-0.72134752f * ptx_rcp(fmaxf(v, 0.01f)));
    const float g4 = g * g * (g * g);
    const float g9 = g4 * g4 * g;
    const float g16 = g4 * g4 * (g4 * g4);
    const float sum = g + g4 + g9 + g16;
    const float squares = fmaf(16.0f, g16, fmaf(9.0f, g9, fmaf(4.0f, g4, g)));
    const float sampled = squares * ptx_rcp(sum + 0.5f);
    return sigma_px * GAUSS_REACH < 1.0f ? 0.0f : sigma_px < 0.9f ? sampled : v;
}

/* ---- The spline */

/* Spline weights of pixel p for outputs 2 k and 2 k + 1, on a level with so many pixels to a
 * sample. Output 2 is that of the first pixels' own cell. In the picture, level 0, a pixel is its
 * output. */
template <int LEVEL> struct spline_table {
    static const int pixels = LEVEL < 3 ? GAUSS_TILE_QUADRANT_PX : GAUSS_TILE_PX;
    uint32_t of[pixels][8];

    static constexpr double weight(int pixel, int output)
    {
        if (LEVEL == 0) {
            return pixel == output ? 1.0 : 0.0;
        }
        const double place = ((double)pixel + 0.5) / (1 << LEVEL) - 0.5 + 2.0;
        const double d = place > output ? place - output : output - place;
        return d >= 2.0   ? 0.0
               : d >= 1.0 ? (2.0 - d) * (2.0 - d) * (2.0 - d) / 6.0
                          : (4.0 - 6.0 * d * d + 3.0 * d * d * d) / 6.0;
    }
    constexpr spline_table() : of()
    {
        for (int p = 0; p < pixels; p++) {
            for (int k = 0; k < 8; k++) {
                of[p][k] = tile_half_bits(weight(p, 2 * k)) | tile_half_bits(weight(p, 2 * k + 1))
                                                                  << 16;
            }
        }
    }
};

struct spline_tables {
    spline_table<0> picture;
    spline_table<1> level_1;
    spline_table<2> level_2;
    spline_table<3> level_3;
    spline_table<4> level_4;
    spline_table<5> level_5;
};

static __device__ const spline_tables tile_mma_splines;

/* one row a pixel */
DEVICE const uint32_t *spline_of_level(int level)
{
    const int rows = level < 4 ? GAUSS_TILE_QUADRANT_PX * level
                               : 3 * GAUSS_TILE_QUADRANT_PX + (level - 3) * GAUSS_TILE_PX;
    return tile_mma_splines.picture.of[0] + 8 * rows;
}

/* ---- sRGB's bytes (IEC 61966-2-1) of light, as halves from 0 to 1. The table has straight lines
 * over 32 neighbouring halves each, and rounds every half as the formula does. A logarithm and a
 * power take four times as long, 16 clocks of a slow pipe for a warp. */

struct tile_mma_encoding {
    static const int shift = 5; /* halves on a line, as a power of two */
    static const int one = 0x3c00;
    static const int count = (one >> shift) + 1;

    /* A half with the bits h has (h % 256) low + 255 high, which is 65536 times its level. */
    uint32_t of[count]; /* low | high << 16 */

    constexpr tile_mma_encoding() : of()
    {
        int first[257] = {}; /* the least halves of levels 0 to 255 */
        for (int level = 1; level < 256; level++) {
            first[level] = least_half_from(light_of(level - 0.5));
        }
        first[256] = one + (1 << shift);
        int level = 0;
        for (int i = 0; i < count; i++) {
            of[i] = line(i, first, level);
            while (first[level + 1] < (i + 1) << shift) {
                level++;
            }
        }
    }

  private:
    static constexpr double logarithm(double x)
    {
        double sum = 0.0;
        for (; x < 0.75; x *= 2.0) {
            sum -= 0.69314718055994531;
        }
        const double y = (x - 1.0) / (x + 1.0);
        double term = 2.0 * y;
        for (int i = 1; i < 24; i += 2) {
            sum += term / i;
            term *= y * y;
        }
        return sum;
    }
    static constexpr double power(double x, double exponent)
    {
        const double y = logarithm(x) * exponent / 16.0;
        double root = 1.0;
        for (int i = 14; i > 0; i--) {
            root = 1.0 + root * y / i;
        }
        for (int i = 0; i < 4; i++) {
            root *= root;
        }
        return root;
    }
    static constexpr double light_of(double level)
    {
        const double encoded = level / 255.0;
        return encoded <= 0.04045 ? encoded / 12.92 : power((encoded + 0.055) / 1.055, 2.4);
    }
    static constexpr double level_of(double light)
    {
        return 255.0 *
               (light <= 0.0031308 ? light * 12.92 : 1.055 * power(light, 1.0 / 2.4) - 0.055);
    }
    static constexpr double value_of(int half)
    {
        return half <= one ? tile_half_value((uint32_t)half) : 1.0;
    }
    static constexpr int least_half_from(double light)
    {
        int low = 0;
        int high = one;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (value_of(middle) < light) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
    static constexpr int level_on(int low, int high, int half)
    {
        return ((half & 255) * low + 255 * high + 32768) >> 16;
    }
    /* Returns line i, on which a half below it has that level. */
    static constexpr uint32_t line(int i, const int (&first)[257], int level)
    {
        const int begin = i << shift;
        const int middle = begin + (1 << shift) / 2;
        const int end = begin + (1 << shift) - 1;
        const double start = 65536.0 * level_of(value_of(begin));
        const double slope = (65536.0 * level_of(value_of(end)) - start) / (end - begin);
        const double bend = 65536.0 * level_of(value_of(middle)) - start - slope * (middle - begin);
        /* Tries the nearest first. */
        for (int n = 0; n < 49; n++) {
            const int low = (int)(slope + 0.5) + near(n % 7);
            const double residual =
                (start + 0.5 * bend + slope * (middle - begin) - (double)low * (middle & 255)) /
                255.0;
            const int high = (int)(residual + 0.5) + near(n / 7);
            if (low >= 0 && high >= 0 &&
                is_right(begin, end, low, high < 65535 ? high : 65535, first, level)) {
                return (uint32_t)low | (uint32_t)(high < 65535 ? high : 65535) << 16;
            }
        }
        return 0;
    }
    static constexpr int near(int n)
    {
        return n % 2 ? -(n + 1) / 2 : n / 2;
    }
    static constexpr bool is_right(int begin, int end, int low, int high, const int (&first)[257],
                                   int level)
    {
        while (first[level + 1] <= begin) {
            level++;
        }
        bool right = level_on(low, high, begin) == level;
        for (; first[level + 1] <= end; level++) {
            right = right && level_on(low, high, first[level + 1] - 1) == level &&
                    level_on(low, high, first[level + 1]) == level + 1;
        }
        return right && level_on(low, high, end) == level;
    }
};

static __device__ const tile_mma_encoding tile_mma_bytes;

/* Returns two levels, each in the low byte of a half. */
DEVICE uint32_t bytes_of_light(uint32_t two)
{
    const uint32_t *lines = tile_mma_bytes.of;
    const uint32_t first = __ldg(lines + ((two & 0xffffu) >> tile_mma_encoding::shift));
    const uint32_t second = __ldg(lines + (two >> (16 + tile_mma_encoding::shift)));
    const uint32_t by = two | 0xff00ff00u;
    return __byte_perm(__dp2a_lo(first, by, 32768u), __dp2a_hi(second, by, 32768u), 0x0602);
}
