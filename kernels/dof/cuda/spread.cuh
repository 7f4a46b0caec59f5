/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* d of dof.h, by tiles, and what is made of a picture. */
#pragma once

#include "sigmas.cuh"

/* ---- d of tiles. A block gathers the tiles that may give some of its group's, or of those around
 * it, more than what they have, and two threads look at half of them each for a tile */

#define AROUND_TILES (DOF_CUDA_GROUP_TILES + 2) /* those that a group's pixels lie between */
#define SPREAD_THREADS (32 * DOF_CUDA_SPREAD_Y)
#define SPREAD_TEAMS 2
#define GROUP_TILES (DOF_CUDA_GROUP_TILES * DOF_CUDA_GROUP_TILES)
#define SPREAD_GROUPS (SPREAD_THREADS / GROUP_TILES) /* whose tiles are gathered at once */
static_assert(AROUND_TILES * AROUND_TILES <= SPREAD_THREADS / SPREAD_TEAMS, "a tile each");

/* The sigma of a tile so many columns and rows away, as it gets here. */
DEVICE float reaching(float sigma_px, float columns, float rows)
{
    const float apart = ptx_sqrt(fmaf(columns, columns, rows * rows)) - DOF_REACH_TILES;
    const float left = fmaf(DOF_REACH_SIGMAS, sigma_px, -(float)DOF_CUDA_TILE_PX * apart);
    return fminf(left, sigma_px);
}

/* Tiles along an axis from one range to another, each with its first and its last. */
DEVICE int tiles_between(int first, int last, int from, int to)
{
    return max(max(first - to, from - last), 0);
}

struct dof_spread {
    float4 candidates[SPREAD_THREADS]; /* sigmas, and columns and rows of the tiles */
    int groups[SPREAD_THREADS];
    uint32_t candidate_count, group_count;
    uint32_t least; /* bits of what all of the block's tiles have at least */
    uint32_t reaches[AROUND_TILES * AROUND_TILES]; /* bits of d */
    uint32_t quarters[DOF_CUDA_QUARTERS]; /* bits of the largest d */
};

/* Whether a tile or group gives any of the block's tiles more than it has. */
DEVICE bool may_reach(const dof_spread &shared, float sigma_px, int column, int row, int side)
{
    const int first_x = DOF_CUDA_GROUP_TILES * (int)blockIdx.x - 1;
    const int first_y = DOF_CUDA_GROUP_TILES * (int)blockIdx.y - 1;
    const int columns =
        tiles_between(column, column + side - 1, first_x, first_x + AROUND_TILES - 1);
    const int rows = tiles_between(row, row + side - 1, first_y, first_y + AROUND_TILES - 1);
    return reaching(sigma_px, (float)columns, (float)rows) > __uint_as_float(shared.least);
}

/* Whether a tile of the row that is nearer to all of the block's has as much; lanes have the tiles
 * of rows, one after the other. Side: where the group lies from here, less than 0 on the left. */
DEVICE bool is_behind_another(float sigma_px, int side)
{
    const int place = (int)threadIdx.x % DOF_CUDA_GROUP_TILES;
    float nearer = 0.0f;
#pragma unroll
    for (int i = 1; i < DOF_CUDA_GROUP_TILES; i++) {
        const float other = __shfl_sync(
            ~0u, sigma_px, (int)threadIdx.x - place + (place + i) % DOF_CUDA_GROUP_TILES);
        const bool is_right = place + i < DOF_CUDA_GROUP_TILES;
        nearer = (side < 0 && is_right) || (side > 0 && !is_right) ? fmaxf(nearer, other) : nearer;
    }
    return nearer > 0.0f && nearer >= sigma_px;
}

