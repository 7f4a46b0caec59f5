/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One thread, first in a job: reads the block of host memory that the gaze thread keeps up to date,
 * and leaves the gaze in device memory for the kernels that follow, and a report in host memory.
 * Bound by a few round trips to the host. */

#include "kernels/cuda/ptx.cuh"
#include "late_params.h"

static __device__ bool read_block(const volatile uint32_t *block, uint32_t *words)
{
    for (int i = 0; i < LATE_TRIES; i++) {
        words[LATE_SEQUENCE] = block[LATE_SEQUENCE];
        __threadfence_system();
        for (int word = LATE_SEQUENCE + 1; word < LATE_WORDS; word++) {
            words[word] = block[word];
        }
        __threadfence_system();
        if (block[LATE_SEQUENCE] == words[LATE_SEQUENCE] && late_is_whole(words)) {
            return true;
        }
    }
    return false;
}

extern "C" __global__ void gaze_latch(const __grid_constant__ late_cuda_params params)
{
    ptx_wait_for_kernel_ahead();
    const late_own own = params.own;
    uint32_t words[LATE_WORDS];
    const bool taken =
        read_block((const volatile uint32_t *)params.block, words) && late_is_for(words, own);
    const unsigned long long now = ptx_clock_ns();
    const uint32_t left[LATCHED_WORDS] = {taken ? words[LATE_GAZE_X] : (uint32_t)own.gaze_x_q8,
                                          taken ? words[LATE_GAZE_Y] : (uint32_t)own.gaze_y_q8,
                                          taken ? words[LATE_T_LOW] : own.t_low,
                                          taken ? words[LATE_T_HIGH] : own.t_high,
                                          (uint32_t)now,
                                          (uint32_t)(now >> 32),
                                          taken ? 1u : 0u};
    for (int i = 0; i < LATCHED_WORDS; i++) {
        ((uint32_t *)params.latched)[i] = left[i];
        ((volatile uint32_t *)params.report)[i] = left[i];
    }
}
