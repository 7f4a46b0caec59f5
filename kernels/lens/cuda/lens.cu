/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens in one launch, with places by the polynomial, which registers hold: nothing lies in memory
 * between. A thread makes some pixels, one below the other, so that neighbouring threads read and
 * write neighbouring pixels. */

#include "kernels.cuh"

LENS_FORMATS(lens, lens_formula_places)
LENS_BYTE_KERNELS(lens, lens_by_formula, lens_samples_by_formula)
