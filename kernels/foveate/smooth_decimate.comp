#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One level of the smooth method from the one below: [1 5 10 10 5 1]/32 along both axes, margins
 * included. A thread, a sample; 36 reads that neighbours share through the cache. */

#extension GL_GOOGLE_include_directive : require
#include "foveate_pixel.glsl"
#include "foveate_law.glsl"
#include "foveate_levels.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

const float binomial[6] = float[6](1.0 / 32.0, 5.0 / 32.0, 10.0 / 32.0, 10.0 / 32.0, 5.0 / 32.0,
                                   1.0 / 32.0);

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy) - MARGIN;
    if (at.x >= levels[level].width + MARGIN || at.y >= levels[level].height + MARGIN) {
        return;
    }
    vec4 sum = vec4(0.0);
    for (int j = 0; j < 6; j++) {
        vec4 row = vec4(0.0);
        for (int i = 0; i < 6; i++) {
            row += binomial[i] * load_sample(sample_index(level - 1, 2 * at.x - 2 + i, 2 * at.y - 2 + j));
        }
        sum += binomial[j] * row;
    }
    store_sample(sample_index(level, at.x, at.y), sum);
}
