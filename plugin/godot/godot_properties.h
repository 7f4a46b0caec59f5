/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The properties of a FoveaEffect: Fovea's own settings, as their table has them (config/), and
 * those of struct godot_choices. A setting's property is named after its path:
 * "foveation.paper.ct0" is paper_ct0, "gaze.udp.port" is gaze_udp_port. */
#pragma once

#include "godot_effect.h"
#include "plugin/godot/api/godot_api.h"

#define GODOT_PROPERTY_COUNT_MAX 192

struct godot_property {
    char name[64];
    char group[32]; /* "": as the one before */
    char hint[512];
    const char *path; /* of a setting; NULL: a member of struct godot_choices */
    size_t offset; /* of the member */
    const char *const *words; /* of a word that is stored by its number */
    int32_t type;
    uint32_t hint_kind;
    int32_t file; /* index of struct godot_effect's files; -1: it names none */
};

/* A value of any of their types. */
union godot_value {
    uint8_t boolean;
    int64_t integer;
    double number;
    struct godot_string string;
    struct godot_vector2 vector;
};

/* Made once, in the order of the inspector; returns how many there are. */
size_t godot_properties_make(struct godot_property out[GODOT_PROPERTY_COUNT_MAX]);

/* A value that does not fit is said in the console and changes nothing. */
void godot_property_set(struct godot_effect *effect, const struct godot_property *property,
                        const union godot_value *value);
/* Whoever asks for a string ends it. */
void godot_property_get(struct godot_effect *effect, const struct godot_property *property,
                        union godot_value *out_value);
