/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A block's image of the pictures between the steps of dof (params.h). */
#ifndef FOVEA_KERNELS_DOF_CUDA_MEMORY_CUH
#define FOVEA_KERNELS_DOF_CUDA_MEMORY_CUH

#include "kernels/image/image.cuh"
#include "params.h"

#define DOF_LAYER_PX 1.0f /* of sigma, from where a pixel is all near, or all behind */

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

static __device__ __forceinline__ bool find_pixel(const dof_cuda_frame &frame, int &x, int &y)
{
    x = (int)(blockIdx.x * DOF_CUDA_SIDE_X + threadIdx.x);
    y = (int)(blockIdx.y * DOF_CUDA_SIDE_Y + threadIdx.y);
    return x < frame.width_px && y < frame.height_px;
}

#endif
