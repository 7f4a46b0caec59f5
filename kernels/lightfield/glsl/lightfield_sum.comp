#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Shifted sums of views. A workgroup has a part of the picture and takes views of a row of them at a time: first it
 * samples, in all lenses that its pixels lie between, what these views have, then each pixel adds up what is between
 * four lenses. Where the picture is small, groups of threads share out the views. Shared memory's loads bound it.
 *
 * Workgroup: 256 threads, 12.5 KiB; lightfield/sum_block.h says which part of the picture it has. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/lightfield/glsl/lightfield.glsl"
#include "kernels/lightfield/glsl/lightfield_picture.glsl"

const int THREADS = 256; /* LIGHTFIELD_SUM_THREADS */
const int SAMPLES = 1024; /* LIGHTFIELD_SUM_SAMPLES */
const int VIEWS = 32; /* LIGHTFIELD_SUM_VIEWS */
layout(local_size_x = THREADS) in;

const bool IS_GREY = GREY && BAYER == 0;

shared float samples[3 * SAMPLES]; /* of each colour: lenses row by row, of each all views */
/* How far the first pixel is from the first lens, in straight and in shifted rows. */
shared float starts[2 * VIEWS];

/* Views beside each other, of the lenses from a row on. */
struct batch {
    ivec2 first;
    int views;
    int stride; /* between lenses in shared memory: odd, so that neighbours are in other banks */
    int top;
};

/* Returns where the workgroup's first pixel lies in a view's row of lenses, from its nearest lens. Threads that sample
 * and those that add up round alike. */
float start_of(spot corner, int dx, bool shifted)
{
    precise float start = intBitsToFloat((shifted ? corner.columns[1] : corner.columns[0]).y) - step_px * float(dx);
    return start;
}

vec3 view_sample(ivec2 away, int column, int row)
{
    vec2 from_px = flip * (vec2(away) + view_px);
    ivec2 place = fixed_of(mat2(turn, -turn.y, turn.x) * from_px);
    return raw_at(place + row_center(row) + column_center(column, row));
}

/* Neighbouring threads take neighbouring views. */
void sample_all(batch of, spot corner, int thread)
{
    for (int item = thread; item < of.views * window.z * window.w; item += THREADS) {
        int lens = item / of.views;
        int view = item - lens * of.views;
        int row = clamp(of.top + lens / window.z, 0, lenses.y - 1);
        float start = start_of(corner, of.first.x + view, is_shifted(row));
        int column = column_of(corner, row).x + int(floor(start)) + lens % window.z;
        vec3 color = view_sample(of.first + ivec2(view, 0), clamp(column, 0, lenses.x - 1), row);
        int at = lens * of.stride + view;
        samples[at] = color.r;
        if (!IS_GREY) {
            samples[SAMPLES + at] = color.g;
            samples[2 * SAMPLES + at] = color.b;
        }
    }
    for (int item = thread; item < 2 * of.views; item += THREADS) {
        bool shifted = item >= of.views;
        int view = shifted ? item - of.views : item;
        starts[shifted ? VIEWS + view : view] = fract(start_of(corner, of.first.x + view, shifted));
    }
}

/* Between two lenses of a row. */
vec3 between_lenses(int at, int stride, float part)
{
    float red = mix(samples[at], samples[at + stride], part);
    if (IS_GREY) {
        return vec3(red);
    }
    return vec3(red, mix(samples[SAMPLES + at], samples[SAMPLES + at + stride], part),
                mix(samples[2 * SAMPLES + at], samples[2 * SAMPLES + at + stride], part));
}

/* A view's two rows of lenses around a pixel. across: from the first pixel, in straight rows and in shifted ones;
 * shifted: the row above, the row below. */
vec3 view_between(batch of, int view, int above, float down, vec2 across, bvec2 shifted)
{
    int row = window.z * of.stride;
    float right = starts[shifted.x ? VIEWS + view : view] + (shifted.x ? across.y : across.x);
    float next = HEXAGONAL ? starts[shifted.y ? VIEWS + view : view] + (shifted.y ? across.y : across.x) : right;
    return mix(between_lenses(above * row + int(right) * of.stride + view, of.stride, fract(right)),
               between_lenses((above + 1) * row + int(next) * of.stride + view, of.stride, fract(next)), down);
}

/* Returns how far a pixel's column is from that of the workgroup's first one, in lenses. */
float apart_of_columns(ivec4 own, ivec4 first)
{
    return float(own.x - first.x) + (intBitsToFloat(own.y) - intBitsToFloat(first.y));
}

/* The views to each side of the middle one of a row. */
int half_of(int dy)
{
    int square = int(full_square) - dy * dy;
    int half_row = int(sqrt(float(square)));
    half_row += (half_row + 1) * (half_row + 1) <= square ? 1 : 0;
    return half_row - (half_row * half_row > square ? 1 : 0);
}

/* Adds up what the groups of threads have, for the first of them. */
vec3 add_groups(vec3 sum, int thread, int pixels)
{
    for (int i = 0; i < 3; i++) {
        samples[i * SAMPLES + thread] = sum[i];
    }
    barrier();
    for (int other = thread + pixels; thread < pixels && other < THREADS; other += pixels) {
        sum += vec3(samples[other], samples[SAMPLES + other], samples[2 * SAMPLES + other]);
    }
    return sum;
}

void main()
{
    int thread = int(gl_LocalInvocationID.x);
    int pixels = window.x * window.y;
    ivec2 first = ivec2(gl_WorkGroupID.xy) * window.xy;
    ivec2 pixel = first + ivec2(thread % window.x, thread % pixels / window.x);
    spot corner = spot_of(first);
    spot at = spot_of(min(pixel, size_px - 1));
    vec2 across = vec2(apart_of_columns(at.columns[0], corner.columns[0]),
                       apart_of_columns(at.columns[1], corner.columns[1]));
    float rows_apart = apart_of_columns(at.row, corner.row);
    vec3 sum = vec3(0.0);
    int count = 0;
    for (int dy = -all_range; dy <= all_range; dy++) {
        float start = intBitsToFloat(corner.row.y) - step_px * float(dy) / tall;
        int top = corner.row.x + int(floor(start));
        float down = fract(start) + rows_apart;
        int above = int(down);
        ivec2 rows = clamp(top + above + ivec2(0, 1), 0, lenses.y - 1);
        bvec2 shifted = bvec2(is_shifted(rows.x), is_shifted(rows.y));
        int half_row = half_of(dy);
        int batches = (2 * half_row + size_count) / size_count;
        int most = (2 * half_row + batches) / batches;
        for (int dx = -half_row; dx <= half_row; dx += most) {
            batch of = batch(ivec2(dx, dy), min(most, half_row + 1 - dx), most | 1, top);
            barrier();
            sample_all(of, corner, thread);
            barrier();
            for (int view = thread / pixels; view < of.views; view += THREADS / pixels) {
                sum += view_between(of, view, above, fract(down), across, shifted);
            }
            count += of.views;
        }
    }
    barrier();
    sum = add_groups(sum, thread, pixels);
    if (thread < pixels && all(lessThan(pixel, size_px))) {
        store(pixel, sum / (float(count) * white));
    }
}
