/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* For builds without SDL2. */
#include "window.h"

bool window_run(struct engine *engine, struct settings *settings, const struct options *options)
{
    (void)engine, (void)settings, (void)options;
    say_error("--window: this build has no SDL2 (on Debian: apt-get install libsdl2-dev, then "
              "build again)");
    return false;
}
