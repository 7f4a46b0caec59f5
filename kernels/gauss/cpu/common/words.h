/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* RGBA8 pixels as words; three registers of floats make one of words. */
#pragma once

#include "kernels/image/pixel_light.h"
#include "lanes.h"

#include <stdbool.h>
#include <string.h>

/* The shift of byte n of a pixel in its word. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define GAUSS_CPU_SHIFT(n) (8 * (n))
#else
#define GAUSS_CPU_SHIFT(n) (24 - 8 * (n))
#endif

/* Converts light to levels of 8 bits by the transfer function of sRGB. Its power x^(5/12) is
 * q^(5/3) of the fourth root q, which is nearly a polynomial: this one is the best of degree 5
 * where the function is not a line, at most 0.002 levels away (tests/fit/fits.py). Light is never
 * below 0 here. */
static inline lanes gauss_cpu_level_of_light(const lanes *light)
{
    const lanes least = 1e-30f - (lanes){0};
    const lanes from = lanes_greater(light, &least);
    const lanes root = lanes_quick_root(&from);
    const lanes q = lanes_quick_root(&root);
    const lanes curve =
        255.0f *
        (-0.0613402163f +
         q * (0.16202626f +
              q * (1.25540446f + q * (-0.577482844f + q * (0.289533123f + q * -0.0681473498f)))));
    const lanes line = *light * (12.92f * 255.0f);
    return lanes_choose_below(light, 0.0031308f, &line, &curve);
}

typedef int32_t gauss_cpu_words __attribute__((vector_size(4 * LANES), aligned(1), may_alias));

/* Packs levels, or light if there is a table of it, into words without alpha. Averages of levels
 * are levels: nothing is clamped. */
static inline gauss_cpu_words gauss_cpu_words_of(const lanes *in, const struct pixel_light *light)
{
    whole_lanes word = {0};
    for (int c = 0; c < 3; c++) {
        const lanes level = light ? gauss_cpu_level_of_light(&in[c]) : in[c];
        word |= __builtin_convertvector(level + 0.5f, whole_lanes) << GAUSS_CPU_SHIFT(c);
    }
    return (gauss_cpu_words)word;
}

/* Whole cache lines can be written to memory without being read first. They may be read after
 * gauss_cpu_finish_streams. */
static inline bool gauss_cpu_may_stream(const unsigned char *out)
{
    return LANES == 16 && (uintptr_t)out % 64 == 0;
}

static inline void gauss_cpu_finish_streams(void)
{
#if LANES == 16
    _mm_sfence();
#endif
}

static inline void gauss_cpu_store_words(const gauss_cpu_words *words, const unsigned char *alpha,
                                         bool stream, unsigned char *out)
{
    const int32_t mask = (int32_t)(255u << GAUSS_CPU_SHIFT(3));
    const gauss_cpu_words whole = (*(const gauss_cpu_words *)alpha & mask) | *words;
#if LANES == 16
    if (stream) {
        _mm512_stream_si512((void *)out, (__m512i)whole);
        return;
    }
#endif
    (void)stream;
    *(gauss_cpu_words *)out = whole;
}

/* Stores the end of a row. */
static inline void gauss_cpu_store_few_words(const gauss_cpu_words *words, int32_t count,
                                             const unsigned char *alpha, unsigned char *out)
{
    const unsigned char *bytes = (const unsigned char *)words;
    for (int32_t i = 0; i < 4 * count; i++) {
        out[i] = i % 4 == 3 ? alpha[i] : bytes[i];
    }
}

/* ---- A row's words, of three colours each */

/* The words of up to a register of pixels, from pixel i of the row on. */
static inline whole_lanes gauss_cpu_row_words(const struct pixel_row *row, int32_t i, int32_t count)
{
    const unsigned char *in = row->data + i * row->stride_bytes;
    whole_lanes words = {0};
    if (count >= LANES && row->stride_bytes == sizeof words[0]) {
        return *(const whole_lanes *)in;
    }
    for (int32_t n = 0; n < count && n < LANES; n++, in += row->stride_bytes) {
        int32_t word;
        memcpy(&word, in, sizeof word);
        words[n] = word;
    }
    return words;
}

static inline lanes gauss_cpu_choose_whole(const whole_lanes which, const whole_lanes one,
                                           const whole_lanes other)
{
    const lanes a = (lanes)one;
    const lanes b = (lanes)other;
    return lanes_choose(&which, &a, &b);
}

/* pixel_small_to_float */
static inline lanes gauss_cpu_float_of_small(const whole_lanes small, const int32_t mantissa)
{
    const whole_lanes bits = (small << (23 - mantissa)) + ((127 - 15) << 23);
    const whole_lanes exponent = small >> mantissa;
    const lanes denormal = (lanes)(bits + (1 << 23)) - 0x1p-14f;
    const lanes finite = gauss_cpu_choose_whole(exponent == 0, (whole_lanes)denormal, bits);
    return gauss_cpu_choose_whole(exponent == 31, bits + ((128 - 16) << 23), (whole_lanes)finite);
}

/* pixel_float_to_small of finite values, none below 0. */
static inline whole_lanes gauss_cpu_small_of_float(const float *in, const int32_t mantissa)
{
    const int32_t shift = 23 - mantissa;
    const int32_t magic = (127 - 15 + shift + 1) << 23;
    const lanes zero = {0};
    const lanes kept = lanes_greater(lanes_at(in), &zero);
    const whole_lanes bits = (whole_lanes)kept;
    const whole_lanes most = (whole_lanes){0} + ((31 << mantissa) - 1);
    const lanes adder = (lanes)((whole_lanes){0} + magic);
    const whole_lanes denormal = (whole_lanes)(kept + adder) - magic;
    const whole_lanes odd = bits >> shift & 1;
    const whole_lanes rounded =
        (bits - ((127 - 15) << 23) + ((1 << (shift - 1)) - 1) + odd) >> shift;
    const whole_lanes normal = (whole_lanes)gauss_cpu_choose_whole(rounded < most, rounded, most);
    return (whole_lanes)gauss_cpu_choose_whole(bits < 113 << 23, denormal, normal);
}

/* One register's words. */
static inline void gauss_cpu_store_row_words(const whole_lanes words, const struct pixel_row *dst)
{
    unsigned char *out = dst->data;
    if (dst->count == LANES && dst->stride_bytes == sizeof words[0]) {
        *(whole_lanes *)out = words;
        return;
    }
    for (uint32_t i = 0; i < dst->count; i++, out += dst->stride_bytes) {
        const int32_t word = words[i];
        memcpy(out, &word, sizeof word);
    }
}
