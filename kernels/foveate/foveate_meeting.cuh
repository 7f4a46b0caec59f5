/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Where some threads of a block wait for others, while these go on. Once only: for what comes first. Older devices
 * never run what uses it. */
#ifndef FOVEA_KERNELS_FOVEATE_MEETING_CUH
#define FOVEA_KERNELS_FOVEATE_MEETING_CUH

#include <stdint.h>

/* A lane does it, for as many threads as pass. The block is together before anybody else comes. */
static __device__ __forceinline__ void meeting_begin(uint64_t *meeting, int count)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                 :
                 : "r"((uint32_t)__cvta_generic_to_shared(meeting)), "r"(count)
                 : "memory");
#endif
}

/* A thread has done its part. */
static __device__ __forceinline__ void meeting_pass(uint64_t *meeting)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("{\n"
                 ".reg .b64 state;\n"
                 "mbarrier.arrive.shared.b64 state, [%0];\n"
                 "}"
                 :
                 : "r"((uint32_t)__cvta_generic_to_shared(meeting))
                 : "memory");
#endif
}

/* Until all have. A whole warp waits, and is together again. */
static __device__ __forceinline__ void meeting_wait(uint64_t *meeting)
{
    uint32_t done = 1;
    do {
#if __CUDA_ARCH__ >= 800
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.test_wait.parity.shared.b64 p, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(done)
                     : "r"((uint32_t)__cvta_generic_to_shared(meeting))
                     : "memory");
#endif
    } while (!done);
    __syncwarp();
}

#endif
