/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method's part of a plan. */
#ifndef FOVEA_KERNELS_FOVEATE_PLAN_SMOOTH_H
#define FOVEA_KERNELS_FOVEATE_PLAN_SMOOTH_H

#include "foveate.h"
#include "foveate_model.h"

/* Fills law, law_table and, where anything is blurred, the levels. plan->sigma_max_px is known. */
FOVEA_MUST_CHECK enum fovea_result foveate_plan_fill_smooth(struct foveate_plan *plan,
                                                            const struct foveate_model *model);

#endif
