/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What white pictures and those that are divided by them must be. */
#ifndef FOVEA_PLUGIN_LIGHTFIELD_PICTURE_H
#define FOVEA_PLUGIN_LIGHTFIELD_PICTURE_H

#include "fovea_lightfield.h"

/* Takes a program's raw picture in CPU memory, and fills in its maximum. A problem is logged with
 * the name of the field. */
enum fovea_result lightfield_picture_take(const struct fovea_lightfield_raw *given,
                                          const char *name, struct fovea_log log,
                                          struct fovea_lightfield_raw *out);

#endif
