/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A single-use mbarrier (phase 0): some threads of a block wait for others, while these go on.
 * sm_80 and later; older devices never run code that uses it. */
#ifndef FOVEA_KERNELS_CUDA_BARRIER_CUH
#define FOVEA_KERNELS_CUDA_BARRIER_CUH

#include "ptx.cuh"

#include <stdint.h>

/* One lane initialises it, for as many threads as will arrive. A barrier of the block must
 * follow. */
static __device__ __forceinline__ void barrier_begin(uint64_t *barrier, int count)
{
#if __CUDA_ARCH__ >= 800
    ptx_mbarrier_init((uint32_t)__cvta_generic_to_shared(barrier), count);
#endif
}

/* A thread arrives: its part is done. */
static __device__ __forceinline__ void barrier_pass(uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 800
    ptx_mbarrier_arrive((uint32_t)__cvta_generic_to_shared(barrier));
#endif
}

/* A whole warp waits until all have arrived. */
static __device__ __forceinline__ void barrier_wait(uint64_t *barrier)
{
    uint32_t done = 1;
    do {
#if __CUDA_ARCH__ >= 800
        done = ptx_mbarrier_test((uint32_t)__cvta_generic_to_shared(barrier));
#endif
    } while (!done);
    __syncwarp();
}

#endif
