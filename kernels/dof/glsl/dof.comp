#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* dof's own steps, by its formulas (kernels/dof/dof.h), between which the machine blurs layers. A pipeline does one of
 * them, WORK. Bound by memory, but SPREAD, which looks at the tiles within four of the largest sigma.
 *
 * Workgroup: 8 x 8 threads; 4 bytes. */

#extension GL_GOOGLE_include_directive : require
#include "dof.glsl"

const int SIDE = 8; /* DOF_SHADER_SIDE */
layout(local_size_x = SIDE, local_size_y = SIDE) in;

/* enum dof_work */
layout(constant_id = 3) const int WORK = 0;
const int WORK_FOCUS = 0;
const int WORK_OFFSETS = 1;
const int WORK_SPREAD = 2;
const int WORK_MEANS = 3;
const int WORK_NEAR = 4;
const int WORK_BEHIND = 5;
const int WORK_COMPOSE = 6;
const int WORK_NEAR_ALPHA = 7;
const int WORK_BEHIND_ALPHA = 8;

const float LEAST_OFFSET_PX = 1.0 / 256.0;
const float LEAST_BEHIND = 1.0 / 32.0;
const float LEAST_MEAN = 1e-4;
const float LEAST_COVERAGE = 1.0 / 1024.0;
const float REACH_SIGMAS = 4.0; /* where the last of a tile's sigma is gone; it is whole one nearer */
const float REACH_TILES = 1.5;

shared uint most_near;

/* ---- Focus */

/* NaN's bits do not get into the arithmetic: `seen` says whether the depth under the gaze is known. Where it is not,
 * the eyes' vergence may be. */
float next_focus(bool seen, float seen_diopters)
{
    float wanted = seen ? seen_diopters : first_diopters;
    bool known = seen || (flags & FLAG_VERGENCE) != 0;
    bool goes_on = was_there != 0 && (flags & FLAG_FOLLOWS) != 0;
    if (goes_on && (!known || abs(wanted - wanted_diopters) <= hysteresis_diopters)) {
        wanted = wanted_diopters;
    }
    diopters = wanted + (goes_on ? left * (diopters - wanted) : 0.0);
    wanted_diopters = wanted;
    was_there = known || goes_on ? 1 : 0;
    return diopters;
}

void set_focus()
{
    nearest_bits = 0u;
    gauss_frame now = frame_now(frame);
    ivec2 gaze = ivec2(now.gaze_x_q8, now.gaze_y_q8) >> 8;
    float seen_diopters;
    bool seen = find_diopters(
        clamp(gaze, ivec2(0), ivec2(frame.width_px, frame.height_px) - 1), seen_diopters);
    focus_diopters = given_diopters >= 0.0 ? given_diopters
                                           : next_focus(seen && (flags & FLAG_BLIND) == 0, seen_diopters);
    px_per_diopter = sigma_scale / (1.0 - min(focal_m * focus_diopters, 0.5));
}

/* ---- Sigmas */

ivec2 tile_count()
{
    return (ivec2(frame.width_px, frame.height_px) + SIDE - 1) / SIDE;
}

int tile_at(ivec2 tile)
{
    return tiles + tile.y * tile_count().x + tile.x;
}

/* What is unknown is in focus. */
float offset_of(ivec2 pixel)
{
    float found;
    bool known = find_diopters(pixel, found);
    float offset_px = px_per_diopter * (focus_diopters - found);
    bool is_off = known && is_number(offset_px) && abs(offset_px) >= LEAST_OFFSET_PX;
    return is_off ? clamp(offset_px, -most_px, most_px) : 0.0;
}

void find_offsets(ivec2 pixel)
{
    if (gl_LocalInvocationIndex == 0) {
        most_near = 0u;
    }
    barrier();
    if (in_view(pixel)) {
        float offset_px = offset_of(pixel);
        put_fields(pixel, vec2(offset_px, 0.0));
        atomicMax(most_near, offset_px < 0.0 ? floatBitsToUint(-offset_px) : 0u);
    }
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        samples[tile_at(ivec2(gl_WorkGroupID.xy))] = uvec2(most_near, 0u);
        atomicMax(nearest_bits, most_near);
    }
}

/* The sigma of a tile so far away, as it gets here. */
float reaching(float sigma_px, ivec2 apart)
{
    float left_px = REACH_SIGMAS * sigma_px - float(SIDE) * max(length(vec2(apart)) - REACH_TILES, 0.0);
    return clamp(left_px, 0.0, sigma_px);
}

void spread(ivec2 tile)
{
    ivec2 count = tile_count();
    if (any(greaterThanEqual(tile, count))) {
        return;
    }
    int reach = nearest_bits == 0u
                    ? 0
                    : int(REACH_SIGMAS * uintBitsToFloat(nearest_bits) / float(SIDE) + REACH_TILES) + 1;
    ivec2 first = max(tile - reach, ivec2(0));
    ivec2 last = min(tile + reach, count - 1);
    float most = 0.0;
    for (int y = first.y; y <= last.y; y++) {
        for (int x = first.x; x <= last.x; x++) {
            float sigma_px = uintBitsToFloat(samples[tile_at(ivec2(x, y))].x);
            if (sigma_px > most) {
                most = max(most, reaching(sigma_px, ivec2(x, y) - tile));
            }
        }
    }
    samples[tile_at(tile)].y = floatBitsToUint(most);
}

