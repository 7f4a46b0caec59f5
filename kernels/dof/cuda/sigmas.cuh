/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The focus, and the sigmas of dof.h: s, d by tiles, and the layer that m is made of. */
#ifndef FOVEA_KERNELS_DOF_CUDA_SIGMAS_CUH
#define FOVEA_KERNELS_DOF_CUDA_SIGMAS_CUH

#include "kernels/operator/gaze.h"
#include "memory.cuh"

/* ---- Depths */

static __device__ __forceinline__ bool is_short(const fovea_depth &depth)
{
    return depth.format == FOVEA_DEPTH_FORMAT_D16 || depth.format == FOVEA_DEPTH_FORMAT_R16F;
}

static __device__ __forceinline__ const char *depth_at(const fovea_depth &depth, int image, int x,
                                                       int y)
{
    const int64_t stride = depth.pixel_stride_bytes ? (int64_t)depth.pixel_stride_bytes
                           : is_short(depth)        ? 2
                                                    : 4;
    return (const char *)depth.data + (int64_t)image * depth.next_bytes +
           (int64_t)y * depth.row_stride_bytes + x * stride;
}

static __device__ __forceinline__ uint32_t depth_bits(const fovea_depth &depth, const char *at)
{
    return is_short(depth) ? __ldg((const unsigned short *)at) : __ldg((const unsigned int *)at);
}

static __device__ __forceinline__ float depth_value(const fovea_depth &depth, uint32_t bits)
{
    switch (depth.format) {
    case FOVEA_DEPTH_FORMAT_D16:
        return (float)bits / 65535.0f;
    case FOVEA_DEPTH_FORMAT_D24:
        return (float)(bits & 0xffffffu) / 16777215.0f;
    case FOVEA_DEPTH_FORMAT_R16F:
        return __half2float(__ushort_as_half((unsigned short)bits));
    default:
        return __uint_as_float(bits);
    }
}

/* ---- The focus: a thread finds an image's, and nobody waits for it. In doubles, as the processor
 * does it */

/* The pixel that a gaze lies on, or the nearest one. */
static __device__ int pixel_of(int q8, int size_px)
{
    return min(max(q8 >> 8, 0), size_px - 1);
}

/* NaN: there is no gaze, or the depth is unknown. */
static __device__ float diopters_seen(const dof_cuda_focus_params &params, int image)
{
    int2 gaze = make_int2(params.gaze_q8[0], params.gaze_q8[1]);
    if (params.gazes) {
        gaze = ((const int2 *)params.gazes)[image];
    }
    if (params.blind || gaze.x == GAZE_NONE) {
        return nanf("");
    }
    const char *at = depth_at(params.depth, image, pixel_of(gaze.x, params.frame.width_px),
                              pixel_of(gaze.y, params.frame.height_px));
    return dof_scale_diopters(&params.scale,
                              depth_value(params.depth, depth_bits(params.depth, at)));
}

static __device__ void find_focus(const dof_cuda_focus_params &params)
{
    const dof_cuda_memory &memory = params.frame.memory;
    const int image = (int)(blockIdx.x * DOF_CUDA_FOCUS_THREADS + threadIdx.x);
    if (image >= params.count) {
        return;
    }
    const double diopters = dof_focus(&params.optics, &params.depth, diopters_seen(params, image),
                                      (operator_focus *)params.kept + image);
    ((dof_cuda_focus *)memory.focuses)[image] = {
        (float)diopters, (float)dof_optics_sigma_px(&params.optics, diopters)};
    ((uint2 *)memory.wanted)[image] = make_uint2(0, 1);
    ((uint32_t *)memory.wanted_means)[image] = 0;
    ((uint2 *)memory.largest)[image] = make_uint2(0, 0);
    ((uint2 *)memory.listed)[image] = make_uint2(0, 0);
}

/* ---- Offsets. A block finds those of 8 x 8 tiles, a warp of a row of tiles. Bound by memory: a
 * depth in, a value out */

#define LEAST_OFFSET_PX (1.0f / 256.0f)

