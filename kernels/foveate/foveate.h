/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator foveate: models, and the plans that they make for the machine that blurs
 * (gauss/gauss.h). */
#pragma once

#include "kernels/gauss/gauss.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FOVEA_ERROR_INVALID_ARGUMENT: a size or setting is out of range, or the settings together ask for
 * a sigma of more than 1024 px. */
FOVEA_MUST_CHECK enum fovea_result foveate_plan_create(const struct fovea_foveation *foveation,
                                                       uint32_t width_px, uint32_t height_px,
                                                       struct gauss_plan **out_plan);
/* The same for frames of floats that were levels (struct operator_plan_desc). */
FOVEA_MUST_CHECK enum fovea_result foveate_plan_create_of_levels(
    const struct fovea_foveation *foveation, const struct levels_light *levels, uint32_t width_px,
    uint32_t height_px, struct gauss_plan **out_plan);
void foveate_plan_destroy(struct gauss_plan **plan);
/* True if the law's table is that of the map's samples (foveate/model/map_ready.h). */
bool foveate_plan_shares_table(const struct gauss_plan *plan);
/* True if the plan is the one that these arguments would make. */
bool foveate_plan_fits(const struct gauss_plan *plan, const struct fovea_foveation *foveation,
                       uint32_t width_px, uint32_t height_px);

/* ---- The double-precision reference: from the formula, shares only the settings -------------- */

/* src and dst are rows of `channels` doubles without gaps, dst apart from src; channel 3, where
 * there is one, is alpha. Values are not rounded and not clamped. foveas_px has x and y of each, in
 * pixels from the top left corner, the gaze first, which fragments lie by; sigma is the least of
 * all. */
FOVEA_MUST_CHECK enum fovea_result foveate_reference(const struct fovea_foveation *foveation,
                                                     uint32_t width_px, uint32_t height_px,
                                                     uint32_t channels, const double *src,
                                                     double *dst, const double *foveas_px,
                                                     uint32_t fovea_count);

/* Does the same for the smooth method and every model: one Gaussian a pixel, cut off at 4.5 sigma
 * (7.5 for light that is not sRGB's), edges replicated. Values are averaged as they are: linear
 * light if the caller decoded it. */
FOVEA_MUST_CHECK enum fovea_result foveate_reference_smooth(const struct fovea_foveation *foveation,
                                                            uint32_t width_px, uint32_t height_px,
                                                            uint32_t channels, const double *src,
                                                            double *dst, const double *foveas_px,
                                                            uint32_t fovea_count);

/* sigma of its pixels, at any place; all in pixels from the top left corner. */
struct foveate_reference_places {
    double x_px, y_px;
    double gaze_x_px, gaze_y_px;
};
double foveate_reference_sigma(const struct fovea_foveation *foveation, uint32_t width_px,
                               uint32_t height_px, struct foveate_reference_places places);

/* ---- As an operator -------------------------------------------------------------------------- */

/* The state that foveate keeps of settings, and its answers about them. */
extern const struct operator_settings_api foveate_settings;
extern const struct operator_maps_api foveate_maps;

#ifdef __cplusplus
}
#endif
