#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of the smooth method, second: levels 1 and 2. A workgroup makes 16 x 12 samples of level 2 and the
 * 32 x 24 of level 1 around the same pixels: rows are filtered down in registers, twelve pixels for four
 * sums, then across in shared memory, and the same again for level 2. Level 0 is never stored. */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "foveate_pixel.glsl"
#include "foveate_law.glsl"
#include "foveate_levels.glsl"
#include "gaze_latched.glsl"
#include "foveate_tiles.glsl"

const int THREADS = 192;
layout(local_size_x = THREADS) in;

const ivec2 MADE_2 = ivec2(SHADER_TILE_MADE_ACROSS, SHADER_TILE_MADE_DOWN);
/* Of level 1, with the two samples around that level 2's taps reach; of the picture likewise. */
const ivec2 MADE_1 = 2 * MADE_2 + 4;
const int COLUMNS = 2 * MADE_1.x + 4;
const int EACH = 4; /* rows of level 1 that a thread makes at once */

shared uvec2 down[MADE_1.y * COLUMNS]; /* the picture, filtered down to level 1's rows; then level 1 */
shared uvec2 level_1[MADE_1.y * MADE_1.x];

vec4 six_taps(vec4 a, vec4 b, vec4 c, vec4 d, vec4 e, vec4 f)
{
    return (1.0 / 32.0) * (a + f) + ((5.0 / 32.0) * (b + e) + (10.0 / 32.0) * (c + d));
}

/* Even columns lie before odd ones, so that neighbours across meet no conflicts of banks. */
int down_at(int row, int column)
{
    return row * COLUMNS + column % 2 * (COLUMNS / 2) + column / 2;
}

/* The picture's column from `first` on, filtered down to `row` and the three below it. */
void filter_down(ivec2 first, int column, int row)
{
    ivec2 at = first + ivec2(column, 2 * row);
    vec4 a = sample_of(fetch_pixel(at));
    vec4 b = sample_of(fetch_pixel(at + ivec2(0, 1)));
    vec4 c = sample_of(fetch_pixel(at + ivec2(0, 2)));
    vec4 d = sample_of(fetch_pixel(at + ivec2(0, 3)));
    [[unroll]] for (int i = 0; i < EACH; i++) {
        vec4 e = sample_of(fetch_pixel(at + ivec2(0, 2 * i + 4)));
        vec4 f = sample_of(fetch_pixel(at + ivec2(0, 2 * i + 5)));
        down[down_at(row + i, column)] = halves_of(six_taps(a, b, c, d, e, f));
        a = c;
        b = d;
        c = e;
        d = f;
    }
}

vec4 filter_level_1_down(int at)
{
    return six_taps(of_halves(level_1[at]), of_halves(level_1[at + MADE_1.x]),
                    of_halves(level_1[at + 2 * MADE_1.x]), of_halves(level_1[at + 3 * MADE_1.x]),
                    of_halves(level_1[at + 4 * MADE_1.x]), of_halves(level_1[at + 5 * MADE_1.x]));
}

/* `at`: down_at the first of six, an even column. */
vec4 filter_across(int at)
{
    int odd = at + COLUMNS / 2;
    return six_taps(of_halves(down[at]), of_halves(down[odd]), of_halves(down[at + 1]),
                    of_halves(down[odd + 1]), of_halves(down[at + 2]), of_halves(down[odd + 2]));
}

void store_level(int k, ivec2 at, uvec2 halves)
{
    ivec2 last = ivec2(levels[k].width, levels[k].height) + MARGIN;
    if (all(greaterThanEqual(at, ivec2(-MARGIN))) && all(lessThan(at, last))) {
        samples[levels[k].first + (at.y + MARGIN) * levels[k].pitch + at.x + MARGIN] = halves;
    }
}

void main()
{
    int thread = int(gl_LocalInvocationIndex);
    ivec2 first_2 = ivec2(gl_WorkGroupID.xy) * MADE_2 - MARGIN;
    ivec2 first_1 = 2 * first_2 - 2;
    fill_light(THREADS);
    barrier();
    for (int i = thread; i < COLUMNS * (MADE_1.y / EACH); i += THREADS) {
        filter_down(2 * first_1 - 2, i % COLUMNS, i / COLUMNS * EACH);
    }
    barrier();
    for (int i = thread; i < MADE_1.x * MADE_1.y; i += THREADS) {
        ivec2 at = ivec2(i % MADE_1.x, i / MADE_1.x);
        uvec2 halves = halves_of(filter_across(down_at(at.y, 2 * at.x)));
        level_1[i] = halves;
        if (all(greaterThanEqual(at, ivec2(2))) && all(lessThan(at, MADE_1 - 2))) {
            store_level(1, first_1 + at, halves);
        }
    }
    if (level_count < 3) {
        return;
    }
    barrier();
    for (int i = thread; i < MADE_1.x * MADE_2.y; i += THREADS) {
        ivec2 at = ivec2(i % MADE_1.x, i / MADE_1.x);
        down[down_at(at.y, at.x)] = halves_of(filter_level_1_down(2 * at.y * MADE_1.x + at.x));
    }
    barrier();
    for (int i = thread; i < MADE_2.x * MADE_2.y; i += THREADS) {
        ivec2 at = ivec2(i % MADE_2.x, i / MADE_2.x);
        store_level(2, first_2 + at, halves_of(filter_across(down_at(at.y, 2 * at.x))));
    }
}
