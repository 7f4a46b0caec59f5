/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens's compute shader. Specialization constants from 1 on: light (IMAGE_LIGHT_*), whether alpha
 * is interpolated, and the filter (LENS_*), with LENS_SHADER_COLORED more where colours come from
 * different places, LENS_SHADER_GRID more where places come from a grid, and LENS_SHADER_SAMPLES
 * more for each place either way beyond the first that a pixel is the mean of. */
#pragma once

#include "kernels/lens/shape.h"
#include "kernels/operator/shaders.h"

#define LENS_SHADER_COLORED 3
#define LENS_SHADER_GRID 6
#define LENS_SHADER_SAMPLES 12

extern const struct shader lens_shader; /* a thread, a pixel */

/* Its push constants. */
struct lens_constants {
    struct lens_shape shape;
    int32_t origin_x_px;
    int32_t origin_y_px;
    float light_value;
    int32_t moves_from; /* number of the table's first float that is a grid's */
};
