/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* dof's steps read and write these: constants, samples, depths, and what has been in focus. */

#include "kernels/image/pixel.glsl"
#include "kernels/gauss/glsl/frame.glsl"
#include "kernels/gauss/glsl/law.glsl"
#include "kernels/image/light.glsl"
#include "kernels/gauss/glsl/gaze_latched.glsl"

/* enum dof_constant_flags of dof_shaders.h. */
const int FLAG_DISTANCE = 1;
const int FLAG_FOLLOWS = 2;
const int FLAG_BLIND = 4;
const int FLAG_KNOWN = 8;

/* struct dof_constants of dof_shaders.h. */
layout(push_constant) uniform Constants
{
    gauss_frame frame;
    int depth_x_px;
    int depth_y_px;
    int fields;
    int tiles;
    float most_px;
    float start;
    float step_by;
    float first_diopters;
    float hysteresis_diopters;
    float left;
    int flags;
    float sigma_scale;
    float focal_m;
};

layout(set = 0, binding = 3, std430) buffer Samples { uvec2 samples[]; };
layout(set = 0, binding = 6) uniform texture2D depths;

/* This stays from frame to frame, with what this frame makes of it; SHADER_FOCUS_BYTES. */
layout(set = 0, binding = 7, std430) buffer Focus
{
    int was_there; /* something has been in focus */
    float diopters;
    float wanted_diopters; /* what it goes to */
    float focus_diopters; /* of this frame */
    float px_per_diopter;
};

/* ---- Pixels */

bool in_view(ivec2 pixel)
{
    return pixel.x < frame.width_px && pixel.y < frame.height_px;
}

int pixel_count()
{
    return frame.width_px * frame.height_px;
}

int place_among(ivec2 pixel)
{
    return pixel.y * frame.width_px + pixel.x;
}

uvec4 raw_at(ivec2 pixel)
{
    return texelFetch(source, place_of(frame, pixel), 0);
}

/* The numbers that are averaged. */
vec4 numbers_of(uvec4 raw)
{
    vec4 stored = decode(raw);
    return LIGHT ? to_light(stored, frame.light_value) : stored;
}

/* Levels, of which the blend of nodes may go beyond the ends. */
uvec4 stored_of(vec4 value, uvec4 raw)
{
    vec4 stored = LIGHT ? from_light(max(value, 0.0), frame.light_value) : value;
    if (PIXEL == PIXEL_RGBA8 || PIXEL == PIXEL_A2B10G10R10) {
        float opaque = PIXEL == PIXEL_A2B10G10R10 ? 3.0 : 255.0;
        stored = clamp(stored, vec4(0.0), vec4(vec3(pixel_white()), opaque));
    }
    return encode(stored, raw);
}

/* ---- Planes of samples, each behind the one before */

const int FIELDS = 0; /* s, and the sigma of the layer under way: floats */
const int NEAR = 1; /* layers, blurred: four halves */
const int BEHIND = 2;
const int NEAR_ALPHA = 3;
const int BEHIND_ALPHA = 4;

int plane_at(int plane, ivec2 pixel)
{
    return fields + plane * pixel_count() + place_among(pixel);
}

vec2 fields_at(ivec2 pixel)
{
    return uintBitsToFloat(samples[plane_at(FIELDS, pixel)]);
}

void put_fields(ivec2 pixel, vec2 values)
{
    samples[plane_at(FIELDS, pixel)] = floatBitsToUint(values);
}

vec4 layer_at(int plane, ivec2 pixel)
{
    uvec2 halves = samples[plane_at(plane, pixel)];
    return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
}

/* The layer that the machine blurs next: its level 0, which has no margins. */
void put_layer(ivec2 pixel, vec3 colors, float coverage)
{
    vec3 kept = mix(vec3(0.0), coverage * colors, bvec3(coverage > 0.0));
    samples[levels[0].first + pixel.y * levels[0].pitch + pixel.x] =
        uvec2(packHalf2x16(kept.xy), packHalf2x16(vec2(kept.z, coverage)));
}

/* ---- Tiles and blocks */

const int SIDE = 8; /* of a tile: DOF_SHADER_SIDE */
const int BLOCK = 32; /* of a workgroup's pixels: DOF_SHADER_BLOCK */

ivec2 tile_count()
{
    return (ivec2(frame.width_px, frame.height_px) + SIDE - 1) / SIDE;
}

int tile_at(ivec2 tile)
{
    return tiles + tile.y * tile_count().x + tile.x;
}

/* Returns the sample behind the tiles whose word x is 0 where no pixel needs layer NEAR or BEHIND. NEAR's word has the
 * bits of the largest sigma before the focus. */
int wanted_at(int layer)
{
    return tile_at(ivec2(0, tile_count().y)) + layer - NEAR;
}

/* Returns the sample whose word x has the bits of the largest sigma before the focus of a block's tiles. */
int block_at(ivec2 block)
{
    return wanted_at(BEHIND) + 1 + block.y * ((frame.width_px + BLOCK - 1) / BLOCK) + block.x;
}

bool wants(int layer)
{
    return samples[wanted_at(layer)].x != 0u;
}

/* ---- Depths */

bool is_number(float value)
{
    return (floatBitsToUint(value) & 0x7fffffffu) <= 0x7f800000u;
}

bool is_finite_number(float value)
{
    return (floatBitsToUint(value) & 0x7f800000u) != 0x7f800000u;
}

const float MOST_DIOPTERS = 1e4; /* optics.h */

/* Returns whether a pixel's depth is known, and its diopters: dof_scale_diopters. */
bool find_diopters(ivec2 pixel, out float found)
{
    float value = texelFetch(depths, pixel + ivec2(depth_x_px, depth_y_px), 0).r;
    float at = start + value * step_by;
    if ((flags & FLAG_DISTANCE) != 0) {
        found = at > 0.0 ? min(1.0 / at, MOST_DIOPTERS) : 0.0;
        return at > 0.0;
    }
    bool known = is_finite_number(at) || at < 0.0;
    found = known ? clamp(at, 0.0, MOST_DIOPTERS) : 0.0;
    return known;
}
