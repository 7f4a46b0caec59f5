/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A frame of a viewport that has a FoveaEffect, on the render thread. */
#pragma once

#include "godot_effect.h"

/* `data` is a RenderData, there for the call. What cannot be done leaves the picture as the engine
 * drew it, and is said once for each change of state. */
void godot_frame_render(struct godot_effect *effect, struct godot_object *data);
/* It was called in another place of the frame. */
void godot_frame_misplaced(struct godot_effect *effect);
