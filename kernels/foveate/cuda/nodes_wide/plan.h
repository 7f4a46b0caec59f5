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

struct foveate_wide_tables {
    struct foveate_wide_node nodes[FOVEATE_LADDER_NODES];
    float *matrices; /* on the heap */
    size_t matrix_bytes;
};

/* Fills node_count and end too, for a plan that blurs. */
FOVEA_MUST_CHECK enum fovea_result foveate_wide_fill(const struct foveate_plan *plan,
                                                     struct foveate_cuda_smooth *smooth,
                                                     struct foveate_wide_tables *out_tables);

#endif
