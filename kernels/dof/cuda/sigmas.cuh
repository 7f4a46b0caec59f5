/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The focus, and the offsets of dof.h, s. */
#pragma once

#include "kernels/cuda/mma.cuh"
#include "kernels/operator/gaze.h"
#include "memory.cuh"

/* ---- Depths */

DEVICE bool is_short(const fovea_depth &depth)
{
    return depth.format == FOVEA_DEPTH_FORMAT_D16 || depth.format == FOVEA_DEPTH_FORMAT_R16F;
}

DEVICE const char *depth_at(const fovea_depth &depth, int image, int x, int y)
{
    const int64_t stride = depth.pixel_stride_bytes ? (int64_t)depth.pixel_stride_bytes
                           : is_short(depth)        ? 2
                                                    : 4;
    return (const char *)depth.data + (int64_t)image * depth.next_bytes +
           (int64_t)y * depth.row_stride_bytes + x * stride;
}

DEVICE uint32_t depth_bits(const fovea_depth &depth, const char *at)
{
    return is_short(depth) ? __ldg((const unsigned short *)at) : __ldg((const unsigned int *)at);
}

DEVICE float depth_value(const fovea_depth &depth, uint32_t bits)
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

/* ---- Offsets. A block finds those of 8 x 8 tiles, a warp of a row of tiles, a lane of four rows
 * of four neighbours, which it has under way at once. Bound by memory: a depth in, a value out */

#define LANE_ROWS 4
#define LANE_PIXELS (4 * LANE_ROWS)

/* A pixel of unknown depth is in focus. */
DEVICE float offset_of(const dof_cuda_sigmas_params &params, const dof_cuda_focus &focus,
                       float value)
{
    const float most_px = params.frame.sigma_max_px;
    const float at = fmaf(value, params.step, params.start);
    const bool is_known = params.is_distance ? at > 0.0f : at < INFINITY;
    const float diopters =
        fminf(params.is_distance ? 1.0f / at : fmaxf(at, 0.0f), (float)DOF_MOST_DIOPTERS);
    const float offset_px = focus.px_per_diopter * (focus.diopters - diopters);
    const bool is_off = is_known && fabsf(offset_px) >= DOF_LEAST_OFFSET_PX;
    return is_off ? fminf(fmaxf(offset_px, -most_px), most_px) : 0.0f;
}

/* A lane's pixels, of which so many columns and rows lie in the picture. */
struct dof_lane {
    int x, y, columns, rows;

    MEMBER dof_lane(const dof_cuda_frame &frame)
        : x(DOF_CUDA_GROUP_PX * (int)blockIdx.x + 4 * ((int)threadIdx.x % 16)),
          y(DOF_CUDA_GROUP_PX * (int)blockIdx.y + DOF_CUDA_TILE_PX * (int)threadIdx.y +
            LANE_ROWS * ((int)threadIdx.x / 16)),
          columns(min(max(frame.width_px - x, 0), 4)),
          rows(columns > 0 ? min(max(frame.height_px - y, 0), LANE_ROWS) : 0)
    {
    }
};

DEVICE void load_depths(const fovea_depth &depth, const dof_lane &lane,
                        uint32_t (&bits)[LANE_PIXELS])
{
    const char *at = depth_at(depth, (int)blockIdx.z, lane.x, lane.y);
    const int64_t row_bytes = depth.row_stride_bytes;
    const bool has_fours =
        !is_short(depth) && (depth.pixel_stride_bytes == 0 || depth.pixel_stride_bytes == 4) &&
        (((uint64_t)depth.data | (uint64_t)row_bytes | (uint64_t)depth.next_bytes) & 15) == 0;
    if (has_fours && lane.columns == 4) {
#pragma unroll
        for (int j = 0; j < LANE_ROWS; j++) {
            const uint4 four =
                j < lane.rows ? __ldg((const uint4 *)(at + j * row_bytes)) : make_uint4(0, 0, 0, 0);
            bits[4 * j] = four.x;
            bits[4 * j + 1] = four.y;
            bits[4 * j + 2] = four.z;
            bits[4 * j + 3] = four.w;
        }
        return;
    }
    const int64_t stride = depth_at(depth, 0, 1, 0) - depth_at(depth, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < LANE_PIXELS; i++) {
        const bool is_inside = i % 4 < lane.columns && i / 4 < lane.rows;
        bits[i] = is_inside ? depth_bits(depth, at + i / 4 * row_bytes + i % 4 * stride) : 0;
    }
}

