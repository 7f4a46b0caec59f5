#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Two levels, `level` and the next one, from the level below, which for levels 1 and 2 is the
 * picture itself: [1 5 10 10 5 1]/32 along both axes, with margins. Or one, if it is the last that is wanted.
 * LAYERED: all levels are of a layer.
 *
 * Workgroup: 192 threads for 12 x 8 samples of the second level and the 24 x 16 of the first around them, or for
 * 28 x 20 samples of one;
 * 16 KB: down[20][60], later the first level filtered down, and level_1[20][28].
 *
 * Rows are filtered down in registers, twelve samples for four sums, then across in shared memory, and the second
 * level is made from the first in the same way. A barrier follows each step. */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernels/image/pixel.glsl"
#include "frame.glsl"
#include "law.glsl"
#include "kernels/image/light.glsl"
#include "levels.glsl"
#include "tiles.glsl"

const int THREADS = 192;
layout(local_size_x = THREADS) in;

const ivec2 MADE_2 = ivec2(SHADER_LEVELS_ACROSS, SHADER_LEVELS_DOWN);
/* The first level with the two samples around that the second's taps reach, and columns below likewise. */
const ivec2 MADE_1 = 2 * MADE_2 + 4;
const int COLUMNS = 2 * MADE_1.x + 4;
const int EACH = 4; /* rows of the first level that a thread makes at once */

shared uvec2 down[MADE_1.y * COLUMNS]; /* the level below, or the first level, filtered down */
shared uvec2 level_1[MADE_1.y * MADE_1.x];

/* Returns a task's place, in rows of a constant width. Division by a constant is a product of unsigned numbers alone. */
ivec2 place_in_rows(uint task, int width)
{
    uint row = task / uint(width);
    return ivec2(task - row * uint(width), row);
}

vec4 six_taps(vec4 a, vec4 b, vec4 c, vec4 d, vec4 e, vec4 f)
{
    return (1.0 / 32.0) * (a + f) + ((5.0 / 32.0) * (b + e) + (10.0 / 32.0) * (c + d));
}

/* Even columns lie before odd ones, so that neighbours across have no bank conflicts. */
int down_at(int row, int column)
{
    return row * COLUMNS + (column & 1) * (COLUMNS / 2) + (column >> 1);
}

/* Stored bytes are filtered as integers, two in a word: red and blue, green and alpha. Down gives eighths of a
 * level, at most 2040 of them; across, their sums fill 16 bits. */
bool is_whole()
{
    return PIXEL == PIXEL_RGBA8 && !LIGHT && level == 1;
}

uvec2 six_whole(uvec2 a, uvec2 b, uvec2 c, uvec2 d, uvec2 e, uvec2 f)
{
    return (a + f) + (5u * (b + e) + 10u * (c + d));
}

uvec2 eighths(uvec2 sums)
{
    return (sums + 0x00020002u) >> 2 & 0x3fff3fffu;
}

vec4 of_sums(uvec2 sums)
{
    uvec4 n = uvec4(sums.x & 0xffffu, sums.y & 0xffffu, sums.x >> 16, sums.y >> 16);
    return fma(uintBitsToFloat(n | 0x4b000000u), vec4(1.0 / 256.0), vec4(-(8388608.0 + 32768.0) / 256.0));
}

bool reads_picture()
{
    return !LAYERS && level == 1;
}

/* A thread's column of the level below, for its rows. */
const int READ = 2 * EACH + 4;

void filter_down(uvec4 raw[READ], int column, int row)
{
    if (is_whole()) {
        uvec2 read[READ];
        [[unroll]] for (int i = 0; i < READ; i++) {
            read[i] = uvec2(raw[i].x, raw[i].x >> 8) & 0x00ff00ffu;
        }
        [[unroll]] for (int i = 0; i < EACH; i++) {
            down[down_at(row + i, column)] =
                eighths(six_whole(read[2 * i], read[2 * i + 1], read[2 * i + 2], read[2 * i + 3],
                                  read[2 * i + 4], read[2 * i + 5]));
        }
        return;
    }
    vec4 read[READ];
    [[unroll]] for (int i = 0; i < READ; i++) {
        read[i] = reads_picture() ? sample_of(raw[i]) : of_halves(raw[i].xy);
    }
    [[unroll]] for (int i = 0; i < EACH; i++) {
        down[down_at(row + i, column)] =
            halves_of(six_taps(read[2 * i], read[2 * i + 1], read[2 * i + 2], read[2 * i + 3],
                               read[2 * i + 4], read[2 * i + 5]));
    }
}

/* Reads a column of the level below. What is known of the level is asked for once: drivers ask again for each sample. */
void read_below(ivec2 at, out uvec4 raw[READ])
{
    gauss_level from = levels[level - 1];
    int margin = level_margin(level - 1);
    int column = from.first + clamp(at.x, -margin, from.width + margin - 1) + margin;
    [[unroll]] for (int n = 0; n < READ; n++) {
        int row = clamp(at.y + n, -margin, from.height + margin - 1) + margin;
        raw[n] = uvec4(samples[column + row * from.pitch], 0, 0);
    }
}

