#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Block-wise foveation: each fragment is blurred by one separable Gaussian.
 *
 * A workgroup makes a tile of at most 32x32 pixels: as many whole fragments side by side as fit, or a
 * part of one. A thread owns one column and every eighth row of it. Source rows come in chunks of 32:
 * their horizontal sums go to shared memory, and each thread adds them to its rows' vertical sums in
 * registers, so that no radius is too large. Rows are read along x by neighbouring threads. Bound by
 * texture fetches: (32 + 2 radius) / 32 * (2 radius + 1) a pixel. */

#extension GL_GOOGLE_include_directive : require
#include "foveate_shared.glsl"

const int TILE = 32;
const int THREAD_ROWS = 8;
const int ROWS_EACH = TILE / THREAD_ROWS;

layout(local_size_x = 32, local_size_y = 8) in;
layout(push_constant) uniform Constants { foveate_frame frame; };

shared vec4 sums[TILE][TILE];

/* One axis of a tile: pixels first .. first + count - 1, of fragments from `fragment` on. */
struct span {
    int fragment;
    int fragments;
    int first;
    int count;
};

span tile_span(int tile, int shift, int side_by_side)
{
    int side = frame.fragment_px;
    if (side <= TILE) {
        int fragment = tile * side_by_side;
        return span(fragment, side_by_side, fragment * side - shift, side_by_side * side);
    }
    int parts = (side + TILE - 1) / TILE;
    int offset = (tile % parts) * TILE;
    int fragment = tile / parts;
    return span(fragment, 1, fragment * side - shift + offset, min(TILE, side - offset));
}

vec4 fetch(int x, int y)
{
    return decode(texelFetch(source, ivec2(clamp(x, 0, frame.width_px - 1), y), 0));
}

vec4 horizontal_sum(int x, int y, int radius, int tap)
{
    vec4 sum = taps[tap] * fetch(x, y);
    for (int k = 1; k <= radius; k++) {
        sum += taps[tap + k] * (fetch(x - k, y) + fetch(x + k, y));
    }
    return sum;
}

void main()
{
    int side = frame.fragment_px;
    ivec2 shift = ivec2(grid_shift(frame.gaze_x_q8, side), grid_shift(frame.gaze_y_q8, side));
    span across = tile_span(int(gl_WorkGroupID.x), shift.x, max(TILE / side, 1));
    span down = tile_span(int(gl_WorkGroupID.y), shift.y, 1);
    int centre_y = fragment_centre(down.fragment, side, shift.y);

    int column = int(gl_LocalInvocationID.x);
    int lane = int(gl_LocalInvocationID.y);
    int x = across.first + column;
    bool in_column = column < across.count && x >= 0 && x < frame.width_px;
    int own = across.fragment + column / side;
    int ring = ring_at(frame, ivec2(fragment_centre(own, side, shift.x), centre_y));
    bool blurred = in_column && ring > 0;
    int radius = blurred ? int(rings[ring - 1].radius_px) : 0;
    int tap = blurred ? int(rings[ring - 1].first_tap) : 0;

    /* The same for the whole workgroup: the barriers below are reached by all or none. */
    int reach = -1;
    for (int i = 0; i < across.fragments; i++) {
        int v = ring_at(frame, ivec2(fragment_centre(across.fragment + i, side, shift.x), centre_y));
        reach = v > 0 ? max(reach, int(rings[v - 1].radius_px)) : reach;
    }

    vec4 totals[ROWS_EACH];
    for (int i = 0; i < ROWS_EACH; i++) {
        totals[i] = vec4(0.0);
    }
    int first_row = down.first - reach;
    int row_count = reach < 0 ? 0 : down.count + 2 * reach;
    for (int chunk = 0; chunk < row_count; chunk += TILE) {
        for (int i = 0; i < ROWS_EACH; i++) {
            int row = chunk + lane + i * THREAD_ROWS;
            bool used = row >= reach - radius && row < down.count + reach + radius;
            if (blurred && used) {
                int y = clamp(first_row + row, 0, frame.height_px - 1);
                sums[row - chunk][column] = horizontal_sum(x, y, radius, tap);
            }
        }
        barrier();
        if (blurred) {
            int begin = max(chunk, reach - radius);
            int end = min(chunk + TILE, down.count + reach + radius);
            for (int row = begin; row < end; row++) {
                vec4 sum = sums[row - chunk][column];
                for (int i = 0; i < ROWS_EACH; i++) {
                    int distance_px = abs(row - reach - lane - i * THREAD_ROWS);
                    if (distance_px <= radius) {
                        totals[i] += taps[tap + distance_px] * sum;
                    }
                }
            }
        }
        barrier();
    }

    for (int i = 0; i < ROWS_EACH; i++) {
        int row = lane + i * THREAD_ROWS;
        ivec2 pixel = ivec2(x, down.first + row);
        if (in_column && row < down.count && pixel.y >= 0 && pixel.y < frame.height_px) {
            uvec4 raw = texelFetch(source, pixel, 0);
            uvec4 out_raw = blurred ? encode(totals[i], raw, frame.blur_alpha != 0) : raw;
            imageStore(result, pixel, out_raw);
        }
    }
}
