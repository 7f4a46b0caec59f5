/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The state of one effect on the render thread and on the engine's device. No other thread touches
 * it. */
#pragma once

#include "godot_effect.h"
#include "godot_gaze.h"
#include "plugin/godot/device/godot_plan.h"
#include "plugin/godot/device/godot_shaders.h"
#include "plugin/godot/device/godot_targets.h"

#define GODOT_SETS_MAX 512 /* of GODOT_TARGETS_MAX viewports */

/* A uniform set, and what it binds. */
struct godot_set {
    struct godot_rid rid;
    const struct godot_pipeline *pipeline; /* NULL: none */
    struct godot_rid bound[GODOT_SPIRV_BINDINGS];
    uint64_t last_used;
};

struct godot_show;

struct godot_render {
    struct godot_object *device; /* NULL until there is one */
    const struct engine_settings *settings; /* the effect's, in this frame */
    uint64_t serial; /* of those of the last frame */
    struct godot_choices choices;
    int64_t retry_ns; /* godot_render_ready tries nothing before */
    bool lost; /* the gaze, as scripts were told last */
    double vergence_m; /* of this frame's gaze, for dof.focus; 0: not known */
    struct godot_shaders shaders;
    struct godot_plans plans;
    struct godot_targets targets;
    struct godot_set sets[GODOT_SETS_MAX];
    uint64_t frame;
    /* Small ones that are bound where a shader declares what its frame does not have. */
    struct godot_rid no_storage;
    struct godot_rid no_text;
    struct godot_rid no_uniforms;
    struct godot_bytes constants; /* one for all push constants; the engine copies them */
    bool has_constants;
    struct godot_show *show; /* NULL: no source has looked at pictures */
    bool cannot_show;
    bool ready_for_frames; /* all of these are there */
    struct said said; /* of all viewports together */
};

struct godot_render *godot_render_create(void);
/* On the render thread, or where no frame has been. */
void godot_render_destroy(struct godot_render *render);

/* Finds the device and what every frame needs. */
FOVEA_MUST_CHECK enum fovea_result godot_render_ready(struct godot_render *render);

/* A set of those bindings; {0}: the engine does not take them. */
struct godot_rid godot_render_set(struct godot_render *render,
                                  const struct godot_pipeline *pipeline,
                                  const struct godot_rid bound[GODOT_SPIRV_BINDINGS]);

/* Why frames are shown as they were drawn. */
enum godot_trouble {
    GODOT_TROUBLE_NO_DEVICE,
    GODOT_TROUBLE_MISPLACED,
    GODOT_TROUBLE_COLOUR,
    GODOT_TROUBLE_NO_BLUR,
    GODOT_TROUBLE_NO_MEMORY,
    GODOT_TROUBLE_REFUSED,
    GODOT_TROUBLE_TOO_LARGE,
    GODOT_TROUBLE_NO_WAY,
    GODOT_TROUBLE_VIEWS,
    GODOT_TROUBLE_DEPTHS,
    GODOT_TROUBLE_COUNT
};
void godot_render_trouble(struct said *said, enum godot_trouble trouble);
/* The time to wait after a failure that may pass. */
int64_t godot_render_retry_ns(void);
