/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The shaders of the tiles share this: kinds of tiles, and pixels as samples. The method is that of
 * gauss_tiles.cu: all pixels of a tile take one level, and variances add up,
 *
 *     sigma^2 = v_k + 4^k v + 4^k / 3     pixels squared:
 *
 * decimation to level k, the blur there, and up-sampling by the cubic B-spline. Include it after
 * gauss/glsl/levels.glsl and gaze_latched.glsl. */

#include "shader_tile_shape.h"

/* ---- Kinds: two words for each place, behind the levels' samples */

const uint KIND_NONE = 0u; /* part of a tile that another workgroup makes */
const uint KIND_COPIED = 1u;
const uint KIND_LEVEL_0 = 2u; /* plus the level */
const uint KIND_MASK = 15u;
const uint KIND_FINE = 16u; /* some of its sigma is below fine_sigma_px */
const uint KIND_ALL_FINE = 32u;

ivec2 count_places()
{
    ivec2 tiles = (ivec2(frame.width_px, frame.height_px) + SHADER_TILE_PX - 1) / SHADER_TILE_PX;
    return tiles * ivec2(SHADER_TILE_PLACES_ACROSS, SHADER_TILE_PLACES_DOWN);
}

uvec2 kind_of(ivec2 place)
{
    return samples[kinds + place.y * count_places().x + place.x];
}

/* Returns the variance that is left to blur at a level, in samples squared. */
float tile_residual(float sigma_px, int k)
{
    float step_px = float(1 << k);
    float before = k > 0 ? level_variance(k) + step_px * step_px / 3.0 : 0.0;
    return max(sigma_px * sigma_px - before, 0.0) / (step_px * step_px);
}

/* ---- Samples: levels less the middle of their range, where halves are finest; or light; or floats */

/* HLG's colours depend on each other. */
const bool LIGHT_OF_LEVELS = LIGHT && PIXEL == PIXEL_RGBA8 && !LIGHT_IS_HLG;
/* Drivers keep the memory of an array that nothing reads. */
const int LIGHT_LEVELS = LIGHT_OF_LEVELS ? 256 : 1;
shared float light_of_level[LIGHT_LEVELS];

vec4 sample_zero()
{
    if (LIGHT || PIXEL == PIXEL_RGBA16F || PIXEL == PIXEL_B10G11R11F) {
        return vec4(0.0);
    }
    if (PIXEL == PIXEL_A2B10G10R10) {
        return vec4(512.0, 512.0, 512.0, 2.0);
    }
    return vec4(128.0);
}

/* A barrier must come before the first sample_of. */
void fill_light(int threads)
{
    if (LIGHT_OF_LEVELS) {
        for (int i = int(gl_LocalInvocationIndex); i < 256; i += threads) {
            light_of_level[i] = to_light(vec4(i), frame.light_value).x;
        }
    }
}

vec4 sample_of(uvec4 raw)
{
    if (LIGHT_OF_LEVELS) {
        return vec4(light_of_level[raw.x & 255u], light_of_level[raw.x >> 8 & 255u],
                    light_of_level[raw.x >> 16 & 255u], float(raw.x >> 24) / 255.0);
    }
    vec4 stored = decode(raw);
    return LIGHT ? to_light(stored, frame.light_value) : stored - sample_zero();
}

uvec2 halves_of(vec4 value)
{
    vec2 zw = vec2(value.z, AVERAGE_ALPHA ? value.w : 0.0);
    return uvec2(packHalf2x16(value.xy), packHalf2x16(zw));
}

vec4 of_halves(uvec2 halves)
{
    return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
}

/* Returns the picture's pixel at a place; it repeats beyond its edges. */
uvec4 fetch_pixel(ivec2 pixel)
{
    ivec2 inside = clamp(pixel, ivec2(0), ivec2(frame.width_px, frame.height_px) - 1);
    return texelFetch(source, place_of(frame, inside), 0);
}
