#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One box, or one tent, along all lines of an axis. A thread makes up to 16 places of a line that follow each other, so
 * that it reads what they share once; those beside it make the same places of the lines beside. Bound by memory while
 * kernels are narrow, a tent by arithmetic from a radius of some 20 px on.
 *
 * A box's sums have no differences: what is left of the first places, what all have, and what has come of the next ones.
 * Values that are not finite reach as far as the box. */

#extension GL_GOOGLE_include_directive : require
#include "blur.glsl"

const int WORK_TENT = 1;

/* struct blur_line_constants of passes.h. */
layout(push_constant) uniform Constants
{
    blur_frame frame;
    int axis; /* 0: along x */
    int in_first; /* places that are read; those beyond are the outermost ones again */
    int in_count;
    int out_first; /* and made */
    int out_count;
    int reach_px; /* whole places on both sides */
    float end; /* of a box: the share of the next ones */
    float radius_px; /* of a tent */
    float scale;
};

const int EACH = 16; /* BLUR_LINE_EACH */
layout(local_size_x = 64) in; /* BLUR_LINE_GROUP */

vec4 read(int place, int line)
{
    int at = clamp(place, in_first, in_first + in_count - 1);
    if (FROM_SOURCE) {
        return source_at(frame, axis == 0 ? ivec2(at, line) : ivec2(line, at));
    }
    int along = at - in_first;
    return samples[frame.from + (axis == 0 ? line * in_count + along : along * frame.width_px + line)];
}

void put(int place, int line, vec4 value)
{
    if (TO_RESULT) {
        put_result(frame, axis == 0 ? ivec2(place, line) : ivec2(line, place), value);
        return;
    }
    int along = place - out_first;
    samples[frame.to + (axis == 0 ? line * out_count + along : along * frame.width_px + line)] = value;
}

/* Places from `first` on, as many as the box is wide. */
void make_box(int first, int count, int each, int line)
{
    int width = 2 * reach_px + 1;
    int begin = first - reach_px;
    vec4 left[EACH]; /* of the first `each` places, what is not behind a box yet */
    vec4 sum = vec4(0.0);
    for (int i = each - 1; i >= 0; i--) {
        sum += read(begin + i, line);
        left[i] = sum;
    }
    vec4 shared_sum = vec4(0.0);
    for (int i = each; i < width; i++) {
        shared_sum += read(begin + i, line);
    }
    vec4 come = vec4(0.0);
    for (int i = 0; i < count; i++) {
        vec4 next = end > 0.0 || i + 1 < count ? read(begin + i + width, line) : vec4(0.0);
        vec4 made = left[i] + shared_sum + come;
        if (end > 0.0) {
            made += end * (read(begin + i - 1, line) + next);
        }
        put(first + i, line, scale * made);
        come += next;
    }
}

void make_tent(int first, int count, int line)
{
    vec4 sums[EACH];
    for (int i = 0; i < EACH; i++) {
        sums[i] = vec4(0.0);
    }
    for (int k = -reach_px; k < EACH + reach_px; k++) {
        vec4 value = read(first + k, line);
        for (int i = 0; i < EACH; i++) {
            float weight = radius_px - float(abs(k - i));
            sums[i] += weight > 0.0 ? weight * value : vec4(0.0);
        }
    }
    for (int i = 0; i < count; i++) {
        put(first + i, line, scale * sums[i]);
    }
}

void main()
{
    int line = int(gl_GlobalInvocationID.x);
    int each = WORK == WORK_TENT ? EACH : min(2 * reach_px + 1, EACH);
    int from = int(gl_WorkGroupID.y) * each;
    if (line >= (axis == 0 ? frame.height_px : frame.width_px)) {
        return;
    }
    int count = min(each, out_count - from);
    if (WORK == WORK_TENT) {
        make_tent(out_first + from, count, line);
    } else {
        make_box(out_first + from, count, each, line);
    }
}
