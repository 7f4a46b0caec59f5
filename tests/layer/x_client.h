/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An X server of a test's own and a program on it that makes windows, moves the pointer and presses
 * keys, as people do (XTEST). What cannot be done fails the test. */
#pragma once

#include "cmocka_all.h"

#include <sys/types.h>

#include <xcb/xcb.h>

struct x_server {
    pid_t pid; /* 0: none runs */
    char display[16]; /* ":99" */
};

/* False: there is no Xvfb here. */
bool x_server_start(struct x_server *server);
/* One that lets in who has a cookie of that file. */
bool x_server_start_locked(struct x_server *server, const char *cookies);
void x_server_stop(struct x_server *server);

struct x_client {
    xcb_connection_t *connection;
    xcb_window_t root;
};

struct x_client x_client_open(const struct x_server *server);
void x_client_close(struct x_client *client);

struct x_place {
    int16_t x, y;
    uint16_t width, height;
};
/* Mapped; it is told of keys. parent 0: the root. */
xcb_window_t x_window(struct x_client *client, xcb_window_t parent, struct x_place place);
void x_window_place(struct x_client *client, xcb_window_t window, struct x_place place);
void x_window_raise(struct x_client *client, xcb_window_t window); /* above its siblings */
void x_window_show(struct x_client *client, xcb_window_t window, bool shown);
void x_window_reparent(struct x_client *client, xcb_window_t window, xcb_window_t parent);
void x_window_destroy(struct x_client *client, xcb_window_t window);
/* XCB_INPUT_FOCUS_POINTER_ROOT and XCB_INPUT_FOCUS_NONE too. */
void x_focus(struct x_client *client, xcb_window_t window);

/* Moves the pointer to a place on the screen. */
void x_pointer(struct x_client *client, int16_t x, int16_t y);

/* The key with that keysym. */
uint8_t x_keycode(struct x_client *client, uint32_t keysym);
void x_key(struct x_client *client, uint32_t keysym, bool down);
/* Gives a key another keysym. */
void x_map(struct x_client *client, uint8_t keycode, uint32_t keysym);

/* Key presses that the windows have been told of since the last call. */
unsigned x_presses(struct x_client *client);

/* Returns when the server has done everything. */
void x_sync(struct x_client *client);
