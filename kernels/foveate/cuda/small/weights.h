/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The weights of small pictures (foveate/cuda/small/params.h) as operands in lane order: from the
 * picture to levels, blurs by the nodes of each level, and from levels to pixels. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_WEIGHTS_H
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_WEIGHTS_H

#include "blend.h"

#define FOVEATE_SMALL_OPERANDS_MOST 256

/* Fills the first FOVEATE_SMALL_OPERANDS_MOST operands of tables->halves and says in `small`, whose
 * spacing and axes are known, where each lies. */
FOVEA_MUST_CHECK enum fovea_result foveate_small_write_weights(
    const struct foveate_small_sets *sets, struct foveate_small *small,
    struct foveate_small_tables *tables);

#endif
