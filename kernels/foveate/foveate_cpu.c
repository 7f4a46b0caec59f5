/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate.h"

#include "core/log.h"
#include "foveate_cpu_band.h"
#include "foveate_cpu_smooth.h"
#include "foveate_grid.h"
#include "thread_pool.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct foveate_cpu {
    const struct foveate_plan *plan;
    struct thread_pool *pool;
    struct thread_pool *own_pool; /* NULL: the pool is others' too */
    struct foveate_cpu_lights lights;
    struct foveate_cpu_smooth *smooth; /* where the plan is; what follows is for blockwise ones */
    foveate_cpu_line_fn line;
    struct foveate_cpu_scratch *scratch; /* one for each worker */
    uint32_t scratch_count;
    uint32_t wanted_workers; /* of the pool; the system may have given fewer */
    uint32_t worker_count; /* that there is room for; the pool may have more */
    /* Of the batch under way. */
    const struct foveate_cpu_batch *batch;
    const struct foveate_frame *frame;
    int32_t bands_per_image; /* of the gaze that makes most of them */
    atomic_int next_band; /* of all images */
};

static foveate_cpu_line_fn choose_line(void)
{
#ifdef FOVEATE_CPU_HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return foveate_cpu_line_avx2;
    }
#endif
    return foveate_cpu_line_base;
}

/* ---- Workers */

/* More workers than a frame has pieces would only hold memory. */
static uint32_t count_workers(const struct foveate_cpu *cpu, uint32_t image_count)
{
    const struct foveate_plan *plan = cpu->plan;
    const uint32_t wanted = thread_pool_worker_max(cpu->pool);
    const uint32_t rows = plan->smooth ? FOVEATE_CPU_SMOOTH_ROWS : plan->fragment_px;
    const uint64_t pieces = (uint64_t)(plan->height_px / rows + 2) * image_count;
    return wanted < pieces ? wanted : (uint32_t)pieces;
}

static void free_scratch(struct foveate_cpu_scratch *scratch, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        foveate_cpu_scratch_finish(&scratch[i]);
    }
}

static enum fovea_result init_scratch(const struct foveate_plan *plan,
                                      struct foveate_cpu_scratch *scratch, uint32_t first,
                                      uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const enum fovea_result result = foveate_cpu_scratch_init(&scratch[i], plan);
        if (result < 0) {
            free_scratch(scratch, first, i);
            return result;
        }
    }
    return FOVEA_OK;
}

static enum fovea_result grow_scratch(struct foveate_cpu *cpu, uint32_t worker_count)
{
    const uint32_t old_count = cpu->scratch_count;
    if (worker_count <= old_count) {
        return FOVEA_OK;
    }
    struct foveate_cpu_scratch *scratch = calloc(worker_count, sizeof *scratch);
    if (!scratch) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    const enum fovea_result result = init_scratch(cpu->plan, scratch, old_count, worker_count);
    if (result < 0) {
        free(scratch);
        return result;
    }
    for (uint32_t i = 0; i < old_count; i++) {
        scratch[i] = cpu->scratch[i];
    }
    free(cpu->scratch);
    cpu->scratch = scratch;
    cpu->scratch_count = worker_count;
    return FOVEA_OK;
}

static enum fovea_result make_room(struct foveate_cpu *cpu, uint32_t worker_count)
{
    return cpu->smooth ? foveate_cpu_smooth_grow_workers(cpu->smooth, worker_count)
                       : grow_scratch(cpu, worker_count);
}

static enum fovea_result grow_workers(struct foveate_cpu *cpu, uint32_t image_count)
{
    const uint32_t wanted = count_workers(cpu, image_count);
    if (wanted <= cpu->wanted_workers) {
        return FOVEA_OK;
    }
    const uint32_t there = thread_pool_grow(cpu->pool, wanted);
    const uint32_t count = there < wanted ? there : wanted;
    FOVEA_TRY(make_room(cpu, count));
    cpu->worker_count = count;
    cpu->wanted_workers = wanted;
    return FOVEA_OK;
}

static uint32_t count_sources(const struct foveate_cpu_batch *batch)
{
    return batch->src_next_bytes == 0 ? 1 : batch->count;
}

enum fovea_result foveate_cpu_reserve(struct foveate_cpu *cpu,
                                      const struct foveate_cpu_batch *batch)
{
    FOVEA_TRY(grow_workers(cpu, batch->count));
    return cpu->smooth ? foveate_cpu_smooth_grow_levels(cpu->smooth, count_sources(batch))
                       : FOVEA_OK;
}

/* ---- Create and destroy */

static enum fovea_result make_workers(struct foveate_cpu *cpu)
{
    if (cpu->plan->smooth) {
        FOVEA_TRY(foveate_cpu_smooth_create(cpu->plan, &cpu->smooth));
    }
    return grow_workers(cpu, 1);
}

