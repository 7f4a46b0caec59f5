#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* All boxes of an axis, or as many as reach no further than half of a workgroup's places. A workgroup has parts of some
 * lines in shared memory, with as much around them as its boxes reach. A thread makes seven places of a line that follow
 * each other: an odd number, so that neighbouring threads' places lie in different banks. Bound by shared memory.
 *
 * A box's sums have no differences: what is left of the first places, what all have, and what has come of the next ones.
 * Values that are not finite reach as far as the box.
 *
 * Workgroup: 240 threads; 31 KB: their places and the sums of these, with two barriers a box. */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "blur.glsl"

/* struct blur_box_constants of passes.h. */
layout(push_constant) uniform Constants
{
    blur_frame frame;
    int axis; /* 0: along x */
    int in_first; /* places that are read; those beyond are the outermost ones again */
    int in_count;
    int out_first; /* and made */
    int out_count;
    int boxes;
    int half_px;
    int reach_px; /* with the ends */
    int lines; /* of a workgroup */
    int parts; /* of a line, a thread each */
    int made; /* places of a line that a workgroup makes */
    float end; /* the share of the next ones, more than 0 */
    float scale;
};

const int EACH = 7; /* BLUR_BOX_PLACES */
const int THREADS = 240; /* BLUR_BOX_THREADS */
layout(local_size_x = THREADS) in;

shared vec4 places[(THREADS + 2) * EACH]; /* a part at both ends is read where nobody counts it */
shared vec4 sums[THREADS];

vec4 plus(vec4 a, vec4 b)
{
    return AVERAGE_ALPHA ? a + b : vec4(a.rgb + b.rgb, 0.0);
}

vec4 sum_of(int first, int end)
{
    vec4 sum = vec4(0.0);
    for (int i = first; i < end; i++) {
        sum = plus(sum, places[i]);
    }
    return sum;
}

/* The sum of the places from `own` on that all boxes of a part have, but for its first box's first ones. */
vec4 common_sum(int own, int part)
{
    int before = half_px / EACH;
    int after = (half_px + 1) / EACH;
    int left_end = min((1 - before) * EACH, half_px + 1);
    vec4 sum = sum_of(own + EACH - half_px, own + left_end);
    for (int i = 1 - before; i < after; i++) {
        sum = plus(sum, sums[part + i]);
    }
    return plus(sum, sum_of(own + max(after * EACH, left_end), own + half_px + 1));
}

void make_narrow(int own, out vec4 means[EACH])
{
    [[unroll]] for (int i = 0; i < EACH; i++) {
        vec4 ends = plus(places[own + i - half_px - 1], places[own + i + half_px + 1]);
        means[i] = scale * plus(sum_of(own + i - half_px, own + i + half_px + 1), end * ends);
    }
}

void make_wide(int own, int part, out vec4 means[EACH])
{
    vec4 left = vec4(0.0);
    [[unroll]] for (int i = EACH - 1; i >= 0; i--) {
        vec4 place = places[own + i - half_px];
        if (i + 1 < EACH) {
            means[i + 1] = plus(left, end * place);
        }
        left = plus(left, place);
    }
    means[0] = plus(left, end * places[own - half_px - 1]);
    vec4 come = common_sum(own, part);
    [[unroll]] for (int i = 0; i < EACH; i++) {
        vec4 place = places[own + i + half_px + 1];
        means[i] = scale * plus(means[i], plus(come, end * place));
        come = plus(come, place);
    }
}

void make_box(int own, int part, out vec4 means[EACH])
{
    if (2 * half_px + 1 < EACH) {
        make_narrow(own, means);
    } else {
        make_wide(own, part, means);
    }
}

/* Parts that a box makes no place of that counts stay as they were. */
void make_boxes(int thread)
{
    int own = (thread + 1) * EACH;
    int first = thread % parts * EACH;
    if (thread < lines * parts) {
        sums[thread] = sum_of(own, own + EACH);
    }
    barrier();
    for (int n = 1; n <= boxes; n++) {
        bool counts = thread < lines * parts && first + EACH > n * reach_px &&
                      first < parts * EACH - n * reach_px;
        vec4 means[EACH];
        if (counts) {
            make_box(own, thread, means);
        }
        barrier();
        if (counts) {
            vec4 sum = vec4(0.0);
            [[unroll]] for (int i = 0; i < EACH; i++) {
                places[own + i] = means[i];
                sum = plus(sum, means[i]);
            }
            sums[thread] = sum;
        }
        barrier();
    }
}

ivec2 pixel_of(int place, int line)
{
    return axis == 0 ? ivec2(place, line) : ivec2(line, place);
}

uvec4 read(int place, int line)
{
    int at = clamp(place, in_first, in_first + in_count - 1);
    if (FROM_SOURCE) {
        return texelFetch(source, place_of(frame, pixel_of(at, line)), 0);
    }
    int along = at - in_first;
    return floatBitsToUint(
        samples[frame.from + (axis == 0 ? line * in_count + along : along * frame.width_px + line)]);
}

void put(int place, int line, vec4 value)
{
    if (TO_RESULT) {
        put_result(frame, pixel_of(place, line), value);
        return;
    }
    int along = place - out_first;
    samples[frame.to + (axis == 0 ? line * out_count + along : along * frame.width_px + line)] = value;
}

void main()
{
    /* Neighbouring threads move neighbouring pixels. */
    int thread = int(gl_LocalInvocationIndex);
    int begin = axis == 0 ? thread % parts : thread / lines;
    int own_line = axis == 0 ? thread / parts : thread % lines;
    int count = axis == 0 ? frame.height_px : frame.width_px;
    int line = int(gl_WorkGroupID.x) * lines + own_line;
    int first = out_first + int(gl_WorkGroupID.y) * made;
    int margin = boxes * reach_px;
    int own = EACH + own_line * parts * EACH + begin;
    if (thread < lines * parts) {
        uvec4 words[EACH]; /* asked for before the first one is there */
        [[unroll]] for (int i = 0; i < EACH; i++) {
            words[i] = read(first - margin + begin + i * parts, min(line, count - 1));
        }
        [[unroll]] for (int i = 0; i < EACH; i++) {
            places[own + i * parts] = FROM_SOURCE ? value_of(frame, words[i]) : uintBitsToFloat(words[i]);
        }
    }
    barrier();
    make_boxes(thread);
    int stop = thread < lines * parts && line < count ? min(made, out_first + out_count - first) : 0;
    [[unroll]] for (int i = 0; i < EACH; i++) {
        if (begin + i * parts < stop) {
            put(first + begin + i * parts, line, places[own + margin + i * parts]);
        }
    }
}
