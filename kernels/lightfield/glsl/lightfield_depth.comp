#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The patch size at which lenses around a pixel differ least from the nearest one. A thread has one pixel and all
 * sizes. Where costs are averaged, or a confidence is wanted, it keeps them, and another pass chooses. Loads bound it.
 *
 * Workgroup: 32 x 8 threads, 5.2 KiB, with shifted rows 9.3. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/lightfield/glsl/lightfield.glsl"
#include "kernels/lightfield/glsl/lightfield_parts.glsl"

layout(local_size_x = GROUP_WIDTH, local_size_y = GROUP_HEIGHT) in;

layout(set = 0, binding = 1, r32f) uniform writeonly image2D depths;

const int BOX_REACH = 2; /* LIGHTFIELD_BOX_REACH */

int cost_at(int size, ivec2 pixel)
{
    return (size * window.y + pixel.y - window.x) * size_px.x + pixel.x;
}

/* Columns first, as other backends add. */
float box_at(int size, ivec2 pixel)
{
    ivec2 low = max(pixel - BOX_REACH, ivec2(0));
    ivec2 high = min(pixel + BOX_REACH + 1, size_px);
    float sum = 0.0;
    for (int x = low.x; x < high.x; x++) {
        float of_column = 0.0;
        for (int y = low.y; y < high.y; y++) {
            of_column += costs[cost_at(size, ivec2(x, y))];
        }
        sum += of_column;
    }
    return sum / float((high.x - low.x) * (high.y - low.y));
}

float kept_cost(int size, ivec2 pixel)
{
    return BOX ? box_at(size, pixel) : costs[cost_at(size, pixel)];
}

bool does_count(int away, float patch_px)
{
    return is_compared(away, patch_px);
}

/* Compares with the lenses that are so many to each side. */
float cost_of(int middle, int range)
{
    vec3 own = raw_at(shared_row(0).place + shared_column(is_shifted(middle) ? 1 : 0, 0).place);
    vec2 all = vec2(0.0);
    for (int down = -range; down <= range; down++) {
        ivec2 row = shared_row(down).place;
        int kind = is_shifted(middle + down) ? 1 : 0;
        vec2 of_row = vec2(0.0);
        for (int right = row.x == NOWHERE ? range + 1 : -range; right <= range; right++) {
            ivec2 column = shared_column(kind, right).place;
            if (column.x != NOWHERE && (right != 0 || down != 0)) {
                of_row += vec2(apart_of(raw_at(row + column), own), 1.0);
            }
        }
        all += of_row;
    }
    return all.y > 0.0 ? all.x / all.y : 0.0;
}

/* Beyond the ring every other patch size is compared with the next lenses. */
void match(ivec2 pixel, bool is_there)
{
    spot at = spot_of(min(pixel, size_px - 1));
    bool coarse = range_of(at, 2) < 2;
    int range = coarse ? 1 : all_range;
    int best = size_count - 1;
    float least = NO_COST;
    for (int n = size_count - 1; n >= 0; n--) {
        share_parts(pixel - ivec2(gl_LocalInvocationID.xy), given_px + float(n) * step_px);
        float cost = coarse && (n & 1) != 0 ? NO_COST : cost_of(at.row.x, range);
        best = cost < least ? n : best;
        least = min(least, cost);
        if (KEEP && is_there) {
            costs[cost_at(n, pixel)] = cost;
        }
    }
    if (!KEEP && is_there) {
        imageStore(depths, pixel, vec4(given_px + float(best) * step_px));
    }
}

void choose(ivec2 pixel)
{
    int best = size_count - 1;
    float least = kept_cost(best, pixel);
    for (int n = best - 1; n >= 0; n--) {
        float cost = kept_cost(n, pixel);
        best = cost < least ? n : best;
        least = min(least, cost);
    }
    float found = given_px + float(best) * step_px;
    if (CONFIDENCE) {
        float other = NO_COST;
        for (int n = 0; n < size_count; n++) {
            other = abs(n - best) >= apart ? min(other, kept_cost(n, pixel)) : other;
        }
        found = other > 0.0 && other < NO_COST ? 1.0 - least / other : 0.0;
    }
    imageStore(depths, pixel, vec4(found));
}

void main()
{
    ivec2 rows = CHOOSE ? window.zw : window.xy;
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, rows.x);
    bool is_there = pixel.x < size_px.x && pixel.y < rows.x + rows.y;
    if (!CHOOSE) {
        match(pixel, is_there);
    } else if (is_there) {
        choose(pixel);
    }
}
