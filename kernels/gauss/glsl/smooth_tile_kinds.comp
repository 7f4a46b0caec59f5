#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of the smooth method are classified first: what each place of the picture is made from, by sigma at 5 x 5
 * points of the tile around it, and by how much it can differ in between.
 *
 * Workgroup: 256 threads for 8 tiles, 32 for each; points[8][25] of sigma in shared memory.
 * The first 25 threads of a tile measure a point each; after a barrier the first 8 decide a place each. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/image/pixel.glsl"
#include "frame.glsl"
#define FOR_ONE_LAW
#include "law.glsl"
#include "kernels/image/light.glsl"
#include "levels.glsl"
#include "gaze_latched.glsl"
#include "tiles.glsl"

const int TILES = SHADER_TILE_KINDS_A_GROUP;
const int THREADS_A_TILE = 32;
const int POINTS = 5; /* each axis */
layout(local_size_x = TILES * THREADS_A_TILE) in;

/* The spline reads so many pixels around a tile; the distance of points follows. */
const float AROUND_PX = 4.0;
const float STEP_PX = (SHADER_TILE_PX + 2.0 * AROUND_PX) / float(POINTS - 1);
/* The distance from anything in the tile to the nearest point, and how far a place sticks out of its points. */
const float BETWEEN_PX = 0.7072 * STEP_PX + 2.0;

/* A Gaussian is cut off at so many sigma. */
const float TILE_REACH = LIGHT || PIXEL == PIXEL_RGBA16F || PIXEL == PIXEL_B10G11R11F
                             ? REACH
                             : SHADER_TILE_REACH_ENCODED;

struct range {
    float low;
    float high;
};

void take(inout range r, bool counts, float value)
{
    r.low = counts ? min(r.low, value) : r.low;
    r.high = counts ? max(r.high, value) : r.high;
}

range applied(range plain)
{
    float off = slope * BETWEEN_PX;
    return range(law_applied(max(plain.low - off, 0.0)), law_applied(plain.high + off));
}

int most_radius(int k)
{
    return k == 0   ? SHADER_TILE_RADIUS_0
           : k <= 2 ? SHADER_TILE_RADIUS_2
           : k == 3 ? SHADER_TILE_RADIUS_3
                    : SHADER_TILE_RADIUS_4;
}

float wanted_radius(int k, float sigma_px)
{
    return max(TILE_REACH * sqrt(tile_residual(sigma_px, k)), 1.0);
}

uvec2 kind_of_level(int k, float sigma_px)
{
    uint radius = uint(ceil(min(wanted_radius(k, sigma_px), float(most_radius(k)))));
    return uvec2(KIND_LEVEL_0 + uint(k), radius);
}

/* Returns the coarsest level that serves a whole tile, or 0: none from 2 on does. */
int level_of_tile(range tile)
{
    int k = level_count - 1;
    while (k > 1 && tile.low < SHADER_TILE_SIGMA_SAMPLES * float(1 << k)) {
        k--;
    }
    return k > 1 ? k : 0;
}

uvec2 kind_of_place(range own)
{
    if (own.high * REACH < 1.0) {
        return uvec2(KIND_COPIED, 0u);
    }
    uvec2 kind = kind_of_level(0, own.high);
    if (own.low < fine_sigma_px) {
        float fine = min(fine_sigma_px, own.high);
        kind.x |= KIND_FINE | (own.high < fine_sigma_px ? KIND_ALL_FINE : 0u);
        kind.y = max(kind.y, uint(ceil(min(REACH * fine, float(SHADER_TILE_RADIUS_0)))));
    }
    return kind;
}

/* Sigma before the ramp at the points of each tile of the workgroup. */
shared float points[TILES][POINTS * POINTS];

uvec2 kind_at(int tile_of_group, ivec2 part)
{
    range tile = range(1e30, 0.0);
    range subtile = tile;
    range own = tile;
    int subtile_row = part.y / 2 * 2;
    for (int j = 0; j < POINTS; j++) {
        for (int i = 0; i < POINTS; i++) {
            float plain = points[tile_of_group][j * POINTS + i];
            bool column = i >= 2 * part.x && i <= 2 * part.x + 2;
            take(tile, true, plain);
            take(subtile, column && j >= subtile_row && j <= subtile_row + 2, plain);
            take(own, column && j >= part.y && j <= part.y + 1, plain);
        }
    }
    tile = applied(tile);
    int k = level_of_tile(tile);
    if (k > 0) {
        return part == ivec2(0) ? kind_of_level(k, tile.high) : uvec2(KIND_NONE, 0u);
    }
    subtile = applied(subtile);
    if (level_count > 1 && subtile.low >= SHADER_TILE_SIGMA_SAMPLES * 2.0) {
        return part.y % 2 == 0 ? kind_of_level(1, subtile.high) : uvec2(KIND_NONE, 0u);
    }
    return kind_of_place(applied(own));
}

void main()
{
    int thread = int(gl_LocalInvocationIndex);
    int tile_of_group = thread / THREADS_A_TILE;
    int own = thread % THREADS_A_TILE;
    ivec2 places = count_places();
    ivec2 tiles = places / ivec2(SHADER_TILE_PLACES_ACROSS, SHADER_TILE_PLACES_DOWN);
    int index = int(gl_WorkGroupID.x) * TILES + tile_of_group;
    ivec2 tile = ivec2(index % tiles.x, index / tiles.x);
    if (own < POINTS * POINTS) {
        vec2 corner = vec2(tile * SHADER_TILE_PX) - AROUND_PX;
        points[tile_of_group][own] = law_plain(
            frame_now(frame), corner + STEP_PX * vec2(own % POINTS, own / POINTS));
    }
    barrier();
    if (own < SHADER_TILE_PLACES_ACROSS * SHADER_TILE_PLACES_DOWN && tile.y < tiles.y) {
        ivec2 part = ivec2(own % SHADER_TILE_PLACES_ACROSS, own / SHADER_TILE_PLACES_ACROSS);
        ivec2 place = tile * ivec2(SHADER_TILE_PLACES_ACROSS, SHADER_TILE_PLACES_DOWN) + part;
        samples[kinds + place.y * places.x + place.x] = kind_at(tile_of_group, part);
    }
}
