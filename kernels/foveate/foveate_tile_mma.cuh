/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Products of small matrices by a warp, on tensor cores: D = A B + C, A of 16 rows, B and C of 8 columns.
 * Each thread holds a fragment. With lane = 4 g + t:
 *
 *     A, 16 x 16 halves   a[0]: row g, columns 2t and 2t + 1. a[1]: row g + 8. a[2], a[3]: columns 8 on.
 *     B, 16 x 8 halves    b0: rows 2t and 2t + 1 of column g. b1: rows 8 on.
 *     C, 16 x 8           c[0]: row g, columns 2t and 2t + 1. c[1]: row g + 8; floats: two for each.
 *     A, 16 x 32 bytes    a[0]: row g, columns 4t to 4t + 3. a[1]: row g + 8. a[2], a[3]: columns 16 on.
 *     B, 32 x 8 bytes     b0: rows 4t to 4t + 3 of column g. b1: rows 16 on.
 *
 * So a result's first register, read as B's, is the transposed of its first eight rows, and the next product
 * goes along the other axis with nothing moved between threads.
 *
 * sm_75 has half the depth an instruction, and takes two, or four. mma_shallow has that everywhere: A and B end
 * with a[1] and b0. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_MMA_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_MMA_CUH

#include <cuda_fp16.h>
#include <stdint.h>

struct __align__(16) mma_a
{
    uint32_t a[4];
};

/* Halves of a result: rows g and g + 8. */
struct mma_halves {
    uint32_t row[2];
};

/* Floats of one, or whole numbers. */
struct mma_floats {
    float at[2][2]; /* of row g, g + 8; columns 2t, 2t + 1 */
};

struct mma_numbers {
    int32_t at[2][2];
};

#if defined(FOVEA_EMULATED_MMA)
mma_halves mma(const mma_a &a, uint32_t b0, uint32_t b1, const mma_halves &c);
mma_halves mma_shallow(uint32_t a0, uint32_t a1, uint32_t b0, const mma_halves &c);
typedef uintptr_t mma_address;
mma_address mma_address_of(const __half *column);
void mma_load(mma_address column, uint32_t (&b)[4]);
mma_floats mma(const mma_a &a, uint32_t b0, uint32_t b1, const mma_floats &c);
mma_numbers mma_bytes(const mma_a &a, uint32_t b0, uint32_t b1, const mma_numbers &c);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800

static __device__ __forceinline__ void mma_step(mma_halves &d, uint32_t a0, uint32_t a1, uint32_t b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
        : "+r"(d.row[0]), "+r"(d.row[1])
        : "r"(a0), "r"(a1), "r"(b));
}

/* C last: it may be large, for the sum to be rounded to whole numbers once. */
static __device__ __forceinline__ mma_halves mma(const mma_a &a, uint32_t b0, uint32_t b1,
                                                 const mma_halves &c)
{
    mma_halves d = {};
    mma_step(d, a.a[0], a.a[1], b0);
    mma_step(d, a.a[2], a.a[3], b1);
    for (int i = 0; i < 2; i++) {
        const __half2 sum = __hadd2(*(const __half2 *)&d.row[i], *(const __half2 *)&c.row[i]);
        d.row[i] = *(const uint32_t *)&sum;
    }
    return d;
}

static __device__ __forceinline__ void mma_step(mma_floats &d, uint32_t a0, uint32_t a1, uint32_t b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(d.at[0][0]), "+f"(d.at[0][1]), "+f"(d.at[1][0]), "+f"(d.at[1][1])
        : "r"(a0), "r"(a1), "r"(b));
}

static __device__ __forceinline__ mma_floats mma(const mma_a &a, uint32_t b0, uint32_t b1,
                                                 const mma_floats &c)
{
    mma_floats d = c;
    mma_step(d, a.a[0], a.a[1], b0);
    mma_step(d, a.a[2], a.a[3], b1);
    return d;
}

static __device__ __forceinline__ void mma_step(int32_t (&d)[2], uint32_t a, uint32_t b)
{
    asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a), "r"(b));
}

static __device__ __forceinline__ mma_numbers mma_bytes(const mma_a &a, uint32_t b0, uint32_t b1,
                                                        const mma_numbers &c)
{
    mma_numbers d = c;
    mma_step(d.at[0], a.a[0], b0);
    mma_step(d.at[1], a.a[1], b0);
    mma_step(d.at[0], a.a[2], b1);
    mma_step(d.at[1], a.a[3], b1);
    return d;
}

#else

static __device__ __forceinline__ mma_halves mma(const mma_a &a, uint32_t b0, uint32_t b1,
                                                 const mma_halves &c)
{
    mma_halves d;
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, "
        "{%8,%9};"
        : "=r"(d.row[0]), "=r"(d.row[1])
        : "r"(a.a[0]), "r"(a.a[1]), "r"(a.a[2]), "r"(a.a[3]), "r"(b0), "r"(b1), "r"(c.row[0]),
          "r"(c.row[1]));
    return d;
}

static __device__ __forceinline__ mma_floats mma(const mma_a &a, uint32_t b0, uint32_t b1,
                                                 const mma_floats &c)
{
    mma_floats d;
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=f"(d.at[0][0]), "=f"(d.at[0][1]), "=f"(d.at[1][0]), "=f"(d.at[1][1])
        : "r"(a.a[0]), "r"(a.a[1]), "r"(a.a[2]), "r"(a.a[3]), "r"(b0), "r"(b1), "f"(c.at[0][0]),
          "f"(c.at[0][1]), "f"(c.at[1][0]), "f"(c.at[1][1]));
    return d;
}

static __device__ __forceinline__ mma_numbers mma_bytes(const mma_a &a, uint32_t b0, uint32_t b1,
                                                        const mma_numbers &c)
{
    mma_numbers d;
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=r"(d.at[0][0]), "=r"(d.at[0][1]), "=r"(d.at[1][0]), "=r"(d.at[1][1])
        : "r"(a.a[0]), "r"(a.a[1]), "r"(a.a[2]), "r"(a.a[3]), "r"(b0), "r"(b1), "r"(c.at[0][0]),
          "r"(c.at[0][1]), "r"(c.at[1][0]), "r"(c.at[1][1]));
    return d;
}

#endif

#if !defined(FOVEA_EMULATED_MMA)

static __device__ __forceinline__ mma_halves mma_shallow(uint32_t a0, uint32_t a1, uint32_t b0,
                                                         const mma_halves &c)
{
    mma_halves d;
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%5,%6};"
        : "=r"(d.row[0]), "=r"(d.row[1])
        : "r"(a0), "r"(a1), "r"(b0), "r"(c.row[0]), "r"(c.row[1]));
    return d;
}

typedef uint32_t mma_address;

/* Of shared memory. What is added to it later is the instruction's own: nobody reckons it anew. */
static __device__ __forceinline__ mma_address mma_address_of(const __half *column)
{
    mma_address address = (mma_address)__cvta_generic_to_shared(column);
    asm volatile("" : "+r"(address));
    return address;
}

/* Registers of B from shared memory: lane 8 i + n says where b[i]'s eight halves of column n begin, at a
 * multiple of 16 bytes. */
static __device__ __forceinline__ void mma_load(mma_address column, uint32_t (&b)[4])
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                 : "r"(column)
                 : "memory");
}

#endif

#endif
