/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The arguments of fovea_context_run_batch_gradient. */
#pragma once

#include "context_backend.h"
#include "context_image.h"

/* Nothing of batch is checked before. Fills in pixel strides; distances that do not count become 0.
 * If the operators run blind (chain_runs_blind), images may lack gazes. False: out_problem says
 * why. */
bool context_gradient_take(const struct fovea_batch_gradient *batch, bool runs_blind,
                           struct context_gradient *out, char out_problem[CONTEXT_PROBLEM_BYTES]);

/* Formats whose values are numbers without a curve, and may be negative. */
bool context_gradient_has_format(enum fovea_format format);
