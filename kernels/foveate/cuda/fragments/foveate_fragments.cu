/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method from levels (foveate/cuda/fragments/params.h), of UNORM pictures averaged as
 * stored or in sRGB's light: level 0 from the picture, further levels by foveate_nodes.cu, and the
 * picture from all of them.
 *
 * fragments_level_0_*: block of 128 threads; grid x: 256 pairs, y: 16 rows, z: images
 *     thread      two pairs of samples, row after row; no barrier but for the table of light
 *
 * fragments_picture_*: block of 4 warps; grid x, y: 4 x 4 units of at most 16 x 16 px, z: images
 *     shared      uint4 steps[4][16][32], 32,768 B: by warp, a matrix of filters by step and lane
 *     warp w      row w of units, the four of it one after the other; no barrier
 *     lane 4g+t   pixels of rows g and g + 8, columns 2t and 2t + 1, and the columns 8 on */

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
