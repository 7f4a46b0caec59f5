/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* sigma on the device: at a place, its range over a square, and from that what a tile is made of. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_SIGMA_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_SIGMA_CUH

#include "foveate_tile_params.h"

/* To a part in two million. */
static __device__ __forceinline__ float root_of(float x)
{
#if defined(__CUDA_ARCH__)
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return sqrtf(x);
#endif
}

/* A view's law with its gaze. */
struct tile_law {
    const foveate_tiles &tiles;
    float gaze_x;
    float gaze_y;
    bool blurs;
    int level_count; /* that this gaze may need */

    __device__ __forceinline__ tile_law(const foveate_tiles &plan, const foveate_frame &frame)
        : tiles(plan), gaze_x((float)frame.gaze_x_q8 / 256.0f),
          gaze_y((float)frame.gaze_y_q8 / 256.0f), blurs(frame.gaze_x_q8 != FOVEATE_GAZE_NONE),
          level_count(foveate_tile_level_count(&plan, &frame))
    {
    }

    __device__ __forceinline__ float table(float at) const
    {
        const float *entries = (const float *)tiles.table;
        const float last = (float)(tiles.law.table_count - 1);
        const float place = fminf(at * tiles.law.table_per_unit, last);
        const int below = (int)fminf(place, last - 1.0f);
        const float low = __ldg(entries + below);
        return low + (place - (float)below) * (__ldg(entries + below + 1) - low);
    }

    /* Not inlined: many times in a row it would be most of a kernel. */
    __device__ __noinline__ float projected(float x, float y) const
    {
        const foveate_law &law = tiles.law;
        const foveate_ray pixel = foveate_law_ray(&law, x - 0.5f, y - 0.5f);
        const foveate_ray gaze = foveate_law_ray(&law, gaze_x - 0.5f, gaze_y - 0.5f);
        const float per_radian = (1.0f + pixel.x * pixel.x + pixel.y * pixel.y) *
                                 rsqrtf(law.tan_x_per_px * law.tan_y_per_px);
        return table(foveate_law_angle_deg(pixel, gaze)) * per_radian * 0.01745329252f;
    }

    /* Before the ramp. */
    __device__ __forceinline__ float plain(float x, float y) const
    {
        if (tiles.law.kind != FOVEATE_LAW_RADIAL) {
            return projected(x, y);
        }
        return radial(x, y);
    }
    __device__ __forceinline__ float radial(float x, float y) const
    {
        const float dx = x - gaze_x;
        const float dy = y - gaze_y;
        return table(root_of(dx * dx + dy * dy));
    }
    __device__ __forceinline__ float applied(float plain_px) const
    {
        return tiles.law.strength * foveate_law_ramp(plain_px, tiles.law.sharp_px);
    }
    /* foveate_law_sigma_at without the maps, which never get here. */
    __device__ __forceinline__ float at(float x, float y) const
    {
        return applied(plain(x, y));
    }

    __device__ __forceinline__ float of_pixel(int x, int y) const
    {
        return at((float)x + 0.5f, (float)y + 0.5f);
    }
};

/* ---- Ranges */

struct tile_range {
    float low;
    float high;
};

struct tile_area {
    float x, y;
    float width, height;
};

/* sigma at three places along either axis, of an area's edges and middle. */
struct tile_sigmas {
    float at[3][3];
};

static __device__ __forceinline__ tile_sigmas sigmas_in(const tile_law &law, const tile_area &area)
{
    tile_sigmas sigmas;
    const bool radial = law.tiles.law.kind == FOVEATE_LAW_RADIAL;
#pragma unroll
    for (int i = 0; i < 9; i++) {
        const float x = area.x + (float)(i % 3) * 0.5f * area.width;
        const float y = area.y + (float)(i / 3) * 0.5f * area.height;
        float &sigma_px = sigmas.at[i / 3][i % 3];
        if (radial) {
            sigma_px = law.applied(law.radial(x, y));
        } else {
            sigma_px = law.applied(law.projected(x, y));
        }
    }
    return sigmas;
}

