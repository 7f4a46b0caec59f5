/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The tables in Markdown, a section a backend, and whether the bounds hold. */
#pragma once

#include "measure.h"

extern const char report_preface[]; /* of the file, before the first section */

/* A measurement a size, all of the same backends. */
struct report {
    struct measurement *sizes;
    size_t size_count;
};

/* Prints the tables; and into `path` unless that is NULL, where the sections of backends and of
 * sizes that were not measured stay as they are. False with a message: it cannot be written. */
bool report_write(const struct report *report, const char *path);
/* Says which case breaks a bound. */
bool report_within_bounds(const struct measurement *m);
