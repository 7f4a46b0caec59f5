/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Compiled without fused multiply-adds (kernels/CMakeLists.txt). */

#include "loops.h"

#include "kernels/saliency/plan.h"

#if defined SALIENCY_AVX2
#define LANES 8
#define NAME(name) name##_avx2
#else
#define LANES 4
#define NAME(name) name##_base
#endif

/* Any number's address will do. */
typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
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

/* Products modulo 2^32. */
ALWAYS void spread_rows(const int32_t *x, const int32_t *y, int32_t rows, const int32_t count,
                        int32_t *out, ptrdiff_t pitch)
{
    for (int32_t row = 0; row < rows; row++) {
        const uint32_t weight = (uint32_t)y[row];
        for (int32_t i = 0; i < count; i++) {
            out[i] = (int32_t)((uint32_t)out[i] + weight * (uint32_t)x[i]);
        }
        out += pitch;
    }
}

static void spread(const int32_t *restrict x, const int32_t *restrict y, int32_t rows, int32_t half,
                   int32_t *restrict out, ptrdiff_t pitch)
{
    if (half) {
        spread_rows(x, y, rows, SALIENCY_REGISTER / 2, out, pitch);
    } else {
        spread_rows(x, y, rows, SALIENCY_REGISTER, out, pitch);
    }
}

static void add_absolute(const int32_t *in, int32_t factor, int32_t count, int32_t *sum)
{
    for (int32_t i = 0; i < count; i += LANES) {
        const whole_lanes value = READ(whole_lanes, in + i);
        const whole_lanes sign = value >> 31;
        const sum_lanes positive = (sum_lanes)(value ^ sign) - (sum_lanes)sign;
        AT(sum_lanes, sum + i) += (uint32_t)factor * (positive >> SALIENCY_FINE_SHIFT);
    }
}

/* ---- Floats */

static void to_floats(const int32_t *in, int32_t count, float *out)
{
    for (int32_t i = 0; i < count; i += LANES) {
        AT(lanes, out + i) = __builtin_convertvector(READ(whole_lanes, in + i), lanes);
    }
}

/* `registers` is a constant where it is called, so that all sums are registers. */
ALWAYS void sum_registers(const struct saliency_line *line, int32_t at, const int32_t registers)
{
    const float *left = line->in + at;
    const float *right = left;
    lanes sum[4];
    for (int32_t i = 0; i < registers; i++) {
        sum[i] = line->weights[0] * READ(lanes, left + i * LANES);
    }
    for (int32_t k = 1; k <= line->reach; k++) {
        left -= line->step;
        right += line->step;
        const float weight = line->weights[k];
        for (int32_t i = 0; i < registers; i++) {
            sum[i] += weight * (READ(lanes, left + i * LANES) + READ(lanes, right + i * LANES));
        }
    }
    for (int32_t i = 0; i < registers; i++) {
        AT(lanes, line->out + at + i * LANES) = sum[i];
    }
}

static void blur(const struct saliency_line *line)
{
    int32_t at = 0;
    for (; at + 3 * LANES < line->count; at += 4 * LANES) {
        sum_registers(line, at, 4);
    }
    if (at + LANES < line->count) {
        sum_registers(line, at, 2);
        at += 2 * LANES;
    }
    if (at < line->count) {
        sum_registers(line, at, 1);
    }
}

ALWAYS lanes across(const float *row)
{
    const lanes middle = READ(lanes, row + 1);
    return (READ(lanes, row) - middle) + (READ(lanes, row + 2) - middle);
}

/* Six times the Laplacian of nine samples is x + y + xy / 6, with x and y the second differences
 * and xy that of the other: 0 where all are one value. */
static void add_laplace(const struct saliency_laplace *laplace)
{
    for (int32_t i = 0; i < laplace->count; i += LANES) {
        const lanes x = across(laplace->row + i);
        const lanes middle = READ(lanes, laplace->row + i + 1);
        const lanes y = (READ(lanes, laplace->above + i + 1) - middle) +
                        (READ(lanes, laplace->below + i + 1) - middle);
        const lanes xy = (across(laplace->above + i) - x) + (across(laplace->below + i) - x);
        const lanes value = ((x + y) + xy * (1.0f / 6.0f)) * laplace->gain;
        const whole_lanes size = (whole_lanes)value & 0x7fffffff;
        const whole_lanes rounded = __builtin_convertvector((lanes)size + 0.5f, whole_lanes);
        AT(sum_lanes, laplace->sum + i) += (uint32_t)laplace->factor * (sum_lanes)rounded;
    }
}

const struct saliency_loops NAME(saliency_loops) = {.stamp = stamp_kernel,
                                                    .spread = spread,
                                                    .absolute = add_absolute,
                                                    .floats = to_floats,
                                                    .blur = blur,
                                                    .laplace = add_laplace};
