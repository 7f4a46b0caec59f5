/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The twin of kernels/cuda/ptx.cuh for the host: what each instruction does, lane by lane as the
 * PTX ISA has it. With g = lane / 4 and t = lane % 4; see cuda/mma.cuh. */
#pragma once

#include "cuda_host.h"

#include <cuda_fp16.h>
#include <time.h>

static inline void ptx_wait_for_kernel_ahead()
{
    cuda_host_wait_for_kernel_ahead();
}

/* ---- Numbers */

static inline float ptx_sqrt(float x)
{
    return sqrtf(x);
}
static inline float ptx_rcp(float x)
{
    return 1.0f / x;
}
static inline float ptx_ex2(float x)
{
    return exp2f(x);
}
static inline float ptx_lg2(float x)
{
    return log2f(x);
}
static inline uint32_t ptx_sad4(uint32_t a, uint32_t b, uint32_t c)
{
    for (int i = 0; i < 32; i += 8) {
        c += (uint32_t)abs((int)(a >> i & 255) - (int)(b >> i & 255));
    }
    return c;
}
static inline uint32_t ptx_load_shared(uint32_t address)
{
    return *(const uint32_t *)cuda_host_from_shared(address);
}

static inline uint32_t ptx_load_shared_byte(uint32_t address)
{
    return *(const uint8_t *)cuda_host_from_shared(address);
}

static inline void ptx_add_shared(uint32_t address, int32_t value)
{
    *(uint32_t *)cuda_host_from_shared(address) += (uint32_t)value;
}
static inline uint64_t ptx_mad_wide(int a, int b, uint64_t c)
{
    return c + (uint64_t)((int64_t)a * b);
}
static inline char *ptx_mad_wide(int a, int b, const char *c)
{
    return (char *)c + (int64_t)a * b;
}
static inline void ptx_keep(uint32_t &)
{
}
static inline void ptx_keep(const uint32_t *&)
{
}
static inline uint32_t ptx_thread_x()
{
    return threadIdx.x;
}
static inline unsigned long long ptx_clock_ns()
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

/* ---- Shared memory */

static inline uint32_t *cuda_host_word(uint32_t place, unsigned alignment)
{
    void *memory = cuda_host_from_shared(place);
    if ((uintptr_t)memory % alignment != 0) {
        cuda_host_fail("an address of shared memory is no multiple of %u", alignment);
    }
    return (uint32_t *)memory;
}
/* A copy that is under way: it is there when it was waited for, not before. */
struct cuda_host_copy {
    void *to;
    const void *from;
};
extern "C" void cuda_host_copy_begin(void *to, const void *from);
extern "C" void cuda_host_copy_wait(void);

static inline void ptx_copy_async(uint32_t to, const void *from)
{
    if ((uintptr_t)from % 16 != 0) {
        cuda_host_fail("cp.async from an address that is no multiple of 16");
    }
    cuda_host_copy_begin(cuda_host_word(to, 16), from);
}
/* There at once. */
static inline void ptx_copy_word_async(uint32_t to, const void *from)
{
    memcpy(cuda_host_word(to, 4), from, 4);
}
static inline void ptx_copy_wait()
{
    cuda_host_copy_wait();
}

/* ---- Arrivals and barriers */

static inline uint32_t ptx_arrive(uint32_t *count)
{
    return (*count)++; /* a fiber is never interrupted */
}
template <int BARRIER, int THREADS> static inline void ptx_barrier_sync()
{
    cuda_host_barrier(BARRIER, THREADS, false, true);
}
template <int BARRIER, int THREADS> static inline void ptx_barrier_arrive()
{
    cuda_host_barrier(BARRIER, THREADS, false, false);
}

/* ---- Products */

/* D = A B + C of M = 16 rows, 8 columns. Each lane's registers; element(register, part) are its row
 * and column. */
struct cuda_host_product {
    uint32_t a[4], b[2];
    float d[4];
    int depth; /* columns of A */

    static float half_at(const uint32_t word, int part)
    {
        return cuda_host_float_of((unsigned short)(word >> (16 * part)));
    }

    static void make(void *const brought[32], uint32_t)
    {
        float a[16][16], b[16][8];
        const int depth = of(brought, 0)->depth;
        for (int lane = 0; lane < 32; lane++) {
            const cuda_host_product *from = of(brought, lane);
            const int g = lane / 4;
            const int t = lane % 4;
            for (int i = 0; i < depth / 4; i++) { /* registers of A: two for each 8 columns */
                for (int part = 0; part < 2; part++) {
                    a[g + 8 * (i % 2)][8 * (i / 2) + 2 * t + part] = half_at(from->a[i], part);
                }
            }
            for (int i = 0; i < depth / 8; i++) {
                for (int part = 0; part < 2; part++) {
                    b[8 * i + 2 * t + part][g] = half_at(from->b[i], part);
                }
            }
        }
        for (int lane = 0; lane < 32; lane++) {
            for (int i = 0; i < 4; i++) {
                const int row = lane / 4 + 8 * (i / 2);
                const int column = lane % 4 * 2 + i % 2;
                double sum = (double)of(brought, lane)->d[i];
                for (int k = 0; k < depth; k++) {
                    sum += (double)a[row][k] * (double)b[k][column];
                }
                of(brought, lane)->d[i] = (float)sum;
            }
        }
    }

