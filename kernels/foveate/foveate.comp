#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Block-wise foveation: each fragment is blurred by one separable Gaussian.
 *
 * A workgroup makes a tile of at most 32x32 pixels: as many whole fragments side by side as fit, or a
 * part of one. Source rows come in chunks of 32: their horizontal sums go to shared memory, and each
 * thread adds them to the vertical sums that it keeps in registers, so that no radius is too large.
 * Horizontally a thread sums for four neighbouring columns of a row, vertically for four neighbouring
 * rows of a column: one pixel read and one weight read serve four sums. Bound by the sums, and where
 * nothing is staged by texture fetches: (32 + 2 radius) / 32 * (2 radius + 4) / 4 of them a pixel. */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "foveate_pixel.glsl"
#include "foveate_law.glsl"
#include "foveate_grid.glsl"
#include "gaze_latched.glsl"

const int TILE = 32;
const int EACH = 4; /* sums a thread makes at once */
const int AT_ONCE = 4; /* numbers that are asked for before the first is used */

layout(local_size_x = 32, local_size_y = 8) in;
layout(push_constant) uniform Constants { foveate_frame submitted; };
foveate_frame frame;

/* Whether workgroups may have 30 KB of shared memory, and pixels have 32 bits. */
layout(constant_id = 3) const bool STAGED = true;

shared vec4 sums[TILE][TILE];

/* Where its filters are so short, a tile's pixels and taps are read into shared memory first: each of them is
 * used many times, and textures are slower. Pixels of more than 32 bits would take too much of it. */
const int STAGED_RADIUS = 32;
const int STAGED_FRAGMENTS = 4; /* side by side */
const int STAGED_COLUMNS = TILE + 2 * STAGED_RADIUS + EACH;
const int STAGED_TAPS = STAGED_RADIUS + EACH + AT_ONCE; /* zeros behind the last */
shared uint staged_pixels[STAGED ? TILE * STAGED_COLUMNS : 1];
shared float staged_taps[STAGED ? STAGED_FRAGMENTS * STAGED_TAPS : 1];
bool staged = false; /* this tile's are */

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

uvec4 fetch_raw(int x, int y)
{
    ivec2 pixel = ivec2(clamp(x, 0, frame.width_px - 1), y);
    return texelFetch(source, place_of(frame, pixel), 0);
}

vec4 decode_light(uvec4 raw)
{
    vec4 stored = decode(raw);
    return LIGHT ? to_light(stored) : stored;
}

vec4 fetch(int x, int y)
{
    return decode_light(fetch_raw(x, y));
}

/* A filter of the plan's; radius -1: nothing is blurred. */
struct filter_at {
    int radius;
    int tap;
    int staged_tap;
};

filter_at filter_of(int fragment_x, int centre_y, int shift_x)
{
    int centre_x = fragment_centre(fragment_x, frame.fragment_px, shift_x);
    int ring = ring_at(frame, ivec2(centre_x, centre_y));
    return ring > 0
               ? filter_at(int(ring_word(ring - 1, RING_RADIUS_PX)), ring_taps(frame, ring - 1), 0)
               : filter_at(-1, 0, 0);
}

float weight(filter_at f, int distance_px)
{
    if (staged) {
        return staged_taps[f.staged_tap + distance_px];
    }
    return distance_px <= f.radius ? tap_at(f.tap + distance_px) : 0.0;
}

/* A number that is none stays within the filter's reach: weight 0 times infinity would not be 0. */
vec4 add(vec4 sum, float w, vec4 value)
{
    bool floats = PIXEL == PIXEL_RGBA16F || PIXEL == PIXEL_B10G11R11F;
    return floats && w == 0.0 ? sum : sum + w * value;
}

vec4 sum_across(filter_at f, int x, int y)
{
    vec4 sum = vec4(0.0);
    for (int i = -f.radius; i <= f.radius; i++) {
        sum += tap_at(f.tap + abs(i)) * fetch(x + i, y);
    }
    return sum;
}

/* Four columns of one fragment: the weights of a pixel for them are those of the pixel before, moved
 * on by one. staged_at: where pixel (x, y) is staged. */
void sums_across(filter_at f, int x, int y, int staged_at, out vec4 four[EACH])
{
    four = vec4[EACH](vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0));
    vec4 w = vec4(0.0);
    for (int i = -f.radius; i < f.radius + EACH; i += AT_ONCE) {
        uvec4 raw[AT_ONCE];
        float own[AT_ONCE];
        if (staged) {
            [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                raw[n] = uvec4(staged_pixels[staged_at + i + n]);
            }
        } else {
            [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                raw[n] = fetch_raw(x + i + n, y);
            }
        }
        [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
            own[n] = weight(f, abs(i + n));
        }
        [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
            w = vec4(own[n], w.xyz);
            vec4 pixel = decode_light(raw[n]);
            four[0] = add(four[0], w.x, pixel);
            four[1] = add(four[1], w.y, pixel);
            four[2] = add(four[2], w.z, pixel);
            four[3] = add(four[3], w.w, pixel);
        }
    }
}

/* The same down a column of shared sums; first..last are the rows of this chunk that count, `row` is
 * the first of the four. */
void sums_down(filter_at f, int column, int chunk, int first, int last, int row,
               inout vec4 four[EACH])
{
    vec4 w = vec4(weight(f, abs(first - 1 - row)), weight(f, abs(first - 2 - row)),
                  weight(f, abs(first - 3 - row)), weight(f, abs(first - 4 - row)));
    for (int i = first; i <= last; i += AT_ONCE) {
        vec4 read[AT_ONCE];
        float own[AT_ONCE];
        [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
            read[n] = sums[min(i + n, last) - chunk][column];
            own[n] = weight(f, abs(i + n - row));
        }
        [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
            w = i + n <= last ? vec4(own[n], w.xyz) : vec4(0.0);
            four[0] = add(four[0], w.x, read[n]);
            four[1] = add(four[1], w.y, read[n]);
            four[2] = add(four[2], w.z, read[n]);
            four[3] = add(four[3], w.w, read[n]);
        }
    }
}

