/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Halves on the host (cuda_host.h). Every operation is made in single precision and rounded once
 * more, which gives what a device gives for all but some sums of products, where it may be the next
 * half. */
#pragma once

#include "cuda_host.h"

#if defined(__F16C__)
#include <immintrin.h>
static inline unsigned short cuda_host_half_of(float value)
{
    return (unsigned short)_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}
static inline float cuda_host_float_of(unsigned short bits)
{
    return _cvtsh_ss(bits);
}
#else
static inline float cuda_host_float_of(unsigned short bits)
{
    const unsigned sign = (bits & 0x8000u) << 16;
    const unsigned exponent = bits >> 10 & 31;
    const unsigned fraction = bits & 1023;
    if (exponent == 31) {
        return __uint_as_float(sign | 0x7f800000u | fraction << 13);
    }
    if (exponent == 0) {
        const float value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    return __uint_as_float(sign | (exponent + 112) << 23 | fraction << 13);
}
/* Rounds to the nearest, of two as near to the even one. */
static inline unsigned short cuda_host_half_of(float value)
{
    const unsigned bits = __float_as_uint(value);
    const unsigned sign = bits >> 16 & 0x8000u;
    const float size = fabsf(value);
    if (isnan(value)) {
        return (unsigned short)(sign | 0x7e00u);
    }
    if (size >= 65520.0f) {
        return (unsigned short)(sign | 0x7c00u);
    }
    if (size < 0x1p-14f) {
        return (unsigned short)(sign | (unsigned)nearbyintf(size * 0x1p24f));
    }
    const unsigned rounded = (bits & 0x7fffffffu) + 0xfffu + (bits >> 13 & 1);
    return (unsigned short)(sign | ((rounded >> 13) - (112u << 10)));
}
#endif

struct __half {
    unsigned short x;
};
struct alignas(4) __half2 {
    __half x, y;
};
typedef __half half;
typedef __half2 half2;

static inline __half __float2half_rn(float value)
{
    return {cuda_host_half_of(value)};
}
static inline float __half2float(__half value)
{
    return cuda_host_float_of(value.x);
}
static inline unsigned short __half_as_ushort(__half value)
{
    return value.x;
}
static inline __half __ushort_as_half(unsigned short bits)
{
    return {bits};
}
static inline bool __hisnan(__half value)
{
    return (value.x & 0x7fffu) > 0x7c00u;
}

static inline __half2 __halves2half2(__half x, __half y)
{
    return {x, y};
}
static inline __half2 __half2half2(__half x)
{
    return {x, x};
}
static inline __half2 __float2half2_rn(float value)
{
    return __half2half2(__float2half_rn(value));
}
static inline __half2 __floats2half2_rn(float x, float y)
{
    return {__float2half_rn(x), __float2half_rn(y)};
}
static inline float2 __half22float2(__half2 value)
{
    return {__half2float(value.x), __half2float(value.y)};
}
static inline __half __low2half(__half2 value)
{
    return value.x;
}
static inline __half __high2half(__half2 value)
{
    return value.y;
}
static inline float __low2float(__half2 value)
{
    return __half2float(value.x);
}
static inline float __high2float(__half2 value)
{
    return __half2float(value.y);
}
static inline __half2 __low2half2(__half2 value)
{
    return {value.x, value.x};
}
static inline __half2 __high2half2(__half2 value)
{
    return {value.y, value.y};
}

#define CUDA_HOST_HALVES(name, made)                                                               \
    static inline __half name(__half first, __half second)                                         \
    {                                                                                              \
        const float a = __half2float(first);                                                       \
        const float b = __half2float(second);                                                      \
        return __float2half_rn(made);                                                              \
    }                                                                                              \
    static inline __half2 name##2(__half2 first, __half2 second)                                   \
    {                                                                                              \
        return {name(first.x, second.x), name(first.y, second.y)};                                 \
    }
CUDA_HOST_HALVES(__hadd, a + b)
CUDA_HOST_HALVES(__hsub, a - b)
CUDA_HOST_HALVES(__hmul, a *b)
CUDA_HOST_HALVES(__hmax, fmaxf(a, b))
CUDA_HOST_HALVES(__hmin, fminf(a, b))

static inline __half __hfma(__half a, __half b, __half c)
{
    return __float2half_rn(fmaf(__half2float(a), __half2float(b), __half2float(c)));
}
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
static inline __half2 __hsub2_sat(__half2 a, __half2 b)
{
    const __half2 d = __hsub2(a, b);
    return __floats2half2_rn(fminf(fmaxf(__half2float(d.x), 0.0f), 1.0f),
                             fminf(fmaxf(__half2float(d.y), 0.0f), 1.0f));
}
static inline __half2 __habs2(__half2 v)
{
    return {{(unsigned short)(v.x.x & 0x7fffu)}, {(unsigned short)(v.y.x & 0x7fffu)}};
}
static inline __half2 h2rint(__half2 v)
{
    return __floats2half2_rn(nearbyintf(__half2float(v.x)), nearbyintf(__half2float(v.y)));
}
static inline unsigned __hle2_mask(__half2 a, __half2 b)
{
    return (__half2float(a.x) <= __half2float(b.x) ? 0xffffu : 0u) |
           (__half2float(a.y) <= __half2float(b.y) ? 0xffff0000u : 0u);
}

static inline __half2 operator+(__half2 a, __half2 b)
{
    return __hadd2(a, b);
}
static inline __half2 operator-(__half2 a, __half2 b)
{
    return __hsub2(a, b);
}
static inline __half2 operator*(__half2 a, __half2 b)
{
    return __hmul2(a, b);
}
