/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Sigma on the device: at a place, its range over a square, and the kind of tile that follows from
 * it, as an entry of the list. */
#pragma once

#include "kernels/gauss/cuda/common/image.cuh"
#include "params.h"

/* The sum is one instruction wherever this is compiled into, so that all who ask for a pixel's
 * sigma find the same, bit by bit. */
DEVICE float table_at(const gauss_tiles &tiles, float at)
{
    const float *entries = (const float *)tiles.table;
    const float last = (float)(tiles.law.table_count - 1);
    const float place = fminf(at * tiles.law.table_per_unit, last);
    const int below = (int)fminf(place, last - 1.0f);
    const float low = __ldg(entries + below);
    return fmaf(place - (float)below, __ldg(entries + below + 1) - low, low);
}

DEVICE float projected_from(const gauss_tiles &tiles, float x, float y, float from_x, float from_y)
{
    const gauss_law &law = tiles.law;
    const gauss_ray pixel = gauss_law_ray(&law, x - 0.5f, y - 0.5f);
    const gauss_ray gaze = gauss_law_ray(&law, from_x - 0.5f, from_y - 0.5f);
    return table_at(tiles, gauss_law_angle_deg(pixel, gaze)) *
           gauss_law_px_per_radian(&law, pixel) * 0.01745329252f;
}

/* Returns sigma before the ramp by one fovea. */
DEVICE float plain_from(const gauss_tiles &tiles, float x, float y, float from_x, float from_y)
{
    if (tiles.law.kind != GAUSS_LAW_RADIAL) {
        return projected_from(tiles, x, y, from_x, from_y);
    }
    const float dx = x - from_x;
    const float dy = y - from_y;
    return table_at(tiles, sqrtf(dx * dx + dy * dy));
}

/* Returns sigma before the ramp by the others, or what it is by the gaze where that is less. It is
 * called: copies of it wherever sigma is asked for would make the kernels a quarter longer, and
 * those of one fovea slower. */
static __device__ __noinline__ float least_of_others(const gauss_tiles &tiles, float x, float y,
                                                     float own)
{
#pragma unroll 1
    for (int k = 0; k < tiles.others.of.count; k++) {
        const int2 there = other_q8(tiles.others, k);
        own = fminf(own, plain_from(tiles, x, y, (float)there.x / 256.0f, (float)there.y / 256.0f));
    }
    return own;
}

/* A view's law with its gaze. What has `own` in its name goes by the gaze alone: where many pixels
 * are asked for at once, the others are looked at after it, and only if there are any. */
struct tile_law {
    const gauss_tiles &tiles;
    float gaze_x;
    float gaze_y;
    bool blurs;
    bool radial; /* gauss_tiles.radial, of one fovea */
    int level_count; /* levels that this gaze may need */

    MEMBER tile_law(const gauss_tiles &plan, const gauss_frame &frame)
        : tiles(plan), gaze_x((float)frame.gaze_x_q8 / 256.0f),
          gaze_y((float)frame.gaze_y_q8 / 256.0f), blurs(frame.gaze_x_q8 != GAZE_NONE),
          radial(plan.radial != 0 && plan.others.of.count == 0),
          level_count(gauss_tile_level_count(&plan, &frame))
    {
    }

    MEMBER bool has_others() const
    {
        return tiles.others.of.count > 0;
    }
    /* Returns sigma before the ramp. */
    MEMBER float own_plain(float x, float y) const
    {
        return plain_from(tiles, x, y, gaze_x, gaze_y);
    }
    MEMBER float plain(float x, float y) const
    {
        const float own = own_plain(x, y);
        return has_others() ? least_of_others(tiles, x, y, own) : own;
    }
    MEMBER float applied(float plain_px) const
    {
        return tiles.law.strength * gauss_law_ramp(plain_px, tiles.law.sharp_px);
    }
    /* Does gauss_law_sigma_at without maps, which never get here. */
    MEMBER float at(float x, float y) const
    {
        return applied(plain(x, y));
    }

    MEMBER float of_pixel(int x, int y) const
    {
        return at((float)x + 0.5f, (float)y + 0.5f);
    }
};

/* ---- Ranges. A whole warp computes them together, and all its lanes get the result. */

struct tile_range {
    float low;
    float high;
};

struct tile_square {
    float x, y;
    float side;
};

struct tile_place {
    float x, y;
};

/* If sigma only rises with the distance, the square's nearest place to the gaze has the least and
 * its farthest corner the largest. */
DEVICE tile_place end_of_square(const tile_law &law, const tile_square &square, bool nearest)
{
    const float near_x = fminf(fmaxf(law.gaze_x, square.x), square.x + square.side);
    const float near_y = fminf(fmaxf(law.gaze_y, square.y), square.y + square.side);
    const float middle = 0.5f * square.side;
    const float far_x = law.gaze_x < square.x + middle ? square.x + square.side : square.x;
    const float far_y = law.gaze_y < square.y + middle ? square.y + square.side : square.y;
    return {nearest ? near_x : far_x, nearest ? near_y : far_y};
}

