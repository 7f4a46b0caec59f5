#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Turns the words that Fovea's shaders wrote into the engine's colour.
 *
 * Workgroup: 16 x 16 threads, a pixel each; no shared memory. */

layout(local_size_x = 16, local_size_y = 16) in;

layout(constant_id = 0) const int PIXEL = 6; /* never 0; as raw_copy.comp has it, for the engine's sake */

layout(set = 0, binding = 0, rgba16ui) readonly uniform uimage2D words;
layout(set = 0, binding = 1, rgba16f) writeonly uniform image2D colour;

void main()
{
    const ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (PIXEL != 0 && all(lessThan(pixel, imageSize(words)))) {
        const uvec4 raw = imageLoad(words, pixel);
        const uvec2 pairs = raw.xz | raw.yw << 16;
        imageStore(colour, pixel, vec4(unpackHalf2x16(pairs.x), unpackHalf2x16(pairs.y)));
    }
}
