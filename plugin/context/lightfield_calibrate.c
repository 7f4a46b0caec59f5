/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_check.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "kernels/lightfield/calibrate/calibrate.h"
#include "kernels/lightfield/calibrate/white.h"

#include <stdlib.h>

STRUCT_ENDS_WITH(struct fovea_lightfield_calibration, log);
STRUCT_ENDS_WITH(struct fovea_lightfield_fit, lenses_used);

#define FULL_MAX 0.02 /* of the pixels; some are hot */
#define PITCH_MIN_PX 4.0
#define PITCH_MAX_PX 1024.0
#define SIDE_LEAST_PX 32
#define RESIDUAL_FINE 0.025 /* pitches; white pictures have 0.02 where a lens distorts */

static enum fovea_result take(const struct fovea_lightfield_calibration *given,
                              struct fovea_lightfield_calibration *out)
{
    fovea_lightfield_calibration_init(out);
    if (given && !struct_take(out, sizeof *out, given)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (out->rows < FOVEA_LIGHTFIELD_ROWS_WANTED_ANY ||
        out->rows > FOVEA_LIGHTFIELD_ROWS_WANTED_HEXAGONAL || out->flip > 1 ||
        (out->pitch_px != 0.0 &&
         !(out->pitch_px >= PITCH_MIN_PX && out->pitch_px <= PITCH_MAX_PX))) {
        log_error(out->log, "fovea_lightfield_calibration: rows is none of them, flip is not 0 or "
                            "1, or pitch_px is not 0 or 4 .. 1024");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

static enum fovea_result refuse(const struct fovea_lightfield_calibration *calibration,
                                const char *problem)
{
    log_error(calibration->log, "white picture: %s", problem);
    return FOVEA_ERROR_CONFIG;
}

static enum fovea_result find(const struct fovea_lightfield_raw *white,
                              const struct fovea_lightfield_calibration *calibration, float *levels,
                              struct fovea_lightfield_geometry *out, struct calibrate_fit *fit)
{
    const struct calibrate_picture picture = {levels, white->width_px, white->height_px};
    const struct calibrate_wishes wishes = {calibration->rows, calibration->pitch_px};
    const struct calibrate_progress progress = {calibration->progress, calibration->progress_user};
    char problem[LIGHTFIELD_PROBLEM_BYTES];
    const double full = white_levels(white, levels);
    if (full > FULL_MAX) {
        snprintf(problem, sizeof problem,
                 "%.0f %% of its pixels are as bright as can be: expose it shorter, or give the "
                 "maximum that the sensor has",
                 100.0 * full);
        return refuse(calibration, problem);
    }
    const enum fovea_result result =
        calibrate_find(&picture, &wishes, &progress, out, fit, problem);
    if (result == FOVEA_OK && !lightfield_geometry_check(out, problem)) {
        return refuse(calibration, problem);
    }
    if (result == FOVEA_OK && fit->residual_px > RESIDUAL_FINE * out->pitch_x_px) {
        log_warning(calibration->log,
                    "white picture: lenses lie %.2f px from the array, more than a fortieth of a "
                    "lens: is it a white picture, in focus as the raw pictures are?",
                    fit->residual_px);
    }
    return result == FOVEA_ERROR_CONFIG ? refuse(calibration, problem) : result;
}

static enum fovea_result give(const struct calibrate_fit *found,
                              const struct fovea_lightfield_geometry *own,
                              struct fovea_lightfield_geometry *out,
                              struct fovea_lightfield_fit *fit)
{
    const struct fovea_lightfield_fit own_fit = {.residual_px = found->residual_px,
                                                 .shear_deg = found->shear_deg,
                                                 .lenses_seen = found->seen,
                                                 .lenses_used = found->used};
    if (fit && !struct_give(fit, &own_fit, sizeof own_fit)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return struct_give(out, own, sizeof *own) ? FOVEA_OK : FOVEA_ERROR_INVALID_ARGUMENT;
}

enum fovea_result fovea_lightfield_calibrate(const struct fovea_lightfield_raw *white,
                                             const struct fovea_lightfield_calibration *calibration,
                                             struct fovea_lightfield_geometry *out,
                                             struct fovea_lightfield_fit *fit)
{
    struct fovea_lightfield_calibration own;
    struct fovea_lightfield_raw picture;
    struct fovea_lightfield_geometry geometry;
    struct calibrate_fit found;
    if (!white || !out || !struct_has_size(out) || (fit && !struct_has_size(fit))) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(take(calibration, &own));
    FOVEA_TRY(lightfield_take_raw_on_cpu(own.log, "white", white, &picture));
    if (picture.width_px < SIDE_LEAST_PX || picture.height_px < SIDE_LEAST_PX) {
        return refuse(&own, "it is too small: give the whole raw picture");
    }
    float *levels = malloc((size_t)picture.width_px * picture.height_px * sizeof *levels);
    FOVEA_TRY_MEMORY(levels);
    fovea_lightfield_geometry_init(&geometry);
    geometry.flip = own.flip;
    const enum fovea_result result = find(&picture, &own, levels, &geometry, &found);
    free(levels);
    return result < 0 ? result : give(&found, &geometry, out, fit);
}
