/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The compute shaders of blur's engines. Specialization constants from 1 on: light (IMAGE_LIGHT_*),
 * whether alpha is averaged, and BLUR_SHADER_*. Push constants: those of passes.h. Tables are a
 * display's samples, or one number; passes leave four floats a sample for each other. */
#pragma once

#include "kernels/operator/shaders.h"

#define BLUR_SHADER_FROM_SOURCE 1 /* it reads the view, not samples */
#define BLUR_SHADER_TO_RESULT 2
/* Times the number of what it does, by enum blur_work from its first on. */
#define BLUR_SHADER_WORK 4

extern const struct shader blur_shader_boxes;
extern const struct shader blur_shader_lines;
extern const struct shader blur_shader_levels;
extern const struct shader blur_shader_heat;
