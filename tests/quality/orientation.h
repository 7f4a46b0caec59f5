/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A camera that was held on its side stores the picture so, and says in EXIF how it is to be shown.
 */
#ifndef FOVEA_QUALITY_ORIENTATION_H
#define FOVEA_QUALITY_ORIENTATION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct orientation {
    bool swaps_axes; /* columns are shown as rows */
    bool mirrors_x, mirrors_y; /* of what is stored */
};

/* Reads a PNG or JPEG file from its begin; one that tells nothing is shown as it is stored. */
struct orientation orientation_of(FILE *file);

/* Copies pixels of 4 bytes without gaps into the place where they are shown; width and height are
 * those of what is stored. */
void orientation_turn(struct orientation orientation, uint32_t width_px, uint32_t height_px,
                      const void *stored, void *out_shown);

#endif
