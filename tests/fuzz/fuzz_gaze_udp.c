/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a datagram of any format: what is understood is usable. */
#include "plugin/gaze/sources/gaze_udp_message.h"
#include "require.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int format = FOVEA_UDP_JSON; format <= FOVEA_UDP_OPENTRACK; format++) {
        struct gaze_udp_message message;
        if (!gaze_udp_message_parse((enum fovea_udp_format)format, data, size, &message)) {
            const struct fovea_gaze_sample *sample = &message.sample;
            REQUIRE(sample->blink || (isfinite(sample->x) && isfinite(sample->y)));
            REQUIRE(sample->confidence >= 0.0 && sample->confidence <= 1.0);
            REQUIRE(!message.has_time || isfinite(message.t_s));
        }
    }
    return 0;
}
