/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a file of weights: a table whose weights can be used, or one line of words. */

#include "kernels/blur/table.h"

#include "require.h"

#include <math.h>

static void check(const struct blur_table *table)
{
    double sum = 0.0;
    REQUIRE(table->columns >= 1 && table->columns <= BLUR_TABLE_MOST);
    REQUIRE(table->rows >= 1 && table->rows <= BLUR_TABLE_MOST);
    for (size_t i = 0; i < (size_t)table->columns * table->rows; i++) {
        REQUIRE(table->weights[i] >= 0.0);
        sum += table->weights[i];
    }
    REQUIRE(sum > 0.0 && isfinite(sum));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = exact_copy(data, size);
    char problem[BLUR_PROBLEM_BYTES];
    struct shared_data *made = NULL;
    const enum fovea_result result = blur_read_file(bytes, size, problem, &made);
    REQUIRE((result == FOVEA_OK) == (made != NULL));
    REQUIRE(result == FOVEA_OK || (problem[0] != '\0' && !strchr(problem, '\n')));
    if (made) {
        check((const struct blur_table *)made);
    }
    shared_data_release(&made);
    free(bytes);
    return 0;
}
