// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// Ways that the thesis has in CUDA alone, in shared memory, as vec4: in GLSL they are compute
// shaders, which it had not.

#version 450
#extension GL_GOOGLE_include_directive : require
#include "thesis.glsl"

shared vec4 tile[tile_pixels];

#if defined(SHARED_ROWS) || defined(SHARED_COLUMNS)

// A group has two lines.
vec4 made(ivec2 at)
{
    int taps = tap_count();
#if defined(SHARED_ROWS)
    const ivec2 along = ivec2(1, 0);
    int own = int(gl_LocalInvocationID.x);
    int line = int(gl_LocalInvocationID.y);
    int threads = int(gl_WorkGroupSize.x);
#else
    const ivec2 along = ivec2(0, 1);
    int own = int(gl_LocalInvocationID.y);
    int line = int(gl_LocalInvocationID.x);
    int threads = int(gl_WorkGroupSize.y);
#endif
    int length = threads + taps - 1;
    ivec2 begin = at - own * along - taps / 2 * along;
    for (int i = own; i < length; i += threads) {
        tile[line * length + i] = source(begin + i * along);
    }
    barrier();
    vec4 sum = vec4(0.0);
    for (int i = 0; i < taps; i++) {
        sum += weight_at(i) * tile[line * length + own + i];
    }
    return sum;
}

#else

// A group's pixels and those around them.
void load(int margin)
{
    int side = int(gl_WorkGroupSize.x) + 2 * margin;
    ivec2 corner = ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) - margin;
    for (int y = int(gl_LocalInvocationID.y); y < side; y += int(gl_WorkGroupSize.y)) {
        for (int x = int(gl_LocalInvocationID.x); x < side; x += int(gl_WorkGroupSize.x)) {
            tile[y * side + x] = source(corner + ivec2(x, y));
        }
    }
    barrier();
}

vec4 made(ivec2 at)
{
    ivec2 own = ivec2(gl_LocalInvocationID.xy);
    vec4 sum = vec4(0.0);
#if defined(SHARED_SQUARE)
    int taps = tap_count();
    int side = int(gl_WorkGroupSize.x) + taps - 1;
    load(taps / 2);
    for (int y = 0; y < taps; y++) {
        for (int x = 0; x < taps; x++) {
            sum += weight_at(y * taps + x) * tile[(own.y + y) * side + own.x + x];
        }
    }
#else
    int side = int(gl_WorkGroupSize.x) + 2;
    load(1);
    int i = (own.y + 1) * side + own.x + 1;
    sum = 0.25 * (tile[i - 1] + tile[i + 1] + tile[i - side] + tile[i + side]);
#endif
    return sum;
}

#endif

void main()
{
    ivec2 at = own_pixel();
    store(at, made(at));
}
