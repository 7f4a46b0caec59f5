// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// Summed-area tables by Hensley, boxes from them, and spreading; each is what the kernel of
// blur_tables.cu with the same name is.

#version 450
#extension GL_GOOGLE_include_directive : require
#include "thesis.glsl"

vec4 of_table(ivec2 at)
{
    return at.x < 0 || at.y < 0 ? vec4(0.0) : source(at);
}

vec4 made(ivec2 at)
{
    vec4 sum = vec4(0.0);
#if defined(TABLE_ROWS) || defined(TABLE_COLUMNS)
    int look_ups = tap_count();
    for (int i = 0; i < look_ups; i++) {
#if defined(TABLE_ROWS)
        sum += of_table(at - ivec2(i * params.step_px, 0));
#else
        sum += of_table(at - ivec2(0, i * params.step_px));
#endif
    }
#elif defined(BOX)
    // The mean of what of the box lies within the picture.
    ivec2 last = ivec2(params.width_px, params.height_px) - 1;
    ivec2 before = max(at - params.taps / 2, ivec2(0)) - 1;
    ivec2 end = min(at + params.taps / 2, last);
    float part = 1.0 / float((end.x - before.x) * (end.y - before.y));
    sum = part * (of_table(end) - of_table(ivec2(before.x, end.y)) -
                  of_table(ivec2(end.x, before.y)) + of_table(before));
#elif defined(DIVIDE)
    sum = params.factor * of_table(at + ivec2(params.move_x_px, params.move_y_px));
#endif
    return sum;
}

// A border is left out.
bool spreads(ivec2 at)
{
    ivec2 size = ivec2(params.width_px, params.height_px);
    return all(greaterThanEqual(at, ivec2(params.border_px))) &&
           all(lessThan(at, size - params.border_px));
}

void main()
{
    ivec2 at = own_pixel();
#if defined(SPREAD) && defined(FRAGMENT)
    // Takes what comes here; the blend adds it.
    ivec2 from = at - ivec2(params.move_x_px, params.move_y_px);
    store(at, spreads(from) ? params.factor * source(from) : vec4(0.0));
#elif defined(SPREAD)
    if (spreads(at)) {
        ivec2 to = at + ivec2(params.move_x_px, params.move_y_px);
        imageStore(dst, to, imageLoad(dst, to) + params.factor * source(at));
    }
#else
    store(at, made(at));
#endif
}
