/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images of raw words for the viewports that an effect draws in: of each viewport's size, made
 * again when that changes, and freed when the effect has drawn others for a while, or ends. */
#pragma once

#include "core/said.h"
#include "godot_device.h"

#define GODOT_TARGETS_MAX 32
#define GODOT_VIEWS_MAX 4
#define GODOT_IMAGES_MAX (OPERATOR_BETWEEN + OPERATOR_MAX_BETWEEN)

/* A texture of the engine's, whose format was looked at. */
struct godot_seen {
    struct godot_rid rid;
    bool taken;
};

struct godot_target {
    struct godot_rid render_target; /* that names the viewport; {0}: none */
    struct godot_vector2i size;
    struct godot_rid images[GODOT_IMAGES_MAX]; /* OPERATOR_SOURCE, OPERATOR_RESULT, between */
    struct godot_seen colours[GODOT_VIEWS_MAX];
    struct godot_seen depths[GODOT_VIEWS_MAX];
    struct godot_rid focuses[GODOT_VIEWS_MAX]; /* SHADER_FOCUS_BYTES; stay when the size changes */
    int64_t depths_ns; /* when depths were last taken; 0: never */
    double elapsed_s; /* between the last two times */
    uint64_t last_frame;
    struct said said; /* of this viewport */
    int64_t retry_ns; /* nothing is tried in it before */
};

struct godot_targets {
    struct godot_target targets[GODOT_TARGETS_MAX];
};

/* A new one has no images. */
struct godot_target *godot_targets_find(struct godot_targets *targets, struct godot_object *device,
                                        struct godot_rid render_target, struct godot_vector2i size,
                                        uint64_t frame);
/* Other settings: what failed before is tried at once. */
void godot_targets_retry(struct godot_targets *targets);
/* Source, result, and so many between. */
FOVEA_MUST_CHECK enum fovea_result godot_target_make(struct godot_target *target,
                                                     struct godot_object *device, uint32_t between);
/* Makes the memory that a view's focus is kept in from frame to frame; it is 0 at first. */
FOVEA_MUST_CHECK enum fovea_result godot_target_make_focus(struct godot_target *target,
                                                           struct godot_object *device,
                                                           int64_t view);
void godot_targets_finish(struct godot_targets *targets, struct godot_object *device);
