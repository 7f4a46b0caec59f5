/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Operators one after the other, as one operator: pictures go through those that the setting
 * "operators" lists, in its order. Contexts, peers and the frame loop run this one, and it alone
 * looks into the table.
 *
 *     source -> operator -> image between -> operator -> ... -> result
 *
 * A chain of one operator is that operator: the same kernels on the same images. Longer ones have
 * one image between two operators, or two images by turns (operator_plan.images_between).
 *
 * Where there is no gaze (operator_frame.blind, or an image's in host memory that is not finite)
 * pictures go past the operators that look at it; of those at least one does not
 * (chain_runs_blind). */
#pragma once

#include "kernels/operator/operator_glsl.h"

extern const struct operator_api chain_operator;

/* True if something is done to pictures without a gaze: an operator of them does not look at it. */
bool chain_runs_blind(const struct fovea_operators *operators);

/* True if an operator of them takes pictures of sigmas. */
bool chain_takes_sigmas(const struct fovea_operators *operators);

/* True if an operator of them needs pictures of depths. */
bool chain_needs_depth(const struct fovea_operators *operators);

/* True if an operator after the first one that looks at the gaze moves pixels. */
bool chain_moves_places(const struct operator_plan *plan);

/* The gaze of somebody who looks at a place of the chain's result, both in uv: where that place was
 * in the picture that the first operator that looks at the gaze reads. A place outside counts as
 * the nearest one inside. */
struct fovea_point_uv chain_gaze_at(const struct operator_plan *plan, struct fovea_point_uv place);

/* The other way round: the place of the result that shows the gaze, or about the nearest to it
 * where none does. */
struct fovea_point_uv chain_place_of(const struct operator_plan *plan, struct fovea_point_uv gaze);

/* The plan of the only operator of a chain's plan; NULL: there are several. */
const struct operator_plan *chain_only_plan(const struct operator_plan *plan);
