/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "slope.h"

/* gauss_law_ramp makes sigma at most so much steeper. */
#define RAMP 2.0f

/* Maps hold sigma, or where they are root 1 / sigma^2: what is linear between those is, as sigma,
 * steepest at the end where sigma is larger, 1/2 sigma^3 times as steep as its inverse square. */
static float entry(const struct gauss_law *law, float value)
{
    return law->map_root ? 1.0f / sqrtf(value) : value;
}

static float step_between(const struct gauss_law *law, float a, float b)
{
    if (!law->map_root) {
        return fabsf(b - a);
    }
    const float sigma = entry(law, fminf(a, b));
    return 0.5f * sigma * sigma * sigma * fabsf(b - a);
}

/* The largest of step_between. Where the table has inverse squares, the root is taken only of steps
 * that may be larger than any before: (1/2 |b - a|)^2 / m^3, m the smaller, is the square of it. */
static float larger_step(const struct gauss_law *law, float a, float b, float largest)
{
    if (law->map_root) {
        const double smaller = (double)(a < b ? a : b);
        const double half_step = 0.5 * ((double)b - (double)a);
        const double before = 0.99999 * (double)largest;
        if (half_step * half_step < before * before * smaller * smaller * smaller) {
            return largest;
        }
    }
    return fmaxf(largest, step_between(law, a, b));
}

static struct gauss_extremes line_extremes(const struct gauss_law *law, const float *table)
{
    struct gauss_extremes out = {table[0], 0.0f};
    for (int32_t i = 1; i < law->table_count; i++) {
        out.value = fmaxf(out.value, table[i]);
        out.step = fmaxf(out.step, fabsf(table[i] - table[i - 1]));
    }
    return out;
}

/* Within a cell the slope along an axis is at most that of one of its sides; both together are at
 * most sqrt(2) as steep. */
struct gauss_extremes gauss_cpu_extremes_of_map(const struct gauss_law *law, const float *table)
{
    struct gauss_extremes out = {0.0f, 0.0f};
    float most = table[0]; /* as the table has it: of inverse squares the smallest */
    for (int32_t j = 0; j < law->map_height; j++) {
        for (int32_t i = 0; i < law->map_width; i++) {
            const float *here = table + (ptrdiff_t)j * law->map_width + i;
            most = (*here > most) != law->map_root ? *here : most;
            if (i > 0) {
                out.step = larger_step(law, here[-1], here[0], out.step);
            }
            if (j > 0) {
                out.step = larger_step(law, here[-law->map_width], here[0], out.step);
            }
        }
    }
    out.value = entry(law, most);
    out.step *= 1.4143f;
    return out;
}

static struct gauss_extremes extremes_of(const struct gauss_plan *plan)
{
    if (plan->law.kind != GAUSS_LAW_MAP && plan->law.kind != GAUSS_LAW_MAP_PROJECTED) {
        return line_extremes(&plan->law, plan->law_table);
    }
    return plan->shared ? *plan->shared : gauss_cpu_extremes_of_map(&plan->law, plan->law_table);
}

/* The largest 1 + x^2 + y^2 of the picture's rays. */
static float farthest_sq(const struct gauss_plan *plan)
{
    float farthest = 0.0f;
    for (int corner = 0; corner < 4; corner++) {
        const struct gauss_ray ray =
            gauss_law_ray(&plan->law, corner % 2 ? (float)plan->width_px : 0.0f,
                          corner / 2 ? (float)plan->height_px : 0.0f);
        farthest = fmaxf(farthest, 1.0f + ray.x * ray.x + ray.y * ray.y);
    }
    return farthest;
}

/* Returns the slope of a law without steps. */
static struct gauss_slope even_slope_of(const struct gauss_plan *plan)
{
    const struct gauss_law *law = &plan->law;
    const struct gauss_extremes extremes = extremes_of(plan);
    const float table_slope = extremes.step * law->table_per_unit;
    if (law->kind == GAUSS_LAW_RADIAL || law->kind == GAUSS_LAW_MAP) {
        return (struct gauss_slope){.slope = RAMP * law->strength * table_slope,
                                    .sigma_px = law->strength * extremes.value};
    }
    /* sigma is the table's times the pixels a degree, sqrt(1 + r^2) / tangent a pixel. Over a pixel
     * the angle grows by at most tangent / sqrt(1 + r^2), and sqrt(1 + r^2) by r tangent /
     * sqrt(1 + r^2). */
    const float radians = 0.01745329252f;
    const float widest = fmaxf(law->tan_x_per_px, law->tan_y_per_px);
    const float farthest = farthest_sq(plan);
    const float sigma_px = law->strength * extremes.value * radians * sqrtf(farthest) / widest;
    const float of_scale = sigma_px * widest * sqrtf(farthest - 1.0f) / farthest;
    return (struct gauss_slope){
        .slope = RAMP * (law->strength * table_slope + of_scale),
        .sigma_px = sigma_px,
    };
}

struct gauss_slope gauss_slope_of(const struct gauss_plan *plan)
{
    if (plan->law.kind == GAUSS_LAW_RINGS || plan->law.kind == GAUSS_LAW_PICTURE) {
        return (struct gauss_slope){INFINITY, plan->sigma_bound_px};
    }
    struct gauss_slope slope = even_slope_of(plan);
    slope.slope = plan->fragment_px > 0 ? INFINITY : slope.slope;
    return slope;
}

/* Tiles take sigma between nodes four pixels apart. Where the place of the gaze is itself blurred,
 * it is the tip of a cone, on whose sides the nodes lie: at sigma 1.16 and a slope of 0.02 three
 * and a half levels too much blur. Narrower sigmas are each the law's own. */
double gauss_plan_tile_slope(const struct gauss_plan *plan, double most)
{
    const struct gauss_law *law = &plan->law;
    const float widest = fmaxf(law->tan_x_per_px, law->tan_y_per_px);
    const float plain_px =
        plan->law_table[0] * (law->kind == GAUSS_LAW_PROJECTED ? 0.01745329252f / widest : 1.0f);
    const bool is_line = law->kind == GAUSS_LAW_RADIAL || law->kind == GAUSS_LAW_PROJECTED;
    const float tip_px = law->strength * gauss_law_ramp(plain_px, law->sharp_px);
    return is_line && tip_px >= GAUSS_TILE_SIGMA_FINE ? 0.5 * most : most;
}
