/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A deterministic eye: fixations with drift, saccades along the main sequence, blinks. Everything
 * follows from the seed; after period_ns the eye is back where it started, and starts again. */
#pragma once

#include "config/settings.h"

#define GAZE_SACCADE_STEP_NS INT64_C(2000000) /* 500 samples a second */

struct gaze_saccade_desc {
    uint64_t seed;
    double fixation_ms; /* median */
    double amplitude_deg; /* median */
    double width_deg; /* visual angles of the picture, which is flat; below 180 */
    double height_deg;
    double blinks_per_minute; /* 0: none */
    int64_t period_ns; /* a multiple of GAZE_SACCADE_STEP_NS, at least a second */
};

/* A fixation and the saccade after it. Positions in degrees from the top left corner. */
struct gaze_saccade_cycle {
    int64_t start_ns;
    int64_t fixation_ns;
    int64_t saccade_ns;
    double from_deg[2]; /* where the fixation begins */
    double to_deg[2]; /* where the saccade ends */
    double drift_hz;
    double drift_phase[2];
};

struct gaze_saccade_blink {
    int64_t start_ns;
    int64_t end_ns;
};

struct gaze_saccade_model {
    struct gaze_saccade_desc desc;
    uint64_t motion_random;
    uint64_t blink_random;
    int64_t now_ns;
    uint64_t cycle_count; /* that were made; what reading costs */
    struct gaze_saccade_cycle cycle;
    struct gaze_saccade_blink blink; /* the present or the next one */
};

/* The newest sample with an open eye. */
struct gaze_saccade_sample {
    struct fovea_point_uv point; /* within 0..1 */
    int64_t t_ns;
    bool closed; /* now; t_ns is then the last sample before */
    int64_t closed_since_ns;
};

void gaze_saccade_model_init(struct gaze_saccade_model *model,
                             const struct gaze_saccade_desc *desc);

/* t_ns is not negative. The same t_ns gives the same sample in any order; going back costs a run
 * from the start, well below a millisecond. */
struct gaze_saccade_sample gaze_saccade_model_at(struct gaze_saccade_model *model, int64_t t_ns);
