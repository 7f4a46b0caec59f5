/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A block's image of the pictures between the steps of dof (params.h). */
#pragma once

#include "kernels/dof/weights.h"
#include "kernels/image/image.cuh"
#include "params.h"

#define SHARP_PX 0.1f /* below it the machine leaves a pixel as it is */

enum { DOF_NEAR, DOF_BEHIND, DOF_MEANS }; /* layers; the first two are pairs */

DEVICE float dof_number(float bits)
{
    return bits;
}
DEVICE float dof_number(uint16_t bits)
{
    return __half2float(__ushort_as_half(bits));
}
DEVICE float4 dof_number(float4 bits)
{
    return bits;
}
DEVICE float4 dof_number(uint2 bits)
{
    return pixel<FOVEA_FORMAT_RGBA16F>::decode(bits);
}
DEVICE void dof_put(float &to, float value)
{
    to = value;
}
DEVICE void dof_put(uint16_t &to, float value)
{
    to = __half_as_ushort(__float2half_rn(value));
}
DEVICE void dof_put(float4 &to, const float4 &value)
{
    to = value;
}
DEVICE void dof_put(uint2 &to, const float4 &value)
{
    to = pixel<FOVEA_FORMAT_RGBA16F>::encode(value);
}

/* Picture `number` of pictures of values, or of layers. Bits are loaded first and made numbers when
 * all loads are under way. */
template <typename Bits> struct dof_pixels {
    Bits *first;
    int pitch;

    MEMBER dof_pixels(const dof_cuda_frame &frame, uint64_t pictures, int number)
        : first((Bits *)pictures + (int64_t)number * frame.height_px * frame.pitch_px),
          pitch(frame.pitch_px)
    {
    }
    MEMBER Bits *at(int x, int y) const
    {
        return first + ((int64_t)y * pitch + x);
    }
    MEMBER Bits bits(int x, int y) const
    {
        return *at(x, y);
    }
    template <typename Value> MEMBER void store(int x, int y, Value value) const
    {
        dof_put(*at(x, y), value);
    }
};

template <bool FLOATS> struct dof_bits {
    typedef uint16_t value;
    typedef uint2 layer;
};
template <> struct dof_bits<true> {
    typedef float value;
    typedef float4 layer;
};
template <bool FLOATS> using dof_values = dof_pixels<typename dof_bits<FLOATS>::value>;
template <bool FLOATS> using dof_layer = dof_pixels<typename dof_bits<FLOATS>::layer>;

template <bool FLOATS> DEVICE dof_values<FLOATS> offsets_of(const dof_cuda_frame &frame)
{
    return {frame, frame.memory.offsets, (int)blockIdx.z};
}

template <bool FLOATS> DEVICE dof_values<FLOATS> sigmas_of(const dof_cuda_frame &frame, int which)
{
    return {frame, frame.memory.sigmas, 2 * (int)blockIdx.z + which};
}

DEVICE dof_layer<true> layer_of(const dof_cuda_frame &frame, int which)
{
    return {frame, frame.memory.layers, 2 * (int)blockIdx.z + which};
}

/* Colours as they are averaged, and the offset. */
DEVICE dof_layer<false> colours_of(const dof_cuda_frame &frame, int image)
{
    return {frame, frame.memory.layers, image};
}

template <bool FLOATS> DEVICE dof_layer<FLOATS> made_of(const dof_cuda_frame &frame, int which)
{
    return {frame, frame.memory.made, 2 * (int)blockIdx.z + which};
}

template <bool FLOATS>
DEVICE dof_values<FLOATS> alpha_layer_of(const dof_cuda_frame &frame, int which)
{
    return {frame, frame.memory.alpha_layers, 2 * (int)blockIdx.z + which};
}

template <bool FLOATS>
DEVICE dof_values<FLOATS> alpha_made_of(const dof_cuda_frame &frame, int which)
{
    return {frame, frame.memory.alpha_made, 2 * (int)blockIdx.z + which};
}

DEVICE float *tiles_at(const dof_cuda_frame &frame, uint64_t first)
{
    return (float *)first + (int64_t)blockIdx.z * frame.columns * frame.rows;
}

DEVICE float *groups_of(const dof_cuda_frame &frame)
{
    return (float *)frame.memory.groups +
           (int64_t)blockIdx.z * frame.group_columns * frame.group_rows;
}

/* Anything of the image is near. */
DEVICE bool has_near(const dof_cuda_frame &frame)
{
    return ((const uint32_t *)frame.memory.wanted_means)[blockIdx.z] != 0;
}

