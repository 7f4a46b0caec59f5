/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The kernel of Malkin, Deza and Poggio 2020 ("CUDA-Optimized real-time rendering of a Foveated
 * Visual System"), written from its text, as a comparison: the library uses none of it. C and CUDA
 * include this.
 *
 * A block makes a fragment of F x F pixels with the filter that the grid names for it: filter 0
 * copies. The paper says neither what lies beyond the picture nor how results are rounded: here the
 * outermost pixels go on, and the nearest number counts. */
#pragma once

#include <stdint.h>

#define FOVEATION_PAPER_WEIGHTS 15360 /* floats of constant memory */
#define FOVEATION_PAPER_STARTS 1024 /* numbers of constant memory: all of its 64 KB */
#define FOVEATION_PAPER_THREADS 256
#define FOVEATION_PAPER_SIDE 16 /* threads of a block of two dimensions along each axis */

struct foveation_paper_params {
    uint64_t src; /* uint8_t[]: rows without gaps */
    uint64_t dst;
    uint64_t grid; /* uint16_t[]: a filter for each fragment */
    uint64_t weights; /* float[]: what constant memory has */
    uint64_t starts; /* int32_t[]: filter i is from starts[i - 1] to below starts[i] */
    uint64_t scratch; /* float[]: a result of each block, where shared memory has none */
    int32_t width_px;
    int32_t height_px;
    int32_t pixel_bytes; /* 3 or 4; a fourth is copied */
    int32_t fragment_px;
    int32_t first_x_px; /* where the first fragment begins: at most 0 */
    int32_t first_y_px;
    int32_t columns; /* of the grid */
    int32_t longest; /* filter */
};

/* Every pixel its own Gaussian, in two dimensions: the paper's reference. */
struct foveation_pixelwise_params {
    uint64_t src;
    uint64_t dst;
    int32_t width_px;
    int32_t height_px;
    int32_t pixel_bytes;
    float gaze_x_px;
    float gaze_y_px;
    float
        sigma_at_gaze_px; /* sigma = at the gaze + a pixel's distance times slope, at least least */
    float slope;
    float least_px;
    float most_px;
};
