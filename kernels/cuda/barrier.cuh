/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Where some threads of a block wait for others, while these go on. Once only: for what comes
 * first. Older devices never run what uses it. */
#ifndef FOVEA_KERNELS_CUDA_BARRIER_CUH
#define FOVEA_KERNELS_CUDA_BARRIER_CUH

#include "ptx.cuh"

#include <stdint.h>

/* A lane does it, for as many threads as pass. The block is together before anybody else comes. */
static __device__ __forceinline__ void barrier_begin(uint64_t *barrier, int count)
{
#if __CUDA_ARCH__ >= 800
    ptx_mbarrier_init((uint32_t)__cvta_generic_to_shared(barrier), count);
#endif
}

/* A thread has done its part. */
static __device__ __forceinline__ void barrier_pass(uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 800
    ptx_mbarrier_arrive((uint32_t)__cvta_generic_to_shared(barrier));
#endif
}

/* Until all have. A whole warp waits, and is together again. */
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
