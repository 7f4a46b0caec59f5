/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* If a tile of floats has a value that is not finite, its pixels are summed one by one, each from
 * its own samples: a node would spread the value over all of the tile. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_NODES_GATHER_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_NODES_GATHER_CUH

#include "kernels/gauss/cuda/common/gaussian.cuh"
#include "kernels/gauss/cuda/common/image.cuh"
#include "sigma.cuh"

/* levels(k).value(x, y) is a sample of level k. */
template <typename Levels>
static __device__ float4 sum_pixel(const Levels &levels, int level_count, int light, float sigma_px,
                                   int x, int y)
{
    const int k = gauss_level_with(sigma_px, gauss_light_residual(light), level_count);
    const float per_px = 1.0f / (float)(1 << k);
    const float sigma = sqrtf(sigma_px * sigma_px - gauss_level_variance(k)) * per_px;
    const float reach = gauss_light_reach(light);
    const gaussian_axis across(((float)x + 0.5f) * per_px - 0.5f, sigma, reach);
    const gaussian_axis down(((float)y + 0.5f) * per_px - 0.5f, sigma, reach);
    const auto level = levels(k);
    float4 sum = {};
    gaussian of_row = down.start;
    for (int j = down.first; j <= down.last; j++, of_row.step()) {
        float4 own = {};
        gaussian g = across.start;
        for (int i = across.first; i <= across.last; i++, g.step()) {
            own = gaussian_add(own, g.weight, level.value(i, j));
        }
        sum = gaussian_add(sum, of_row.weight, own);
    }
    const float scale = 1.0f / (across.total() * down.total());
    return make_float4(sum.x * scale, sum.y * scale, sum.z * scale, sum.w * scale);
}

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
            word = frame.blur_alpha ? colour : Pixel::keep_alpha(colour, word);
        }
        dst.store(x, y, word);
    }
}

#endif
