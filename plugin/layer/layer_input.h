/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pointer and keys inside somebody else's program: an X11 connection of our own and a thread that polls it,
 * without grabs, so that the program gets every event as before. Where there is no X server (or it goes
 * away) there is no input, which is said once. */
#ifndef FOVEA_LAYER_INPUT_H
#define FOVEA_LAYER_INPUT_H

#include "fovea.h"

struct layer_input;

/* What the keys of the settings ask for; counted, so that a frame can tell what is new. */
enum layer_action {
    LAYER_ACTION_TOGGLE = 0, /* foveation off and on */
    LAYER_ACTION_HUD,
    LAYER_ACTION_MARKER,
    LAYER_ACTION_RINGS,
    LAYER_ACTION_HEATMAP,
    LAYER_ACTION_WIPE, /* the split follows the pointer, on and off */
    LAYER_ACTION_RELOAD,
    LAYER_ACTION_HELP,
    LAYER_ACTION_STRONGER,
    LAYER_ACTION_WEAKER,
    LAYER_ACTION_COMPARE, /* as long as it is held the picture is shown as the program drew it */
    LAYER_ACTION_COUNT,
};

struct layer_input_state {
    uint32_t presses[LAYER_ACTION_COUNT]; /* since creation */
    bool compare_held;
    bool pointer_known; /* over the window, or was */
    double pointer_x_uv, pointer_y_uv; /* over the window's client area */
};

struct layer_input_desc {
    const char *display; /* NULL: $DISPLAY */
    double rate_hz; /* of the pointer; 0: 500 */
    struct fovea_log log;
};

/* FOVEA_ERROR_UNSUPPORTED: no libxcb, no display. Starts the thread. */
FOVEA_MUST_CHECK enum fovea_result layer_input_create(const struct layer_input_desc *desc,
                                                      struct layer_input **out_input);
/* Waits for the thread, at most some milliseconds. */
void layer_input_destroy(struct layer_input **input);

/* The X11 window that positions refer to and that must have the focus for keys to count; 0: none. Any
 * thread. */
void layer_input_watch(struct layer_input *input, uint32_t window);

/* From now on pointer samples go to that mouse source, in uv from the top left, until NULL is set. After
 * the call the former one is not touched any more. */
void layer_input_feed(struct layer_input *input, struct fovea_gaze_source *source);

/* Takes no lock that the thread can hold for long; for every frame. */
void layer_input_read(struct layer_input *input, struct layer_input_state *out_state);

/* A line for each key, with newlines between, for the HUD and the documentation. */
const char *layer_input_help(void);

#endif
