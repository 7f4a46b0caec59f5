/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A FoveaEffect: what scripts and the inspector set, on their thread, and what frames take of it on
 * the render thread. */
#pragma once

#include "plugin/engine/feed.h"
#include "plugin/godot/api/godot_abi.h"
#include "plugin/godot/api/godot_log.h"
#include "plugin/godot/godot_journal.h"

#include <pthread.h>

enum godot_debug_view {
    GODOT_DEBUG_OFF,
    GODOT_DEBUG_MARKER,
    GODOT_DEBUG_RINGS,
    GODOT_DEBUG_HEATMAP,
    GODOT_DEBUG_SPLIT,
    GODOT_DEBUG_COUNT
};

/* Properties that are no settings of Fovea's: small, and copied for each frame. */
struct godot_choices {
    struct godot_vector2 gaze_uv; /* of the source "script" */
    struct godot_vector2 gaze_uv_left;
    struct godot_vector2 gaze_uv_right;
    uint8_t gaze_per_eye;
    uint8_t gaze_valid;
    uint8_t geometry_from_camera;
    int32_t debug_view; /* enum godot_debug_view */
    double debug_split;
};

#define GODOT_FILE_COUNT 5 /* properties that name files: of map, blur, lens, gaze and record */

struct godot_render;

struct godot_effect {
    struct engine_feed feed; /* of those in force */
    struct godot_journal journal;
    uint64_t object_id; /* of the engine's, which may be gone while a frame still runs */
    struct godot_render *render; /* the render thread's */
    pthread_mutex_t turn; /* of threads that set settings, one after the other; no frame takes it */
    /* For what follows. Held for no longer than a copy takes: nothing of the engine's is called,
     * and nothing printed, while a thread has it, or its turn. */
    pthread_mutex_t lock;
    struct fovea_settings *settings; /* as they were set, also where they are wrong together */
    struct godot_choices choices;
    struct godot_note wrong; /* why those are not in force, until a frame has said so */
    atomic_bool is_wrong;
    char files[GODOT_FILE_COUNT][FOVEA_PATH_MAX]; /* as they were given, "res://" and all */
};

/* NULL: there is no memory. */
struct godot_effect *godot_effect_create(struct godot_object *object);
/* Any thread, also while a frame of the effect runs: the render thread frees it later. */
void godot_effect_retire(struct godot_effect *effect);
/* Until the render thread has freed all that were retired, and has left this library. */
void godot_effects_wait(void);

/* Puts settings in force, which become *effect->settings; for a thread that has the turn. On
 * failure those before stay in force, and the next frame says why, unless others come before it:
 * scripts set one property at a time. What goes well and is not all right is in *note. */
void godot_effect_set(struct godot_effect *effect, const struct fovea_settings *settings,
                      struct godot_note *note);
/* The choices, or those of the last time where they are being changed just now. */
void godot_effect_take(struct godot_effect *effect, struct godot_choices *choices);
