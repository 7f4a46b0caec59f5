/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Highlights of dof.h as discs. A block works on a block of dof.h, a quarter of a group, in a fixed
 * order, so that the same picture always comes out. */
#ifndef FOVEA_KERNELS_DOF_CUDA_DISCS_CUH
#define FOVEA_KERNELS_DOF_CUDA_DISCS_CUH

#include "kernels/cuda/mma.cuh"
#include "kernels/dof/discs.h"
#include "memory.cuh"

#define DISC_THREADS (DOF_CUDA_SIDE_X * DOF_CUDA_SIDE_Y)
#define DISC_WARPS (DISC_THREADS / 32)
#define BLOCKS_AT_A_TIME (DISC_THREADS / DOF_BLOCK_DISCS) /* whose discs are gathered */
static_assert(QUARTER_PX == DOF_BLOCK_PX && DOF_CELL_PX == 4, "a thread has a row of a cell");

static __device__ __forceinline__ int thread_of_block()
{
    return (int)(DOF_CUDA_SIDE_X * threadIdx.y + threadIdx.x);
}

static __device__ __forceinline__ int blocks_across(const dof_cuda_frame &frame)
{
    return 2 * frame.group_columns;
}

static __device__ __forceinline__ int blocks_in(const dof_cuda_frame &frame)
{
    return DOF_CUDA_QUARTERS * groups_in(frame);
}

static __device__ __forceinline__ float2 *sums_of(const dof_cuda_discs_params &params)
{
    return (float2 *)params.sums + (int64_t)blockIdx.z * blocks_in(params.frame);
}

static __device__ __forceinline__ dof_cuda_disc *discs_of(const dof_cuda_discs_params &params,
                                                          int which, int block)
{
    const int64_t blocks = blocks_in(params.frame);
    return (dof_cuda_disc *)params.discs +
           ((2 * (int64_t)blockIdx.z + which) * blocks + block) * DOF_BLOCK_DISCS;
}

/* ---- A thread's four neighbours: colours as they are averaged, and offsets, 0 outside of the
 * picture. A pixel whose k is not 0 is of one layer alone, with a coverage of 1 */

static __device__ __forceinline__ int layer_of_offset(float offset_px)
{
    return offset_px < 0.0f ? DOF_NEAR : DOF_BEHIND;
}

template <bool FLOATS>
static __device__ __forceinline__ void load_pixels(const dof_cuda_frame &frame,
                                                   const dof_four &four, float4 (&pixels)[4])
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
static __device__ __forceinline__ void store_pixel(const dof_cuda_frame &frame, int x, int y,
                                                   const float4 &pixel, float kept)
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
static __device__ __forceinline__ float share_of_blur(float offset_px)
{
    return __saturatef(fabsf(offset_px) - 1.0f);
}

/* L */
static __device__ __forceinline__ float light_of_pixel(const float4 &pixel)
{
    const bool is_light = fabsf(pixel.x) <= DOF_MOST_LIGHT && fabsf(pixel.y) <= DOF_MOST_LIGHT &&
                          fabsf(pixel.z) <= DOF_MOST_LIGHT;
    return is_light ? fmaxf(fmaxf(pixel.x, pixel.y), fmaxf(pixel.z, 0.0f)) : 0.0f;
}

/* ---- Means: sums of k and of k L of a block */

template <bool FLOATS>
static __device__ __forceinline__ void sum_block(const dof_cuda_discs_params &params)
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

