#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method from levels (plan/fragment.h), of UNORM pictures averaged as stored or in sRGB's light:
 * level 0 by smooth_level.comp, further levels by smooth_levels.comp, then this shader.
 *
 * Workgroup: 128 threads for a tile of at most 32x16 pixels: whole fragments side by side, or a part of one;
 * 20 KB: sums[32][41], weights[512], filters[8]. A thread sums four rows down, then four columns across.
 *
 * The samples that a fragment sees come in chunks of columns: they are summed down into shared memory, and each
 * thread adds those sums across to four neighbouring pixels that it keeps in registers. Each pixel weighs a sample
 * differently, so weights are collected in shared memory first, those of four pixels together. Bound by the sums.
 * Neighbouring threads have neighbouring columns on the way down and neighbouring rows on the way across, an odd
 * number of samples apart, which has no bank conflicts. */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernels/image/pixel.glsl"
#include "frame.glsl"
#include "law.glsl"
#include "kernels/image/light.glsl"
#include "levels.glsl"
#include "grid.glsl"
#include "gaze_latched.glsl"
#include "tiles.glsl"

const int THREADS = 128;
const int EACH = 4; /* sums a thread makes at once */
const int TILE_ROWS = SHADER_BLOCKWISE_WIDTH_PX; /* rows of all fragments together */
const int CHUNK = 41; /* samples across; odd */
const int WEIGHTS_MOST = 512; /* for the weights of four pixels each */

layout(local_size_x = THREADS) in;

shared uvec2 sums[TILE_ROWS * CHUNK]; /* later the words of finished pixels */
shared vec4 weights[WEIGHTS_MOST];

/* struct foveate_fragment_filter. */
struct fragment_filter {
    int level; /* -1: the fragment is copied */
    int radius_px;
    int count;
    int first;
};
shared fragment_filter filters[SHADER_BLOCKWISE_FRAGMENTS];

fragment_filter find_filter(foveate_frame seen, int centre_x, int centre_y)
{
    int ring = ring_at(seen, ivec2(centre_x, centre_y));
    int at = filters_at + (ring - 1) * 4;
    return ring > 0 ? fragment_filter(int(filter_words[at]), int(filter_words[at + 1]),
                                      int(filter_words[at + 2]), int(filter_words[at + 3]))
                    : fragment_filter(-1, 0, 0, 0);
}

int first_seen(fragment_filter f, int px)
{
    return (px - f.radius_px >> f.level) - (f.level > 0 ? 1 : 0);
}

float weight_at(fragment_filter f, int px, int s)
{
    int i = s - first_seen(f, px);
    int row = f.first + (px & (1 << f.level) - 1) * f.count;
    return i >= 0 && i < f.count ? uintBitsToFloat(filter_words[weights_at + row + i]) : 0.0;
}

/* One axis of the tile. */
struct axis {
    int fragment; /* its first pixel */
    int fragments; /* fragments side by side in the tile */
    int first_px;
    int apart_px; /* pixels from a fragment to the next */
    int count_px; /* pixels of each */
    int groups; /* groups of EACH pixels */
};

axis axis_of(int tile, int gaze_q8, int most_px, int most_fragments)
{
    int side = frame.fragment_px;
    int parts = (side + most_px - 1) / most_px;
    int part_px = (side + parts - 1) / parts;
    int inside = tile % parts * part_px;
    int together = clamp(most_px / side, 1, most_fragments);
    int fragment = tile / parts * together;
    int count_px = min(part_px, side - inside);
    return axis(fragment, together, fragment * side - grid_shift(gaze_q8, side) + inside, count_px,
                count_px, (count_px + EACH - 1) / EACH);
}

/* Returns how many samples so many neighbouring pixels see at most. */
int most_seen(fragment_filter f, int count_px)
{
    return f.level < 0 ? 0 : f.count + (count_px - 1 >> f.level) + 1;
}

/* Collects the weights of all groups of an axis, `capacity` for each, from a sample on, which counts from the first
 * one that the group sees, or the fragment. */
void collect_weights(axis a, int capacity, int from, bool of_group)
{
    const int lanes = 32;
    int thread = int(gl_LocalInvocationIndex);
    for (int unit = thread / lanes; unit < a.fragments * a.groups; unit += THREADS / lanes) {
        int fragment = unit / a.groups;
        fragment_filter f = filters[fragment];
        int fragment_px = a.first_px + fragment * a.apart_px;
        int px = fragment_px + (unit - fragment * a.groups) * EACH;
        int first = first_seen(f, of_group ? px : fragment_px) + from;
        for (int s = thread % lanes; s < capacity && f.level >= 0; s += lanes) {
            vec4 four;
            [[unroll]] for (int n = 0; n < EACH; n++) {
                four[n] = weight_at(f, px + n, first + s);
            }
            weights[unit * capacity + s] = four;
        }
    }
}

