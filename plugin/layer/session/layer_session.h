/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The layer's state that exists once in a process: settings that follow their files and the keys,
 * the gaze, pointer and keys, the log. It begins with the first swapchain or present, the settings
 * with the first device that can say when frames are on the screen, and ends with the last
 * instance. Any thread may call it. */
#pragma once

#include "plugin/layer/input/layer_input.h"
#include "plugin/layer/layer.h"

/* Warnings and errors go to stderr; everything from the settings' log.level on to the file that
 * FOVEA_LOG_FILE names, "stderr" for that. Works before the session begins. */
struct fovea_log layer_log(void);

/* These enclose the life of an instance. */
void layer_session_enter(void);
void layer_session_leave(void);

/* The settings in force for images of that colour space, if out_settings is not NULL. -> their
 * serial number, never 0. */
uint64_t layer_session_settings(VkColorSpaceKHR color_space, struct fovea_settings *out_settings);
/* layer.direct of those. */
bool layer_session_direct(void);
/* "record.file" names files. Begins nothing but the settings. */
bool layer_session_records(void);

/* Call it once a present: keys, files. False: frames are shown as they are for now. */
bool layer_session_tick(void);

/* The settings and gaze of a frame of that swapchain. Its context gets new settings first. */
struct layer_frame {
    struct fovea_gaze gaze;
    double vergence_m; /* 0: not known */
    uint64_t settings_serial; /* of the settings that it is made by; from 1 on */
    char hud[LAYER_INPUT_HELP_BYTES];
    const char *hud_gaze; /* why there is no gaze; NULL: what its state says is all */
};
void layer_session_frame(const struct layer_swapchain *swapchain, struct layer_context *context,
                         struct layer_frame *out_frame);

/* These enclose the submission of a frame. Contexts that follow a gaze source hold it meanwhile,
 * and not each other: the source could be replaced by another thread that presents. */
bool layer_session_hold(const struct layer_context *context); /* true: to be released */
void layer_session_release(void);

/* A swapchain is presented, foveated or not: keys count in its window too, and the pointer while it
 * is over that. After the tick. */
void layer_session_watch(struct layer_swapchain *swapchain);
/* A context is out of use; what it has of the session's it gives back. */
void layer_session_part(struct layer_context *context);
