// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// The thesis's ways in GLSL that read through texture units, as fragment shaders do; each is what
// the kernel of blur_textures.cu with the same name is.

#version 450
#extension GL_GOOGLE_include_directive : require
#include "thesis.glsl"

vec4 made(ivec2 at)
{
    vec2 middle = vec2(at) + 0.5;
    vec4 sum = vec4(0.0);
#if defined(COPY)
    sum = look_up(middle);
#elif defined(CONVOLVE) || defined(CONVOLVE_WEIGHTS)
    int taps = tap_count();
    for (int y = 0; y < taps; y++) {
        for (int x = 0; x < taps; x++) {
            int i = y * taps + x;
#if defined(CONVOLVE)
            float weight = weight_at(i);
#else
            float weight = texelFetch(texture_weights, i).x;
#endif
            sum += weight * look_up(middle + vec2(x - taps / 2, y - taps / 2));
        }
    }
#elif defined(ROWS) || defined(COLUMNS)
    int taps = tap_count();
    for (int i = 0; i < taps; i++) {
        float off = float(i - taps / 2);
#if defined(ROWS)
        sum += weight_at(i) * look_up(middle + vec2(off, 0.0));
#else
        sum += weight_at(i) * look_up(middle + vec2(0.0, off));
#endif
    }
#elif defined(DOWN_BOX)
    sum = look_up(2.0 * vec2(at) + 1.0);
#elif defined(DOWN_QUASI)
    // Between two pixels of which the farther has 13 of 32.
    vec2 corner = 2.0 * vec2(at) + 1.0;
    float off = 0.5 + 13.0 / 32.0;
    sum = 0.25 * (look_up(corner + vec2(-off, -off)) + look_up(corner + vec2(off, -off)) +
                  look_up(corner + vec2(-off, off)) + look_up(corner + vec2(off, off)));
#elif defined(DOWN_LEFT)
    // Half a coarse pixel to the left and up of DOWN_BOX.
    sum = look_up(2.0 * vec2(at));
#elif defined(MEAN_RIGHT)
    // The way back adds the mean of a coarse pixel, of the one right of it, and of those below.
    sum = look_up(vec2(at) + 1.0);
#elif defined(UP)
    sum = look_up(0.5 * vec2(at) + 0.25);
#elif defined(DIFFUSE)
    // With c = 1/4 the middle falls out.
    sum = 0.25 * (look_up(middle - vec2(1.0, 0.0)) + look_up(middle + vec2(1.0, 0.0)) +
                  look_up(middle - vec2(0.0, 1.0)) + look_up(middle + vec2(0.0, 1.0)));
#endif
    return sum;
}

void main()
{
    ivec2 at = own_pixel();
    store(at, made(at));
}
