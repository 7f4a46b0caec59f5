/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveate in the table of operators. */
#pragma once

#include "kernels/foveate/foveate.h"
#include "kernels/operator/operator_glsl.h"

extern const struct operator_glsl_api foveate_operator_glsl;
