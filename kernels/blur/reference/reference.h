/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Declarations that the files of the reference share. */
#pragma once

#include "kernels/blur/blur.h"

/* BLUR_FFT. */
FOVEA_MUST_CHECK enum fovea_result blur_reference_convolve(const struct blur_numbers *numbers,
                                                           const struct blur_picture *picture,
                                                           const double *src, double *dst);
