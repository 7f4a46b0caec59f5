/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Makes diopters (1 / metre) of values of a picture of depths, and sigmas of diopters, and finds
 * what is in focus. Any thread; nothing here allocates. Included by C and CUDA. */
#pragma once

#include "kernels/cuda/host_device.h"
#include "kernels/operator/focus.h"
#include "kernels/operator/operator.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Holds what the settings say at a size. */
struct dof_optics {
    bool is_eye;
    double aperture_m; /* of the lens, or the pupil */
    double focal_m; /* of the lens */
    double px_per_m; /* of the lens, on the sensor */
    double px_per_rad; /* of the eye, on the view axis */
    bool is_fixed; /* the focus */
    bool takes_vergence; /* where the depth under the gaze is unknown */
    bool has_discs; /* highlights are such */
    double focus_m; /* where it is fixed, or nothing else says it */
    double focus_time_s;
    double focus_hysteresis_diopters;
    double sigma_max_px;
};

struct dof_optics dof_optics_of(const struct fovea_settings *settings, uint32_t width_px);
bool dof_optics_same(const struct dof_optics *a, const struct dof_optics *b);

/* Returns sigma for a diopter of defocus. With a focus nearer than twice the lens's focal length it
 * is that of there. */
HOST_DEVICE double dof_optics_sigma_px(const struct dof_optics *optics, double focus_diopters)
{
    if (optics->is_eye) {
        return 0.25 * optics->aperture_m * optics->px_per_rad;
    }
    const double power = fmin(optics->focal_m * focus_diopters, 0.5);
    const double image_m = optics->focal_m / (1.0 - power); /* from the lens to the sensor */
    return 0.25 * optics->aperture_m * image_m * optics->px_per_m;
}

/* How diopters follow from values: start + value step, or 1 over that. */
struct dof_scale {
    bool is_distance;
    double start, step;
};
struct dof_scale dof_scale_of(const struct fovea_depth *depth);

/* Distances below 0.1 mm count as 0.1 mm: then float differences of diopters are good for sigma,
 * and what lies in the focus's own depth is in focus. dof.glsl has it, too. */
#define DOF_MOST_DIOPTERS 1e4

HOST_DEVICE double dof_diopters_at(double distance_m)
{
    return fmin(1.0 / distance_m, DOF_MOST_DIOPTERS);
}

/* NaN: unknown. */
HOST_DEVICE float dof_scale_diopters(const struct dof_scale *scale, float value)
{
    const double at = scale->start + (double)value * scale->step;
    const double diopters = scale->is_distance && at > 0.0 ? 1.0 / at : at;
    if (!(scale->is_distance ? at > 0.0 : at < (double)__builtin_inff())) {
        return __builtin_nanf("");
    }
    return diopters < 0.0 ? 0.0f : (float)fmin(diopters, DOF_MOST_DIOPTERS);
}

/* The value at a pixel of the first image's picture; dof_depth_row gives a row of them. */
float dof_depth_value(const struct fovea_depth *depth, int32_t x_px, int32_t y_px);
void dof_depth_row(const struct fovea_depth *depth, int32_t y_px, float *out);

HOST_DEVICE bool dof_knows_vergence(const struct dof_optics *optics,
                                    const struct fovea_depth *depth)
{
    return optics->takes_vergence && depth->vergence_m > 0.0;
}

/* Says whether a program or dof.focus names the distance in focus, whatever is seen. */
HOST_DEVICE bool dof_focus_is_given(const struct dof_optics *optics,
                                    const struct fovea_depth *depth)
{
    return depth->focus_m > 0.0 || optics->is_fixed;
}

HOST_DEVICE double dof_given_m(const struct dof_optics *optics, const struct fovea_depth *depth)
{
    return depth->focus_m > 0.0 ? depth->focus_m : optics->focus_m;
}

/* The focus of an image's frame: what is given, at once; or, after elapsed_s, on the way to
 * `seen_diopters`, the depth under the gaze. That is NaN where it is unknown or there is no gaze:
 * what the eyes' vergence says may stand in for it; else the focus stays where it was in the frame
 * before, and is at dof.focus_m where it was nowhere or the frame follows on none. */
HOST_DEVICE double dof_focus(const struct dof_optics *optics, const struct fovea_depth *depth,
                             float seen_diopters, struct operator_focus *focus)
{
    const bool is_given = dof_focus_is_given(optics, depth);
    double seen = (double)seen_diopters;
    if (is_given) {
        seen = dof_diopters_at(dof_given_m(optics, depth));
    } else if (isnan(seen_diopters) && dof_knows_vergence(optics, depth)) {
        seen = dof_diopters_at(depth->vergence_m);
    }
    const double elapsed_s = is_given ? 0.0 : depth->elapsed_s;
    const struct operator_follow how = {elapsed_s,
                                        operator_left_after(elapsed_s, optics->focus_time_s),
                                        optics->focus_hysteresis_diopters, 1.0 / optics->focus_m};
    return operator_focus_follow(&how, seen, focus);
}

#ifdef __cplusplus
}
#endif