/* ---- What is made of a picture: a block looks at its group */

DEVICE int group_of_block(const dof_cuda_frame &frame)
{
    return (int)blockIdx.y * frame.group_columns + (int)blockIdx.x;
}

DEVICE int groups_in(const dof_cuda_frame &frame)
{
    return frame.group_columns * frame.group_rows;
}

DEVICE uint8_t *quarters_of(const dof_cuda_frame &frame, int image)
{
    return (uint8_t *)frame.memory.quarters + (int64_t)image * groups_in(frame);
}

DEVICE uint8_t *reads_of(const dof_cuda_frame &frame, int image, int which)
{
    return (uint8_t *)frame.memory.reads + (2 * (int64_t)image + which) * groups_in(frame);
}

/* Returns that of a group of this block's image. */
DEVICE float *farthest_of(const dof_cuda_frame &frame, int group)
{
    return (float *)frame.memory.farthest +
           DOF_CUDA_QUARTERS * ((int64_t)blockIdx.z * groups_in(frame) + group);
}

/* The quarters that are made of a layer. */
DEVICE uint32_t *list_of(const dof_cuda_frame &frame, int layer)
{
    return (uint32_t *)frame.memory.lists + (int64_t)layer * groups_in(frame) * DOF_CUDA_QUARTERS;
}

DEVICE uint32_t *listed_of(const dof_cuda_frame &frame, int layer)
{
    return (uint32_t *)frame.memory.listed + layer;
}

DEVICE bool is_blurred(uint32_t quarters, int quarter)
{
    return (quarters & DOF_CUDA_BLURRED << quarter) != 0;
}

DEVICE bool is_reached(uint32_t quarters, int quarter)
{
    return (quarters & DOF_CUDA_REACHED << quarter) != 0;
}

/* ---- d of pixels: two tiles around a place, and how far it is from the first's middle to the
 * other's */
struct between_tiles {
    int first, second;
    float part;

    MEMBER between_tiles(int px, int count)
    {
        const float place = ((float)px + 0.5f) / DOF_CUDA_TILE_PX - 0.5f;
        const float inside = dof_clamped(place, 0.0f, (float)(count - 1));
        first = (int)inside;
        second = min(first + 1, count - 1);
        part = inside - (float)first;
    }
};

DEVICE float reach_at(const dof_cuda_frame &frame, int x_px, int y_px)
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

/* A thread's pixels of a quarter, one below the other. */
#define QUARTER_PX (DOF_CUDA_GROUP_PX / 2)
#define QUARTER_PIXELS (QUARTER_PX / DOF_CUDA_SIDE_Y)

struct dof_column {
    int group;
    int quarter; /* of it, the block's */
    int x, y; /* of the first */
    int count; /* of those that lie in the picture */

    MEMBER dof_column(const dof_cuda_frame &frame)
    {
        group = (int)blockIdx.y / 2 * frame.group_columns + (int)blockIdx.x / 2;
        quarter = (int)(blockIdx.y % 2 * 2 + blockIdx.x % 2);
        x = QUARTER_PX * (int)blockIdx.x + (int)threadIdx.x;
        y = QUARTER_PX * (int)blockIdx.y + (int)threadIdx.y;
        const int rows = (frame.height_px - y + DOF_CUDA_SIDE_Y - 1) / DOF_CUDA_SIDE_Y;
        count = x < frame.width_px ? min(max(rows, 0), QUARTER_PIXELS) : 0;
    }
    MEMBER int row(int i) const
    {
        return y + DOF_CUDA_SIDE_Y * i;
    }
};

/* A thread's four neighbours of a quarter. Rows of memory go on to whole fours. */
struct dof_four {
    int group;
    int quarter; /* of it */
    int x, y; /* of the first */
    bool is_inside;

    MEMBER dof_four(const dof_cuda_frame &frame, int block_x, int block_y)
    {
        const int thread = (int)(DOF_CUDA_SIDE_X * threadIdx.y + threadIdx.x);
        group = block_y / 2 * frame.group_columns + block_x / 2;
        quarter = block_y % 2 * 2 + block_x % 2;
        x = QUARTER_PX * block_x + thread % (QUARTER_PX / 4) * 4;
        y = QUARTER_PX * block_y + thread / (QUARTER_PX / 4);
        is_inside = x < frame.width_px && y < frame.height_px;
    }
};
static_assert(QUARTER_PX * QUARTER_PX / 4 == DOF_CUDA_SIDE_X * DOF_CUDA_SIDE_Y, "a thread each");
