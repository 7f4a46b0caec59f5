/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Finds the host that a tracker's program runs on: by a numeric address, or by a name, which the
 * system may look for for many seconds. A thread of its own asks, and a source that closes does not
 * wait for it. */
#pragma once

#include "gaze_address.h"
#include "plugin/gaze/gaze_feed.h"

/* Comes in init. FOVEA_ERROR_INVALID_ARGUMENT: what the setting says can be no machine. */
enum fovea_result gaze_host_check(const char *setting, const char *text, struct fovea_log log);

/* For the thread of a source, which waits until the answer is there or it shall end. NULL, and at
 * least one address; else why there is none. */
const char *gaze_host_find(struct gaze_feed *feed, const char *text, uint16_t port,
                           struct gaze_addresses *out);