enum fovea_result foveate_cpu_create_in(struct thread_pool *pool, const struct foveate_plan *plan,
                                        struct foveate_cpu **out_cpu)
{
    *out_cpu = NULL;
    struct foveate_cpu *cpu = calloc(1, sizeof *cpu);
    if (!cpu) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    cpu->plan = plan;
    cpu->pool = pool;
    cpu->line = choose_line();
    foveate_cpu_lights_init(&cpu->lights, plan);
    const enum fovea_result result = make_workers(cpu);
    if (result < 0) {
        foveate_cpu_destroy(&cpu);
        return result;
    }
    *out_cpu = cpu;
    return FOVEA_OK;
}

enum fovea_result foveate_cpu_create(const struct foveate_plan *plan, uint32_t thread_count,
                                     struct foveate_cpu **out_cpu)
{
    struct thread_pool *pool = NULL;
    *out_cpu = NULL;
    FOVEA_TRY(thread_pool_create(thread_count, &pool));
    const enum fovea_result result = foveate_cpu_create_in(pool, plan, out_cpu);
    if (result < 0) {
        thread_pool_destroy(&pool);
        return result;
    }
    (*out_cpu)->own_pool = pool;
    return FOVEA_OK;
}

void foveate_cpu_destroy(struct foveate_cpu **cpu)
{
    if (!cpu || !*cpu) {
        return;
    }
    struct foveate_cpu *own = *cpu;
    thread_pool_destroy(&own->own_pool);
    foveate_cpu_smooth_destroy(&own->smooth);
    free_scratch(own->scratch, 0, own->scratch_count);
    free(own->scratch);
    free(own);
    *cpu = NULL;
}

/* ---- Frames */

static void run_band(const struct foveate_cpu *cpu, struct foveate_cpu_scratch *scratch,
                     int32_t image, int32_t band)
{
    const struct foveate_cpu_view view = foveate_cpu_view_of(cpu->batch, cpu->frame, image);
    const struct foveate_frame *frame = &view.frame;
    const struct pixel_codec *codec = pixel_codec_of(view.src.format);
    const struct foveate_cpu_job job = {
        .plan = cpu->plan,
        .frame = frame,
        .src = &view.src,
        .dst = &view.dst,
        .codec = codec,
        .light = foveate_cpu_light(&cpu->lights, frame, view.src.format),
        .line = cpu->line,
        .channels = codec->color_channels + (codec->has_alpha && frame->blur_alpha ? 1 : 0),
        .shift_x_px = foveate_grid_shift_px(frame->gaze_x_q8, frame->fragment_px),
        .shift_y_px = foveate_grid_shift_px(frame->gaze_y_q8, frame->fragment_px),
    };
    if (band < foveate_grid_count(frame->height_px, frame->fragment_px, job.shift_y_px)) {
        foveate_cpu_band(&job, scratch, band);
    }
}

static void work(void *user, uint32_t worker)
{
    struct foveate_cpu *cpu = user;
    const int32_t end = (int32_t)cpu->batch->count * cpu->bands_per_image;
    for (;;) {
        const int32_t band = atomic_fetch_add(&cpu->next_band, 1);
        if (band >= end) {
            return;
        }
        run_band(cpu, &cpu->scratch[worker], band / cpu->bands_per_image,
                 band % cpu->bands_per_image);
    }
}

/* The bands of all images in one go: no thread waits for another before the end. */
static void run_blockwise(struct foveate_cpu *cpu, const struct foveate_cpu_batch *batch,
                          const struct foveate_frame *frame)
{
    cpu->batch = batch;
    cpu->frame = frame;
    cpu->bands_per_image =
        foveate_grid_count(frame->height_px, frame->fragment_px, frame->fragment_px - 1);
    atomic_store(&cpu->next_band, 0);
    thread_pool_run(cpu->pool, cpu->worker_count, work, cpu);
}

void foveate_cpu_run_batch(struct foveate_cpu *cpu, const struct foveate_cpu_batch *batch,
                           const struct foveate_frame *frame)
{
    assert(pixel_codec_of(batch->src->format) && batch->src->format == batch->dst->format);
    assert(frame->width_px == (int32_t)batch->src->width_px &&
           frame->height_px == (int32_t)batch->src->height_px);
    foveate_cpu_lights_order(&cpu->lights, frame);
    if (!cpu->smooth) {
        run_blockwise(cpu, batch, frame);
        return;
    }
    const struct foveate_cpu_smooth_run run = {
        .pool = cpu->pool,
        .worker_count = cpu->worker_count,
        .batch = batch,
        .frame = frame,
        .light = foveate_cpu_light(&cpu->lights, frame, batch->src->format),
    };
    foveate_cpu_smooth_run(cpu->smooth, &run);
}

void foveate_cpu_run(struct foveate_cpu *cpu, const struct fovea_image *src,
                     const struct fovea_image *dst, const struct foveate_frame *frame)
{
    const struct foveate_cpu_batch batch = {.count = 1, .src = src, .dst = dst};
    foveate_cpu_run_batch(cpu, &batch, frame);
}
