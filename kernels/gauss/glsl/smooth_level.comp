#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0: the picture as light, or as stored values around 0. Bound by memory: it reads the
 * picture once and writes eight bytes a pixel.
 *
 * Workgroup: 16 x 16 threads, a pixel and its sample each;
 * 1 KB: the light of levels, before one barrier. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/image/pixel.glsl"
#include "frame.glsl"
#include "law.glsl"
#include "kernels/image/light.glsl"
#include "levels.glsl"
#include "tiles.glsl"

const int SIDE = 16;
layout(local_size_x = SIDE, local_size_y = SIDE) in;

void main()
{
    fill_light(SIDE * SIDE);
    barrier();
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (pixel.x >= frame.width_px || pixel.y >= frame.height_px) {
        return;
    }
    samples[sample_index(0, pixel.x, pixel.y)] = halves_of(sample_of(fetch_pixel(pixel)));
}
