/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate_cpu_smooth.h"

#include "core/log.h"
#include "foveate_cpu_gather.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS FOVEATE_CPU_CHANNELS

/* What a worker has for itself. */
struct scratch {
    float *memory;
    float *samples; /* a row of them, and pads */
    float *values; /* a row as the codec reads and writes it */
    float *sigma_px;
};

struct foveate_cpu_smooth {
    const struct foveate_plan *plan;
    const struct foveate_cpu_lines *lines;
    struct foveate_cpu_levels levels;
    struct scratch *scratch;
    uint32_t scratch_count;
    /* Of the frame under way. */
    struct foveate_cpu_smooth_run run;
    const struct pixel_codec *codec;
    uint32_t channels; /* that are averaged */
    void (*row_fn)(struct foveate_cpu_smooth *smooth, struct scratch *scratch, int32_t row);
    int32_t level; /* that row_fn makes */
    int32_t end_row;
    atomic_int next_row;
};

/* ---- Create and destroy */

static const struct foveate_cpu_lines *choose_lines(void)
{
#ifdef FOVEATE_CPU_HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return &foveate_cpu_lines_avx2;
    }
#endif
    return &foveate_cpu_lines_base;
}

static enum fovea_result make_scratch(struct scratch *scratch, const struct foveate_plan *plan)
{
    const size_t width = plan->width_px;
    const size_t samples = (width + 2 * (FOVEATE_CPU_PAD + FOVEATE_MARGIN)) * CHANNELS;
    const size_t values = width * CHANNELS;
    scratch->memory = calloc(samples + values + width, sizeof *scratch->memory);
    if (!scratch->memory) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    scratch->samples = scratch->memory;
    scratch->values = scratch->samples + samples;
    scratch->sigma_px = scratch->values + values;
    return FOVEA_OK;
}

static enum fovea_result make_memory(struct foveate_cpu_smooth *smooth, uint32_t worker_count)
{
    const size_t floats = (size_t)smooth->plan->level_samples * CHANNELS;
    smooth->levels.samples = calloc(floats ? floats : 1, sizeof *smooth->levels.samples);
    smooth->scratch = calloc(worker_count, sizeof *smooth->scratch);
    if (!smooth->levels.samples || !smooth->scratch) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    smooth->scratch_count = worker_count;
    for (uint32_t i = 0; i < worker_count; i++) {
        FOVEA_TRY(make_scratch(&smooth->scratch[i], smooth->plan));
    }
    return FOVEA_OK;
}

enum fovea_result foveate_cpu_smooth_create(const struct foveate_plan *plan, uint32_t worker_count,
                                            struct foveate_cpu_smooth **out_smooth)
{
    *out_smooth = NULL;
    struct foveate_cpu_smooth *smooth = calloc(1, sizeof *smooth);
    if (!smooth) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    smooth->plan = plan;
    smooth->lines = choose_lines();
    smooth->levels.levels = plan->levels;
    smooth->levels.count = (int32_t)plan->level_count;
    const enum fovea_result result = make_memory(smooth, worker_count);
    if (result < 0) {
        foveate_cpu_smooth_destroy(&smooth);
        return result;
    }
    *out_smooth = smooth;
    return FOVEA_OK;
}

void foveate_cpu_smooth_destroy(struct foveate_cpu_smooth **smooth)
{
    if (!smooth || !*smooth) {
        return;
    }
    for (uint32_t i = 0; i < (*smooth)->scratch_count; i++) {
        free((*smooth)->scratch[i].memory);
    }
    free((*smooth)->scratch);
    free((*smooth)->levels.samples);
    free(*smooth);
    *smooth = NULL;
}

/* ---- Levels */

static void widen(const float *values, uint32_t channels, int32_t count, float *out)
{
    for (int32_t i = 0; i < count; i++, values += channels, out += CHANNELS) {
        for (uint32_t c = 0; c < CHANNELS; c++) {
            out[c] = c < channels ? values[c] : 0.0f;
        }
    }
}

static void make_level_0_row(struct foveate_cpu_smooth *smooth, struct scratch *scratch, int32_t y)
{
    const int32_t width = smooth->run.frame->width_px;
    const struct pixel_row row = foveate_cpu_row(smooth->run.src, smooth->codec, 0, y, width);
    float *out = foveate_cpu_level_row(&smooth->levels, 0, y);
    float *values = smooth->channels == CHANNELS ? out : scratch->values;
    smooth->codec->decode(&row, smooth->channels, values);
    if (smooth->run.light) {
        pixel_light_from_levels(smooth->run.light, values, row.count, smooth->channels,
                                smooth->codec->color_channels);
    }
    if (values != out) {
        widen(values, smooth->channels, width, out);
    }
}

static void make_level_row(struct foveate_cpu_smooth *smooth, struct scratch *scratch, int32_t row)
{
    smooth->lines->halve(&smooth->levels, smooth->level, row, scratch->samples);
}

