/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether the images of a frame can be worked on. */
#pragma once

#include "fovea.h"

#include <stdio.h>

#define CONTEXT_PROBLEM_BYTES 256

/* Fills in pixel_stride_bytes where it is 0. False: out_problem says what is wrong, "src" or
 * whatever `name` is first. */
bool context_image_check(struct fovea_image *image, const char *name,
                         char out_problem[CONTEXT_PROBLEM_BYTES]);

/* For images that passed, where no chain makes floats of them. True: out_problem says that nothing
 * else works on such a format. */
bool context_image_lacks_kernels(const struct fovea_image *image, const char *name,
                                 char out_problem[CONTEXT_PROBLEM_BYTES]);

/* Says of images that passed whether a and an image `distance_bytes` after b have bytes in common.
 * Rows of one may lie between rows of the other, where the strides say that they never meet. */
bool context_images_meet(const struct fovea_image *a, const struct fovea_image *b,
                         int64_t distance_bytes);

/* The range goes from the first pixel in memory to the last. Any number may be an address, so sums
 * of them wrap. */
struct context_range {
    uint64_t low;
    int64_t bytes;
};
struct context_range context_image_range(const struct fovea_image *image);
int64_t context_image_extent_bytes(const struct fovea_image *image);

static inline bool context_ranges_meet(struct context_range a, struct context_range b)
{
    const int64_t b_after_a = (int64_t)(b.low - a.low);
    return b_after_a < a.bytes && b_after_a > -b.bytes;
}

/* Writes down what is wrong. Is false, so that a check can return it. */
#define CONTEXT_PROBLEM(out, ...) (snprintf((out), CONTEXT_PROBLEM_BYTES, __VA_ARGS__), false)
