#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Makes a small picture of a view, for a gaze source that looks at pictures: a thread takes the mean of up to 4x4
 * pixels of its cell, which lie evenly, as stored. It reads some 200,000 pixels of a frame of any size, of which
 * each is in a sector of its own where cells are large: bound by those reads. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/image/pixel.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

/* struct shader_reduce of shaders.h. */
layout(push_constant) uniform Constants
{
    ivec2 from;
    ivec2 size;
    ivec2 cells;
    uint mark;
    uint blue_first;
    uint bottom_up;
};
/* The host can read it. */
layout(set = 0, binding = 3, std430) writeonly buffer Reduced { uint reduced[]; };

const int SAMPLES_MAX = 4; /* SHADER_REDUCE_SAMPLES */

float most()
{
    return PIXEL == PIXEL_RGBA16F || PIXEL == PIXEL_B10G11R11F ? 1.0
           : PIXEL == PIXEL_A2B10G10R10                        ? 1023.0
                                                               : 255.0;
}

void main()
{
    const ivec2 cell = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(cell, cells))) {
        return;
    }
    const ivec2 samples = min((size + cells - 1) / cells, ivec2(SAMPLES_MAX));
    vec3 sum = vec3(0.0);
    for (int y = 0; y < samples.y; y++) {
        for (int x = 0; x < samples.x; x++) {
            ivec2 pixel = (2 * (cell * samples + ivec2(x, y)) + 1) * size / (2 * samples * cells);
            pixel.y = bottom_up != 0u ? size.y - 1 - pixel.y : pixel.y;
            sum += decode(texelFetch(source, from + pixel, 0)).rgb;
        }
    }
    sum /= float(samples.x * samples.y) * most();
    /* Comparisons, unlike clamp(), say what becomes of NaN. */
    const vec3 within = mix(vec3(0.0), min(sum, vec3(1.0)), greaterThan(sum, vec3(0.0)));
    const uvec3 levels = uvec3((blue_first != 0u ? within.bgr : within) * 255.0 + 0.5);
    reduced[1 + cell.y * cells.x + cell.x] = levels.r | levels.g << 8 | levels.b << 16;
    if (cell == ivec2(0)) {
        reduced[0] = mark;
    }
}
