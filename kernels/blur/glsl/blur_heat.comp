#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Up to eight steps of heat. A workgroup makes 16 x 16 pixels from them and the eight around: after each step what is
 * right is one pixel less wide. Nothing flows over the view's edges. Bound by shared memory.
 *
 * Workgroup: 256 threads, four pixels each; 16 KB: their values, with two barriers a step. */

#extension GL_GOOGLE_include_directive : require
#include "blur.glsl"

const int WORK_EDGES = 1; /* edges are kept */

/* struct blur_heat_constants of passes.h. */
layout(push_constant) uniform Constants
{
    blur_frame frame;
    int steps;
    float rate;
    float per_square; /* of the differences of the colours */
};

const int MADE = 16; /* BLUR_HEAT_MADE */
const int AROUND = 8; /* BLUR_HEAT_STEPS */
const int SIDE = MADE + 2 * AROUND;
const int THREADS = 256;
const int OWN = SIDE * SIDE / THREADS;
layout(local_size_x = THREADS) in;

shared vec4 heat[SIDE * SIDE];

vec4 read(ivec2 pixel)
{
    ivec2 at = clamp(pixel, ivec2(0), ivec2(frame.width_px, frame.height_px) - 1);
    return FROM_SOURCE ? source_at(frame, at) : samples[frame.from + at.y * frame.width_px + at.x];
}

/* The flow from the pixel that is `next` places away, or none where there is no such pixel. */
vec4 flow(vec4 own, int place, int next, bool is_there)
{
    if (!is_there) {
        return vec4(0.0);
    }
    vec4 difference = heat[place + next] - own;
    float squares = dot(difference.rgb, difference.rgb);
    return WORK == WORK_EDGES ? difference / (1.0 + squares * per_square) : difference;
}

vec4 stepped(ivec2 corner, int place)
{
    ivec2 at = ivec2(place % SIDE, place / SIDE);
    ivec2 pixel = corner + at;
    vec4 own = heat[place];
    vec4 sum = flow(own, place, -1, at.x > 0 && pixel.x > 0);
    sum += flow(own, place, 1, at.x < SIDE - 1 && pixel.x < frame.width_px - 1);
    sum += flow(own, place, -SIDE, at.y > 0 && pixel.y > 0);
    sum += flow(own, place, SIDE, at.y < SIDE - 1 && pixel.y < frame.height_px - 1);
    return own + rate * sum;
}

void main()
{
    ivec2 corner = ivec2(gl_WorkGroupID.xy) * MADE - AROUND;
    int first = int(gl_LocalInvocationIndex);
    for (int i = 0; i < OWN; i++) {
        int place = first + i * THREADS;
        heat[place] = read(corner + ivec2(place % SIDE, place / SIDE));
    }
    barrier();
    for (int n = 0; n < steps; n++) {
        vec4 next[OWN];
        for (int i = 0; i < OWN; i++) {
            next[i] = stepped(corner, first + i * THREADS);
        }
        barrier();
        for (int i = 0; i < OWN; i++) {
            heat[first + i * THREADS] = next[i];
        }
        barrier();
    }
    ivec2 at = ivec2(first % MADE, first / MADE);
    ivec2 pixel = corner + AROUND + at;
    if (pixel.x >= frame.width_px || pixel.y >= frame.height_px) {
        return;
    }
    vec4 value = heat[(at.y + AROUND) * SIDE + at.x + AROUND];
    if (TO_RESULT) {
        put_result(frame, pixel, value);
    } else {
        samples[frame.to + pixel.y * frame.width_px + pixel.x] = value;
    }
}
