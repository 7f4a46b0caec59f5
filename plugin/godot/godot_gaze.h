/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Finds the gaze of a frame: it comes from a source of Fovea's, or from scripts. Either feeds the
 * source that programs push to, so that lost gazes are held and come back in the same way. */
#pragma once

#include "godot_effect.h"

/* The gaze now, and that of a view: 0 is the left eye's or the only one. */
struct fovea_gaze godot_gaze_read(struct engine_feed *feed, const struct godot_choices *choices,
                                  struct godot_vector2i size);
struct fovea_point_uv godot_gaze_of_view(const struct engine_settings *settings,
                                         const struct fovea_gaze *now,
                                         const struct godot_choices *choices, uint32_t view,
                                         uint32_t view_count);
/* Tells scripts when the gaze was lost or found since it was called last; nobody where the object
 * has ended. */
void godot_gaze_tell(bool *was_lost, const struct fovea_gaze *now, uint64_t object_id);
