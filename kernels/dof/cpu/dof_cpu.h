/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* dof on the processor: struct operator_host_api's entries. */
#ifndef FOVEA_KERNELS_DOF_CPU_DOF_CPU_H
#define FOVEA_KERNELS_DOF_CPU_DOF_CPU_H

#include "kernels/operator/operator.h"

FOVEA_MUST_CHECK enum fovea_result dof_cpu_create(struct thread_pool *pool,
                                                  const struct operator_plan *plan,
                                                  struct operator_host **out_host);
void dof_cpu_destroy(struct operator_host **host);
FOVEA_MUST_CHECK enum fovea_result dof_cpu_reserve(struct operator_host *host,
                                                   const struct operator_images *images);
void dof_cpu_run(struct operator_host *host, const struct operator_images *images,
                 const struct operator_frame *frame);

#endif
