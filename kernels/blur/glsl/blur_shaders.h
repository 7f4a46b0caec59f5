/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur's compute shaders. Specialization constants from 1 on: light (IMAGE_LIGHT_*), whether alpha
 * is averaged, whether the picture is decimated. */
#ifndef FOVEA_KERNELS_BLUR_GLSL_BLUR_SHADERS_H
#define FOVEA_KERNELS_BLUR_GLSL_BLUR_SHADERS_H

#include "kernels/blur/shape.h"
#include "kernels/operator/shaders.h"

extern const struct shader blur_shader_rows; /* BLUR_SHADER_COLUMNS samples of one row */
extern const struct shader blur_shader_columns; /* a thread, a sample of the level */
extern const struct shader blur_shader_picture; /* a thread, a pixel */

#define BLUR_SHADER_COLUMNS 64u

/* Push constants of all of them. */
struct blur_constants {
    struct blur_shape shape;
    int32_t origin_x_px;
    int32_t origin_y_px;
    float light_value;
    int32_t decimate_at; /* where weights begin in the tables */
    int32_t upsample_at;
};

#endif
