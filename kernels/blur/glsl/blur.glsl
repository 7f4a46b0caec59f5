/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The shaders of blur's engines share this: the view as numbers, and what passes leave for each other, a float for
 * each number. */

#include "kernels/image/pixel.glsl"

/* A display's samples. */
layout(set = 0, binding = 2, std430) readonly buffer Tables { float tables[]; };
#define LIGHT_SAMPLES tables
#define LIGHT_SAMPLES_FROM 0
#include "kernels/image/light.glsl"

layout(set = 0, binding = 3, std430) buffer Samples { vec4 samples[]; };

/* BLUR_SHADER_* of blur_shaders.h. */
layout(constant_id = 3) const int KIND = 0;
const bool FROM_SOURCE = (KIND & 1) != 0;
const bool TO_RESULT = (KIND & 2) != 0;
const int WORK = KIND >> 2;

/* struct blur_pass_frame of passes.h. */
struct blur_frame {
    int width_px;
    int height_px;
    int origin_x_px;
    int origin_y_px;
    float light_value;
    int from; /* the first sample that is read */
    int to; /* and written */
};

ivec2 place_of(blur_frame frame, ivec2 pixel)
{
    return pixel + ivec2(frame.origin_x_px, frame.origin_y_px);
}

/* A pixel in the numbers that are averaged. */
vec4 value_of(blur_frame frame, uvec4 word)
{
    vec4 stored = decode(word);
    return LIGHT ? to_light(stored, frame.light_value) : stored;
}

/* One of the view. */
vec4 source_at(blur_frame frame, ivec2 pixel)
{
    return value_of(frame, texelFetch(source, place_of(frame, pixel), 0));
}

void put_result(blur_frame frame, ivec2 pixel, vec4 value)
{
    ivec2 place = place_of(frame, pixel);
    uvec4 kept = AVERAGE_ALPHA ? uvec4(0) : texelFetch(source, place, 0);
    imageStore(result, place, encode(LIGHT ? from_light(value, frame.light_value) : value, kept));
}
