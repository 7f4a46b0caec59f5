/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* These files are compiled once for every processor and again for x86-64 ones with AVX2 and FMA,
 * some of them also for those with AVX-512 (F, BW, DQ, VL). They share a register of floats, and
 * the name that a function has in each compilation. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#ifdef GAUSS_CPU_HAVE_AVX2
/* The compilation that the processor runs. */
static inline bool gauss_cpu_runs_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static inline bool gauss_cpu_runs_avx512(void)
{
    return gauss_cpu_runs_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/* A register. */
#if defined GAUSS_CPU_AVX512
#define LANES 16
#elif defined __AVX__
#define LANES 8
#else
#define LANES 4
#endif

#if defined GAUSS_CPU_AVX512
#define GAUSS_CPU_NAME(name) name##_avx512
#elif defined GAUSS_CPU_AVX2
#define GAUSS_CPU_NAME(name) name##_avx2
#else
#define GAUSS_CPU_NAME(name) name##_base
#endif

/* Any float's address will do. */
typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t whole_lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

static inline const lanes *lanes_at(const float *in)
{
    return (const lanes *)in;
}

static inline lanes lanes_choose(const whole_lanes *which, const lanes *one, const lanes *other)
{
#if LANES == 16
    return (lanes)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)*which), (__m512)*other,
                                       (__m512)*one);
#else
    return (lanes)(((whole_lanes)*one & *which) | ((whole_lanes)*other & ~*which));
#endif
}

/* Comparisons that are used at once: with AVX-512 their result is a mask, and to make a register of
 * it first would take as long again. */

/* one < other ? one : other */
static inline lanes lanes_lesser(const lanes *one, const lanes *other)
{
#if LANES == 16
    return (lanes)_mm512_min_ps((__m512)*one, (__m512)*other);
#else
    const whole_lanes which = *one < *other;
    return lanes_choose(&which, one, other);
#endif
}

/* one > other ? one : other */
static inline lanes lanes_greater(const lanes *one, const lanes *other)
{
#if LANES == 16
    return (lanes)_mm512_max_ps((__m512)*one, (__m512)*other);
#else
    const whole_lanes which = *one > *other;
    return lanes_choose(&which, one, other);
#endif
}

/* Makes lanes_choose_<name>: in <compared> bound ? one : other. */
#if LANES == 16
#define LANES_CHOOSE(name, compared, masked)                                                       \
    static inline lanes lanes_choose_##name(const lanes *in, float bound, const lanes *one,        \
                                            const lanes *other)                                    \
    {                                                                                              \
        const __mmask16 which = _mm512_cmp_ps_mask((__m512)*in, _mm512_set1_ps(bound), masked);    \
        return (lanes)_mm512_mask_blend_ps(which, (__m512)*other, (__m512)*one);                   \
    }
#else
#define LANES_CHOOSE(name, compared, masked)                                                       \
    static inline lanes lanes_choose_##name(const lanes *in, float bound, const lanes *one,        \
                                            const lanes *other)                                    \
    {                                                                                              \
        const whole_lanes which = *in compared bound;                                              \
        return lanes_choose(&which, one, other);                                                   \
    }
#endif
LANES_CHOOSE(above, >, _CMP_GT_OQ)
LANES_CHOOSE(below, <, _CMP_LT_OQ)
LANES_CHOOSE(equal, ==, _CMP_EQ_OQ)

