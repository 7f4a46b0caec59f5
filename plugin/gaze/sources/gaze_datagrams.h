/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Sources that take datagrams: a socket bound to gaze.udp.bind, by default of this machine only,
 * whose thread hands over what arrives. */
#pragma once

#include "plugin/gaze/gaze_feed.h"

#define GAZE_DATAGRAM_BYTES 2048

struct gaze_datagrams {
    struct gaze_feed feed;
    int socket;
    uint16_t port;
    bool has_heard; /* anything; of the thread */
    size_t limit_bytes; /* longer ones are rejected, at most GAZE_DATAGRAM_BYTES */
    void (*take)(struct gaze_datagrams *datagrams, const uint8_t *bytes, size_t count);
};

/* limit_bytes and take are set. */
enum fovea_result gaze_datagrams_init(struct gaze_datagrams *datagrams, uint16_t port);

/* They are members of struct gaze_source_api. */
void gaze_datagrams_finish(struct fovea_gaze_source *source);
uint16_t gaze_datagrams_port(const struct fovea_gaze_source *source);
