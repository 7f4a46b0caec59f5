/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every pixel is the average of the picture under a Gaussian of its own sigma; with the blockwise
 * method the pixels of a fragment have the same (foveate/grid.h).
 *
 * Variances add. The picture is decimated by two again and again with the filter [1 5 10 10 5
 * 1]/32, whose variance is 5/4 of its input's pixels squared, so that level k holds the picture
 * blurred by
 *
 *     v_k = 5/4 (1 + 4 + ... + 4^(k-1)) = 5/12 (4^k - 1)   pixels squared,
 *
 * and a pixel of variance sigma^2 is gathered from one level with a Gaussian of sigma^2 - v_k,
 * whose weights are taken at the exact distances of the level's samples from the pixel and divided
 * by their sum. Level 0 is the picture itself, and there the sum is the definition. A pixel takes
 * the coarsest level on which the rest is still at least FOVEATE_RESIDUAL level samples wide: less
 * lets through what decimation folded down.
 *
 * The law gives sigma for a pixel and a gaze. Where the law asks for no more than the pixels
 * themselves resolve (cutoff at or beyond half a cycle a pixel) the pixel is copied; just beyond,
 * sigma rises from 0 instead of jumping to the Gaussian that a cutoff at Nyquist stands for.
 *
 * Used by C, CUDA C and, in words of its own, by foveate/glsl/levels.glsl and
 * foveate/glsl/law.glsl. */
#ifndef FOVEA_KERNELS_FOVEATE_SMOOTH_H
#define FOVEA_KERNELS_FOVEATE_SMOOTH_H

#include "kernels/cuda/host_device.h"

#include <math.h>
#include <stdint.h>

#define FOVEATE_MAX_LEVELS 7 /* level 0 included: up to 64 pixels a sample */
/* Samples kept beyond each edge of levels 1 and up; farther out the picture is constant. */
#define FOVEATE_MARGIN 4
/* At 0.84, and 17 samples an axis, the worst window of 32x32 pixels of a zone plate of 1280x720
 * under physical, 10 ppd, gaze in the corner, is like the true picture to 0.9941, here to 0.9957,
 * at 0.96 to 0.9962. */
#define FOVEATE_RESIDUAL 0.90f
/* A Gaussian is cut off at so many sigma. The tail shows most in linear light, where dark pixels
 * lie among bright ones: at 3.33 it is 33 levels of 8 bits in a checker of one pixel whose blur
 * just begins, at 4 more than four, here two. At most 18 samples an axis below the coarsest
 * level. */
#define FOVEATE_REACH 4.2f

enum foveate_law_kind {
    FOVEATE_LAW_RADIAL = 0, /* table: sigma in pixels over the distance from the gaze in pixels */
    FOVEATE_LAW_PROJECTED = 1, /* table: kappa / cutoff in degrees over eccentricity in degrees */
    /* The table has two dimensions, map_width x map_height, its middle at the gaze, table_per_unit
     * entries a pixel (radial's units) or a degree (projected's) right and down, the frame of
     * beyond included: its outermost entries count as far as there is anything. It holds what
     * RADIAL's and PROJECTED's hold, or where map_root is 1 the inverse of its square, which is
     * linear in density. */
    FOVEATE_LAW_MAP = 2,
    FOVEATE_LAW_MAP_PROJECTED = 3,
    /* A frame comes with a picture that has the sigma of each pixel (foveate_law_pictured). The
     * table has the largest that counts, twice; no ramp. */
    FOVEATE_LAW_PICTURE = 5,
    /* The table has sigma of each of the paper's rings, from the inmost on, for strength 1; no
     * ramp. Only fragments have rings (foveate/grid.h). */
    FOVEATE_LAW_RINGS = 4,
};

