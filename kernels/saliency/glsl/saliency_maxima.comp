#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Candidates, as kernels/saliency/cpu/maxima.c finds them, and with the same roundings. A workgroup has a tile of
 * pixels and goes up the scales with three of them in shared memory. Rows of samples are interpolated once for all
 * pixels of a column.
 *
 * Workgroup: 32 x 8 threads, 10 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

const int WIDTH = 32;
const int HEIGHT = 16;
const int ROWS = 8; /* of threads */
const int PITCH = WIDTH + 2;
const int AREA = PITCH * (HEIGHT + 2);
const int THREADS = WIDTH * ROWS;
const int SAMPLE_ROWS = HEIGHT / 2 + 7; /* that a tile of 2 px a sample looks at */
const float NO_NEIGHBOUR = -1.0;

layout(local_size_x = WIDTH, local_size_y = ROWS) in;

shared float planes[3][AREA]; /* of scale i in planes[i % 3] */
shared float rows[SAMPLE_ROWS * PITCH]; /* of samples, summed for the tile's columns */
shared float weights[PITCH + HEIGHT + 2][6]; /* of the tile's columns, and of its rows */

/* All scales of a level have them. */
void make_weights(int step_px, ivec2 corner, int thread)
{
    if (thread < weights.length()) {
        float own[6];
        weigh(thread < PITCH ? between(clamp(corner.x + thread, 0, size_px.x - 1), step_px)
                             : between(clamp(corner.y + thread - PITCH, 0, size_px.y - 1), step_px),
              own);
        weights[thread] = own;
    }
}

/* Sums rows of samples, from `first` on, for the columns of the tile. */
void sum_rows(scale_entry of, int step_px, int first, ivec2 corner, int thread)
{
    int end = min(corner.y + HEIGHT + 1, size_px.y - 1) / step_px + 6;
    for (int i = thread; i < (end - first) * PITCH; i += THREADS) {
        int x = clamp(corner.x + i % PITCH, 0, size_px.x - 1);
        rows[i] = sum_row(of.response + (first + i / PITCH) * of.width + x / step_px, weights[i % PITCH]);
    }
}

/* at: in `rows`; row: of the tile */
float sum_column_of(int at, int row)
{
    float sums[6];
    for (int j = 0; j < 6; j++) {
        sums[j] = rows[at + j * PITCH];
    }
    return sum_column(sums, weights[PITCH + row]);
}

void fill(scale_entry of, ivec2 corner, int plane, int thread)
{
    int step_px = table[levels + LEVEL_INTS * of.level];
    int first = max(corner.y, 0) / step_px;
    if (!is_fine(of)) {
        make_weights(step_px, corner, thread);
        barrier();
        sum_rows(of, step_px, first, corner, thread);
    }
    barrier();
    for (int at = thread; at < AREA; at += THREADS) {
        ivec2 pixel = corner + ivec2(at % PITCH, at / PITCH);
        float value = NO_NEIGHBOUR;
        if (all(greaterThanEqual(pixel, ivec2(0))) && all(lessThan(pixel, size_px))) {
            value = is_fine(of) ? fine_at(of, pixel)
                                : sum_column_of((pixel.y / step_px - first) * PITCH + at % PITCH, at / PITCH);
        }
        planes[plane][at] = value;
    }
}

/* Above those before it, not below those after it. */
bool is_above(int at, int own, int below, int above)
{
    float value = planes[own][at];
    bool is = value > planes[own][at - 1] && value >= planes[own][at + 1];
    for (int y = -PITCH; y <= PITCH && is; y += PITCH) {
        for (int x = -1; x <= 1; x++) {
            is = is && value > planes[below][at + x + y] && value >= planes[above][at + x + y];
        }
    }
    for (int x = -1; x <= 1; x++) {
        is = is && value > planes[own][at + x - PITCH] && value >= planes[own][at + x + PITCH];
    }
    return is;
}

/* Both halves of a float's digits, so that products of them are exact. */
vec2 split(float a)
{
    precise float large = a * 4097.0;
    precise float high = large - (large - a);
    precise float low = a - high;
    return vec2(high, low);
}

/* Vulkan's division is some last bits off: what is left is divided once more. */
float divided(float a, float b)
{
    float first = a / b;
    vec2 f = split(first);
    vec2 s = split(b);
    precise float product = first * b;
    precise float more = ((f.x * s.x - product) + f.x * s.y + f.y * s.x) + f.y * s.y;
    precise float left = (a - product) - more;
    precise float result = first + left / b;
    return result;
}

/* The top of the parabola through three values: where, -0.5 .. 0.5, and how much above the middle. */
vec2 top_of(float before, float middle, float after)
{
    precise float slope = (after - before) * 0.5;
    precise float curvature = (middle - before) + (middle - after);
    if (before == NO_NEIGHBOUR || after == NO_NEIGHBOUR || !(curvature > 0.0)) {
        return vec2(0.0);
    }
    float at = divided(slope, curvature);
    precise float more = slope * at * 0.5;
    return vec2(at, more);
}

/* 2^(t / 3), to 1e-7 for |t| up to 0.5. */
float scale_factor(float t)
{
    precise float u = t * 0.23104906; /* ln 2 / 3 */
    precise float factor = 1.0 + u * (1.0 + u * (0.5 + u * (0.16666667 + u * 0.041666667)));
    return factor;
}

void add(scale_entry of, int number, ivec2 pixel, int at, int own, int below, int above)
{
    float value = planes[own][at];
    vec2 x = top_of(planes[own][at - 1], value, planes[own][at + 1]);
    vec2 y = top_of(planes[own][at - PITCH], value, planes[own][at + PITCH]);
    vec2 s = top_of(planes[below][at], value, planes[above][at]);
    uint place = atomicAdd(work[counts], 1u);
    if (place < uint(candidate_capacity)) {
        int to = candidates + CANDIDATE_INTS * int(place);
        precise float x_px = float(pixel.x) + x.x;
        precise float y_px = float(pixel.y) + y.x;
        precise float sigma_px = of.sigma_px * scale_factor(s.x);
        precise float strength = ((value + x.y) + y.y) + s.y;
        work[to] = floatBitsToUint(x_px);
        work[to + 1] = floatBitsToUint(y_px);
        work[to + 2] = floatBitsToUint(sigma_px);
        work[to + 3] = floatBitsToUint(strength);
        work[to + 4] = uint(number);
        work[to + 5] = uint(pixel.y * size_px.x + pixel.x);
    }
}

void find(int number, ivec2 corner)
{
    scale_entry of = scale_of(number);
    int own = number % 3;
    int below = (number + 2) % 3;
    int above = (number + 1) % 3;
    for (int row = int(gl_LocalInvocationID.y); row < HEIGHT; row += ROWS) {
        ivec2 away = ivec2(int(gl_LocalInvocationID.x) + 1, row + 1);
        int at = away.y * PITCH + away.x;
        ivec2 pixel = corner + away;
        if (all(lessThan(pixel, size_px)) && planes[own][at] > threshold && is_above(at, own, below, above)) {
            add(of, number, pixel, at, own, below, above);
        }
    }
}

void main()
{
    ivec2 corner = ivec2(gl_WorkGroupID.xy) * ivec2(WIDTH, HEIGHT) - 1;
    for (int number = 0; number < scale_count; number++) {
        barrier();
        fill(scale_of(number), corner, number % 3, int(gl_LocalInvocationIndex));
        barrier();
        if (number >= 2) {
            find(number - 1, corner);
        }
    }
}
