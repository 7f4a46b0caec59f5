/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "calibrate.h"

#include "core/log.h"

#define SIDE_PX 1024 /* that a spectrum is made of */

/* The search goes from the whole picture, as small as a spectrum, to its middle in all pixels:
 * large lenses are found in the first, and small ones in the last. */
static enum fovea_result find_at(const struct calibrate_picture *picture, uint32_t reduction,
                                 const struct calibrate_wishes *wishes,
                                 const struct calibrate_progress *progress,
                                 struct calibrate_fit *fit, char *out_problem)
{
    struct calibrate_steps steps;
    struct calibrate_lattice lattice;
    FOVEA_TRY(calibrate_steps_find(picture, reduction, wishes, &steps, out_problem));
    FOVEA_TRY(calibrate_rows_find(&steps, wishes, &lattice, out_problem));
    return calibrate_fit_find(picture, &lattice, progress, fit, out_problem);
}

enum fovea_result calibrate_find(const struct calibrate_picture *picture,
                                 const struct calibrate_wishes *wishes,
                                 const struct calibrate_progress *progress,
                                 struct fovea_lightfield_geometry *out, struct calibrate_fit *fit,
                                 char out_problem[LIGHTFIELD_PROBLEM_BYTES])
{
    const uint32_t longest =
        picture->width_px > picture->height_px ? picture->width_px : picture->height_px;
    uint32_t reduction = (longest + SIDE_PX - 1) / SIDE_PX;
    enum fovea_result result;
    while ((result = find_at(picture, reduction, wishes, progress, fit, out_problem)) ==
               FOVEA_ERROR_CONFIG &&
           reduction > 1) {
        reduction = (reduction + 1) / 2;
    }
    if (result == FOVEA_OK &&
        !calibrate_extent_find(&fit->lattice, picture->width_px, picture->height_px, out)) {
        return CALIBRATE_PROBLEM(
            out_problem, "%ux%u lenses are whole: an array has 4x4 or more, and 4096x4096 at most",
            out->columns, out->rows);
    }
    return result;
}
