/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A program's picture of depths, and what has been in focus in the images of a context. */
#pragma once

#include "context_image.h"
#include "kernels/operator/operator.h"

/* Copies what a program gives, and what its values mean is right; false: out_problem says what is
 * not. NULL is none, whose data is NULL. */
bool context_depth_take(const struct fovea_depth *given, struct fovea_depth *out_depth,
                        char out_problem[CONTEXT_PROBLEM_BYTES]);
/* Checks what its values mean and the focus alone, whatever it says of a picture. */
bool context_depth_check_values(const struct fovea_depth *depth,
                                char out_problem[CONTEXT_PROBLEM_BYTES]);
/* An image that lies as its picture does. */
struct fovea_image context_depth_image(const struct fovea_depth *depth);

struct context_focuses {
    struct operator_focus *of; /* of each image of a batch */
    uint32_t count;
};
/* There are so many; what is new has been nowhere. On failure everything is as it was. */
FOVEA_MUST_CHECK enum fovea_result context_focuses_grow(struct context_focuses *focuses,
                                                        uint32_t count);
void context_focuses_finish(struct context_focuses *focuses);
