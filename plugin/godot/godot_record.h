/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An operator's passes as the engine's compute lists. The engine orders lists by what they read and
 * write, and lets a texture or buffer have one use in a list: where a pass uses one in another way
 * than those before it, a new list begins. */
#pragma once

#include "godot_render.h"

/* A view's. The plan, and all pipelines, are made by it where they are not there yet. */
struct godot_view {
    struct godot_target *target;
    struct godot_plan *plan;
    struct operator_frame frame;
    struct operator_marks marks;
    bool marked;
    struct godot_rid colour; /* of the engine's: read, then written */
    struct godot_rid depth; /* of the engine's; {0}: no operator needs it */
    struct godot_rid focus;
    bool shown; /* to a gaze source that looks at pictures */
    struct operator_depths depths; /* which the frame refers to */
};

/* Records everything or, on failure, nothing. */
FOVEA_MUST_CHECK enum fovea_result godot_record_view(struct godot_render *render,
                                                     const struct godot_view *view);
