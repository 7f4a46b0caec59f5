#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0 of the smooth method: the picture as the numbers that are averaged. A thread, a pixel. Bound
 * by memory: reads the picture once, writes eight bytes a pixel. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/image/pixel.glsl"
#include "law.glsl"
#include "light.glsl"
#include "levels.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (pixel.x >= frame.width_px || pixel.y >= frame.height_px) {
        return;
    }
    vec4 stored = decode(texelFetch(source, place_of(frame, pixel), 0));
    store_sample(sample_index(0, pixel.x, pixel.y), LIGHT ? to_light(stored, frame) : stored);
}
