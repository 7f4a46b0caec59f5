/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Ways of others, a thread a pixel; all write every pixel, black where there is no source.
 *
 *     grid     a float image of 128 x 128 places, sampled between its points, as runtimes of
 *              headsets do; one place for all colours
 *     grid_3   the same with a grid for each colour, as those runtimes undo chromatic aberration
 *     map      a place of two floats for every pixel */

#include "lens_peers.h"

namespace {

__device__ bool own_pixel(const lens_peers_params &p, int &x, int &y)
{
    x = blockIdx.x * LENS_PEERS_SIDE + threadIdx.x;
    y = blockIdx.y * LENS_PEERS_SIDE + threadIdx.y;
    return x < p.width_px && y < p.height_px;
}

/* The outermost points of a grid lie on the picture's edges. */
__device__ float2 place_of(const lens_peers_params &p, uint64_t grid, int x, int y)
{
    const float u = ((float)x + 0.5f) / (float)p.width_px;
    const float v = ((float)y + 0.5f) / (float)p.height_px;
    const float last = LENS_PEERS_GRID - 1;
    return tex2D<float2>(grid, u * last + 0.5f, v * last + 0.5f);
}

__device__ float4 tap(const lens_peers_params &p, float u, float v)
{
    const bool inside = u >= 0.0f && v >= 0.0f && u < 1.0f && v < 1.0f;
    return inside ? tex2D<float4>(p.src, u * (float)p.width_px, v * (float)p.height_px)
                  : make_float4(0.0f, 0.0f, 0.0f, 1.0f);
}

__device__ uint32_t byte_of(float value)
{
    return (uint32_t)(value * 255.0f + 0.5f);
}

__device__ void store(const lens_peers_params &p, int x, int y, float4 v)
{
    ((uint32_t *)p.dst)[y * p.width_px + x] =
        byte_of(v.x) | byte_of(v.y) << 8 | byte_of(v.z) << 16 | byte_of(v.w) << 24;
}

} // namespace

#define KERNEL(name)                                                                               \
    extern "C" __global__ void __launch_bounds__(LENS_PEERS_SIDE *LENS_PEERS_SIDE)                 \
        lens_peers_##name(const __grid_constant__ lens_peers_params p)

KERNEL(grid)
{
    int x;
    int y;
    if (own_pixel(p, x, y)) {
        const float2 place = place_of(p, p.grids[1], x, y);
        store(p, x, y, tap(p, place.x, place.y));
    }
}

KERNEL(grid_3)
{
    int x;
    int y;
    if (own_pixel(p, x, y)) {
        const float2 red = place_of(p, p.grids[0], x, y);
        const float2 green = place_of(p, p.grids[1], x, y);
        const float2 blue = place_of(p, p.grids[2], x, y);
        float4 v = tap(p, green.x, green.y);
        v.x = tap(p, red.x, red.y).x;
        v.z = tap(p, blue.x, blue.y).z;
        store(p, x, y, v);
    }
}

KERNEL(map)
{
    int x;
    int y;
    if (own_pixel(p, x, y)) {
        const float2 px = ((const float2 *)p.map)[y * p.width_px + x];
        store(p, x, y, tap(p, px.x / (float)p.width_px, px.y / (float)p.height_px));
    }
}
