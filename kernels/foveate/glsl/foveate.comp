#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blockwise foveation: each fragment is blurred by one separable Gaussian.
 *
 * Workgroup: 128 threads for a tile of at most 32x32 pixels: whole fragments side by side, or a part of one;
 * 12 KB of sums, and 18 KB of staged pixels and taps where there are. A thread sums eight rows, then columns.
 *
 * The columns that a fragment's filter reaches come in chunks, so that no radius is too large: they are summed down
 * into shared memory, and each thread adds those sums across to eight neighbouring pixels that it keeps in
 * registers. Each number that is loaded serves eight sums. Bound by the sums. Neighbouring threads have
 * neighbouring columns on the way down and neighbouring rows on the way across, an odd number of words apart, which
 * has no bank conflicts. */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "kernels/image/pixel.glsl"
#include "frame.glsl"
#include "law.glsl"
#include "kernels/image/light.glsl"
#include "grid.glsl"
#include "gaze_latched.glsl"

const int THREADS = 128;
const int TILE = 32;
const int EACH = 8; /* sums a thread makes at once */

layout(local_size_x = THREADS) in;
layout(push_constant) uniform Constants { foveate_frame submitted; };
foveate_frame frame;

/* Whether workgroups may have 30 KB of shared memory. */
layout(constant_id = 3) const bool STAGED = true;

/* ---- Sums of columns: halves around the middle of encoded bytes, floats of all else; a plane for each word */

const bool NARROW = PIXEL == PIXEL_RGBA8 && !LIGHT;
const float ZERO = NARROW ? 128.0 : 0.0;
const int SUM_WORDS = NARROW ? 2 : 4;
const int CHUNK = NARROW ? 47 : 23; /* columns; odd */
const int SUM_PLANE = TILE * CHUNK;
shared uint sums[SUM_WORDS * SUM_PLANE];

void put_sum(int at, vec4 sum)
{
    if (NARROW) {
        sum -= ZERO;
        sums[at] = packHalf2x16(sum.xy);
        sums[at + SUM_PLANE] = packHalf2x16(vec2(sum.z, AVERAGE_ALPHA ? sum.w : 0.0));
        return;
    }
    uvec4 words = floatBitsToUint(sum);
    sums[at] = words.x;
    sums[at + SUM_PLANE] = words.y;
    sums[at + 2 * SUM_PLANE] = words.z;
    if (AVERAGE_ALPHA) {
        sums[at + 3 * SUM_PLANE] = words.w;
    }
}

vec4 sum_at(int at)
{
    if (NARROW) {
        return vec4(unpackHalf2x16(sums[at]), unpackHalf2x16(sums[at + SUM_PLANE]));
    }
    uint last = AVERAGE_ALPHA ? sums[at + 3 * SUM_PLANE] : 0u;
    return uintBitsToFloat(
        uvec4(sums[at], sums[at + SUM_PLANE], sums[at + 2 * SUM_PLANE], last));
}

/* ---- The source: a chunk's pixels and the taps are staged in shared memory if they fit, because each is used many
 * times, and textures are slower */

const int STAGED_RADIUS = 36;
const int STAGED_FRAGMENTS = 4; /* fragments side by side */
const int TAPS_BEFORE = EACH; /* zeros before the first and behind the last */
const int TAPS_BEHIND = 2 * EACH;
const int TAPS = TAPS_BEFORE + 2 * STAGED_RADIUS + 1 + TAPS_BEHIND; /* odd */
const int LEAST_CHUNK = 8;
const int PIXEL_WORDS = PIXEL == PIXEL_RGBA16F ? 2 : 1;
const int STAGED_WORDS = LIGHT ? 3904 : 4160;
shared uint staged_pixels[STAGED ? STAGED_WORDS : 1];
shared float staged_taps[STAGED ? STAGED_FRAGMENTS * TAPS : 1];
const bool BY_LEVEL = LIGHT && PIXEL == PIXEL_RGBA8 && !LIGHT_IS_HLG; /* light converts one colour at a time */
shared float light_of_level[BY_LEVEL ? 256 : 1];
bool staged = false; /* the ones of this tile */

uvec4 fetch_raw(int x, int y)
{
    ivec2 pixel = clamp(ivec2(x, y), ivec2(0), ivec2(frame.width_px, frame.height_px) - 1);
    return texelFetch(source, place_of(frame, pixel), 0);
}

void stage_pixel(int at, uvec4 raw)
{
    if (PIXEL_WORDS == 2) {
        staged_pixels[at + STAGED_WORDS / 2] = raw.z | raw.w << 16;
        raw.x |= raw.y << 16;
    }
    staged_pixels[at] = raw.x;
}

