#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine's colour as the raw words that Fovea's shaders read. The engine lets nobody see one texture in two formats.
 *
 * Workgroup: 16 x 16 threads, a pixel each; no shared memory. */

layout(local_size_x = 16, local_size_y = 16) in;

layout(constant_id = 0) const int PIXEL = 6; /* never 0; as raw_copy.comp has it, for the engine's sake */

layout(set = 0, binding = 0, rgba16f) readonly uniform image2D colour;
layout(set = 0, binding = 1, rgba16ui) writeonly uniform uimage2D words;

void main()
{
    const ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (PIXEL != 0 && all(lessThan(pixel, imageSize(words)))) {
        const vec4 value = imageLoad(colour, pixel);
        const uvec2 pairs = uvec2(packHalf2x16(value.xy), packHalf2x16(value.zw));
        imageStore(words, pixel, uvec4(pairs.x & 0xffffu, pairs.x >> 16, pairs.y & 0xffffu, pairs.y >> 16));
    }
}
