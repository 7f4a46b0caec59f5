/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Highlights of dof.h as discs. A block works on a block of dof.h, a quarter of a group, in a fixed
 * order, so that the same picture always comes out. */
#pragma once

#include "kernels/cuda/mma.cuh"
#include "kernels/dof/discs.h"
#include "memory.cuh"

#define DISC_THREADS (DOF_CUDA_SIDE_X * DOF_CUDA_SIDE_Y)
#define DISC_WARPS (DISC_THREADS / 32)
static_assert(QUARTER_PX == DOF_BLOCK_PX && DOF_CELL_PX == 4, "a thread has a row of a cell");

DEVICE int thread_of_block()
{
    return (int)(DOF_CUDA_SIDE_X * threadIdx.y + threadIdx.x);
}

DEVICE int blocks_across(const dof_cuda_frame &frame)
{
    return 2 * frame.group_columns;
}

DEVICE int blocks_in(const dof_cuda_frame &frame)
{
    return DOF_CUDA_QUARTERS * groups_in(frame);
}

DEVICE float2 *sums_of(const dof_cuda_discs_params &params)
{
    return (float2 *)params.sums + (int64_t)blockIdx.z * blocks_in(params.frame);
}

DEVICE dof_cuda_disc *discs_of(const dof_cuda_discs_params &params, int which, int block)
{
    const int64_t blocks = blocks_in(params.frame);
    return (dof_cuda_disc *)params.discs +
           ((2 * (int64_t)blockIdx.z + which) * blocks + block) * DOF_BLOCK_DISCS;
}

/* Returns how many discs of a layer a block has, and how far the widest reaches. */
DEVICE float2 *block_of(const dof_cuda_discs_params &params, int which, int block)
{
    return (float2 *)params.blocks + (2 * (int64_t)blockIdx.z + which) * blocks_in(params.frame) +
           block;
}

/* ---- A thread's four neighbours: colours as they are averaged, and offsets, 0 outside of the
 * picture. A pixel whose k is not 0 is of one layer alone, with a coverage of 1 */

DEVICE int layer_of_offset(float offset_px)
{
    return offset_px < 0.0f ? DOF_NEAR : DOF_BEHIND;
}

template <bool FLOATS>
DEVICE void load_pixels(const dof_cuda_frame &frame, const dof_four &four, float4 (&pixels)[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        pixels[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (four.is_inside && four.x + i < frame.width_px) {
            if constexpr (FLOATS) {
                const float offset_px = offsets_of<true>(frame).bits(four.x + i, four.y);
                pixels[i] = layer_of(frame, layer_of_offset(offset_px)).bits(four.x + i, four.y);
                pixels[i].w = offset_px;
            } else {
                pixels[i] = dof_number(colours_of(frame, (int)blockIdx.z).bits(four.x + i, four.y));
            }
        }
    }
}

template <bool FLOATS>
DEVICE void store_pixel(const dof_cuda_frame &frame, int x, int y, const float4 &pixel, float kept)
{
    float4 left =
        make_float4(kept * pixel.x, kept * pixel.y, kept * pixel.z, FLOATS ? 1.0f : pixel.w);
    if constexpr (FLOATS) {
        layer_of(frame, layer_of_offset(pixel.w)).store(x, y, left);
    } else {
        colours_of(frame, (int)blockIdx.z).store(x, y, left);
    }
}

/* k */
DEVICE float share_of_blur(float offset_px)
{
    return __saturatef(fabsf(offset_px) - 1.0f);
}

/* L */
DEVICE float light_of_pixel(const float4 &pixel)
{
    const bool is_light = fabsf(pixel.x) <= DOF_MOST_LIGHT && fabsf(pixel.y) <= DOF_MOST_LIGHT &&
                          fabsf(pixel.z) <= DOF_MOST_LIGHT;
    return is_light ? fmaxf(fmaxf(pixel.x, pixel.y), fmaxf(pixel.z, 0.0f)) : 0.0f;
}

/* ---- Means: sums of k and of k L of a block */

template <bool FLOATS> DEVICE void sum_block(const dof_cuda_discs_params &params)
{
    __shared__ float2 of_warps[DISC_WARPS];
    const dof_cuda_frame &frame = params.frame;
    const dof_four four(frame, (int)blockIdx.x, (int)blockIdx.y);
    float2 *sums = sums_of(params) + (int)blockIdx.y * blocks_across(frame) + blockIdx.x;
    float2 sum = make_float2(0.0f, 0.0f);
    if (!is_blurred(quarters_of(frame, (int)blockIdx.z)[four.group], four.quarter)) {
        if (thread_of_block() == 0) {
            *sums = sum;
        }
        return;
    }
    float4 pixels[4];
    load_pixels<FLOATS>(frame, four, pixels);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float share = share_of_blur(pixels[i].w);
        sum.x += share;
        sum.y += share > 0.0f ? share * light_of_pixel(pixels[i]) : 0.0f;
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        sum.x += __shfl_xor_sync(~0u, sum.x, apart);
        sum.y += __shfl_xor_sync(~0u, sum.y, apart);
    }
    if (threadIdx.x == 0) {
        of_warps[threadIdx.y] = sum;
    }
    __syncthreads();
    if (thread_of_block() == 0) {
        for (int i = 1; i < DISC_WARPS; i++) {
            sum.x += of_warps[i].x;
            sum.y += of_warps[i].y;
        }
        *sums = sum;
    }
}

