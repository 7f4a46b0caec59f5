/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_cpu.h"

#include "core/large_memory.h"
#include "core/thread_pool.h"
#include "kernels/image/pixel.h"

#include <stdlib.h>

/* ---- Loops of this processor */

const struct lightfield_loops *lightfield_loops_choose(void)
{
#ifdef LIGHTFIELD_HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) {
        return &lightfield_loops_avx2;
    }
#endif
    return &lightfield_loops_base;
}

/* ---- Memory */

enum fovea_result lightfield_cpu_create(const struct fovea_lightfield_geometry *geometry,
                                        struct thread_pool *pool, struct lightfield_cpu **out_cpu)
{
    struct lightfield_cpu *cpu = calloc(1, sizeof *cpu);
    *out_cpu = NULL;
    if (!cpu) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    cpu->geometry = *geometry;
    cpu->pool = pool;
    cpu->loops = lightfield_loops_choose();
    cpu->worker_count = thread_pool_grow(pool, thread_pool_worker_max(pool));
    cpu->workers = calloc(cpu->worker_count, sizeof *cpu->workers);
    if (!cpu->workers) {
        lightfield_cpu_destroy(&cpu);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    *out_cpu = cpu;
    return FOVEA_OK;
}

static void free_part(struct lightfield_part *part)
{
    large_memory_free(part->x);
    large_memory_free(part->y);
    large_memory_free(part->weight);
    *part = (struct lightfield_part){0};
}

static void free_rows(struct lightfield_worker *worker)
{
    for (int i = 0; i < LIGHTFIELD_LENSES; i++) {
        free_part(&worker->columns[0][i]);
        free_part(&worker->columns[1][i]);
        free_part(&worker->rows[i]);
    }
    large_memory_free(worker->column_least[0]);
    large_memory_free(worker->column_least[1]);
    large_memory_free(worker->least);
    large_memory_free(worker->sum);
    large_memory_free(worker->main);
    large_memory_free(worker->packed);
    worker->column_least[0] = worker->column_least[1] = worker->least = NULL;
    worker->sum = worker->main = worker->packed = NULL;
}

void lightfield_cpu_destroy(struct lightfield_cpu **cpu)
{
    if (!*cpu) {
        return;
    }
    for (uint32_t i = 0; (*cpu)->workers && i < (*cpu)->worker_count; i++) {
        free_rows(&(*cpu)->workers[i]);
        large_memory_free((*cpu)->workers[i].costs);
    }
    free((*cpu)->workers);
    free(*cpu);
    *cpu = NULL;
}

static float *make(size_t count)
{
    return large_memory_make(count, sizeof(float));
}

static bool make_part(size_t width, struct lightfield_part *part)
{
    part->x = large_memory_make(width, sizeof *part->x);
    part->y = large_memory_make(width, sizeof *part->y);
    part->weight = make(width);
    return part->x && part->y && part->weight;
}

static bool make_rows(const struct lightfield_cpu *cpu, size_t width,
                      struct lightfield_worker *worker)
{
    const bool shifted = cpu->geometry.arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL;
    bool fine = true;
    for (int i = 0; i < LIGHTFIELD_LENSES; i++) {
        fine = fine && make_part(width, &worker->columns[0][i]) &&
               (!shifted || make_part(width, &worker->columns[1][i])) &&
               make_part(width, &worker->rows[i]);
    }
    worker->column_least[0] = make(width);
    worker->column_least[1] = shifted ? make(width) : NULL;
    worker->least = make(width);
    worker->sum = make(LIGHTFIELD_LANES * width);
    worker->main = make(LIGHTFIELD_LANES * width);
    worker->packed = make(LIGHTFIELD_LANES * width);
    return fine && worker->column_least[0] && (!shifted || worker->column_least[1]) &&
           worker->least && worker->sum && worker->main && worker->packed;
}

static bool grow_rows(struct lightfield_cpu *cpu, uint32_t width_px)
{
    bool fine = true;
    if ((int32_t)width_px <= cpu->width_px) {
        return true;
    }
    cpu->width_px = 0;
    for (uint32_t i = 0; i < cpu->worker_count; i++) {
        free_rows(&cpu->workers[i]);
    }
    for (uint32_t i = 0; i < cpu->worker_count; i++) {
        fine = fine && make_rows(cpu, width_px, &cpu->workers[i]);
    }
    cpu->width_px = fine ? (int32_t)width_px : 0;
    return fine;
}

static bool grow_costs(struct lightfield_cpu *cpu, size_t count)
{
    bool fine = true;
    if (count <= cpu->cost_count) {
        return true;
    }
    cpu->cost_count = 0;
    for (uint32_t i = 0; i < cpu->worker_count; i++) {
        large_memory_free(cpu->workers[i].costs);
        cpu->workers[i].costs = NULL;
    }
    for (uint32_t i = 0; i < cpu->worker_count; i++) {
        cpu->workers[i].costs = make(count);
        fine = fine && cpu->workers[i].costs;
    }
    cpu->cost_count = fine ? count : 0;
    return fine;
}

enum fovea_result lightfield_cpu_reserve(struct lightfield_cpu *cpu, uint32_t width_px,
                                         uint32_t size_count)
{
    const size_t costs = (size_t)size_count * LIGHTFIELD_COST_ROWS * width_px;
    return grow_rows(cpu, width_px) && grow_costs(cpu, costs) ? FOVEA_OK
                                                              : FOVEA_ERROR_OUT_OF_MEMORY;
}

size_t lightfield_cpu_bytes(const struct lightfield_cpu *cpu)
{
    const size_t kinds = cpu->geometry.arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL ? 3 : 2;
    const size_t column_floats = 3 * kinds * LIGHTFIELD_LENSES + kinds + 3 * LIGHTFIELD_LANES;
    const size_t floats = column_floats * (size_t)cpu->width_px + cpu->cost_count;
    return sizeof *cpu + cpu->worker_count * (sizeof *cpu->workers + floats * sizeof(float));
}

/* ---- Strips */

static void work(void *user, uint32_t number)
{
    struct lightfield_job *job = user;
    const int32_t count = (job->rows + job->strip_rows - 1) / job->strip_rows;
    int32_t strip = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
    while (strip < count && number < job->cpu->worker_count) {
        const int32_t first = strip * job->strip_rows;
        const int32_t end = first + job->strip_rows;
        job->make(job, &job->cpu->workers[number], first, end < job->rows ? end : job->rows);
        strip = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
    }
}

void lightfield_cpu_run(struct lightfield_job *job)
{
    atomic_init(&job->next, 0);
    thread_pool_run(job->cpu->pool, job->cpu->worker_count, work, job);
}

/* ---- Pictures in and out */

struct lightfield_source lightfield_source_of(const struct fovea_lightfield_raw *raw,
                                              enum fovea_lightfield_filter filter)
{
    return (struct lightfield_source){
        .data = raw->data,
        .stride_bytes = raw->row_stride_bytes,
        .width_px = (int32_t)raw->width_px,
        .height_px = (int32_t)raw->height_px,
        .format = raw->format,
        .bayer = raw->bayer,
        .nearest = filter == FOVEA_LIGHTFIELD_FILTER_NEAREST,
        .most = (float)raw->maximum,
    };
}

void lightfield_write_row(const struct fovea_image *dst, int32_t y, const float *sums, float most,
                          float *packed)
{
    const struct pixel_codec *codec = pixel_codec_of(dst->format);
    const uint32_t channels = codec->color_channels + (codec->has_alpha ? 1 : 0);
    const float scale = pixel_white(dst->format) / most;
    const struct pixel_row row = pixel_row_of(dst, codec, 0, y, (int32_t)dst->width_px);
    for (uint32_t x = 0; x < dst->width_px; x++) {
        const float *sum = sums + (size_t)LIGHTFIELD_LANES * x;
        const float part = sum[3] > 0.0f ? scale / sum[3] : 0.0f;
        float *to = packed + (size_t)channels * x;
        for (uint32_t c = 0; c < codec->color_channels; c++) {
            to[c] = sum[c] * part;
        }
        if (codec->has_alpha) {
            to[codec->color_channels] = pixel_opaque(dst->format);
        }
    }
    codec->encode(packed, channels, &row, &row);
}
