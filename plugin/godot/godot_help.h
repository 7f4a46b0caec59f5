/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The class reference that the editor shows: words of our own for the class, and the settings'
 * table's for each property. */
#pragma once

#include "godot_properties.h"

#include <stdio.h>

/* Hands it to the editor. */
void godot_help_load(const struct godot_property *properties, size_t count);
/* Writes it as XML; false: it could not be written. */
bool godot_help_write(FILE *file, const struct godot_property *properties, size_t count);
