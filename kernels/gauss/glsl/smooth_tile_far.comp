#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of the smooth method that are made from a level: a window of samples is blurred, and the pixels are the
 * cubic B-spline through the result. Bound by arithmetic, and by how many workgroups their registers leave room
 * for.
 *
 * Workgroup: 128 threads for a subtile or a tile, or several one below the other (places_each);
 * 24 KB: scratch[2970] (window, then lines), grid[80], splines. Barriers: loaded, down, across. */

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

/* The weights of each of a sample's pixels. */
shared vec4 splines[1 << (SHADER_TILE_LEVEL_COUNT - 1)];

void fill_splines(int level)
{
    int i = int(gl_LocalInvocationIndex);
    if (i < 1 << level) {
        splines[i] = spline(fract((float(i) + 0.5) / float(1 << level) + 0.5));
    }
}

vec4 four_across(int at, vec4 weights)
{
    return weights.x * of_halves(scratch[at]) + weights.y * of_halves(scratch[at + 1]) +
           (weights.z * of_halves(scratch[at + 2]) + weights.w * of_halves(scratch[at + 3]));
}

/* A thread goes down a column of pixels with the four rows of samples around it: in the middle of a sample the next
 * row takes its turn. */
void upsample(tile_shape s, ivec2 first_px, int pitch)
{
    int side_px = (s.outputs.x - 2 * BEFORE) << s.level;
    int rows = side_px * side_px / THREADS; /* 4 or 16 */
    int x = int(gl_LocalInvocationIndex) % side_px;
    int y = int(gl_LocalInvocationIndex) / side_px * rows;
    float per_px = 1.0 / float(1 << s.level);
    float across = (float(x) + 0.5) * per_px + 0.5;
    int column = int(across);
    vec4 weights = spline(across - float(column));
    int row = int((float(y) + 0.5) * per_px + 0.5);
    int at = row * pitch + column;
    vec4 a = four_across(at, weights);
    vec4 b = four_across(at + pitch, weights);
    vec4 c = four_across(at + 2 * pitch, weights);
    at += 3 * pitch;
    vec4 d = four_across(at, weights);
    int parts = (1 << s.level) - 1;
    int middle = 1 << s.level >> 1;
    for (int end = y + rows; y < end; y += AT_ONCE) {
        uvec4 raw[AT_ONCE];
        [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
            raw[n] = kept_alpha(first_px + ivec2(x, y + n));
        }
        [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
            int part = (y + n) & parts;
            if (part == middle) {
                at += pitch;
                a = b;
                b = c;
                c = d;
                d = four_across(at, weights);
            }
            vec4 w = splines[part];
            ivec2 pixel = first_px + ivec2(x, y + n);
            if (in_picture(pixel)) {
                store_over(pixel, w.x * a + w.y * b + (w.z * c + w.w * d), raw[n]);
            }
        }
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
    for (int i = int(gl_LocalInvocationIndex); i < s.outputs.y * groups; i += THREADS) {
        int row = i / groups;
        int group = i - row * groups;
        mat4 sums = blur_across(s, row, group);
        [[unroll]] for (int n = 0; n < GROUP; n++) {
            scratch[row * pitch + group * GROUP + n] = halves_of(sums[n]);
        }
    }
    barrier();
    upsample(s, first_px, pitch);
}

/* Subtiles of a tile are SHADER_TILE_PLACES_DOWN / 2 places high. */
void main()
{
    now = frame_now(frame);
    int subtiles_each = max(places_each / 2, 1);
    for (int i = 0; i < subtiles_each; i++) {
        ivec2 place = ivec2(gl_WorkGroupID.x, (int(gl_WorkGroupID.y) * subtiles_each + i) * 2);
        uvec2 kind = kind_of(place);
        uint what = kind.x & KIND_MASK;
        if (what > KIND_LEVEL_0) {
            make_from_level(int(what - KIND_LEVEL_0), place * PLACE_PX, int(kind.y));
            barrier(); /* the next subtile's window takes this one's scratch memory */
        }
    }
}
