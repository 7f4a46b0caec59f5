/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One pixel by its definition: the average of a level's samples under the Gaussian with the
 * sigma that is left. Include it after gauss/glsl/levels.glsl. */

/* Returns the coarsest level that leaves RESIDUAL samples: 4^k (v + RESIDUAL^2) - v <= sigma^2, v being level_variance's. */
int level_for(float sigma_px)
{
    const float v = 5.0 / 12.0;
    float fours = 0.5 * log2((sigma_px * sigma_px + v) / (v + RESIDUAL * RESIDUAL));
    return clamp(int(fours), 0, level_count - 1);
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
    float residual = sqrt(sigma_px * sigma_px - level_variance(k)) * scale;
    float falloff = -0.5 / (residual * residual);
    ivec2 first = ivec2(ceil(centre - REACH * residual));
    ivec2 last = ivec2(floor(centre + REACH * residual));
    gaussian start = gaussian_from(falloff, float(first.x) - centre.x);
    gaussian down = gaussian_from(falloff, float(first.y) - centre.y);
    int margin = level_margin(k);
    gauss_level from = levels[k];
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