/* Of any law: at nine places, and what sigma can differ by between them and the places in between. */
static __device__ __forceinline__ tile_range range_of(const tile_law &law, const tile_area &area,
                                                      const tile_sigmas &sigmas)
{
    tile_range range = {sigmas.at[0][0], sigmas.at[0][0]};
#pragma unroll
    for (int i = 1; i < 9; i++) {
        range.low = fminf(range.low, sigmas.at[i / 3][i % 3]);
        range.high = fmaxf(range.high, sigmas.at[i / 3][i % 3]);
    }
    const float reach = law.tiles.slope * 0.25f * (area.width + area.height);
    return {range.low - reach, range.high + reach};
}

struct tile_distances {
    float nearest; /* squared */
    float farthest;
};

static __device__ __forceinline__ tile_distances distances_of(const tile_law &law,
                                                              const tile_area &area)
{
    const float half_x = 0.5f * area.width;
    const float half_y = 0.5f * area.height;
    const float x = fabsf(law.gaze_x - area.x - half_x);
    const float y = fabsf(law.gaze_y - area.y - half_y);
    const float near_x = fmaxf(x - half_x, 0.0f);
    const float near_y = fmaxf(y - half_y, 0.0f);
    const float far_x = x + half_x;
    const float far_y = y + half_y;
    return {near_x * near_x + near_y * near_y, far_x * far_x + far_y * far_y};
}

/* Of a law that only rises with the distance it is at the nearest place and the farthest corner. */
static __device__ __forceinline__ tile_range range_over(const tile_law &law, const tile_area &area)
{
    if (law.tiles.radial) {
        const tile_distances distances = distances_of(law, area);
        return {law.applied(law.table(root_of(distances.nearest))),
                law.applied(law.table(root_of(distances.farthest)))};
    }
    return range_of(law, area, sigmas_in(law, area));
}

/* The same by a whole warp together. */
static __device__ __forceinline__ tile_range range_by_warp(const tile_law &law,
                                                           const tile_area &area)
{
    const int i = min((int)threadIdx.x % 32, 8);
    const float sigma_px = law.at(area.x + (float)(i % 3) * 0.5f * area.width,
                                  area.y + (float)(i / 3) * 0.5f * area.height);
    tile_range range = {sigma_px, sigma_px};
#pragma unroll
    for (int k = 8; k > 0; k >>= 1) {
        range.low = fminf(range.low, __shfl_xor_sync(~0u, range.low, k));
        range.high = fmaxf(range.high, __shfl_xor_sync(~0u, range.high, k));
    }
    const float reach = law.tiles.slope * 0.25f * (area.width + area.height);
    return {range.low - reach, range.high + reach};
}

/* ---- Kinds */

static __device__ __forceinline__ uint32_t tile_entry(int kind, int radius, int x, int y)
{
    return (uint32_t)kind << FOVEATE_TILE_KIND_SHIFT |
           (uint32_t)radius << FOVEATE_TILE_RADIUS_SHIFT | (uint32_t)y << FOVEATE_TILE_ROW_SHIFT |
           (uint32_t)x;
}

/* Of the picture itself: a quarter, or a square. */
static __device__ __forceinline__ uint32_t entry_of_picture(const tile_law &law, bool square, int x,
                                                            int y)
{
    const float px = FOVEATE_TILE_QUARTER_PX;
    const float side = square ? FOVEATE_TILE_PX : FOVEATE_TILE_QUARTER_PX;
    const tile_range range = range_over(law, {(float)x * px, (float)y * px, side, side});
    const uint32_t bit = (uint32_t)square << FOVEATE_TILE_SQUARE_BIT;
    if (!law.blurs || range.high * FOVEATE_REACH < 1.0f) {
        return tile_entry(FOVEATE_TILE_COPIED, 0, x, y) | bit;
    }
    const int radius = foveate_tile_radius(&law.tiles.limits, range.high);
    const int kind = radius == 0 ? FOVEATE_TILE_GATHERED : FOVEATE_TILE_LEVEL_0;
    return tile_entry(kind, radius, x, y) | bit;
}

#endif
