/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#pragma once

#include "results.h"

#include <stdio.h>

/* Tables in Markdown. */
void report_text(const struct results *results, FILE *out);
/* False with a message: it cannot be written. */
bool report_json(const struct results *results, const char *path);
/* The same while more is to come, again and again; not to what is no file. Whoever ends the program
 * by SIGTERM or SIGINT finds a whole one. */
bool report_json_so_far(const struct results *results, const char *path);
