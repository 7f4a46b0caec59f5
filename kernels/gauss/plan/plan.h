/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Plans of all kinds are made with these. */
#ifndef FOVEA_KERNELS_GAUSS_PLAN_PLAN_H
#define FOVEA_KERNELS_GAUSS_PLAN_PLAN_H

#include "kernels/gauss/gauss.h"

/* Fills the levels, and sigma_bound_px, for a law whose largest sigma of any gaze is sigma_px. The
 * plan's size and light are known. */
void gauss_plan_fill_levels(struct gauss_plan *plan, double sigma_px);

#endif
