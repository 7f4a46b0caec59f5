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
    struct foveate_cpu_lights lights;
    struct foveate_cpu_smooth *smooth; /* where the plan is; what follows is for blockwise ones */
    foveate_cpu_line_fn line;
    struct foveate_cpu_scratch *scratch; /* one for each worker */
    uint32_t scratch_count;
    /* Of the frame under way. */
    struct foveate_cpu_job job;
    int32_t band_count;
    atomic_int next_band;
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

/* More workers than a frame has pieces would only hold memory. */
static uint32_t count_workers(const struct foveate_plan *plan, uint32_t thread_count)
{
    const uint32_t wanted = thread_count ? thread_count : thread_pool_core_count();
    const uint32_t rows = plan->smooth ? FOVEATE_CPU_SMOOTH_ROWS : plan->fragment_px;
    const uint32_t bands = plan->height_px / rows + 2;
    return wanted < bands ? wanted : bands;
}

static enum fovea_result make_scratch(struct foveate_cpu *cpu, uint32_t worker_count)
{
    cpu->scratch_count = worker_count;
    cpu->scratch = calloc(cpu->scratch_count, sizeof *cpu->scratch);
    if (!cpu->scratch) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < cpu->scratch_count; i++) {
        FOVEA_TRY(foveate_cpu_scratch_init(&cpu->scratch[i], cpu->plan));
    }
    return FOVEA_OK;
}

static enum fovea_result make_workers(struct foveate_cpu *cpu, uint32_t thread_count)
{
    FOVEA_TRY(thread_pool_create(count_workers(cpu->plan, thread_count), &cpu->pool));
    const uint32_t worker_count = thread_pool_worker_count(cpu->pool);
    if (cpu->plan->smooth) {
        return foveate_cpu_smooth_create(cpu->plan, worker_count, &cpu->smooth);
    }
    return make_scratch(cpu, worker_count);
}

enum fovea_result foveate_cpu_create(const struct foveate_plan *plan, uint32_t thread_count,
                                     struct foveate_cpu **out_cpu)
{
    *out_cpu = NULL;
    struct foveate_cpu *cpu = calloc(1, sizeof *cpu);
    if (!cpu) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    cpu->plan = plan;
    cpu->line = choose_line();
    pixel_light_init(&cpu->lights.bits8, FOVEA_FORMAT_RGBA8);
    pixel_light_init(&cpu->lights.bits10, FOVEA_FORMAT_A2B10G10R10);
    const enum fovea_result result = make_workers(cpu, thread_count);
    if (result < 0) {
        foveate_cpu_destroy(&cpu);
        return result;
    }
    *out_cpu = cpu;
    return FOVEA_OK;
}

void foveate_cpu_destroy(struct foveate_cpu **cpu)
{
    if (!cpu || !*cpu) {
        return;
    }
    struct foveate_cpu *own = *cpu;
    thread_pool_destroy(&own->pool);
    foveate_cpu_smooth_destroy(&own->smooth);
    for (uint32_t i = 0; own->scratch && i < own->scratch_count; i++) {
        foveate_cpu_scratch_finish(&own->scratch[i]);
    }
    free(own->scratch);
    free(own);
    *cpu = NULL;
}

static void work(void *user, uint32_t worker)
{
    struct foveate_cpu *cpu = user;
    for (;;) {
        const int32_t band = atomic_fetch_add(&cpu->next_band, 1);
        if (band >= cpu->band_count) {
            return;
        }
        foveate_cpu_band(&cpu->job, &cpu->scratch[worker], band);
    }
}

static void run_blockwise(struct foveate_cpu *cpu, const struct fovea_image *src,
                          const struct fovea_image *dst, const struct foveate_frame *frame)
{
    const struct pixel_codec *codec = pixel_codec_of(src->format);
    cpu->job = (struct foveate_cpu_job){
        .plan = cpu->plan,
        .frame = frame,
        .src = src,
        .dst = dst,
        .codec = codec,
        .light = foveate_cpu_light(&cpu->lights, frame, src->format),
        .line = cpu->line,
        .channels = codec->color_channels + (codec->has_alpha && frame->blur_alpha ? 1 : 0),
        .shift_x_px = foveate_grid_shift_px(frame->gaze_x_q8, frame->fragment_px),
        .shift_y_px = foveate_grid_shift_px(frame->gaze_y_q8, frame->fragment_px),
    };
    cpu->band_count = foveate_grid_count(frame->height_px, frame->fragment_px, cpu->job.shift_y_px);
    atomic_store(&cpu->next_band, 0);
    thread_pool_run(cpu->pool, work, cpu);
}

void foveate_cpu_run(struct foveate_cpu *cpu, const struct fovea_image *src,
                     const struct fovea_image *dst, const struct foveate_frame *frame)
{
    assert(pixel_codec_of(src->format) && src->format == dst->format);
    assert(frame->width_px == (int32_t)src->width_px &&
           frame->height_px == (int32_t)src->height_px);
    if (!cpu->smooth) {
        run_blockwise(cpu, src, dst, frame);
        return;
    }
    const struct foveate_cpu_smooth_run run = {
        .pool = cpu->pool,
        .src = src,
        .dst = dst,
        .frame = frame,
        .light = foveate_cpu_light(&cpu->lights, frame, src->format),
    };
    foveate_cpu_smooth_run(cpu->smooth, &run);
}
