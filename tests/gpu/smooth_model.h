/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the smooth method makes of a picture, in double precision and written for the tests: the
 * levels and the gather as foveate/smooth.h describes them, with sigma from foveate_sigma_at, to
 * find what a kernel does wrong; and the reference, to find what the method does wrong. */
#ifndef FOVEA_TESTS_SMOOTH_MODEL_H
#define FOVEA_TESTS_SMOOTH_MODEL_H

#include "kernels/foveate/foveate.h"

/* Rows without gaps, image_channels a pixel, in levels or floats, not rounded. */
struct smooth_range {
    double *low;
    double *high;
};

/* The levels' result. Single precision may take another level or one sample more where sigma is
 * about to: everything between the results for sigma a little smaller and a little larger is
 * right. */
struct smooth_range smooth_model(const struct foveate_plan *plan, const struct foveate_frame *frame,
                                 const struct fovea_image *src);
void smooth_range_free(struct smooth_range *range);

/* The reference's result for either method, in the stored encoding again. The caller frees it. */
double *exact_picture(const struct foveate_plan *plan, const struct foveate_frame *frame,
                      const struct fovea_image *src);

#endif
