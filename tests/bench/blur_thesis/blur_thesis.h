/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The ways to blur of M. Ernst, "Comparison of Image Blurring Techniques on Modern Graphics
 * Processing Hardware" (TU Wien 2013), written from its text, as a comparison: the library uses
 * none of them. C and CUDA include this. Pictures are float4[], rows without gaps, as the thesis
 * has them; beyond the picture the outermost pixels go on, which it does not say. */
#pragma once

#include <stdint.h>

#define BLUR_THESIS_WEIGHTS 8192 /* floats of constant memory */
#define BLUR_THESIS_LINKS 8000 /* numbers of constant memory */
#define BLUR_THESIS_SIDE 32 /* threads of a block of a convolution in two dimensions, each axis */
#define BLUR_THESIS_LINE 128 /* threads along what a separable pass blurs; 2 lines a block */
#define BLUR_THESIS_SCAN 256 /* threads of a row's scan */
#define BLUR_THESIS_TILE 16 /* threads of a block of all else, along each axis */
#define BLUR_THESIS_TAPS_3 19 /* of sigma 3 and 6, for loops that the compiler unrolls */
#define BLUR_THESIS_TAPS_6 37

struct blur_thesis_params {
    uint64_t src; /* float4[], or a texture of it */
    uint64_t dst; /* float4[] */
    uint64_t weights; /* float[], or a texture of it */
    int32_t width_px; /* of what is written */
    int32_t height_px;
    int32_t from_width_px; /* of what is read */
    int32_t from_height_px;
    int32_t taps; /* odd; of a summed-area table: look-ups of a pass */
    int32_t step_px; /* of a summed-area table: between look-ups */
    int32_t move_x_px; /* of spreading: where to */
    int32_t move_y_px;
    int32_t border_px; /* that spreading leaves out */
    float factor;
};
