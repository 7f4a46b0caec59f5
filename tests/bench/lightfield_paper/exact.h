/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels of light fields are compared with this, in double precision: the paper's Algorithm 1,
 * corrected, and its depths. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum exact_sample {
    EXACT_PAPER, /* the pixel that the patch's edge comes to, and the map's whole weights */
    EXACT_NEAREST, /* Fovea's: the pixel in which the sample lies, and a Gaussian */
    EXACT_INTERPOLATED,
};

struct exact_field {
    uint8_t *raw; /* RGBx */
    int32_t row_bytes, width_px, height_px;
    int32_t columns, rows; /* of lenses */
};

/* The map: a Gaussian of a sixth of the pitch, 255 in the middle. */
int32_t exact_weight(int32_t x, int32_t y);
/* Levels of a pixel of the picture. */
double exact_render(const struct exact_field *field, enum exact_sample sample, int32_t x, int32_t y,
                    int channel);
/* The patch size with the least sum of differences; of equal ones the largest. */
int32_t exact_depth(const struct exact_field *field, int32_t x, int32_t y);
