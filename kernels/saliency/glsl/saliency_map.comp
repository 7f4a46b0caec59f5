#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The response of a scale at every pixel. Workgroup: 16 x 16 threads. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

layout(set = 0, binding = 1, r32f) uniform writeonly image2D map;

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(pixel, size_px))) {
        imageStore(map, pixel, vec4(response_at(scale_of(slot), pixel)));
    }
}
