/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gaze without an eye: plays the saccade model from the first time it is asked for. */
#include "gaze_saccade_model.h"
#include "plugin/gaze/gaze_random.h"
#include "plugin/gaze/gaze_source.h"

#include <stdio.h>

#define PERIOD_NS (600 * GAZE_NS_PER_S) /* bounds what a jump in time costs */

/* Pictures of so many shapes may be read by turns; one more costs a run from the start at every
 * turn. */
#define SHAPES_MAX 4

struct shape {
    struct gaze_saccade_model model;
    double aspect; /* that the model was made for; 0: none yet */
    uint64_t last_read;
};

struct saccades {
    struct fovea_gaze_source base;
    struct shape shapes[SHAPES_MAX];
    uint64_t read_count;
    int64_t start_ns;
};

static void make_model(const struct saccades *saccades, struct shape *shape, double aspect)
{
    const struct fovea_gaze_settings *settings = &saccades->base.settings;
    const struct gaze_saccade_desc desc = {
        .seed = settings->saccades_seed,
        .fixation_ms = settings->saccades_fixation_ms,
        .amplitude_deg = settings->saccades_amplitude_deg,
        .width_deg = settings->saccades_width_deg,
        .height_deg = gaze_height_deg(settings->saccades_width_deg, aspect),
        .blinks_per_minute = settings->saccades_blinks_per_minute,
        .period_ns = PERIOD_NS,
    };
    gaze_saccade_model_init(&shape->model, &desc);
    shape->aspect = aspect;
}

static bool is_of(const struct shape *shape, double aspect)
{
    return !(aspect < shape->aspect || aspect > shape->aspect);
}

/* The one of that aspect, made where there is none in the place that was read longest ago. */
static struct shape *find_shape(struct saccades *saccades, double aspect)
{
    struct shape *found = &saccades->shapes[0];
    for (size_t i = 1; i < SHAPES_MAX && !is_of(found, aspect); i++) {
        struct shape *shape = &saccades->shapes[i];
        if (is_of(shape, aspect) || shape->last_read < found->last_read) {
            found = shape;
        }
    }
    if (!is_of(found, aspect)) {
        make_model(saccades, found, aspect);
    }
    found->last_read = ++saccades->read_count;
    return found;
}

static uint64_t samples_until(int64_t elapsed_ns)
{
    return elapsed_ns < 0 ? 0 : (uint64_t)(elapsed_ns / GAZE_SACCADE_STEP_NS) + 1;
}

static void saccades_observe(struct fovea_gaze_source *source, int64_t t_ns, double aspect,
                             struct gaze_observation *out)
{
    struct saccades *saccades = (struct saccades *)source;
    if (saccades->read_count == 0) {
        saccades->start_ns = t_ns;
    }
    struct shape *shape = find_shape(saccades, aspect);
    const int64_t since_start_ns = gaze_time_sub(t_ns, saccades->start_ns);
    const int64_t elapsed_ns = since_start_ns > 0 ? since_start_ns : 0;
    const struct gaze_saccade_sample sample = gaze_saccade_model_at(&shape->model, elapsed_ns);
    out->any = true;
    out->x = sample.point.x_uv;
    out->y = sample.point.y_uv;
    out->valid_t_ns = gaze_time_add(saccades->start_ns, sample.t_ns);
    out->missing = sample.closed;
    out->missing_since_ns = gaze_time_add(saccades->start_ns, sample.closed_since_ns);
    out->sample_count = samples_until(elapsed_ns);
    out->rate_hz = (double)(out->sample_count - samples_until(elapsed_ns - GAZE_NS_PER_S));
}

static void saccades_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    (void)settings;
    snprintf(out, bytes, "saccades, made up");
}

const struct gaze_source_api gaze_saccades = {
    .name = "saccades",
    .bytes = sizeof(struct saccades),
    .describe = saccades_describe,
    .in_uv = true,
    .observe = saccades_observe,
};
