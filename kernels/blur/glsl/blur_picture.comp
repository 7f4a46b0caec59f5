#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The result. A workgroup makes 16 x 16 pixels, a thread each: columns of the level are upsampled into shared
 * memory, and rows from there. Where nothing is decimated the rows are filtered already, and each thread filters
 * its column. */

#extension GL_GOOGLE_include_directive : require
#include "blur.glsl"

layout(constant_id = 3) const bool DECIMATED = true;

const int SIDE = 16;
const int COLUMNS = 32; /* of the level, that pixels of a workgroup sum: at most 8 steps and 22 taps */
layout(local_size_x = SIDE, local_size_y = SIDE) in;

shared vec4 staged[DECIMATED ? SIDE * COLUMNS : 1];

/* A column of the level, or of rows that are not decimated, at a pixel's height. */
vec4 column_at(int column, int y)
{
    int weights = upsample_at + y % shape.step * shape.taps;
    int first = y / shape.step - shape.before;
    int above = DECIMATED ? shape.height_px : 0;
    vec4 sum = vec4(0.0);
    for (int t = 0; t < shape.taps; t++) {
        int row = above + clamp(first + t, 0, shape.rows - 1);
        sum += tables[weights + t] * samples[row * shape.columns + column];
    }
    return sum;
}

vec4 from_level(ivec2 own, ivec2 pixel)
{
    int first = int(gl_WorkGroupID.x) * SIDE / shape.step;
    int last = min((int(gl_WorkGroupID.x) * SIDE + SIDE - 1) / shape.step + shape.taps, shape.columns) - 1;
    for (int i = own.x; i <= last - first; i += SIDE) {
        staged[own.y * COLUMNS + i] = column_at(first + i, min(pixel.y, shape.height_px - 1));
    }
    barrier();
    int weights = upsample_at + pixel.x % shape.step * shape.taps;
    int at = own.y * COLUMNS + pixel.x / shape.step - first;
    vec4 sum = vec4(0.0);
    for (int t = 0; t < shape.taps; t++) {
        sum += tables[weights + t] * staged[at + t];
    }
    return sum;
}

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    vec4 value = DECIMATED ? from_level(ivec2(gl_LocalInvocationID.xy), pixel)
                           : column_at(min(pixel.x, shape.width_px - 1), min(pixel.y, shape.height_px - 1));
    if (pixel.x < shape.width_px && pixel.y < shape.height_px) {
        ivec2 place = place_in_images(pixel);
        imageStore(result, place, pixel_of(value, texelFetch(source, place, 0)));
    }
}
