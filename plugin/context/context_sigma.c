/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Maps of what settings do to an image, without an image. The first operator that has an answer
 * gives it. */

#include "context_sigma.h"

#include "kernels/operators.h"

#include <math.h>

static const struct operator_maps_api *maps(void)
{
    int i = 0;
    while (!operators_at((enum fovea_operator)i)->maps) {
        i++; /* one of the table has them */
    }
    return operators_at((enum fovea_operator)i)->maps;
}

static struct operator_plan_desc desc_of(const struct fovea_settings *settings, uint32_t width_px,
                                         uint32_t height_px)
{
    return (struct operator_plan_desc){
        .settings = settings, .width_px = width_px, .height_px = height_px};
}

/* There are settings that a plan can be made of, and the gaze is somewhere. */
static bool settings_and_gaze_are_right(const struct fovea_settings *settings,
                                        struct fovea_point_uv gaze)
{
    return settings && config_foveation_check(settings, (struct fovea_log){0}) == FOVEA_OK &&
           isfinite(gaze.x_uv) && isfinite(gaze.y_uv);
}

enum fovea_result fovea_sigma_map(const struct fovea_settings *settings, uint32_t width_px,
                                  uint32_t height_px, struct fovea_point_uv gaze,
                                  float *out_sigma_px)
{
    const struct operator_plan_desc desc = desc_of(settings, width_px, height_px);
    if (!out_sigma_px || !settings_and_gaze_are_right(settings, gaze)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return maps()->sigma_px(&desc, gaze, out_sigma_px);
}

enum fovea_result context_sharp_px(const struct fovea_settings *settings, uint32_t width_px,
                                   uint32_t height_px, struct fovea_point_uv gaze,
                                   const double sigmas_px[OPERATOR_SHARP_SIGMAS],
                                   double out_px[OPERATOR_SHARP_SIGMAS])
{
    const struct operator_plan_desc desc = desc_of(settings, width_px, height_px);
    return maps()->sharp_px(&desc, gaze, sigmas_px, out_px);
}

double fovea_eccentricity_px(const struct fovea_settings *settings, uint32_t width_px,
                             uint32_t height_px, struct fovea_point_uv gaze, double direction_deg,
                             double eccentricity_deg)
{
    const struct operator_plan_desc desc = desc_of(settings, width_px, height_px);
    if (!settings_and_gaze_are_right(settings, gaze) || !isfinite(direction_deg) ||
        !isfinite(eccentricity_deg) || eccentricity_deg < 0.0) {
        return -1.0;
    }
    return maps()->reach_px(&desc, gaze, direction_deg, eccentricity_deg);
}

enum fovea_result fovea_eccentricity_map(const struct fovea_settings *settings, uint32_t width_px,
                                         uint32_t height_px, struct fovea_point_uv gaze,
                                         float *out_deg)
{
    const struct operator_plan_desc desc = desc_of(settings, width_px, height_px);
    if (!out_deg || !settings_and_gaze_are_right(settings, gaze)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return maps()->eccentricity_deg(&desc, gaze, out_deg);
}

enum fovea_result fovea_cutoff_map(const struct fovea_settings *settings, uint32_t width_px,
                                   uint32_t height_px, struct fovea_point_uv gaze, float *out_cpd)
{
    const struct operator_plan_desc desc = desc_of(settings, width_px, height_px);
    if (!out_cpd || !settings_and_gaze_are_right(settings, gaze)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return maps()->cutoff_cpd(&desc, gaze, out_cpd);
}

enum fovea_result fovea_gain_map(const struct fovea_settings *settings, uint32_t width_px,
                                 uint32_t height_px, struct fovea_point_uv gaze,
                                 const struct fovea_grating *grating, float *out_gain)
{
    const struct operator_plan_desc desc = desc_of(settings, width_px, height_px);
    if (!out_gain || !settings_and_gaze_are_right(settings, gaze) || !grating ||
        !isfinite(grating->cycles_per_deg) || grating->cycles_per_deg < 0.0 ||
        !isfinite(grating->direction_deg)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return maps()->gain(&desc, gaze, grating, out_gain);
}
