#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Shifted sums of views: a thread makes one pixel. Of each view the four lenses that it lies between have one sample
 * each; loads of these bound it.
 *
 * Workgroup: 32 x 8 threads. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/lightfield/glsl/lightfield.glsl"
#include "kernels/lightfield/glsl/lightfield_picture.glsl"

layout(local_size_x = GROUP_WIDTH, local_size_y = GROUP_HEIGHT) in;

/* Between two lenses of a row. */
vec3 row_of_view(ivec4 column, int row, ivec2 place, float shift)
{
    float along = intBitsToFloat(column.y) - shift;
    int left = column.x + int(floor(along));
    ivec2 of_row = place + row_center(row);
    vec3 first = raw_at(of_row + column_center(clamp(left, 0, lenses.x - 1), row));
    vec3 second = raw_at(of_row + column_center(clamp(left + 1, 0, lenses.x - 1), row));
    return mix(first, second, fract(along));
}

vec3 view_at(spot at, vec2 away_px)
{
    vec2 from_px = flip * (away_px + view_px);
    ivec2 place = fixed_of(mat2(turn, -turn.y, turn.x) * from_px);
    vec2 shift = step_px * away_px / vec2(1.0, tall);
    float down = intBitsToFloat(at.row.y) - shift.y;
    int above = at.row.x + int(floor(down));
    ivec2 rows = clamp(ivec2(above, above + 1), 0, lenses.y - 1);
    return mix(row_of_view(column_of(at, rows.x), rows.x, place, shift.x),
               row_of_view(column_of(at, rows.y), rows.y, place, shift.x), fract(down));
}

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, size_px))) {
        return;
    }
    spot at = spot_of(pixel);
    vec3 sum = vec3(0.0);
    float views = 0.0;
    for (int dy = -all_range; dy <= all_range; dy++) {
        for (int dx = -all_range; dx <= all_range; dx++) {
            if (float(dx * dx + dy * dy) <= full_square) {
                sum += view_at(at, vec2(dx, dy));
                views += 1.0;
            }
        }
    }
    store(pixel, sum / (views * white));
}
