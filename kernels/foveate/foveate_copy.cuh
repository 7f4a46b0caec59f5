/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Copies from global to shared memory that wait in no register, sm_80 and later: any number are under way. */
#ifndef FOVEA_KERNELS_FOVEATE_COPY_CUH
#define FOVEA_KERNELS_FOVEATE_COPY_CUH

#include <stdint.h>

/* 16 bytes, aligned to as many. Older devices never run what uses it. */
static __device__ __forceinline__ void copy_begin(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#endif
}

/* Until this thread's are there, for this thread. */
static __device__ __forceinline__ void copy_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

#endif
