/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#pragma once

#include "blur_samples.cuh"

/* Heat: up to eight steps of 64 x 64 pixels in registers, of which 48 x 48 are made: after
 * each step what is right is one pixel less wide. A thread has two columns and eight rows, its
 * neighbours along x are other lanes, and rows of other warps come through shared memory. Beyond
 * its edges the picture is its mirror image and stays so, so that nothing flows there. */

#define HEAT_SIDE (BLUR_CUDA_HEAT_MADE + 2 * BLUR_HEAT_STEPS)
#define HEAT_ROWS 8
#define HEAT_WARPS (HEAT_SIDE / HEAT_ROWS)

static __device__ int mirrored(int place, int length)
{
    const int along = (int)((unsigned)(place < 0 ? -1 - place : place) % (2u * (unsigned)length));
    return min(along, 2 * length - 1 - along);
}

/* The flow from b to a. */
template <int COUNT>
static __device__ void heat_flow(const float (&a)[COUNT], const float (&b)[COUNT], float per_square,
                                 float (&flow)[COUNT])
{
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
        flow[c] = b[c] - a[c];
    }
    const float squares = flow[0] * flow[0] + flow[1] * flow[1] + flow[2] * flow[2];
    const float part = 1.0f / (1.0f + squares * per_square);
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
        flow[c] *= part;
    }
}

template <int COUNT, bool EDGES> struct heat_patch {
    float rate;
    float per_square;
    float v[HEAT_ROWS][2][COUNT];

    __device__ void load(const float4 *samples, const blur_pass_frame &frame, int x, int y)
    {
#pragma unroll
        for (int i = 0; i < 2 * HEAT_ROWS; i++) {
            const int row = mirrored(y + i / 2, frame.height_px);
            const float4 sample =
                samples[row * frame.width_px + mirrored(x + i % 2, frame.width_px)];
            const float values[4] = {sample.x, sample.y, sample.z, sample.w};
#pragma unroll
            for (int c = 0; c < COUNT; c++) {
                v[i / 2][i % 2][c] = values[c];
            }
        }
    }

    __device__ void store(float4 *samples, const blur_pass_frame &frame, int x, int y) const
    {
#pragma unroll
        for (int i = 0; i < 2 * HEAT_ROWS; i++) {
            const float(&own)[COUNT] = v[i / 2][i % 2];
            if (x + i % 2 < frame.width_px && y + i / 2 < frame.height_px) {
                samples[(y + i / 2) * frame.width_px + x + i % 2] =
                    make_float4(own[0], own[1], own[2], COUNT > 3 ? own[COUNT - 1] : 0.0f);
            }
        }
    }

    /* Both numbers of a row from what lies beside them; flows from above are kept for the row
     * below. */
    __device__ void row_within_edges(float (&own)[2][COUNT], const float (&left)[COUNT],
                                     const float (&right)[COUNT], const float (&below)[2][COUNT],
                                     float (&from_above)[2][COUNT]) const
    {
        float across[3][COUNT];
        float down[2][COUNT];
        heat_flow(left, own[0], per_square, across[0]);
        heat_flow(own[0], own[1], per_square, across[1]);
        heat_flow(own[1], right, per_square, across[2]);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            heat_flow(own[i], below[i], per_square, down[i]);
#pragma unroll
            for (int c = 0; c < COUNT; c++) {
                own[i][c] +=
                    rate * (across[i + 1][c] - across[i][c] + (down[i][c] - from_above[i][c]));
                from_above[i][c] = down[i][c];
            }
        }
    }

    __device__ void row_everywhere(float (&own)[2][COUNT], const float (&left)[COUNT],
                                   const float (&right)[COUNT], const float (&below)[2][COUNT],
                                   float (&above)[2][COUNT]) const
    {
#pragma unroll
        for (int c = 0; c < COUNT; c++) {
            const float first = own[0][c];
            const float second = own[1][c];
            const float around[2] = {left[c] + second + (above[0][c] + below[0][c]),
                                     first + right[c] + (above[1][c] + below[1][c])};
            own[0][c] = first + rate * (around[0] - 4.0f * first);
            own[1][c] = second + rate * (around[1] - 4.0f * second);
            above[0][c] = first;
            above[1][c] = second;
        }
    }

    __device__ void step(float (&above)[2][COUNT], const float (&below)[2][COUNT])
    {
        if (EDGES) {
            for (int i = 0; i < 2; i++) {
                float flow[COUNT];
                heat_flow(above[i], v[0][i], per_square, flow);
#pragma unroll
                for (int c = 0; c < COUNT; c++) {
                    above[i][c] = flow[c];
                }
            }
        }
#pragma unroll
        for (int row = 0; row < HEAT_ROWS; row++) {
            float left[COUNT];
            float right[COUNT];
            float next[2][COUNT];
#pragma unroll
            for (int c = 0; c < COUNT; c++) {
                next[0][c] = row + 1 < HEAT_ROWS ? v[(row + 1) % HEAT_ROWS][0][c] : below[0][c];
                next[1][c] = row + 1 < HEAT_ROWS ? v[(row + 1) % HEAT_ROWS][1][c] : below[1][c];
                left[c] = __shfl_up_sync(~0u, v[row][1][c], 1);
                right[c] = __shfl_down_sync(~0u, v[row][0][c], 1);
            }
            if (EDGES) {
                row_within_edges(v[row], left, right, next, above);
            } else {
                row_everywhere(v[row], left, right, next, above);
            }
        }
    }
};