uvec4 staged_pixel(int at)
{
    if (PIXEL_WORDS == 2) {
        uvec2 pairs = uvec2(staged_pixels[at], staged_pixels[at + STAGED_WORDS / 2]);
        return uvec4(pairs.x & 0xffffu, pairs.x >> 16, pairs.y & 0xffffu, pairs.y >> 16);
    }
    return uvec4(staged_pixels[at]);
}

/* Every staged pixel has this added, so that integers become floats by their bits alone. */
const float SURPLUS = NARROW ? 256.0 : 0.0;

vec4 value_of(uvec4 raw)
{
    if (NARROW) {
        uint word = raw.x;
        return uintBitsToFloat(uvec4(word << 15, word << 7, word >> 1, word >> 9) & 0x7f8000u |
                               0x43800000u);
    }
    if (BY_LEVEL) {
        return vec4(light_of_level[raw.x & 255u], light_of_level[raw.x >> 8 & 255u],
                    light_of_level[raw.x >> 16 & 255u], float(raw.x >> 24) / 255.0);
    }
    vec4 stored = decode(raw);
    return LIGHT ? to_light(stored, frame.light_value) : stored;
}

void fill_light()
{
    if (BY_LEVEL) {
        for (int i = int(gl_LocalInvocationIndex); i < 256; i += THREADS) {
            light_of_level[i] = to_light(vec4(i), frame.light_value).x;
        }
    }
}

/* ---- The tile */

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

/* Each fragment's radius, -1 if nothing is blurred, and its first tap. */
shared ivec2 filters[TILE];

ivec2 find_filter(int fragment_x, int centre_y, int shift_x)
{
    int centre_x = fragment_centre(fragment_x, frame.fragment_px, shift_x);
    int ring = ring_at(frame, ivec2(centre_x, centre_y));
    return ring > 0 ? ivec2(ring_word(ring - 1, RING_RADIUS_PX), ring_taps(frame, ring - 1))
                    : ivec2(-1, 0);
}

struct filter_at {
    int radius;
    int tap;
    int staged_tap;
};

filter_at filter_of(int fragment)
{
    return filter_at(filters[fragment].x, filters[fragment].y, fragment * TAPS + TAPS_BEFORE);
}

/* Returns eight weights from a tap on. Taps count from the outermost one; beyond both ends they are 0. */
float[EACH] weights(filter_at f, int tap)
{
    float w[EACH];
    if (staged) {
        [[unroll]] for (int n = 0; n < EACH; n++) {
            w[n] = staged_taps[f.staged_tap + tap + n];
        }
    } else {
        [[unroll]] for (int n = 0; n < EACH; n++) {
            int distance_px = abs(tap + n - f.radius);
            w[n] = distance_px <= f.radius ? tap_at(f.tap + distance_px) : 0.0;
        }
    }
    return w;
}

void stage_taps(int fragments)
{
    for (int i = int(gl_LocalInvocationIndex); i < fragments * TAPS; i += THREADS) {
        int fragment = i / TAPS;
        ivec2 f = filters[fragment];
        int distance_px = abs(i - fragment * TAPS - TAPS_BEFORE - f.x);
        staged_taps[i] = distance_px <= f.x ? tap_at(f.y + distance_px) : 0.0;
    }
}

/* A value that is not finite must not leave the filter's support: weight 0 times infinity would not be 0. */
vec4 add(vec4 sum, float w, vec4 value)
{
    bool floats = PIXEL == PIXEL_RGBA16F || PIXEL == PIXEL_B10G11R11F;
    return floats && w == 0.0 ? sum : sum + w * value;
}

/* How the tile is divided, in pixels. */
struct tile_work {
    int columns; /* a fragment's */
    int rows;
    int column_groups; /* groups of EACH */
    int row_groups;
    int reach; /* the longest radius */
    int chunk; /* columns a chunk */
    int pitch; /* staged pixels */
};

/* Stages pixels from (x, y) on, as many rows as the filters reach. */
void stage_pixels(tile_work t, int x, int y)
{
    const int at_once = 4;
    const int apart = THREADS / 32;
    int lane = int(gl_LocalInvocationIndex) % 32;
    int first = int(gl_LocalInvocationIndex) / 32;
    int rows = t.rows + 2 * t.reach;
    for (int i = lane; i < t.pitch; i += 32) {
        for (int row = first; row < rows; row += at_once * apart) {
            uvec4 raw[at_once];
            [[unroll]] for (int n = 0; n < at_once; n++) {
                raw[n] = fetch_raw(x + i, y + row + n * apart);
            }
            [[unroll]] for (int n = 0; n < at_once; n++) {
                if (row + n * apart < rows) {
                    stage_pixel((row + n * apart) * t.pitch + i, raw[n]);
                }
            }
        }
    }
}

