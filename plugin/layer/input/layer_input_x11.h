/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A connection to an X server through libxcb, which is loaded at run time: it neither exits nor
 * takes locks of the program's, as Xlib would. Requests are of the core protocol; layer_input_raw.c
 * adds some of XInput's. */
#pragma once

#include "config/settings.h"

#include <xcb/xcb.h>
#include <xcb/xcbext.h>

#define X11_FUNCTIONS(F)                                                                           \
    F(connect_to_display_with_auth_info)                                                           \
    F(disconnect)                                                                                  \
    F(connection_has_error)                                                                        \
    F(parse_display)                                                                               \
    F(get_setup)                                                                                   \
    F(get_file_descriptor)                                                                         \
    F(flush)                                                                                       \
    F(poll_for_event)                                                                              \
    F(send_request)                                                                                \
    F(poll_for_reply)                                                                              \
    F(query_extension)                                                                             \
    F(query_pointer)                                                                               \
    F(query_keymap)                                                                                \
    F(query_tree)                                                                                  \
    F(get_geometry)                                                                                \
    F(get_input_focus)                                                                             \
    F(get_keyboard_mapping)                                                                        \
    F(change_window_attributes)                                                                    \
    F(send_event)

struct x11 {
    void *library;
#define X11_MEMBER(name) __typeof__(&xcb_##name) name;
    X11_FUNCTIONS(X11_MEMBER)
#undef X11_MEMBER
    xcb_connection_t *connection; /* NULL: none yet */
    int stop; /* readable when nobody shall wait any more */
};

/* FOVEA_ERROR_UNSUPPORTED: there is none, said. */
FOVEA_MUST_CHECK enum fovea_result x11_load(struct x11 *x11, struct fovea_log log);
/* Waits for the server's answer, and shows it the cookie from that file, if there is one for it
 * (NULL: no file). False: nobody is there, or does not let us in. */
FOVEA_MUST_CHECK bool x11_connect(struct x11 *x11, const char *display, const char *cookie_file);
/* Takes a zeroed or half-made one too; stop is left alone. */
void x11_finish(struct x11 *x11);

bool x11_is_alive(const struct x11 *x11);

/* The reply to a request of that number, for free(); waits for it. NULL: an error (the window is
 * gone), the server is gone, or stop. */
void *x11_reply(const struct x11 *x11, unsigned sequence);
