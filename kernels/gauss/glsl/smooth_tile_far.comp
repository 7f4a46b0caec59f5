#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of the smooth method that are made from a level: a window of samples is blurred, and the pixels are the
 * cubic B-spline through the result. Bound by arithmetic, and by how many workgroups their registers leave room
 * for.
 *
 * Workgroup: 128 threads for a subtile or a tile, or several one below the other (places_each);
 * 24 KB: scratch[2970] (window, then lines), grid[96], splines. Barriers: loaded, down, across. */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernels/image/pixel.glsl"
#include "frame.glsl"
#define FOR_ONE_LAW
#include "law.glsl"
#include "kernels/image/light.glsl"
#include "levels.glsl"
#include "gaze_latched.glsl"
#include "tiles.glsl"

const int THREADS = 128;
layout(local_size_x = THREADS) in;

#include "tile_blur.glsl"

/* Loads of four rows are issued before the first is used. */
const int AT_ONCE = 4;
const int ROWS_AT_ONCE = THREADS / 32;

void load_level(tile_shape s)
{
    ivec2 first = s.first - s.radius + MARGIN;
    gauss_level from = levels[s.level];
    ivec2 last = ivec2(from.width, from.height) + 2 * MARGIN - 1;
    int thread = int(gl_LocalInvocationIndex);
    for (int x = thread % 32; x < s.columns; x += 32) {
        int column = from.first + clamp(first.x + x, 0, last.x);
        for (int y = thread / 32; y < s.rows; y += AT_ONCE * ROWS_AT_ONCE) {
            uvec2 four[AT_ONCE];
            [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                int row = clamp(first.y + y + n * ROWS_AT_ONCE, 0, last.y);
                four[n] = samples[column + row * from.pitch];
            }
            [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                int row = y + n * ROWS_AT_ONCE;
                if (row < s.rows) {
                    scratch[row * s.pitch + x] = four[n];
                }
            }
        }
    }
}

/* Returns the spline's weights at a place `part` of a sample beyond the second of four. */
vec4 spline(float part)
{
    float residual = 1.0 - part;
    return vec4(residual * residual * residual, 3.0 * part * part * part - 6.0 * part * part + 4.0,
                3.0 * residual * residual * residual - 6.0 * residual * residual + 4.0, part * part * part) *
           (1.0 / 6.0);
}

/* The weights of the pixels between two samples, from one sample's middle to the next one's. */
shared vec4 splines[1 << (SHADER_TILE_LEVEL_COUNT - 1)];

void fill_splines(int level)
{
    int i = int(gl_LocalInvocationIndex);
    if (i < 1 << level) {
        splines[i] = spline((float(i) + 0.5) / float(1 << level));
    }
}

vec4 four_across(int at, vec4 weights)
{
    return mat4(of_halves(scratch[at]), of_halves(scratch[at + 1]), of_halves(scratch[at + 2]),
                of_halves(scratch[at + 3])) * weights;
}

/* Asks for the kept alphas of two pixels of a column, of which `end` is the first that is not written. */
void ask_alphas(ivec2 first, int n, int end, out uvec4 raw[2])
{
    raw[0] = kept_alpha_at(first + ivec2(0, min(n, end - 1)));
    raw[1] = kept_alpha_at(first + ivec2(0, min(n + 1, end - 1)));
}

/* Writes the column of pixels from `first` to before `end`. Those between the middles of two samples, a run, are made
 * from the same four rows of samples; the column begins and ends within one. `at` is the first of the first row. */
void write_column(int level, int at, int pitch, vec4 across, ivec2 first, int end)
{
    int run_px = 1 << level;
    mat4 rows = mat4(vec4(0.0), four_across(at, across), four_across(at + pitch, across),
                     four_across(at + 2 * pitch, across));
    uvec4 next[2];
    ask_alphas(first, 0, end, next);
    int n = 0;
    for (int run = -(run_px >> 1); run < end; run += run_px) {
        at += pitch;
        rows = mat4(rows[1], rows[2], rows[3], four_across(at + 2 * pitch, across));
        for (int last = min(run + run_px, end) - 1; n <= last; n += 2) {
            uvec4 raw[2] = next;
            ask_alphas(first, n + 2 <= last ? n + 2 : run + run_px, end, next);
            store_at(first + ivec2(0, n), rows * splines[n - run], raw[0]);
            if (n < last) {
                store_at(first + ivec2(0, n + 1), rows * splines[n - run + 1], raw[1]);
            }
        }
        n = run + run_px;
    }
}

/* A thread makes a part of a column of pixels. */
void upsample(tile_shape s, ivec2 first_px, int pitch)
{
    int side_px = (s.outputs.x - 2 * BEFORE) << s.level;
    int rows = side_px * side_px / THREADS; /* 8 or 32 */
    ivec2 at = ivec2(gl_LocalInvocationIndex & (side_px - 1),
                     (gl_LocalInvocationIndex >> (s.level > 1 ? 6 : 5)) * rows);
    float place = (float(at.x) + 0.5) / float(1 << s.level) + 0.5;
    int column = int(place);
    ivec2 first = first_px + at;
    int end = min(rows, frame.height_px - first.y);
    if (first.x < frame.width_px && end > 0) {
        write_column(s.level, (at.y >> s.level) * pitch + column, pitch, spline(place - float(column)),
                     place_of(frame, first), end);
    }
}

void make_from_level(int level, ivec2 first_px, int radius)
{
    tile_shape s = shape_of(level, first_px, radius);
    load_level(s);
    fill_grid(s);
    fill_splines(level);
    barrier();
    blur_down(s);
    barrier();
    int groups = s.outputs.x / GROUP;
    int pitch = s.outputs.x | 1;
    float each = 1.0 / float(groups);
    for (int i = int(gl_LocalInvocationIndex); i < s.outputs.y * groups; i += THREADS) {
        int row = quotient(i, each);
        int group = i - row * groups;
        mat4 sums = blur_across(s, row, group);
        [[unroll]] for (int n = 0; n < GROUP; n++) {
            scratch[row * pitch + group * GROUP + n] = halves_of(sums[n]);
        }
    }
    barrier();
    upsample(s, first_px, pitch);
}

/* Subtiles of a tile are SHADER_TILE_PLACES_DOWN / 2 places high, and there are two at most. Most workgroups make
 * nothing, so that the time until they know it counts: kinds are asked for at once. */
void main()
{
    now = frame_now(frame);
    int subtiles_each = max(places_each / 2, 1);
    ivec2 first = ivec2(gl_WorkGroupID.x, int(gl_WorkGroupID.y) * subtiles_each * 2);
    uvec2 kind = kind_of(first);
    uvec2 last = kind_of(first + ivec2(0, 2 * subtiles_each - 2));
    for (int i = 0; i < subtiles_each; i++) {
        uint what = kind.x & KIND_MASK;
        if (what > KIND_LEVEL_0) {
            make_from_level(int(what - KIND_LEVEL_0), (first + ivec2(0, 2 * i)) * PLACE_PX, int(kind.y));
            barrier(); /* the next subtile's window takes this one's scratch memory */
        }
        kind = last;
    }
}
