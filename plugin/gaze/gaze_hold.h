/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze while samples are missing: the last valid one holds for hold_ms, counted from the sample
 * itself, then the gaze goes to the fallback within return_ms. It is a function of time alone, so
 * that asking twice gives the same answer. */
#pragma once

#include "gaze_source.h"

/* last is where seen->x and seen->y are; it is not read when seen->any is false. */
struct fovea_gaze gaze_hold_apply(const struct fovea_gaze_settings *settings,
                                  const struct gaze_observation *seen, struct fovea_point_uv last,
                                  int64_t t_ns);
