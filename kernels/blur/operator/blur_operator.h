/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur on Vulkan and CUDA. */
#ifndef FOVEA_KERNELS_BLUR_OPERATOR_BLUR_OPERATOR_H
#define FOVEA_KERNELS_BLUR_OPERATOR_BLUR_OPERATOR_H

#include "kernels/operator/operator.h"

extern const struct operator_glsl_api blur_operator_glsl;
extern const struct operator_cuda_api blur_operator_cuda; /* where FOVEA_HAVE_CUDA is 1 */

#endif