/* All threads gather the tiles of so many groups of the list. */
static __device__ void gather_tiles(const dof_cuda_frame &frame, dof_spread &shared, int first,
                                    int count)
{
    const int thread = (int)(32 * threadIdx.y + threadIdx.x);
    const int i = thread % GROUP_TILES;
    __syncthreads();
    if (thread == 0) {
        shared.candidate_count = 0;
    }
    __syncthreads();
    const bool has_group = thread / GROUP_TILES < count;
    const int group = shared.groups[has_group ? first + thread / GROUP_TILES : first];
    const int group_column = group % frame.group_columns;
    const int column = DOF_CUDA_GROUP_TILES * group_column + i % DOF_CUDA_GROUP_TILES;
    const int row = DOF_CUDA_GROUP_TILES * (group / frame.group_columns) + i / DOF_CUDA_GROUP_TILES;
    const bool is_inside = has_group && column < frame.columns && row < frame.rows;
    const float sigma_px =
        is_inside ? tiles_at(frame, frame.memory.tiles)[row * frame.columns + column] : 0.0f;
    const bool is_needless = is_behind_another(sigma_px, group_column - (int)blockIdx.x);
    if (sigma_px > 0.0f && !is_needless && may_reach(shared, sigma_px, column, row, 1)) {
        shared.candidates[atomicAdd(&shared.candidate_count, 1u)] =
            make_float4(sigma_px, (float)column, (float)row, 0.0f);
    }
    __syncthreads();
}

DEVICE float most_of_candidates(const dof_spread &shared, int team, float column, float row,
                                float most)
{
    const int count = (int)shared.candidate_count;
#pragma unroll 4
    for (int i = team; i < count; i += SPREAD_TEAMS) {
        const float4 candidate = shared.candidates[i];
        most = fmaxf(most, reaching(candidate.x, candidate.y - column, candidate.z - row));
    }
    return most;
}

/* A thread tests a group around the block's own; those that may reach it are listed. */
static __device__ void list_groups(const dof_cuda_frame &frame, dof_spread &shared, int first_x,
                                   int first_y, int columns, int count, int first)
{
    const int i = first + (int)(32 * threadIdx.y + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        shared.group_count = 0;
    }
    __syncthreads();
    if (i < count) {
        const int column = first_x + i % columns;
        const int row = first_y + i / columns;
        const int group = row * frame.group_columns + column;
        const float sigma_px = groups_of(frame)[group];
        if (group != group_of_block(frame) && sigma_px > 0.0f &&
            may_reach(shared, sigma_px, DOF_CUDA_GROUP_TILES * column, DOF_CUDA_GROUP_TILES * row,
                      DOF_CUDA_GROUP_TILES)) {
            shared.groups[atomicAdd(&shared.group_count, 1u)] = group;
        }
    }
    __syncthreads();
}

static __device__ float most_of_groups(const dof_cuda_frame &frame, dof_spread &shared, int team,
                                       float column, float row, float most)
{
    const int reach =
        (int)(DOF_REACH_SIGMAS * frame.sigma_max_px / DOF_CUDA_TILE_PX + DOF_REACH_TILES) + 2;
    const int reach_groups = (reach + DOF_CUDA_GROUP_TILES - 1) / DOF_CUDA_GROUP_TILES;
    const int first_x = max((int)blockIdx.x - reach_groups, 0);
    const int first_y = max((int)blockIdx.y - reach_groups, 0);
    const int columns = min((int)blockIdx.x + reach_groups, frame.group_columns - 1) - first_x + 1;
    const int count =
        columns * (min((int)blockIdx.y + reach_groups, frame.group_rows - 1) - first_y + 1);
    for (int i = 0; i < count; i += SPREAD_THREADS) {
        list_groups(frame, shared, first_x, first_y, columns, count, i);
        const int listed = (int)shared.group_count;
        for (int k = 0; k < listed; k += SPREAD_GROUPS) {
            gather_tiles(frame, shared, k, min(listed - k, SPREAD_GROUPS));
            most = most_of_candidates(shared, team, column, row, most);
        }
    }
    return most;
}

