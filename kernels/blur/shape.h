/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How a plan makes the Gaussian (README.md has the drawing). Shared by C, CUDA and, member by
 * member, GLSL. */
#ifndef FOVEA_KERNELS_BLUR_SHAPE_H
#define FOVEA_KERNELS_BLUR_SHAPE_H

#include <stdint.h>

/* The level is a grid of samples `step` pixels apart, each a Gaussian mean of the picture.
 * A picture that is not decimated (step 1) has no level: rows are filtered, then columns.
 *
 * Sample j lies at pixel (j - margin) * step, and sums the pixels up to decimate_radius away.
 * Pixel x sums the `taps` samples from x / step - before on, of which those outside the level
 * are the nearest one inside. */
struct blur_shape {
    int32_t width_px;
    int32_t height_px;
    int32_t step; /* 0: the picture is copied */
    int32_t decimate_radius; /* weights: one more than twice as many */
    int32_t taps; /* weights: for each of the `step` places of a pixel between two samples */
    int32_t before;
    int32_t margin;
    int32_t columns; /* of the level; for step 1 the picture's */
    int32_t rows;
};

/* On GPUs a sample is four floats. */
#define BLUR_SAMPLE_BYTES 16

#endif
