/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Discs on blurred layers: a block lists the blocks whose discs may reach it, then gathers those
 * that cover it, and its threads add them. */
#pragma once

#include "discs.cuh"

struct disc_list {
    dof_cuda_disc discs[DISC_THREADS];
    int blocks[DISC_THREADS];
    int of_warps[DISC_WARPS];
    int most; /* discs of a listed block */
};

/* All threads. Returns the thread's place among those that have something, in their order. */
DEVICE int place_among(disc_list &shared, bool has, int &count)
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
DEVICE bool covers_block(const dof_cuda_disc &disc)
{
    const float left = (float)(DOF_BLOCK_PX * blockIdx.x);
    const float top = (float)(DOF_BLOCK_PX * blockIdx.y);
    const float x = fmaxf(fmaxf(left - disc.x, disc.x - left - DOF_BLOCK_PX), 0.0f);
    const float y = fmaxf(fmaxf(top - disc.y, disc.y - top - DOF_BLOCK_PX), 0.0f);
    const float reach = disc.radius > 0.0f ? reach_of(disc) : 0.0f;
    return x * x + y * y < reach * reach;
}

/* Adds what a thread's pixels get; w: how much of discs. */
DEVICE void add_disc(const dof_cuda_disc &disc, int x, int y, const float (&seen_px)[4],
                     float4 (&sums)[4])
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

template <bool FLOATS>
DEVICE float behind_px_at(const dof_cuda_frame &frame, int x, int y, bool reached)
{
    if constexpr (FLOATS) {
        return sigmas_of<true>(frame, DOF_BEHIND).bits(x, y);
    } else {
        return dof_sigma_behind(dof_number(offsets_of<false>(frame).bits(x, y)),
                                reached ? dof_number(sigmas_of<false>(frame, DOF_NEAR).bits(x, y))
                                        : 0.0f);
    }
}

/* Whether a disc of another block may reach this one. */
DEVICE bool may_reach(float reach, int column, int row)
{
    const int x = DOF_BLOCK_PX * max(abs(column - (int)blockIdx.x) - 1, 0);
    const int y = DOF_BLOCK_PX * max(abs(row - (int)blockIdx.y) - 1, 0);
    return (float)(x * x + y * y) < reach * reach;
}

/* Lists blocks that may reach this one, of as many as there are threads; returns how many, or -1:
 * there are no further ones. */
DEVICE int list_blocks(const dof_cuda_discs_params &params, disc_list &shared, int which, int first)
{
    const dof_cuda_frame &frame = params.frame;
    const int reach = params.reach_blocks;
    const int left = max((int)blockIdx.x - reach, 0);
    const int top = max((int)blockIdx.y - reach, 0);
    const int columns = min((int)blockIdx.x + reach, blocks_across(frame) - 1) - left + 1;
    const int rows = min((int)blockIdx.y + reach, 2 * frame.group_rows - 1) - top + 1;
    const int i = first + thread_of_block();
    const int column = left + i % columns;
    const int row = top + i / columns;
    const int block = row * blocks_across(frame) + column;
    float2 discs = make_float2(0.0f, 0.0f);
    if (first >= columns * rows) {
        return -1;
    }
    if (i < columns * rows) {
        discs = *block_of(params, which, block);
    }
    const bool has_discs = discs.x > 0.0f && may_reach(discs.y, column, row);
    if (!__syncthreads_or(has_discs)) {
        return 0;
    }
    if (thread_of_block() == 0) {
        shared.most = 0;
    }
    int count;
    const int place = place_among(shared, has_discs, count);
    if (has_discs) {
        shared.blocks[place] = block;
        atomicMax(&shared.most, (int)discs.x);
    }
    __syncthreads();
    return count;
}

/* How discs are seen by a thread's pixels: those behind by what they are blurred themselves. */
template <bool FLOATS>
DEVICE void find_seen(const dof_cuda_frame &frame, int which, const dof_four &four, bool reached,
                      float (&seen_px)[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        seen_px[i] = which == DOF_NEAR ? INFINITY : 0.0f;
        if (which != DOF_NEAR && four.is_inside && four.x + i < frame.width_px) {
            seen_px[i] = 4.0f * behind_px_at<FLOATS>(frame, four.x + i, four.y, reached) - 0.5f;
        }
    }
}

template <bool FLOATS>
static __device__ void gather_discs(const dof_cuda_discs_params &params, disc_list &shared,
                                    int which, const dof_four &four, bool reached,
                                    float4 (&sums)[4])
{
    const int thread = thread_of_block();
    float seen_px[4] = {};
    bool is_first = true;
    int block_count;
    for (int first = 0; (block_count = list_blocks(params, shared, which, first)) >= 0;
         first += DISC_THREADS) {
        int slots = 1; /* a block; a power of 2 */
        while (block_count > 0 && slots < shared.most) {
            slots *= 2;
        }
        for (int k = 0; k < block_count; k += DISC_THREADS / slots) {
            const int at = k + thread / slots;
            dof_cuda_disc disc = {};
            if (at < block_count) {
                const int block = shared.blocks[at];
                if (thread % slots < (int)block_of(params, which, block)->x) {
                    disc = discs_of(params, which, block)[thread % slots];
                }
            }
            const bool covers = covers_block(disc);
            int count;
            const int slot = place_among(shared, covers, count);
            if (covers) {
                shared.discs[slot] = disc;
            }
            __syncthreads();
            if (count > 0 && is_first) {
                find_seen<FLOATS>(params.frame, which, four, reached, seen_px);
                is_first = false;
            }
            for (int d = 0; d < count; d++) {
                add_disc(shared.discs[d], four.x, four.y, seen_px, sums);
            }
        }
        __syncthreads();
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
        gather_discs<FLOATS>(params, shared, which, four, reached, sums);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (four.is_inside && four.x + i < frame.width_px && sums[i].w > 0.0f) {
                const auto made = made_of<FLOATS>(frame, which);
                float4 layer = dof_number(made.bits(four.x + i, four.y));
                const float by = which == DOF_NEAR ? 1.0f : fmaxf(layer.w, DOF_LEAST_COVERAGE);
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
