#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Up to eight steps of heat. A workgroup has 64 x 40 pixels in registers, 4 x 4 a thread, of which it makes 48 x 24: after
 * each step what is right is one pixel less wide. Pixels at the sides of threads' squares come through shared memory.
 * Beyond its edges the picture is its mirror image and stays so, so that nothing flows there. Bound by arithmetic.
 *
 * Workgroup: 160 threads; 30 KB: the twelve pixels at the sides of each, with two barriers a step. */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
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

const int SIDE = 4; /* of a thread's square */
const ivec2 THREADS = ivec2(16, 10);
const int AROUND = 8 / SIDE; /* threads beside those that make BLUR_HEAT_MADE pixels: BLUR_HEAT_STEPS */
layout(local_size_x = 16, local_size_y = 10) in;

const int ABOVE = 0; /* rows and columns of a square */
const int BELOW = SIDE;
const int LEFT = 2 * SIDE;
const int RIGHT = 2 * SIDE + SIDE / 2;
const int SIDES = 3 * SIDE;
shared vec4 sides[SIDES][THREADS.y][THREADS.x];

/* Where the pixel of a square is among those at its sides. */
int side_of(int x, int y)
{
    return y == 0 ? ABOVE + x : y == SIDE - 1 ? BELOW + x : (x == 0 ? LEFT : RIGHT) + y - 1;
}

/* A pixel of the square that lies so many threads away; of none beside the workgroup's. */
vec4 beside(int x, int y, ivec2 away)
{
    ivec2 thread = clamp(ivec2(gl_LocalInvocationID.xy) + away, ivec2(0), THREADS - 1);
    return sides[side_of(x, y)][thread.y][thread.x];
}

/* The flow from b to a. */
vec4 flow(vec4 a, vec4 b)
{
    vec4 difference = b - a;
    float squares = dot(difference.rgb, difference.rgb);
    return WORK == WORK_EDGES ? 1.0 / (1.0 + squares * per_square) * difference : difference;
}

vec4 in_channels(vec4 value)
{
    return AVERAGE_ALPHA ? value : vec4(value.rgb, 0.0);
}

void make_step(inout vec4 square[SIDE][SIDE])
{
    [[unroll]] for (int i = 0; i < SIDE * SIDE; i++) {
        ivec2 at = ivec2(i % SIDE, i / SIDE);
        if (at.x % (SIDE - 1) == 0 || at.y % (SIDE - 1) == 0) {
            sides[side_of(at.x, at.y)][gl_LocalInvocationID.y][gl_LocalInvocationID.x] = square[at.y][at.x];
        }
    }
    barrier();
    vec4 down[SIDE]; /* flows from above */
    [[unroll]] for (int x = 0; x < SIDE; x++) {
        down[x] = flow(beside(x, SIDE - 1, ivec2(0, -1)), square[0][x]);
    }
    [[unroll]] for (int y = 0; y < SIDE; y++) {
        vec4 across = flow(beside(SIDE - 1, y, ivec2(-1, 0)), square[y][0]);
        vec4 right = beside(0, y, ivec2(1, 0));
        [[unroll]] for (int x = 0; x < SIDE; x++) {
            vec4 own = square[y][x];
            vec4 below = y + 1 < SIDE ? square[(y + 1) % SIDE][x] : beside(x, 0, ivec2(0, 1));
            vec4 next = flow(own, x + 1 < SIDE ? square[y][(x + 1) % SIDE] : right);
            vec4 next_down = flow(own, below);
            square[y][x] = in_channels(own + rate * (next - across + (next_down - down[x])));
            across = next;
            down[x] = next_down;
        }
    }
    barrier();
}

ivec2 mirrored(ivec2 place, ivec2 size)
{
    ivec2 along = ivec2(uvec2(mix(place, -1 - place, lessThan(place, ivec2(0)))) % uvec2(2 * size));
    return min(along, 2 * size - 1 - along);
}

uvec4 read(ivec2 pixel)
{
    ivec2 at = mirrored(pixel, ivec2(frame.width_px, frame.height_px));
    return FROM_SOURCE ? texelFetch(source, place_of(frame, at), 0)
                       : floatBitsToUint(samples[frame.from + at.y * frame.width_px + at.x]);
}

void put(ivec2 pixel, vec4 value)
{
    if (pixel.x >= frame.width_px || pixel.y >= frame.height_px) {
        return;
    }
    if (TO_RESULT) {
        put_result(frame, pixel, value);
    } else {
        samples[frame.to + pixel.y * frame.width_px + pixel.x] = value;
    }
}

void main()
{
    ivec2 thread = ivec2(gl_LocalInvocationID.xy) - AROUND;
    ivec2 made = THREADS - 2 * AROUND;
    ivec2 corner = SIDE * (ivec2(gl_WorkGroupID.xy) * made + thread);
    uvec4 words[SIDE * SIDE]; /* asked for before the first one is there */
    vec4 square[SIDE][SIDE];
    [[unroll]] for (int i = 0; i < SIDE * SIDE; i++) {
        words[i] = read(corner + ivec2(i % SIDE, i / SIDE));
    }
    [[unroll]] for (int i = 0; i < SIDE * SIDE; i++) {
        square[i / SIDE][i % SIDE] = FROM_SOURCE ? value_of(frame, words[i]) : uintBitsToFloat(words[i]);
    }
    for (int n = 0; n < steps; n++) {
        make_step(square);
    }
    if (all(greaterThanEqual(thread, ivec2(0))) && all(lessThan(thread, made))) {
        [[unroll]] for (int i = 0; i < SIDE * SIDE; i++) {
            put(corner + ivec2(i % SIDE, i / SIDE), square[i / SIDE][i % SIDE]);
        }
    }
}