/* Sums eight rows of a column; its first pixel that counts is `pixel`, staged at `at`. The weights of a row for the
 * eight are those of the row before, moved on by one in a ring. */
void sum_down(filter_at f, ivec2 pixel, int at, int pitch, out vec4 eight[EACH])
{
    float w[EACH];
    [[unroll]] for (int j = 0; j < EACH; j++) {
        eight[j] = vec4(0.0);
        w[j] = 0.0;
    }
    for (int k = 0; k < 2 * f.radius + EACH; k += EACH) {
        uvec4 raw[EACH];
        if (staged) {
            [[unroll]] for (int n = 0; n < EACH; n++) {
                raw[n] = staged_pixel(at + (k + n) * pitch);
            }
        } else {
            [[unroll]] for (int n = 0; n < EACH; n++) {
                raw[n] = fetch_raw(pixel.x, pixel.y + k + n);
            }
        }
        float next[EACH] = weights(f, k);
        [[unroll]] for (int n = 0; n < EACH; n++) {
            w[n] = next[n];
            vec4 value = value_of(raw[n]);
            [[unroll]] for (int j = 0; j < EACH; j++) {
                eight[j] = add(eight[j], w[(n - j) & (EACH - 1)], value);
            }
        }
    }
}

/* Sums a chunk of every fragment down: column 0 is `first` columns right of the fragment's first one. */
void sum_columns(tile_work t, int fragments, int first, ivec2 tile_px)
{
    int tasks = fragments * t.row_groups * t.chunk;
    for (int i = int(gl_LocalInvocationIndex); i < tasks; i += THREADS) {
        int unit = i / t.chunk;
        int column = i - unit * t.chunk;
        int fragment = unit / t.row_groups;
        int row = (unit - fragment * t.row_groups) * EACH;
        filter_at f = filter_of(fragment);
        int place = first + column;
        if (f.radius < 0 || place < -f.radius || place >= t.columns + f.radius) {
            continue;
        }
        int left = fragment * t.columns;
        vec4 eight[EACH];
        sum_down(f, tile_px + ivec2(left + place, row - f.radius),
                 (row + t.reach - f.radius) * t.pitch + left + column, t.pitch, eight);
        int to = (fragment * t.rows + row) * CHUNK + column;
        [[unroll]] for (int j = 0; j < EACH; j++) {
            if (row + j < t.rows) {
                put_sum(to + j * CHUNK, eight[j] - SURPLUS);
            }
        }
    }
}

/* Sums up to eight columns of a row of sums, which begins at `at`; column 0 counts as tap `first` for the
 * leftmost. */
void sum_across(filter_at f, int at, int first, int columns, int chunk, inout vec4 eight[EACH])
{
    int begin = max(0, -first);
    int end = min(chunk, 2 * f.radius + min(columns, EACH) - first);
    float w[EACH] = weights(f, first + begin - EACH);
    for (int k = begin; k < end; k += EACH) {
        vec4 value[EACH];
        [[unroll]] for (int n = 0; n < EACH; n++) {
            value[n] = sum_at(at + min(k + n, end - 1));
        }
        float next[EACH] = weights(f, first + k);
        [[unroll]] for (int n = 0; n < EACH; n++) {
            w[n] = next[n];
            value[n] = k + n < end ? value[n] : vec4(0.0);
            [[unroll]] for (int j = 0; j < EACH; j++) {
                eight[j] = add(eight[j], w[(n - j) & (EACH - 1)], value[n]);
            }
        }
    }
}

tile_work plan_work(span across, span down)
{
    tile_work t;
    t.columns = across.count / across.fragments;
    t.rows = down.count;
    t.column_groups = (t.columns + EACH - 1) / EACH;
    t.row_groups = (t.rows + EACH - 1) / EACH;
    t.reach = -1;
    for (int i = 0; i < across.fragments; i++) {
        t.reach = max(t.reach, filters[i].x);
    }
    int aside = across.count - t.columns;
    int rows = t.row_groups * EACH + 2 * t.reach + EACH; /* that sum_down takes */
    int fit = STAGED_WORDS / PIXEL_WORDS / rows - aside;
    staged = STAGED && t.reach <= STAGED_RADIUS && across.fragments <= STAGED_FRAGMENTS &&
             fit >= LEAST_CHUNK;
    int most = staged ? min(fit, CHUNK) : CHUNK;
    int all = t.columns + 2 * max(t.reach, 0);
    int chunks = (all + most - 1) / most;
    t.chunk = (all + chunks - 1) / chunks;
    t.pitch = t.chunk + aside;
    return t;
}

