/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether a way has made the picture that it was to make, with words for the table. */
#pragma once

#include "tables.h"

#include <stddef.h>

/* Compares pixels as they are stored with the table, and with `blank` where it has none. Returns
 * how many differ. */
size_t lens_check_nearest(const struct lens_paper_tables *tables, const uint32_t *src,
                          const uint32_t *out, uint32_t blank, char *words, size_t bytes);

/* Mapping forward: compares the pixels that it wrote with those that it was to write. 0 is no
 * pixel. */
bool lens_check_forward(const struct lens_paper_tables *tables, const uint32_t *out, char *words,
                        size_t bytes);

/* Compares stored values between pixels with exact places and weights in double precision, at every
 * fifth pixel of every fifth row; the picture's rim is left out. k1 is each colour's. Returns how
 * many levels it is off at most. */
double lens_check_bilinear(const struct lens_paper_tables *tables, const double k1[3],
                           const uint32_t *src, const uint32_t *out, char *words, size_t bytes);
