/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A frame is made by this. Shared by C, CUDA and, member by member, GLSL. */
#pragma once

#include <stdint.h>

#define LENS_NEAREST 0 /* the setting's words, in order */
#define LENS_BILINEAR 1
#define LENS_BICUBIC 2

#define LENS_POWERS 5 /* of r, from 0 on */
#define LENS_COLORS 3 /* in the image's order; the one in the middle is for alpha and for grey */
#define LENS_AXIS 1

/* How far the source lies from the pixel, at points that lie equally far apart. */
struct lens_grid {
    int32_t columns; /* of points */
    int32_t rows;
    float per_px_x; /* points a pixel */
    float per_px_y;
    int32_t quadratic; /* between points; 0: linear */
    int32_t first[LENS_COLORS]; /* number of each colour's first point, in the image's order */
    float start; /* points by which the first one is right of and below the corner */
};

struct lens_shape {
    int32_t width_px;
    int32_t height_px;
    float center_x_px; /* from the view's top left corner */
    float center_y_px;
    float per_px; /* r of one pixel */
    float blank[LENS_COLORS]; /* in levels or values */
    /* How far the source lies from the pixel, over the pixel's distance from the centre: a
     * polynomial of r, of which 1 is taken away. */
    union {
        float terms[LENS_COLORS * LENS_POWERS];
        struct lens_grid grid; /* of a plan that has one; GLSL: bits of terms, from the first on */
    };
};
