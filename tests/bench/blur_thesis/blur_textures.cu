/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's ways that read through texture units, a thread a pixel: those of its pyramids, and
 * those that it has in GLSL, whose fragment shaders read so too. Places are texels, of which a
 * whole number and a half is the middle; between these the units weigh.
 *
 *     copy             one look-up and one write
 *     convolve_*, rows, columns   weights in constant memory, as a uniform buffer has them, or in a
 *                      texture, as a texture buffer has them; unrolled: as many as 19 or 37
 *     down_box         2x2: one look-up;  down_quasi: 13 19 19 13 of 64 by four
 *     down_left, mean_right   4x4 in two passes
 *     up               a biquadratic B-spline: one look-up
 *     diffuse          a step of the heat equation: with c = 1/4 the middle falls out, so four
 * look-ups */

#include "blur_place.cuh"

__constant__ float blur_textures_weights[BLUR_THESIS_WEIGHTS];
#ifdef FOVEA_CUDA_HOST
CUDA_HOST_CONSTANT(blur_textures_weights)
#endif

namespace {

__device__ float4 look_up(const blur_thesis_params &p, float x, float y)
{
    return tex2D<float4>((cudaTextureObject_t)p.src, x, y);
}

__device__ void store(const blur_thesis_params &p, place at, float4 v)
{
    if (at.inside) {
        ((float4 *)p.dst)[(size_t)at.y * p.width_px + at.x] = v;
    }
}

__device__ void add(float4 &sum, float weight, float4 v)
{
    sum.x += weight * v.x;
    sum.y += weight * v.y;
    sum.z += weight * v.z;
    sum.w += weight * v.w;
}

template <bool kTexture> __device__ float weight_at(const blur_thesis_params &p, int i)
{
    return kTexture ? tex1Dfetch<float>((cudaTextureObject_t)p.weights, i)
                    : blur_textures_weights[i];
}

template <int kTaps, bool kTexture> __device__ void convolve(const blur_thesis_params &p)
{
    const place at = own_place(p);
    const int taps = kTaps > 0 ? kTaps : p.taps;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int y = 0; y < taps; y++) {
#pragma unroll(kTaps > 0 ? kTaps : 1)
        for (int x = 0; x < taps; x++) {
            add(sum, weight_at<kTexture>(p, y * taps + x),
                look_up(p, (float)(at.x + x - taps / 2) + 0.5f,
                        (float)(at.y + y - taps / 2) + 0.5f));
        }
    }
    store(p, at, sum);
}

template <bool kRows> __device__ void separable(const blur_thesis_params &p)
{
    const place at = own_place(p);
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i = 0; i < p.taps; i++) {
        const float off = (float)(i - p.taps / 2);
        add(sum, blur_textures_weights[i],
            look_up(p, (float)at.x + 0.5f + (kRows ? off : 0.0f),
                    (float)at.y + 0.5f + (kRows ? 0.0f : off)));
    }
    store(p, at, sum);
}

__device__ void copy(const blur_thesis_params &p)
{
    const place at = own_place(p);
    store(p, at, look_up(p, (float)at.x + 0.5f, (float)at.y + 0.5f));
}

__device__ void down_box(const blur_thesis_params &p)
{
    const place at = own_place(p);
    store(p, at, look_up(p, 2.0f * at.x + 1.0f, 2.0f * at.y + 1.0f));
}

/* Between two pixels of which the farther has 13 of 32. */
__device__ void down_quasi(const blur_thesis_params &p)
{
    const place at = own_place(p);
    const float off = 0.5f + 13.0f / 32.0f;
    const float x = 2.0f * at.x + 1.0f;
    const float y = 2.0f * at.y + 1.0f;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    add(sum, 0.25f, look_up(p, x - off, y - off));
    add(sum, 0.25f, look_up(p, x + off, y - off));
    add(sum, 0.25f, look_up(p, x - off, y + off));
    add(sum, 0.25f, look_up(p, x + off, y + off));
    store(p, at, sum);
}

/* Half a coarse pixel to the left and up of down_box. */
__device__ void down_left(const blur_thesis_params &p)
{
    const place at = own_place(p);
    store(p, at, look_up(p, 2.0f * at.x, 2.0f * at.y));
}

/* The way back: it adds the mean of a coarse pixel, of the one right of it, and of those below. */
__device__ void mean_right(const blur_thesis_params &p)
{
    const place at = own_place(p);
    store(p, at, look_up(p, (float)at.x + 1.0f, (float)at.y + 1.0f));
}

__device__ void up(const blur_thesis_params &p)
{
    const place at = own_place(p);
    store(p, at, look_up(p, 0.5f * at.x + 0.25f, 0.5f * at.y + 0.25f));
}

__device__ void diffuse(const blur_thesis_params &p)
{
    const place at = own_place(p);
    const float x = (float)at.x + 0.5f;
    const float y = (float)at.y + 0.5f;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    add(sum, 0.25f, look_up(p, x - 1.0f, y));
    add(sum, 0.25f, look_up(p, x + 1.0f, y));
    add(sum, 0.25f, look_up(p, x, y - 1.0f));
    add(sum, 0.25f, look_up(p, x, y + 1.0f));
    store(p, at, sum);
}

} // namespace

#define KERNEL(name, does)                                                                         \
    extern "C" __global__ void __launch_bounds__(BLUR_THESIS_TILE *BLUR_THESIS_TILE)               \
        blur_textures_##name(const __grid_constant__ blur_thesis_params p)                         \
    {                                                                                              \
        does(p);                                                                                   \
    }

KERNEL(copy, copy)
KERNEL(convolve, (convolve<0, false>))
KERNEL(convolve_weights, (convolve<0, true>))
KERNEL(convolve_unrolled_19, (convolve<BLUR_THESIS_TAPS_3, false>))
KERNEL(convolve_unrolled_37, (convolve<BLUR_THESIS_TAPS_6, false>))
KERNEL(rows, separable<true>)
KERNEL(columns, separable<false>)
KERNEL(down_box, down_box)
KERNEL(down_quasi, down_quasi)
KERNEL(down_left, down_left)
KERNEL(mean_right, mean_right)
KERNEL(up, up)
KERNEL(diffuse, diffuse)
