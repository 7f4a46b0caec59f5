/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One pixel's Gaussian over the samples of a level, at their exact distances. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_COMMON_GAUSSIAN_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_COMMON_GAUSSIAN_CUH

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

#endif
