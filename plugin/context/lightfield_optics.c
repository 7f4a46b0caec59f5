/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Patch sizes as distances: a thin main lens, and its image before or behind the array. */

#include "lightfield_check.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "kernels/lightfield/lightfield.h"

#include <math.h>
#include <stdio.h>

static bool take_optics(const struct fovea_lightfield_geometry *geometry, struct fovea_log log,
                        struct fovea_lightfield_geometry *out)
{
    char problem[LIGHTFIELD_PROBLEM_BYTES];
    if (!geometry || !struct_take(out, sizeof *out, geometry)) {
        log_error(log, "fovea_lightfield_geometry: %s",
                  geometry ? struct_refusal(geometry) : "is NULL");
        return false;
    }
    if (!lightfield_geometry_check(out, problem)) {
        log_error(log, "fovea_lightfield_geometry: %s", problem);
        return false;
    }
    if (out->focal_length_m == 0.0) {
        log_error(log, "fovea_lightfield_geometry: focal_length_m is 0: distances need the optics, "
                       "\"optics\" in the geometry's file");
        return false;
    }
    return true;
}

/* NaN: the image would lie at the main lens, or before it. */
static double diopters_of(const struct fovea_lightfield_geometry *own, double patch_px)
{
    const double apart_m = own->array_to_sensor_m * own->pitch_x_px / patch_px;
    const double image_m = own->main_to_array_m + (own->image_behind ? apart_m : -apart_m);
    return image_m > 0.0 ? 1.0 / own->focal_length_m - 1.0 / image_m : (double)NAN;
}

double fovea_lightfield_diopters(const struct fovea_lightfield_geometry *geometry, double patch_px)
{
    const struct fovea_log none = {0};
    struct fovea_lightfield_geometry own;
    if (!take_optics(geometry, none, &own) || !(patch_px >= 1.0 && patch_px <= own.pitch_x_px)) {
        return (double)NAN;
    }
    return diopters_of(&own, patch_px);
}

/* Whether what rounding may have moved is that end of the range: also where somebody types it as it
 * was printed, with six digits. */
static bool is_end(double diopters, double end)
{
    return fabs(diopters - end) <= 5e-6 * fabs(end) + 1e-9;
}

enum fovea_result fovea_lightfield_patch_of(const struct fovea_lightfield_geometry *geometry,
                                            double diopters, const struct fovea_log *log,
                                            double *out_patch_px)
{
    const struct fovea_log said = log ? *log : (struct fovea_log){0};
    struct fovea_lightfield_geometry own;
    char problem[LIGHTFIELD_PROBLEM_BYTES];
    if (!out_patch_px || !take_optics(geometry, said, &own)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const double image_m = 1.0 / (1.0 / own.focal_length_m - diopters);
    const double apart_m =
        own.image_behind ? image_m - own.main_to_array_m : own.main_to_array_m - image_m;
    const double patch_px = own.array_to_sensor_m * own.pitch_x_px / apart_m;
    if (image_m > 0.0 && patch_px >= 1.0 && patch_px <= own.pitch_x_px) {
        *out_patch_px = patch_px;
        return FOVEA_OK;
    }
    const double first = diopters_of(&own, 1.0);
    const double last = diopters_of(&own, own.pitch_x_px);
    if (is_end(diopters, first) || is_end(diopters, last)) {
        *out_patch_px = is_end(diopters, first) ? 1.0 : own.pitch_x_px;
        return FOVEA_OK;
    }
    snprintf(problem, sizeof problem,
             "no patch size is %g dioptres away: 1 px is %g, and the pitch, %g px, is %g", diopters,
             first, own.pitch_x_px, last);
    return lightfield_refuse(said, problem);
}
