/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Levels: a thread makes a sample. */
#pragma once

#include "blur_samples.cuh"

struct level {
    const blur_level_constants &own;
    float4 *samples;

    __device__ float4 read(int x, int y) const
    {
        const blur_pass_level &fine = own.fine;
        const int column = min(max(x, fine.first), fine.last_x) - fine.first;
        const int row = min(max(y, fine.first), fine.last_y) - fine.first;
        return samples[own.frame.from + row * fine.pitch + column];
    }
};

#define HALVED_FAR (13.0f / 64)
#define HALVED_NEAR (19.0f / 64)

/* Weighs 4 samples, which read(place) returns. */
template <typename Read> static __device__ float4 halved_line(Read read)
{
    const float weights[4] = {HALVED_FAR, HALVED_NEAR, HALVED_NEAR, HALVED_FAR};
    float4 sum = none();
#pragma unroll
    for (int i = 0; i < 4; i++) {
        sum = plus(sum, times(weights[i], read(i)));
    }
    return sum;
}

static __device__ float4 halved(const level &level, int x, int y)
{
    return halved_line([&](int j) {
        return halved_line([&](int i) { return level.read(2 * x - 1 + i, 2 * y - 1 + j); });
    });
}

static __device__ float4 widened(const level &level, int x, int y)
{
    float4 sum = none();
    for (int j = -3; j <= 3; j++) {
        float4 row = none();
        for (int i = -3; i <= 3; i++) {
            row = plus(row, times(level.own.taps[abs(i)], level.read(x + i, y + j)));
        }
        sum = plus(sum, times(level.own.taps[abs(j)], row));
    }
    return sum;
}

/* Between the sample that it lies in and the ones that it lies next to. */
static __device__ float4 doubled(const level &level, int x, int y)
{
    const int own_x = x >> 1;
    const int own_y = y >> 1;
    const int other_x = own_x + 2 * (x & 1) - 1;
    const int other_y = own_y + 2 * (y & 1) - 1;
    return mixed(mixed(level.read(own_x, own_y), level.read(other_x, own_y)),
                 mixed(level.read(own_x, other_y), level.read(other_x, other_y)));
}

template <int WORK> static __device__ void make_level(const blur_pass_params &params)
{
    const blur_level_constants &own = params.constants.level;
    const level level = {own, samples_of(params)};
    const int column = (int)(blockIdx.x * BLUR_LEVEL_SIDE + threadIdx.x);
    const int row = (int)(blockIdx.y * BLUR_LEVEL_SIDE + threadIdx.y);
    const int x = own.made.first + column;
    const int y = own.made.first + row;
    if (x > own.made.last_x || y > own.made.last_y) {
        return;
    }
    level.samples[own.frame.to + row * own.made.pitch + column] =
        WORK == BLUR_LEVEL_HALVE   ? halved(level, x, y)
        : WORK == BLUR_LEVEL_WIDEN ? widened(level, x, y)
                                   : doubled(level, x, y);
}

KERNEL(BLUR_LEVEL_SIDE *BLUR_LEVEL_SIDE)
blur_halve(const __grid_constant__ blur_pass_params params)
{
    ptx_wait_for_kernel_ahead();
    make_level<BLUR_LEVEL_HALVE>(params);
}

KERNEL(BLUR_LEVEL_SIDE *BLUR_LEVEL_SIDE)
blur_widen(const __grid_constant__ blur_pass_params params)
{
    ptx_wait_for_kernel_ahead();
    make_level<BLUR_LEVEL_WIDEN>(params);
}

KERNEL(BLUR_LEVEL_SIDE *BLUR_LEVEL_SIDE)
blur_double(const __grid_constant__ blur_pass_params params)
{
    ptx_wait_for_kernel_ahead();
    make_level<BLUR_LEVEL_DOUBLE>(params);
}
