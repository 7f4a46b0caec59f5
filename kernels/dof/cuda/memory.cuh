/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A block's image of the pictures between the steps of dof (params.h). */
#ifndef FOVEA_KERNELS_DOF_CUDA_MEMORY_CUH
#define FOVEA_KERNELS_DOF_CUDA_MEMORY_CUH

#include "kernels/image/image.cuh"
#include "params.h"

#define DOF_LAYER_PX 1.0f /* of sigma, from where a pixel is all near, or all behind */
#define SHARP_PX 0.1f /* below it the machine leaves a pixel as it is */

enum { DOF_NEAR, DOF_BEHIND }; /* of a pair */

static __device__ __forceinline__ float clamped(float value, float least, float most)
{
    return value < least ? least : value > most ? most : value;
}

/* How much of a pixel is near. */
static __device__ __forceinline__ float nearness(float offset_px)
{
    return clamped(-offset_px * (1.0f / DOF_LAYER_PX), 0.0f, 1.0f);
}

/* Picture `number` of pictures of values, or of layers. */
struct dof_picture {
    uint64_t at;
    int are_floats;
    int pitch;

    __device__ dof_picture(const dof_cuda_frame &frame, uint64_t first, int number, int channels)
        : at(first + (uint64_t)number * frame.height_px * frame.pitch_px * channels *
                         (frame.are_floats ? 4 : 2)),
          are_floats(frame.are_floats), pitch(frame.pitch_px)
    {
    }
    __device__ int64_t index(int x, int y) const
    {
        return (int64_t)y * pitch + x;
    }
};

struct dof_values : dof_picture {
    __device__ dof_values(const dof_cuda_frame &frame, uint64_t first, int number)
        : dof_picture(frame, first, number, 1)
    {
    }
    __device__ __forceinline__ float load(int x, int y) const
    {
        return are_floats ? ((const float *)at)[index(x, y)]
                          : __half2float(((const __half *)at)[index(x, y)]);
    }
    __device__ __forceinline__ void store(int x, int y, float value) const
    {
        if (are_floats) {
            ((float *)at)[index(x, y)] = value;
        } else {
            ((__half *)at)[index(x, y)] = __float2half_rn(value);
        }
    }
};

struct dof_layer : dof_picture {
    __device__ dof_layer(const dof_cuda_frame &frame, uint64_t first, int number)
        : dof_picture(frame, first, number, 4)
    {
    }
    __device__ __forceinline__ float4 load(int x, int y) const
    {
        return are_floats ? ((const float4 *)at)[index(x, y)]
                          : pixel<FOVEA_FORMAT_RGBA16F>::decode(((const uint2 *)at)[index(x, y)]);
    }
    __device__ __forceinline__ void store(int x, int y, float4 value) const
    {
        if (are_floats) {
            ((float4 *)at)[index(x, y)] = value;
        } else {
            ((uint2 *)at)[index(x, y)] = pixel<FOVEA_FORMAT_RGBA16F>::encode(value);
        }
    }
};

static __device__ __forceinline__ dof_values offsets_of(const dof_cuda_frame &frame)
{
    return {frame, frame.memory.offsets, (int)blockIdx.z};
}

static __device__ __forceinline__ dof_values sigmas_of(const dof_cuda_frame &frame, int which)
{
    return {frame, frame.memory.sigmas, 2 * (int)blockIdx.z + which};
}

static __device__ __forceinline__ dof_layer layer_of(const dof_cuda_frame &frame, int which)
{
    return {frame, frame.memory.layers, 2 * (int)blockIdx.z + which};
}

static __device__ __forceinline__ dof_layer made_of(const dof_cuda_frame &frame, int which)
{
    return {frame, frame.memory.made, 2 * (int)blockIdx.z + which};
}

static __device__ __forceinline__ dof_values alpha_layer_of(const dof_cuda_frame &frame, int which)
{
    return {frame, frame.memory.alpha_layers, 2 * (int)blockIdx.z + which};
}