    static cuda_host_product *of(void *const brought[32], int lane)
    {
        if (!brought[lane]) {
            cuda_host_fail("a product of matrices without lane %d", lane);
        }
        return (cuda_host_product *)brought[lane];
    }
};

static inline void ptx_mma_16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    cuda_host_product product = {{a[0], a[1], a[2], a[3]}, {b0, b1}, {d[0], d[1], d[2], d[3]}, 16};
    cuda_host_warp(~0u, cuda_host_product::make, &product);
    memcpy(d, product.d, sizeof product.d);
}
static inline void ptx_mma_16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                                 float c0, float c1)
{
    const float c[4] = {c0, c0, c1, c1};
    memcpy(d, c, sizeof c);
    ptx_mma_16816(d, a, b0, b1);
}

static inline uint32_t cuda_host_pair(float first, float second)
{
    return cuda_host_half_of(first) | (uint32_t)cuda_host_half_of(second) << 16;
}
/* Multiplies halves: the sum is rounded when it is complete. */
static inline void cuda_host_multiply(uint2 &d, cuda_host_product &product)
{
    for (int i = 0; i < 4; i++) {
        product.d[i] = cuda_host_product::half_at(i < 2 ? d.x : d.y, i % 2);
    }
    cuda_host_warp(~0u, cuda_host_product::make, &product);
    d = {cuda_host_pair(product.d[0], product.d[1]), cuda_host_pair(product.d[2], product.d[3])};
}
static inline void ptx_mma_16816(uint2 &d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    cuda_host_product product = {{a[0], a[1], a[2], a[3]}, {b0, b1}, {}, 16};
    cuda_host_multiply(d, product);
}
static inline void ptx_mma_16816(uint2 &d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                                 uint2 c)
{
    d = c;
    ptx_mma_16816(d, a, b0, b1);
}
static inline void ptx_mma_1688(uint2 &d, const uint2 &a, uint32_t b)
{
    cuda_host_product product = {{a.x, a.y}, {b}, {}, 8};
    cuda_host_multiply(d, product);
}
static inline void ptx_mma_1688(float (&d)[4], const uint2 &a, uint32_t b)
{
    cuda_host_product product = {{a.x, a.y}, {b}, {d[0], d[1], d[2], d[3]}, 8};
    cuda_host_warp(~0u, cuda_host_product::make, &product);
    memcpy(d, product.d, sizeof product.d);
}

/* Multiplies floats, 16 x 8 by 8 x 8. A lane has rows g and g + 8 of A's column t, then of column t
 * + 4; rows t and t + 4 of B's column g. */
struct cuda_host_float_product {
    uint32_t a[4], b[2];
    float d[4];

    static float value_of(uint32_t bits) /* 13 bits are not looked at */
    {
        float value;
        bits &= ~0x1fffu;
        memcpy(&value, &bits, sizeof value);
        return value;
    }

    static void make(void *const brought[32], uint32_t)
    {
        float a[16][8], b[8][8];
        for (int lane = 0; lane < 32; lane++) {
            const cuda_host_float_product *from = (const cuda_host_float_product *)brought[lane];
            if (!from) {
                cuda_host_fail("a product of matrices without lane %d", lane);
            }
            for (int i = 0; i < 4; i++) {
                a[lane / 4 + 8 * (i % 2)][lane % 4 + 4 * (i / 2)] = value_of(from->a[i]);
            }
            for (int i = 0; i < 2; i++) {
                b[lane % 4 + 4 * i][lane / 4] = value_of(from->b[i]);
            }
        }
        for (int lane = 0; lane < 32; lane++) {
            float *d = ((cuda_host_float_product *)brought[lane])->d;
            for (int i = 0; i < 4; i++) {
                double sum = (double)d[i];
                for (int k = 0; k < 8; k++) {
                    sum +=
                        (double)a[lane / 4 + 8 * (i / 2)][k] * (double)b[k][lane % 4 * 2 + i % 2];
                }
                d[i] = (float)sum;
            }
        }
    }
};

