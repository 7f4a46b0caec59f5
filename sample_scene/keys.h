/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The actions of keys and mouse in the window. */
#pragma once

#include "settings.h"

#include <SDL.h>

struct keys {
    struct settings *settings;
    bool quit;
    bool paused;
    bool comparing; /* while a key is held */
    bool wiping;
    bool dragging;
    bool help;
    bool help_asked; /* print it, once */
    bool reload_asked;
    bool resized;
    bool changed; /* settings->now is to be given to Fovea */
    double wipe_uv;
    double mouse_uv[2];
};

void keys_take(struct keys *keys, const SDL_Event *event, SDL_Window *window);

/* One line for each key, with newlines between. */
const char *keys_help(void);

/* The settings as keys and files have them, wipe and compare folded in: the caller destroys them.
 * NULL: out of memory, with a message. */
struct fovea_settings *keys_settings(const struct keys *keys);