/* ---- Pixels */

static void fill_sigma(const struct foveate_cpu_smooth *smooth, int32_t y, float *out_sigma_px)
{
    for (int32_t x = 0; x < smooth->run.frame->width_px; x++) {
        out_sigma_px[x] = foveate_sigma_at(smooth->plan, smooth->run.frame, x, y);
    }
}

static void narrow(const float *samples, uint32_t channels, int32_t count, float *out)
{
    for (int32_t i = 0; i < count; i++, samples += CHANNELS, out += channels) {
        for (uint32_t c = 0; c < channels; c++) {
            out[c] = samples[c];
        }
    }
}

static void blur_pixels(const struct foveate_cpu_smooth *smooth, struct scratch *scratch,
                        struct foveate_cpu_run run)
{
    const int32_t count = run.x1_px - run.x0_px;
    const struct pixel_row src =
        foveate_cpu_row(smooth->run.src, smooth->codec, run.x0_px, run.y_px, count);
    const struct pixel_row dst =
        foveate_cpu_row(smooth->run.dst, smooth->codec, run.x0_px, run.y_px, count);
    float *values = scratch->samples;
    smooth->lines->gather(&smooth->levels, run, scratch->sigma_px, values);
    if (smooth->channels != CHANNELS) {
        narrow(values, smooth->channels, count, scratch->values);
        values = scratch->values;
    }
    if (smooth->run.light) {
        pixel_light_to_levels(smooth->run.light, values, (uint32_t)count, smooth->channels,
                              smooth->codec->color_channels);
    }
    smooth->codec->encode(values, smooth->channels, &src, &dst);
}

static void copy_pixels(const struct foveate_cpu_smooth *smooth, struct foveate_cpu_run run)
{
    const int32_t count = run.x1_px - run.x0_px;
    const struct pixel_row src =
        foveate_cpu_row(smooth->run.src, smooth->codec, run.x0_px, run.y_px, count);
    const struct pixel_row dst =
        foveate_cpu_row(smooth->run.dst, smooth->codec, run.x0_px, run.y_px, count);
    pixel_copy_row(smooth->codec, &src, &dst);
}

static void make_row(struct foveate_cpu_smooth *smooth, struct scratch *scratch, int32_t y)
{
    const int32_t width = smooth->run.frame->width_px;
    const float *sigma_px = scratch->sigma_px;
    fill_sigma(smooth, y, scratch->sigma_px);
    struct foveate_cpu_run run = {.y_px = y};
    while (run.x0_px < width) {
        const bool blurred = sigma_px[run.x0_px] > 0.0f;
        for (run.x1_px = run.x0_px + 1; run.x1_px < width; run.x1_px++) {
            if ((sigma_px[run.x1_px] > 0.0f) != blurred) {
                break;
            }
        }
        if (blurred) {
            blur_pixels(smooth, scratch, run);
        } else {
            copy_pixels(smooth, run);
        }
        run.x0_px = run.x1_px;
    }
}

/* ---- A frame */

static void work(void *user, uint32_t worker)
{
    struct foveate_cpu_smooth *smooth = user;
    for (;;) {
        const int32_t first = atomic_fetch_add(&smooth->next_row, FOVEATE_CPU_SMOOTH_ROWS);
        if (first >= smooth->end_row) {
            return;
        }
        for (int32_t i = 0; i < FOVEATE_CPU_SMOOTH_ROWS && first + i < smooth->end_row; i++) {
            smooth->row_fn(smooth, &smooth->scratch[worker], first + i);
        }
    }
}

static void run_rows(struct foveate_cpu_smooth *smooth, int32_t first_row, int32_t end_row,
                     void (*row_fn)(struct foveate_cpu_smooth *, struct scratch *, int32_t))
{
    smooth->row_fn = row_fn;
    smooth->end_row = end_row;
    atomic_store(&smooth->next_row, first_row);
    thread_pool_run(smooth->run.pool, work, smooth);
}

void foveate_cpu_smooth_run(struct foveate_cpu_smooth *smooth,
                            const struct foveate_cpu_smooth_run *run)
{
    smooth->run = *run;
    smooth->codec = pixel_codec_of(run->src->format);
    smooth->channels = smooth->codec->color_channels +
                       (smooth->codec->has_alpha && run->frame->blur_alpha ? 1 : 0);
    for (smooth->level = 0; smooth->level < smooth->levels.count; smooth->level++) {
        const int32_t margin = foveate_level_margin(smooth->level);
        const int32_t height = smooth->plan->levels[smooth->level].height;
        run_rows(smooth, -margin, height + margin,
                 smooth->level == 0 ? make_level_0_row : make_level_row);
    }
    run_rows(smooth, 0, run->frame->height_px, make_row);
}
