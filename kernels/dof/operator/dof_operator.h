/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* dof's backends beside the processor. */
#ifndef FOVEA_KERNELS_DOF_OPERATOR_DOF_OPERATOR_H
#define FOVEA_KERNELS_DOF_OPERATOR_DOF_OPERATOR_H

#include "kernels/dof/dof.h"

extern const struct operator_glsl_api dof_operator_glsl;

#endif