/* The largest d of each quarter's pixels, which lie between its tiles and those around. */
DEVICE void find_quarters(dof_spread &shared, int across, int down, float reach)
{
#pragma unroll
    for (int q = 0; q < DOF_CUDA_QUARTERS; q++) {
        const int x = across - q % 2 * (DOF_CUDA_GROUP_TILES / 2);
        const int y = down - q / 2 * (DOF_CUDA_GROUP_TILES / 2);
        const bool is_around = (unsigned)x < DOF_CUDA_GROUP_TILES / 2 + 2 &&
                               (unsigned)y < DOF_CUDA_GROUP_TILES / 2 + 2;
        const float most = largest_of_warp(is_around ? reach : 0.0f);
        if (threadIdx.x == 0) {
            atomicMax(&shared.quarters[q], __float_as_uint(most));
        }
    }
}

static __device__ void find_reaches(const dof_cuda_frame &frame, dof_spread &shared)
{
    const int thread = (int)(32 * threadIdx.y + threadIdx.x);
    const int team = thread / (SPREAD_THREADS / SPREAD_TEAMS);
    const int tile = thread % (SPREAD_THREADS / SPREAD_TEAMS);
    const int across = tile % AROUND_TILES;
    const int down = tile / AROUND_TILES;
    const int column = DOF_CUDA_GROUP_TILES * (int)blockIdx.x + across - 1;
    const int row = DOF_CUDA_GROUP_TILES * (int)blockIdx.y + down - 1;
    const bool is_inside = down < AROUND_TILES && column >= 0 && row >= 0 &&
                           column < frame.columns && row < frame.rows;
    if (thread == 0) {
        shared.groups[0] = group_of_block(frame);
        shared.least = 0;
    }
    if (thread < DOF_CUDA_QUARTERS) {
        shared.quarters[thread] = 0;
    }
    if (thread < AROUND_TILES * AROUND_TILES) {
        shared.reaches[thread] = 0;
    }
    gather_tiles(frame, shared, 0, 1);
    float most = most_of_candidates(shared, team, (float)column, (float)row, 0.0f);
    if (thread == 0) {
        shared.least = __float_as_uint(INFINITY);
    }
    if (is_inside) {
        atomicMax(&shared.reaches[tile], __float_as_uint(most));
    }
    __syncthreads();
    if (is_inside && team == 0) {
        atomicMin(&shared.least, shared.reaches[tile]);
    }
    most = most_of_groups(frame, shared, team, (float)column, (float)row, most);
    if (is_inside) {
        atomicMax(&shared.reaches[tile], __float_as_uint(most));
    }
    __syncthreads();
    most = is_inside ? __uint_as_float(shared.reaches[tile]) : 0.0f;
    if (team == 0 && is_inside && (unsigned)(across - 1) < DOF_CUDA_GROUP_TILES &&
        (unsigned)(down - 1) < DOF_CUDA_GROUP_TILES) {
        tiles_at(frame, frame.memory.reaches)[row * frame.columns + column] = most;
    }
    if (team == 0) {
        find_quarters(shared, across, down, most);
    }
    __syncthreads();
}

/* ---- What is made: quarters of which a pixel is not as it was, and the groups that blurred pixels
 * look at. A block works on a group */

/* A pixel of sigma s blends nodes of up to 1.69 s + 0.7 (plan/ladder.h), which reach 4.2 of their
 * residual sigmas on a level whose samples reach 2.5 (2^k - 1) px. The level that makes most of
 * both is the coarsest that they take, 2^k at most 0.91 of them: 5.7 in all. */
DEVICE int looks_px(float sigma_px)
{
    return (int)(9.7f * sigma_px) + 8;
}

