/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A plan as the kernels of gauss/cuda/nodes_wide/wide.cuh see it: the nodes of its ladder and
 * their matrices of floats. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_PLAN_H
#define FOVEA_KERNELS_GAUSS_CUDA_NODES_WIDE_PLAN_H

#include "kernels/gauss/cuda/common/params.h"
#include "kernels/gauss/gauss.h"
#include "kernels/gauss/plan/ladder.h"

#include <stddef.h>

/* Fills what does not lie in memory, and the table of nodes and their matrices, which is on the
 * heap; there is none for a plan that does not blur. */
FOVEA_MUST_CHECK enum fovea_result gauss_wide_fill(const struct gauss_plan *plan,
                                                   struct gauss_cuda_smooth *out_smooth,
                                                   void **out_table, size_t *out_bytes);
/* Returns where the matrices lie behind the nodes. */
static inline size_t gauss_wide_matrices_at(void)
{
    return GAUSS_LADDER_NODES * sizeof(struct gauss_wide_node);
}

#endif
