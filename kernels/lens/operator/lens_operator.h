/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens in the table of operators. */
#ifndef FOVEA_KERNELS_LENS_OPERATOR_LENS_OPERATOR_H
#define FOVEA_KERNELS_LENS_OPERATOR_LENS_OPERATOR_H

#include "kernels/operator/operator.h"

extern const struct operator_api lens_operator;
extern const struct operator_glsl_api lens_operator_glsl;
/* Where FOVEA_HAVE_CUDA is 1. */
extern const struct operator_cuda_api lens_operator_cuda;

#endif
