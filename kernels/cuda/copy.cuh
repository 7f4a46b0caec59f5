/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Copies from global to shared memory that wait in no register, sm_80 and later: any number are
 * under way. */
#ifndef FOVEA_KERNELS_CUDA_COPY_CUH
#define FOVEA_KERNELS_CUDA_COPY_CUH

#include "ptx.cuh"

#include <stdint.h>

/* 16 bytes, aligned to as many. Older devices never run what uses it. */
static __device__ __forceinline__ void copy_begin(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    ptx_copy_async((uint32_t)__cvta_generic_to_shared(to), from);
#endif
}

/* Until this thread's are there, for this thread. */
static __device__ __forceinline__ void copy_wait()
{
#if __CUDA_ARCH__ >= 800
    ptx_copy_wait();
#endif
}

#endif
