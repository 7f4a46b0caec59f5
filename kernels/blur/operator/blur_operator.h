/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur in the table of operators. */
#ifndef FOVEA_KERNELS_BLUR_OPERATOR_BLUR_OPERATOR_H
#define FOVEA_KERNELS_BLUR_OPERATOR_BLUR_OPERATOR_H

#include "kernels/operator/operator.h"

extern const struct operator_api blur_operator;
extern const struct operator_glsl_api blur_operator_glsl;
/* Where FOVEA_HAVE_CUDA is 1. */
extern const struct operator_cuda_api blur_operator_cuda;

#endif
