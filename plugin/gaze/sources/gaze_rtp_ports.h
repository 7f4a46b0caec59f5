/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Two UDP ports side by side, of RTP and RTCP, on which a server's packets arrive. Nothing here
 * waits or allocates. */
#pragma once

#include "gaze_address.h"

#include <sys/types.h>

enum { GAZE_RTP, GAZE_RTCP };

struct gaze_rtp_ports {
    int fds[2]; /* GAZE_RTP, GAZE_RTCP; -1: not open */
};

/* Sets neither open. */
void gaze_rtp_ports_init(struct gaze_rtp_ports *ports);
/* Opens both where this machine speaks to the server on that connection: an even port, and the one
 * after it, as RFC 3550 wants them. False: errno says why not, and neither is open. */
bool gaze_rtp_ports_open(struct gaze_rtp_ports *ports, int connection, uint16_t *out_port);
/* Accepts what is not open. */
void gaze_rtp_ports_close(struct gaze_rtp_ports *ports);

/* The next packet of the server's on one of them, passing over those of other machines. -> its
 * bytes, or -1: there is none. `left` is how many more datagrams may be looked at. */
ssize_t gaze_rtp_ports_take(const struct gaze_rtp_ports *ports, int which,
                            const struct gaze_address *server, int *left, uint8_t *out,
                            size_t bytes);

/* Says that this side listens: an empty receiver report and a name, which a server may want to hear
 * from time to time, and which opens the way through firewalls that follow connections. */
void gaze_rtp_ports_report(const struct gaze_rtp_ports *ports, const struct gaze_address *server,
                           const uint16_t server_ports[2]);
