/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels that show whether the host runs CUDA C as a device does (test_emulated_core.c). */

#include "core.h"
#include "kernels/cuda/ptx.cuh"

#define KERNEL(name)                                                                               \
    extern "C" __global__ void __launch_bounds__(1024)                                             \
        name(const __grid_constant__ core_params params)

/* A sum over the block, by shuffles, shared memory and an atomic addition for each block. */
KERNEL(core_sum)
{
    __shared__ int of_warp[32];
    const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int sum = thread < params.count ? thread : 0;
    for (int on = 16; on > 0; on /= 2) {
        sum += __shfl_down_sync(~0u, sum, on);
    }
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        const bool is = threadIdx.x < blockDim.x / 32;
        const int all = __reduce_add_sync(~0u, is ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x == 0) {
            atomicAdd(params.numbers, all);
        }
    }
}

/* The same without the barrier. */
KERNEL(core_race)
{
    __shared__ int given[64];
    given[threadIdx.x] = (int)threadIdx.x;
    params.numbers[threadIdx.x] = given[params.count - 1 - (int)threadIdx.x];
}

/* Warp 0 prepares, the others wait for it, and it for nobody. */
KERNEL(core_meeting)
{
    __shared__ int said;
    if (threadIdx.x == 31) {
        said = 41;
    }
    if (threadIdx.x < 32) {
        __syncwarp();
        ptx_barrier_arrive<1, 128>();
    } else {
        ptx_barrier_sync<1, 128>();
    }
    params.numbers[threadIdx.x] = said + 1;
}

/* Half of the block never comes to the barrier. */
KERNEL(core_never)
{
    if (threadIdx.x % 2 == 0) {
        __syncthreads();
    } else {
        __syncwarp();
    }
}
