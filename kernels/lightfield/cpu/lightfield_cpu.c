/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_cpu.h"

#include "core/bounds.h"
#include "core/large_memory.h"
#include "core/log.h"
#include "core/thread_steps.h"
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
    FOVEA_TRY_MEMORY(cpu);
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

void lightfield_cpu_destroy(struct lightfield_cpu **cpu)
{
    if (!*cpu) {
        return;
    }
    for (uint32_t i = 0; (*cpu)->workers && i < (*cpu)->worker_count; i++) {
        large_memory_free((*cpu)->workers[i].memory);
        large_memory_free((*cpu)->workers[i].costs);
    }
    free((*cpu)->workers);
    free(*cpu);
    *cpu = NULL;
}

static float *take(float *memory, size_t floats, size_t *at)
{
    float *part = memory ? memory + *at : NULL;
    *at += (floats + 15) / 16 * 16;
    return part;
}

static void take_part(float *memory, size_t width, struct lightfield_part *out, size_t *at)
{
    out->x = (int32_t *)take(memory, width, at);
    out->y = (int32_t *)take(memory, width, at);
    out->weight = take(memory, width, at);
}

/* Lays out rows of so many pixels. With memory NULL the floats are only counted. */
static size_t lay_out(const struct lightfield_cpu *cpu, size_t width, float *memory,
                      struct lightfield_worker *out)
{
    const bool shifted = cpu->geometry.arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL;
    size_t at = 0;
    for (int i = 0; i < LIGHTFIELD_LENSES; i++) {
        take_part(memory, width, &out->rows[i], &at);
        take_part(memory, width, &out->columns[0][i], &at);
        if (shifted) {
            take_part(memory, width, &out->columns[1][i], &at);
        }
    }
    out->column_least[0] = take(memory, width, &at);
    out->column_least[1] = take(memory, shifted ? width : 0, &at);
    out->least = take(memory, width, &at);
    out->sum = take(memory, LIGHTFIELD_LANES * width, &at);
    out->main = take(memory, LIGHTFIELD_LANES * width, &at);
    out->packed = take(memory, LIGHTFIELD_LANES * width, &at);
    return at;
}

static bool grow_rows(struct lightfield_cpu *cpu, uint32_t width_px)
{
    struct lightfield_worker counted;
    const size_t floats = lay_out(cpu, width_px, NULL, &counted);
    bool fine = true;
    if ((int32_t)width_px <= cpu->width_px) {
        return true;
    }
    cpu->width_px = 0;
    for (uint32_t i = 0; i < cpu->worker_count; i++) {
        large_memory_free(cpu->workers[i].memory);
        cpu->workers[i].memory = NULL;
    }
    for (uint32_t i = 0; fine && i < cpu->worker_count; i++) {
        cpu->workers[i].memory = large_memory_make(floats, sizeof(float));
        lay_out(cpu, width_px, cpu->workers[i].memory, &cpu->workers[i]);
        fine = cpu->workers[i].memory != NULL;
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
        cpu->workers[i].costs = large_memory_make(count, sizeof(float));
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
    struct lightfield_worker counted;
    const size_t floats = lay_out(cpu, (size_t)cpu->width_px, NULL, &counted) + cpu->cost_count;
    return sizeof *cpu + cpu->worker_count * (sizeof *cpu->workers + floats * sizeof(float));
}

/* ---- Strips */

static void make_strip(void *user, uint32_t worker, int32_t strip)
{
    const struct lightfield_job *job = user;
    const int32_t first = strip * job->strip_rows;
    job->make(job, &job->cpu->workers[worker], first,
              bounds_smaller(first + job->strip_rows, job->rows));
}

void lightfield_cpu_run(struct lightfield_job *job)
{
    thread_chunks_run(bounds_parts(job->rows, job->strip_rows), job->cpu->pool,
                      job->cpu->worker_count, make_strip, job);
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
