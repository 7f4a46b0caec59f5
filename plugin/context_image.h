/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether the images of a frame can be worked on. */
#ifndef FOVEA_CONTEXT_IMAGE_H
#define FOVEA_CONTEXT_IMAGE_H

#include "fovea.h"

#define CONTEXT_PROBLEM_BYTES 256

/* Fills in pixel_stride_bytes where it is 0. False: out_problem says what is wrong, "src" or whatever
 * `name` is first. */
bool context_image_check(struct fovea_image *image, const char *name,
                         char out_problem[CONTEXT_PROBLEM_BYTES]);

/* For two images that passed. */
bool context_images_fit(const struct fovea_image *src, const struct fovea_image *dst,
                        char out_problem[CONTEXT_PROBLEM_BYTES]);

#endif
