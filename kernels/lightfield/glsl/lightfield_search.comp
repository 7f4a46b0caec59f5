#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The patch size under a gaze, and what is in focus by it. A workgroup has a patch size; its threads have a pixel of
 * the square and a row of lenses at a time, and their sums meet in shared memory, whatever a subgroup is. Then one
 * thread chooses. How long loads take bounds it, of a few KiB.
 *
 * Workgroup: 256 threads, 2 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/lightfield/glsl/lightfield.glsl"

const int THREADS = 256; /* LIGHTFIELD_SEARCH_THREADS */
layout(local_size_x = THREADS) in;

const float SURE = 0.1; /* LIGHTFIELD_SURE */

shared vec2 sums[THREADS]; /* of differences, and how many */

/* Returns a pixel's sum of differences of a row of lenses from the nearest lens, and their number. */
vec2 row_differences(spot at, int down, float patch_px, int range, vec3 own)
{
    int row = at.row.x + down;
    vec2 all = vec2(0.0);
    if (row < 0 || row >= lenses.y || !is_compared(down, patch_px)) {
        return all;
    }
    ivec4 column = column_of(at, row);
    ivec2 of_row = row_place(at.row, down, along_rows(at.row, down, patch_px));
    for (int right = -range; right <= range; right++) {
        int lens = column.x + right;
        if (lens >= 0 && lens < lenses.x && is_compared(right, patch_px) && (right != 0 || down != 0)) {
            float from_px = along_columns(column, right, patch_px);
            all += vec2(apart_of(raw_at(of_row + column_place(column, right, from_px)), own), 1.0);
        }
    }
    return all;
}

vec3 own_sample(spot at, float patch_px)
{
    ivec4 column = column_of(at, at.row.x);
    return raw_at(row_place(at.row, 0, along_rows(at.row, 0, patch_px)) +
                  column_place(column, 0, along_columns(column, 0, patch_px)));
}

void search(int number)
{
    int thread = int(gl_LocalInvocationID.x);
    int size = int(gl_WorkGroupID.x);
    int rows = 2 * all_range + 1;
    int width = window.y - window.x;
    float patch_px = given_px + float(size) * step_px;
    vec2 all = vec2(0.0);
    for (int item = thread; item < number * rows; item += THREADS) {
        int pixel = item / rows;
        spot at = spot_of(ivec2(window.x + pixel % width, window.z + pixel / width));
        all += row_differences(at, item % rows - all_range, patch_px, all_range, own_sample(at, patch_px));
    }
    sums[thread] = all;
    for (int by = THREADS / 2; by > 0; by /= 2) {
        barrier();
        if (thread < by) {
            sums[thread] += sums[thread + by];
        }
    }
    if (thread == 0) {
        costs[size] = sums[0].y > 0.0 ? sums[0].x / sums[0].y : 0.0;
    }
}

/* The patch size of the least cost, of equal ones the largest; false: none is seen. Costs are in sums. */
bool find_seen(out float seen_px)
{
    int best = size_count - 1;
    float other = NO_COST;
    for (int n = best - 1; n >= 0; n--) {
        best = sums[n].x < sums[best].x ? n : best;
    }
    for (int n = 0; n < size_count; n++) {
        other = abs(n - best) >= apart ? min(other, sums[n].x) : other;
    }
    seen_px = given_px + float(best) * step_px;
    return other > 0.0 && other < NO_COST && 1.0 - sums[best].x / other >= SURE;
}

/* Follows as operator/focus.h and lightfield/focus.h do. */
void follow(bool seen, float seen_px)
{
    float last_px = given_px + float(size_count - 1) * step_px;
    bool follows = was_there != 0 && hysteresis_px >= 0.0;
    float wanted = clamp(wanted_px, given_px, last_px);
    float now = clamp(focus_px, given_px, last_px);
    if (!follows || (seen && abs(seen_px - wanted) > hysteresis_px)) {
        wanted = seen ? seen_px : start_px;
    }
    focus_px = wanted + (follows ? left * (now - wanted) : 0.0);
    wanted_px = wanted;
    was_there = seen || follows ? 1 : 0;
}

void main()
{
    int thread = int(gl_LocalInvocationID.x);
    int number = (window.y - window.x) * (window.w - window.z);
    if (!CHOOSE) {
        search(number);
        return;
    }
    sums[thread] = vec2(thread < size_count ? costs[thread] : NO_COST);
    barrier();
    if (thread == 0) {
        float seen_px = 0.0;
        bool seen = number > 0 && find_seen(seen_px);
        follow(seen, seen_px);
    }
}
