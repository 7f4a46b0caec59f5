/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a lens's calibration: one whose numbers can all be used, or one line of words. */

#include "kernels/lens/read/read.h"

#include "require.h"

#include <math.h>

static void check_points(const struct lens_points *points)
{
    REQUIRE(points->columns >= 2 && points->columns <= LENS_POINTS_MAX);
    REQUIRE(points->rows >= 2 && points->rows <= LENS_POINTS_MAX);
    for (int color = 0; color < LENS_COLORS; color++) {
        for (size_t i = 0; i < 2 * (size_t)points->columns * points->rows; i++) {
            REQUIRE(fabsf(points->places_uv[color][i]) <= 100.0f);
        }
    }
}

static void check_polynomial(const struct lens_polynomial *polynomial)
{
    REQUIRE(polynomial->unit <= LENS_HALF_SHORT);
    for (int i = 0; i < LENS_COLORS * LENS_POWERS; i++) {
        REQUIRE(isfinite(polynomial->terms[i / LENS_POWERS][i % LENS_POWERS]));
    }
    REQUIRE(isfinite(polynomial->center_uv[0]) && isfinite(polynomial->center_uv[1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = exact_copy(data, size);
    char problem[LENS_PROBLEM_BYTES];
    struct shared_data *read = NULL;
    const enum fovea_result result = lens_read_file(bytes, size, problem, &read);
    const struct lens_calibration *made = (const struct lens_calibration *)read;
    REQUIRE(result == FOVEA_OK || result == FOVEA_ERROR_CONFIG);
    REQUIRE((result == FOVEA_OK) == (made != NULL));
    REQUIRE((result == FOVEA_OK) == (problem[0] == '\0') && !strchr(problem, '\n'));
    for (uint32_t eye = 0; made && eye < made->eye_count; eye++) {
        if (made->eyes[eye].points.memory) {
            check_points(&made->eyes[eye].points);
        }
        if (!made->eyes[eye].points.memory || made->eyes[eye].aspect > 0.0) {
            check_polynomial(&made->eyes[eye].polynomial);
        }
    }
    shared_data_release(&read);
    free(bytes);
    return 0;
}
