/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/gauss/gauss.h"

#include "core/log.h"
#include "core/thread_pool.h"
#include "run.h"

#include <assert.h>
#include <stdlib.h>

struct gauss_cpu {
    const struct gauss_plan *plan;
    struct thread_pool *pool;
    struct thread_pool *own_pool; /* NULL: others own the pool */
    struct pixel_lights lights;
    struct gauss_cpu_smooth *smooth;
    uint32_t wanted_workers; /* of the pool; the system may have given fewer */
    bool of_light; /* pictures of floats are light */
    uint32_t worker_count; /* scratch memory is there for so many; the pool may have more */
};

/* ---- Workers */

/* A thread takes as long to wake as another takes for some thousand pixels. */
#define PIXELS_PER_WORKER 2048

/* More workers than a frame has chunks would only hold memory. */
static uint32_t count_workers(const struct gauss_cpu *cpu, uint32_t image_count)
{
    const struct gauss_plan *plan = cpu->plan;
    const uint32_t wanted = thread_pool_worker_max(cpu->pool);
    const uint64_t chunks = (uint64_t)(plan->height_px / GAUSS_CPU_SMOOTH_ROWS + 2) * image_count;
    const uint64_t pixels = (uint64_t)plan->width_px * plan->height_px * image_count;
    const uint64_t worth = pixels / PIXELS_PER_WORKER + 1;
    const uint64_t useful = worth < chunks ? worth : chunks;
    return wanted < useful ? wanted : (uint32_t)useful;
}

static enum fovea_result grow_workers(struct gauss_cpu *cpu, uint32_t image_count)
{
    const uint32_t wanted = count_workers(cpu, image_count);
    if (wanted <= cpu->wanted_workers) {
        return FOVEA_OK;
    }
    const uint32_t there = thread_pool_grow(cpu->pool, wanted);
    const uint32_t count = there < wanted ? there : wanted;
    FOVEA_TRY(gauss_cpu_smooth_grow_workers(cpu->smooth, count));
    cpu->worker_count = count;
    cpu->wanted_workers = wanted;
    return FOVEA_OK;
}

static uint32_t count_sources(const struct operator_images *batch)
{
    return batch->src_next_bytes == 0 ? 1 : batch->count;
}

enum fovea_result gauss_cpu_reserve(struct gauss_cpu *cpu, const struct operator_images *batch)
{
    FOVEA_TRY(grow_workers(cpu, batch->count));
    return gauss_cpu_smooth_grow_levels(cpu->smooth, count_sources(batch));
}

/* ---- Create and destroy */

static enum fovea_result make_workers(struct gauss_cpu *cpu)
{
    FOVEA_TRY(gauss_cpu_smooth_create(cpu->plan, &cpu->smooth));
    return grow_workers(cpu, 1);
}

enum fovea_result gauss_cpu_create_in(struct thread_pool *pool, const struct gauss_plan *plan,
                                      struct gauss_cpu **out_cpu)
{
    *out_cpu = NULL;
    struct gauss_cpu *cpu = calloc(1, sizeof *cpu);
    if (!cpu) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    cpu->plan = plan;
    cpu->pool = pool;
    gauss_cpu_lights_init(&cpu->lights, plan);
    const enum fovea_result result = make_workers(cpu);
    if (result < 0) {
        gauss_cpu_destroy(&cpu);
        return result;
    }
    *out_cpu = cpu;
    return FOVEA_OK;
}

enum fovea_result gauss_cpu_create(const struct gauss_plan *plan, uint32_t thread_count,
                                   struct gauss_cpu **out_cpu)
{
    struct thread_pool *pool = NULL;
    *out_cpu = NULL;
    FOVEA_TRY(thread_pool_create(thread_count, &pool));
    const enum fovea_result result = gauss_cpu_create_in(pool, plan, out_cpu);
    if (result < 0) {
        thread_pool_destroy(&pool);
        return result;
    }
    (*out_cpu)->own_pool = pool;
    return FOVEA_OK;
}

void gauss_cpu_destroy(struct gauss_cpu **cpu)
{
    if (!cpu || !*cpu) {
        return;
    }
    struct gauss_cpu *own = *cpu;
    thread_pool_destroy(&own->own_pool);
    gauss_cpu_smooth_destroy(&own->smooth);
    free(own);
    *cpu = NULL;
}

const struct gauss_plan *gauss_cpu_plan(const struct gauss_cpu *cpu)
{
    return cpu->plan;
}

/* ---- Frames */

void gauss_cpu_set_of_light(struct gauss_cpu *cpu, bool of_light)
{
    cpu->of_light = of_light;
}

void gauss_cpu_run_batch(struct gauss_cpu *cpu, const struct operator_images *batch,
                         const struct gauss_frame *frame)
{
    assert(pixel_codec_of(batch->src->format) && batch->src->format == batch->dst->format);
    assert(frame->width_px == (int32_t)batch->src->width_px &&
           frame->height_px == (int32_t)batch->src->height_px);
    const uint32_t useful = count_workers(cpu, batch->count);
    pixel_lights_order(&cpu->lights, frame->light);
    const struct gauss_cpu_smooth_run run = {
        .pool = cpu->pool,
        .worker_count = useful < cpu->worker_count ? useful : cpu->worker_count,
        .batch = batch,
        .frame = frame,
        .light = pixel_lights_get(&cpu->lights, frame->light, batch->src->format),
        .of_light = cpu->of_light,
    };
    gauss_cpu_smooth_run(cpu->smooth, &run);
}

void gauss_cpu_run(struct gauss_cpu *cpu, const struct fovea_image *src,
                   const struct fovea_image *dst, const struct gauss_frame *frame)
{
    const struct operator_images batch = {.count = 1, .src = src, .dst = dst};
    gauss_cpu_run_batch(cpu, &batch, frame);
}
