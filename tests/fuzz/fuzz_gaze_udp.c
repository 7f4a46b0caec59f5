/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a datagram: what is understood is usable. */
#include "plugin/gaze/sources/gaze_udp_message.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gaze_udp_message message;
    if (gaze_udp_message_parse((const char *)data, size, &message)) {
        return 0;
    }
    const struct fovea_gaze_sample *sample = &message.sample;
    const bool placed = sample->blink || (isfinite(sample->x) && isfinite(sample->y));
    const bool sure = sample->confidence >= 0.0 && sample->confidence <= 1.0;
    if (!placed || !sure || (message.has_time && !isfinite(message.t_s))) {
        abort();
    }
    return 0;
}
