/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's kernels without texture units share this. */
#pragma once

#include "blur_place.cuh"

extern __shared__ __align__(16) char shared_memory[];

namespace {

__device__ int clamped(int value, int last)
{
    return value < 0 ? 0 : value > last ? last : value;
}

__device__ float4 source(const blur_thesis_params &p, int x, int y)
{
    return (
        (const float4 *)
            p.src)[(size_t)clamped(y, p.height_px - 1) * p.width_px + clamped(x, p.width_px - 1)];
}

__device__ float4 &target(const blur_thesis_params &p, int x, int y)
{
    return ((float4 *)p.dst)[(size_t)y * p.width_px + x];
}

__device__ void add(float4 &sum, float weight, float4 v)
{
    sum.x += weight * v.x;
    sum.y += weight * v.y;
    sum.z += weight * v.z;
    sum.w += weight * v.w;
}

__device__ float4 zero()
{
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

} // namespace

#define KERNEL(name, threads, does)                                                                \
    extern "C" __global__ void __launch_bounds__(threads)                                          \
        blur_thesis_##name(const __grid_constant__ blur_thesis_params p)                           \
    {                                                                                              \
        does(p);                                                                                   \
    }
#define TILE (BLUR_THESIS_TILE * BLUR_THESIS_TILE)
