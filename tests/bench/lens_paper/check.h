/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether a way has made the picture that it was to make, with words for the table. */
#pragma once

#include "tables.h"

#include <stddef.h>

/* Of pixels as they are stored: against the table, and `blank` where it has none. Returns how many
 * are others. */
size_t lens_check_nearest(const struct lens_paper_tables *tables, const uint32_t *src,
                          const uint32_t *out, uint32_t blank, char *words, size_t bytes);

/* Of mapping forward: pixels that it was to write and did not, and the reverse. 0 is no pixel. */
bool lens_check_forward(const struct lens_paper_tables *tables, const uint32_t *out, char *words,
                        size_t bytes);

/* Of the stored values between pixels, against exact places and weights in double precision, at
 * every fifth pixel of every fifth row; the picture's rim is left out. k1 is each colour's. Returns
 * how many levels it is off at most. */
double lens_check_bilinear(const struct lens_paper_tables *tables, const double k1[3],
                           const uint32_t *src, const uint32_t *out, char *words, size_t bytes);
