/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveate in the table of operators. */
#ifndef FOVEA_KERNELS_FOVEATE_OPERATOR_FOVEATE_OPERATOR_H
#define FOVEA_KERNELS_FOVEATE_OPERATOR_FOVEATE_OPERATOR_H

#include "kernels/foveate/foveate.h"

extern const struct operator_api foveate_operator;
extern const struct operator_glsl_api foveate_operator_glsl;

/* For operators whose plan begins with a struct foveate_plan: its backends, the shaders without
 * what foveate draws over a picture; foveate_operator_cuda serves as it is. */
extern const struct operator_glsl_api foveate_machine_glsl;
FOVEA_MUST_CHECK enum fovea_result foveate_host_create(struct thread_pool *pool,
                                                       const struct operator_plan *plan,
                                                       struct operator_host **out_host);
void foveate_host_destroy(struct operator_host **host);
FOVEA_MUST_CHECK enum fovea_result foveate_host_reserve(struct operator_host *host,
                                                        const struct operator_images *images);
void foveate_host_run(struct operator_host *host, const struct operator_images *images,
                      const struct operator_frame *frame);

#endif
