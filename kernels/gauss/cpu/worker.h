/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The scratch memory that a worker makes levels and pixels of a plan in. */
#ifndef FOVEA_KERNELS_GAUSS_CPU_WORKER_H
#define FOVEA_KERNELS_GAUSS_CPU_WORKER_H

#include "kernels/gauss/cpu/nodes/ladder.h"

struct gauss_cpu_worker {
    float *memory;
    float *tile; /* levels and tiles of one level are made in it */
    float *nodes; /* tiles are blended in it */
    float *values; /* a row as the codec reads it */
};

/* On failure finish it all the same. */
FOVEA_MUST_CHECK enum fovea_result gauss_cpu_worker_init(struct gauss_cpu_worker *worker,
                                                         const struct gauss_plan *plan,
                                                         const struct gauss_cpu_ladder *ladder);
void gauss_cpu_worker_finish(struct gauss_cpu_worker *worker);

#endif
