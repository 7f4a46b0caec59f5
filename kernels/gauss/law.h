/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The law gives sigma for a pixel and a gaze: the field that the machine blurs by. Who has models
 * fills it (foveate/plan/law.c), and kernels read it. Where it asks for no more than the pixels
 * themselves resolve (cutoff at or beyond half a cycle a pixel) the pixel is copied; just beyond,
 * sigma rises from 0 instead of jumping to the Gaussian that a cutoff at Nyquist stands for.
 *
 * Used by C, CUDA C and, in words of its own, by gauss/glsl/law.glsl. */
#pragma once

#include "kernels/cuda/host_device.h"

#include <math.h>
#include <stdint.h>

enum gauss_law_kind {
    GAUSS_LAW_RADIAL = 0, /* table: sigma in pixels over the distance from the gaze in pixels */
    GAUSS_LAW_PROJECTED = 1, /* table: kappa / cutoff in degrees over eccentricity in degrees */
    /* The table has two dimensions, map_width x map_height, its middle at the gaze, table_per_unit
     * entries a pixel (radial's units) or a degree (projected's) right and down, the frame of
     * beyond included: its outermost entries count as far as there is anything. It holds what
     * RADIAL's and PROJECTED's hold, or where map_root is 1 the inverse of its square, which is
     * linear in density. */
    GAUSS_LAW_MAP = 2,
    GAUSS_LAW_MAP_PROJECTED = 3,
    /* A frame comes with a picture that has the sigma of each pixel (gauss_law_pictured). The
     * table has the largest that counts, twice; no ramp. */
    GAUSS_LAW_PICTURE = 5,
    /* The table has sigma of each of the paper's rings, from the inmost on, for strength 1; no
     * ramp. Only fragments have rings (gauss/grid.h). */
    GAUSS_LAW_RINGS = 4,
};

/* Twelve 32-bit words, before the table in the GPU's buffer. */
struct gauss_law {
    int32_t kind;
    int32_t table_count; /* at least 2; of rings 1 */
    float table_per_unit; /* entries a pixel or a degree; constant beyond the last entry */
    float strength;
    /* projected: the tangent of pixel x's centre is tan_x0 + x tan_x_per_px; y likewise, down
     * positive */
    float tan_x0;
    float tan_x_per_px;
    float tan_y0;
    float tan_y_per_px;
    float sharp_px; /* 2 kappa, kappa = sqrt(-2 ln gain) / (2 pi): sigma of a cutoff at Nyquist */
    /* maps */
    int32_t map_width;
    int32_t map_height;
    int32_t map_root;
};

/* Applies the ramp to the law's sigma, before strength: 0 up to `sharp_px`, then twice as steep
 * until it has caught up at twice that. */
HOST_DEVICE float gauss_law_ramp(float sigma_px, float sharp_px)
{
    if (sigma_px <= sharp_px) {
        return 0.0f;
    }
    return sigma_px < 2.0f * sharp_px ? 2.0f * (sigma_px - sharp_px) : sigma_px;
}

HOST_DEVICE float gauss_law_table(const struct gauss_law *law, const float *table, float at)
{
    const float last = (float)(law->table_count - 1);
    const float place = fminf(at * law->table_per_unit, last);
    const int32_t below = (int32_t)fminf(place, last - 1.0f);
    const float part = place - (float)below;
    return table[below] + part * (table[below + 1] - table[below]);
}

/* Returns the table of a map at a place from the gaze, right and down, linear between its
 * entries. */
HOST_DEVICE float gauss_law_map(const struct gauss_law *law, const float *table, float x, float y)
{
    const float last_x = (float)(law->map_width - 1);
    const float last_y = (float)(law->map_height - 1);
    const float column = fminf(fmaxf(x * law->table_per_unit + 0.5f * last_x, 0.0f), last_x);
    const float row = fminf(fmaxf(y * law->table_per_unit + 0.5f * last_y, 0.0f), last_y);
    const int32_t left = (int32_t)fminf(column, last_x - 1.0f);
    const int32_t top = (int32_t)fminf(row, last_y - 1.0f);
    const float part_x = column - (float)left;
    const float *above = table + top * law->map_width + left;
    const float *below = above + law->map_width;
    const float upper = above[0] + part_x * (above[1] - above[0]);
    const float lower = below[0] + part_x * (below[1] - below[0]);
    const float value = upper + (row - (float)top) * (lower - upper);
    return law->map_root ? 1.0f / sqrtf(value) : value;
}

/* Less blurs nothing: a pixel's neighbours weigh less than exp(-50). */
#define GAUSS_PICTURED_LEAST_PX 0.1f

/* Returns the sigma that a picture's value stands for: none where it is negative or no number, and
 * no more than the largest. */
