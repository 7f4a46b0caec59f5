/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Turns a shape into what the kernels of RGBA8 take, whose places are whole numbers of steps. */
#ifndef FOVEA_KERNELS_LENS_CUDA_FIXED_H
#define FOVEA_KERNELS_LENS_CUDA_FIXED_H

#include "kernels/lens/lens.h"
#include "params.h"

/* shape: the plan's, for images of RGBA8. */
struct lens_fixed lens_fixed_of(const struct lens_plan *plan, const struct lens_shape *shape);

#endif
