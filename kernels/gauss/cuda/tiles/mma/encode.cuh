/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The MMA path of tiles (gauss/cuda/tiles/mma/tile.cuh): light, as halves from 0 to 1, becomes
 * sRGB's bytes (IEC 61966-2-1) by a table that the compiler makes. It has straight lines over 32
 * neighbouring halves each, and rounds every half as the formula does. A logarithm and a power take
 * four times as long, 16 clocks of a slow pipe for a warp. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_MMA_ENCODE_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_MMA_ENCODE_CUH

#include "table.cuh"

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
        return half <= one ? tile_mma_half_value((uint32_t)half) : 1.0;
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
static __device__ __forceinline__ uint32_t bytes_of_light(uint32_t two)
{
    const uint32_t *lines = tile_mma_bytes.of;
    const uint32_t first = __ldg(lines + ((two & 0xffffu) >> tile_mma_encoding::shift));
    const uint32_t second = __ldg(lines + (two >> (16 + tile_mma_encoding::shift)));
    const uint32_t by = two | 0xff00ff00u;
    return __byte_perm(__dp2a_lo(first, by, 32768u), __dp2a_hi(second, by, 32768u), 0x0602);
}

#endif
