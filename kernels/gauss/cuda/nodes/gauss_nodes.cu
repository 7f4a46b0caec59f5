/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method by nodes of sigma (gauss/cuda/nodes/params.h), for laws of any slope and
 * pictures of any size. Its launches make level 1 from the picture, then further levels, then the
 * picture from all of them. The kernels are bound by instruction issue.
 *
 *     product.cuh     two products from a window to a tile
 *     pixel.cuh       pixels as samples
 *     sigma.cuh       places of pixels on the ladder
 *     blend.cuh       weights of nodes
 *     write.cuh       sums as pixels, and tiles with floats that are not finite
 *     levels.cuh      levels
 *     picture.cuh     the picture
 *
 * nodes_level_1_*: block of 4 warps; grid x, y: 2 x 2 tiles of 16 x 16 samples, z: images
 *     shared      a plane of 72 x 72 px for each channel that is blurred, 12,672 B
 *     warp w      the tile w % 2 to the right and w / 2 down
 *     lane 4g+t   samples 4t to 4t + 3 of rows gauss_nodes_place(g) and two on
 *     barriers    after a table of light, if needed; after the stage
 *
 * nodes_levels_*: block of 8 warps; grid x: blocks, which share the tiles of a level
 *     warp        a channel of 16 x 16 samples at a time, from 40 x 40 in global memory
 *     barrier     after each level, if one block makes several
 *
 * nodes_picture_*, nodes_alpha_*: block of 4 warps; grid x, y: 2 x 2 tiles of 16 x 16 px, z: images
 *     shared      a plane of 48 x 48 px for each channel, 5,376 B, if a tile blends level 0
 *     warp, lane  as in nodes_level_1_*
 *     barriers    as in nodes_level_1_*, if the stage is filled; then warps work alone
 *
 * nodes_whole_*: block of 4 to 24 warps; grid z: images
 *     shared      all levels of the image, the picture with its margins as level 0
 *     warp        a tile of samples, later of pixels, at a time
 *     barriers    after a table of light, if needed; after each level, level 0 too */

#include "picture.cuh"

namespace {

extern __shared__ __align__(16) char shared_memory[];

template <typename Pixel, typename Image>
__device__ __forceinline__ void run_level_1(const gauss_frame &frame, const gauss_nodes &nodes,
                                            const Image &src)
{
    __shared__ node_lights<Pixel> lights;
    const int count = Pixel::channels;
    const bool floats = Pixel::white == 0;
    if (count < 4 || frame.blur_alpha) {
        make_level_1<floats, count, Pixel>(frame, nodes, src, lights, (uint32_t *)shared_memory);
    } else if constexpr (count == 4) {
        make_level_1<floats, 3, Pixel>(frame, nodes, src, lights, (uint32_t *)shared_memory);
    }
}

template <typename Pixel, bool ALPHA, typename Image>
__device__ __forceinline__ void run_picture(const gauss_frame &frame, const gauss_nodes &nodes,
                                            const Image &src, const Image &dst)
{
    const int most = ALPHA ? 4 : 3;
    const int count = Pixel::channels < most ? Pixel::channels : most;
    make_picture<Pixel, count>(frame, nodes, src, dst);
}

template <int CHANNELS, bool FLOATS>
__device__ __forceinline__ void run_levels(const gauss_nodes_levels_params &params)
{
    const int warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (!is_wanted(params.nodes.sigmas)) {
        return;
    }
    make_levels<CHANNELS, 1, FLOATS>(params.nodes, levels_of_image(params.nodes), params.first,
                                     params.last, warp, (int)(blockDim.x / 32 * gridDim.x));
}

} // namespace

/* A multiprocessor holds `blocks` of them: more would cut their registers too short. */
#define KERNEL(blocks) extern "C" __global__ void __launch_bounds__(NODES_THREADS, blocks)
#define LEVELS_KERNEL extern "C" __global__ void __launch_bounds__(32 * GAUSS_NODES_LEVEL_WARPS)

#define LEVELS_KERNELS(name, floats)                                                               \
    LEVELS_KERNEL nodes_levels_##name##grey(                                                       \
        const __grid_constant__ gauss_nodes_levels_params params)                                  \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        run_levels<1, floats>(params);                                                             \
    }                                                                                              \
    LEVELS_KERNEL nodes_levels_##name##colours(                                                    \
        const __grid_constant__ gauss_nodes_levels_params params)                                  \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        run_levels<3, floats>(params);                                                             \
    }                                                                                              \
    LEVELS_KERNEL nodes_levels_##name##alpha(                                                      \
        const __grid_constant__ gauss_nodes_levels_params params)                                  \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        run_levels<4, floats>(params);                                                             \
    }

LEVELS_KERNELS(, false)
LEVELS_KERNELS(floats_, true)

#define PICTURE_KERNEL(name, kind, suffix, format, alpha)                                          \
    KERNEL(alpha ? 3 : pixel<format>::white == 255 ? 5 : 4)                                        \
    name##_##kind##_##suffix(const __grid_constant__ gauss_nodes_params params)                    \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        if (!is_wanted(params.nodes.sigmas)) {                                                     \
            return;                                                                                \
        }                                                                                          \
        const gauss_frame frame = frame_of_image(params.frame, params.batch);                      \
        run_picture<pixel<format>, alpha>(frame, params.nodes,                                     \
                                          kind##_src<pixel<format>>(params, frame),                \
                                          kind##_dst<pixel<format>>(params, frame));               \
    }

#define KERNELS(kind, suffix, format)                                                              \
    KERNEL(5)                                                                                      \
    nodes_level_1_##kind##_##suffix(const __grid_constant__ gauss_nodes_params params)             \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        if (!is_wanted(params.nodes.sigmas)) {                                                     \
            return;                                                                                \
        }                                                                                          \
        run_level_1<pixel<format>>(params.frame, params.nodes,                                     \
                                   kind##_src<pixel<format>>(params, params.frame));               \
    }                                                                                              \
    PICTURE_KERNEL(nodes_picture, kind, suffix, format, false)

/* A multiprocessor has room for so many threads, whatever the size of a block. */
#define WHOLE_KERNEL(suffix, format)                                                               \
    extern "C" __global__ void __launch_bounds__(GAUSS_NODES_WHOLE_THREADS, 1)                     \
        nodes_whole_linear_##suffix(const __grid_constant__ gauss_nodes_params params)             \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        const int count = pixel<format>::channels < 3 ? pixel<format>::channels : 3;               \
        const gauss_frame frame = frame_of_image(params.frame, params.batch);                      \
        make_whole<pixel<format>, count>(frame, params.nodes,                                      \
                                         linear_src<pixel<format>>(params, frame),                 \
                                         linear_dst<pixel<format>>(params, frame), shared_memory); \
    }

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

WHOLE_KERNEL(rgba8, FOVEA_FORMAT_RGBA8)
WHOLE_KERNEL(rgb8, FOVEA_FORMAT_RGB8)
WHOLE_KERNEL(r8, FOVEA_FORMAT_R8)

ALPHA_KERNELS(surface, rgba8, FOVEA_FORMAT_RGBA8)
ALPHA_KERNELS(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
ALPHA_KERNELS(surface, rgba16f, FOVEA_FORMAT_RGBA16F)
KERNELS(surface, b10g11r11f, FOVEA_FORMAT_B10G11R11F)
