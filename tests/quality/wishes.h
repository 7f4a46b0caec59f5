/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The arguments of commands that take one picture: PICTURE [--gaze x,y] [--set key.path=value]
 * [--output PATH]. */
#pragma once

#include "config/settings.h"

#include <stdbool.h>
#include <stddef.h>

#define SETS_MAX 64

struct picture_wishes {
    const char *picture;
    const char *output;
    struct fovea_point_uv gaze;
    const char *sets[SETS_MAX];
    size_t set_count;
};

/* Wishes that are not named stay as they are. False with a message; argv[0] is the command's name.
 */
bool picture_wishes_read(int argc, char **argv, struct picture_wishes *out);
/* Those of configuration files and of the environment, then --set. False with a message. */
bool picture_wishes_settings(const struct picture_wishes *wishes, struct fovea_foveation *out);

bool picture_wishes_all(const struct picture_wishes *wishes, struct fovea_settings *out);
/* Makes the one that output names, and those around it. False with a message. */
bool picture_wishes_folder(const struct picture_wishes *wishes);
/* Whether a file that will be written is another one than the picture. False with a message. */
bool picture_wishes_spare(const struct picture_wishes *wishes, const char *path);