/* A pixel of unknown depth is in focus. */
static __device__ __forceinline__ float offset_of(const dof_cuda_sigmas_params &params,
                                                  const dof_cuda_focus &focus, float value)
{
    const float most_px = params.frame.sigma_max_px;
    const float at = fmaf(value, params.step, params.start);
    const bool is_known = params.is_distance ? at > 0.0f : at < INFINITY;
    const float diopters =
        fminf(params.is_distance ? 1.0f / at : fmaxf(at, 0.0f), (float)DOF_MOST_DIOPTERS);
    const float offset_px = focus.px_per_diopter * (focus.diopters - diopters);
    const bool is_off = is_known && fabsf(offset_px) >= LEAST_OFFSET_PX;
    return is_off ? clamped(offset_px, -most_px, most_px) : 0.0f;
}

/* A lane's pixels of eight rows: so many lie in the picture. */
struct dof_lane_column {
    int x, y, count;

    __device__ __forceinline__ dof_lane_column(const dof_cuda_frame &frame, int first_x,
                                               int first_y)
        : x(first_x), y(first_y),
          count(x < frame.width_px ? min(max(frame.height_px - y, 0), DOF_CUDA_TILE_PX) : 0)
    {
    }
    template <typename Word>
    __device__ __forceinline__ void load(const fovea_depth &depth,
                                         uint32_t (&bits)[DOF_CUDA_TILE_PX]) const
    {
        const char *at = depth_at(depth, (int)blockIdx.z, x, y);
#pragma unroll
        for (int i = 0; i < DOF_CUDA_TILE_PX; i++) {
            bits[i] = i < count ? __ldg((const Word *)(at + i * depth.row_stride_bytes)) : 0;
        }
    }
    template <bool FLOATS>
    __device__ __forceinline__ void store(const dof_cuda_frame &frame,
                                          const float (&values)[DOF_CUDA_TILE_PX]) const
    {
        const dof_values<FLOATS> offsets = offsets_of<FLOATS>(frame);
#pragma unroll
        for (int i = 0; i < DOF_CUDA_TILE_PX; i++) {
            if (i < count) {
                offsets.store(x, y + i, values[i]);
            }
        }
    }
};

/* Returns the largest sigma before the focus of a lane's pixels, and in `far` behind it. */
static __device__ __forceinline__ float find_column(const dof_cuda_sigmas_params &params,
                                                    const dof_cuda_focus &focus,
                                                    const dof_lane_column &column,
                                                    const uint32_t (&bits)[DOF_CUDA_TILE_PX],
                                                    float &far)
{
    float offsets[DOF_CUDA_TILE_PX];
    float most = 0.0f;
#pragma unroll
    for (int i = 0; i < DOF_CUDA_TILE_PX; i++) {
        const float value = depth_value(params.depth, bits[i]);
        offsets[i] = i < column.count ? offset_of(params, focus, value) : 0.0f;
        most = fmaxf(most, -offsets[i]);
        far = fmaxf(far, offsets[i]);
    }
    if (params.frame.are_floats) {
        column.store<true>(params.frame, offsets);
    } else {
        column.store<false>(params.frame, offsets);
    }
    return most;
}

/* The largest of eight neighbouring lanes. */
static __device__ __forceinline__ float largest_of_eight(float value)
{
#pragma unroll
    for (int apart = 1; apart < 8; apart *= 2) {
        value = fmaxf(value, __shfl_xor_sync(~0u, value, apart));
    }
    return value;
}

/* The largest of a warp's lanes. */
static __device__ __forceinline__ float largest_of_warp(float value)
{
    value = largest_of_eight(value);
    value = fmaxf(value, __shfl_xor_sync(~0u, value, 8));
    return fmaxf(value, __shfl_xor_sync(~0u, value, 16));
}

