/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_filter.h"

#include "gaze_coords.h"

#include <math.h>

bool gaze_filter_is_wanted(const struct fovea_gaze_settings *settings)
{
    return settings->filter_smooth != FOVEA_GAZE_SMOOTH_NONE || settings->filter_velocity_deg_s > 0;
}

static int64_t ms_to_ns(double ms)
{
    return llround(ms * (double)GAZE_NS_PER_MS);
}

static void forget_smoothing(struct gaze_filter *filter)
{
    filter->smooth_count = 0;
    filter->one_euro[0].begun = false;
    filter->one_euro[1].begun = false;
}

void gaze_filter_restart(struct gaze_filter *filter)
{
    filter->past.count = 0;
    filter->leap.begun = false;
    forget_smoothing(filter);
}

static bool is_told(const struct fovea_gaze_settings *settings)
{
    return settings->filter_velocity_deg_s > 0;
}

static enum gaze_movement movement_of(const struct gaze_filter *filter,
                                      const struct fovea_gaze_settings *settings)
{
    if (!is_told(settings)) {
        return GAZE_NOT_TOLD;
    }
    return gaze_past_at(&filter->past, 0)->deg_s > settings->filter_velocity_deg_s ? GAZE_SACCADE
                                                                                   : GAZE_FIXATION;
}

/* ---- Smoothing ---- */

/* A median needs no degrees: without them places stay in the source's own units. */
static bool is_in_deg(const struct fovea_gaze_settings *settings)
{
    return settings->screen_deg[0] > 0 && settings->screen_deg[1] > 0 &&
           (settings->space != FOVEA_GAZE_SPACE_PIXELS ||
            (settings->screen_px[0] > 0 && settings->screen_px[1] > 0));
}

static struct gaze_look look_of(const struct fovea_gaze_settings *settings,
                                const struct fovea_gaze_sample *sample)
{
    struct gaze_look look = {.t_ns = sample->t_ns, .deg = {sample->x, sample->y}};
    for (int axis = 0; axis < 2 && is_in_deg(settings); axis++) {
        look.deg[axis] = gaze_coords_to_deg(settings, axis, look.deg[axis]);
    }
    return look;
}

static void make(struct gaze_filter *filter, const struct fovea_gaze_settings *settings,
                 const double deg[2])
{
    const bool from_deg = is_in_deg(settings);
    filter->x = from_deg ? gaze_coords_from_deg(settings, 0, deg[0]) : deg[0];
    filter->y = from_deg ? gaze_coords_from_deg(settings, 1, deg[1]) : deg[1];
}

static double smoothed_deg(struct gaze_filter *filter, const struct fovea_gaze_settings *settings,
                           int axis, double step_s)
{
    if (settings->filter_smooth == FOVEA_GAZE_SMOOTH_MEDIAN) {
        return gaze_median(&filter->past, axis, ms_to_ns(settings->filter_median_ms),
                           filter->smooth_count);
    }
    const struct gaze_one_euro_desc desc = {
        .min_cutoff_hz = settings->filter_min_cutoff_hz,
        .beta = settings->filter_beta_per_deg,
        .derivative_cutoff_hz = settings->filter_derivative_cutoff_hz,
    };
    return gaze_one_euro_pass(&filter->one_euro[axis], &desc,
                              gaze_past_at(&filter->past, 0)->deg[axis], step_s);
}

static void smooth(struct gaze_filter *filter, const struct fovea_gaze_settings *settings,
                   double step_s)
{
    double deg[2];
    filter->smooth_count++;
    for (int axis = 0; axis < 2; axis++) {
        deg[axis] = smoothed_deg(filter, settings, axis, step_s);
    }
    /* The first of many is what it was, to the bit. */
    if (filter->smooth_count > 1) {
        make(filter, settings, deg);
    }
}

/* ---- Ahead of a leap ---- */

static void predict(struct gaze_filter *filter, const struct fovea_gaze_settings *settings)
{
    double deg[2];
    if (settings->filter_predict == FOVEA_GAZE_PREDICT_TAYLOR) {
        gaze_predict_taylor(&filter->past, ms_to_ns(settings->filter_predict_ms), deg);
    } else if (!gaze_predict_landing(&filter->leap, &filter->past,
                                     ms_to_ns(settings->filter_velocity_ms), deg)) {
        return;
    }
    make(filter, settings, deg);
}

/* ---- A sample ---- */

static void take_in(struct gaze_filter *filter, const struct fovea_gaze_settings *settings,
                    const struct fovea_gaze_sample *sample, double step_s)
{
    const struct gaze_look look = look_of(settings, sample);
    gaze_past_add(&filter->past, &look);
    const int64_t window_ns = ms_to_ns(settings->filter_velocity_ms);
    if (is_told(settings)) {
        gaze_past_set_velocity(&filter->past, gaze_velocity_deg_s(&filter->past, window_ns));
    }
    filter->movement = movement_of(filter, settings);
    const bool leaps = filter->movement == GAZE_SACCADE;
    filter->x = sample->x;
    filter->y = sample->y;
    filter->leap.begun = filter->leap.begun && leaps;
    if (leaps && settings->filter_jump) {
        forget_smoothing(filter);
    } else if (settings->filter_smooth != FOVEA_GAZE_SMOOTH_NONE) {
        smooth(filter, settings, step_s);
    }
    if (leaps && settings->filter_predict != FOVEA_GAZE_PREDICT_NONE) {
        predict(filter, settings);
    }
}

enum gaze_movement gaze_filter_pass(struct gaze_filter *filter,
                                    const struct fovea_gaze_settings *settings,
                                    struct fovea_gaze_sample *sample)
{
    const int64_t before_ns = filter->past.count > 0 ? gaze_past_at(&filter->past, 0)->t_ns : 0;
    const int64_t step_ns = gaze_time_sub(sample->t_ns, before_ns);
    if (step_ns > GAZE_SILENCE_NS) {
        gaze_filter_restart(filter);
    }
    if (filter->past.count == 0 || step_ns > 0) {
        take_in(filter, settings, sample, (double)step_ns * 1e-9);
    }
    sample->x = filter->x;
    sample->y = filter->y;
    return filter->movement;
}
