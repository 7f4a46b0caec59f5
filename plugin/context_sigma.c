/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What settings do to an image, without an image. */

#include "core/log.h"
#include "foveate/foveate.h"
#include "foveate/foveate_model.h"

#include <math.h>

static void fill_map(const struct foveate_plan *plan, struct fovea_point_uv gaze,
                     float *out_sigma_px)
{
    const struct foveate_frame frame = foveate_frame_make(plan, gaze);
    for (int32_t y = 0; y < frame.height_px; y++) {
        for (int32_t x = 0; x < frame.width_px; x++) {
            *out_sigma_px++ = foveate_sigma_at(plan, &frame, x, y);
        }
    }
}

enum fovea_result fovea_sigma_map(const struct fovea_foveation *foveation, uint32_t width_px,
                                  uint32_t height_px, struct fovea_point_uv gaze,
                                  float *out_sigma_px)
{
    if (!foveation || !out_sigma_px || !isfinite(gaze.x_uv) || !isfinite(gaze.y_uv)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct foveate_plan *plan = NULL;
    FOVEA_TRY(foveate_plan_create(foveation, width_px, height_px, &plan));
    fill_map(plan, gaze, out_sigma_px);
    foveate_plan_destroy(&plan);
    return FOVEA_OK;
}

double fovea_eccentricity_px(const struct fovea_foveation *foveation, uint32_t width_px,
                             uint32_t height_px, double eccentricity_deg)
{
    struct foveate_model model;
    if (!foveation || !isfinite(eccentricity_deg) || eccentricity_deg < 0.0 ||
        !foveate_model_init(&model, foveation, width_px, height_px)) {
        return -1.0;
    }
    return foveate_model_distance_px(&model, eccentricity_deg);
}
