/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parts of a plan that depend on a law: all of the smooth method's plan, and blockwise's for
 * every model but the paper's. */
#ifndef FOVEA_KERNELS_FOVEATE_PLAN_SMOOTH_H
#define FOVEA_KERNELS_FOVEATE_PLAN_SMOOTH_H

#include "kernels/foveate/foveate.h"
#include "kernels/foveate/model/model.h"

/* Fills law and law_table; law.strength is 0 if nothing is blurred. */
FOVEA_MUST_CHECK enum fovea_result foveate_plan_fill_law(struct foveate_plan *plan,
                                                         const struct foveate_model *model);

/* Returns the largest sigma of any gaze: one outside the picture may ask for more than
 * sigma_max_px. */
double foveate_plan_sigma_bound_px(const struct foveate_model *model);

/* Fills law, law_table and, if anything is blurred, the levels. plan->sigma_max_px is known. */
FOVEA_MUST_CHECK enum fovea_result foveate_plan_fill_smooth(struct foveate_plan *plan,
                                                            const struct foveate_model *model);

/* Returns the largest tangent of a pixel from the view's axis. */
double foveate_plan_farthest_tangent(const struct foveate_plan *plan);

/* Returns what struct operator_plan has under that name. */
double foveate_plan_soft_from_px(const struct foveate_plan *plan);

/* Lays out that many levels: plan->levels, level_count and level_samples. */
void foveate_plan_lay_levels(struct foveate_plan *plan, uint32_t level_count);

/* For blockwise by a law, fills law and law_table and, if anything is blurred, rings with a bank of
 * filters; fragment_px is known. The caller makes the taps, of foveate_plan_bank_sigma_px. */
FOVEA_MUST_CHECK enum fovea_result foveate_plan_fill_bank(struct foveate_plan *plan,
                                                          const struct foveate_model *model);
double foveate_plan_bank_sigma_px(const struct foveate_plan *plan, uint32_t i);

#endif
