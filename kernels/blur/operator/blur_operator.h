/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Engines on Vulkan, and what blur is there. */
#ifndef FOVEA_KERNELS_BLUR_OPERATOR_BLUR_OPERATOR_H
#define FOVEA_KERNELS_BLUR_OPERATOR_BLUR_OPERATOR_H

#include "kernels/blur/plan.h"

struct blur_passes;

struct blur_glsl_engine {
    double most_sigma_px; /* with one sigma for all pixels; none takes pictures of them */
    uint64_t (*samples)(const struct blur_plan *plan); /* that passes leave for each other */
    void (*add)(struct blur_passes *list);
};

extern const struct blur_glsl_engine blur_glsl_quasi;
extern const struct blur_glsl_engine blur_glsl_box;
extern const struct blur_glsl_engine blur_glsl_diffusion;
extern const struct blur_glsl_engine blur_glsl_spread;

extern const struct operator_glsl_api blur_operator_glsl;

#endif
