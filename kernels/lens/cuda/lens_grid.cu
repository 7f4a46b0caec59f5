/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens with places from a grid: the kernels of lens.cu, by another way to a place. Bound by
 * instructions, as those are. */

#include "grid.cuh"
#include "kernels.cuh"

LENS_FORMATS(lens_grid, lens_grid_places)
LENS_BYTE_KERNELS(lens_grid, lens_by_grid, lens_samples_by_grid)
