/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parts of a plan that depend on its law. */
#pragma once

#include "kernels/foveate/foveate.h"
#include "kernels/foveate/model/model.h"

/* Fills law, law_table and, if anything is blurred, the levels. plan->fragment_px and sigma_max_px
 * are known. law.strength is 0 if nothing is blurred. */
FOVEA_MUST_CHECK enum fovea_result foveate_plan_fill_law(struct gauss_plan *plan,
                                                         const struct foveate_model *model);

/* Fills law and law_table of the blockwise method with the paper's model, but for the strength. */
FOVEA_MUST_CHECK enum fovea_result foveate_plan_fill_rings(struct gauss_plan *plan,
                                                           const struct foveate_model *model);

/* Returns the largest sigma of any gaze: one outside the picture may ask for more than
 * sigma_max_px. */
double foveate_plan_sigma_bound_px(const struct foveate_model *model);