/* Twelve 32-bit words, before the table in the GPU's buffer. */
struct foveate_law {
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

/* A level's place in the one buffer of all levels. Sample (i, j) of level k is the filter centred
 * on pixel position ((i + 0.5) 2^k - 0.5, (j + 0.5) 2^k - 0.5). Four 32-bit words. */
struct foveate_level {
    int32_t first; /* index of the sample (-margin, -margin) */
    int32_t pitch; /* samples a row, margins included */
    int32_t width; /* ceil(width_px / 2^k); a row has 2 margins more */
    int32_t height;
};

/* Returns 0 for level 0, or FOVEATE_MARGIN. */
HOST_DEVICE int32_t foveate_level_margin(int32_t k)
{
    return k > 0 ? FOVEATE_MARGIN : 0;
}

/* Returns v_k in pixels squared. */
HOST_DEVICE float foveate_level_variance(int32_t k)
{
    return (float)((1 << 2 * k) - 1) * (5.0f / 12.0f);
}

/* Returns the coarsest of `count` levels on which at least `residual` samples of a sigma are
 * left. */
HOST_DEVICE int32_t foveate_level_with(float sigma_px, float residual, int32_t count)
{
    int32_t k = 0;
    while (k + 1 < count) {
        const float residual_px = residual * (float)(2 << k);
        if (sigma_px * sigma_px < foveate_level_variance(k + 1) + residual_px * residual_px) {
            break;
        }
        k++;
    }
    return k;
}

HOST_DEVICE int32_t foveate_level_for(float sigma_px, int32_t count)
{
    return foveate_level_with(sigma_px, FOVEATE_RESIDUAL, count);
}

/* Applies the ramp to the law's sigma, before strength: 0 up to `sharp_px`, then twice as steep
 * until it has caught up at twice that. */
HOST_DEVICE float foveate_law_ramp(float sigma_px, float sharp_px)
{
    if (sigma_px <= sharp_px) {
        return 0.0f;
    }
    return sigma_px < 2.0f * sharp_px ? 2.0f * (sigma_px - sharp_px) : sigma_px;
}

HOST_DEVICE float foveate_law_table(const struct foveate_law *law, const float *table, float at)
{
    const float last = (float)(law->table_count - 1);
    const float place = fminf(at * law->table_per_unit, last);
    const int32_t below = (int32_t)fminf(place, last - 1.0f);
    const float part = place - (float)below;
    return table[below] + part * (table[below + 1] - table[below]);
}

/* Returns the table of a map at a place from the gaze, right and down, linear between its
 * entries. */
HOST_DEVICE float foveate_law_map(const struct foveate_law *law, const float *table, float x,
                                  float y)
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
#define FOVEATE_PICTURED_LEAST_PX 0.1f

/* Returns the sigma that a picture's value stands for: none where it is negative or no number, and
 * no more than the largest. */
HOST_DEVICE float foveate_law_pictured(float value, float most_px)
{
    return value >= FOVEATE_PICTURED_LEAST_PX ? fminf(value, most_px) : 0.0f;
}

struct foveate_ray {
    float x, y; /* tangents from the view axis, right and down; the third coordinate is 1 */
};

HOST_DEVICE struct foveate_ray foveate_law_ray(const struct foveate_law *law, float x_px,
                                               float y_px)
{
    struct foveate_ray ray;
    ray.x = law->tan_x0 + x_px * law->tan_x_per_px;
    ray.y = law->tan_y0 + y_px * law->tan_y_per_px;
    return ray;
}

/* Returns the pixels a radian across the radius of a flat picture, 1 / cos more than on the axis:
 * the fewest of all directions, so that a round blur is nowhere stronger than the law. */
HOST_DEVICE float foveate_law_px_per_radian(const struct foveate_law *law, struct foveate_ray ray)
{
    return sqrtf(1.0f + ray.x * ray.x + ray.y * ray.y) /
           fmaxf(law->tan_x_per_px, law->tan_y_per_px);
}

/* Returns the angle between two rays in degrees, by the cross product, which is exact for small
 * ones too. */
HOST_DEVICE float foveate_law_angle_deg(struct foveate_ray a, struct foveate_ray b)
{
    const float cx = a.y - b.y;
    const float cy = b.x - a.x;
    const float cz = a.x * b.y - a.y * b.x;
    const float dot = a.x * b.x + a.y * b.y + 1.0f;
    return atan2f(sqrtf(cx * cx + cy * cy + cz * cz), dot) * 57.29577951f;
}

/* Returns the table of a map for a ray: the angle from the gaze's ray, in the direction that the
 * ray leaves it in. Right is level, down at right angles to it and to the gaze. */
HOST_DEVICE float foveate_law_map_projected(const struct foveate_law *law, const float *table,
                                            struct foveate_ray ray, struct foveate_ray gaze)
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
    return foveate_law_map(law, table, right * per_side, down * per_side);
}

/* Returns kappa / cutoff in pixels at a place; it and the gaze are uv times the size. */
HOST_DEVICE float foveate_law_plain_at(const struct foveate_law *law, const float *table,
                                       float x_px, float y_px, float gaze_x_px, float gaze_y_px)
{
    if (law->kind == FOVEATE_LAW_RADIAL || law->kind == FOVEATE_LAW_MAP) {
        const float dx = x_px - gaze_x_px;
        const float dy = y_px - gaze_y_px;
        return law->kind == FOVEATE_LAW_MAP
                   ? foveate_law_map(law, table, dx, dy)
                   : foveate_law_table(law, table, sqrtf(dx * dx + dy * dy));
    }
    const struct foveate_ray pixel = foveate_law_ray(law, x_px - 0.5f, y_px - 0.5f);
    const struct foveate_ray gaze = foveate_law_ray(law, gaze_x_px - 0.5f, gaze_y_px - 0.5f);
    const float degrees = law->kind == FOVEATE_LAW_MAP_PROJECTED
                              ? foveate_law_map_projected(law, table, pixel, gaze)
                              : foveate_law_table(law, table, foveate_law_angle_deg(pixel, gaze));
    return degrees * foveate_law_px_per_radian(law, pixel) * 0.01745329252f;
}

/* Returns sigma at a place, with ramp and strength. 0: the place is copied. */
HOST_DEVICE float foveate_law_sigma_at(const struct foveate_law *law, const float *table,
                                       float x_px, float y_px, float gaze_x_px, float gaze_y_px)
{
    const float plain_px = foveate_law_plain_at(law, table, x_px, y_px, gaze_x_px, gaze_y_px);
    return law->strength * foveate_law_ramp(plain_px, law->sharp_px);
}

/* Returns sigma of pixel (x, y), whose centre lies at (x + 0.5, y + 0.5). */
HOST_DEVICE float foveate_law_sigma(const struct foveate_law *law, const float *table, int32_t x,
                                    int32_t y, float gaze_x_px, float gaze_y_px)
{
    return foveate_law_sigma_at(law, table, (float)x + 0.5f, (float)y + 0.5f, gaze_x_px, gaze_y_px);
}

#endif