static inline void ptx_mma_1688_tf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                     uint32_t b1)
{
    cuda_host_float_product product = {
        {a[0], a[1], a[2], a[3]}, {b0, b1}, {d[0], d[1], d[2], d[3]}};
    cuda_host_warp(~0u, cuda_host_float_product::make, &product);
    memcpy(d, product.d, sizeof product.d);
}
/* Rounds to nearest, away from zero; any NaN becomes one. */
static inline uint32_t ptx_tf32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != value ? 0x7fffffffu : isinf(value) ? bits : (bits + 0x1000u) & ~0x1fffu;
}

/* Multiplies bytes without a sign: 16 x 32 by 32 x 8. */
struct cuda_host_byte_product {
    uint32_t a[4], b[2];
    int32_t d[4];

    static void make(void *const brought[32], uint32_t)
    {
        uint32_t a[16][32], b[32][8];
        for (int lane = 0; lane < 32; lane++) {
            const cuda_host_byte_product *from = (const cuda_host_byte_product *)brought[lane];
            if (!from) {
                cuda_host_fail("a product of matrices without lane %d", lane);
            }
            const int g = lane / 4;
            const int t = lane % 4;
            for (int part = 0; part < 4; part++) {
                for (int i = 0; i < 4; i++) {
                    a[g + 8 * (i % 2)][16 * (i / 2) + 4 * t + part] = from->a[i] >> 8 * part & 255;
                }
                for (int i = 0; i < 2; i++) {
                    b[16 * i + 4 * t + part][g] = from->b[i] >> 8 * part & 255;
                }
            }
        }
        for (int lane = 0; lane < 32; lane++) {
            for (int i = 0; i < 4; i++) {
                uint32_t sum = 0;
                for (int k = 0; k < 32; k++) {
                    sum += a[lane / 4 + 8 * (i / 2)][k] * b[k][lane % 4 * 2 + i % 2];
                }
                int32_t *d = ((cuda_host_byte_product *)brought[lane])->d;
                d[i] = (int32_t)((uint32_t)d[i] + sum);
            }
        }
    }
};

static inline void ptx_mma_16832(int32_t (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    cuda_host_byte_product product = {{a[0], a[1], a[2], a[3]}, {b0, b1}, {d[0], d[1], d[2], d[3]}};
    cuda_host_warp(~0u, cuda_host_byte_product::make, &product);
    memcpy(d, product.d, sizeof product.d);
}
static inline void ptx_mma_16832(int32_t (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                                 int32_t c)
{
    d[0] = d[1] = d[2] = d[3] = c;
    ptx_mma_16832(d, a, b0, b1);
}

/* ---- Squares of 8 x 8 halves. A lane has columns 2t and 2t + 1 of row g. */

struct cuda_host_squares {
    const unsigned short *row; /* that this lane tells of */
    uint32_t of[4];

    static void make(void *const brought[32], uint32_t)
    {
        for (int lane = 0; lane < 32; lane++) {
            if (!brought[lane]) {
                cuda_host_fail("ldmatrix without lane %d", lane);
            }
        }
        for (int lane = 0; lane < 32; lane++) {
            cuda_host_squares *to = (cuda_host_squares *)brought[lane];
            const int g = lane / 4;
            for (int i = 0; i < 4; i++) {
                uint32_t halves[2];
                for (int part = 0; part < 2; part++) {
                    const int row = lane % 4 * 2 + part;
                    halves[part] = ((cuda_host_squares *)brought[8 * i + row])->row[g];
                }
                to->of[i] = halves[0] | halves[1] << 16;
            }
        }
    }
};

static inline void ptx_ldmatrix_transposed(uint32_t (&squares)[4], uint32_t row)
{
    cuda_host_squares load = {(const unsigned short *)cuda_host_word(row, 16), {}};
    cuda_host_warp(~0u, cuda_host_squares::make, &load);
    memcpy(squares, load.of, sizeof load.of);
}

struct cuda_host_turn {
    uint32_t pair, turned;

    static void make(void *const brought[32], uint32_t)
    {
        unsigned short square[8][8];
        for (int lane = 0; lane < 32; lane++) {
            if (!brought[lane]) {
                cuda_host_fail("movmatrix without lane %d", lane);
            }
            const uint32_t pair = ((const cuda_host_turn *)brought[lane])->pair;
            square[lane % 4 * 2][lane / 4] = (unsigned short)pair;
            square[lane % 4 * 2 + 1][lane / 4] = (unsigned short)(pair >> 16);
        }
        for (int lane = 0; lane < 32; lane++) {
            const unsigned short *row = square[lane / 4];
            ((cuda_host_turn *)brought[lane])->turned =
                row[lane % 4 * 2] | (uint32_t)row[lane % 4 * 2 + 1] << 16;
        }
    }
};
static inline uint32_t ptx_movmatrix(uint32_t pair)
{
    cuda_host_turn turn = {pair, 0};
    cuda_host_warp(~0u, cuda_host_turn::make, &turn);
    return turn.turned;
}
