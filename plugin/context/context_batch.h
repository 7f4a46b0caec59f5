/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether the images of a batch, or the two of a frame, can be worked on together. */
#ifndef FOVEA_CONTEXT_BATCH_H
#define FOVEA_CONTEXT_BATCH_H

#include "context_backend.h"
#include "context_image.h"

/* What fovea_context_run_batch was given, as a frame; of batch nothing is checked before. Fills in
 * pixel strides; distances that do not count become 0. False: out_problem says why. */
bool context_batch_take(const struct fovea_batch *batch, struct context_frame *out_frame,
                        char out_problem[CONTEXT_PROBLEM_BYTES]);

/* The images of a frame, alone and against each other; also fills in pixel strides. */
bool context_batch_check_images(struct context_frame *frame,
                                char out_problem[CONTEXT_PROBLEM_BYTES]);

#endif
