#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blended micro-images: a thread makes one pixel. Of each lens neighbouring threads take neighbouring pixels; loads of
 * these bound it, four a sample.
 *
 * Workgroup: 32 x 8 threads, 5.2 KiB, with shifted rows 9.3; none where each pixel has a patch size. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/lightfield/glsl/lightfield.glsl"
#include "kernels/lightfield/glsl/lightfield_parts.glsl"
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

bool does_count(int away, float patch_px)
{
    return is_within(away, patch_px);
}

/* Pixels with a patch size each share nothing. */
place_part column_part(spot at, int kind, int right, float patch_px)
{
    return PATCHES ? make_column(at.columns[kind], right, patch_px) : shared_column(kind, right);
}

place_part row_part(spot at, int down, float patch_px)
{
    return PATCHES ? make_row(at.row, down, patch_px) : shared_row(down);
}

/* Each pixel's largest weight is 1, so that none gets lost where all are small: along the columns that of each
 * kind of row, and along the rows that of all lenses, by what their columns have at least. */
float least_column(spot at, int kind, int range, float patch_px)
{
    float least = NO_COST;
    for (int right = -range; right <= range; right++) {
        place_part column = column_part(at, kind, right, patch_px);
        least = column.counts ? min(least, column.apart_px * column.apart_px) : least;
    }
    return least;
}

float least_of_all(spot at, int range, float patch_px, vec2 least_x)
{
    float least = NO_COST;
    for (int down = -range; down <= range; down++) {
        place_part row = row_part(at, down, patch_px);
        float more = is_shifted(at.row.x + down) ? least_x.y : least_x.x;
        least = row.counts ? min(least, row.apart_px * row.apart_px + more) : least;
    }
    return least;
}

float weight_of(float apart_px, float more, float least)
{
    return exp(factor * (apart_px * apart_px + more - least));
}

vec3 blend(spot at, int range, float patch_px)
{
    /* One kind of row needs no sum. */
    vec2 least_x = vec2(least_column(at, 0, range, patch_px), 0.0);
    least_x.y = HEXAGONAL ? least_column(at, 1, range, patch_px) : 0.0;
    float least = least_of_all(at, range, patch_px, HEXAGONAL ? least_x : vec2(0.0));
    vec3 sum = vec3(0.0);
    float weights = 0.0;
    for (int down = -range; down <= range; down++) {
        place_part row = row_part(at, down, patch_px);
        if (!row.counts) {
            continue;
        }
        int kind = is_shifted(at.row.x + down) ? 1 : 0;
        float least_of_row = kind != 0 ? least_x.y : least_x.x;
        float weight_y = weight_of(row.apart_px, HEXAGONAL ? least_of_row : 0.0, least);
        for (int right = -range; right <= range; right++) {
            place_part column = column_part(at, kind, right, patch_px);
            if (column.counts) {
                float weight = weight_y * weight_of(column.apart_px, 0.0, least_of_row);
                sum += weight * raw_at(row.place + column.place);
                weights += weight;
            }
        }
    }
    return weights > 0.0 ? sum / (weights * white) : vec3(0.0);
}

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    bool is_there = all(lessThan(pixel, size_px));
    spot at = spot_of(min(pixel, size_px - 1));
    float patch_px = patch_of(min(pixel, size_px - 1));
    if (!PATCHES) {
        share_parts(pixel - ivec2(gl_LocalInvocationID.xy), patch_px);
    }
    if (is_there) {
        store(pixel, blend(at, range_of(at, all_range), patch_px));
    }
}
