/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#ifndef FOVEA_BENCH_REPORT_H
#define FOVEA_BENCH_REPORT_H

#include "results.h"

#include <stdio.h>

/* Tables in Markdown. */
void report_text(const struct results *results, FILE *out);
/* False with a message: it cannot be written. */
bool report_json(const struct results *results, const char *path);

#endif
