/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method on the cpu makes fragments of UNORM pictures from levels
 * (foveate/cpu/blockwise/fragments.h); floats and wide light take bands of fragments from pixels
 * (foveate/cpu/blockwise/band.h). */
#ifndef FOVEA_KERNELS_FOVEATE_CPU_BLOCKWISE_BLOCKWISE_H
#define FOVEA_KERNELS_FOVEATE_CPU_BLOCKWISE_BLOCKWISE_H

#include "band.h"
#include "fragments.h"

/* 10 bits in light may ask for other filters. */
#define FOVEATE_CPU_DEPTHS 2

struct foveate_cpu_blockwise {
    struct foveate_plan
        plan; /* the plan and the levels that fragments come from; none: bands make all */
    const struct foveate_cpu_fragments *fragments;
    foveate_cpu_line_fn line;
    struct foveate_fragment_filters filters[FOVEATE_CPU_DEPTHS]; /* for 8 and for 10 bits */
};

FOVEA_MUST_CHECK enum fovea_result foveate_cpu_blockwise_init(struct foveate_cpu_blockwise *own,
                                                              const struct foveate_plan *plan);
void foveate_cpu_blockwise_finish(struct foveate_cpu_blockwise *own);

/* The scratch memory of a worker that makes fragments. */
size_t foveate_cpu_blockwise_floats(const struct foveate_cpu_blockwise *own);

/* Makes row index_y of the grid, which may lie outside the picture: fragments from levels, and from
 * pixels. */
void foveate_cpu_blockwise_fragments(const struct foveate_cpu_blockwise *own,
                                     const struct foveate_cpu_picture *picture, float *scratch,
                                     int32_t index_y);
void foveate_cpu_blockwise_band(const struct foveate_cpu_blockwise *own,
                                const struct foveate_cpu_picture *picture,
                                struct foveate_cpu_scratch *scratch, int32_t index_y);

#endif
