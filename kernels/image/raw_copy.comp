#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Copies raw words from one image to the other. On some GPUs vkCmdCopyImage takes many times as long between images
 * whose tilings differ.
 *
 * Workgroup: 16 x 16 threads for 16 x 64 pixels, four a thread, sixteen rows apart, all loaded before one is
 * stored.
 * A warp of 32 has two rows of 64 bytes, which are whole sectors of tiled memory.
 *
 * PIXEL, which is never 0, is looked at since Godot 4.6 rewrites shaders without a specialization constant, and leaves
 * ids of this one undefined. */

#extension GL_GOOGLE_include_directive : require
#include "pixel.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

/* struct shader_copy of shaders.h. */
layout(push_constant) uniform Constants
{
    ivec2 from;
    ivec2 to;
    ivec2 size;
};

const int ROWS_A_THREAD = 4; /* SHADER_COPY_ROWS */

void main()
{
    const ivec2 group = ivec2(gl_WorkGroupID.xy) * ivec2(16, 16 * ROWS_A_THREAD);
    const ivec2 first = group + ivec2(gl_LocalInvocationID.xy);
    uvec4 raw[ROWS_A_THREAD];
    for (int i = 0; i < ROWS_A_THREAD; i++) {
        raw[i] = texelFetch(source, from + min(first + ivec2(0, 16 * i), size - 1), 0);
    }
    for (int i = 0; i < ROWS_A_THREAD; i++) {
        const ivec2 pixel = first + ivec2(0, 16 * i);
        if (PIXEL != 0 && all(lessThan(pixel, size))) {
            imageStore(result, to + pixel, raw[i]);
        }
    }
}
