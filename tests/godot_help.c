/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Writes the class reference that Godot's editor shows to the standard output. */

#include "plugin/godot/godot_help.h"

int main(void)
{
    static struct godot_property properties[GODOT_PROPERTY_COUNT_MAX];
    const size_t count = godot_properties_make(properties);
    return godot_help_write(stdout, properties, count) ? 0 : 1;
}
