/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "loops.h"

#include "kernels/saliency/plan.h"

#if defined __SSE2__
#include <immintrin.h>
#endif

#if defined SALIENCY_AVX2
#define LANES 8
#define NAME(name) name##_avx2
#else
#define LANES 4
#define NAME(name) name##_base
#endif

/* Any number's address will do. */
typedef int16_t short_lanes __attribute__((vector_size(4 * LANES), aligned(2), may_alias));
typedef int32_t whole_lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

/* Numbers beyond the last one of a row are whatever they are, and may be too large: as these they
 * are added modulo 2^32. */
typedef uint32_t sum_lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

#define AT(type, place) (*(type *)(place))
#define READ(type, place) (*(const type *)(place))
#define ALWAYS __attribute__((always_inline)) static inline

/* ---- Whole numbers */

/* `registers` is a constant where it is called. */
ALWAYS void stamp_rows(const struct saliency_stamp *stamp, const int32_t registers)
{
    const int32_t *kernel = stamp->kernel;
    int32_t *out = stamp->out;
    for (int32_t row = 0; row < stamp->rows; row++) {
        for (int32_t i = 0; i < registers; i++) {
            AT(sum_lanes, out + i * LANES) += READ(sum_lanes, kernel + i * LANES);
        }
        kernel += stamp->kernel_pitch;
        out += stamp->out_pitch;
    }
}

#define CASE(registers)                                                                            \
    case registers:                                                                                \
        stamp_rows(stamp, registers);                                                              \
        break

static void stamp_kernel(const struct saliency_stamp *stamp)
{
    switch ((stamp->width + LANES - 1) / LANES) {
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
        CASE(9);
    default:
        stamp_rows(stamp, (stamp->width + LANES - 1) / LANES);
    }
}

static void spread(const int32_t *restrict x, const int32_t *restrict y, int32_t rows,
                   int32_t *restrict out, ptrdiff_t pitch)
{
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t i = 0; i < SALIENCY_TAPS_MAX; i++) {
            out[i] += y[row] * x[i];
        }
        out += pitch;
    }
}

ALWAYS sum_lanes size_of(whole_lanes value)
{
    const whole_lanes sign = value >> 31;
    return (sum_lanes)(value ^ sign) - (sum_lanes)sign;
}

static void add_absolute(const int32_t *in, int32_t factor, int32_t count, int32_t *sum)
{
    for (int32_t i = 0; i < count; i += LANES) {
        const sum_lanes size = size_of(READ(whole_lanes, in + i));
        AT(sum_lanes, sum + i) += (uint32_t)factor * (size >> SALIENCY_FINE_SHIFT);
    }
}

/* ---- Samples of 16 bits */

