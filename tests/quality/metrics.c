/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "metrics.h"

#include "memory.h"

#include <math.h>

#define WINDOW_PX 8
#define REGION_STEP_PX 4
#define REGION_WINDOWS (METRICS_REGION_PX - WINDOW_PX + 1)

static const unsigned char *pixel_at(const struct fovea_image *image, uint32_t x, uint32_t y)
{
    return (const unsigned char *)image->data + (ptrdiff_t)y * image->row_stride_bytes + 4 * x;
}

/* ITU-R BT.601 */
static double luma(const unsigned char *pixel)
{
    return 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
}

struct sums {
    double a, b, aa, bb, ab;
};

static double ssim(const struct sums *s)
{
    const double c1 = 0.01 * 255.0 * 0.01 * 255.0;
    const double c2 = 0.03 * 255.0 * 0.03 * 255.0;
    const double n = WINDOW_PX * WINDOW_PX;
    const double mean_a = s->a / n;
    const double mean_b = s->b / n;
    const double var_a = s->aa / n - mean_a * mean_a;
    const double var_b = s->bb / n - mean_b * mean_b;
    const double both = s->ab / n - mean_a * mean_b;
    return (2.0 * mean_a * mean_b + c1) * (2.0 * both + c2) /
           ((mean_a * mean_a + mean_b * mean_b + c1) * (var_a + var_b + c2));
}

static struct sums window_sums(const double *a, const double *b, uint32_t pitch)
{
    struct sums s = {0};
    for (uint32_t y = 0; y < WINDOW_PX; y++) {
        for (uint32_t x = 0; x < WINDOW_PX; x++) {
            const double va = a[y * pitch + x];
            const double vb = b[y * pitch + x];
            s.a += va;
            s.b += vb;
            s.aa += va * va;
            s.bb += vb * vb;
            s.ab += va * vb;
        }
    }
    return s;
}

static double *luma_of(const struct fovea_image *image)
{
    double *out = memory_make((size_t)image->width_px * image->height_px, sizeof *out);
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            out[(size_t)y * image->width_px + x] = luma(pixel_at(image, x, y));
        }
    }
    return out;
}

struct ssim_map metrics_ssim_map(const struct fovea_image *a, const struct fovea_image *b)
{
    struct ssim_map map = {.width = a->width_px - WINDOW_PX + 1,
                           .height = a->height_px - WINDOW_PX + 1};
    double *luma_a = luma_of(a);
    double *luma_b = luma_of(b);
    map.values = memory_make((size_t)map.width * map.height, sizeof *map.values);
    for (uint32_t y = 0; y < map.height; y++) {
        for (uint32_t x = 0; x < map.width; x++) {
            const size_t at = (size_t)y * a->width_px + x;
            const struct sums sums = window_sums(luma_a + at, luma_b + at, a->width_px);
            map.values[(size_t)y * map.width + x] = ssim(&sums);
        }
    }
    free(luma_a);
    free(luma_b);
    return map;
}

double metrics_mean(const struct ssim_map *map)
{
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)map->width * map->height; i++) {
        sum += map->values[i];
    }
    return sum / ((double)map->width * map->height);
}

static double region_mean(const struct ssim_map *map, uint32_t x0, uint32_t y0)
{
    double sum = 0.0;
    for (uint32_t y = y0; y < y0 + REGION_WINDOWS; y++) {
        for (uint32_t x = x0; x < x0 + REGION_WINDOWS; x++) {
            sum += map->values[(size_t)y * map->width + x];
        }
    }
    return sum / (REGION_WINDOWS * REGION_WINDOWS);
}

double metrics_worst(const struct ssim_map *map)
{
    double worst = 1.0;
    for (uint32_t y = 0; y + REGION_WINDOWS <= map->height; y += REGION_STEP_PX) {
        for (uint32_t x = 0; x + REGION_WINDOWS <= map->width; x += REGION_STEP_PX) {
            worst = fmin(worst, region_mean(map, x, y));
        }
    }
    return worst;
}

struct score metrics_score(const struct fovea_image *a, const struct fovea_image *b)
{
    struct score score = {0};
    double squares = 0.0;
    for (uint32_t y = 0; y < a->height_px; y++) {
        for (uint32_t x = 0; x < a->width_px; x++) {
            for (int c = 0; c < 3; c++) {
                const double apart = abs(pixel_at(a, x, y)[c] - pixel_at(b, x, y)[c]);
                score.max_levels = fmax(score.max_levels, apart);
                score.mean_levels += apart;
                squares += apart * apart;
            }
        }
    }
    const double count = 3.0 * a->width_px * a->height_px;
    score.mean_levels /= count;
    score.psnr_db = 10.0 * log10(255.0 * 255.0 * count / squares);
    struct ssim_map map = metrics_ssim_map(a, b);
    score.ssim = metrics_mean(&map);
    score.ssim_worst = metrics_worst(&map);
    free(map.values);
    return score;
}
