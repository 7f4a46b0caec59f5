/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A TCP connection, for the thread of a source. */
#pragma once

#include "gaze_host.h"

/* Tries one address of the host after the other, each for up to so many milliseconds, or until the
 * thread shall end. -> a socket that does not block, and the address that answers; -1: *out_why
 * says why there is none. */
int gaze_connect(struct gaze_feed *feed, const char *host, uint16_t port, int ms,
                 struct gaze_address *out_address, const char **out_why);
