/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The table of operators. */
#ifndef FOVEA_KERNELS_OPERATORS_H
#define FOVEA_KERNELS_OPERATORS_H

#include "kernels/operator/operator_glsl.h"

const struct operator_api *operators_at(enum fovea_operator name);

#endif
