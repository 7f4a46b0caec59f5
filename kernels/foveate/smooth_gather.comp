#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method's last step: a thread finds its pixel's sigma, the level for it, and the average of
 * that level's samples under the Gaussian that is left. At most 18x18 samples but on the coarsest
 * level. Bound by the reads of samples, which neighbours share through the cache. */

#extension GL_GOOGLE_include_directive : require
#include "foveate_pixel.glsl"
#include "foveate_law.glsl"
#include "foveate_levels.glsl"
#include "gaze_latched.glsl"

layout(local_size_x = 16, local_size_y = 16) in;

const int ACROSS = 18; /* weights kept at a time; one time is enough below the coarsest level */

float level_variance(int k)
{
    return float((1 << 2 * k) - 1) * (5.0 / 12.0);
}

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

vec4 gather(ivec2 pixel, float sigma_px)
{
    int k = level_for(sigma_px);
    float scale = exp2(-float(k));
    vec2 centre = (vec2(pixel) + 0.5) * scale - 0.5;
    float rest = sqrt(sigma_px * sigma_px - level_variance(k)) * scale;
    float falloff = -0.5 / (rest * rest);
    ivec2 first = ivec2(ceil(centre - REACH * rest));
    ivec2 last = ivec2(floor(centre + REACH * rest));
    vec4 sum = vec4(0.0);
    float weights = 0.0;
    for (int start = first.x; start <= last.x; start += ACROSS) {
        int count = min(ACROSS, last.x - start + 1);
        float across[ACROSS];
        for (int i = 0; i < count; i++) {
            float d = float(start + i) - centre.x;
            across[i] = exp(falloff * d * d);
        }
        for (int j = first.y; j <= last.y; j++) {
            float d = float(j) - centre.y;
            float down = exp(falloff * d * d);
            vec4 row = vec4(0.0);
            float row_weights = 0.0;
            for (int i = 0; i < count; i++) {
                row += across[i] * load_sample(sample_index(k, start + i, j));
                row_weights += across[i];
            }
            sum += down * row;
            weights += down * row_weights;
        }
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
        value = LIGHT ? from_light(value) : value;
        raw = encode(value, raw, frame.blur_alpha != 0);
    }
    imageStore(result, place, raw);
}
