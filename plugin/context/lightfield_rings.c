/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Rings around a gaze, from what the settings blur. */

#include "context_sigma.h"
#include "lightfield_check.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "kernels/lightfield/lightfield.h"

#include <math.h>

#define FULL_PARTS 1.0 /* of the root of the variance that is missing, which sigma has at least */
#define NEXT_PARTS 1.5
#define GAZES 5 /* the corners, and the middle: angles are smallest in the corners */

struct look {
    const struct fovea_settings *settings;
    struct fovea_lightfield_geometry geometry;
    struct fovea_lightfield_refocusing refocusing;
    uint32_t width_px, height_px;
};

/* Returns the variance of the places at which so many lenses to each side show a thing, in lenses
 * squared. */
static double variance(const struct look *look, double patch_px, uint32_t range)
{
    const double pitch_px = look->geometry.pitch_x_px;
    const double sigma_px = look->refocusing.sigma_px > 0.0 ? look->refocusing.sigma_px
                                                            : pitch_px / LIGHTFIELD_SIGMA_PARTS;
    double squares = 0.0;
    double weights = 1.0;
    for (uint32_t n = 1; n <= range && lightfield_in_range(n, patch_px, pitch_px); n++) {
        const double apart = n * patch_px / sigma_px;
        const double weight = 2.0 * exp(-0.5 * apart * apart);
        weights += weight;
        squares += weight * n * n;
    }
    return squares / weights;
}

/* The root of what fewer lenses take from the variance, in pixels of the picture. */
static double missing_px(const struct look *look, uint32_t fewer)
{
    const struct fovea_lightfield_refocusing *of = &look->refocusing;
    const double ends[] = {of->first_px, of->last_px};
    const double per_lens_px = fmax((double)look->width_px / look->geometry.columns,
                                    (double)look->height_px / look->geometry.rows);
    double most = 0.0;
    for (int i = 0; i < 2; i++) {
        const double apart_px = per_lens_px * fabs(1.0 - ends[i] / ends[1 - i]);
        const uint32_t least = fewer < of->range ? fewer : of->range;
        const double missing = variance(look, ends[i], of->range) - variance(look, ends[i], least);
        most = fmax(most, apart_px * sqrt(fmax(missing, 0.0)));
    }
    return most;
}

static enum fovea_result find_rings(const struct look *look, struct fovea_lightfield_foveation *own)
{
    static const struct fovea_point_uv gazes[GAZES] = {
        {0.5, 0.5}, {0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}};
    const double sigmas_px[OPERATOR_SHARP_SIGMAS] = {FULL_PARTS * missing_px(look, 1),
                                                     NEXT_PARTS * missing_px(look, 0)};
    /* A lens counts by its own place: pixels of it may lie as much farther away. */
    const double per_lens_px = 0.5 * hypot((double)look->width_px / look->geometry.columns,
                                           (double)look->height_px / look->geometry.rows);
    own->full_px = own->next_px = 0.0;
    for (int i = 0; i < GAZES; i++) {
        double reaches_px[OPERATOR_SHARP_SIGMAS];
        FOVEA_TRY(context_sharp_px(look->settings, look->width_px, look->height_px, gazes[i],
                                   sigmas_px, reaches_px));
        own->full_px = fmax(own->full_px, reaches_px[0]);
        own->next_px = fmax(own->next_px, reaches_px[1]);
    }
    own->full_px += per_lens_px;
    own->next_px = fmax(own->next_px + per_lens_px, own->full_px);
    return FOVEA_OK;
}

enum fovea_result fovea_lightfield_rings(const struct fovea_settings *settings,
                                         const struct fovea_lightfield_geometry *geometry,
                                         const struct fovea_lightfield_refocusing *refocusing,
                                         uint32_t width_px, uint32_t height_px,
                                         struct fovea_lightfield_foveation *foveation)
{
    struct look look = {.settings = settings, .width_px = width_px, .height_px = height_px};
    struct fovea_lightfield_foveation own;
    char problem[LIGHTFIELD_PROBLEM_BYTES];
    if (!settings || !geometry || !refocusing || !foveation || width_px < 1 || height_px < 1 ||
        width_px > LIGHTFIELD_RAW_MOST_PX || height_px > LIGHTFIELD_RAW_MOST_PX ||
        !struct_take(&look.geometry, sizeof look.geometry, geometry) ||
        !struct_take(&look.refocusing, sizeof look.refocusing, refocusing) ||
        !struct_take(&own, sizeof own, foveation) ||
        !lightfield_geometry_check(&look.geometry, problem) ||
        lightfield_refusal_of_refocusing(&look.refocusing, &look.geometry)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const enum fovea_result result = find_rings(&look, &own);
    return result < 0 || struct_give(foveation, &own, sizeof own) ? result
                                                                  : FOVEA_ERROR_INVALID_ARGUMENT;
}