/* m: linear between the middles of blocks. Pictures have as many as cover them. */
static __device__ __forceinline__ float mean_around(const dof_cuda_discs_params &params, int x,
                                                    int y)
{
    const dof_cuda_frame &frame = params.frame;
    const int columns = (frame.width_px + DOF_BLOCK_PX - 1) / DOF_BLOCK_PX;
    const int rows = (frame.height_px + DOF_BLOCK_PX - 1) / DOF_BLOCK_PX;
    const float at_x = clamped(((float)x + 0.5f) / DOF_BLOCK_PX - 0.5f, 0.0f, (float)(columns - 1));
    const float at_y = clamped(((float)y + 0.5f) / DOF_BLOCK_PX - 0.5f, 0.0f, (float)(rows - 1));
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

    __device__ __forceinline__ void add(float &of)
    {
        of += __shfl_xor_sync(~0u, of, 8);
        of += __shfl_xor_sync(~0u, of, 16);
    }
    __device__ __forceinline__ void add_rows()
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
static __device__ __forceinline__ disc_cell cell_of_row(const float4 (&pixels)[4],
                                                        const float (&shares)[4], int row)
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

static __device__ __forceinline__ dof_cuda_disc disc_of(const disc_cell &cell, int x, int y,
                                                        float share)
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

struct disc_ranks {
    float strengths[DOF_BLOCK_CELLS];
    float least;
};

/* The strongest cell has rank 0; of equals the first. */
static __device__ __forceinline__ int rank_of(const disc_ranks &shared, float strength, int cell)
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
static __device__ __forceinline__ float rank_cell(const dof_cuda_discs_params &params,
                                                  disc_ranks &shared, const disc_cell &cell,
                                                  const dof_four &four, dof_cuda_disc *discs)
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
        }
        discs[rank] = disc;
    }
    return share;
}

