/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's sizes, a picture of each, and what its filters make of it on the processor. */
#pragma once

#include "bench.h"
#include "csdd_plan.h"

#define CSDD_SIGMA_PX 8.0 /* its filters take as long at every sigma */

struct csdd_size {
    const char *name; /* rows x columns, as the thesis has them */
    int32_t rows, columns;
};

/* The first one is that of all comparisons. */
extern const struct csdd_size csdd_sizes[];
extern const size_t csdd_size_count;
extern const struct csdd_size csdd_quick_size;

struct csdd_picture {
    const struct csdd_size *of;
    struct bench_size size; /* with the padding */
    int32_t rows, columns;
    int32_t bins;
    int32_t threads[2]; /* of a block along rows and columns, as the thesis chooses them */
    float *image; /* bins of pixels, column by column */
    double *exact; /* of csdd_picture_solve */
};

/* padded: to blocks of threads. */
void csdd_picture_make(const struct csdd_size *of, bool padded, int32_t bins,
                       struct csdd_picture *out);
/* Runs on so many threads, 0: all cores; out_ns, unless NULL: what the kernels took, of all
 * threads. */
void csdd_picture_solve(struct csdd_picture *picture, uint32_t threads, double out_ns[3]);
void csdd_picture_free(struct csdd_picture *picture);
/* Discs, RGB8. */
void csdd_draw_rgb(uint8_t *pixels, uint32_t width_px, uint32_t height_px);
