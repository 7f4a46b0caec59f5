/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One datagram of the udp source. As JSON it is
 * {"x": 0.5, "y": 0.5, "t": 12.25, "confidence": 0.9, "blink": false}. */
#pragma once

#include "config/settings.h"

#define GAZE_UDP_MESSAGE_BYTES 1024

struct gaze_udp_message {
    struct fovea_gaze_sample sample; /* t_ns is 0: the sender's clock is not ours */
    bool has_time;
    double t_s; /* on the sender's clock */
};

/* NULL: understood. Else why not, and *out is not to be used. */
const char *gaze_udp_message_parse(enum fovea_udp_format format, const void *bytes, size_t count,
                                   struct gaze_udp_message *out);
