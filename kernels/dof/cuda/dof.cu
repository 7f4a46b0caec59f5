/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The steps of dof.h around the machine's runs, which blur what they make (dof_cuda.c has the
 * order).
 *
 *     sigmas.cuh      the focus, offsets
 *     spread.cuh      what reaches a tile, what is made
 *     layers.cuh      the layers, and the picture that is composed of them
 *     images.cuh      layers of halves as the machine reads and writes them
 *     nodes.cuh       what the machine blurs of them
 *
 * dof_focus: block of 64 threads; grid x: images, a thread each
 * dof_offsets: block of 32 x 8 threads; grid x, y: 64 x 64 px, z: images
 *     warp w      the row w of eight tiles; shared: the largest of each; a barrier
 *     lane        four rows of four neighbours
 * dof_spread: block of 32 x 8 threads; grid x, y: 8 x 8 tiles, z: images
 *     thread      a tile and half of what may reach it, gathered in shared memory; barriers
 * dof_means, dof_compose_*: block of 32 x 8 threads; grid x, y: 32 x 32 px, z: images
 *     thread      four neighbours; of floats four pixels, one below the other
 * dof_layers_*: the same; of halves x, y: 64 x 64 px
 * dof_level_1, dof_levels, dof_picture_*: as nodes_level_1_*, nodes_levels_* and nodes_picture_* of
 *     gauss_nodes.cu; grid z: layers, of levels near, behind and means of each image */

#include "layers.cuh"
#include "nodes.cuh"
#include "spread.cuh"

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)
#define PIXELS KERNEL(DOF_CUDA_SIDE_X *DOF_CUDA_SIDE_Y)
/* Half of a multiprocessor's threads at once: four pixels each are many registers. */
#define COMPOSED extern "C" __global__ void __launch_bounds__(DOF_CUDA_SIDE_X *DOF_CUDA_SIDE_Y, 4)

KERNEL(DOF_CUDA_FOCUS_THREADS)
dof_focus_of(const __grid_constant__ dof_cuda_focus_params params)
{
    ptx_wait_for_kernel_ahead();
    find_focus(params);
}

KERNEL(32 * DOF_CUDA_GROUP_TILES)
dof_offsets(const __grid_constant__ dof_cuda_sigmas_params params)
{
    ptx_wait_for_kernel_ahead();
    find_offsets(params);
}

KERNEL(32 * DOF_CUDA_SPREAD_Y)
dof_spread(const __grid_constant__ dof_cuda_sigmas_params params)
{
    ptx_wait_for_kernel_ahead();
    spread_tiles(params.frame);
}

PIXELS dof_means(const __grid_constant__ dof_cuda_sigmas_params params)
{
    ptx_wait_for_kernel_ahead();
    make_layer_of_means(params.frame);
}

namespace {

extern __shared__ __align__(16) char shared_memory[];

} // namespace

#define NODES_KERNEL(blocks) extern "C" __global__ void __launch_bounds__(NODES_THREADS, blocks)

NODES_KERNEL(4) dof_level_1(const __grid_constant__ dof_cuda_nodes_params params)
{
    ptx_wait_for_kernel_ahead();
    const dof_layer_place layer(params);
    if (layer.which == DOF_MEANS) {
        make_layer_level_1<MEANS_CHANNELS, means_image>(params, layer, (uint32_t *)shared_memory);
    } else {
        make_layer_level_1<LAYER_CHANNELS, layer_image>(params, layer, (uint32_t *)shared_memory);
    }
}

KERNEL(32 * GAUSS_NODES_LEVEL_WARPS)
dof_levels(const __grid_constant__ dof_cuda_nodes_params params)
{
    ptx_wait_for_kernel_ahead();
    const dof_layer_place layer(params);
    if (layer.which == DOF_MEANS) {
        make_layer_levels<MEANS_CHANNELS>(params, layer);
    } else {
        make_layer_levels<LAYER_CHANNELS>(params, layer);
    }
}

#define PICTURE_KERNEL(name, blocks, channels, tile, kind)                                         \
    NODES_KERNEL(blocks) dof_picture##name(const __grid_constant__ dof_cuda_nodes_params params)   \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        make_layer_picture<channels, tile<channels>, kind##_image, kind##_plan>(params);           \
    }
PICTURE_KERNEL(_bytes, 4, LAYER_CHANNELS, node_half_tile, layer)
PICTURE_KERNEL(_light, 4, LAYER_CHANNELS, node_light_tile, layer)
PICTURE_KERNEL(_floats, 3, LAYER_CHANNELS, node_float_tile, layer)
PICTURE_KERNEL(_means, 5, MEANS_CHANNELS, node_float_tile, means)

namespace {

/* Images of 32-bit floats have no layers of halves. */
template <typename Pixel, typename Image>
__device__ __forceinline__ void make(const dof_cuda_frame &frame, const Image &src)
{
    if constexpr (sizeof(typename Pixel::word) <= sizeof(uint2)) {
        if (!frame.are_floats) {
            make_group<Pixel>(frame, src);
            return;
        }
    }
    make_layers<Pixel>(frame, src);
}

template <typename Pixel, typename Image>
__device__ __forceinline__ void compose(const dof_cuda_frame &frame, const Image &src,
                                        const Image &dst)
{
    if constexpr (sizeof(typename Pixel::word) <= sizeof(uint2)) {
        if (!frame.are_floats) {
            compose_halves<Pixel>(frame, src, dst);
            return;
        }
    }
    compose_floats<Pixel>(frame, src, dst);
}

} // namespace

#define IMAGE_KERNELS(kind, suffix, format)                                                        \
    PIXELS dof_layers_##kind##_##suffix(const __grid_constant__ dof_cuda_##kind##_params params)   \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        const dof_cuda_frame &frame = params.frame;                                                \
        make<pixel<format>>(                                                                       \
            frame, image_of_block<pixel<format>>(frame, params.src, frame.src_next_bytes));        \
    }                                                                                              \
    COMPOSED dof_compose_##kind##_##suffix(                                                        \
        const __grid_constant__ dof_cuda_##kind##_params params)                                   \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        const dof_cuda_frame &frame = params.frame;                                                \
        compose<pixel<format>>(                                                                    \
            frame, image_of_block<pixel<format>>(frame, params.src, frame.src_next_bytes),         \
            image_of_block<pixel<format>>(frame, params.dst, frame.dst_next_bytes));               \
    }
IMAGE_OF_EVERY_FORMAT(IMAGE_KERNELS)