/* Returns what m is nowhere below in the block. All lanes of a warp. */
DEVICE float least_mean(const dof_cuda_discs_params &params)
{
    const dof_cuda_frame &frame = params.frame;
    const int lane = (int)threadIdx.x;
    const int x = (int)blockIdx.x + lane % 3 - 1;
    const int y = (int)blockIdx.y + lane / 3 - 1;
    float least = INFINITY;
    if (lane < 9 && x >= 0 && y >= 0 && x < blocks_across(frame) && y < 2 * frame.group_rows) {
        const float2 block = sums_of(params)[y * blocks_across(frame) + x];
        least = block.x > 0.0f ? block.y / block.x : INFINITY;
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
        least = fminf(least, __shfl_xor_sync(~0u, least, apart));
    }
    return 0.9999f * least;
}

/* m: linear between the middles of blocks. Pictures have as many as cover them. */
DEVICE float mean_around(const dof_cuda_discs_params &params, int x, int y)
{
    const dof_cuda_frame &frame = params.frame;
    const int columns = (frame.width_px + DOF_BLOCK_PX - 1) / DOF_BLOCK_PX;
    const int rows = (frame.height_px + DOF_BLOCK_PX - 1) / DOF_BLOCK_PX;
    const float at_x =
        dof_clamped(((float)x + 0.5f) / DOF_BLOCK_PX - 0.5f, 0.0f, (float)(columns - 1));
    const float at_y =
        dof_clamped(((float)y + 0.5f) / DOF_BLOCK_PX - 0.5f, 0.0f, (float)(rows - 1));
    const int left = (int)at_x;
    const int top = (int)at_y;
    float weight = 0.0f;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float part_x = at_x - (float)left;
        const float part_y = at_y - (float)top;
        const float share = (i % 2 ? part_x : 1.0f - part_x) * (i / 2 ? part_y : 1.0f - part_y);
        const float2 block = sums_of(params)[min(top + i / 2, rows - 1) * blocks_across(frame) +
                                             min(left + i % 2, columns - 1)];
        weight = fmaf(share, block.x, weight);
        sum = fmaf(share, block.y, sum);
    }
    return weight > 0.0f ? sum / weight : 0.0f;
}

/* ---- Discs of a block's cells. A cell's four rows are those of lanes l, l + 8, l + 16, l + 24 */

struct disc_cell {
    float strength, x, y, squares, radius, red, green, blue;

    MEMBER void add(float &of)
    {
        of += __shfl_xor_sync(~0u, of, 8);
        of += __shfl_xor_sync(~0u, of, 16);
    }
    MEMBER void add_rows()
    {
        add(strength);
        add(x);
        add(y);
        add(squares);
        add(radius);
        add(red);
        add(green);
        add(blue);
    }
};

/* Places are from the cell's corner. */
DEVICE disc_cell cell_of_row(const float4 (&pixels)[4], const float (&shares)[4], int row)
{
    disc_cell cell = {};
    const float at_y = (float)row + 0.5f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (shares[i] > 0.0f) {
            const float weight = shares[i] * light_of_pixel(pixels[i]);
            const float at_x = (float)i + 0.5f;
            cell.strength += weight;
            cell.x += weight * at_x;
            cell.y += weight * at_y;
            cell.squares += weight * (at_x * at_x + at_y * at_y);
            cell.radius += weight * 2.0f * fabsf(pixels[i].w);
            cell.red += shares[i] * pixels[i].x;
            cell.green += shares[i] * pixels[i].y;
            cell.blue += shares[i] * pixels[i].z;
        }
    }
    cell.add_rows();
    return cell;
}