/* Filters columns of the level below down to the first level's rows. */
void filter_below_down(ivec2 first)
{
    ivec2 last = ivec2(frame.width_px, frame.height_px) - 1;
    bool inside = reads_picture() && all(greaterThanEqual(first, ivec2(0))) &&
                  all(lessThan(first + ivec2(COLUMNS, 2 * MADE_1.y + 4), last));
    for (uint i = gl_LocalInvocationIndex; i < COLUMNS * (MADE_1.y / EACH); i += THREADS) {
        ivec2 task = place_in_rows(i, COLUMNS);
        int row = EACH * task.y;
        int column = task.x;
        ivec2 at = first + ivec2(column, 2 * row);
        uvec4 raw[READ];
        if (inside) {
            ivec2 place = place_of(frame, at);
            [[unroll]] for (int n = 0; n < READ; n++) {
                raw[n] = texelFetch(source, place + ivec2(0, n), 0);
            }
        } else if (reads_picture()) {
            [[unroll]] for (int n = 0; n < READ; n++) {
                raw[n] = fetch_pixel(at + ivec2(0, n));
            }
        } else {
            read_below(at, raw);
        }
        filter_down(raw, column, row);
    }
}

vec4 filter_level_1_down(int at)
{
    return six_taps(of_halves(level_1[at]), of_halves(level_1[at + MADE_1.x]),
                    of_halves(level_1[at + 2 * MADE_1.x]), of_halves(level_1[at + 3 * MADE_1.x]),
                    of_halves(level_1[at + 4 * MADE_1.x]), of_halves(level_1[at + 5 * MADE_1.x]));
}

/* `at` is down_at of the first of six, an even column. */
vec4 filter_across(int at)
{
    int odd = at + COLUMNS / 2;
    return six_taps(of_halves(down[at]), of_halves(down[odd]), of_halves(down[at + 1]),
                    of_halves(down[odd + 1]), of_halves(down[at + 2]), of_halves(down[odd + 2]));
}

/* Does the same for the columns of the level below. */
vec4 filter_below_across(int at)
{
    if (!is_whole()) {
        return filter_across(at);
    }
    int odd = at + COLUMNS / 2;
    return of_sums(six_whole(down[at], down[odd], down[at + 1], down[odd + 1], down[at + 2],
                             down[odd + 2]));
}

void store_level(gauss_level to, ivec2 at, uvec2 halves)
{
    ivec2 last = ivec2(to.width, to.height) + MARGIN;
    if (all(greaterThanEqual(at, ivec2(-MARGIN))) && all(lessThan(at, last))) {
        samples[to.first + (at.y + MARGIN) * to.pitch + at.x + MARGIN] = halves;
    }
}

void main()
{
#ifdef LAYERED
    if (samples[layer_wanted].x == 0u) {
        return;
    }
#endif
    uint thread = gl_LocalInvocationIndex;
    ivec2 first_2 = ivec2(gl_WorkGroupID.xy) * MADE_2 - MARGIN;
    bool alone = level + 1 >= level_count;
    ivec2 first_1 = ivec2(gl_WorkGroupID.xy) * (alone ? MADE_1 : 2 * MADE_2) - (alone ? MARGIN : 2 * MARGIN + 2);
    int border = alone ? 0 : 2;
    fill_light(THREADS);
    barrier();
    filter_below_down(2 * first_1 - 2);
    gauss_level made_1 = levels[level];
    gauss_level made_2 = levels[min(level + 1, MAX_LEVELS - 1)];
    barrier();
    for (uint i = thread; i < MADE_1.x * MADE_1.y; i += THREADS) {
        ivec2 at = place_in_rows(i, MADE_1.x);
        uvec2 halves = halves_of(filter_below_across(down_at(at.y, 2 * at.x)));
        level_1[i] = halves;
        ivec2 inner = min(at, MADE_1 - 1 - at);
        if (min(inner.x, inner.y) >= border) {
            store_level(made_1, first_1 + at, halves);
        }
    }
    if (alone) {
        return;
    }
    barrier();
    for (uint i = thread; i < MADE_1.x * MADE_2.y; i += THREADS) {
        ivec2 at = place_in_rows(i, MADE_1.x);
        down[down_at(at.y, at.x)] = halves_of(filter_level_1_down(2 * at.y * MADE_1.x + at.x));
    }
    barrier();
    for (uint i = thread; i < MADE_2.x * MADE_2.y; i += THREADS) {
        ivec2 at = place_in_rows(i, MADE_2.x);
        store_level(made_2, first_2 + at, halves_of(filter_across(down_at(at.y, 2 * at.x))));
    }
}