/* For other laws, asks at 5 x 5 places, and adds what sigma can differ by between them. */
DEVICE tile_place place_in_square(const tile_square &square, int i)
{
    const float step = 0.25f * square.side;
    return {square.x + (float)(i % 5) * step, square.y + (float)(i / 5) * step};
}

/* Joins the ranges of so many neighbouring lanes. */
template <int LANES> DEVICE tile_range range_of_lanes(tile_range range)
{
#pragma unroll
    for (int i = LANES / 2; i > 0; i >>= 1) {
        range.low = fminf(range.low, __shfl_xor_sync(~0u, range.low, i));
        range.high = fmaxf(range.high, __shfl_xor_sync(~0u, range.high, i));
    }
    return range;
}

/* Widens a range by what sigma may be between the places of the square that were asked. */
DEVICE tile_range range_between(const tile_law &law, const tile_range &range, float side)
{
    /* A place is at most half a diagonal of a 4 x 4 grid away: sqrt(2) / 8 of the side. */
    const float more = law.radial ? 0.0f : law.tiles.slope * 0.1768f * side;
    return {range.low - more, range.high + more};
}

/* Returns a square's range to each of so many lanes. */
template <int LANES>
DEVICE tile_range range_over_lanes(const tile_law &law, const tile_square &square)
{
    const int lane = (int)threadIdx.x % LANES;
    const bool radial = law.radial;
    tile_range range = {INFINITY, 0.0f};
#pragma unroll 1
    for (int i = lane; i < (radial ? LANES : 25); i += LANES) {
        const tile_place place =
            radial ? end_of_square(law, square, lane == 0) : place_in_square(square, i);
        const float sigma_px = law.at(place.x, place.y);
        range.low = fminf(range.low, sigma_px);
        range.high = fmaxf(range.high, sigma_px);
    }
    return range_between(law, range_of_lanes<LANES>(range), square.side);
}

/* ---- The list of tiles, and what its entries say */

/* One image's work list. */
struct tile_list {
    gauss_tile_counts *counts;
    uint32_t *entries;

    MEMBER explicit tile_list(const gauss_tiles &tiles)
        : counts((gauss_tile_counts *)(tiles.state + blockIdx.z * tiles.state_bytes)),
          entries((uint32_t *)(counts + 1))
    {
    }
};

DEVICE uint32_t tile_entry(int kind, int part, int x, int y)
{
    return (uint32_t)kind << GAUSS_TILE_KIND_SHIFT | (uint32_t)part << GAUSS_TILE_PART_SHIFT |
           (uint32_t)y << GAUSS_TILE_ROW_SHIFT | (uint32_t)x;
}

DEVICE int kind_of_entry(uint32_t entry)
{
    return (int)(entry >> GAUSS_TILE_KIND_SHIFT);
}

DEVICE int part_of_entry(uint32_t entry)
{
    return (int)(entry >> GAUSS_TILE_PART_SHIFT & 3u);
}

DEVICE int column_of_entry(uint32_t entry)
{
    return (int)(entry & GAUSS_TILE_PLACE_MASK);
}

DEVICE int row_of_entry(uint32_t entry)
{
    return (int)(entry >> GAUSS_TILE_ROW_SHIFT & GAUSS_TILE_PLACE_MASK);
}

DEVICE int level_of_subtile(const tile_law &law, const tile_range &range)
{
    const int level = law.level_count > 1 && range.low >= GAUSS_TILE_SIGMA_1;
    const bool next = level > 0 && !gauss_tile_reaches(level, range.high) && law.level_count > 2 &&
                      range.low >= GAUSS_TILE_SIGMA_2;
    return level + next;
}

/* Returns the subtile at that place with the spline's neighbours, which it reads. */
DEVICE tile_square square_of_subtile(int x, int y)
{
    const float margin = 2.0f;
    return {(float)(x * GAUSS_TILE_SUBTILE_PX) - margin,
            (float)(y * GAUSS_TILE_SUBTILE_PX) - margin, GAUSS_TILE_SUBTILE_PX + 2.0f * margin};
}