/* All that a thread reads is under way before it waits. */
static __device__ __forceinline__ float find_tiles(const dof_cuda_sigmas_params &params,
                                                   const dof_cuda_focus &focus, int tile_row,
                                                   float (&far)[2])
{
    const dof_cuda_frame &frame = params.frame;
    const int lane = (int)threadIdx.x;
    const int y = DOF_CUDA_TILE_PX * tile_row;
    const dof_lane_column columns[2] = {{frame, DOF_CUDA_GROUP_PX * (int)blockIdx.x + lane, y},
                                        {frame, DOF_CUDA_GROUP_PX * (int)blockIdx.x + lane + 32, y}};
    uint32_t bits[2][DOF_CUDA_TILE_PX];
    float most = 0.0f;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        if (is_short(params.depth)) {
            columns[i].load<unsigned short>(params.depth, bits[i]);
        } else {
            columns[i].load<unsigned int>(params.depth, bits[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float far_of_lane = 0.0f;
        const float own =
            largest_of_eight(find_column(params, focus, columns[i], bits[i], far_of_lane));
        far[i] = largest_of_warp(far_of_lane);
        const int column = columns[i].x / DOF_CUDA_TILE_PX;
        if (lane % 8 == 0 && column < frame.columns && tile_row < frame.rows) {
            tiles_at(frame, frame.memory.tiles)[tile_row * frame.columns + column] = own;
        }
        most = fmaxf(most, own);
    }
    return most;
}

static __device__ void find_offsets(const dof_cuda_sigmas_params &params)
{
    __shared__ float rows[DOF_CUDA_GROUP_TILES];
    __shared__ float far_rows[DOF_CUDA_GROUP_TILES][2];
    const dof_cuda_frame &frame = params.frame;
    const dof_cuda_focus focus = ((const dof_cuda_focus *)frame.memory.focuses)[blockIdx.z];
    const int group = group_of_block(frame);
    const int thread = (int)(32 * threadIdx.y + threadIdx.x);
    float far[2];
    const float most = largest_of_warp(
        find_tiles(params, focus, DOF_CUDA_GROUP_TILES * (int)blockIdx.y + (int)threadIdx.y, far));
    if (threadIdx.x == 0) {
        rows[threadIdx.y] = most;
        far_rows[threadIdx.y][0] = far[0];
        far_rows[threadIdx.y][1] = far[1];
    }
    __syncthreads();
    if (thread < DOF_CUDA_QUARTERS) {
        float farthest = 0.0f;
        for (int i = 0; i < DOF_CUDA_GROUP_TILES / 2; i++) {
            farthest =
                fmaxf(farthest, far_rows[thread / 2 * DOF_CUDA_GROUP_TILES / 2 + i][thread % 2]);
        }
        farthest_of(frame, group)[thread] = farthest;
    }
    if (thread > 0) {
        return;
    }
    float largest = 0.0f;
    for (int i = 0; i < DOF_CUDA_GROUP_TILES; i++) {
        largest = fmaxf(largest, rows[i]);
    }
    groups_of(frame)[group] = largest;
    for (int which = 0; which < 2; which++) {
        reads_of(frame, (int)blockIdx.z, which)[group] = 0;
    }
    if (largest >= SHARP_PX) {
        ((uint32_t *)frame.memory.wanted)[2 * blockIdx.z] = 1;
        ((uint32_t *)frame.memory.wanted_means)[blockIdx.z] = 1;
    }
}

/* ---- d of tiles. A block gathers the tiles that may reach some of its group's, or of those around
 * it, and each thread looks at them all for its own: inside of what is near they are few, since
 * none of another group can give more than what there is. */

#define REACH_SIGMAS 4.0f /* where the last of a tile's sigma is gone; it is whole one nearer */
#define REACH_TILES 1.5f
#define AROUND_TILES (DOF_CUDA_GROUP_TILES + 2) /* those that a group's pixels lie between */
#define SPREAD_THREADS (32 * DOF_CUDA_SPREAD_Y)
#define SPREAD_GROUPS 4 /* whose tiles are gathered at once */
static_assert(AROUND_TILES * AROUND_TILES <= SPREAD_THREADS, "a thread has one tile");

/* The sigma of a tile so many columns and rows away, as it gets here. */
static __device__ __forceinline__ float reaching(float sigma_px, int columns, int rows)
{
    const float apart = sqrtf((float)(columns * columns + rows * rows)) - REACH_TILES;
    const float left = REACH_SIGMAS * sigma_px - (float)DOF_CUDA_TILE_PX * fmaxf(apart, 0.0f);
    return clamped(left, 0.0f, sigma_px);
}

/* Tiles along an axis from one range to another, each with its first and its last. */
static __device__ __forceinline__ int tiles_between(int first, int last, int from, int to)
{
    return max(max(first - to, from - last), 0);
}

struct dof_spread {
    float2 candidates[SPREAD_GROUPS * DOF_CUDA_GROUP_TILES * DOF_CUDA_GROUP_TILES]; /* and places */
    int groups[SPREAD_THREADS];
    uint32_t candidate_count, group_count;
    uint32_t least; /* bits of what all of the block's tiles have at least */
    uint32_t quarters[DOF_CUDA_QUARTERS]; /* bits of the largest d */
};

/* Whether a tile or group gives any of the block's tiles more than it has. */
static __device__ __forceinline__ bool may_reach(const dof_spread &shared, float sigma_px,
                                                 int column, int row, int side)
{
    const int first_x = DOF_CUDA_GROUP_TILES * (int)blockIdx.x - 1;
    const int first_y = DOF_CUDA_GROUP_TILES * (int)blockIdx.y - 1;
    const int columns = tiles_between(column, column + side - 1, first_x, first_x + AROUND_TILES - 1);
    const int rows = tiles_between(row, row + side - 1, first_y, first_y + AROUND_TILES - 1);
    return sigma_px > __uint_as_float(shared.least) &&
           reaching(sigma_px, columns, rows) > __uint_as_float(shared.least);
}

/* All threads gather the tiles of so many groups of the list. */
static __device__ void gather_tiles(const dof_cuda_frame &frame, dof_spread &shared, int first,
                                    int count)
{
    const int thread = (int)(32 * threadIdx.y + threadIdx.x);
    const int in_group = DOF_CUDA_GROUP_TILES * DOF_CUDA_GROUP_TILES;
    __syncthreads();
    if (thread == 0) {
        shared.candidate_count = 0;
    }
    __syncthreads();
    for (int i = thread; i < count * in_group; i += SPREAD_THREADS) {
        const int group = shared.groups[first + i / in_group];
        const int column = DOF_CUDA_GROUP_TILES * (group % frame.group_columns) +
                           i % in_group % DOF_CUDA_GROUP_TILES;
        const int row = DOF_CUDA_GROUP_TILES * (group / frame.group_columns) +
                        i % in_group / DOF_CUDA_GROUP_TILES;
        const bool is_inside = column < frame.columns && row < frame.rows;
        const float sigma_px =
            is_inside ? tiles_at(frame, frame.memory.tiles)[row * frame.columns + column] : 0.0f;
        if (may_reach(shared, sigma_px, column, row, 1)) {
            shared.candidates[atomicAdd(&shared.candidate_count, 1u)] =
                make_float2(sigma_px, __int_as_float(row << 16 | column));
        }
    }
    __syncthreads();
}

static __device__ __forceinline__ float most_of_candidates(const dof_spread &shared, int column,
                                                           int row, float most)
{
    const int count = (int)shared.candidate_count;
    for (int i = 0; i < count; i++) {
        const float2 candidate = shared.candidates[i];
        const int place = __float_as_int(candidate.y);
        if (candidate.x > most) {
            most = fmaxf(most,
                         reaching(candidate.x, (place & 0xffff) - column, (place >> 16) - row));
        }
    }
    return most;
}

/* A thread tests a group around the block's own; those that may reach it are listed. */
static __device__ void list_groups(const dof_cuda_frame &frame, dof_spread &shared, int first_x,
                                   int first_y, int columns, int count, int first)
{
    const int i = first + (int)(32 * threadIdx.y + threadIdx.x);
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        shared.group_count = 0;
    }
    __syncthreads();
    if (i < count) {
        const int column = first_x + i % columns;
        const int row = first_y + i / columns;
        const int group = row * frame.group_columns + column;
        if (group != group_of_block(frame) &&
            may_reach(shared, groups_of(frame)[group], DOF_CUDA_GROUP_TILES * column,
                      DOF_CUDA_GROUP_TILES * row, DOF_CUDA_GROUP_TILES)) {
            shared.groups[atomicAdd(&shared.group_count, 1u)] = group;
        }
    }
    __syncthreads();
}

static __device__ float most_of_groups(const dof_cuda_frame &frame, dof_spread &shared, int column,
                                       int row, float most)
{
    const int reach = (int)(REACH_SIGMAS * frame.sigma_max_px / DOF_CUDA_TILE_PX + REACH_TILES) + 2;
    const int reach_groups = (reach + DOF_CUDA_GROUP_TILES - 1) / DOF_CUDA_GROUP_TILES;
    const int first_x = max((int)blockIdx.x - reach_groups, 0);
    const int first_y = max((int)blockIdx.y - reach_groups, 0);
    const int columns =
        min((int)blockIdx.x + reach_groups, frame.group_columns - 1) - first_x + 1;
    const int count =
        columns * (min((int)blockIdx.y + reach_groups, frame.group_rows - 1) - first_y + 1);
    for (int i = 0; i < count; i += SPREAD_THREADS) {
        list_groups(frame, shared, first_x, first_y, columns, count, i);
        const int listed = (int)shared.group_count;
        for (int k = 0; k < listed; k += SPREAD_GROUPS) {
            gather_tiles(frame, shared, k, min(listed - k, SPREAD_GROUPS));
            most = most_of_candidates(shared, column, row, most);
        }
    }
    return most;
}

/* The largest d of each quarter's pixels, which lie between its tiles and those around. */
static __device__ __forceinline__ void find_quarters(dof_spread &shared, int across, int down,
                                                     float reach)
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
    const int across = thread % AROUND_TILES;
    const int down = thread / AROUND_TILES;
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
    gather_tiles(frame, shared, 0, 1);
    float most = most_of_candidates(shared, column, row, 0.0f);
    /* No thread reads `least` before list_groups has met a barrier. */
    if (thread == 0) {
        shared.least = __float_as_uint(INFINITY);
    }
    __syncthreads();
    if (is_inside) {
        atomicMin(&shared.least, __float_as_uint(most));
    }
    most = most_of_groups(frame, shared, column, row, most);
    if (is_inside && (unsigned)(across - 1) < DOF_CUDA_GROUP_TILES &&
        (unsigned)(down - 1) < DOF_CUDA_GROUP_TILES) {
        tiles_at(frame, frame.memory.reaches)[row * frame.columns + column] = most;
    }
    find_quarters(shared, across, down, is_inside ? most : 0.0f);
    __syncthreads();
}