/* Rows at the ends of warps' parts, upper and lower ones. */
typedef float2 heat_rows[HEAT_WARPS][2][4][32];

template <int COUNT, bool EDGES>
static __device__ void make_heat(const blur_pass_params &params, heat_rows *rows)
{
    const blur_heat_constants &own = params.constants.heat;
    const int lane = (int)threadIdx.x % 32;
    const int warp = (int)threadIdx.x / 32;
    const int x = (int)blockIdx.x * BLUR_CUDA_HEAT_MADE - BLUR_HEAT_STEPS + 2 * lane;
    const int y = (int)blockIdx.y * BLUR_CUDA_HEAT_MADE - BLUR_HEAT_STEPS + HEAT_ROWS * warp;
    heat_patch<COUNT, EDGES> patch = {own.rate, own.per_square};
    patch.load(samples_of(params) + own.frame.from, own.frame, x, y);
    for (int n = 0; n < own.steps; n++) {
        heat_rows &all = rows[n % 2];
        float above[2][COUNT];
        float below[2][COUNT];
#pragma unroll
        for (int c = 0; c < COUNT; c++) {
            all[warp][0][c][lane] = make_float2(patch.v[0][0][c], patch.v[0][1][c]);
            all[warp][1][c][lane] =
                make_float2(patch.v[HEAT_ROWS - 1][0][c], patch.v[HEAT_ROWS - 1][1][c]);
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < COUNT; c++) {
            const float2 upper = all[max(warp - 1, 0)][1][c][lane];
            const float2 lower = all[min(warp + 1, HEAT_WARPS - 1)][0][c][lane];
            above[0][c] = upper.x;
            above[1][c] = upper.y;
            below[0][c] = lower.x;
            below[1][c] = lower.y;
        }
        patch.step(above, below);
    }
    const int around = BLUR_HEAT_STEPS;
    if (2 * lane >= around && 2 * lane < HEAT_SIDE - around && HEAT_ROWS * warp >= around &&
        HEAT_ROWS * warp < HEAT_SIDE - around) {
        patch.store(samples_of(params) + own.frame.to, own.frame, x, y);
    }
}

#define HEAT_KERNEL(name, edges)                                                                   \
    extern "C" __global__ void __launch_bounds__(32 * HEAT_WARPS, 2)                               \
        name(const __grid_constant__ blur_pass_params params)                                      \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        __shared__ heat_rows rows[2];                                                              \
        if (params.averages_alpha) {                                                               \
            make_heat<4, edges>(params, rows);                                                     \
        } else {                                                                                   \
            make_heat<3, edges>(params, rows);                                                     \
        }                                                                                          \
    }
HEAT_KERNEL(blur_heat, false)
HEAT_KERNEL(blur_heat_within_edges, true)