DEVICE uint32_t entry_of_range(const tile_law &law, const tile_range &range, int x, int y)
{
    if (!law.blurs || range.high * GAUSS_REACH < 1.0f) {
        return tile_entry(GAUSS_TILE_COPIED, 0, x, y);
    }
    const int level = level_of_subtile(law, range);
    if (level > 0) {
        const bool reaches = gauss_tile_reaches(level, range.high) != 0;
        return tile_entry(reaches ? GAUSS_TILE_LEVEL_0 + level : GAUSS_TILE_GATHERED, 0, x, y);
    }
    const int part = range.low < law.tiles.fine_sigma ? GAUSS_TILE_FINE : 0;
    const float fine_near = part != 0 ? GAUSS_TILE_NEAR_SIGMA_FINE : INFINITY;
    if (range.high <= fminf(law.tiles.near_sigma, fine_near)) {
        return tile_entry(GAUSS_TILE_LEVEL_0, part, x, y);
    }
    /* Steeper laws are tests' (GAUSS_TILE_SLOPE_FOR_TESTS). */
    const bool is_flat = law.tiles.slope <= 2.0f * (float)GAUSS_TILE_MAX_SLOPE;
    return tile_entry(law.level_count > 1 && is_flat ? GAUSS_TILE_MIXED : GAUSS_TILE_GATHERED, part,
                      x, y);
}

/* Eight lanes ask together for each subtile. */
DEVICE uint32_t entry_of_subtile(const tile_law &law, int x, int y)
{
    return entry_of_range(law, range_over_lanes<8>(law, square_of_subtile(x, y)), x, y);
}

/* Returns the range of one of the tile's subtiles to each of the first lanes. A lane asks for three
 * subtiles side by side: one after another, their waits for the law's table would add up. */
DEVICE tile_range ranges_of_subtiles(const tile_law &law, int x, int y)
{
    const int across = GAUSS_TILE_ACROSS;
    const int lane = (int)threadIdx.x % 32;
    if (law.radial) {
        const int own = lane / 2;
        const tile_square square =
            square_of_subtile(across * x + own % across, across * y + own / across);
        const tile_place place = end_of_square(law, square, lane % 2 == 0);
        const float sigma_px = law.at(place.x, place.y);
        return {__shfl_sync(~0u, sigma_px, 2 * lane), __shfl_sync(~0u, sigma_px, 2 * lane + 1)};
    }
    const int rounds = 3;
    tile_range ranges[rounds];
#pragma unroll
    for (int r = 0; r < rounds; r++) {
        ranges[r] = {INFINITY, 0.0f};
    }
#pragma unroll 1
    for (int i = lane % 8; i < 25; i += 8) {
#pragma unroll
        for (int r = 0; r < rounds; r++) {
            const int subtile = 4 * r + lane / 8;
            const tile_square square =
                square_of_subtile(across * x + subtile % across, across * y + subtile / across);
            const tile_place place = place_in_square(square, i);
            const float sigma_px = law.at(place.x, place.y);
            ranges[r].low = fminf(ranges[r].low, sigma_px);
            ranges[r].high = fmaxf(ranges[r].high, sigma_px);
        }
    }
    tile_range own = {};
#pragma unroll
    for (int r = 0; r < rounds; r++) {
        const tile_range four = range_of_lanes<8>(ranges[r]);
        const tile_range found = {__shfl_sync(~0u, four.low, lane % 4 * 8),
                                  __shfl_sync(~0u, four.high, lane % 4 * 8)};
        own = lane / 4 == r ? found : own;
    }
    return range_between(law, own, square_of_subtile(0, 0).side);
}

/* Returns whether a whole tile can be made from that level. */
DEVICE bool serves(const tile_law &law, const tile_range &range, int level)
{
    return level < law.level_count && range.low >= gauss_tile_sigma_from(level) &&
           gauss_tile_reaches(level, range.high) != 0;
}

/* Returns the finest level from 2 on that serves the range in a whole tile, or 0. */
DEVICE int level_of_range(const tile_law &law, const tile_range &range)
{
    for (int level = 2; level < law.level_count; level++) {
        if (serves(law, range, level)) {
            return level;
        }
    }
    return 0;
}

/* Returns the tile at that place with what it reads around. */
DEVICE tile_square square_of_tile(int x, int y)
{
    const float margin = 4.0f;
    const float side = (float)GAUSS_TILE_PX;
    return {(float)x * side - margin, (float)y * side - margin, side + 2.0f * margin};
}

/* Returns the tile's entry if it is made whole, from level 1 in quadrants. GAUSS_TILE_NONE means in
 * subtiles. */
DEVICE uint32_t entry_of_tile(const tile_law &law, const tile_range &range, int x, int y)
{
    if (!law.blurs) {
        return GAUSS_TILE_NONE;
    }
    const int found = level_of_range(law, range);
    const int level = found == 0 && serves(law, range, 1) ? 1 : found;
    return level == 0 ? GAUSS_TILE_NONE
                      : tile_entry(GAUSS_TILE_WHOLE_0 + level, 0, GAUSS_TILE_ACROSS * x,
                                   GAUSS_TILE_ACROSS * y);
}
