/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The table of operators. */
#pragma once

#include "kernels/operator/operator_glsl.h"

const struct operator_api *operators_at(enum fovea_operator name);
