/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A plan's frames on the cpu: levels, then tiles of one of them (gauss/cpu/tiles/tile.h) or
 * tiles blended from nodes (gauss/cpu/nodes/nodes.h), shared out to workers. gauss_cpu.c has their
 * memory, run.c runs batches. */
#pragma once

#include "core/thread_pool.h"
#include "core/thread_steps.h"
#include "kernels/gauss/cpu/nodes/nodes.h"
#include "kernels/gauss/cpu/tiles/tile.h"
#include "kernels/gauss/plan/slope.h"
#include "kernels/operator/worker_floats.h"

/* The fewest rows that a worker takes at a time. */
#define GAUSS_CPU_SMOOTH_ROWS 16

/* A worker makes levels and pixels in this. */
struct gauss_cpu_worker {
    float *tile; /* levels and tiles of one level are made in it */
    float *nodes; /* tiles are blended in it */
    float *values; /* a row as the codec reads it */
};

/* Rows of a level, of the image, or of tiles. */
struct gauss_cpu_rows {
    int32_t level;
    int32_t first;
    int32_t end;
};

/* One pass over images of the group: the same rows of each, a few at a time, which is a chunk. */
struct gauss_cpu_step {
    void (*rows_fn)(const struct gauss_cpu_picture *picture, const struct gauss_cpu *cpu,
                    const struct gauss_cpu_worker *worker, struct gauss_cpu_rows rows);
    struct gauss_cpu_rows rows;
    int32_t rows_at_once;
    int32_t image_count; /* images of the group, from its first */
};

struct gauss_cpu {
    const struct gauss_plan *plan;
    struct thread_pool *pool;
    struct pixel_lights lights;
    const struct gauss_cpu_tiles *tiles;
    const struct gauss_cpu_nodes *nodes;
    struct gauss_slope slope;
    struct gauss_cpu_ladder ladder;
    float *samples; /* the levels of image_capacity images, one image's after the other's */
    uint32_t image_capacity; /* at least 1 */
    struct worker_floats workers; /* a struct gauss_cpu_worker lies in each's */
    size_t tile_floats, nodes_floats; /* of each worker */
    bool of_light; /* pictures of floats are light */
    /* The batch under way. */
    const struct operator_images *batch;
    const struct gauss_frame *frame;
    const struct pixel_light *light; /* NULL: stored values are averaged */
    const struct pixel_codec *codec;
    uint32_t channels; /* averaged channels */
    bool in_tiles; /* of one level (gauss/cpu/tiles/tile.h); else of nodes, or copied */
    uint32_t running; /* workers that take part */
    int32_t first, count; /* images whose levels are in memory together: the group */
    int32_t alone; /* images that are made before the group's, each by one worker: step 0 */
    struct gauss_cpu_step steps[THREAD_STEPS_MAX];
    struct thread_steps chunks; /* chunks of these steps */
};

/* Returns how many workers are worth it for so many images. */
uint32_t gauss_cpu_count_workers(const struct gauss_cpu *cpu, uint32_t image_count);

/* Whole registers are read beyond the last sample. */
static inline size_t gauss_cpu_level_floats(const struct gauss_cpu *cpu)
{
    const size_t slack = 32;
    return (size_t)cpu->plan->level_samples * GAUSS_CPU_MAX_CHANNELS + slack;
}
