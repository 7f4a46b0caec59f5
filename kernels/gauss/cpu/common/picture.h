/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An image as tiles see it: pixels, and levels in planes, one plane a channel, so that eight
 * neighbours of one channel are one register. Tiles of one level store no level 0: it is the image,
 * read again where it is needed. */
#ifndef FOVEA_KERNELS_GAUSS_CPU_COMMON_PICTURE_H
#define FOVEA_KERNELS_GAUSS_CPU_COMMON_PICTURE_H

#include "image.h"

#define GAUSS_CPU_MAX_CHANNELS 4

struct gauss_cpu_picture {
    const struct gauss_plan *plan;
    struct gauss_cpu_view view;
    const struct pixel_codec *codec;
    const struct pixel_light *light; /* NULL: stored values are averaged */
    int32_t channels; /* averaged channels */
    float *samples; /* levels from first_level on */
    int32_t first_level; /* 0 or 1 */
    bool of_light; /* floats that are light, as layers of UNORM pixels are: none below 0 */
    float slope; /* no two pixels' sigmas differ by more than this times their distance */
};

/* Floats from a channel's samples to the next channel's. */
static inline ptrdiff_t gauss_cpu_plane(const struct gauss_cpu_picture *picture)
{
    const struct gauss_plan *plan = picture->plan;
    return (ptrdiff_t)plan->level_samples - plan->levels[picture->first_level].first;
}

/* Sample 0 of a row; gauss_level_margin(k) more lie before it and after the last one. */
static inline float *gauss_cpu_plane_row(const struct gauss_cpu_picture *picture, int32_t k,
                                         int32_t channel, int32_t row)
{
    const struct gauss_plan *plan = picture->plan;
    const struct gauss_level *level = &plan->levels[k];
    const int32_t margin = gauss_level_margin(k);
    return picture->samples + channel * gauss_cpu_plane(picture) +
           (level->first - plan->levels[picture->first_level].first) +
           (int64_t)(row + margin) * level->pitch + margin;
}

static inline int32_t gauss_cpu_clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

#endif
