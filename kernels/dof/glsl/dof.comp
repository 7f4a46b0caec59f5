#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* dof's own steps, by its formulas (kernels/dof/dof.h), between which the machine blurs layers. A pipeline does one of
 * them, WORK. Bound by memory, but SPREAD, which looks at the tiles within four of the largest sigma, in blocks of
 * them. A layer that nothing needs is not made: the workgroups of its steps return at once.
 *
 * Workgroup: 32 x 8 threads for 32 x 32 pixels, or as many tiles as threads; 68 bytes. */

#extension GL_GOOGLE_include_directive : require
#include "dof.glsl"

const int ROWS = 8; /* of threads: DOF_SHADER_ROWS */
layout(local_size_x = BLOCK, local_size_y = ROWS) in;

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
const float LEAST_SIGMA_PX = 0.1; /* pixels of less are as they were */
const float REACH_SIGMAS = 4.0; /* where the last of a tile's sigma is gone; it is whole one nearer */
const float REACH_TILES = 1.5;

const int TILES = BLOCK / SIDE; /* of a workgroup, along each axis */
shared uint most_near[TILES * TILES];
shared uint is_blurred; /* a pixel that is not near */

/* ---- Focus */

/* NaN's bits do not get into the arithmetic: `seen` says whether the depth under the gaze is known. Where it is not,
 * what is given may be, or the eyes' vergence. */
float next_focus(bool seen, float seen_diopters)
{
    float wanted = seen ? seen_diopters : first_diopters;
    bool known = seen || (flags & FLAG_KNOWN) != 0;
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
    samples[wanted_at(NEAR)].x = 0u;
    samples[wanted_at(BEHIND)].x = 0u;
    gauss_frame now = frame_now(frame);
    ivec2 gaze = ivec2(now.gaze_x_q8, now.gaze_y_q8) >> 8;
    float seen_diopters;
    bool seen = find_diopters(
        clamp(gaze, ivec2(0), ivec2(frame.width_px, frame.height_px) - 1), seen_diopters);
    focus_diopters = next_focus(seen && (flags & FLAG_BLIND) == 0, seen_diopters);
    px_per_diopter = sigma_scale / (1.0 - min(focal_m * focus_diopters, 0.5));
}

/* ---- Sigmas */

/* A pixel of unknown depth is in focus. */
float offset_of(ivec2 pixel)
{
    float found;
    bool known = find_diopters(pixel, found);
    float offset_px = px_per_diopter * (focus_diopters - found);
    bool is_off = known && is_number(offset_px) && abs(offset_px) >= LEAST_OFFSET_PX;
    return is_off ? clamp(offset_px, -most_px, most_px) : 0.0;
}

/* Says what the workgroup's pixels need. What is behind is needed beside what is near, too. */
void want()
{
    uint nearest = 0u;
    for (int i = 0; i < TILES * TILES; i++) {
        nearest = max(nearest, most_near[i]);
    }
    samples[block_at(ivec2(gl_WorkGroupID.xy))].x = nearest;
    if (nearest != 0u) {
        atomicMax(samples[wanted_at(NEAR)].x, nearest);
    }
    if (nearest != 0u || is_blurred != 0u) {
        atomicOr(samples[wanted_at(BEHIND)].x, 1u);
    }
}

void find_offsets(ivec2 first)
{
    int thread = int(gl_LocalInvocationIndex);
    if (thread < TILES * TILES) {
        most_near[thread] = 0u;
        is_blurred = 0u;
    }
    barrier();
    for (int y = 0; y < BLOCK; y += ROWS) {
        ivec2 pixel = first + ivec2(0, y);
        if (in_view(pixel)) {
            float offset_px = offset_of(pixel);
            ivec2 tile = pixel / SIDE % TILES;
            put_fields(pixel, vec2(offset_px, 0.0));
            if (offset_px < 0.0) {
                atomicMax(most_near[tile.y * TILES + tile.x], floatBitsToUint(-offset_px));
            } else if (offset_px >= LEAST_SIGMA_PX) {
                is_blurred = 1u;
            }
        }
    }
    barrier();
    ivec2 tile = ivec2(gl_WorkGroupID.xy) * TILES + ivec2(thread % TILES, thread / TILES);
    if (thread < TILES * TILES && all(lessThan(tile, tile_count()))) {
        samples[tile_at(tile)] = uvec2(most_near[thread], 0u);
    }
    if (thread == 0) {
        want();
    }
}

