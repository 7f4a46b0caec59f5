/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the phases of foveate_small.cu share: the block's picture with its operands, sigma at a
 * place, and the tasks of warps. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_WORK_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_WORK_CUH

#include "image.cuh"
#include "kernels/foveate/smooth.h"
#include "mma.cuh"

const int TILE = FOVEATE_SMALL_TILE;
const int WARPS = FOVEATE_SMALL_THREADS / 32;
const int BLOCKS = FOVEATE_SMALL_BLOCKS;
const int TILES = FOVEATE_SMALL_TILES;
const int TILES_1 = FOVEATE_SMALL_SAMPLES_1 / TILE; /* of level 1, in a row */
const int OPERAND = FOVEATE_SMALL_OPERAND_BYTES / 16; /* 16 bytes a lane */

struct small_lane {
    int lane, g, t;

    __device__ small_lane()
        : lane((int)(threadIdx.x % 32)), g((int)(threadIdx.x % 32 / 4)), t((int)(threadIdx.x % 4))
    {
    }
};

/* Not inlined, because it is long and seldom called. */
static __device__ __noinline__ float small_sigma(const foveate_law &law, const float *table,
                                                 float x_px, float y_px, float2 gaze)
{
    return foveate_law_sigma_at(&law, table, x_px, y_px, gaze.x, gaze.y);
}

struct small_work {
    const foveate_small_linear_params &params;
    const foveate_small &small;
    const foveate_frame &frame;
    small_memory memory;

    __device__ __forceinline__ const uint4 *operands(int number, const small_lane &l) const
    {
        return (const uint4 *)small.operands + number * OPERAND + l.lane;
    }
    __device__ __forceinline__ uint4 operand(int number, const small_lane &l) const
    {
        return __ldg(operands(number, l));
    }
    __device__ __forceinline__ float sigma_at(float x_px, float y_px, float2 gaze) const
    {
        return small_sigma(small.law, (const float *)small.table, x_px, y_px, gaze);
    }
};

static __device__ __forceinline__ int small_warp()
{
    return (int)(threadIdx.x / 32);
}

/* If compilers know that this is the warp's number they keep more values than there are
 * registers. */
static __device__ __forceinline__ int first_task()
{
    return __shfl_sync(~0u, (int)ptx_thread_x() / 32, 0);
}

/* Returns the next task of a phase to all lanes; the first task is the number of the warp. */
static __device__ __forceinline__ int take_task(const small_work &work, int phase)
{
    uint32_t task = 0;
    if (threadIdx.x % 32 == 0) { /* Compilers would add up lanes for atomicAdd. */
        task =
            ptx_count_shared((uint32_t)__cvta_generic_to_shared(&work.memory.state->next[phase]));
    }
    return (int)__shfl_sync(~0u, task, 0);
}

/* Reads whether blocks x in rows `row` and `row` + 2 of blocks take level `level`. */
static __device__ __forceinline__ void small_is_of(const small_work &work, int level, int x,
                                                   int row, bool (&is)[2])
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        is[r] = (work.memory.state->rows[level][row + 2 * r] >> x & 1u) != 0;
    }
}

/* Stores the sums of 16 x 16 samples into a plane of the level, in place. */
template <int LEVEL>
static __device__ __forceinline__ void store_tile(char *to, int channel, int x0, int y0,
                                                  const small_result (&sums)[2],
                                                  const small_lane &l)
{
#pragma unroll
    for (int n = 0; n < 2; n++) {
        const int x = x0 + 8 * n + 2 * l.t;
        *(uint32_t *)(to + sample_at<LEVEL>(channel, x, y0 + l.g)) = sums[n].x;
        *(uint32_t *)(to + sample_at<LEVEL>(channel, x, y0 + l.g + 8)) = sums[n].y;
    }
}

#endif
