/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A plan's frames on the cpu: levels, then tiles of one of them (gauss/cpu/tiles/tile.h) or
 * tiles blended from nodes (gauss/cpu/nodes/nodes.h), shared out to workers. */
#ifndef FOVEA_KERNELS_GAUSS_CPU_RUN_H
#define FOVEA_KERNELS_GAUSS_CPU_RUN_H

#include "core/thread_pool.h"
#include "kernels/gauss/cpu/common/picture.h"

struct gauss_cpu_smooth;

/* The fewest rows that a worker takes at a time. */
#define GAUSS_CPU_SMOOTH_ROWS 16

/* Creates it with the levels of one image, and without workers. */
FOVEA_MUST_CHECK enum fovea_result gauss_cpu_smooth_create(const struct gauss_plan *plan,
                                                           struct gauss_cpu_smooth **out_smooth);
void gauss_cpu_smooth_destroy(struct gauss_cpu_smooth **smooth);

/* On failure everything is as it was. */
FOVEA_MUST_CHECK enum fovea_result gauss_cpu_smooth_grow_workers(struct gauss_cpu_smooth *smooth,
                                                                 uint32_t worker_count);
/* Allocates levels for so many images at once, or for as many as fit in the caches of the workers;
 * a batch's further images come after them. */
FOVEA_MUST_CHECK enum fovea_result gauss_cpu_smooth_grow_levels(struct gauss_cpu_smooth *smooth,
                                                                uint32_t image_count);

struct gauss_cpu_smooth_run {
    struct thread_pool *pool;
    uint32_t worker_count; /* workers that take part: at most as many as it has grown to */
    const struct operator_images *batch;
    const struct gauss_frame *frame;
    const struct pixel_light *light; /* NULL: stored values are averaged */
    bool of_light; /* struct gauss_cpu_picture's */
};

void gauss_cpu_smooth_run(struct gauss_cpu_smooth *smooth, const struct gauss_cpu_smooth_run *run);

#endif