template <bool FLOATS>
static __device__ __forceinline__ void take_discs(const dof_cuda_discs_params &params)
{
    __shared__ disc_ranks shared;
    const dof_cuda_frame &frame = params.frame;
    const dof_four four(frame, (int)blockIdx.x, (int)blockIdx.y);
    const int block = (int)blockIdx.y * blocks_across(frame) + (int)blockIdx.x;
    const bool blurred = is_blurred(quarters_of(frame, (int)blockIdx.z)[four.group], four.quarter);
    float4 pixels[4] = {};
    float all[4] = {};
    if (blurred) {
        load_pixels<FLOATS>(frame, four, pixels);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float blur = share_of_blur(pixels[i].w);
        const float light = blur > 0.0f ? light_of_pixel(pixels[i]) : 0.0f;
        if (light > 0.0f) {
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
        if (!__syncthreads_or(any)) {
            if (thread_of_block() == 0) {
                discs[0].radius = 0.0f;
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
    }
}

/* ---- Discs on blurred layers */

struct disc_list {
    dof_cuda_disc discs[DISC_THREADS];
    int blocks[DISC_THREADS];
    int of_warps[DISC_WARPS];
};

/* All threads. Returns the thread's place among those that have something, in their order. */
static __device__ __forceinline__ int place_among(disc_list &shared, bool has, int &count)
{
    const unsigned mask = __ballot_sync(~0u, has);
    __syncthreads();
    if (threadIdx.x == 0) {
        shared.of_warps[threadIdx.y] = __popc(mask);
    }
    __syncthreads();
    int place = __popc(mask & ((1u << threadIdx.x) - 1u));
    count = 0;
    for (int i = 0; i < DISC_WARPS; i++) {
        place += i < (int)threadIdx.y ? shared.of_warps[i] : 0;
        count += shared.of_warps[i];
    }
    return place;
}

/* Whether a disc covers any pixel of this block. */
static __device__ __forceinline__ bool covers_block(const dof_cuda_disc &disc)
{
    const float left = (float)(DOF_BLOCK_PX * blockIdx.x);
    const float top = (float)(DOF_BLOCK_PX * blockIdx.y);
    const float x = fmaxf(fmaxf(left - disc.x, disc.x - left - DOF_BLOCK_PX), 0.0f);
    const float y = fmaxf(fmaxf(top - disc.y, disc.y - top - DOF_BLOCK_PX), 0.0f);
    const float reach = disc.radius + 0.5f / disc.per_edge;
    return disc.radius > 0.0f && x * x + y * y < reach * reach;
}

/* Adds what a thread's pixels get; w: how much of discs. */
static __device__ __forceinline__ void add_disc(const dof_cuda_disc &disc, int x, int y,
                                                const float (&seen_px)[4], float4 (&sums)[4])
{
    const float down = (float)y + 0.5f - disc.y;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float across = (float)(x + i) + 0.5f - disc.x;
        const float away = ptx_sqrt(fmaf(across, across, down * down));
        const float part = __saturatef(fmaf(disc.radius - away, disc.per_edge, 0.5f)) *
                           __saturatef(seen_px[i] * disc.per_radius);
        sums[i].x = fmaf(part, disc.red, sums[i].x);
        sums[i].y = fmaf(part, disc.green, sums[i].y);
        sums[i].z = fmaf(part, disc.blue, sums[i].z);
        sums[i].w += part;
    }
}

static __device__ void gather_discs(const dof_cuda_discs_params &params, disc_list &shared,
                                    int which, const float (&seen_px)[4], const dof_four &four,
                                    float4 (&sums)[4])
{
    const dof_cuda_frame &frame = params.frame;
    const int reach = params.reach_blocks;
    const int left = max((int)blockIdx.x - reach, 0);
    const int top = max((int)blockIdx.y - reach, 0);
    const int columns = min((int)blockIdx.x + reach, blocks_across(frame) - 1) - left + 1;
    const int rows = min((int)blockIdx.y + reach, 2 * frame.group_rows - 1) - top + 1;
    const int thread = thread_of_block();
    for (int first = 0; first < columns * rows; first += DISC_THREADS) {
        const int i = first + thread;
        const int block = (top + i / columns) * blocks_across(frame) + left + i % columns;
        const bool has_discs = i < columns * rows && discs_of(params, which, block)->radius > 0.0f;
        int block_count;
        const int place = place_among(shared, has_discs, block_count);
        if (has_discs) {
            shared.blocks[place] = block;
        }
        __syncthreads();
        for (int k = 0; k < block_count; k += BLOCKS_AT_A_TIME) {
            const int at = k + thread / DOF_BLOCK_DISCS;
            dof_cuda_disc disc = {};
            if (at < block_count) {
                disc = discs_of(params, which, shared.blocks[at])[thread % DOF_BLOCK_DISCS];
            }
            const bool covers = covers_block(disc);
            int count;
            const int slot = place_among(shared, covers, count);
            if (covers) {
                shared.discs[slot] = disc;
            }
            __syncthreads();
            for (int d = 0; d < count; d++) {
                add_disc(shared.discs[d], four.x, four.y, seen_px, sums);
            }
        }
    }
}

template <bool FLOATS>
static __device__ __forceinline__ float behind_px_at(const dof_cuda_frame &frame, int x, int y,
                                                     bool reached)
{
    if constexpr (FLOATS) {
        return sigmas_of<true>(frame, DOF_BEHIND).bits(x, y);
    } else {
        return sigma_behind(dof_number(offsets_of<false>(frame).bits(x, y)),
                            reached ? dof_number(sigmas_of<false>(frame, DOF_NEAR).bits(x, y))
                                    : 0.0f);
    }
}

template <bool FLOATS> static __device__ void add_discs(const dof_cuda_discs_params &params)
{
    __shared__ disc_list shared;
    const dof_cuda_frame &frame = params.frame;
    const dof_four four(frame, (int)blockIdx.x, (int)blockIdx.y);
    const uint32_t quarters = quarters_of(frame, (int)blockIdx.z)[four.group];
    const bool reached = is_reached(quarters, four.quarter);
    if (!is_blurred(quarters, four.quarter)) {
        return;
    }
#pragma unroll 1
    for (int which = reached ? DOF_NEAR : DOF_BEHIND; which <= DOF_BEHIND; which++) {
        float4 sums[4] = {};
        float seen_px[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const bool is_inside = four.is_inside && four.x + i < frame.width_px;
            seen_px[i] =
                which == DOF_NEAR ? INFINITY
                : is_inside ? 4.0f * behind_px_at<FLOATS>(frame, four.x + i, four.y, reached) - 0.5f
                            : 0.0f;
        }
        gather_discs(params, shared, which, seen_px, four, sums);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (four.is_inside && four.x + i < frame.width_px && sums[i].w > 0.0f) {
                const auto made = made_of<FLOATS>(frame, which);
                float4 layer = dof_number(made.bits(four.x + i, four.y));
                const float by = which == DOF_NEAR ? 1.0f : fmaxf(layer.w, LEAST_COVERAGE);
                layer.x = fmaf(by, sums[i].x, layer.x);
                layer.y = fmaf(by, sums[i].y, layer.y);
                layer.z = fmaf(by, sums[i].z, layer.z);
                layer.w = which == DOF_NEAR ? fmaxf(layer.w, DOF_DISC_COVERAGE) : layer.w;
                made.store(four.x + i, four.y, layer);
            }
        }
        __syncthreads();
    }
}

#endif
