/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "run.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "kernels/gauss/cpu/common/lanes.h"

#include <stdlib.h>

/* So many bytes fit in the caches of one core; more images at a time would go through memory. */
#define LEVEL_BYTES_PER_WORKER ((size_t)3 << 19)

static void choose_loops(struct gauss_cpu *cpu)
{
    cpu->tiles = &gauss_cpu_tiles_base;
    cpu->nodes = &gauss_cpu_nodes_base;
#ifdef GAUSS_CPU_HAVE_AVX2
    if (!gauss_cpu_runs_avx2()) {
        return;
    }
    cpu->tiles = &gauss_cpu_tiles_avx2;
    cpu->nodes = &gauss_cpu_nodes_avx2;
    if (gauss_cpu_runs_avx512()) {
        cpu->tiles = &gauss_cpu_tiles_avx512;
        cpu->nodes = &gauss_cpu_nodes_avx512;
    }
#endif
}

/* ---- Levels: of so many images at once, or of as many as fit in the caches of the workers; a
 * batch's further images come after them */

static enum fovea_result grow_levels(struct gauss_cpu *cpu, uint32_t image_count)
{
    const size_t floats = gauss_cpu_level_floats(cpu);
    const size_t workers = cpu->workers.count ? cpu->workers.count : 1;
    const size_t most = workers * LEVEL_BYTES_PER_WORKER / (floats * sizeof *cpu->samples);
    const size_t fitting = image_count < most ? image_count : most;
    const size_t count = fitting ? fitting : 1;
    if (count <= cpu->image_capacity) {
        return FOVEA_OK;
    }
    float *samples = large_memory_make(count * floats, sizeof *samples);
    FOVEA_TRY_MEMORY(samples);
    large_memory_free(cpu->samples);
    cpu->samples = samples;
    cpu->image_capacity = (uint32_t)count;
    return FOVEA_OK;
}

/* ---- Workers */

/* A thread takes as long to wake as another takes for some thousand pixels. */
#define PIXELS_PER_WORKER 2048

/* More workers than a frame has chunks would only hold memory. */
uint32_t gauss_cpu_count_workers(const struct gauss_cpu *cpu, uint32_t image_count)
{
    const struct gauss_plan *plan = cpu->plan;
    const uint32_t wanted = thread_pool_worker_max(cpu->pool);
    const uint64_t chunks = (uint64_t)(plan->height_px / GAUSS_CPU_SMOOTH_ROWS + 2) * image_count;
    const uint64_t pixels = (uint64_t)plan->width_px * plan->height_px * image_count;
    const uint64_t worth = pixels / PIXELS_PER_WORKER + 1;
    const uint64_t useful = worth < chunks ? worth : chunks;
    return wanted < useful ? wanted : (uint32_t)useful;
}

/* run.c's worker_of lays these floats out. */
static enum fovea_result grow_workers(struct gauss_cpu *cpu, uint32_t image_count)
{
    const size_t row = (size_t)cpu->plan->width_px * GAUSS_CPU_MAX_CHANNELS;
    return worker_floats_grow(&cpu->workers, cpu->pool, gauss_cpu_count_workers(cpu, image_count),
                              GAUSS_CPU_TILE_LINE + cpu->tile_floats + cpu->nodes_floats + row);
}

enum fovea_result gauss_cpu_reserve(struct gauss_cpu *cpu, const struct operator_images *batch)
{
    FOVEA_TRY(grow_workers(cpu, batch->count));
    return grow_levels(cpu, batch->src_next_bytes == 0 ? 1 : batch->count);
}

/* ---- Create and destroy */

static enum fovea_result make(struct gauss_cpu *cpu)
{
    choose_loops(cpu);
    gauss_cpu_lights_init(&cpu->lights, cpu->plan);
    cpu->slope = gauss_slope_of(cpu->plan);
    FOVEA_TRY(gauss_cpu_ladder_init(&cpu->ladder, cpu->plan, cpu->slope.sigma_px));
    cpu->tile_floats = gauss_cpu_tile_floats(cpu->plan->width_px);
    cpu->nodes_floats = gauss_cpu_nodes_floats();
    FOVEA_TRY(grow_levels(cpu, 1));
    return grow_workers(cpu, 1);
}

enum fovea_result gauss_cpu_create(struct thread_pool *pool, const struct gauss_plan *plan,
                                   struct gauss_cpu **out_cpu)
{
    struct gauss_cpu *cpu = calloc(1, sizeof *cpu);
    *out_cpu = cpu;
    FOVEA_TRY_MEMORY(cpu);
    cpu->plan = plan;
    cpu->pool = pool;
    const enum fovea_result result = make(cpu);
    if (result < 0) {
        gauss_cpu_destroy(out_cpu);
    }
    return result;
}

void gauss_cpu_destroy(struct gauss_cpu **cpu)
{
    struct gauss_cpu *own = cpu ? *cpu : NULL;
    if (!own) {
        return;
    }
    worker_floats_free(&own->workers);
    large_memory_free(own->samples);
    gauss_cpu_ladder_finish(&own->ladder);
    free(own);
    *cpu = NULL;
}

void gauss_cpu_set_of_light(struct gauss_cpu *cpu, bool of_light)
{
    cpu->of_light = of_light;
}
