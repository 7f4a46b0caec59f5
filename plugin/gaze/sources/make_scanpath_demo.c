/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Writes config/scanpath_demo.csv: five seconds of a model eye that looks around a 1280 x 720 scene
 * 60 degrees wide, as a tracker of 100 Hz would have recorded it. */
#include "gaze_saccade_model.h"

#include <stdio.h>

#define PERIOD_MS 5000
#define SAMPLE_MS 10

static double confidence_of(const struct gaze_saccade_sample *sample, int t_ms)
{
    if (sample->closed) {
        return 0.05;
    }
    return 0.95 + 0.01 * (t_ms / SAMPLE_MS * 7 % 5);
}

static int write_row(struct gaze_saccade_model *model, int t_ms)
{
    const struct gaze_saccade_sample sample = gaze_saccade_model_at(model, t_ms * INT64_C(1000000));
    return printf("%d.%03d,%.4f,%.4f,%.2f\n", t_ms / 1000, t_ms % 1000, sample.point.x_uv,
                  sample.point.y_uv, confidence_of(&sample, t_ms));
}

int main(void)
{
    const struct gaze_saccade_desc desc = {
        .seed = 5,
        .fixation_ms = 320,
        .amplitude_deg = 9,
        .width_deg = 60,
        .height_deg = 60.0 * 720 / 1280,
        .blinks_per_minute = 15,
        .period_ns = PERIOD_MS * INT64_C(1000000),
    };
    struct gaze_saccade_model model;
    gaze_saccade_model_init(&model, &desc);
    int written = printf(
        "# Five seconds of gaze at 100 Hz: fixations, saccades and one blink. Made by\n"
        "# plugin/gaze/sources/make_scanpath_demo.c; ends where it starts, so that it loops.\n"
        "t,x,y,confidence\n");
    for (int t_ms = 0; written > 0 && t_ms < PERIOD_MS; t_ms += SAMPLE_MS) {
        written = write_row(&model, t_ms);
    }
    return written > 0 && fflush(stdout) == 0 ? 0 : 1;
}
