/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How far two pictures of 8 bits are apart. */
#pragma once

#include "config/settings.h"

#define METRICS_REGION_PX 32

struct score {
    double max_levels; /* of any colour of any pixel */
    double mean_levels;
    double psnr_db; /* infinite where nothing differs */
    double ssim;
    double ties; /* share of values; what exact_round returned */
    double ssim_worst; /* of the windows of 32x32 pixels, one every 4 pixels */
};

/* SSIM of luma (Wang, Bovik, Sheikh and Simoncelli 2004): uniform windows of 8x8 pixels at every
 * place, C1 = (0.01 * 255)^2, C2 = (0.03 * 255)^2. */
struct ssim_map {
    uint32_t width, height; /* places of windows: 7 fewer than pixels */
    double *values;
};

/* Two RGBA8 pictures without gaps, of one size, at least 32x32. A map is the caller's to free; a
 * program without memory aborts. */
struct score metrics_score(const struct fovea_image *a, const struct fovea_image *b);
struct ssim_map metrics_ssim_map(const struct fovea_image *a, const struct fovea_image *b);
double metrics_mean(const struct ssim_map *map);
/* The lowest mean of the windows that lie inside of a region of 32x32 pixels. */
double metrics_worst(const struct ssim_map *map);