/* ---- Pixels: words of finished pixels, 33 for each row of sums */

const int MADE_PITCH = TILE + 1;
const int MADE_PLANE = TILE * MADE_PITCH;

void put_made(int at, vec4 value)
{
    value = LIGHT ? from_light(value, frame.light_value) : value + ZERO;
    uvec4 words = encode(value, uvec4(0u));
    if (PIXEL_WORDS == 2) {
        sums[at + MADE_PLANE] = words.z | words.w << 16;
        words.x |= words.y << 16;
    }
    sums[at] = words.x;
}

/* raw is the source's pixel, whose alpha is kept if it is not blurred. */
uvec4 made_at(int at, uvec4 raw)
{
    uint word = sums[at];
    if (PIXEL_WORDS == 2) {
        uint last = sums[at + MADE_PLANE];
        return uvec4(word & 0xffffu, word >> 16, last & 0xffffu, AVERAGE_ALPHA ? last >> 16 : raw.w);
    }
    uint kept = AVERAGE_ALPHA || PIXEL == PIXEL_B10G11R11F ? 0u
                : PIXEL == PIXEL_A2B10G10R10            ? 0xc0000000u
                                                        : 0xff000000u;
    return uvec4(word & ~kept | raw.x & kept);
}

void store_tile(tile_work t, ivec2 tile_px, ivec2 size)
{
    for (int i = int(gl_LocalInvocationIndex); i < TILE * size.y; i += THREADS) {
        ivec2 at = ivec2(i % TILE, i / TILE);
        ivec2 pixel = tile_px + at;
        if (at.x < size.x && all(greaterThanEqual(pixel, ivec2(0))) &&
            all(lessThan(pixel, ivec2(frame.width_px, frame.height_px)))) {
            ivec2 place = place_of(frame, pixel);
            uvec4 raw = texelFetch(source, place, 0);
            int fragment = at.x / t.columns;
            if (filters[fragment].x >= 0) {
                int row = fragment * t.rows + at.y;
                raw = made_at(row * MADE_PITCH + at.x - fragment * t.columns, raw);
            }
            imageStore(result, place, raw);
        }
    }
}

void main()
{
    frame = frame_now(submitted);
    int side = frame.fragment_px;
    int thread = int(gl_LocalInvocationIndex);
    ivec2 shift = ivec2(grid_shift(frame.gaze_x_q8, side), grid_shift(frame.gaze_y_q8, side));
    span across = tile_span(int(gl_WorkGroupID.x), shift.x, max(TILE / side, 1));
    span down = tile_span(int(gl_WorkGroupID.y), shift.y, 1);
    ivec2 tile_px = ivec2(across.first, down.first);
    if (thread < across.fragments) {
        filters[thread] = find_filter(across.fragment + thread,
                                      fragment_centre(down.fragment, side, shift.y), shift.x);
    }
    fill_light();
    barrier();

    /* This is the same for the whole workgroup, so that all or none reach the barriers below. */
    tile_work t = plan_work(across, down);
    if (t.reach >= 0) {
        if (staged) {
            stage_taps(across.fragments);
        }
        /* Across, a thread makes eight columns of a fragment's row. */
        int rows = across.fragments * t.rows;
        int group = thread / rows;
        int row = thread - group * rows;
        filter_at f = filter_of(row / t.rows);
        bool sums_across = group < t.column_groups && f.radius >= 0;
        vec4 eight[EACH];
        [[unroll]] for (int j = 0; j < EACH; j++) {
            eight[j] = vec4(0.0);
        }
        for (int first = -t.reach; first < t.columns + t.reach; first += t.chunk) {
            if (staged) {
                stage_pixels(t, tile_px.x + first, tile_px.y - t.reach);
            }
            barrier();
            sum_columns(t, across.fragments, first, tile_px);
            barrier();
            if (sums_across) {
                sum_across(f, row * CHUNK, first - group * EACH + f.radius,
                           t.columns - group * EACH, t.chunk, eight);
            }
        }
        barrier();
        if (sums_across) {
            [[unroll]] for (int j = 0; j < EACH; j++) {
                put_made(row * MADE_PITCH + group * EACH + j, eight[j]);
            }
        }
        barrier();
    }
    store_tile(t, tile_px, ivec2(across.count, down.count));
}
