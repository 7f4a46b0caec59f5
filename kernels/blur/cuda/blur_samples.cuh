/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Samples of passes: four floats. */
#pragma once

#include "params.h"

#include "kernels/cuda/ptx.cuh"

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

static __device__ float4 plus(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

static __device__ float4 times(float scale, float4 v)
{
    return make_float4(scale * v.x, scale * v.y, scale * v.z, scale * v.w);
}

static __device__ float4 mixed(float4 most, float4 least)
{
    return plus(times(0.75f, most), times(0.25f, least));
}

static __device__ float4 none()
{
    return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

static __device__ float4 *samples_of(const blur_pass_params &params)
{
    return (float4 *)params.samples + blockIdx.z * params.next_samples;
}