/* The taps of the tile's fragments from `fragment` on. */
void stage_taps(int fragment, int count, int centre_y, int shift_x)
{
    int threads = int(gl_WorkGroupSize.x * gl_WorkGroupSize.y);
    for (int i = int(gl_LocalInvocationIndex); i < count * STAGED_TAPS; i += threads) {
        filter_at f = filter_of(fragment + i / STAGED_TAPS, centre_y, shift_x);
        int distance_px = i % STAGED_TAPS;
        staged_taps[i] = distance_px <= f.radius ? tap_at(f.tap + distance_px) : 0.0;
    }
}

/* `columns` pixels from x on, of the chunk's rows from y on that lie before end_y. */
void stage_pixels(int x, int columns, int y, int end_y)
{
    const int apart = TILE / EACH;
    int first = y + int(gl_LocalInvocationID.y);
    for (int i = int(gl_LocalInvocationID.x); i < columns; i += TILE) {
        uint raw[EACH];
        [[unroll]] for (int n = 0; n < EACH; n++) {
            int row = clamp(min(first + n * apart, end_y - 1), 0, frame.height_px - 1);
            raw[n] = fetch_raw(x + i, row).x;
        }
        [[unroll]] for (int n = 0; n < EACH; n++) {
            staged_pixels[(first - y + n * apart) * STAGED_COLUMNS + i] = raw[n];
        }
    }
}

void main()
{
    frame = frame_now(submitted);
    int side = frame.fragment_px;
    ivec2 shift = ivec2(grid_shift(frame.gaze_x_q8, side), grid_shift(frame.gaze_y_q8, side));
    span across = tile_span(int(gl_WorkGroupID.x), shift.x, max(TILE / side, 1));
    span down = tile_span(int(gl_WorkGroupID.y), shift.y, 1);
    int centre_y = fragment_centre(down.fragment, side, shift.y);

    /* The same for the whole workgroup: the barriers below are reached by all or none. */
    int reach = -1;
    for (int i = 0; i < across.fragments; i++) {
        reach = max(reach, filter_of(across.fragment + i, centre_y, shift.x).radius);
    }

    staged = STAGED && reach <= STAGED_RADIUS && across.fragments <= STAGED_FRAGMENTS;
    if (staged) {
        stage_taps(across.fragment, across.fragments, centre_y, shift.x);
    }

    /* Down: one column, four rows. */
    int column = int(gl_LocalInvocationID.x);
    int first_row = int(gl_LocalInvocationID.y) * EACH;
    filter_at own = filter_of(across.fragment + column / side, centre_y, shift.x);
    own.staged_tap = column / side * STAGED_TAPS;
    bool sums_rows = own.radius >= 0 && column < across.count && first_row < down.count;
    vec4 totals[EACH] = vec4[EACH](vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0));

    /* Across: four columns, one row. */
    int first_column = int(gl_LocalInvocationIndex % (TILE / EACH)) * EACH;
    int lane = int(gl_LocalInvocationIndex / (TILE / EACH));
    filter_at left = filter_of(across.fragment + first_column / side, centre_y, shift.x);
    left.staged_tap = first_column / side * STAGED_TAPS;
    bool together = first_column / side == (first_column + EACH - 1) / side;

    /* Rows are counted from the tile's first one; rows -reach .. count - 1 + reach are needed. */
    int end_row = reach < 0 ? -1 : down.count + reach;
    for (int chunk = -max(reach, 0); chunk < end_row; chunk += TILE) {
        int row = chunk + lane;
        int y = clamp(down.first + row, 0, frame.height_px - 1);
        int x = across.first + first_column;
        if (staged) {
            stage_pixels(across.first - reach, across.count + 2 * reach + EACH,
                         down.first + chunk, down.first + end_row);
            barrier();
        }
        if (row < end_row && first_column < across.count && together) {
            vec4 four[EACH];
            sums_across(left, x, y, lane * STAGED_COLUMNS + first_column + reach, four);
            [[unroll]] for (int i = 0; i < EACH; i++) {
                sums[lane][first_column + i] = four[i];
            }
        } else if (row < end_row) {
            for (int i = 0; i < EACH && first_column + i < across.count; i++) {
                filter_at f = filter_of(across.fragment + (first_column + i) / side, centre_y, shift.x);
                sums[lane][first_column + i] = sum_across(f, x + i, y);
            }
        }
        barrier();
        if (sums_rows) {
            int first = max(chunk, first_row - own.radius);
            int last = min(min(chunk + TILE, end_row) - 1, first_row + EACH - 1 + own.radius);
            sums_down(own, column, chunk, first, last, first_row, totals);
        }
        barrier();
    }

    int x = across.first + column;
    [[unroll]] for (int i = 0; i < EACH; i++) {
        ivec2 pixel = ivec2(x, down.first + first_row + i);
        bool in_tile = column < across.count && first_row + i < down.count;
        if (in_tile && all(greaterThanEqual(pixel, ivec2(0))) &&
            all(lessThan(pixel, ivec2(frame.width_px, frame.height_px)))) {
            ivec2 place = place_of(frame, pixel);
            uvec4 raw = texelFetch(source, place, 0);
            bool blurred = own.radius >= 0;
            vec4 value = LIGHT ? from_light(totals[i]) : totals[i];
            imageStore(result, place, blurred ? encode(value, raw) : raw);
        }
    }
}