static inline lanes lanes_ramp(void)
{
#if LANES == 16
    return (lanes){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif LANES == 8
    return (lanes){0, 1, 2, 3, 4, 5, 6, 7};
#else
    return (lanes){0, 1, 2, 3};
#endif
}

static inline lanes lanes_gather(const float *table, const whole_lanes *places)
{
#if LANES == 16
    return (lanes)_mm512_i32gather_ps((__m512i)*places, table, sizeof *table);
#elif defined __AVX2__
    return (lanes)_mm256_i32gather_ps(table, (__m256i)*places, sizeof *table);
#else
    lanes out;
    for (int i = 0; i < LANES; i++) {
        out[i] = table[(*places)[i]];
    }
    return out;
#endif
}

/* out[0] gets table[place], and out[1] what follows it: one load for both. */
static inline void lanes_gather_two(const float *table, const whole_lanes *places, lanes out[2])
{
#if LANES == 16
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    const __m256i low = _mm512_castsi512_si256((__m512i)*places);
    const __m256i high = _mm512_extracti64x4_epi64((__m512i)*places, 1);
    const __m512 first = _mm512_castpd_ps(_mm512_i32gather_pd(low, table, sizeof *table));
    const __m512 second = _mm512_castpd_ps(_mm512_i32gather_pd(high, table, sizeof *table));
    out[0] = (lanes)_mm512_permutex2var_ps(first, even, second);
    out[1] = (lanes)_mm512_permutex2var_ps(first, odd, second);
#else
    out[0] = lanes_gather(table, places);
    out[1] = lanes_gather(table + 1, places);
#endif
}

/* out[i] = in[places[i]] */
static inline lanes lanes_pick(const lanes *in, const whole_lanes *places)
{
#if LANES == 16
    return (lanes)_mm512_permutexvar_ps((__m512i)*places, (__m512)*in);
#elif defined __AVX2__
    return (lanes)_mm256_permutevar8x32_ps((__m256)*in, (__m256i)*places);
#else
    return lanes_gather((const float *)in, places);
#endif
}

/* out[0] and then out[1] get one[0], other[0], one[1], other[1] .. */
static inline void lanes_weave(const lanes *one, const lanes *other, lanes out[2])
{
#if LANES == 16
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    out[0] = (lanes)_mm512_permutex2var_ps((__m512)*one, first, (__m512)*other);
    out[1] = (lanes)_mm512_permutex2var_ps((__m512)*one, second, (__m512)*other);
#elif defined __AVX__
    const __m256 low = _mm256_unpacklo_ps((__m256)*one, (__m256)*other);
    const __m256 high = _mm256_unpackhi_ps((__m256)*one, (__m256)*other);
    out[0] = (lanes)_mm256_permute2f128_ps(low, high, 0x20);
    out[1] = (lanes)_mm256_permute2f128_ps(low, high, 0x31);
#else
    for (int i = 0; i < LANES; i++) {
        out[i * 2 / LANES][i * 2 % LANES] = (*one)[i];
        out[i * 2 / LANES][i * 2 % LANES + 1] = (*other)[i];
    }
#endif
}

static inline lanes lanes_square_root(const lanes *in)
{
#if LANES == 16
    return (lanes)_mm512_sqrt_ps((__m512)*in);
#elif defined __AVX__
    return (lanes)_mm256_sqrt_ps((__m256)*in);
#elif defined __SSE2__
    return (lanes)_mm_sqrt_ps((__m128)*in);
#else
    lanes out;
    for (int i = 0; i < LANES; i++) {
        out[i] = sqrtf((*in)[i]);
    }
    return out;
#endif
}

/* Returns 1 / in to the last bit or two: a division of 512 bits takes as long as sixteen sums. */
static inline lanes lanes_reciprocal(const lanes *in)
{
#if LANES == 16
    const lanes rough = (lanes)_mm512_rcp14_ps((__m512)*in);
    return rough * (2.0f - *in * rough);
#else
    return 1.0f / *in;
#endif
}

/* True if all are. */
static inline bool lanes_all_above(const lanes *in, float least)
{
#if LANES == 16
    return _mm512_cmp_ps_mask((__m512)*in, _mm512_set1_ps(least), _CMP_GT_OQ) == 0xFFFF;
#elif defined __AVX__
    const whole_lanes which = *in > least;
    return _mm256_movemask_ps((__m256)which) == 0xFF;
#else
    const whole_lanes which = *in > least;
    int32_t all = -1;
    for (int i = 0; i < LANES; i++) {
        all &= which[i];
    }
    return all != 0;
#endif
}

static inline float lanes_least(const lanes *in)
{
#if LANES == 16
    return _mm512_reduce_min_ps((__m512)*in);
#else
    float least = (*in)[0];
    for (int i = 1; i < LANES; i++) {
        least = (*in)[i] < least ? (*in)[i] : least;
    }
    return least;
#endif
}

static inline float lanes_most(const lanes *in)
{
#if LANES == 16
    return _mm512_reduce_max_ps((__m512)*in);
#else
    float most = (*in)[0];
    for (int i = 1; i < LANES; i++) {
        most = (*in)[i] > most ? (*in)[i] : most;
    }
    return most;
#endif
}

/* Returns the square root to the last bit or two, for values from 1e-30 on: a root of 512 bits
 * takes as long as thirty products. */
static inline lanes lanes_quick_root(const lanes *in)
{
#if LANES == 16
    const lanes rough = (lanes)_mm512_rsqrt14_ps((__m512)*in);
    const lanes root = *in * rough;
    return root + 0.5f * rough * (*in - root * root);
#else
    return lanes_square_root(in);
#endif
}

/* out = exp(in), in -80 .. 80, within 2e-7 of it: 2^whole by its bits, 2^part by its Taylor
 * series. */
static inline void lanes_exponential(const lanes *in, lanes *out)
{
    const lanes exponent = *in * 1.44269504f;
    const lanes nearest = (exponent + 12582912.0f) - 12582912.0f; /* 1.5 * 2^23 */
    const lanes t = (exponent - nearest) * 0.69314718f;
    const lanes series =
        1.0f +
        t * (1.0f +
             t * (0.5f + t * (1.0f / 6.0f +
                              t * (1.0f / 24.0f + t * (1.0f / 120.0f + t * (1.0f / 720.0f))))));
    const whole_lanes power = (__builtin_convertvector(nearest, whole_lanes) + 127) << 23;
    *out = series * (lanes)power;
}

/* out = log2(in) of positive normal floats, within 2e-7: the whole part by the bits; the remaining
 * factor, between sqrt(1/2) and sqrt(2), by the series of the inverse hyperbolic tangent. */
static inline void lanes_logarithm(const lanes *in, lanes *out)
{
    const whole_lanes bits = (whole_lanes)*in - 0x3F3504F3; /* sqrt(1/2) */
    const whole_lanes whole = bits >> 23;
    const lanes part = (lanes)((whole_lanes)*in - whole * (1 << 23));
    const lanes above = part + 1.0f;
    const lanes s = (part - 1.0f) * lanes_reciprocal(&above);
    const lanes square = s * s;
    *out = __builtin_convertvector(whole, lanes) +
           2.88539008f * s *
               (1.0f + square * (1.0f / 3.0f + square * (0.2f + square * (1.0f / 7.0f))));
}

/* out = atan2(y, x) for y not below 0 and not both 0 (Moshier's Cephes: atanf, to 2e-7). */
static inline void lanes_angle(const lanes *y, const lanes *x, lanes *out)
{
    const lanes zero = {0};
    const lanes minus = -*x;
    const whole_lanes behind = *x < zero;
    const lanes ahead = lanes_choose(&behind, &minus, x);
    const whole_lanes steep = *y > ahead;
    const lanes large = lanes_choose(&steep, y, &ahead);
    const lanes small = lanes_choose(&steep, &ahead, y);
    const whole_lanes beyond = small > 0.414213562f * large; /* tan(pi / 8) */
    const lanes transposed = small - large;
    const lanes sum = small + large;
    const lanes above = lanes_choose(&beyond, &transposed, &small);
    const lanes below = lanes_choose(&beyond, &sum, &large);
    const lanes t = above * lanes_reciprocal(&below);
    const lanes z = t * t;
    const lanes series =
        t + t * z *
                (-3.33329491539e-1f +
                 z * (1.99777106478e-1f + z * (-1.38776856032e-1f + z * 8.05374449538e-2f)));
    const lanes eighth = series + 0.785398163f;
    const lanes low = lanes_choose(&beyond, &eighth, &series);
    const lanes other = 1.57079633f - low;
    const lanes front = lanes_choose(&steep, &other, &low);
    const lanes back = 3.14159265f - front;
    *out = lanes_choose(&behind, &back, &front);
}
