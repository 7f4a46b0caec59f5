/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A kernel of the engine fft that somebody wrote down: weights by rows, the first one above. */
#pragma once

#include "core/log.h"
#include "core/shared_data.h"

#include <stddef.h>
#include <stdint.h>

#define BLUR_TABLE_MOST 1025 /* rows, and columns */

/* Immutable once made. */
struct blur_table {
    struct shared_data base;
    uint32_t columns;
    uint32_t rows;
    double *weights; /* from 0 on; not all are 0 */
};

#define BLUR_PROBLEM_BYTES 256 /* OPERATOR_PROBLEM_BYTES */

/* Does as struct operators_file has it: a row of plain decimal numbers a line, apart by spaces,
 * tabs or one comma each, what is behind a # left out; or a PNG picture. */
FOVEA_MUST_CHECK enum fovea_result blur_read_file(const char *bytes, size_t count,
                                                  char out_problem[BLUR_PROBLEM_BYTES],
                                                  struct shared_data **out_data);