/* ---- What is made: quarters of which a pixel is not as it was, and the groups that blurred pixels
 * look at. A block works on a group */

/* A pixel of sigma s blends nodes of up to 1.69 s + 0.7 (plan/ladder.h), which reach 4.2 of their
 * residual sigmas on a level whose samples reach 2.5 (2^k - 1) px. The level that makes most of
 * both is the coarsest that they take, 2^k at most 0.91 of them: 5.7 in all. */
static __device__ __forceinline__ int looks_px(float sigma_px)
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
    for (int i = thread; columns > 0 && i < columns * (bottom - top + 1);
         i += SPREAD_THREADS) {
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

/* ---- The layer of means where layers are floats, a thread a pixel. Bound by memory: a value in, a
 * sample and one out */

static __device__ void make_layer_of_means(const dof_cuda_frame &frame)
{
    const dof_column column(frame);
    const dof_values<true> offsets = offsets_of<true>(frame);
    const dof_values<true> sigmas = sigmas_of<true>(frame, DOF_NEAR);
    const dof_layer<true> layer = layer_of(frame, DOF_NEAR);
    float offsets_px[QUARTER_PIXELS] = {};
    if (!has_near(frame)) {
        return;
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            offsets_px[i] = offsets.bits(column.x, column.row(i));
        }
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            const float near = nearness(offsets_px[i]);
            layer.store(column.x, column.row(i),
                        make_float4(-near * offsets_px[i], near, 0.0f, 0.0f));
            sigmas.store(column.x, column.row(i), reach_at(frame, column.x, column.row(i)));
        }
    }
}

#endif
