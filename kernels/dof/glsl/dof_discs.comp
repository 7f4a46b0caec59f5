#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Highlights of dof.h as discs: sums of blocks, what is taken out of a layer before it is blurred, and what is added to
 * blurred layers. A pipeline does one of them, WORK. The first two are bound by memory; ADD looks at the discs of all
 * blocks within reach.
 *
 * Workgroup: 32 x 8 threads for a block of 32 x 32 pixels, four neighbours each; 8.5 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "dof.glsl"

layout(local_size_x = 32, local_size_y = 8) in;

/* enum dof_disc_work */
layout(constant_id = 3) const int WORK = 0;
const int WORK_SUM = 0;
const int WORK_TAKE_NEAR = 1;
const int WORK_TAKE_BEHIND = 2;
const int WORK_ADD = 3;

/* kernels/dof/discs.h */
const int CELLS = 64; /* of a block */
const int BLOCK_DISCS = 16;
const float TIMES_MEAN = 3.0;
const float MOST_LIGHT = 1e30;
const float LEAST_COVERAGE_NEAR = 6.2e-5;
const float MOST_EDGE_PX = 6.0;

const float LEAST_COVERAGE = 1.0 / 1024.0;
const float PI = 3.14159265;
const int THREADS = 256;

shared vec4 rows[2 * THREADS]; /* of cells, or of a block */
shared float strengths[CELLS];
shared float least;
shared uint any_light;

/* ---- Memory: behind the blocks of dof.comp's, sums of blocks (k, k L), and lists of discs, of what is near and then
 * of what is behind, four samples a disc: x and y, radius and edge, red and green, blue */

ivec2 block_count()
{
    return (ivec2(frame.width_px, frame.height_px) + BLOCK - 1) / BLOCK;
}

int sums_at(ivec2 block)
{
    return block_at(ivec2(0, block_count().y)) + block.y * block_count().x + block.x;
}

int disc_at(int layer, ivec2 block, int number)
{
    ivec2 count = block_count();
    int list = (layer - NEAR) * count.x * count.y + block.y * count.x + block.x;
    return sums_at(ivec2(0, count.y)) + 4 * (BLOCK_DISCS * list + number);
}

vec2 floats_at(int sample_at)
{
    return uintBitsToFloat(samples[sample_at]);
}

void put_floats(int sample_at, vec2 values)
{
    samples[sample_at] = floatBitsToUint(values);
}

/* ---- Light */

/* k */
float share_of_blur(float offset_px)
{
    return clamp(abs(offset_px) - 1.0, 0.0, 1.0);
}

bool is_light(float value)
{
    return is_finite_number(value) && abs(value) <= MOST_LIGHT;
}

/* L */
float light_of(vec3 colors)
{
    bool all_light = is_light(colors.r) && is_light(colors.g) && is_light(colors.b);
    return all_light ? max(max(colors.r, colors.g), max(colors.b, 0.0)) : 0.0;
}

/* m: linear between the middles of blocks. */
float mean_around(ivec2 pixel)
{
    ivec2 last = block_count() - 1;
    vec2 place = clamp((vec2(pixel) + 0.5) / float(BLOCK) - 0.5, vec2(0.0), vec2(last));
    ivec2 a = ivec2(place);
    ivec2 b = min(a + 1, last);
    vec2 part = place - vec2(a);
    vec2 upper = mix(floats_at(sums_at(a)), floats_at(sums_at(ivec2(b.x, a.y))), part.x);
    vec2 lower = mix(floats_at(sums_at(ivec2(a.x, b.y))), floats_at(sums_at(b)), part.x);
    vec2 sum = mix(upper, lower, part.y);
    return sum.x > 0.0 ? sum.y / sum.x : 0.0;
}

/* ---- Sums */

void sum_block(ivec2 first, int thread)
{
    vec2 sum = vec2(0.0);
    for (int i = 0; i < 4; i++) {
        ivec2 pixel = first + ivec2(i, 0);
        float share = in_view(pixel) ? share_of_blur(fields_at(pixel).x) : 0.0;
        if (share > 0.0) {
            sum += share * vec2(1.0, light_of(numbers_of(raw_at(pixel)).rgb));
        }
    }
    rows[thread].xy = sum;
    for (int apart = THREADS / 2; apart > 0; apart /= 2) {
        barrier();
        if (thread < apart) {
            rows[thread].xy += rows[thread + apart].xy;
        }
    }
    if (thread == 0) {
        put_floats(sums_at(ivec2(gl_WorkGroupID.xy)), rows[0].xy);
    }
}

