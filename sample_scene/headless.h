/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The run without a display: a number of frames at simulated 60 Hz, pictures, a table. */
#pragma once

#include "engine.h"

#define FRAME_HZ 60

/* False with a message. */
bool headless_run(struct engine *engine, struct settings *settings, const struct options *options);