void add(inout vec4 four[EACH], vec4 weight, vec4 value)
{
    [[unroll]] for (int n = 0; n < EACH; n++) {
        four[n].xyz += weight[n] * value.xyz;
        if (AVERAGE_ALPHA) {
            four[n].w += weight[n] * value.w;
        }
    }
}

/* Sums samples of a column; four loads are issued before the first is used. The count of weights is a multiple of
 * four, with zeros behind the last that counts. */
void add_column(int k, ivec2 at, int count, int weights_from, inout vec4 four[EACH])
{
    foveate_level from = levels[k];
    int margin = level_margin(k);
    int top = from.first + clamp(at.x, -margin, from.width + margin - 1) + margin;
    int bottom = top + (from.height + 2 * margin - 1) * from.pitch;
    int next = top + (at.y + margin) * from.pitch;
    for (int s = 0; s < count; s += EACH) {
        uvec2 halves[EACH];
        [[unroll]] for (int n = 0; n < EACH; n++) {
            halves[n] = samples[clamp(next, top, bottom)];
            next += from.pitch;
        }
        [[unroll]] for (int n = 0; n < EACH; n++) {
            add(four, weights[weights_from + s + n], of_halves(halves[n]));
        }
    }
}

/* How the tile is divided, in samples. */
struct tile_work {
    int seen_down; /* of four pixels, at most */
    int seen_across; /* of a fragment, at most */
    int capacity; /* of a group's weights down; a multiple of four */
    int chunk; /* and of those across */
};

tile_work plan_work(axis across, axis down)
{
    tile_work t = tile_work(0, 0, 0, 0);
    for (int i = 0; i < across.fragments; i++) {
        t.seen_down = max(t.seen_down, most_seen(filters[i], EACH));
        t.seen_across = max(t.seen_across, most_seen(filters[i], across.count_px));
    }
    t.seen_down = (t.seen_down + EACH - 1) / EACH * EACH;
    t.capacity = min(WEIGHTS_MOST / (across.fragments * down.groups) / EACH * EACH, t.seen_down);
    t.chunk = min(min(WEIGHTS_MOST / (across.fragments * across.groups), CHUNK), t.seen_across);
    return t;
}

/* Sums down column `from` and those after it of what every fragment sees, for its rows of pixels. */
void sum_columns(tile_work t, axis across, axis down, int from)
{
    int columns = min(t.chunk, t.seen_across - from);
    int tasks = across.fragments * down.groups * columns;
    for (int first = 0; first < tasks; first += THREADS) {
        int task = first + int(gl_LocalInvocationIndex);
        int unit = min(task, tasks - 1) / columns;
        int column = task - unit * columns;
        int fragment = unit / down.groups;
        int row = (unit - fragment * down.groups) * EACH;
        fragment_filter f = filters[fragment];
        bool wanted = task < tasks && from + column < most_seen(f, across.count_px);
        ivec2 at = ivec2(first_seen(f, across.first_px + fragment * across.apart_px) + from + column,
                         first_seen(f, down.first_px + row));
        vec4 four[EACH];
        [[unroll]] for (int n = 0; n < EACH; n++) {
            four[n] = vec4(0.0);
        }
        for (int s = 0; s < t.seen_down; s += t.capacity) {
            if (first == 0 || t.capacity < t.seen_down) {
                barrier();
                collect_weights(axis(across.fragment, across.fragments, down.first_px, 0,
                                     down.count_px, down.groups), t.capacity, s, true);
                barrier();
            }
            if (wanted) {
                add_column(f.level, ivec2(at.x, at.y + s), min(t.capacity, most_seen(f, EACH) - s),
                           unit * t.capacity, four);
            }
        }
        [[unroll]] for (int n = 0; n < EACH; n++) {
            if (wanted && row + n < down.count_px) {
                sums[(fragment * down.count_px + row + n) * CHUNK + column] = halves_of(four[n]);
            }
        }
    }
}

/* A thread's four pixels: in row `row` of a fragment, from its column `column` on. */
struct own_pixels {
    bool wanted;
    int fragment;
    int row;
    int group;
};

