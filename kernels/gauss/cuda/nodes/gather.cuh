/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* If a tile of floats has a value that is not finite, its pixels are summed one by one, each from
 * its own samples: a node would spread the value over all of the tile. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_NODES_GATHER_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_NODES_GATHER_CUH

#include "kernels/gauss/cuda/common/gaussian.cuh"
#include "kernels/gauss/cuda/common/image.cuh"
#include "sigma.cuh"

template <typename Pixel, typename Plan, typename Levels, typename Image>
static __device__ __noinline__ void sum_tile(const gauss_frame &frame, const Plan &plan,
                                             const Levels &levels, int light, const Image &src,
                                             const Image &dst, const node_tile &tile)
{
#pragma unroll 1
    for (int i = 0; i < NODES_PIXELS; i++) {
        const int x = tile.column(i);
        const int y = tile.row(i);
        if (x >= frame.width_px || y >= frame.height_px) {
            continue;
        }
        const float sigma_px = sigma_of_pixel(frame, plan, x, y);
        typename Pixel::word word = src.load(x, y);
        /* A Gaussian without neighbours in its support is a copy. */
        if (sigma_px * gauss_light_reach(light) >= 1.0f) {
            const typename Pixel::word colour =
                Pixel::encode(sum_pixel(levels, plan.level_count, light, sigma_px, x, y));
            word = frame.blur_alpha > 0 ? colour : Pixel::keep_alpha(colour, word);
        }
        dst.store(x, y, word);
    }
}

#endif
