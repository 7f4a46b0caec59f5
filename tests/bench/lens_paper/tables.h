/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's tables, made on the host in double precision from equation 1. */
#pragma once

#include "core/thread_pool.h"
#include "lens_paper.h"

#include <stdbool.h>

struct lens_paper_lens {
    double k1;
    double k2;
    double unit_px; /* what has r = 1 */
};

/* A number a pixel, row by row. */
struct lens_paper_tables {
    struct lens_paper_size size;
    struct lens_paper_lens lens;
    int32_t *x; /* of the source */
    int32_t *y;
    int32_t *key; /* both by equation 2 */
    int32_t *address; /* both as an address */
    int32_t *forward; /* where a source is shown, by equation 2 */
};

/* Finds the source of a pixel that is shown, in pixels from the picture's corner. */
void lens_paper_source(struct lens_paper_size size, const struct lens_paper_lens *lens, double x_px,
                       double y_px, double out_px[2]);

/* False: out of memory. */
bool lens_paper_tables_make(struct thread_pool *pool, struct lens_paper_size size,
                            const struct lens_paper_lens *lens, struct lens_paper_tables *out);
/* x and y of each source, one behind the other; free() has it back. NULL: out of memory. */
int32_t *lens_paper_pairs(const struct lens_paper_tables *tables);
void lens_paper_tables_free(struct lens_paper_tables *tables);

/* Mapping forward does this to a picture. */
struct lens_paper_counts {
    int64_t inside; /* pixels that have a source */
    int64_t copies; /* a forward pass makes */
    int64_t holes; /* pixels that have a source and are not written */
    int64_t strays; /* pixels that have none and are written */
};
/* All 0: out of memory. */
struct lens_paper_counts lens_paper_count(const struct lens_paper_tables *tables);
