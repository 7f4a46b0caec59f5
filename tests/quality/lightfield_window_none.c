/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_gaze.h"
#include "say.h"

bool gaze_window(const struct gaze_wishes *wishes)
{
    say_error("--window: this build has no windows: SDL2 (libsdl2-dev) was not there");
    return false;
}
