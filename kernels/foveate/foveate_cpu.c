/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate.h"

#include "core/log.h"
#include "foveate_cpu_band.h"
#include "foveate_grid.h"
#include "thread_pool.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct foveate_cpu {
    const struct foveate_plan *plan;
    foveate_cpu_line_fn line;
    struct thread_pool *pool;
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

/* More workers than a frame has rows of fragments would only hold memory. */
static uint32_t count_workers(const struct foveate_plan *plan, uint32_t thread_count)
{
    const uint32_t wanted = thread_count ? thread_count : thread_pool_core_count();
    const uint32_t bands = plan->height_px / plan->fragment_px + 2;
    return wanted < bands ? wanted : bands;
}

static enum fovea_result make_workers(struct foveate_cpu *cpu, uint32_t thread_count)
{
    FOVEA_TRY(thread_pool_create(count_workers(cpu->plan, thread_count), &cpu->pool));
    cpu->scratch_count = thread_pool_worker_count(cpu->pool);
    cpu->scratch = calloc(cpu->scratch_count, sizeof *cpu->scratch);
    if (!cpu->scratch) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < cpu->scratch_count; i++) {
        FOVEA_TRY(foveate_cpu_scratch_init(&cpu->scratch[i], cpu->plan));
    }
    return FOVEA_OK;
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

void foveate_cpu_run(struct foveate_cpu *cpu, const struct fovea_image *src,
                     const struct fovea_image *dst, const struct foveate_frame *frame)
{
    const struct pixel_codec *codec = pixel_codec_of(src->format);
    assert(codec && src->format == dst->format);
    assert(frame->width_px == (int32_t)src->width_px &&
           frame->height_px == (int32_t)src->height_px);
    cpu->job = (struct foveate_cpu_job){
        .plan = cpu->plan,
        .frame = frame,
        .src = src,
        .dst = dst,
        .codec = codec,
        .line = cpu->line,
        .channels = codec->color_channels + (codec->has_alpha && frame->blur_alpha ? 1 : 0),
        .shift_x_px = foveate_grid_shift_px(frame->gaze_x_q8, frame->fragment_px),
        .shift_y_px = foveate_grid_shift_px(frame->gaze_y_q8, frame->fragment_px),
    };
    cpu->band_count = foveate_grid_count(frame->height_px, frame->fragment_px, cpu->job.shift_y_px);
    atomic_store(&cpu->next_band, 0);
    thread_pool_run(cpu->pool, work, cpu);
}
