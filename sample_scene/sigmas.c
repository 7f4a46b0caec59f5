/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "sigmas.h"

#include "renderer.h"
#include "values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES_OF_RADIAN 57.29577951308232

bool sigmas_have(const struct fovea_settings *settings, const char *name)
{
    return strstr(value_words(settings, "operators").text, name) != NULL;
}

static size_t at_gaze(const struct sigmas_view *view, size_t pitch)
{
    const double last_x = (double)view->width_px - 1.0;
    const double last_y = (double)view->height_px - 1.0;
    const double x = fmin(fmax(view->gaze.point.x_uv * view->width_px, 0.0), last_x);
    const double y = fmin(fmax(view->gaze.point.y_uv * view->height_px, 0.0), last_y);
    return (size_t)y * pitch + (size_t)x;
}

float sigmas_at_gaze(const struct sigmas_view *view, const float *sigmas)
{
    return sigmas[at_gaze(view, view->width_px)];
}

double sigmas_focus_m(const struct sigmas_view *view)
{
    const bool is_fixed = value_is(view->settings, "dof.focus", "fixed");
    if (is_fixed || !view->gaze.usable || !view->depth) {
        return value_number(view->settings, "dof.focus_m");
    }
    return (double)NEAR_M / (double)view->depth[at_gaze(view, view->depth_pitch)];
}

static double px_per_radian(const struct sigmas_view *view)
{
    const struct fovea_settings *s = view->settings;
    const double tangents = value_number(s, "foveation.geometry.tan_left") +
                            value_number(s, "foveation.geometry.tan_right");
    const double ppd = value_number(s, "foveation.geometry.ppd");
    return tangents > 0.0 ? view->width_px / tangents
           : ppd > 0.0    ? ppd * DEGREES_OF_RADIAN
                          : view->width_px * value_number(s, "foveation.geometry.distance_m") /
                             value_number(s, "foveation.geometry.screen_width_m");
}

/* A quarter of the circle of confusion for each diopter beside the focus (docs/dof.md). A lens
 * focuses no nearer than at twice its focal length. */
static double sigma_per_diopter(const struct sigmas_view *view, double *focus_diopters)
{
    const struct fovea_settings *s = view->settings;
    if (value_is(s, "dof.lens", "eye")) {
        return 0.25e-3 * value_number(s, "dof.pupil_mm") * px_per_radian(view);
    }
    const double focal_m = 1e-3 * value_number(s, "dof.focal_mm");
    const double px_per_m = view->width_px / (1e-3 * value_number(s, "dof.sensor_mm"));
    *focus_diopters = fmin(*focus_diopters, 0.5 / focal_m);
    const double image_m = focal_m / (1.0 - focal_m * *focus_diopters);
    return 0.25 * focal_m / value_number(s, "dof.f_number") * image_m * px_per_m;
}

static void add_dof(const struct sigmas_view *view, float *squares)
{
    double focus_diopters = 1.0 / sigmas_focus_m(view);
    const double each = sigma_per_diopter(view, &focus_diopters);
    const double most = value_number(view->settings, "dof.sigma_max_px");
    for (size_t i = 0; view->depth && i < (size_t)view->width_px * view->height_px; i++) {
        const size_t at = i / view->width_px * view->depth_pitch + i % view->width_px;
        const double diopters = (double)view->depth[at] / (double)NEAR_M;
        const double sigma = fmin(each * fabs(diopters - focus_diopters), most);
        squares[i] += (float)(sigma * sigma);
    }
}

/* A disc's sigma is half of its radius, an eye's point spread's 0.174 of it. */
static void add_blur(const struct sigmas_view *view, float *squares)
{
    const bool is_eye =
        value_is(view->settings, "blur.shape", "eye") && !value_names(view->settings, "blur.file");
    const double part = is_eye ? 0.174 : 0.5;
    const double radius = value_is(view->settings, "blur.engine", "fft")
                              ? value_number(view->settings, "blur.radius_px")
                              : 0.0;
    const double sigma =
        radius > 0.0 ? part * radius : value_number(view->settings, "blur.sigma_px");
    for (size_t i = 0; i < (size_t)view->width_px * view->height_px; i++) {
        squares[i] += (float)(sigma * sigma);
    }
}

static bool fill_foveate(const struct sigmas_view *view, float *squares)
{
    const size_t count = (size_t)view->width_px * view->height_px;
    memset(squares, 0, count * sizeof *squares);
    if (!sigmas_have(view->settings, "foveate")) {
        return true;
    }
    if (fovea_sigma_map(view->settings, view->width_px, view->height_px, view->gaze.point,
                        squares) != FOVEA_OK) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        squares[i] *= squares[i];
    }
    return true;
}

bool sigmas_fill(const struct sigmas_view *view, float *out)
{
    if (!fill_foveate(view, out)) {
        return false;
    }
    if (sigmas_have(view->settings, "blur")) {
        add_blur(view, out);
    }
    if (sigmas_have(view->settings, "dof")) {
        add_dof(view, out);
    }
    for (size_t i = 0; i < (size_t)view->width_px * view->height_px; i++) {
        out[i] = sqrtf(out[i]);
    }
    return true;
}
