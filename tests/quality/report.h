/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The tables in Markdown, a section a backend, and whether the bounds hold. */
#ifndef FOVEA_QUALITY_REPORT_H
#define FOVEA_QUALITY_REPORT_H

#include "measure.h"

/* Prints the tables; and into `path` unless that is NULL, where the sections of backends that were not
 * measured stay as they are. False with a message: it cannot be written. */
bool report_write(struct measurement *m, const char *path);
/* Says which case breaks a bound. */
bool report_within_bounds(const struct measurement *m);

#endif
