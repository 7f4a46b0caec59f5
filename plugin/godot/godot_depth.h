/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engine's depths of a view, for operators that need them, and what has been in focus there. */
#pragma once

#include "godot_record.h"

/* Takes those of the view `index`, once a frame. The scene may be NULL. FOVEA_PASSED_THROUGH: there
 * are no depths that a shader may read; said once. */
FOVEA_MUST_CHECK enum fovea_result godot_depth_take(struct godot_render *render,
                                                    struct godot_object *buffers,
                                                    struct godot_object *scene, int64_t index,
                                                    struct godot_view *view);
