/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The windows that the program presents in, as pointer and keys know them. Where the pointer is the
 * gaze each has a source of its own: the gaze rests, and is lost, in each by itself. Of more
 * windows than LAYER_INPUT_WINDOWS those that began last are followed. */
#pragma once

#include "plugin/layer/input/layer_input.h"

struct layer_window_slot {
    uint32_t window; /* X11; 0: none */
    uint64_t since; /* counts what is watched */
    struct fovea_gaze_source *mouse; /* NULL: the pointer is not the gaze, or no memory for it */
};

struct layer_windows {
    struct layer_window_slot slots[LAYER_INPUT_WINDOWS]; /* as in the input */
    uint64_t count;
};

/* NULL: it is not watched. */
struct layer_window_slot *layer_windows_find(struct layer_windows *windows, uint32_t window);

/* The slot to watch a window in that is presented in; NULL: it is watched, or there is no room. One
 * that has just begun to be gets the oldest one's where it must, and is asked for again where one
 * of that number was lost. `lost` is the input's. */
struct layer_window_slot *layer_windows_choose(struct layer_windows *windows, uint32_t window,
                                               uint32_t lost, bool began);
/* Gives the slot to the window. Nobody may use the slot's former source any more. */
void layer_windows_watch(struct layer_windows *windows, struct layer_window_slot *slot,
                         uint32_t window, struct layer_input *input,
                         const struct fovea_gaze_settings *gaze);

/* Every window's source anew, or none at all where the settings name another kind than the mouse;
 * gaze NULL: none. input may be NULL. Nobody may use a source meanwhile. */
void layer_windows_feed(struct layer_windows *windows, struct layer_input *input,
                        const struct fovea_gaze_settings *gaze);
