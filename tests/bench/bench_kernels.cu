/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels to measure with.
 *
 * `copy`: what every foveation is measured against. Every byte of a picture is read and written
 * once, in place, 16 at a time. How many of them a thread takes to be fastest differs by device and
 * size, so there are three, and the fastest counts. Bound by memory.
 *
 * A block works on a piece of the picture without gaps, a thread on every 256th 16 bytes of it, all
 * loads before the first store. mask is 0, which the compiler does not know. */

#include "bench_copy.h"

template <int PIECES>
static __device__ __forceinline__ void copy(uint4 *words, uint64_t count, uint32_t mask)
{
    const uint64_t first = (uint64_t)blockIdx.x * blockDim.x * PIECES + threadIdx.x;
    uint4 piece[PIECES];
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        const uint64_t at = first + (uint64_t)i * blockDim.x;
        if (at < count) {
            piece[i] = words[at];
        }
    }
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        const uint64_t at = first + (uint64_t)i * blockDim.x;
        if (at < count) {
            piece[i].x ^= mask;
            piece[i].y ^= mask;
            piece[i].z ^= mask;
            piece[i].w ^= mask;
            words[at] = piece[i];
        }
    }
}

extern "C" __global__ void __launch_bounds__(256)
    bench_copy_1(const __grid_constant__ bench_copy_params p)
{
    copy<1>((uint4 *)p.words, p.count, p.mask);
}

extern "C" __global__ void __launch_bounds__(256)
    bench_copy_2(const __grid_constant__ bench_copy_params p)
{
    copy<2>((uint4 *)p.words, p.count, p.mask);
}

extern "C" __global__ void __launch_bounds__(256)
    bench_copy_4(const __grid_constant__ bench_copy_params p)
{
    copy<4>((uint4 *)p.words, p.count, p.mask);
}
