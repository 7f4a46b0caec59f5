/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the passes share: the plan, its weights, and what they leave for each other. */

#include "kernels/image/pixel.glsl"

/* A display's samples, then the weights: to decimate, then to upsample. */
layout(set = 0, binding = 2, std430) readonly buffer Tables { float tables[]; };
#define LIGHT_SAMPLES tables
#define LIGHT_SAMPLES_FROM 0
#include "kernels/image/light.glsl"

/* struct blur_shape of shape.h. */
struct blur_shape {
    int width_px;
    int height_px;
    int step;
    int decimate_radius;
    int taps;
    int before;
    int margin;
    int columns;
    int rows;
};

/* struct blur_constants of blur_shaders.h. */
layout(push_constant) uniform Constants
{
    blur_shape shape;
    int origin_x_px;
    int origin_y_px;
    float light_value;
    int decimate_at; /* in the tables */
    int upsample_at;
};

/* The picture's rows, filtered along x, as many samples a row as the level has; then the level. */
layout(set = 0, binding = 3, std430) buffer Samples { vec4 samples[]; };

/* In the images, which may hold several views. Beyond a view's edges is its outermost pixel. */
ivec2 place_in_images(ivec2 pixel)
{
    ivec2 last = ivec2(shape.width_px, shape.height_px) - 1;
    return clamp(pixel, ivec2(0), last) + ivec2(origin_x_px, origin_y_px);
}

vec4 value_of(uvec4 raw)
{
    return LIGHT ? to_light(decode(raw), light_value) : decode(raw);
}

uvec4 pixel_of(vec4 value, uvec4 raw)
{
    return encode(LIGHT ? from_light(value, light_value) : value, raw);
}
