/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures of one size through cases, gazes and backends, on all cores; and what came out. A case's
 * exact picture is made once for all backends. */
#pragma once

#include "backends.h"
#include "cases.h"
#include "metrics.h"
#include "pictures.h"

#define BACKENDS_MAX 3
#define STEPS_MAX 2
#define CASES_MAX 16

#define MOVING_CASES 5

/* Landscapes, which are most like photographs, and all pictures. */
#define PAPER_SETS 2

/* A gaze that moves on by a step does this to the picture, beyond noise of the source: none. */
struct steps {
    double largest_levels; /* of any pixel at any step */
    double mean_levels; /* of all pixels and steps */
    double worst_mean_levels; /* of the step that changes most */
};

struct measurement {
    struct backend *backends; /* the caller's */
    size_t backend_count;
    size_t cases[CASES_MAX]; /* of quality_cases, in its order */
    size_t case_count;
    struct sample *samples;
    size_t sample_count;
    size_t step_count; /* of a gaze that moves */
    uint32_t width_px, height_px; /* of the samples that were drawn */
    /* [((sample * case_count + place in cases) * GAZE_COUNT + gaze) * BACKENDS_MAX + backend] */
    struct score *scores;
    /* The paper's protocol: SSIM maps of blockwise beside the backend's own smooth method, summed
     * up, of the drawn samples at the paper's size. */
    struct quality_size paper_size;
    struct ssim_map paper_sum[PAPER_SETS][BACKENDS_MAX];
    size_t paper_count[PAPER_SETS];
    /* [(method * STEPS_MAX + step) * BACKENDS_MAX + backend] */
    struct steps steps[MOVING_CASES * STEPS_MAX * BACKENDS_MAX];
};

extern const double measure_step_px[STEPS_MAX];
extern const size_t measure_step_cases[MOVING_CASES]; /* of quality_cases */

bool measure_has(const struct measurement *m, size_t quality_case);
/* `place` counts m->cases. */
const struct score *measure_score(const struct measurement *m, size_t sample, size_t place,
                                  size_t gaze, size_t backend);
struct steps *measure_steps(struct measurement *m, size_t method, size_t step, size_t backend);

void measure_all(struct measurement *m);
void measure_moving_gaze(struct measurement *m);
void measure_paper(struct measurement *m);
