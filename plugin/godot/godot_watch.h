/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An effect that the engine never calls could not say so: it is in no Compositor, or the renderer
 * calls none. The newest one is watched until one of the process has been called, by the main loop
 * and, in engines that offer no place in that, whenever a script sets something. */
#pragma once

#include "fovea_base.h"

/* With the class, which is there. */
void godot_watch_start(void);
/* An effect was made, or something of it was set, on whatever thread. */
void godot_watch_effect(uint64_t object_id);
/* The engine has called one: all is well. */
void godot_watch_called(void);
