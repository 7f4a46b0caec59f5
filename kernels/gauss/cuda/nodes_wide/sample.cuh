/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Samples of the smooth method's levels: how one is stored, what a pixel is as a sample, and where
 * those of a level lie. Tiles have four halves a sample, 32-bit floats four floats. Alpha is stored
 * around the middle of its range, where halves are closest; light as it is, or by
 * IMAGE_LIGHT_SCALE, since levels lie closest in the dark. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_SAMPLE_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_SAMPLE_CUH

#include "kernels/cuda/ptx.cuh"
#include "kernels/gauss/cuda/common/params.h"
#include "kernels/image/light.cuh"

struct half_sample {
    uint2 halves;

    static __device__ half_sample of(float4 v)
    {
        const __half2 xy = __floats2half2_rn(v.x, v.y);
        const __half2 zw = __floats2half2_rn(v.z, v.w);
        return {make_uint2(*(const uint32_t *)&xy, *(const uint32_t *)&zw)};
    }
    static __device__ half_sample load(const half_sample *from) /* nobody writes there */
    {
        return {__ldg((const uint2 *)from)};
    }
    __device__ float4 value() const
    {
        const float2 xy = __half22float2(*(const __half2 *)&halves.x);
        const float2 zw = __half22float2(*(const __half2 *)&halves.y);
        return make_float4(xy.x, xy.y, zw.x, zw.y);
    }
};

struct float_sample {
    float4 floats;

    static __device__ float_sample of(float4 v)
    {
        return {v};
    }
    static __device__ float_sample load(const float_sample *from)
    {
        return {__ldg(&from->floats)};
    }
    __device__ float4 value() const
    {
        return floats;
    }
};

/* ---- Pixels as samples and back */

/* Returns the stored value of 0: levels of UNORM formats, without light, have their middle
 * there. */
template <typename Pixel> static __device__ inline float4 sample_middle(int light)
{
    const float color = light ? 0.0f : 0.5f * Pixel::white;
    return make_float4(color, color, color, 0.5f * Pixel::alpha_white);
}

template <typename Pixel>
static __device__ inline float4 sample_of_pixel(typename Pixel::word word, const frame_light &light)
{
    const float4 levels = Pixel::decode(word);
    const float4 v = light.kind ? levels_to_light<Pixel>(levels, light) : levels;
    const float4 middle = sample_middle<Pixel>(light.kind);
    return make_float4(v.x - middle.x, v.y - middle.y, v.z - middle.z, v.w - middle.w);
}

template <typename Pixel>
static __device__ inline typename Pixel::word pixel_of_sample(float4 v, const frame_light &light)
{
    const float4 middle = sample_middle<Pixel>(light.kind);
    const float4 moved =
        make_float4(v.x + middle.x, v.y + middle.y, v.z + middle.z, v.w + middle.w);
    return Pixel::encode(light.kind ? light_to_levels<Pixel>(moved, light) : moved);
}

/* The display's samples lie behind the law's table. */
template <typename Plan>
static __device__ inline frame_light light_of(const gauss_frame &frame, const Plan &plan)
{
    return frame_light(frame.light, frame.light_value,
                       (const float *)plan.table + plan.law.table_count);
}

static __device__ __forceinline__ float channel_of(const float4 &v, int c)
{
    return c == 0 ? v.x : c == 1 ? v.y : c == 2 ? v.z : v.w;
}

/* ---- Levels */

template <typename Sample> struct sample_level {
    Sample *origin; /* sample (0, 0) */
    int pitch;
    int first; /* along either axis */
    int last_x;
    int last_y;

    __device__ sample_level(const gauss_cuda_smooth &smooth, int k)
    {
        const gauss_level &level = smooth.levels[k];
        const int margin = gauss_level_margin(k);
        pitch = level.pitch;
        first = -margin;
        last_x = level.width + margin - 1;
        last_y = level.height + margin - 1;
        origin = (Sample *)smooth.samples + blockIdx.z * smooth.next_samples + level.first +
                 margin * pitch + margin;
        if (k == 0 && smooth.picture) {
            origin = (Sample *)(smooth.picture + blockIdx.z * smooth.picture_next_bytes);
            pitch = smooth.picture_pitch;
        }
    }

    __device__ float4 value(int x, int y) const
    {
        return row(y)[column(x)].value();
    }
    /* Rows and columns of any number; beyond the margins the picture is constant. */
    __device__ Sample *row(int y) const
    {
        return origin + (ptrdiff_t)min(max(y, first), last_y) * pitch;
    }
    __device__ int column(int x) const
    {
        return min(max(x, first), last_x);
    }
    /* Returns how many samples lie before a row; plus a column, it is a sample's index. */
    __device__ int row_at(int y) const
    {
        return min(max(y, first), last_y) * pitch;
    }
    __device__ Sample load(int at) const
    {
        return Sample::load(
            (const Sample *)ptx_mad_wide(at, (int)sizeof(Sample), (const char *)origin));
    }
};

#endif
