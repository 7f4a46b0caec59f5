/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The decimated levels, four halves a sample. Include it after gauss/glsl/law.glsl. */

/* struct smooth_constants of gauss_shaders.h. */
layout(push_constant) uniform Constants
{
    gauss_frame frame;
    int level; /* the level to make */
    int level_count;
    float slope; /* tiles: sigma before the ramp changes by at most so much a pixel */
    float fine_sigma_px; /* tiles: below it, both axes are summed at once */
    int kinds; /* tiles: where kinds lie among the samples */
    int places_each; /* tiles: a workgroup of the last shaders makes so many, one below the other */
    int layer_sigmas; /* layers: where among the samples a pixel's sigma lies, its word y */
    int layer_made; /* layers: and where the blurred layer goes */
    int layer_wanted; /* layers: a sample whose word x is 0 where nothing is to be made */
    int shift_x_px; /* fragments: of the grid, by a gaze that is not late */
    int shift_y_px;
};

/* The picture is a layer: level 0 among the samples, which somebody has written. */
#ifdef LAYERED
const bool LAYERS = true;
#else
const bool LAYERS = false;
#endif

layout(set = 0, binding = 3, std430) buffer Samples { uvec2 samples[]; };

int level_margin(int k)
{
    return k > 0 ? MARGIN : 0;
}

/* Returns v_k of gauss/pyramid.h in pixels squared. */
float level_variance(int k)
{
    return float((1 << 2 * k) - 1) * (5.0 / 12.0);
}

/* Returns the place of sample (i, j); beyond the margins the picture is constant. */
int sample_index(int k, int i, int j)
{
    int margin = level_margin(k);
    int x = clamp(i, -margin, levels[k].width + margin - 1) + margin;
    int y = clamp(j, -margin, levels[k].height + margin - 1) + margin;
    return levels[k].first + y * levels[k].pitch + x;
}

vec4 load_sample(int index)
{
    uvec2 halves = samples[index];
    return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
}
