/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveate in the table of operators. */
#ifndef FOVEA_KERNELS_FOVEATE_OPERATOR_FOVEATE_OPERATOR_H
#define FOVEA_KERNELS_FOVEATE_OPERATOR_FOVEATE_OPERATOR_H

#include "kernels/foveate/foveate.h"
#include "kernels/operator/operator_glsl.h"

extern const struct operator_api foveate_operator;
extern const struct operator_glsl_api foveate_operator_glsl;

#endif
