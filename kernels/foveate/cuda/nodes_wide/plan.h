/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A plan as the kernels of foveate/cuda/nodes_wide/wide.cuh see it: the nodes of its ladder and
 * their matrices of floats. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_NODES_WIDE_PLAN_H
#define FOVEA_KERNELS_FOVEATE_CUDA_NODES_WIDE_PLAN_H

#include "kernels/foveate/cuda/common/params.h"
#include "kernels/foveate/foveate.h"
#include "kernels/foveate/plan/ladder.h"

#include <stddef.h>

/* Fills what does not lie in memory, and the table of nodes and their matrices, which is on the
 * heap; there is none for a plan that does not blur. */
FOVEA_MUST_CHECK enum fovea_result foveate_wide_fill(const struct foveate_plan *plan,
                                                     struct foveate_cuda_smooth *out_smooth,
                                                     void **out_table, size_t *out_bytes);
/* Returns where the matrices lie behind the nodes. */
static inline size_t foveate_wide_matrices_at(void)
{
    return FOVEATE_LADDER_NODES * sizeof(struct foveate_wide_node);
}

#endif
