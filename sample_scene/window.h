/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The run in a window of SDL2: the mouse is the gaze, keys change what is shown. */
#pragma once

#include "engine.h"

/* Opens and closes the engine itself, since the device depends on the window. False with a
 * message. */
bool window_run(struct engine *engine, struct settings *settings, const struct options *options);
