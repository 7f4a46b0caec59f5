/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gaze of a source that looks at pictures: the path through what its watch has found. For the
 * source saliency, and for any other one whose fallback it is. */
#pragma once

#include "gaze_watch.h"

struct gaze_wander;

FOVEA_MUST_CHECK enum fovea_result gaze_wander_create(const struct fovea_gaze_settings *settings,
                                                      struct fovea_log log,
                                                      struct gaze_wander **out_wander);
void gaze_wander_destroy(struct gaze_wander **wander);

struct gaze_watch *gaze_wander_watch(struct gaze_wander *wander);

/* Says where it is at t_ns. Threads that ask at the same time wait for nobody: all but one of them
 * get the answer before. */
struct fovea_point_uv gaze_wander_at(struct gaze_wander *wander, double aspect, int64_t t_ns);
/* The same while a measured gaze is lost: it sets out from the last one. */
struct fovea_point_uv gaze_wander_lost(struct gaze_wander *wander, struct fovea_point_uv last,
                                       double aspect, int64_t t_ns);
/* A measured gaze is there. */
void gaze_wander_found(struct gaze_wander *wander);
