#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blended micro-images: a thread makes one pixel. Of each lens neighbouring threads take neighbouring pixels; loads of
 * these bound it, four a sample.
 *
 * Workgroup: 32 x 8 threads. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/lightfield/glsl/lightfield.glsl"
#include "kernels/lightfield/glsl/lightfield_picture.glsl"

layout(local_size_x = GROUP_WIDTH, local_size_y = GROUP_HEIGHT) in;

layout(set = 0, binding = 6) uniform texture2D patches;

/* NaN fails both comparisons. */
float patch_of(ivec2 pixel)
{
    float own_px = FOCUS ? focus_px : given_px;
    if (PATCHES) {
        float wanted_px = texelFetch(patches, pixel, 0).r;
        own_px = wanted_px >= 1.0 && wanted_px <= pitch_px ? wanted_px : own_px;
    }
    return own_px;
}

/* Each pixel's largest weight is 1, so that none gets lost where all are small: along the columns that of each
 * kind of row, and along the rows that of all lenses, by what their columns have at least. */
float least_column(ivec4 column, int range, float patch_px)
{
    float least = NO_COST;
    for (int right = -range; right <= range; right++) {
        int lens = column.x + right;
        if (lens >= 0 && lens < lenses.x && is_within(right, patch_px)) {
            float apart_px = along_columns(column, right, patch_px) - view_px.x;
            least = min(least, apart_px * apart_px);
        }
    }
    return least;
}

float least_of_all(ivec4 row, int range, float patch_px, vec2 least_x)
{
    float least = NO_COST;
    for (int down = -range; down <= range; down++) {
        int lens = row.x + down;
        if (lens >= 0 && lens < lenses.y && is_within(down, patch_px)) {
            float apart_px = along_rows(row, down, patch_px) - view_px.y;
            least = min(least, apart_px * apart_px + (is_shifted(lens) ? least_x.y : least_x.x));
        }
    }
    return least;
}

float weight_of(float apart_px, float more, float least)
{
    return exp(factor * (apart_px * apart_px + more - least));
}

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, size_px))) {
        return;
    }
    spot at = spot_of(pixel);
    float patch_px = patch_of(pixel);
    int range = range_of(at, all_range);
    /* One kind of row needs no sum. */
    vec2 least_x = vec2(least_column(at.columns[0], range, patch_px), 0.0);
    least_x.y = HEXAGONAL ? least_column(at.columns[1], range, patch_px) : 0.0;
    float least = least_of_all(at.row, range, patch_px, HEXAGONAL ? least_x : vec2(0.0));
    vec3 sum = vec3(0.0);
    float weights = 0.0;
    for (int down = -range; down <= range; down++) {
        int row = at.row.x + down;
        if (row < 0 || row >= lenses.y || !is_within(down, patch_px)) {
            continue;
        }
        ivec4 column = column_of(at, row);
        float from_y = along_rows(at.row, down, patch_px);
        float least_of_row = is_shifted(row) ? least_x.y : least_x.x;
        float weight_y = weight_of(from_y - view_px.y, HEXAGONAL ? least_of_row : 0.0, least);
        ivec2 of_row = row_place(at.row, down, from_y);
        for (int right = -range; right <= range; right++) {
            int lens = column.x + right;
            if (lens >= 0 && lens < lenses.x && is_within(right, patch_px)) {
                float from_x = along_columns(column, right, patch_px);
                float weight = weight_y * weight_of(from_x - view_px.x, 0.0, least_of_row);
                sum += weight * raw_at(of_row + column_place(column, right, from_x));
                weights += weight;
            }
        }
    }
    store(pixel, weights > 0.0 ? sum / (weights * white) : vec3(0.0));
}
