/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A window that is watched: its size, the windows above it, and whether the focus is in it. */
#pragma once

#include "layer_input_x11.h"

#define WINDOW_ABOVE_MAX 16 /* one or two under most window managers */

struct input_window {
    xcb_window_t id; /* 0: none */
    xcb_window_t root;
    uint32_t width_px;
    uint32_t height_px;
    bool hidden; /* it was unmapped */
    xcb_window_t above[WINDOW_ABOVE_MAX]; /* from the window's parent up, without the root */
    uint32_t above_count;
    xcb_window_t focus; /* the last that was asked about, and what came of it */
    bool focus_inside;
};

/* Lets go of the former one. False: there is no such window; then none is watched. Asks the server
 * to tell of changes, which nobody else notices. */
FOVEA_MUST_CHECK bool input_window_take(struct input_window *window, const struct x11 *x11,
                                        xcb_window_t id);
void input_window_leave(struct input_window *window, const struct x11 *x11);

/* Events of any kind. */
void input_window_event(struct input_window *window, const struct x11 *x11,
                        const xcb_generic_event_t *event);

/* Asks the program to draw all of it, as the server does when a part of it comes to light. */
void input_window_expose(const struct input_window *window, const struct x11 *x11);

/* How near to the pointer it is in the tree of windows, where pointed is the root's child that has
 * the pointer: 0 where that is another program's, else more for a window inside another one. */
uint32_t input_window_depth(const struct input_window *window, xcb_window_t pointed);

/* Whether keys go to the window while `focus` has the focus. pointed is the root's child that has
 * the pointer. */
bool input_window_has_focus(struct input_window *window, const struct x11 *x11, xcb_window_t focus,
                            xcb_window_t pointed);
