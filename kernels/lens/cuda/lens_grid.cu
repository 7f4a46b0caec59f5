/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens of RGBA8 with places from a grid: the kernels of lens.cu, by another way to a place. Bound
 * by instructions, as those are. */

#include "kernels.cuh"

LENS_BYTE_KERNELS(lens_grid, lens_by_grid)
