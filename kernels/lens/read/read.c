/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Far beyond any lens, and well within a float. */
#define MOST 1e6

static bool is_sane(struct lens_scan *scan, const struct lens_polynomial *polynomial)
{
    bool sane = true;
    for (int color = 0; color < LENS_COLORS; color++) {
        for (int i = 0; i < LENS_POWERS; i++) {
            sane = sane && fabs(polynomial->terms[color][i]) <= MOST;
        }
    }
    for (int i = 0; i < 2; i++) {
        sane = sane && fabs(polynomial->center_uv[i]) <= MOST;
    }
    return sane || lens_scan_fail(scan, "a value is beyond all lenses");
}

static enum fovea_result finish(struct lens_scan *scan, const struct lens_polynomial *polynomial,
                                const struct lens_points *points,
                                struct lens_calibration **out_calibration)
{
    if (!points->memory && !is_sane(scan, polynomial)) {
        return FOVEA_ERROR_CONFIG;
    }
    if (points->memory) {
        return lens_calibration_of_points(points, scan->problem, out_calibration);
    }
    struct lens_calibration *made = lens_calibration_make();
    if (!made) {
        snprintf(scan->problem, LENS_PROBLEM_BYTES, "out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    made->polynomial = *polynomial;
    *out_calibration = made;
    return FOVEA_OK;
}

enum fovea_result lens_calibration_read(const char *bytes, size_t count,
                                        char out_problem[LENS_PROBLEM_BYTES],
                                        struct lens_calibration **out_calibration)
{
    struct lens_scan scan = {.bytes = bytes, .count = count, .problem = out_problem};
    struct lens_polynomial polynomial = {.terms = {{0.0}}};
    struct lens_points points = {.memory = NULL};
    out_problem[0] = '\0';
    *out_calibration = NULL;
    const bool read = lens_scan_sees(&scan, '{') ? lens_read_json(&scan, &polynomial, &points)
                                                 : lens_read_panotools(&scan, &polynomial);
    const enum fovea_result result =
        read ? finish(&scan, &polynomial, &points, out_calibration) : FOVEA_ERROR_CONFIG;
    free(points.memory);
    return result;
}
