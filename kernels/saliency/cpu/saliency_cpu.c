/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "saliency_cpu.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "core/thread_steps.h"

#include <stdlib.h>
#include <string.h>

/* ---- Loops of this processor */

const struct saliency_loops *saliency_loops_choose(void)
{
#ifdef SALIENCY_HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) {
        return &saliency_loops_avx2;
    }
#endif
    return &saliency_loops_base;
}

/* ---- Memory */

static void *make(struct saliency_cpu *cpu, size_t count, size_t element_bytes)
{
    cpu->bytes += count * element_bytes;
    return large_memory_make(count, element_bytes);
}

static bool make_worker(struct saliency_cpu *cpu, struct saliency_worker *worker)
{
    const uint32_t most = saliency_candidates_most(cpu->plan);
    worker->fine = make(cpu, 1, saliency_fine_bytes);
    worker->coarse = make(cpu, 1, saliency_coarse_bytes);
    worker->maxima = make(cpu, 1, saliency_maxima_bytes);
    worker->colors = make(cpu, 3 * (size_t)cpu->plan->width_px, sizeof *worker->colors);
    worker->candidates.of = make(cpu, most, sizeof *worker->candidates.of);
    worker->candidates.most = most;
    return worker->fine && worker->coarse && worker->maxima && worker->colors &&
           worker->candidates.of;
}

static bool make_kept(struct saliency_cpu *cpu)
{
    const struct saliency_plan *plan = cpu->plan;
    const size_t tiles = (size_t)saliency_coarse_tiles(plan, false);
    const size_t numbers = saliency_planes_place(plan, &cpu->kept);
    if (tiles > 0) {
        cpu->kept.bins = make(cpu, tiles, SALIENCY_BINS / 8);
    }
    if (plan->level_count > 2) {
        cpu->kept.planes = make(cpu, numbers, sizeof *cpu->kept.planes);
    }
    return (tiles == 0 || cpu->kept.bins) && (plan->level_count <= 2 || cpu->kept.planes);
}

static bool make_picture(struct saliency_cpu *cpu)
{
    const struct saliency_plan *plan = cpu->plan;
    const size_t rows = (size_t)plan->height_px + 2 * (size_t)SALIENCY_FINE_REACH;
    const size_t pixels = (size_t)plan->width_px * (size_t)plan->height_px;
    bool fine = true;
    cpu->bin_pitch = plan->width_px + 2 * (ptrdiff_t)SALIENCY_FINE_REACH;
    cpu->bins = make(cpu, cpu->channels * rows * (size_t)cpu->bin_pitch, 1);
    for (uint32_t i = 0; i < cpu->channels; i++) {
        cpu->order[i] = make(cpu, pixels, sizeof *cpu->order[i]);
        fine = fine && cpu->order[i];
    }
    fine = fine && make_kept(cpu);
    cpu->response = make(cpu, plan->response_count, sizeof *cpu->response);
    cpu->merged.most = saliency_candidates_most(plan);
    cpu->merged.of = make(cpu, cpu->merged.most, sizeof *cpu->merged.of);
    return fine && cpu->bins && cpu->response && cpu->merged.of;
}

static bool make_all(struct saliency_cpu *cpu)
{
    cpu->worker_count = thread_pool_grow(cpu->pool, thread_pool_worker_max(cpu->pool));
    cpu->workers = make(cpu, cpu->worker_count, sizeof *cpu->workers);
    for (uint32_t i = 0; cpu->workers && i < cpu->worker_count; i++) {
        if (!make_worker(cpu, &cpu->workers[i])) {
            return false;
        }
    }
    return cpu->workers && make_picture(cpu);
}