static __device__ __forceinline__ dof_values alpha_made_of(const dof_cuda_frame &frame, int which)
{
    return {frame, frame.memory.alpha_made, 2 * (int)blockIdx.z + which};
}

static __device__ __forceinline__ float *tiles_at(const dof_cuda_frame &frame, uint64_t first)
{
    return (float *)first + (int64_t)blockIdx.z * frame.columns * frame.rows;
}

static __device__ __forceinline__ float *groups_of(const dof_cuda_frame &frame)
{
    return (float *)frame.memory.groups +
           (int64_t)blockIdx.z * frame.group_columns * frame.group_rows;
}

/* Anything of the image is near. */
static __device__ __forceinline__ bool has_near(const dof_cuda_frame &frame)
{
    return ((const uint32_t *)frame.memory.wanted_means)[blockIdx.z] != 0;
}

/* ---- What is made of a picture: a block looks at its group */

static __device__ __forceinline__ int group_of_block(const dof_cuda_frame &frame)
{
    return (int)blockIdx.y * frame.group_columns + (int)blockIdx.x;
}

static __device__ __forceinline__ int groups_in(const dof_cuda_frame &frame)
{
    return frame.group_columns * frame.group_rows;
}

static __device__ __forceinline__ uint8_t *quarters_of(const dof_cuda_frame &frame, int image)
{
    return (uint8_t *)frame.memory.quarters + (int64_t)image * groups_in(frame);
}

static __device__ __forceinline__ uint8_t *reads_of(const dof_cuda_frame &frame, int image,
                                                    int which)
{
    return (uint8_t *)frame.memory.reads + (2 * (int64_t)image + which) * groups_in(frame);
}

/* Returns that of a group of this block's image. */
static __device__ __forceinline__ float *farthest_of(const dof_cuda_frame &frame, int group)
{
    return (float *)frame.memory.farthest +
           DOF_CUDA_QUARTERS * ((int64_t)blockIdx.z * groups_in(frame) + group);
}

/* The quarters that are made of a layer. */
static __device__ __forceinline__ uint32_t *list_of(const dof_cuda_frame &frame, int layer)
{
    return (uint32_t *)frame.memory.lists + (int64_t)layer * groups_in(frame) * DOF_CUDA_QUARTERS;
}

static __device__ __forceinline__ uint32_t *listed_of(const dof_cuda_frame &frame, int layer)
{
    return (uint32_t *)frame.memory.listed + layer;
}

static __device__ __forceinline__ bool is_blurred(uint32_t quarters, int quarter)
{
    return (quarters & DOF_CUDA_BLURRED << quarter) != 0;
}

static __device__ __forceinline__ bool is_reached(uint32_t quarters, int quarter)
{
    return (quarters & DOF_CUDA_REACHED << quarter) != 0;
}

/* A thread's pixels of a quarter, one below the other. */
#define QUARTER_PX (DOF_CUDA_GROUP_PX / 2)
#define QUARTER_PIXELS (QUARTER_PX / DOF_CUDA_SIDE_Y)

struct dof_column {
    int group;
    int quarter; /* of it, the block's */
    int x, y; /* of the first */
    int count; /* of those that lie in the picture */

    __device__ __forceinline__ dof_column(const dof_cuda_frame &frame)
    {
        group = (int)blockIdx.y / 2 * frame.group_columns + (int)blockIdx.x / 2;
        quarter = (int)(blockIdx.y % 2 * 2 + blockIdx.x % 2);
        x = QUARTER_PX * (int)blockIdx.x + (int)threadIdx.x;
        y = QUARTER_PX * (int)blockIdx.y + (int)threadIdx.y;
        const int rows = (frame.height_px - y + DOF_CUDA_SIDE_Y - 1) / DOF_CUDA_SIDE_Y;
        count = x < frame.width_px ? min(max(rows, 0), QUARTER_PIXELS) : 0;
    }
    __device__ __forceinline__ int row(int i) const
    {
        return y + DOF_CUDA_SIDE_Y * i;
    }
};

#endif
