/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Highlights as discs (discs.cuh, discs_add.cuh): means of blocks, what is taken out of layers
 * before they are blurred, and what is added to blurred ones. Layers of halves, and of 32-bit
 * floats.
 *
 * block of 32 x 8 threads; grid x, y: 32 x 32 px, z: images
 *     thread      four neighbours; cells are those of four threads, 8 lanes apart
 *     sums, take  bound by memory: a layer is read
 *     add         shared: the discs that cover the block, 256 at a time; barriers. Bound by
 *                 arithmetic where there are many: 15 instructions a disc and pixel */

#include "discs_add.cuh"

#define DISCS extern "C" __global__ void __launch_bounds__(DISC_THREADS)

#define DISC_KERNELS(kind, FLOATS)                                                                 \
    DISCS dof_sum_##kind(const __grid_constant__ dof_cuda_discs_params params)                     \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        sum_block<FLOATS>(params);                                                                 \
    }                                                                                              \
    DISCS dof_take_##kind(const __grid_constant__ dof_cuda_discs_params params)                    \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        take_discs<FLOATS>(params);                                                                \
    }                                                                                              \
    DISCS dof_add_##kind(const __grid_constant__ dof_cuda_discs_params params)                     \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        add_discs<FLOATS>(params);                                                                 \
    }
DISC_KERNELS(halves, false)
DISC_KERNELS(floats, true)
