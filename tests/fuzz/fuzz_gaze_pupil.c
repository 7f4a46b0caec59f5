/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a message of Pupil Capture: what is handed over is usable. */
#include "plugin/gaze/sources/gaze_pupil_message.h"
#include "require.h"

#include <math.h>

static void check(void *user, const struct gaze_pupil_datum *datum)
{
    REQUIRE(isfinite(datum->x) && isfinite(datum->y) && isfinite(datum->time_s));
    REQUIRE(datum->confidence >= 0.0 && datum->confidence <= 1.0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gaze_pupil_eyes eyes;
    (void)gaze_pupil_parse(data, size, check, NULL);
    if (!gaze_pupil_parse_eyes(data, size, &eyes)) {
        const double diopters = gaze_vergence_diopters(eyes.eyes, 0);
        REQUIRE(isnan(diopters) || fabs(diopters) <= GAZE_VERGENCE_MOST_DIOPTERS);
    }
    return 0;
}
