/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One pixel's Gaussian over the samples of a level, at their exact distances: what pixels take one
 * by one. */
#pragma once

#include "kernels/gauss/pyramid.h"

static __device__ inline float4 gaussian_add(float4 sum, float weight, float4 v)
{
    return make_float4(fmaf(weight, v.x, sum.x), fmaf(weight, v.y, sum.y), fmaf(weight, v.z, sum.z),
                       fmaf(weight, v.w, sum.w));
}

/* exp(-d^2 / (2 sigma^2)) at distances that grow by 1, without an exponential for each: the ratio
 * of two neighbours shrinks by a constant factor. */
struct gaussian {
    float weight;
    float ratio;
    float factor;

    __device__ gaussian(float sigma, float d)
    {
        const float scale = 0.5f / (sigma * sigma);
        /* 2.51 is above sqrt(2 pi): the weights sum to less than 1, so that sums of huge floats
         * stay finite. */
        weight = expf(-scale * d * d) / (1.0f + 2.51f * sigma);
        ratio = expf(-scale * (2.0f * d + 1.0f));
        factor = expf(-2.0f * scale);
    }
    __device__ void step()
    {
        weight *= ratio;
        ratio *= factor;
    }
};

/* The samples of one axis that a pixel is averaged from. */
struct gaussian_axis {
    int first;
    int last;
    gaussian start;

    __device__ gaussian_axis(float centre, float sigma, float reach = GAUSS_REACH)
        : first((int)ceilf(centre - reach * sigma)), last((int)floorf(centre + reach * sigma)),
          start(sigma, (float)first - centre)
    {
    }
    __device__ float total() const
    {
        float sum = 0.0f;
        gaussian g = start;
        for (int i = first; i <= last; i++, g.step()) {
            sum += g.weight;
        }
        return sum;
    }
};

/* Returns a pixel; levels(k).value(x, y) is a sample of level k. */
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