/* ---- Highlights of a layer, which is level 0 */

int level_at(ivec2 pixel)
{
    return levels[0].first + pixel.y * levels[0].pitch + pixel.x;
}

vec4 level_pixel(ivec2 pixel)
{
    uvec2 halves = samples[level_at(pixel)];
    return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
}

/* Returns h. A pixel whose k is not 0 is of one layer alone, with a coverage of 1. */
float share_of_disc(int layer, ivec2 pixel, vec3 colors, float offset_px)
{
    float blur = share_of_blur(offset_px);
    if (blur == 0.0 || (offset_px < 0.0) != (layer == NEAR)) {
        return 0.0;
    }
    float light = light_of(colors);
    return light > 0.0 ? blur * max(1.0 - TIMES_MEAN * mean_around(pixel) / light, 0.0) : 0.0;
}

/* Sums of a cell: strength, x, y, squares; radius, red, green, blue. Places are from its corner. */
void put_disc(int layer, int rank, ivec2 corner, vec4 places, vec4 light, float share)
{
    int at = disc_at(layer, ivec2(gl_WorkGroupID.xy), rank);
    if (!(share > 0.0)) {
        put_floats(at + 1, vec2(0.0));
        return;
    }
    vec3 means = places.yzw / places.x;
    float radius = light.x / places.x;
    float spread = max(means.z - dot(means.xy, means.xy), 0.0);
    float edge = min(sqrt(1.0 + 6.0 * spread), 2.0 * radius);
    vec3 colors = light.yzw * (share / (PI * (radius * radius + edge * edge / 12.0)));
    put_floats(at, vec2(corner) + means.xy);
    put_floats(at + 1, vec2(radius, edge));
    put_floats(at + 2, colors.rg);
    put_floats(at + 3, vec2(colors.b, 0.0));
}

float share_of_cell(float strength)
{
    return strength > least ? 1.0 - least / strength : 0.0;
}

/* The strongest cell has rank 0; of equals the first. */
int rank_of(int cell)
{
    int rank = 0;
    for (int i = 0; i < CELLS; i++) {
        rank += strengths[i] > strengths[cell] || (strengths[i] == strengths[cell] && i < cell) ? 1 : 0;
    }
    return rank;
}

void take(int layer, ivec2 first, int thread)
{
    float shares[4];
    vec4 places = vec4(0.0);
    vec4 light = vec4(0.0);
    if (thread == 0) {
        any_light = 0u;
    }
    barrier();
    for (int i = 0; i < 4; i++) {
        ivec2 pixel = first + ivec2(i, 0);
        shares[i] = 0.0;
        if (in_view(pixel)) {
            float offset_px = fields_at(pixel).x;
            vec3 colors = level_pixel(pixel).rgb;
            shares[i] = share_of_disc(layer, pixel, colors, offset_px);
            if (shares[i] > 0.0) {
                vec2 at = vec2(float(i) + 0.5, float(thread / 8 % 4) + 0.5);
                places += shares[i] * light_of(colors) * vec4(1.0, at, dot(at, at));
                light += shares[i] * vec4(light_of(colors) * 2.0 * abs(offset_px), colors);
                any_light = 1u;
            }
        }
    }
    rows[thread] = places;
    rows[THREADS + thread] = light;
    barrier();
    if (any_light == 0u) {
        if (thread == 0) {
            put_floats(disc_at(layer, ivec2(gl_WorkGroupID.xy), 0) + 1, vec2(0.0));
        }
        return;
    }
    int cell_row = thread / CELLS; /* 0: the threads that have a cell each */
    int row = 32 * (thread / 8) + thread % 8; /* of the four threads whose rows the cell has, the first */
    if (cell_row == 0) {
        places = rows[row] + rows[row + 8] + rows[row + 16] + rows[row + 24];
        row += THREADS;
        light = rows[row] + rows[row + 8] + rows[row + 16] + rows[row + 24];
        strengths[thread] = places.x;
    }
    barrier();
    int rank = cell_row == 0 ? rank_of(thread) : CELLS;
    if (rank == BLOCK_DISCS) {
        least = places.x;
    }
    barrier();
    if (rank < BLOCK_DISCS) {
        ivec2 corner = ivec2(gl_WorkGroupID.xy) * BLOCK + 4 * ivec2(thread % 8, thread / 8);
        put_disc(layer, rank, corner, places, light, share_of_cell(places.x));
    }
    float share = share_of_cell(strengths[thread / 32 * 8 + thread % 8]);
    for (int i = 0; i < 4; i++) {
        if (shares[i] * share > 0.0) {
            ivec2 pixel = first + ivec2(i, 0);
            vec4 own = level_pixel(pixel);
            vec3 kept = (1.0 - shares[i] * share) * own.rgb;
            samples[level_at(pixel)] = uvec2(packHalf2x16(kept.rg), packHalf2x16(vec2(kept.b, own.a)));
        }
    }
}

