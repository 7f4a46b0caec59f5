/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pointer and keys inside somebody else's program: an X11 connection of our own and a thread that
 * polls it, without grabs, so that the program gets every event as before. Where there is no X
 * server (or it goes away) there is no input, which is said once.
 *
 * The pointer is polled at desc.rate_hz while somebody is fed with it, else at the keys' 60 Hz;
 * nothing is polled while no window is watched. A pointer that rests over a window is pushed on and
 * on: it is a gaze that rests. One that has left the window says nothing about it and is not
 * pushed, so that the source holds and falls back by its own rules. So it is under XWayland where
 * the pointer is over no X window: what the server then says is where it was. Keys count while one
 * of the windows, or one above or below it, has the focus, or while the focus follows the pointer
 * and that is over one of them. */
#pragma once

#include "config/settings.h"

struct layer_input;

/* So many are watched at a time. */
#define LAYER_INPUT_WINDOWS 8

/* The actions that the settings' keys ask for, in the order of struct fovea_layer_keys. They are
 * counted, so that a frame can tell which are new. */
enum layer_action {
    LAYER_ACTION_HELP = 0,
    LAYER_ACTION_TOGGLE, /* foveation off and on */
    LAYER_ACTION_HUD,
    LAYER_ACTION_COMPARE, /* as long as it is held the picture is shown as the program drew it */
    LAYER_ACTION_RINGS,
    LAYER_ACTION_MARKER,
    LAYER_ACTION_WIPE, /* the split follows the pointer, on and off */
    LAYER_ACTION_HEATMAP,
    LAYER_ACTION_STRONGER,
    LAYER_ACTION_WEAKER,
    LAYER_ACTION_MODEL, /* the published one and back */
    LAYER_ACTION_RELOAD,
    LAYER_ACTION_COUNT,
};

struct layer_input_state {
    uint32_t presses[LAYER_ACTION_COUNT]; /* since creation */
    bool compare_held;
    bool pointer_known; /* it is over a window, or was since that is watched */
    bool pointer_over; /* it is now */
    uint32_t pointer_slot; /* of the window that it is over, or was last */
    uint32_t lost; /* a bit for each slot: its window is gone; it or another one is to be given */
    double pointer_x_uv, pointer_y_uv; /* over that window's client area, where it was last */
};

struct layer_input_desc {
    const char *display; /* NULL: $DISPLAY */
    const struct fovea_layer_keys *keys; /* checked; NULL: the defaults */
    double rate_hz; /* of the pointer, at most 2000; 0: 500 */
    int64_t wait_ns; /* at most, for the server's answer; 0: input begins when that comes */
    /* Whether the program is to be asked to draw that slot's window anew (Expose). The thread asks
     * with each turn of the keys, 60 times a second. NULL: never. */
    bool (*wants_frame)(uint32_t slot, const struct layer_input_state *now);
    struct fovea_log log; /* must outlive the program's last use of the library */
};

/* Starts the thread, which connects; with a server that is busy for longer than desc.wait_ns, input
 * starts later. FOVEA_ERROR_UNSUPPORTED: no libxcb, no display, or nobody answers there within that
 * time. Later that is said and there is no input. */
FOVEA_MUST_CHECK enum fovea_result layer_input_create(const struct layer_input_desc *desc,
                                                      struct layer_input **out_input);
/* Waits for the thread, at most some milliseconds; only one that still waits for its connection is
 * left behind, to end by itself: a library with this in it must not be unloaded (-z nodelete). */
void layer_input_destroy(struct layer_input **input);

/* An X11 window of the program's, in a slot below LAYER_INPUT_WINDOWS and in no other one; it takes
 * the place of the one before. 0: none. A window that was destroyed is not looked at again until it
 * is given here again. While the pointer is over it, samples go to that mouse source, in uv from
 * the top left; NULL: nowhere. Where windows lie above one another they go to the one on top alone.
 * After the call the slot's former source is not touched any more. Any thread. */
void layer_input_watch(struct layer_input *input, uint32_t slot, uint32_t window,
                       struct fovea_gaze_source *source);

/* Other keys, from the settings' checked ones; the counts stay. Any thread. */
void layer_input_set_keys(struct layer_input *input, const struct fovea_layer_keys *keys);

/* Takes no lock, waits for nothing; for every frame. */
void layer_input_read(const struct layer_input *input, struct layer_input_state *out_state);

/* A line for each action that has keys, with newlines between, for the HUD; cut where it does not
 * fit. */
#define LAYER_INPUT_HELP_BYTES 1280
void layer_input_help(const struct fovea_layer_keys *keys, char *text, size_t size);
