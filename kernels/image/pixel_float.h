/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Floats with five bits of exponent: IEEE 754 half, and the 11 and 10-bit ones without a sign. */
#pragma once

#include <stdint.h>
#include <string.h>

#define PIXEL_HALF_MANTISSA 10

static inline uint32_t pixel_float_bits(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float pixel_bits_float(uint32_t bits)
{
    float value = 0.0f;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The float of exponent and mantissa alone. Multiplies no denormal, so it is exact even where the
 * program has set the processor to treat denormals as zero. */
static inline float pixel_small_to_float(uint32_t small, uint32_t mantissa)
{
    const uint32_t shift = 23 - mantissa;
    const uint32_t exponent = small >> mantissa;
    uint32_t bits = (small << shift) + ((127 - 15) << 23);
    if (exponent == 31) {
        return pixel_bits_float(bits + ((128 - 16) << 23));
    }
    if (exponent == 0) {
        return pixel_bits_float(bits + (1 << 23)) - pixel_bits_float((128 - 15) << 23);
    }
    return pixel_bits_float(bits);
}

/* The other way for a float without its sign, to the nearest, halves to even. */
static inline uint32_t pixel_float_to_small(uint32_t magnitude_bits, uint32_t mantissa)
{
    const uint32_t shift = 23 - mantissa;
    const uint32_t infinity = (uint32_t)31 << mantissa;
    if (magnitude_bits >= 0x7f800000u) {
        return magnitude_bits > 0x7f800000u ? infinity | (1u << (mantissa - 1)) : infinity;
    }
    if (magnitude_bits < (113u << 23)) {
        /* Adding a number whose last bit is worth the smallest denormal makes the adder round. */
        const uint32_t magic = (127 - 15 + shift + 1) << 23;
        return pixel_float_bits(pixel_bits_float(magnitude_bits) + pixel_bits_float(magic)) - magic;
    }
    const uint32_t odd = (magnitude_bits >> shift) & 1u;
    const uint32_t rounded =
        (magnitude_bits - ((127u - 15u) << 23) + (1u << (shift - 1)) - 1u + odd) >> shift;
    return rounded < infinity ? rounded : infinity - 1u;
}

static inline float pixel_half_to_float(uint16_t half)
{
    const float magnitude = pixel_small_to_float(half & 0x7fffu, PIXEL_HALF_MANTISSA);
    return pixel_bits_float(pixel_float_bits(magnitude) | (uint32_t)(half & 0x8000u) << 16);
}

static inline uint16_t pixel_float_to_half(float value)
{
    const uint32_t bits = pixel_float_bits(value);
    const uint32_t magnitude = pixel_float_to_small(bits & 0x7fffffffu, PIXEL_HALF_MANTISSA);
    return (uint16_t)(magnitude | (bits >> 16 & 0x8000u));
}

/* For floats without a sign, values below zero become zero. */
static inline uint32_t pixel_float_to_unsigned(float value, uint32_t mantissa)
{
    const uint32_t bits = pixel_float_bits(value);
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (bits != magnitude && magnitude <= 0x7f800000u) {
        return 0;
    }
    return pixel_float_to_small(magnitude, mantissa);
}