float reach_of(ivec2 tile)
{
    return uintBitsToFloat(samples[tile_at(tile)].y);
}

/* Linear between the middles of tiles. */
float reach_at(ivec2 pixel)
{
    vec2 last = vec2(tile_count() - 1);
    vec2 place = clamp((vec2(pixel) + 0.5) / float(SIDE) - 0.5, vec2(0.0), last);
    ivec2 a = ivec2(place);
    ivec2 b = min(a + 1, ivec2(last));
    vec2 part = place - vec2(a);
    return mix(mix(reach_of(a), reach_of(ivec2(b.x, a.y)), part.x),
               mix(reach_of(ivec2(a.x, b.y)), reach_of(b), part.x), part.y);
}

/* ---- Layers */

/* How much of a pixel is near, */
float nearness(float offset_px)
{
    return clamp(-offset_px, 0.0, 1.0);
}

/* and its weight behind. */
float weight_behind(float offset_px)
{
    return (1.0 - nearness(offset_px)) * clamp(offset_px, LEAST_BEHIND, 1.0);
}

void layer_of_means(ivec2 pixel)
{
    float offset_px = fields_at(pixel).x;
    put_fields(pixel, vec2(offset_px, reach_at(pixel)));
    put_layer(pixel, vec3(max(-offset_px, 0.0), 0.0, 0.0), nearness(offset_px));
}

void layer_of_near(ivec2 pixel, vec4 numbers)
{
    vec2 own = fields_at(pixel); /* s, d */
    float near = nearness(own.x);
    vec4 sums = layer_at(NEAR, pixel);
    float mean_px = clamp(sums.x / max(sums.w, LEAST_MEAN), 0.0, own.y);
    put_fields(pixel, vec2(own.x, (1.0 - near) * mean_px + near * max(-own.x, 0.0)));
    put_layer(pixel, numbers.rgb, near);
}

void layer_behind(ivec2 pixel, vec4 numbers)
{
    vec2 own = fields_at(pixel); /* s, t */
    float near = nearness(own.x);
    put_fields(pixel, vec2(own.x, (1.0 - near) * max(own.x, 0.0) + near * own.y));
    put_layer(pixel, numbers.rgb, weight_behind(own.x));
}

/* Its sigma is that of the layer's colours. */
void layer_of_alpha(ivec2 pixel, vec4 numbers)
{
    float offset_px = fields_at(pixel).x;
    float coverage = WORK == WORK_NEAR_ALPHA ? nearness(offset_px) : weight_behind(offset_px);
    put_layer(pixel, vec3(numbers.a, 0.0, 0.0), coverage);
}

/* ---- Out */

vec3 composed(vec3 own, vec4 near, vec4 behind)
{
    float lacking = max(LEAST_COVERAGE - behind.w, 0.0);
    vec3 sum = lacking > 0.0 ? behind.rgb + lacking * own : behind.rgb;
    float open = 1.0 - clamp(near.w, 0.0, 1.0);
    return open > 0.0 ? near.rgb + open * (sum / (behind.w + lacking)) : near.rgb;
}

/* Where nothing near gets to, and nothing is blurred, pixels are as they were, bit for bit. */
void compose(ivec2 pixel, vec4 own, uvec4 raw)
{
    vec4 near = layer_at(NEAR, pixel);
    vec4 behind = layer_at(BEHIND, pixel);
    if (near.w != 0.0 || fields_at(pixel).y >= 0.1) {
        vec4 value = vec4(composed(own.rgb, near, behind), own.a);
        if (AVERAGE_ALPHA) {
            value.a = composed(own.aaa, vec4(layer_at(NEAR_ALPHA, pixel).xxx, near.w),
                               vec4(layer_at(BEHIND_ALPHA, pixel).xxx, behind.w)).x;
        }
        raw = stored_of(value, raw);
    }
    imageStore(result, place_of(frame, pixel), raw);
}

void work_on(ivec2 pixel)
{
    if (WORK == WORK_MEANS) {
        layer_of_means(pixel);
        return;
    }
    uvec4 raw = raw_at(pixel);
    vec4 numbers = numbers_of(raw);
    if (WORK == WORK_NEAR) {
        layer_of_near(pixel, numbers);
    } else if (WORK == WORK_BEHIND) {
        layer_behind(pixel, numbers);
    } else if (WORK == WORK_COMPOSE) {
        compose(pixel, numbers, raw);
    } else {
        layer_of_alpha(pixel, numbers);
    }
}

void main()
{
    ivec2 place = ivec2(gl_GlobalInvocationID.xy);
    if (WORK == WORK_FOCUS) {
        if (place == ivec2(0)) {
            set_focus();
        }
    } else if (WORK == WORK_OFFSETS) {
        find_offsets(place);
    } else if (WORK == WORK_SPREAD) {
        spread(place);
    } else if (in_view(place)) {
        work_on(place);
    }
}