/* ---- Discs on blurred layers */

/* Adds what a thread's pixels get of a block's discs; w: how much of discs. */
void add_block(int layer, ivec2 block, ivec2 first, vec4 seen_px, inout vec4 sums[4])
{
    for (int d = 0; d < BLOCK_DISCS; d++) {
        int at = disc_at(layer, block, d);
        vec2 size = floats_at(at + 1);
        if (size.x == 0.0) {
            return; /* further ones have nothing either */
        }
        vec2 away = vec2(first) + 0.5 - floats_at(at);
        if (abs(away.y) >= size.x + 0.5 * size.y) {
            continue;
        }
        vec3 colors = vec3(floats_at(at + 2), floats_at(at + 3).x);
        for (int i = 0; i < 4; i++) {
            float part = clamp((size.x - length(away + vec2(i, 0))) / size.y + 0.5, 0.0, 1.0) *
                         clamp(seen_px[i] / size.x, 0.0, 1.0);
            sums[i] += part * vec4(colors, 1.0);
        }
    }
}

void put_sum(int layer, ivec2 pixel, vec4 sum)
{
    vec4 own = layer_at(layer, pixel);
    own.rgb += (layer == NEAR ? 1.0 : max(own.w, LEAST_COVERAGE)) * sum.rgb;
    own.w = layer == NEAR ? max(own.w, LEAST_COVERAGE_NEAR) : own.w;
    samples[plane_at(layer, pixel)] = uvec2(packHalf2x16(own.rg), packHalf2x16(own.ba));
}

void add(int layer, ivec2 first)
{
    vec4 sums[4] = vec4[4](vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0));
    vec4 seen_px = vec4(1e30);
    int reach = int(ceil((2.0 * most_px + MOST_EDGE_PX) / float(BLOCK)));
    ivec2 own = ivec2(gl_WorkGroupID.xy);
    ivec2 from = max(own - reach, ivec2(0));
    ivec2 to = min(own + reach, block_count() - 1);
    for (int i = 0; i < 4 && layer == BEHIND; i++) {
        ivec2 pixel = first + ivec2(i, 0);
        seen_px[i] = in_view(pixel) ? 4.0 * fields_at(pixel).y - 0.5 : 0.0;
    }
    for (int y = from.y; y <= to.y; y++) {
        for (int x = from.x; x <= to.x; x++) {
            add_block(layer, ivec2(x, y), first, seen_px, sums);
        }
    }
    for (int i = 0; i < 4; i++) {
        ivec2 pixel = first + ivec2(i, 0);
        if (sums[i].w > 0.0 && in_view(pixel)) {
            put_sum(layer, pixel, sums[i]);
        }
    }
}

void main()
{
    int thread = int(gl_LocalInvocationIndex);
    ivec2 first = ivec2(gl_WorkGroupID.xy) * BLOCK + ivec2(thread % 8 * 4, thread / 8);
    if (WORK == WORK_SUM) {
        if (wants(BEHIND)) {
            sum_block(first, thread);
        }
        return;
    }
    if (WORK == WORK_ADD) {
        if (wants(NEAR)) {
            add(NEAR, first);
        }
        if (wants(BEHIND)) {
            add(BEHIND, first);
        }
        return;
    }
    int layer = WORK == WORK_TAKE_NEAR ? NEAR : BEHIND;
    if (wants(layer)) {
        take(layer, first, thread);
    }
}