HOST_DEVICE float gauss_law_pictured(float value, float most_px)
{
    return value >= GAUSS_PICTURED_LEAST_PX ? fminf(value, most_px) : 0.0f;
}

struct gauss_ray {
    float x, y; /* tangents from the view axis, right and down; the third coordinate is 1 */
};

HOST_DEVICE struct gauss_ray gauss_law_ray(const struct gauss_law *law, float x_px, float y_px)
{
    struct gauss_ray ray;
    ray.x = law->tan_x0 + x_px * law->tan_x_per_px;
    ray.y = law->tan_y0 + y_px * law->tan_y_per_px;
    return ray;
}

/* Returns the pixels a radian across the radius of a flat picture, 1 / cos more than on the axis:
 * the fewest of all directions, so that a round blur is nowhere stronger than the law. */
HOST_DEVICE float gauss_law_px_per_radian(const struct gauss_law *law, struct gauss_ray ray)
{
    return sqrtf(1.0f + ray.x * ray.x + ray.y * ray.y) /
           fmaxf(law->tan_x_per_px, law->tan_y_per_px);
}

/* Returns the angle between two rays in degrees, by the cross product, which is exact for small
 * ones too. */
HOST_DEVICE float gauss_law_angle_deg(struct gauss_ray a, struct gauss_ray b)
{
    const float cx = a.y - b.y;
    const float cy = b.x - a.x;
    const float cz = a.x * b.y - a.y * b.x;
    const float dot = a.x * b.x + a.y * b.y + 1.0f;
    return atan2f(sqrtf(cx * cx + cy * cy + cz * cz), dot) * 57.29577951f;
}

/* Returns the table of a map for a ray: the angle from the gaze's ray, in the direction that the
 * ray leaves it in. Right is level, down at right angles to it and to the gaze. */
HOST_DEVICE float gauss_law_map_projected(const struct gauss_law *law, const float *table,
                                          struct gauss_ray ray, struct gauss_ray gaze)
{
    const float dx = ray.x - gaze.x;
    const float dy = ray.y - gaze.y;
    const float level_sq = 1.0f + gaze.x * gaze.x;
    const float gaze_sq = level_sq + gaze.y * gaze.y;
    const float right = dx / sqrtf(level_sq);
    const float down = (dy + gaze.x * (gaze.x * dy - gaze.y * dx)) / sqrtf(level_sq * gaze_sq);
    const float ahead = (ray.x * gaze.x + ray.y * gaze.y + 1.0f) / sqrtf(gaze_sq);
    const float side = sqrtf(right * right + down * down);
    const float per_side = side > 0.0f ? atan2f(side, ahead) * 57.29577951f / side : 0.0f;
    return gauss_law_map(law, table, right * per_side, down * per_side);
}

/* Returns kappa / cutoff in pixels at a place; it and the gaze are uv times the size. */
HOST_DEVICE float gauss_law_plain_at(const struct gauss_law *law, const float *table, float x_px,
                                     float y_px, float gaze_x_px, float gaze_y_px)
{
    if (law->kind == GAUSS_LAW_RADIAL || law->kind == GAUSS_LAW_MAP) {
        const float dx = x_px - gaze_x_px;
        const float dy = y_px - gaze_y_px;
        return law->kind == GAUSS_LAW_MAP ? gauss_law_map(law, table, dx, dy)
                                          : gauss_law_table(law, table, sqrtf(dx * dx + dy * dy));
    }
    const struct gauss_ray pixel = gauss_law_ray(law, x_px - 0.5f, y_px - 0.5f);
    const struct gauss_ray gaze = gauss_law_ray(law, gaze_x_px - 0.5f, gaze_y_px - 0.5f);
    const float degrees = law->kind == GAUSS_LAW_MAP_PROJECTED
                              ? gauss_law_map_projected(law, table, pixel, gaze)
                              : gauss_law_table(law, table, gauss_law_angle_deg(pixel, gaze));
    return degrees * gauss_law_px_per_radian(law, pixel) * 0.01745329252f;
}

/* Returns sigma at a place, with ramp and strength. 0: the place is copied. */
HOST_DEVICE float gauss_law_sigma_at(const struct gauss_law *law, const float *table, float x_px,
                                     float y_px, float gaze_x_px, float gaze_y_px)
{
    const float plain_px = gauss_law_plain_at(law, table, x_px, y_px, gaze_x_px, gaze_y_px);
    return law->strength * gauss_law_ramp(plain_px, law->sharp_px);
}

/* Returns sigma of pixel (x, y), whose centre lies at (x + 0.5, y + 0.5). */
HOST_DEVICE float gauss_law_sigma(const struct gauss_law *law, const float *table, int32_t x,
                                  int32_t y, float gaze_x_px, float gaze_y_px)
{
    return gauss_law_sigma_at(law, table, (float)x + 0.5f, (float)y + 0.5f, gaze_x_px, gaze_y_px);
}