/* Two products in each sum. */
ALWAYS whole_lanes multiply(short_lanes a, short_lanes b)
{
#if defined SALIENCY_AVX2
    return (whole_lanes)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined __SSE2__
    return (whole_lanes)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    whole_lanes sum;
    for (int32_t i = 0; i < LANES; i++) {
        sum[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
    }
    return sum;
#endif
}

ALWAYS short_lanes everywhere(int32_t pair)
{
    return (short_lanes)((whole_lanes){0} + pair);
}

/* Pixels have sums of 2^16, of which the weights' half and the samples' 12 bits are whole. */
static void make_samples(const int32_t *in, int32_t count, int16_t *out)
{
    const int32_t shift = 2 * SALIENCY_HALF_SHIFT - 12;
    for (int32_t i = 0; i < count; i++) {
        out[i] = (int16_t)(((in[i] + (1 << (shift - 1))) >> shift) - SALIENCY_SAMPLE_MIDDLE);
    }
}

/* Weights of two neighbours, of which the first is even */
static const int32_t half_pairs[5] = {1 | 8 << 16, 28 | 56 << 16, 70 | 56 << 16, 28 | 8 << 16, 1};

ALWAYS whole_lanes halve(const short_lanes in[5])
{
    whole_lanes sum = (whole_lanes){0} + (1 << (SALIENCY_HALF_SHIFT - 1));
    for (int32_t k = 0; k < 5; k++) {
        sum += multiply(in[k], everywhere(half_pairs[k]));
    }
    return sum >> SALIENCY_HALF_SHIFT;
}

ALWAYS whole_lanes halve_row(const int16_t *in)
{
    short_lanes pairs[5];
    for (int32_t k = 0; k < 5; k++) {
        pairs[k] = READ(short_lanes, in + 2 * k);
    }
    return halve(pairs);
}

static void halve_rows(const int16_t *even, const int16_t *odd, int32_t count, int32_t *out)
{
    for (int32_t at = 0; at < count; at += LANES) {
        AT(whole_lanes, out + at) = (halve_row(even + 2 * at) & 0xffff) | halve_row(odd + 2 * at)
                                                                              << 16;
    }
}

static void halve_columns(const int32_t *const pairs[5], int32_t count, int16_t *out)
{
    for (int32_t at = 0; at < count; at += LANES) {
        short_lanes in[5];
        for (int32_t k = 0; k < 5; k++) {
            in[k] = READ(short_lanes, pairs[k] + at);
        }
        const whole_lanes made = halve(in);
        for (int32_t i = 0; i < LANES && at + i < count; i++) {
            out[at + i] = (int16_t)made[i];
        }
    }
}

/* `registers` is a constant where it is called, so that all sums are registers: of the even samples
 * and of the odd ones in turns. */
ALWAYS void sum_rows(const struct saliency_rows *rows, int32_t at, const int32_t registers)
{
    const whole_lanes half = (whole_lanes){0} + (1 << (SALIENCY_ROW_SHIFT - 1));
    whole_lanes p[4];
    whole_lanes q[4];
    for (int32_t i = 0; i < registers; i++) {
        p[i] = half;
        q[i] = half;
    }
    for (int32_t k = 0; k <= rows->reach; k++) {
        const int16_t *in = rows->in + at + 2 * k;
        for (int32_t i = 0; i < registers; i++) {
            const short_lanes two = READ(short_lanes, in + i / 2 * 2 * LANES + i % 2);
            p[i] += multiply(two, everywhere(rows->p[k]));
            q[i] += multiply(two, everywhere(rows->q[k]));
        }
    }
    for (int32_t i = 0; i < registers; i++) {
        const int32_t first = at + i / 2 * 2 * LANES;
        const int32_t group = first / SALIENCY_PAIRS * SALIENCY_PAIRS;
        int32_t *out = rows->out + group + (first - group) / 2 + i % 2 * (SALIENCY_PAIRS / 2);
        const whole_lanes low = p[i] >> SALIENCY_ROW_SHIFT;
        const whole_lanes high = q[i] >> SALIENCY_ROW_SHIFT;
        AT(whole_lanes, out) = (low & 0xffff) | high << 16;
    }
}

static void filter_rows(const struct saliency_rows *rows)
{
    int32_t at = 0;
    for (; at + 2 * LANES < rows->count; at += 4 * LANES) {
        sum_rows(rows, at, 4);
    }
    if (at < rows->count) {
        sum_rows(rows, at, 2);
    }
}

ALWAYS void sum_columns(const struct saliency_columns *columns, int32_t at, const int32_t registers)
{
    const int32_t *above = columns->in + at;
    const int32_t *below = above;
    whole_lanes sum[4];
    for (int32_t i = 0; i < registers; i++) {
        sum[i] = multiply(READ(short_lanes, above + i * LANES), everywhere(columns->weights[0]));
    }
    for (int32_t k = 1; k <= columns->reach; k++) {
        above -= columns->pitch;
        below += columns->pitch;
        for (int32_t i = 0; i < registers; i++) {
            const short_lanes both =
                READ(short_lanes, above + i * LANES) + READ(short_lanes, below + i * LANES);
            sum[i] += multiply(both, everywhere(columns->weights[k]));
        }
    }
    for (int32_t i = 0; i < registers; i++) {
        AT(sum_lanes, columns->sum + at + i * LANES) +=
            (uint32_t)columns->factor * (size_of(sum[i]) >> SALIENCY_COARSE_SHIFT);
    }
}

static void filter_columns(const struct saliency_columns *columns)
{
    int32_t at = 0;
    for (; at + 2 * LANES < columns->count; at += 4 * LANES) {
        sum_columns(columns, at, 4);
    }
    if (at < columns->count) {
        sum_columns(columns, at, 2);
    }
}

const struct saliency_loops NAME(saliency_loops) = {.stamp = stamp_kernel,
                                                    .spread = spread,
                                                    .absolute = add_absolute,
                                                    .samples = make_samples,
                                                    .halve_rows = halve_rows,
                                                    .halve_columns = halve_columns,
                                                    .rows = filter_rows,
                                                    .columns = filter_columns};
