/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Small pictures of what the engine has drawn, for a gaze source that looks at pictures. A frame's
 * lists make one in a buffer, the engine reads that back when the frame is over and calls with the
 * bytes. On the render thread alone. */
#pragma once

#include "godot_render.h"
#include "plugin/gaze/gaze_watch.h"

/* Comes before the first view of a frame: follows the source that is in force. */
void godot_show_follow(struct godot_render *render, struct engine_feed *feed);
/* Whether this frame makes a picture of a view of that size; then one of the other two follows. */
bool godot_show_choose(struct godot_render *render, uint32_t width_px, uint32_t height_px);
/* The pass that makes it, of the view's words in binding 0 to binding 3. */
void godot_show_pass(const struct godot_render *render, uint32_t width_px, uint32_t height_px,
                     struct operator_pass *out_pass);
struct godot_rid godot_show_buffer(const struct godot_render *render);
/* It is recorded: the engine is asked for it. */
void godot_show_fetch(struct godot_render *render);
/* It is not, after all. */
void godot_show_take_back(struct godot_render *render);

/* Writes the places that the followed source looks at beside its gaze; returns how many there
 * are. */
uint32_t godot_show_others(const struct godot_render *render,
                           struct fovea_point_uv out_places[GAZE_OTHERS]);

/* Ends what render has; what the engine still reads stays until it has called. */
void godot_show_finish(struct godot_render *render);
