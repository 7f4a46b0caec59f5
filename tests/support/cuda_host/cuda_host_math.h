/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Functions that CUDA C has built in (cuda_host.h): numbers. */
#pragma once

/* ---- The smaller and the larger */

/* A number is the answer where the other one is NaN, also one that signals, of which C's functions
 * make NaN; and 0 is larger than -0. */
static inline float cuda_host_larger(float a, float b)
{
    return a < b || isnan(a) || (a == b && signbit(a)) ? b : a;
}
static inline float cuda_host_smaller(float a, float b)
{
    return b < a || isnan(a) || (a == b && signbit(b)) ? b : a;
}
#define fmaxf(a, b) cuda_host_larger(a, b)
#define fminf(a, b) cuda_host_smaller(a, b)

#define CUDA_HOST_ORDER(type)                                                                      \
    static inline type min(type a, type b)                                                         \
    {                                                                                              \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    static inline type max(type a, type b)                                                         \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
CUDA_HOST_ORDER(int)
CUDA_HOST_ORDER(unsigned)
CUDA_HOST_ORDER(long)
CUDA_HOST_ORDER(unsigned long)
CUDA_HOST_ORDER(long long)
CUDA_HOST_ORDER(unsigned long long)
static inline unsigned min(int a, unsigned b)
{
    return min((unsigned)a, b);
}
static inline unsigned min(unsigned a, int b)
{
    return min(a, (unsigned)b);
}
static inline unsigned max(int a, unsigned b)
{
    return max((unsigned)a, b);
}
static inline unsigned max(unsigned a, int b)
{
    return max(a, (unsigned)b);
}
static inline float min(float a, float b)
{
    return fminf(a, b);
}
static inline float max(float a, float b)
{
    return fmaxf(a, b);
}

/* ---- Bits */

static inline float __uint_as_float(unsigned bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline unsigned __float_as_uint(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline float __int_as_float(int bits)
{
    return __uint_as_float((unsigned)bits);
}
static inline int __float_as_int(float value)
{
    return (int)__float_as_uint(value);
}
/* Rounded at once, never part of a fused step. */
static inline float __fmul_rn(float x, float y)
{
    volatile float product = x * y;
    return product;
}
static inline float __fadd_rn(float x, float y)
{
    volatile float sum = x + y;
    return sum;
}
static inline double __fma_rn(double x, double y, double z)
{
    return fma(x, y, z);
}
static inline double __dmul_rn(double x, double y)
{
    volatile double product = x * y;
    return product;
}
static inline int __popc(unsigned value)
{
    return __builtin_popcount(value);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (by & 31));
}

/* The upper half of a product. */
static inline unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((uint64_t)x * y >> 32);
}

/* dp2a of numbers without a sign: two of 16 bits, and two bytes. */
static inline unsigned __dp2a_lo(unsigned numbers, unsigned bytes, unsigned sum)
{
    return sum + (numbers & 0xffff) * (bytes & 255) + (numbers >> 16) * (bytes >> 8 & 255);
}
static inline unsigned __dp2a_hi(unsigned numbers, unsigned bytes, unsigned sum)
{
    return __dp2a_lo(numbers, bytes >> 16, sum);
}

/* prmt: four bits for each byte, the upper of which repeats its sign. */
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selectors)
{
    const uint64_t bytes = (uint64_t)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned selector = selectors >> (4 * i) & 15;
        unsigned byte = (unsigned)(bytes >> (8 * (selector & 7))) & 255;
        if (selector & 8) {
            byte = byte & 128 ? 255 : 0;
        }
        result |= byte << (8 * i);
    }
    return result;
}

/* ---- Products of bytes and of words of 16 bits */

static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 4; i++) {
        c += (a >> (8 * i) & 255) * (b >> (8 * i) & 255);
    }
    return c;
}
static inline int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 4; i++) {
        c += (int8_t)((unsigned)a >> (8 * i)) * (int8_t)((unsigned)b >> (8 * i));
    }
    return c;
}
/* Words of a with the lower, or upper, two bytes of b. */
static inline unsigned cuda_host_dp2a(unsigned a, unsigned b, unsigned c)
{
    return c + (a & 65535) * (b & 255) + (a >> 16) * (b >> 8 & 255);
}
static inline int cuda_host_dp2a(int a, int b, int c)
{
    return c + (int16_t)(a & 65535) * (int8_t)(b & 255) + (a >> 16) * (int8_t)(b >> 8 & 255);
}
template <typename A, typename B, typename C> static inline auto __dp2a_lo(A a, B b, C c)
{
    return cuda_host_dp2a(a, b, c);
}
template <typename A, typename B, typename C> static inline auto __dp2a_hi(A a, B b, C c)
{
    return cuda_host_dp2a(a, (B)(b >> 16), c);
}

/* ---- Numbers with a fraction. Conversions saturate, and make 0 of NaN. */

static inline int __float2int_rn(float value)
{
    if (isnan(value)) {
        return 0;
    }
    const double whole = nearbyint((double)value);
    return whole >= 2147483647.0 ? 2147483647 : whole <= -2147483648.0 ? INT32_MIN : (int)whole;
}
static inline unsigned __float2uint_rn(float value)
{
    const double whole = nearbyint((double)value);
    return !(whole > 0.0) ? 0u : whole >= 4294967295.0 ? ~0u : (unsigned)whole;
}
/* The C library has functions of these names. */
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __powf(x, y) powf(x, y)
static inline float __saturatef(float x)
{
    return isnan(x) ? 0.0f : fminf(fmaxf(x, 0.0f), 1.0f);
}
/* Towards less than nothing. The error of a sum of floats is a float. */
static inline float __fadd_rd(float a, float b)
{
    const volatile float sum = a + b;
    const volatile float of_b = sum - a;
    const volatile float rest_a = a - (sum - of_b);
    const volatile float rest_b = b - of_b;
    return rest_a + rest_b < 0.0f ? nextafterf(sum, -INFINITY) : sum;
}
/* The product of two floats is a double. Where the float that is nearest to the sum lies above it,
 * the one before is the answer. */
static inline float __fmaf_rd(float a, float b, float c)
{
    const double product = (double)a * (double)b;
    const volatile float nearest = fmaf(a, b, c);
    const volatile double above = (double)nearest - (double)c;
    return above > product ? nextafterf(nearest, -INFINITY) : nearest;
}
