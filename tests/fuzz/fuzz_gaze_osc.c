/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a packet of OSC: what is known of the eyes is usable. */
#include "plugin/gaze/sources/gaze_osc_packet.h"
#include "require.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gaze_osc_eyes eyes;
    struct fovea_gaze_sample sample;
    gaze_osc_eyes_init(&eyes);
    (void)gaze_osc_parse(data, size, &eyes);
    if (gaze_osc_sample(&eyes, FOVEA_GAZE_EYE_BOTH, &sample)) {
        REQUIRE(isfinite(sample.x) && isfinite(sample.y));
        REQUIRE(sample.confidence >= 0.0 && sample.confidence <= 1.0);
    }
    return 0;
}
