/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens on the processor: the functions of struct operator_host_api. */
#ifndef FOVEA_KERNELS_LENS_CPU_LENS_CPU_H
#define FOVEA_KERNELS_LENS_CPU_LENS_CPU_H

#include "kernels/operator/operator.h"

FOVEA_MUST_CHECK enum fovea_result lens_cpu_create(struct thread_pool *pool,
                                                   const struct operator_plan *plan,
                                                   struct operator_host **out_host);
void lens_cpu_destroy(struct operator_host **host);
FOVEA_MUST_CHECK enum fovea_result lens_cpu_reserve(struct operator_host *host,
                                                    const struct operator_images *images);
void lens_cpu_run(struct operator_host *host, const struct operator_images *images,
                  const struct operator_frame *frame);

#endif