/* Depths that the format makes of bits; the compiler knows which. */
template <int FORMAT>
DEVICE void find_lane(const dof_cuda_sigmas_params &params, const dof_cuda_focus &focus,
                      const dof_lane &lane, const uint32_t (&bits)[LANE_PIXELS],
                      float (&offsets)[LANE_PIXELS])
{
    fovea_depth depth = params.depth;
    depth.format = (fovea_depth_format)FORMAT;
#pragma unroll
    for (int i = 0; i < LANE_PIXELS; i++) {
        const float offset_px = offset_of(params, focus, depth_value(depth, bits[i]));
        offsets[i] = i % 4 < lane.columns && i / 4 < lane.rows ? offset_px : 0.0f;
    }
}

/* Rows of memory go on to whole fours. */
DEVICE void store_offsets(const dof_cuda_frame &frame, const dof_lane &lane,
                          const float (&offsets)[LANE_PIXELS])
{
#pragma unroll
    for (int j = 0; j < LANE_ROWS; j++) {
        const float *four = offsets + 4 * j;
        if (j < lane.rows && frame.are_floats) {
            *(float4 *)offsets_of<true>(frame).at(lane.x, lane.y + j) =
                make_float4(four[0], four[1], four[2], four[3]);
        } else if (j < lane.rows) {
            *(uint2 *)offsets_of<false>(frame).at(lane.x, lane.y + j) =
                make_uint2(mma_rounded(four[0], four[1]), mma_rounded(four[2], four[3]));
        }
    }
}

DEVICE float larger_at(float value, int lanes_apart)
{
    return fmaxf(value, __shfl_xor_sync(~0u, value, lanes_apart));
}

/* The largest of a warp's lanes. */
DEVICE float largest_of_warp(float value)
{
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
        value = larger_at(value, apart);
    }
    return value;
}

/* Returns the largest sigma before the focus of a row of tiles; in `far`, of the lanes of either
 * half of it, the largest behind. */
DEVICE float find_tiles(const dof_cuda_sigmas_params &params, const dof_cuda_focus &focus,
                        float &far)
{
    const dof_cuda_frame &frame = params.frame;
    const dof_lane lane(frame);
    uint32_t bits[LANE_PIXELS];
    float offsets[LANE_PIXELS];
    float most = 0.0f;
    far = 0.0f;
    load_depths(params.depth, lane, bits);
    switch (params.depth.format) {
    case FOVEA_DEPTH_FORMAT_D16:
        find_lane<FOVEA_DEPTH_FORMAT_D16>(params, focus, lane, bits, offsets);
        break;
    case FOVEA_DEPTH_FORMAT_D24:
        find_lane<FOVEA_DEPTH_FORMAT_D24>(params, focus, lane, bits, offsets);
        break;
    case FOVEA_DEPTH_FORMAT_R16F:
        find_lane<FOVEA_DEPTH_FORMAT_R16F>(params, focus, lane, bits, offsets);
        break;
    default:
        find_lane<FOVEA_DEPTH_FORMAT_R32F>(params, focus, lane, bits, offsets);
    }
    store_offsets(frame, lane, offsets);
#pragma unroll
    for (int i = 0; i < LANE_PIXELS; i++) {
        most = fmaxf(most, -offsets[i]);
        far = fmaxf(far, offsets[i]);
    }
    most = larger_at(larger_at(most, 1), 16);
    far = larger_at(larger_at(larger_at(larger_at(far, 1), 2), 4), 16);
    const int column = lane.x / DOF_CUDA_TILE_PX;
    const int row = DOF_CUDA_GROUP_TILES * (int)blockIdx.y + (int)threadIdx.y;
    if (threadIdx.x < 16 && threadIdx.x % 2 == 0 && column < frame.columns && row < frame.rows) {
        tiles_at(frame, frame.memory.tiles)[row * frame.columns + column] = most;
    }
    return larger_at(larger_at(larger_at(most, 2), 4), 8);
}

static __device__ void find_offsets(const dof_cuda_sigmas_params &params)
{
    __shared__ float rows[DOF_CUDA_GROUP_TILES];
    __shared__ float far_rows[DOF_CUDA_GROUP_TILES][2];
    const dof_cuda_frame &frame = params.frame;
    const dof_cuda_focus focus = ((const dof_cuda_focus *)frame.memory.focuses)[blockIdx.z];
    const int group = group_of_block(frame);
    const int thread = (int)(32 * threadIdx.y + threadIdx.x);
    float far;
    const float most = find_tiles(params, focus, far);
    if (threadIdx.x % 8 == 0 && threadIdx.x < 16) {
        rows[threadIdx.y] = most;
        far_rows[threadIdx.y][threadIdx.x / 8] = far;
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