DEVICE dof_cuda_disc disc_of(const disc_cell &cell, int x, int y, float share)
{
    const float per_strength = 1.0f / cell.strength;
    const float at_x = cell.x * per_strength;
    const float at_y = cell.y * per_strength;
    const float radius = cell.radius * per_strength;
    const float spread = cell.squares * per_strength - at_x * at_x - at_y * at_y;
    const float edge = fminf(sqrtf(1.0f + 6.0f * fmaxf(spread, 0.0f)), 2.0f * radius);
    const float by = share / (3.14159265f * (radius * radius + edge * edge * (1.0f / 12.0f)));
    return {(float)x + at_x, (float)y + at_y, radius,         1.0f / edge,
            by * cell.red,   by * cell.green, by * cell.blue, 1.0f / radius};
}

DEVICE float reach_of(const dof_cuda_disc &disc)
{
    return disc.radius + 0.5f / disc.per_edge;
}

struct disc_ranks {
    float strengths[DOF_BLOCK_CELLS];
    float least;
    int count; /* of discs */
    uint32_t reach; /* bits of how far the widest gets from its middle */
};

/* The strongest cell has rank 0; of equals the first. */
DEVICE int rank_of(const disc_ranks &shared, float strength, int cell)
{
    int rank = 0;
#pragma unroll 8
    for (int i = 0; i < DOF_BLOCK_CELLS; i++) {
        const float other = shared.strengths[i];
        rank += other > strength || (other == strength && i < cell) ? 1 : 0;
    }
    return rank;
}

/* Returns how much of the highlights of a thread's cell is a disc's. The threads of cells' first
 * rows write the block's discs of a layer. */
DEVICE float rank_cell(const dof_cuda_discs_params &params, disc_ranks &shared,
                       const disc_cell &cell, const dof_four &four, dof_cuda_disc *discs)
{
    const int lane = (int)threadIdx.x;
    const int number = 8 * (int)threadIdx.y + lane % 8;
    if (lane < 8) {
        shared.strengths[number] = cell.strength;
    }
    __syncthreads();
    const int rank = rank_of(shared, cell.strength, number);
    if (lane < 8 && rank == DOF_BLOCK_DISCS) {
        shared.least = cell.strength;
    }
    __syncthreads();
    const float share = cell.strength > shared.least ? 1.0f - shared.least / cell.strength : 0.0f;
    if (lane < 8 && rank < DOF_BLOCK_DISCS) {
        dof_cuda_disc disc = {};
        if (share > 0.0f) {
            disc = disc_of(cell, four.x, four.y, share);
            atomicMax(&shared.count, rank + 1);
            atomicMax(&shared.reach, __float_as_uint(reach_of(disc)));
        }
        discs[rank] = disc;
    }
    return share;
}

template <bool FLOATS> DEVICE void take_discs(const dof_cuda_discs_params &params)
{
    __shared__ disc_ranks shared;
    const dof_cuda_frame &frame = params.frame;
    const dof_four four(frame, (int)blockIdx.x, (int)blockIdx.y);
    const int block = (int)blockIdx.y * blocks_across(frame) + (int)blockIdx.x;
    const bool blurred = is_blurred(quarters_of(frame, (int)blockIdx.z)[four.group], four.quarter);
    float4 pixels[4] = {};
    float all[4] = {};
    float least = INFINITY; /* highlights are above it */
    if (blurred) {
        load_pixels<FLOATS>(frame, four, pixels);
        least = DOF_TIMES_MEAN * least_mean(params);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float blur = share_of_blur(pixels[i].w);
        const float light = blur > 0.0f ? light_of_pixel(pixels[i]) : 0.0f;
        if (light > least) {
            const float mean = mean_around(params, four.x + i, four.y);
            all[i] = blur * fmaxf(1.0f - DOF_TIMES_MEAN * mean / light, 0.0f);
        }
    }
#pragma unroll 1
    for (int which = DOF_NEAR; which <= DOF_BEHIND; which++) {
        float shares[4];
        bool any = false;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            shares[i] = layer_of_offset(pixels[i].w) == which ? all[i] : 0.0f;
            any = any || shares[i] > 0.0f;
        }
        dof_cuda_disc *discs = discs_of(params, which, block);
        if (thread_of_block() == 0) {
            shared.count = 0;
            shared.reach = 0;
        }
        if (!__syncthreads_or(any)) {
            if (thread_of_block() == 0) {
                *block_of(params, which, block) = make_float2(0.0f, 0.0f);
            }
            continue;
        }
        const disc_cell cell = cell_of_row(pixels, shares, (int)threadIdx.x / 8);
        const float share = rank_cell(params, shared, cell, four, discs);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (shares[i] * share > 0.0f) {
                store_pixel<FLOATS>(frame, four.x + i, four.y, pixels[i], 1.0f - shares[i] * share);
            }
        }
        __syncthreads();
        if (thread_of_block() == 0) {
            *block_of(params, which, block) =
                make_float2((float)shared.count, __uint_as_float(shared.reach));
        }
    }
}
