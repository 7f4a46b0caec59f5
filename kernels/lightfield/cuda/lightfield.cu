/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields on CUDA; each file says what bounds it, and run.c in which order they run.
 *
 *     render.cuh, render_tile.cuh    blended micro-images
 *     render_rings.cuh               those under a gaze
 *     depth.cuh, depth_tile.cuh      costs of patch sizes, and the least
 *     focus.cuh                      the patch size under a gaze
 *     sum.cuh                        sums of views
 *
 * All but tiles have blocks of 32 x 8 threads; grid x, y: pixels, and parts of the picture of
 * lightfield_sum_*. lightfield_costs_*, lightfield_boxes: z: patch sizes. lightfield_search_*:
 * x: patch sizes, y: lenses.
 * lightfield_render_tile_*: blocks of as many threads as they read chunks; grid x: columns of the
 * picture, y: parts of rows of lenses. lightfield_render_rings_*: blocks of
 * LIGHTFIELD_RINGS_THREADS threads; y from the gaze on. */

#include "depth.cuh"
#include "depth_tile.cuh"
#include "focus.cuh"
#include "render.cuh"
#include "render_rings.cuh"
#include "render_tile.cuh"
#include "sum.cuh"

#define KERNEL(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

DEVICE int x_of_thread()
{
    return (int)(blockIdx.x * LIGHTFIELD_CUDA_WIDTH + threadIdx.x);
}

DEVICE int y_of_thread()
{
    return (int)(blockIdx.y * LIGHTFIELD_CUDA_HEIGHT + threadIdx.y);
}

/* One kernel of each kind for a raw format. */
#define RAW_KERNELS(name, sampler)                                                                 \
    KERNEL(LIGHTFIELD_CUDA_THREADS, 3)                                                             \
    lightfield_render_##name(const __grid_constant__ lightfield_cuda_rendering params)             \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        __shared__ block_parts parts;                                                              \
        render_one<sampler>(params, x_of_thread(), y_of_thread(), parts);                          \
    }                                                                                              \
    KERNEL(LIGHTFIELD_CUDA_THREADS, 3)                                                             \
    lightfield_render_each_##name(const __grid_constant__ lightfield_cuda_rendering params)        \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        render_each<sampler>(params, x_of_thread(), y_of_thread());                                \
    }                                                                                              \
    KERNEL(LIGHTFIELD_CUDA_THREADS, 3)                                                             \
    lightfield_costs_##name(const __grid_constant__ lightfield_cuda_matching params)               \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        __shared__ block_parts parts;                                                              \
        make_costs<sampler>(params, x_of_thread(), params.row_first + y_of_thread(), parts);       \
    }                                                                                              \
    KERNEL(LIGHTFIELD_CUDA_THREADS, 6)                                                             \
    lightfield_search_##name(const __grid_constant__ lightfield_cuda_search params)                \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        __shared__ search_memory memory;                                                           \
        search<sampler>(params, memory);                                                           \
    }                                                                                              \
    KERNEL(LIGHTFIELD_CUDA_THREADS, 6)                                                             \
    lightfield_sum_##name(const __grid_constant__ lightfield_cuda_sum params)                      \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        __shared__ sum_memory memory;                                                              \
        sum_views<sampler>(params, memory);                                                        \
    }

RAW_KERNELS(r8, plain_sampler<raw_r8>)
RAW_KERNELS(rgb8, plain_sampler<raw_rgb8>)
RAW_KERNELS(rgba8, plain_sampler<raw_rgba8>)
RAW_KERNELS(r16, plain_sampler<raw_r16>)
RAW_KERNELS(rgb16, plain_sampler<raw_rgb16>)
RAW_KERNELS(rgba16, plain_sampler<raw_rgba16>)
RAW_KERNELS(mosaic8, mosaic_sampler<raw_r8>)
RAW_KERNELS(mosaic16, mosaic_sampler<raw_r16>)

extern __shared__ __align__(16) char shared_memory[];

#define TILE_KERNELS(name)                                                                         \
    KERNEL(LIGHTFIELD_TILE_THREADS, LIGHTFIELD_TILE_BLOCKS)                                        \
    lightfield_render_tile_##name(const __grid_constant__ lightfield_tile_rendering params)        \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        __shared__ render_tile_memory memory;                                                      \
        render_tile<tile_##name>(params, memory, (tile_##name::sum *)shared_memory);               \
    }                                                                                              \
    KERNEL(LIGHTFIELD_RINGS_THREADS, LIGHTFIELD_RINGS_BLOCKS)                                      \
    lightfield_render_rings_##name(const __grid_constant__ lightfield_tile_rendering params)       \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        __shared__ rings_memory memory;                                                            \
        render_rings<tile_##name>(params, memory);                                                 \
    }                                                                                              \
    KERNEL(LIGHTFIELD_TILE_DEPTH_THREADS, 2)                                                       \
    lightfield_depth_tile_##name(const __grid_constant__ lightfield_tile_matching params)          \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        __shared__ depth_tile_memory memory;                                                       \
        depth_tile<tile_##name>(params, memory, (tile_##name::texel *)shared_memory);              \
    }

TILE_KERNELS(r8)
TILE_KERNELS(rgb8)
TILE_KERNELS(rgba8)

KERNEL(LIGHTFIELD_CUDA_THREADS, 3)
lightfield_boxes(const __grid_constant__ lightfield_cuda_matching params)
{
    ptx_wait_for_kernel_ahead();
    make_boxes(params, x_of_thread(), params.out_first + y_of_thread());
}

KERNEL(LIGHTFIELD_CUDA_THREADS, 3)
lightfield_choose(const __grid_constant__ lightfield_cuda_matching params)
{
    ptx_wait_for_kernel_ahead();
    choose_size(params, x_of_thread(), params.out_first + y_of_thread());
}