/* The block marks the groups that its quarters look at; `sigmas` are the largest of each, or 0. */
static __device__ void mark_reads(const dof_cuda_frame &frame, int which,
                                  const float (&sigmas)[DOF_CUDA_QUARTERS])
{
    const int thread = (int)(32 * threadIdx.y + threadIdx.x);
    int left = frame.group_columns;
    int right = -1;
    int top = frame.group_rows;
    int bottom = -1;
    float most = 0.0f;
    for (int q = 0; q < DOF_CUDA_QUARTERS; q++) {
        if (sigmas[q] > 0.0f) {
            const int looks = looks_px(sigmas[q]);
            const int x = DOF_CUDA_GROUP_PX * (int)blockIdx.x + QUARTER_PX * (q % 2);
            const int y = DOF_CUDA_GROUP_PX * (int)blockIdx.y + QUARTER_PX * (q / 2);
            left = min(left, max(x - looks, 0) / DOF_CUDA_GROUP_PX);
            top = min(top, max(y - looks, 0) / DOF_CUDA_GROUP_PX);
            right = max(right, (x + QUARTER_PX - 1 + looks) / DOF_CUDA_GROUP_PX);
            bottom = max(bottom, (y + QUARTER_PX - 1 + looks) / DOF_CUDA_GROUP_PX);
            most = fmaxf(most, sigmas[q]);
        }
    }
    right = min(right, frame.group_columns - 1);
    bottom = min(bottom, frame.group_rows - 1);
    const int columns = right - left + 1;
    uint8_t *reads = reads_of(frame, (int)blockIdx.z, which);
    for (int i = thread; columns > 0 && i < columns * (bottom - top + 1); i += SPREAD_THREADS) {
        reads[(top + i / columns) * frame.group_columns + left + i % columns] = 1;
    }
    if (thread == 0 && most > 0.0f) {
        atomicMax((uint32_t *)frame.memory.largest + 2 * blockIdx.z + which, __float_as_uint(most));
    }
}

/* One thread puts a group's quarters into a layer's list; their order does not matter. */
static __device__ void list_quarters(const dof_cuda_frame &frame, int layer, int group,
                                     uint32_t quarters)
{
    const uint32_t count = (uint32_t)__popc(quarters);
    uint32_t at = count > 0 ? atomicAdd(listed_of(frame, layer), count) : 0;
    for (uint32_t q = 0; q < DOF_CUDA_QUARTERS; q++) {
        if ((quarters >> q & 1u) != 0) {
            list_of(frame, layer)[at++] = DOF_CUDA_QUARTERS * (uint32_t)group + q;
        }
    }
}

/* If all that is near is sharp, the near layer and what is behind are the picture itself. */
static __device__ void spread_tiles(const dof_cuda_frame &frame)
{
    __shared__ dof_spread shared;
    const int group = group_of_block(frame);
    const bool any_near = has_near(frame);
    float near[DOF_CUDA_QUARTERS] = {};
    float all[DOF_CUDA_QUARTERS] = {};
    uint32_t bits = 0;
    if (any_near) {
        find_reaches(frame, shared);
    }
    for (int q = 0; q < DOF_CUDA_QUARTERS; q++) {
        const float reach = !any_near     ? 0.0f
                            : frame.whole ? frame.sigma_max_px
                                          : __uint_as_float(shared.quarters[q]);
        const float far = frame.whole ? frame.sigma_max_px : farthest_of(frame, group)[q];
        near[q] = reach >= SHARP_PX ? reach : 0.0f;
        all[q] = fmaxf(near[q], far >= SHARP_PX ? far : 0.0f);
        bits |= near[q] > 0.0f ? DOF_CUDA_REACHED << q : 0u;
        bits |= all[q] > 0.0f ? DOF_CUDA_BLURRED << q : 0u;
    }
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        quarters_of(frame, (int)blockIdx.z)[group] = (uint8_t)bits;
        list_quarters(frame, 2 * (int)blockIdx.z + DOF_NEAR, group, bits / DOF_CUDA_REACHED & 15u);
        list_quarters(frame, 2 * (int)blockIdx.z + DOF_BEHIND, group,
                      bits / DOF_CUDA_BLURRED & 15u);
    }
    mark_reads(frame, DOF_NEAR, near);
    mark_reads(frame, DOF_BEHIND, all);
}
