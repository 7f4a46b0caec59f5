/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The focus, and the sigmas of dof.h: s, d by tiles, and the layer that m is made of. */
#ifndef FOVEA_KERNELS_DOF_CUDA_SIGMAS_CUH
#define FOVEA_KERNELS_DOF_CUDA_SIGMAS_CUH

#include "kernels/operator/gaze.h"
#include "memory.cuh"

/* ---- Depths */

static __device__ __forceinline__ float depth_value(const fovea_depth &depth, int image, int x,
                                                    int y)
{
    const bool is_short =
        depth.format == FOVEA_DEPTH_FORMAT_D16 || depth.format == FOVEA_DEPTH_FORMAT_R16F;
    const int64_t stride = depth.pixel_stride_bytes ? (int64_t)depth.pixel_stride_bytes
                           : is_short               ? 2
                                                    : 4;
    const char *at = (const char *)depth.data + (int64_t)image * depth.next_bytes +
                     (int64_t)y * depth.row_stride_bytes + x * stride;
    switch (depth.format) {
    case FOVEA_DEPTH_FORMAT_D16:
        return (float)__ldg((const unsigned short *)at) / 65535.0f;
    case FOVEA_DEPTH_FORMAT_D24:
        return (float)(__ldg((const unsigned int *)at) & 0xffffffu) / 16777215.0f;
    case FOVEA_DEPTH_FORMAT_R16F:
        return __half2float(__ushort_as_half(__ldg((const unsigned short *)at)));
    default:
        return __ldg((const float *)at);
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
    return dof_scale_diopters(&params.scale, depth_value(params.depth, image,
                                                         pixel_of(gaze.x, params.frame.width_px),
                                                         pixel_of(gaze.y, params.frame.height_px)));
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

/* The largest sigma before the focus of a lane's pixels of eight rows, and behind it. */
static __device__ __forceinline__ float find_column(const dof_cuda_sigmas_params &params,
                                                    const dof_cuda_focus &focus, int x, int y,
                                                    float &far)
{
    const dof_cuda_frame &frame = params.frame;
    const dof_values offsets = offsets_of(frame);
    float most = 0.0f;
#pragma unroll
    for (int i = 0; i < DOF_CUDA_TILE_PX; i++) {
        if (x < frame.width_px && y + i < frame.height_px) {
            const float value = depth_value(params.depth, (int)blockIdx.z, x, y + i);
            const float offset = offset_of(params, focus, value);
            offsets.store(x, y + i, offset);
            most = fmaxf(most, -offset);
            far = fmaxf(far, offset);
        }
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

static __device__ __forceinline__ float find_tiles(const dof_cuda_sigmas_params &params,
                                                   const dof_cuda_focus &focus, int tile_row,
                                                   float (&far)[2])
{
    const dof_cuda_frame &frame = params.frame;
    const int lane = (int)threadIdx.x;
    float most = 0.0f;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int x = DOF_CUDA_GROUP_PX * (int)blockIdx.x + 32 * i + lane;
        float far_of_lane = 0.0f;
        const float own = largest_of_eight(
            find_column(params, focus, x, DOF_CUDA_TILE_PX * tile_row, far_of_lane));
        far[i] = largest_of_warp(far_of_lane);
        const int column = x / DOF_CUDA_TILE_PX;
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

/* ---- d of tiles. A thread looks at all tiles that may reach its own, by groups, most of which it
 * leaves out since what they could give is less than what there is */

#define REACH_SIGMAS 4.0f /* where the last of a tile's sigma is gone; it is whole one nearer */
#define REACH_TILES 1.5f

/* The sigma of a tile so many columns and rows away, as it gets here. */
static __device__ __forceinline__ float reaching(float sigma_px, int columns, int rows)
{
    const float apart = sqrtf((float)(columns * columns + rows * rows)) - REACH_TILES;
    const float left = REACH_SIGMAS * sigma_px - (float)DOF_CUDA_TILE_PX * fmaxf(apart, 0.0f);
    return clamped(left, 0.0f, sigma_px);
}

/* Tiles from a place to the nearest of a group. */
static __device__ __forceinline__ int tiles_to(int place, int group)
{
    const int first = DOF_CUDA_GROUP_TILES * group;
    return max(max(first - place, place - (first + DOF_CUDA_GROUP_TILES - 1)), 0);
}

static __device__ float most_of_group(const dof_cuda_frame &frame, int column, int row,
                                      int group_column, int group_row, float most)
{
    const float *tiles = tiles_at(frame, frame.memory.tiles);
    const int last_row = min(DOF_CUDA_GROUP_TILES * (group_row + 1), frame.rows);
    const int last_column = min(DOF_CUDA_GROUP_TILES * (group_column + 1), frame.columns);
    for (int j = DOF_CUDA_GROUP_TILES * group_row; j < last_row; j++) {
        for (int i = DOF_CUDA_GROUP_TILES * group_column; i < last_column; i++) {
            const float sigma_px = __ldg(tiles + j * frame.columns + i);
            if (sigma_px > most) {
                most = fmaxf(most, reaching(sigma_px, i - column, j - row));
            }
        }
    }
    return most;
}

static __device__ float most_reaching(const dof_cuda_frame &frame, int column, int row)
{
    const int reach = (int)(REACH_SIGMAS * frame.sigma_max_px / DOF_CUDA_TILE_PX + REACH_TILES) + 1;
    const int own_column = column / DOF_CUDA_GROUP_TILES;
    const int own_row = row / DOF_CUDA_GROUP_TILES;
    const int first_row = max(row - reach, 0) / DOF_CUDA_GROUP_TILES;
    const int first_column = max(column - reach, 0) / DOF_CUDA_GROUP_TILES;
    const int last_row = min((row + reach) / DOF_CUDA_GROUP_TILES, frame.group_rows - 1);
    const int last_column = min((column + reach) / DOF_CUDA_GROUP_TILES, frame.group_columns - 1);
    float most = most_of_group(frame, column, row, own_column, own_row, 0.0f);
    for (int j = first_row; j <= last_row; j++) {
        for (int i = first_column; i <= last_column; i++) {
            const float sigma_px = __ldg(groups_of(frame) + j * frame.group_columns + i);
            if (reaching(sigma_px, tiles_to(column, i), tiles_to(row, j)) > most) {
                most = most_of_group(frame, column, row, i, j, most);
            }
        }
    }
    return most;
}

/* ---- What is made: quarters of which a pixel is not as it was, and the groups that blurred pixels
 * look at. A block works on a group */

#define AROUND_TILES (DOF_CUDA_GROUP_TILES + 2) /* those that pixels lie between */

struct dof_reaches {
    float of[AROUND_TILES][AROUND_TILES]; /* d of the group's tiles and of those around them */
};

/* A pixel of sigma s blends nodes of up to 1.69 s + 0.7 (plan/ladder.h), which reach 4.2 of their
 * residual sigmas on a level whose samples reach 2.5 (2^k - 1) px. The level that makes most of
 * both is the coarsest that they take, 2^k at most 0.91 of them: 5.7 in all. */
static __device__ __forceinline__ int looks_px(float sigma_px)
{
    return (int)(9.7f * sigma_px) + 8;
}

static __device__ void find_reaches(const dof_cuda_frame &frame, dof_reaches &reaches)
{
    const int thread = (int)(32 * threadIdx.y + threadIdx.x);
    for (int i = thread; i < AROUND_TILES * AROUND_TILES; i += 32 * DOF_CUDA_SPREAD_Y) {
        const int across = i % AROUND_TILES - 1;
        const int down = i / AROUND_TILES - 1;
        const int column = DOF_CUDA_GROUP_TILES * (int)blockIdx.x + across;
        const int row = DOF_CUDA_GROUP_TILES * (int)blockIdx.y + down;
        const bool is_inside =
            column >= 0 && row >= 0 && column < frame.columns && row < frame.rows;
        const float reach = is_inside ? most_reaching(frame, column, row) : 0.0f;
        reaches.of[down + 1][across + 1] = reach;
        if (is_inside && (unsigned)across < DOF_CUDA_GROUP_TILES &&
            (unsigned)down < DOF_CUDA_GROUP_TILES) {
            tiles_at(frame, frame.memory.reaches)[row * frame.columns + column] = reach;
        }
    }
    __syncthreads();
}

/* The largest d of a quarter's pixels. */
static __device__ float most_of_quarter(const dof_reaches &reaches, int quarter)
{
    const int across = quarter % 2 * (DOF_CUDA_GROUP_TILES / 2);
    const int down = quarter / 2 * (DOF_CUDA_GROUP_TILES / 2);
    float most = 0.0f;
    for (int i = 0; i < AROUND_TILES - DOF_CUDA_GROUP_TILES / 2; i++) {
        for (int j = 0; j < AROUND_TILES - DOF_CUDA_GROUP_TILES / 2; j++) {
            most = fmaxf(most, reaches.of[down + i][across + j]);
        }
    }
    return most;
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
         i += 32 * DOF_CUDA_SPREAD_Y) {
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
    __shared__ dof_reaches reaches;
    const int group = group_of_block(frame);
    const bool any_near = has_near(frame);
    float near[DOF_CUDA_QUARTERS] = {};
    float all[DOF_CUDA_QUARTERS] = {};
    uint32_t bits = 0;
    if (any_near) {
        find_reaches(frame, reaches);
    }
    for (int q = 0; q < DOF_CUDA_QUARTERS; q++) {
        const float reach = !any_near     ? 0.0f
                            : frame.whole ? frame.sigma_max_px
                                          : most_of_quarter(reaches, q);
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

/* ---- The layer of means, a thread a pixel. Bound by memory: a value in, a sample and one out */

/* Two tiles around a place, and how far it is from the first's middle to the other's. */
struct between_tiles {
    int first, second;
    float part;

    __device__ __forceinline__ between_tiles(int px, int count)
    {
        const float place = ((float)px + 0.5f) / DOF_CUDA_TILE_PX - 0.5f;
        const float inside = clamped(place, 0.0f, (float)(count - 1));
        first = (int)inside;
        second = min(first + 1, count - 1);
        part = inside - (float)first;
    }
};

static __device__ __forceinline__ float reach_at(const dof_cuda_frame &frame, int x_px, int y_px)
{
    const float *tiles = tiles_at(frame, frame.memory.reaches);
    const between_tiles x(x_px, frame.columns);
    const between_tiles y(y_px, frame.rows);
    const float *upper = tiles + y.first * frame.columns;
    const float *lower = tiles + y.second * frame.columns;
    const float first = upper[x.first] + x.part * (upper[x.second] - upper[x.first]);
    const float second = lower[x.first] + x.part * (lower[x.second] - lower[x.first]);
    return first + y.part * (second - first);
}

static __device__ void make_layer_of_means(const dof_cuda_frame &frame)
{
    const dof_column column(frame);
    const uint32_t quarters = quarters_of(frame, (int)blockIdx.z)[column.group];
    const bool reached = is_reached(quarters, column.quarter);
    const dof_values offsets = offsets_of(frame);
    const dof_values sigmas = sigmas_of(frame, DOF_NEAR);
    const dof_layer layer = layer_of(frame, DOF_NEAR);
    float offsets_px[QUARTER_PIXELS] = {};
    if (!reads_of(frame, (int)blockIdx.z, DOF_NEAR)[column.group]) {
        return;
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            offsets_px[i] = offsets.load(column.x, column.row(i));
        }
    }
#pragma unroll
    for (int i = 0; i < QUARTER_PIXELS; i++) {
        if (i < column.count) {
            const float near = nearness(offsets_px[i]);
            layer.store(column.x, column.row(i),
                        make_float4(-near * offsets_px[i], near, 0.0f, 0.0f));
            if (reached) {
                sigmas.store(column.x, column.row(i), reach_at(frame, column.x, column.row(i)));
            }
        }
    }
}

#endif