enum fovea_result saliency_cpu_create(const struct saliency_plan *plan, struct thread_pool *pool,
                                      uint32_t channels, struct saliency_cpu **out_cpu)
{
    struct saliency_cpu *cpu = calloc(1, sizeof *cpu);
    *out_cpu = NULL;
    FOVEA_TRY_MEMORY(cpu);
    cpu->plan = plan;
    cpu->pool = pool;
    cpu->channels = channels;
    cpu->loops = saliency_loops_choose();
    cpu->bytes = sizeof *cpu;
    if (!make_all(cpu)) {
        saliency_cpu_destroy(&cpu);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    *out_cpu = cpu;
    return FOVEA_OK;
}

static void free_worker(struct saliency_worker *worker)
{
    large_memory_free(worker->fine);
    large_memory_free(worker->coarse);
    large_memory_free(worker->maxima);
    large_memory_free(worker->colors);
    large_memory_free(worker->candidates.of);
}

void saliency_cpu_destroy(struct saliency_cpu **cpu)
{
    if (!*cpu) {
        return;
    }
    for (uint32_t i = 0; (*cpu)->workers && i < (*cpu)->worker_count; i++) {
        free_worker(&(*cpu)->workers[i]);
    }
    for (uint32_t i = 0; i < SALIENCY_CHANNELS; i++) {
        large_memory_free((*cpu)->order[i]);
    }
    large_memory_free((*cpu)->workers);
    large_memory_free((*cpu)->bins);
    large_memory_free((*cpu)->kept.planes);
    large_memory_free((*cpu)->kept.bins);
    large_memory_free((*cpu)->response);
    large_memory_free((*cpu)->merged.of);
    free(*cpu);
    *cpu = NULL;
}

/* ---- A picture */

struct step {
    struct saliency_cpu *cpu;
    void (*make)(const struct step *step, struct saliency_worker *worker, int32_t chunk);
    int32_t count; /* chunks */
    uint32_t channel;
    bool kept; /* tiles whose planes are kept */
    int32_t coarse; /* tiles of coarser levels; those of level 0 from `fine` on follow */
    int32_t fine;
};

static void make_chunk(void *user, uint32_t worker, int32_t chunk)
{
    const struct step *step = user;
    step->make(step, &step->cpu->workers[worker], chunk);
}

static void run_step(const struct step *step)
{
    struct step own = *step;
    thread_chunks_run(step->count, step->cpu->pool, step->cpu->worker_count, make_chunk, &own);
}

#define BIN_ROWS 16

static void make_bins(const struct step *step, struct saliency_worker *worker, int32_t chunk)
{
    const int32_t end = (chunk + 1) * BIN_ROWS;
    for (int32_t y = chunk * BIN_ROWS; y < end && y < step->cpu->plan->height_px; y++) {
        saliency_cpu_bins_row(step->cpu, y, worker->colors);
    }
}

static void make_order(const struct step *step, struct saliency_worker *worker, int32_t chunk)
{
    (void)worker;
    if (chunk < (int32_t)step->cpu->channels) {
        saliency_cpu_order(step->cpu, (uint32_t)chunk);
    } else {
        saliency_cpu_bins_ends(step->cpu);
    }
}

static void make_tiles(const struct step *step, struct saliency_worker *worker, int32_t chunk)
{
    if (chunk < step->coarse) {
        saliency_coarse_make(step->cpu, worker->coarse, step->channel, step->kept, chunk);
    } else {
        saliency_fine_make(step->cpu, worker->fine, step->fine + chunk - step->coarse);
    }
}

static void halve_planes(const struct step *step, struct saliency_worker *worker, int32_t chunk)
{
    saliency_planes_halve(step->cpu, worker->coarse, step->channel, chunk);
}

/* Tiles of level 0 are shared out among the steps of the others, of which some have few. */
static void run_tiles(struct saliency_cpu *cpu, uint32_t channel, bool kept)
{
    const struct saliency_plan *plan = cpu->plan;
    const bool has_fine = plan->levels[0].scale_end > 0;
    const int32_t all = has_fine ? saliency_fine_tiles(plan) : 0;
    const int32_t number = (int32_t)(2 * channel) + (kept ? 1 : 0);
    const int32_t steps = (int32_t)(2 * cpu->channels);
    struct step step = {.cpu = cpu,
                        .make = make_tiles,
                        .channel = channel,
                        .kept = kept,
                        .coarse = saliency_coarse_tiles(plan, kept),
                        .fine = all * number / steps};
    step.count = step.coarse + all * (number + 1) / steps - step.fine;
    run_step(&step);
}

static void make_responses(struct saliency_cpu *cpu)
{
    const int32_t planes = cpu->kept.planes ? SALIENCY_BINS - 1 : 0;
    for (uint32_t channel = 0; channel < cpu->channels; channel++) {
        run_tiles(cpu, channel, false);
        run_step(
            &(struct step){.cpu = cpu, .make = halve_planes, .count = planes, .channel = channel});
        run_tiles(cpu, channel, true);
    }
}

static void find_maxima(const struct step *step, struct saliency_worker *worker, int32_t chunk)
{
    saliency_maxima_find(step->cpu, worker->maxima, chunk, &worker->candidates);
}

static void merge(struct saliency_cpu *cpu)
{
    cpu->merged.count = 0;
    for (uint32_t w = 0; w < cpu->worker_count; w++) {
        for (uint32_t i = 0; i < cpu->workers[w].candidates.count; i++) {
            saliency_candidates_add(&cpu->merged, &cpu->workers[w].candidates.of[i]);
        }
        cpu->workers[w].candidates.count = 0;
    }
}

uint32_t saliency_cpu_run(struct saliency_cpu *cpu, const struct fovea_image *src,
                          struct fovea_blob *out_blobs)
{
    const struct saliency_plan *plan = cpu->plan;
    cpu->src = *src;
    run_step(&(struct step){
        .cpu = cpu, .make = make_bins, .count = (plan->height_px + BIN_ROWS - 1) / BIN_ROWS});
    run_step(&(struct step){.cpu = cpu, .make = make_order, .count = (int32_t)cpu->channels + 1});
    make_responses(cpu);
    run_step(&(struct step){.cpu = cpu, .make = find_maxima, .count = saliency_fine_tiles(plan)});
    merge(cpu);
    return saliency_prune(plan, &cpu->merged, out_blobs);
}