/* The sigma of a tile so far away, as it gets here. */
float reaching(float sigma_px, ivec2 apart)
{
    float left_px = REACH_SIGMAS * sigma_px - float(SIDE) * max(length(vec2(apart)) - REACH_TILES, 0.0);
    return clamp(left_px, 0.0, sigma_px);
}

/* The largest of `most` and of what gets to a tile from those of a block. */
float most_of_block(ivec2 block, ivec2 tile, float most)
{
    ivec2 first = block * TILES;
    ivec2 last = min(first + TILES, tile_count()) - 1;
    float largest_px = uintBitsToFloat(samples[block_at(block)].x);
    if (reaching(largest_px, clamp(tile, first, last) - tile) <= most) {
        return most;
    }
    for (int y = first.y; y <= last.y; y++) {
        for (int x = first.x; x <= last.x; x++) {
            float sigma_px = uintBitsToFloat(samples[tile_at(ivec2(x, y))].x);
            most = sigma_px > most ? max(most, reaching(sigma_px, ivec2(x, y) - tile)) : most;
        }
    }
    return most;
}

void spread(ivec2 tile)
{
    ivec2 count = tile_count();
    if (any(greaterThanEqual(tile, count))) {
        return;
    }
    float nearest_px = uintBitsToFloat(samples[wanted_at(NEAR)].x);
    int reach = int(REACH_SIGMAS * nearest_px / float(SIDE) + REACH_TILES) + 1;
    ivec2 first = max(tile - reach, ivec2(0)) / TILES;
    ivec2 last = min(tile + reach, count - 1) / TILES;
    float most = most_of_block(tile / TILES, tile, 0.0);
    for (int y = first.y; y <= last.y; y++) {
        for (int x = first.x; x <= last.x; x++) {
            most = most_of_block(ivec2(x, y), tile, most);
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

/* Leaves pixels as they were, bit for bit, where nothing near gets to and nothing is blurred. */
void compose(ivec2 pixel, uvec4 raw)
{
    bool has_near = wants(NEAR);
    vec4 near = has_near ? layer_at(NEAR, pixel) : vec4(0.0);
    if (near.w != 0.0 || (wants(BEHIND) && fields_at(pixel).y >= LEAST_SIGMA_PX)) {
        vec4 own = numbers_of(raw);
        vec4 behind = layer_at(BEHIND, pixel);
        vec4 value = vec4(composed(own.rgb, near, behind), own.a);
        if (AVERAGE_ALPHA) {
            vec3 near_alpha = has_near ? layer_at(NEAR_ALPHA, pixel).xxx : vec3(0.0);
            value.a = composed(own.aaa, vec4(near_alpha, near.w),
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
    if (WORK == WORK_COMPOSE) {
        compose(pixel, raw);
        return;
    }
    vec4 numbers = numbers_of(raw);
    if (WORK == WORK_NEAR) {
        layer_of_near(pixel, numbers);
    } else if (WORK == WORK_BEHIND) {
        layer_behind(pixel, numbers);
    } else {
        layer_of_alpha(pixel, numbers);
    }
}

/* Whether the step's layer is needed. */
bool is_wanted()
{
    const bool of_near = WORK == WORK_SPREAD || WORK == WORK_MEANS || WORK == WORK_NEAR || WORK == WORK_NEAR_ALPHA;
    const bool of_behind = WORK == WORK_BEHIND || WORK == WORK_BEHIND_ALPHA;
    return of_near ? wants(NEAR) : of_behind ? wants(BEHIND) : true;
}

void main()
{
    if (WORK == WORK_FOCUS) {
        if (gl_LocalInvocationIndex == 0) {
            set_focus();
        }
        return;
    }
    ivec2 first = ivec2(gl_WorkGroupID.xy) * BLOCK + ivec2(gl_LocalInvocationID.xy);
    if (WORK == WORK_OFFSETS) {
        find_offsets(first);
    } else if (is_wanted()) {
        if (WORK == WORK_SPREAD) {
            spread(ivec2(gl_GlobalInvocationID.xy));
            return;
        }
        for (int y = 0; y < BLOCK; y += ROWS) {
            ivec2 pixel = first + ivec2(0, y);
            if (in_view(pixel)) {
                work_on(pixel);
            }
        }
    }
}
