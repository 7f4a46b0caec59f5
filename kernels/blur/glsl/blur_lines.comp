#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A tent along all lines of an axis. A thread makes 16 places of a line that follow each other, so that it reads what
 * they share once; those beside it make the same places of the lines beside. Bound by memory while kernels are narrow, by
 * arithmetic from a radius of some 20 px on. */

#extension GL_GOOGLE_include_directive : require
#include "blur.glsl"

/* struct blur_line_constants of passes.h. */
layout(push_constant) uniform Constants
{
    blur_frame frame;
    int axis; /* 0: along x */
    int length; /* of a line; places beyond it are the outermost ones again */
    int reach_px; /* whole places on both sides */
    float radius_px;
    float scale;
};

const int EACH = 16; /* BLUR_LINE_EACH */
layout(local_size_x = 64) in; /* BLUR_LINE_GROUP */

vec4 read(int place, int line)
{
    int at = clamp(place, 0, length - 1);
    if (FROM_SOURCE) {
        return source_at(frame, axis == 0 ? ivec2(at, line) : ivec2(line, at));
    }
    return samples[frame.from + (axis == 0 ? line * length + at : at * frame.width_px + line)];
}

void put(int place, int line, vec4 value)
{
    if (TO_RESULT) {
        put_result(frame, axis == 0 ? ivec2(place, line) : ivec2(line, place), value);
        return;
    }
    samples[frame.to + (axis == 0 ? line * length + place : place * frame.width_px + line)] = value;
}

void main()
{
    int line = int(gl_GlobalInvocationID.x);
    int first = int(gl_WorkGroupID.y) * EACH;
    if (line >= (axis == 0 ? frame.height_px : frame.width_px)) {
        return;
    }
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
    for (int i = 0; i < min(EACH, length - first); i++) {
        put(first + i, line, scale * sums[i]);
    }
}
