/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A TCP connection, for the thread of a source. */
#ifndef FOVEA_GAZE_CONNECT_H
#define FOVEA_GAZE_CONNECT_H

#include "gaze_address.h"
#include "plugin/gaze/gaze_feed.h"

/* Waits up to so many milliseconds, or until the thread shall end. -> a socket that does not block;
 * -1: errno says why there is none. */
int gaze_connect(struct gaze_feed *feed, const struct gaze_address *address, int ms);

#endif
