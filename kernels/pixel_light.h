/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Levels of UNORM formats as light and back, by the transfer function of sRGB (IEC 61966-2-1).
 *
 * Light runs from 0 to 1. Alpha is not touched: it is no light. */
#ifndef FOVEA_KERNELS_PIXEL_LIGHT_H
#define FOVEA_KERNELS_PIXEL_LIGHT_H

#include "pixel.h"

#define PIXEL_LIGHT_OCTAVES 9 /* from 2^-9, below the end of the linear part, to 1 */
#define PIXEL_LIGHT_STEPS 256 /* in an octave */
#define PIXEL_LIGHT_ENTRIES (PIXEL_LIGHT_OCTAVES * PIXEL_LIGHT_STEPS + 2)

struct pixel_light {
    uint32_t highest_level; /* 255 or 1023 */
    float light[1024]; /* of a level */
    /* The level over the light: the value where an entry begins, of light whose float has these high
     * bits. Straight lines between entries are at most 0.0005 levels away. */
    float level[PIXEL_LIGHT_ENTRIES];
};

/* True if pixels of the format are levels that stand for light. */
bool pixel_light_known(enum fovea_format format);

/* For a format of which that is true. */
void pixel_light_init(struct pixel_light *light, enum fovea_format format);

/* `pixels` pixels of `channels` floats, in place; the first `colors` of each are converted. Levels
 * are whole numbers within the format's range. */
void pixel_light_from_levels(const struct pixel_light *light, float *values, uint32_t pixels,
                             uint32_t channels, uint32_t colors);
/* Light outside 0..1 becomes the nearest of them. */
void pixel_light_to_levels(const struct pixel_light *light, float *values, uint32_t pixels,
                           uint32_t channels, uint32_t colors);

#endif
