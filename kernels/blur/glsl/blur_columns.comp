#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The level, from rows that are decimated already. A thread makes one sample; neighbours read neighbours. Bound
 * by memory that is near, since rows of one workgroup are mostly the same. */

#extension GL_GOOGLE_include_directive : require
#include "blur.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

void main()
{
    ivec2 place = ivec2(gl_GlobalInvocationID.xy);
    if (place.x >= shape.columns || place.y >= shape.rows) {
        return;
    }
    int radius = shape.decimate_radius;
    int first = (place.y - shape.margin) * shape.step - radius;
    vec4 sum = vec4(0.0);
    for (int t = 0; t <= 2 * radius; t++) {
        int y = clamp(first + t, 0, shape.height_px - 1);
        sum += tables[decimate_at + t] * samples[y * shape.columns + place.x];
    }
    samples[(shape.height_px + place.y) * shape.columns + place.x] = sum;
}
