/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A lens as somebody measured it: a polynomial for each colour, or the source's places at points of
 * a grid. It knows no picture's size: lengths are parts of the picture. */
#pragma once

#include "core/shared_data.h"
#include "kernels/operator/operator.h"
#include "shape.h"

#include <stdbool.h>

#define LENS_POINTS_MAX 16385 /* of a grid, each way: one a pixel of the largest picture */

enum lens_unit { /* lens.unit's words, in order */
                 LENS_HALF_WIDTH,
                 LENS_HALF_HEIGHT,
                 LENS_HALF_DIAGONAL,
                 LENS_HALF_SHORT,
};

/* Instead of the settings lens.r0 to lens.unit, and of the shifts where it is centered. */
struct lens_polynomial {
    double terms[LENS_COLORS][LENS_POWERS]; /* red, green, blue */
    uint32_t unit; /* enum lens_unit */
    bool centered; /* false: the centre is as the settings and the frustum have it */
    double center_uv[2];
};

/* Point (i, j) is where the shown picture is at ((i + start) step_uv[0], (j + start) step_uv[1]).
 */
struct lens_points {
    uint32_t columns;
    uint32_t rows;
    bool quadratic; /* between points; else linear */
    double step_uv[2];
    double start; /* 0: the first ones are on the picture's edges; 0.5: in the middle of pixels */
    /* x and y of the source in uv, by rows; those of colours that share them are green's. */
    const float *places_uv[LENS_COLORS];
    float *memory; /* all of these lie in */
};

struct lens_map {
    struct lens_polynomial polynomial;
    struct lens_points points; /* without memory there are none, and the polynomial counts */
    /* The polynomial counts at no other width over height than this, where there are points; 0: at
     * none. */
    double aspect;
};

#define LENS_EYES 2 /* the left one and the right one */

/* Immutable once made. */
struct lens_calibration {
    struct shared_data base;
    uint32_t eye_count; /* 1: the first map is both eyes'; LENS_EYES: each has its own */
    struct lens_map eyes[LENS_EYES];
};

#define LENS_PROBLEM_BYTES OPERATOR_PROBLEM_BYTES

/* The polynomial: a source's distance from the centre over the pixel's. */
double lens_factor_at(const double terms[LENS_POWERS], double r);
/* If the source comes nearer to the centre again as r grows, the picture is seen twice. Returns
 * the r from which on it does; one beyond the farthest: it does not. */
double lens_fold_of(const double terms[LENS_POWERS], double farthest);

/* The names of red, green and blue in files and in problems, and NULL. */
extern const char *const lens_color_names[LENS_COLORS + 1];

/* All 0 but for the caller's one share and one map for both eyes; NULL: out of memory. */
struct lens_calibration *lens_calibration_make(void);

/* Gives a filled calibration out, or releases it where it was not filled, which the problem says,
 * or where a map of it is no lens: too few or many points, places or terms that are not finite,
 * cells that fold over in the picture. NULL: out of memory, which is the problem then. */
FOVEA_MUST_CHECK enum fovea_result lens_calibration_finish(struct lens_calibration *made,
                                                           bool filled,
                                                           char problem[LENS_PROBLEM_BYTES],
                                                           struct shared_data **out_data);

/* NULL: each eye has its own, and it is not said whose counts. */
const struct lens_map *lens_calibration_map(const struct lens_calibration *calibration,
                                            enum fovea_map_eye eye);

/* Says whether a picture of that size has the map's points, or its polynomial. */
bool lens_map_is_grid(const struct lens_map *map, uint32_t width_px, uint32_t height_px);

/* Copies a program's field, whose strides are all given, as operator_api.read_field. */
FOVEA_MUST_CHECK enum fovea_result lens_calibration_of_field(const struct fovea_field *field,
                                                             char out_problem[LENS_PROBLEM_BYTES],
                                                             struct shared_data **out_data);
