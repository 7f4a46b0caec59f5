#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Rows of the picture, filtered along x and decimated. A workgroup makes COLUMNS samples of one row, a thread
 * each. What they sum is staged CHUNK pixels at a time, so that a pixel's light is worked out once for all of
 * them and memory does not grow with sigma. Bound by arithmetic: the weights. */

#extension GL_GOOGLE_include_directive : require
#include "blur.glsl"

const int COLUMNS = 64; /* BLUR_SHADER_COLUMNS */
const int CHUNK = 512;
layout(local_size_x = COLUMNS) in;

shared vec4 staged[CHUNK];

void main()
{
    int own = int(gl_LocalInvocationID.x);
    int column = int(gl_GlobalInvocationID.x);
    int y = int(gl_WorkGroupID.y);
    int radius = shape.decimate_radius;
    int group_first = (int(gl_WorkGroupID.x) * COLUMNS - shape.margin) * shape.step - radius;
    int group_end = group_first + (COLUMNS - 1) * shape.step + 2 * radius + 1;
    int first = (column - shape.margin) * shape.step - radius;
    int end = first + 2 * radius + 1;
    vec4 sum = vec4(0.0);
    for (int chunk = group_first; chunk < group_end; chunk += CHUNK) {
        barrier();
        for (int i = own; i < CHUNK && chunk + i < group_end; i += COLUMNS) {
            staged[i] = value_of(texelFetch(source, place_in_images(ivec2(chunk + i, y)), 0));
        }
        barrier();
        for (int x = max(first, chunk); x < min(end, chunk + CHUNK); x++) {
            sum += tables[decimate_at + x - first] * staged[x - chunk];
        }
    }
    if (column < shape.columns) {
        samples[y * shape.columns + column] = sum;
    }
}
