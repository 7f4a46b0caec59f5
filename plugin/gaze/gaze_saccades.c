/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gaze without an eye: plays the saccade model from the first time it is asked for. */
#include "gaze_saccade_model.h"
#include "gaze_source.h"

#define PERIOD_NS (600 * GAZE_NS_PER_S) /* bounds what a jump in time costs */

struct saccades {
    struct fovea_gaze_source base;
    struct gaze_saccade_model model;
    double aspect; /* that the model was made for; 0: none yet */
    int64_t start_ns;
};

static void make_model(struct saccades *saccades, double aspect)
{
    const struct fovea_gaze_settings *settings = &saccades->base.settings;
    const struct gaze_saccade_desc desc = {
        .seed = settings->saccades_seed,
        .fixation_ms = settings->saccades_fixation_ms,
        .amplitude_deg = settings->saccades_amplitude_deg,
        .width_deg = settings->saccades_width_deg,
        .height_deg = settings->saccades_width_deg * aspect,
        .blinks_per_minute = settings->saccades_blinks_per_minute,
        .period_ns = PERIOD_NS,
    };
    gaze_saccade_model_init(&saccades->model, &desc);
    saccades->aspect = aspect;
}

static uint64_t samples_until(int64_t elapsed_ns)
{
    return elapsed_ns < 0 ? 0 : (uint64_t)(elapsed_ns / GAZE_SACCADE_STEP_NS) + 1;
}

static void saccades_observe(struct fovea_gaze_source *source, int64_t t_ns, double aspect,
                             struct gaze_observation *out)
{
    struct saccades *saccades = (struct saccades *)source;
    if (saccades->aspect <= 0.0) {
        saccades->start_ns = t_ns;
    }
    if (aspect < saccades->aspect || aspect > saccades->aspect) {
        make_model(saccades, aspect);
    }
    const int64_t since_start_ns = gaze_time_sub(t_ns, saccades->start_ns);
    const int64_t elapsed_ns = since_start_ns > 0 ? since_start_ns : 0;
    const struct gaze_saccade_sample sample = gaze_saccade_model_at(&saccades->model, elapsed_ns);
    out->any = true;
    out->x = sample.point.x_uv;
    out->y = sample.point.y_uv;
    out->valid_t_ns = gaze_time_add(saccades->start_ns, sample.t_ns);
    out->missing = sample.closed;
    out->missing_since_ns = gaze_time_add(saccades->start_ns, sample.closed_since_ns);
    out->sample_count = samples_until(elapsed_ns);
    out->rate_hz = (double)(out->sample_count - samples_until(elapsed_ns - GAZE_NS_PER_S));
}

const struct gaze_source_api gaze_saccades = {
    .name = "saccades",
    .bytes = sizeof(struct saccades),
    .in_uv = true,
    .observe = saccades_observe,
};
