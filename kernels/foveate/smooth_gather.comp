#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method's last step: a thread finds its pixel's sigma, the level for it, and the average of
 * that level's samples under the Gaussian that is left. At most 18x18 samples but on the coarsest
 * level. Bound by the reads of samples, which neighbours share through the cache. */

#extension GL_GOOGLE_include_directive : require
#include "foveate_pixel.glsl"
#include "foveate_law.glsl"
#include "foveate_light.glsl"
#include "foveate_levels.glsl"
#include "gaze_latched.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

int level_for(float sigma_px)
{
    int k = 0;
    while (k + 1 < level_count) {
        float rest_px = REST * float(2 << k);
        if (sigma_px * sigma_px < level_variance(k + 1) + rest_px * rest_px) {
            break;
        }
        k++;
    }
    return k;
}

/* Weights exp(falloff d^2) at distances that grow by 1, without an exponential for each: the ratio of two
 * neighbours shrinks by a constant factor. */
struct gaussian {
    float weight;
    float ratio;
    float factor;
};

gaussian gaussian_from(float falloff, float d)
{
    return gaussian(exp(falloff * d * d), exp(falloff * (2.0 * d + 1.0)), exp(2.0 * falloff));
}

void step_on(inout gaussian g)
{
    g.weight *= g.ratio;
    g.ratio *= g.factor;
}

vec4 gather(ivec2 pixel, float sigma_px)
{
    int k = level_for(sigma_px);
    float scale = exp2(-float(k));
    vec2 centre = (vec2(pixel) + 0.5) * scale - 0.5;
    float rest = sqrt(sigma_px * sigma_px - level_variance(k)) * scale;
    float falloff = -0.5 / (rest * rest);
    ivec2 first = ivec2(ceil(centre - REACH * rest));
    ivec2 last = ivec2(floor(centre + REACH * rest));
    gaussian start = gaussian_from(falloff, float(first.x) - centre.x);
    gaussian down = gaussian_from(falloff, float(first.y) - centre.y);
    int margin = level_margin(k);
    foveate_level from = levels[k];
    int right = from.width + margin - 1;
    vec4 sum = vec4(0.0);
    float weights = 0.0;
    for (int j = first.y; j <= last.y; j++) {
        int row_at = sample_index(k, 0, j);
        vec4 row = vec4(0.0);
        float row_weights = 0.0;
        gaussian across = start;
        for (int i = first.x; i <= last.x; i++) {
            row += across.weight * load_sample(row_at + clamp(i, -margin, right));
            row_weights += across.weight;
            step_on(across);
        }
        sum += down.weight * row;
        weights += down.weight * row_weights;
        step_on(down);
    }
    return sum / weights;
}

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (pixel.x >= frame.width_px || pixel.y >= frame.height_px) {
        return;
    }
    ivec2 place = place_of(frame, pixel);
    uvec4 raw = texelFetch(source, place, 0);
    float sigma_px = law_sigma(frame_now(frame), pixel);
    if (sigma_px * REACH >= 1.0) { /* else no neighbour is within reach */
        vec4 value = gather(pixel, sigma_px);
        value = LIGHT ? from_light(value, frame) : value;
        raw = encode(value, raw);
    }
    imageStore(result, place, raw);
}