own_pixels find_own(axis across, axis down)
{
    int thread = int(gl_LocalInvocationIndex);
    int rows = across.fragments * down.count_px;
    int group = thread / rows;
    int row = thread - group * rows;
    int fragment = row / down.count_px;
    return own_pixels(group < across.groups && filters[fragment].level >= 0, fragment, row, group);
}

void sum_across(tile_work t, axis across, own_pixels own, int from, inout vec4 four[EACH])
{
    fragment_filter f = filters[own.fragment];
    int fragment_px = across.first_px + own.fragment * across.apart_px;
    int px = fragment_px + own.group * EACH;
    int first = first_seen(f, px) - first_seen(f, fragment_px) - from;
    int last = min(min(first + most_seen(f, EACH), most_seen(f, across.count_px) - from), t.chunk);
    int weights_from = (own.fragment * across.groups + own.group) * t.chunk;
    for (int s = max(first, 0); s < last; s++) {
        add(four, weights[weights_from + s], of_halves(sums[own.row * CHUNK + s]));
    }
}

/* Weights overshoot black and white a little. */
vec4 as_stored(vec4 value)
{
    if (LIGHT) {
        return from_light(vec4(value.rgb, clamp(value.a, 0.0, 1.0)), frame.light_value);
    }
    float opaque = PIXEL == PIXEL_A2B10G10R10 ? 3.0 : 255.0;
    return clamp(value, vec4(0.0), vec4(vec3(pixel_white()), opaque));
}

void make_tile(tile_work t, axis across, axis down)
{
    own_pixels own = find_own(across, down);
    vec4 four[EACH];
    [[unroll]] for (int n = 0; n < EACH; n++) {
        four[n] = vec4(0.0);
    }
    for (int from = 0; from < t.seen_across; from += t.chunk) {
        sum_columns(t, across, down, from);
        barrier();
        collect_weights(across, t.chunk, from, false);
        barrier();
        if (own.wanted) {
            sum_across(t, across, own, from, four);
        }
    }
    barrier();
    [[unroll]] for (int n = 0; n < EACH; n++) {
        if (own.wanted && own.group * EACH + n < across.count_px) {
            sums[own.row * CHUNK + own.group * EACH + n].x =
                encode(as_stored(four[n] + sample_zero()), uvec4(0u)).x;
        }
    }
    barrier();
}

void store_tile(axis across, axis down)
{
    const uint kept = AVERAGE_ALPHA ? 0u : PIXEL == PIXEL_A2B10G10R10 ? 0xc0000000u : 0xff000000u;
    int width = across.fragments * across.count_px;
    for (int i = int(gl_LocalInvocationIndex); i < width * down.count_px; i += THREADS) {
        ivec2 at = ivec2(i % width, i / width);
        ivec2 pixel = ivec2(across.first_px, down.first_px) + at;
        if (any(lessThan(pixel, ivec2(0))) ||
            any(greaterThanEqual(pixel, ivec2(frame.width_px, frame.height_px)))) {
            continue;
        }
        ivec2 place = place_of(frame, pixel);
        uvec4 raw = texelFetch(source, place, 0);
        int fragment = at.x / across.count_px;
        if (filters[fragment].level >= 0) {
            int row = fragment * down.count_px + at.y;
            uint word = sums[row * CHUNK + at.x - fragment * across.count_px].x;
            raw.x = word & ~kept | raw.x & kept;
        }
        imageStore(result, place, raw);
    }
}

void main()
{
    foveate_frame seen = frame_now(frame);
    int side = frame.fragment_px;
    axis across = axis_of(int(gl_WorkGroupID.x), seen.gaze_x_q8, SHADER_BLOCKWISE_WIDTH_PX,
                          SHADER_BLOCKWISE_FRAGMENTS);
    axis down = axis_of(int(gl_WorkGroupID.y), seen.gaze_y_q8, SHADER_BLOCKWISE_HEIGHT_PX, 1);
    int thread = int(gl_LocalInvocationIndex);
    if (thread < across.fragments) {
        filters[thread] = find_filter(
            seen,
            fragment_centre(across.fragment + thread, side, grid_shift(seen.gaze_x_q8, side)),
            fragment_centre(down.fragment, side, grid_shift(seen.gaze_y_q8, side)));
    }
    barrier();
    /* This is the same for the whole workgroup, so that all or none reach the barriers below. */
    tile_work t = plan_work(across, down);
    if (t.seen_across > 0) {
        make_tile(t, across, down);
    }
    store_tile(across, down);
}
