/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The settings in force: what the configuration's files say, changed by keys. Plain values, no
 * locks. */
#pragma once

#include "plugin/layer/input/layer_input.h"

struct layer_choices {
    struct fovea_settings files; /* what the files say */
    struct fovea_settings now; /* and what the keys have made of it */
    bool off;
    bool wiping;
    bool help;
};

/* The files have changed. What keys have made of a setting stays until the files say something new
 * about that one. */
void layer_choices_take(struct layer_choices *choices, const struct fovea_settings *files);
/* A key was pressed. LAYER_ACTION_RELOAD and LAYER_ACTION_COMPARE change nothing here. */
void layer_choices_act(struct layer_choices *choices, enum layer_action action);
