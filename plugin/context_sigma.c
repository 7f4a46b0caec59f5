/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What settings do to an image, without an image. */

#include "core/log.h"
#include "foveate/foveate.h"
#include "foveate/foveate_model.h"
#include "map_copy.h"

#include <math.h>
#include <string.h>

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

/* A plan may use a program's array where it lies; only a file has to be read. */
static enum fovea_result make_plan(struct fovea_foveation foveation, uint32_t width_px,
                                   uint32_t height_px, struct foveate_plan **out_plan)
{
    struct map_copy none = {0};
    struct map_copy read = {0};
    foveation.map.serial = 0; /* nothing of it is a copy of ours */
    if (foveation.model == FOVEA_MODEL_MAP && foveation.map.kind == FOVEA_MAP_FILE) {
        if (strnlen(foveation.map.file, FOVEA_PATH_MAX) == FOVEA_PATH_MAX) {
            return FOVEA_ERROR_INVALID_ARGUMENT; /* it has no end */
        }
        FOVEA_TRY(map_copy_make(&foveation.map, &none, (struct fovea_log){0}, &read));
    }
    const enum fovea_result result = foveate_plan_create(&foveation, width_px, height_px, out_plan);
    map_copy_finish(&read);
    return result;
}

enum fovea_result fovea_sigma_map(const struct fovea_foveation *foveation, uint32_t width_px,
                                  uint32_t height_px, struct fovea_point_uv gaze,
                                  float *out_sigma_px)
{
    if (!foveation || !out_sigma_px || !isfinite(gaze.x_uv) || !isfinite(gaze.y_uv)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct foveate_plan *plan = NULL;
    FOVEA_TRY(make_plan(*foveation, width_px, height_px, &plan));
    fill_map(plan, gaze, out_sigma_px);
    foveate_plan_destroy(&plan);
    return FOVEA_OK;
}

double fovea_eccentricity_px(const struct fovea_foveation *foveation, uint32_t width_px,
                             uint32_t height_px, double eccentricity_deg)
{
    struct foveate_model model;
    if (!foveation || !isfinite(eccentricity_deg) || eccentricity_deg < 0.0) {
        return -1.0;
    }
    /* Where a degree lies is the same on every map: the smallest does, so that frames may ask. */
    static const float samples[] = {1.0f, 1.0f, 1.0f, 0.5f};
    struct fovea_foveation places = *foveation;
    places.map.kind = FOVEA_MAP_ARRAY;
    places.map.values = samples;
    places.map.width = 2;
    places.map.height = 2;
    places.map.width_deg = 1.0;
    if (!foveate_model_init(&model, &places, width_px, height_px)) {
        return -1.0;
    }
    return foveate_model_distance_px(&model, eccentricity_deg);
}
