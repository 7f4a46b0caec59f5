#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One step of a quasi-convolution pyramid: down by [13 19 19 13]/64, three times [side, 1 - 2 side, side] at the coarsest
 * level, or up by quadratic B-splines. A thread makes a sample, those beside it the ones beside. Bound by memory.
 *
 * A level has samples from -2 on; those further out, as the picture repeats its edges, are like the outermost of it. */

#extension GL_GOOGLE_include_directive : require
#include "blur.glsl"

const int WORK_HALVE = 0;
const int WORK_WIDEN = 1;

/* struct blur_pass_level of passes.h. */
struct blur_level {
    int first; /* of both axes */
    int last_x;
    int last_y;
    int pitch;
};

/* struct blur_level_constants of passes.h. */
layout(push_constant) uniform Constants
{
    blur_frame frame;
    blur_level fine; /* that is read */
    blur_level made;
    float taps[4]; /* of WORK_WIDEN: from the middle on */
};

layout(local_size_x = 16, local_size_y = 16) in;

vec4 read(ivec2 at)
{
    ivec2 place = clamp(at, ivec2(fine.first), ivec2(fine.last_x, fine.last_y));
    if (FROM_SOURCE) {
        return source_at(frame, place);
    }
    place -= fine.first;
    return samples[frame.from + place.y * fine.pitch + place.x];
}

vec4 halved(ivec2 at)
{
    const vec4 weights = vec4(13.0, 19.0, 19.0, 13.0) / 64.0;
    vec4 sum = vec4(0.0);
    for (int y = 0; y < 4; y++) {
        vec4 row = vec4(0.0);
        for (int x = 0; x < 4; x++) {
            row += weights[x] * read(2 * at - 1 + ivec2(x, y));
        }
        sum += weights[y] * row;
    }
    return sum;
}

vec4 widened(ivec2 at)
{
    vec4 sum = vec4(0.0);
    for (int y = -3; y <= 3; y++) {
        vec4 row = vec4(0.0);
        for (int x = -3; x <= 3; x++) {
            row += taps[abs(x)] * read(at + ivec2(x, y));
        }
        sum += taps[abs(y)] * row;
    }
    return sum;
}

/* Between the sample that it lies in and the ones that it lies next to. */
vec4 doubled(ivec2 at)
{
    ivec2 own = at >> 1;
    ivec2 other = own + 2 * (at & 1) - 1;
    vec4 row = mix(read(own), read(ivec2(other.x, own.y)), 0.25);
    vec4 next = mix(read(ivec2(own.x, other.y)), read(other), 0.25);
    return mix(row, next, 0.25);
}

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy) + made.first;
    if (at.x > made.last_x || at.y > made.last_y) {
        return;
    }
    vec4 value = WORK == WORK_HALVE ? halved(at) : WORK == WORK_WIDEN ? widened(at) : doubled(at);
    if (TO_RESULT) {
        put_result(frame, at, value);
        return;
    }
    ivec2 place = at - made.first;
    samples[frame.to + place.y * made.pitch + place.x] = value;
}
