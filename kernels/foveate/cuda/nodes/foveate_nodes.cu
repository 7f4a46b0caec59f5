/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method by nodes of sigma (foveate/cuda/nodes/params.h), for laws of any slope and
 * pictures of any size. Its launches make level 1 from the picture, then further levels, then the
 * picture from all of them. The kernels are bound by instruction issue.
 *
 *     product.cuh     two products from a window to a tile
 *     pixel.cuh       pixels as samples
 *     sigma.cuh       places of pixels on the ladder
 *     blend.cuh       weights of nodes
 *     write.cuh       sums as pixels
 *     levels.cuh      levels
 *     gather.cuh      tiles with floats that are not finite
 *     picture.cuh     the picture
 *
 * nodes_level_1_*: block of 4 warps; grid x, y: 2 x 2 tiles of 16 x 16 samples, z: images
 *     shared      pairs stage[68][36]: 72 px by 68 rows, 39,168 B (colours of 8 bytes a pixel)
 *     warp w      the tile w % 2 to the right and w / 2 down
 *     lane 4g+t   samples of rows g and g + 8, columns 2t, 2t + 1, and the columns 8 on
 *     barriers    after a table of light, if needed; after the stage
 *
 * nodes_levels_*: block of 8 warps; grid x: blocks, which share the tiles of a level
 *     warp        a tile of 16 x 16 samples at a time, from 40 x 40 in global memory
 *     barrier     after each level, if one block makes several
 *
 * nodes_picture_*, nodes_alpha_*: block of 4 warps; grid x, y: 2 x 2 tiles of 16 x 16 px, z: images
 *     shared      pairs stage[48][28]: 48 x 48 px, filled if one of the tiles blends level 0
 *                 scratch[4][768]: by warp, formats of 1 or 3 bytes on their way out
 *     warp, lane  as in nodes_level_1_*
 *     barriers    as in nodes_level_1_*, if the stage is filled; then warps work alone */

#include "picture.cuh"

namespace {

template <typename Pixel, typename Image>
__device__ __forceinline__ void run_level_1(const foveate_frame &frame, const foveate_nodes &nodes,
                                            const Image &src)
{
    typedef typename node_samples_of<Pixel>::pair pair;
    make_level_1<Pixel, pair>(frame, nodes, src);
}

template <typename Pixel, bool ALPHA, typename Image>
__device__ __forceinline__ void run_picture(const foveate_frame &frame, const foveate_nodes &nodes,
                                            const Image &src, const Image &dst)
{
    typedef typename node_samples_of<Pixel>::pair pair;
    const int most = ALPHA ? 4 : 3;
    make_picture < Pixel,
        Pixel::channels<most ? Pixel::channels : most, pair>(frame, nodes, src, dst);
}

} // namespace

/* A multiprocessor holds `blocks` of them: more would cut their registers too short. */
#define KERNEL(blocks) extern "C" __global__ void __launch_bounds__(NODES_THREADS, blocks)
#define LEVELS_KERNEL extern "C" __global__ void __launch_bounds__(32 * FOVEATE_NODES_LEVEL_WARPS)

LEVELS_KERNEL nodes_levels_colours(const __grid_constant__ foveate_nodes_levels_params params)
{
    make_levels<3, false, node_pair>(params);
}

LEVELS_KERNEL nodes_levels_alpha(const __grid_constant__ foveate_nodes_levels_params params)
{
    make_levels<4, false, node_pair>(params);
}

LEVELS_KERNEL nodes_levels_grey(const __grid_constant__ foveate_nodes_levels_params params)
{
    make_levels<1, false, node_grey_pair>(params);
}

LEVELS_KERNEL nodes_levels_floats(const __grid_constant__ foveate_nodes_levels_params params)
{
    make_levels<3, true, node_pair>(params);
}

LEVELS_KERNEL nodes_levels_floats_alpha(const __grid_constant__ foveate_nodes_levels_params params)
{
    make_levels<4, true, node_pair>(params);
}

#define PICTURE_KERNEL(name, kind, suffix, format, alpha)                                          \
    KERNEL(alpha ? 3 : node_sums<pixel<format>>::blocks)                                           \
    name##_##kind##_##suffix(const __grid_constant__ foveate_nodes_##kind##_params params)         \
    {                                                                                              \
        const foveate_frame frame = frame_of_image(params.frame, params.batch);                    \
        run_picture<pixel<format>, alpha>(frame, params.nodes,                                     \
                                          kind##_src<pixel<format>>(params, frame),                \
                                          kind##_dst<pixel<format>>(params, frame));               \
    }

#define KERNELS(kind, suffix, format)                                                              \
    KERNEL(5)                                                                                      \
    nodes_level_1_##kind##_##suffix(const __grid_constant__ foveate_nodes_##kind##_params params)  \
    {                                                                                              \
        run_level_1<pixel<format>>(params.frame, params.nodes,                                     \
                                   kind##_src<pixel<format>>(params, params.frame));               \
    }                                                                                              \
    PICTURE_KERNEL(nodes_picture, kind, suffix, format, false)

/* nodes_alpha blurs alpha, too. */
#define ALPHA_KERNELS(kind, suffix, format)                                                        \
    KERNELS(kind, suffix, format)                                                                  \
    PICTURE_KERNEL(nodes_alpha, kind, suffix, format, true)

ALPHA_KERNELS(linear, rgba8, FOVEA_FORMAT_RGBA8)
ALPHA_KERNELS(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
ALPHA_KERNELS(linear, rgba16f, FOVEA_FORMAT_RGBA16F)
KERNELS(linear, b10g11r11f, FOVEA_FORMAT_B10G11R11F)
KERNELS(linear, rgb8, FOVEA_FORMAT_RGB8)
KERNELS(linear, r8, FOVEA_FORMAT_R8)
KERNELS(linear, rgb16f, FOVEA_FORMAT_RGB16F)
KERNELS(linear, r16f, FOVEA_FORMAT_R16F)

ALPHA_KERNELS(surface, rgba8, FOVEA_FORMAT_RGBA8)
ALPHA_KERNELS(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
ALPHA_KERNELS(surface, rgba16f, FOVEA_FORMAT_RGBA16F)
KERNELS(surface, b10g11r11f, FOVEA_FORMAT_B10G11R11F)
