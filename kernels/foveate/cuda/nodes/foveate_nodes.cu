/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method by nodes of sigma (nodes_params.h), for laws of any slope and pictures of any size. In launches one
 * after another: level 1 from the picture, further levels, the picture from all of them.
 *
 * Blocks are 4 warps, or 8 for further levels, each of which makes a tile of 16 x 16 samples or pixels; grids are blocks of
 * 2 x 2 tiles, or of 8 tiles, and images along z. Bound by instruction issue.
 *
 *     nodes_product.cuh     two products from a window to a tile
 *     nodes_pixel.cuh       formats
 *     nodes_levels.cuh      levels
 *     nodes_picture.cuh     the picture */

#include "foveate/cuda/nodes/nodes_picture.cuh"

namespace {

/* What a format's samples lie in, and how many channels are blurred. */
template <typename Pixel, bool GREY = Pixel::colors == 1> struct node_samples {
    typedef node_pair pair;
};
template <typename Pixel> struct node_samples<Pixel, true> {
    typedef node_grey_pair pair;
};

template <typename Pixel, typename Image>
__device__ __forceinline__ void run_level_1(const foveate_frame &frame, const foveate_nodes &nodes,
                                            const Image &src)
{
    typedef typename node_samples<Pixel>::pair pair;
    if constexpr (Pixel::colors == 1) {
        make_level_1<Pixel, 1, pair>(frame, nodes, src);
    } else if constexpr (node_format<Pixel>::has_alpha) {
        make_level_1<Pixel, 4, pair>(frame, nodes, src);
    } else {
        make_level_1<Pixel, 3, pair>(frame, nodes, src);
    }
}

template <typename Pixel, typename Image>
__device__ __forceinline__ void run_picture(const foveate_frame &frame, const foveate_nodes &nodes,
                                            const Image &src, const Image &dst)
{
    typedef typename node_samples<Pixel>::pair pair;
    __shared__ pair stage[NODES_WARPS * NODES_NEAR_PAIRS];
    if constexpr (Pixel::colors == 1) {
        make_picture<Pixel, 1>(frame, nodes, src, dst, stage);
    } else if constexpr (node_format<Pixel>::has_alpha) {
        if (frame.blur_alpha) {
            make_picture<Pixel, 4>(frame, nodes, src, dst, stage);
        } else {
            make_picture<Pixel, 3>(frame, nodes, src, dst, stage);
        }
    } else {
        make_picture<Pixel, 3>(frame, nodes, src, dst, stage);
    }
}

} // namespace

#define KERNEL extern "C" __global__ void __launch_bounds__(NODES_THREADS, 4)
#define LEVELS_KERNEL extern "C" __global__ void __launch_bounds__(32 * FOVEATE_NODES_LEVEL_WARPS)

LEVELS_KERNEL nodes_levels_colours(const __grid_constant__ foveate_nodes_levels_params params)
{
    make_levels<4, node_pair>(params);
}

LEVELS_KERNEL nodes_levels_grey(const __grid_constant__ foveate_nodes_levels_params params)
{
    make_levels<1, node_grey_pair>(params);
}

#define KERNELS(kind, suffix, format)                                                              \
    KERNEL nodes_level_1_##kind##_##suffix(                                                        \
        const __grid_constant__ foveate_nodes_##kind##_params params)                              \
    {                                                                                              \
        run_level_1<pixel<format>>(params.frame, params.nodes,                                     \
                                   kind##_src<pixel<format>>(params, params.frame));               \
    }                                                                                              \
    KERNEL nodes_picture_##kind##_##suffix(                                                        \
        const __grid_constant__ foveate_nodes_##kind##_params params)                              \
    {                                                                                              \
        const foveate_frame frame = frame_of_image(params.frame, params.batch);                    \
        run_picture<pixel<format>>(frame, params.nodes, kind##_src<pixel<format>>(params, frame),  \
                                   kind##_dst<pixel<format>>(params, frame));                      \
    }

KERNELS(linear, rgba8, FOVEA_FORMAT_RGBA8)
KERNELS(linear, rgb8, FOVEA_FORMAT_RGB8)
KERNELS(linear, r8, FOVEA_FORMAT_R8)
KERNELS(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)

KERNELS(surface, rgba8, FOVEA_FORMAT_RGBA8)
KERNELS(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
