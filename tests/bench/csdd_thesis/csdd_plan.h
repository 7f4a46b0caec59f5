/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's choice of blocks, padding and streams (its parts 4.2 and 4.5), and its filters on
 * the processor, in doubles throughout: what its kernels are compared with. */
#pragma once

#include "csdd_thesis.h"

#define CSDD_BYTES_A_BIN 24 /* of a pixel: with them streams are those of table 4-2 */

struct csdd_device { /* of a multiprocessor */
    int32_t registers, shared_bytes, blocks, warps;
};

struct csdd_use {
    int32_t registers; /* of a thread */
    int32_t shared_bytes; /* of a block; four more for each thread */
};

extern const struct csdd_device csdd_gtx280;

int32_t csdd_active_blocks(const struct csdd_device *device, const struct csdd_use *use,
                           int32_t threads);
int32_t csdd_active_warps(const struct csdd_device *device, const struct csdd_use *use,
                          int32_t threads);
/* The largest multiple of 64 up to which more than 2 blocks and half of the warps are active. */
int32_t csdd_most_threads(const struct csdd_device *device, const struct csdd_use *use);
/* Threads of a block along that many pixels: the most of those with the least padding. */
int32_t csdd_threads(int32_t pixels, int32_t most_threads);
int32_t csdd_padded(int32_t pixels, int32_t threads);
/* Parts of the bins, each of which takes at most 80 % of the memory; a power of two. */
int32_t csdd_streams(int64_t pixels, int64_t memory_bytes);

/* The Gaussian and its second derivative. */
void csdd_filters(double sigma_px, struct csdd_thesis_filter out[2]);
/* Scales the sum of all bins, which is then from 0 to 1. */
double csdd_factor(double sigma_px);

struct csdd_cpu {
    const float *image; /* bins, column by column */
    int32_t rows, columns;
    const struct csdd_thesis_filter *filters;
    double *gauss, *second, *filtered; /* a picture each */
    double ns[3]; /* what each kernel has taken */
};

/* Adds what a bin gives. */
void csdd_cpu_add(struct csdd_cpu *cpu, int32_t bin, double factor, double *out);
