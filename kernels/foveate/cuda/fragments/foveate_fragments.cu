/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method from levels (foveate/cuda/fragments/params.h), of UNORM pictures averaged as
 * stored or in sRGB's light: level 0 from the picture, further levels by foveate_nodes.cu, and the
 * picture from all of them. Blocks are 4 warps, each of which makes four units of at most 16 x 16
 * pixels along x; grids are blocks of 4 x 4 units, and images along z. */

#include "fragments.cuh"

namespace {

template <typename Pixel, typename Image>
__device__ __forceinline__ void run_fragments(const foveate_frame &frame,
                                              const foveate_nodes &nodes,
                                              const foveate_fragments &fragments, const Image &src,
                                              const Image &dst)
{
    typedef typename node_samples_of<Pixel>::pair pair;
    __shared__ uint4 steps[NODES_WARPS * 32 * FOVEATE_FRAGMENTS_STEPS];
    const int count = Pixel::channels;
    if (count < 4 || frame.blur_alpha) {
        make_units<Pixel, count, pair>(frame, nodes, fragments, src, dst, steps);
    } else if constexpr (count == 4) {
        make_units<Pixel, 3, pair>(frame, nodes, fragments, src, dst, steps);
    }
}

} // namespace

#define KERNEL extern "C" __global__ void __launch_bounds__(NODES_THREADS, 4)

#define KERNELS(kind, suffix, format)                                                              \
    KERNEL fragments_level_0_##kind##_##suffix(                                                    \
        const __grid_constant__ foveate_fragments_##kind##_params params)                          \
    {                                                                                              \
        make_level_0<pixel<format>, node_samples_of<pixel<format>>::pair>(                         \
            params.frame, params.nodes, kind##_src<pixel<format>>(params, params.frame));          \
    }                                                                                              \
    KERNEL fragments_picture_##kind##_##suffix(                                                    \
        const __grid_constant__ foveate_fragments_##kind##_params params)                          \
    {                                                                                              \
        const foveate_frame frame = frame_of_image(params.frame, params.batch);                    \
        run_fragments<pixel<format>>(frame, params.nodes, params.fragments,                        \
                                     kind##_src<pixel<format>>(params, frame),                     \
                                     kind##_dst<pixel<format>>(params, frame));                    \
    }

KERNELS(linear, rgba8, FOVEA_FORMAT_RGBA8)
KERNELS(linear, rgb8, FOVEA_FORMAT_RGB8)
KERNELS(linear, r8, FOVEA_FORMAT_R8)
KERNELS(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)

KERNELS(surface, rgba8, FOVEA_FORMAT_RGBA8)
KERNELS(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
