/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Single instructions that CUDA C has no name for, and the bits of halves. All inline PTX of ours
 * stands here, so that a compiler for the host can take the kernels too: tests run them there
 * (tests/support/cuda_host/), where each of these functions has a twin in C++. What compute
 * capability an instruction needs is asked for where it is used. */
#pragma once

#include "host_device.h"

#include <cuda_fp16.h>
#include <stdint.h>

#ifdef FOVEA_CUDA_HOST
#include "cuda_host_ptx.h"
#else

/* Waits until the kernel that was launched before this one has ended and its writes are seen: this
 * one was launched before that (cuda_launch). Every kernel begins with it, in all threads, so that
 * nothing is read or written earlier, and kernels further ahead have ended too. */
DEVICE void ptx_wait_for_kernel_ahead()
{
#if __CUDA_ARCH__ >= 900 /* CUDA_WAITING_ARCHITECTURE */
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* ---- Numbers */

DEVICE float ptx_sqrt(float x)
{
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

DEVICE float ptx_rcp(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

DEVICE float ptx_ex2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

DEVICE float ptx_lg2(float x)
{
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* Returns c + the absolute differences of four bytes each. */
DEVICE uint32_t ptx_sad4(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t d;
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

/* Loads a word or a byte of shared memory, at an address of that space, which is a number to keep:
 * the compiler works out that of an array again for every access. */
DEVICE uint32_t ptx_load_shared(uint32_t address)
{
    uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

DEVICE uint32_t ptx_load_shared_byte(uint32_t address)
{
    uint32_t byte;
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(byte) : "r"(address) : "memory");
    return byte;
}

/* Adds to a number in shared memory, at an address of that space. Nothing but a barrier keeps other
 * accesses before or behind it. */
DEVICE void ptx_add_shared(uint32_t address, int32_t value)
{
    asm volatile("red.shared.add.s32 [%0], %1;" ::"r"(address), "r"(value));
}

/* Returns c + a b, in 64 bits. */
DEVICE uint64_t ptx_mad_wide(int a, int b, uint64_t c)
{
    uint64_t d;
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(d) : "r"(a), "r"(b), "l"(c));
    return d;
}

/* Does the same for an address, which compilers keep as one. */
DEVICE char *ptx_mad_wide(int a, int b, const char *c)
{
    char *d;
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(d) : "r"(a), "r"(b), "l"(c));
    return d;
}

/* ---- What compilers are not to work out ahead */

DEVICE void ptx_keep(uint32_t &value)
{
    asm volatile("" : "+r"(value));
}

DEVICE void ptx_keep(const uint32_t *&words)
{
    asm volatile("" : "+l"(words));
}

DEVICE uint32_t ptx_thread_x()
{
    uint32_t thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}

DEVICE unsigned long long ptx_clock_ns()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* ---- Shared memory, addressed by 32 bits */

/* 16 bytes, aligned to as many. */
DEVICE void ptx_copy_async(uint32_t to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}

/* 4 bytes, aligned to as many. */
DEVICE void ptx_copy_word_async(uint32_t to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(to), "l"(from) : "memory");
}

DEVICE void ptx_copy_wait()
{
    asm volatile("cp.async.wait_all;" : : : "memory");
}

/* ---- Arrivals and barriers */

/* Counts a block in, and returns how many arrived before it: what it has written is there first,
 * and what it reads afterwards is what they have written. Two fences around a plain addition would
 * order all accesses of the device. */
DEVICE uint32_t ptx_arrive(uint32_t *count)
{
    uint32_t before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global(count))
                 : "memory");
    return before;
}

template <int BARRIER, int THREADS> DEVICE void ptx_barrier_sync()
{
    asm volatile("barrier.sync %0, %1;" : : "n"(BARRIER), "n"(THREADS) : "memory");
}

template <int BARRIER, int THREADS> DEVICE void ptx_barrier_arrive()
{
    asm volatile("barrier.arrive %0, %1;" : : "n"(BARRIER), "n"(THREADS) : "memory");
}

/* ---- Products of a warp's matrices (cuda/mma.cuh): d = a b + c, and d += a b */

DEVICE void ptx_mma_16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Rows g begin with c0, rows g + 8 with c1. */
DEVICE void ptx_mma_16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1, float c0,
                          float c1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%10, %10, %11, %11};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(c0), "f"(c1));
}

DEVICE void ptx_mma_16816(uint2 &d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
        "{%0, %1};"
        : "+r"(d.x), "+r"(d.y)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

DEVICE void ptx_mma_16816(uint2 &d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1, uint2 c)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
        "{%8, %9};"
        : "=r"(d.x), "=r"(d.y)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c.x), "r"(c.y));
}

DEVICE void ptx_mma_1688(uint2 &d, const uint2 &a, uint32_t b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
        : "+r"(d.x), "+r"(d.y)
        : "r"(a.x), "r"(a.y), "r"(b));
}

DEVICE void ptx_mma_1688(float (&d)[4], const uint2 &a, uint32_t b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a.x), "r"(a.y), "r"(b));
}

/* For floats, of which 11 bits of the mantissa count; sm_80 and later. */
DEVICE void ptx_mma_1688_tf32(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

DEVICE uint32_t ptx_tf32(float value)
{
    uint32_t rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(value));
    return rounded;
}

DEVICE void ptx_mma_16832(int32_t (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

DEVICE void ptx_mma_16832(int32_t (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                          int32_t c)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%10, %10, %10, %10};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c));
}

/* Squares of 8 x 8 halves: transposed; loaded transposed, four at once. */
DEVICE uint32_t ptx_movmatrix(uint32_t pair)
{
    uint32_t transposed;
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(transposed) : "r"(pair));
    return transposed;
}

DEVICE void ptx_ldmatrix_transposed(uint32_t (&squares)[4], uint32_t row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(squares[0]), "=r"(squares[1]), "=r"(squares[2]), "=r"(squares[3])
                 : "r"(row)
                 : "memory");
}

#endif

/* ---- Two halves and the word that has their bits: no instruction at all */

DEVICE __half2 half2_of(uint32_t bits)
{
    return *(const __half2 *)&bits;
}

DEVICE uint32_t bits_of(__half2 halves)
{
    return *(const uint32_t *)&halves;
}
