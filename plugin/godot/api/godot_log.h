/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Messages in the engine's console: warnings and errors. It has no other kinds for extensions. */
#pragma once

#include "fovea_base.h"

/* The parts of Fovea log by this. Any thread. */
struct fovea_log godot_log(void);

/* Keeps messages where the console must not be called: scripts may hear of each of its lines at
 * once, and ask the effect back. */
struct godot_note {
    enum fovea_log_level level; /* of the worst */
    char words[2048]; /* ""; else lines, the first ones */
};
struct fovea_log godot_note_log(struct godot_note *note);
/* In the console, where there are any; empties it. */
void godot_note_print(struct godot_note *note);
