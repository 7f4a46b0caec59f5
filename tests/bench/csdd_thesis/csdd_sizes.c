/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "csdd_sizes.h"

#include "core/thread_pool.h"
#include "papers/draw.h"

#include <stdatomic.h>
#include <stdlib.h>

#define MOST_THREADS 256 /* of a block: table 4-1 */

/* These are the thesis's sizes that a statement or a table of docs/saliency.md is about, the
 * longest last. */
const struct csdd_size csdd_sizes[] = {
    {"480x640", 480, 640},     {"640x480", 640, 480},     {"320x240", 320, 240},
    {"512x768", 512, 768},     {"800x600", 800, 600},     {"768x768", 768, 768},
    {"1280x1024", 1280, 1024}, {"1600x1200", 1600, 1200},
};
const size_t csdd_size_count = sizeof csdd_sizes / sizeof csdd_sizes[0];
const struct csdd_size csdd_quick_size = {"48x60", 48, 60};

/* ---- Pictures -------------------------------------------------------------------------------- */

void csdd_draw_rgb(uint8_t *pixels, uint32_t width_px, uint32_t height_px)
{
    const struct bench_size size = {"", width_px, height_px};
    OWNED(owned_free)
    uint8_t *drawn = bench_memory(bench_image_bytes(&size, FOVEA_FORMAT_RGBA8), 1);
    papers_draw(drawn, &size, 0);
    for (size_t i = 0; i < (size_t)width_px * height_px * 3; i++) {
        pixels[i] = drawn[i / 3 * 4 + i % 3];
    }
}

static int32_t within(int32_t at, int32_t count)
{
    return at < 0 ? 0 : at >= count ? count - 1 : at;
}

/* The bin of I1. */
static float bin_of(const struct csdd_picture *picture, const uint8_t *rgb, int32_t row,
                    int32_t column)
{
    const struct csdd_size *of = picture->of;
    const int32_t r = within(row - (picture->rows - of->rows) / 2, of->rows);
    const int32_t c = within(column - (picture->columns - of->columns) / 2, of->columns);
    const uint8_t *pixel = rgb + 3 * ((size_t)r * (size_t)of->columns + (size_t)c);
    return (float)((pixel[0] + pixel[1] + pixel[2]) * picture->bins / (3 * 256));
}

void csdd_picture_make(const struct csdd_size *of, bool padded, int32_t bins,
                       struct csdd_picture *out)
{
    OWNED(owned_free) uint8_t *rgb = bench_memory((size_t)of->rows * (size_t)of->columns, 3);
    *out = (struct csdd_picture){
        .of = of,
        .rows = of->rows,
        .columns = of->columns,
        .bins = bins,
        .threads = {csdd_threads(of->rows, MOST_THREADS), csdd_threads(of->columns, MOST_THREADS)}};
    if (padded) {
        out->rows = csdd_padded(of->rows, out->threads[0]);
        out->columns = csdd_padded(of->columns, out->threads[1]);
    }
    const size_t pixels = (size_t)out->rows * (size_t)out->columns;
    out->size = (struct bench_size){of->name, (uint32_t)out->rows, (uint32_t)out->columns};
    out->image = bench_memory(pixels, sizeof *out->image);
    out->exact = bench_memory(pixels, sizeof *out->exact);
    csdd_draw_rgb(rgb, (uint32_t)of->columns, (uint32_t)of->rows);
    for (size_t i = 0; i < pixels; i++) {
        out->image[i] =
            bin_of(out, rgb, (int32_t)(i % (size_t)out->rows), (int32_t)(i / (size_t)out->rows));
    }
}

void csdd_picture_free(struct csdd_picture *picture)
{
    free(picture->image);
    free(picture->exact);
}

/* ---- Responses: a thread has bins of its own, and adds up in memory of its own ----------------
 */

struct work {
    const struct csdd_picture *picture;
    struct csdd_thesis_filter filters[2];
    atomic_int next;
    double **sums; /* of each worker */
    double (*ns)[3];
};

static void run_bins(void *user, uint32_t worker)
{
    struct work *work = user;
    const struct csdd_picture *picture = work->picture;
    const size_t pixels = (size_t)picture->rows * (size_t)picture->columns;
    OWNED(owned_free) double *memory = bench_memory(3 * pixels, sizeof *memory);
    struct csdd_cpu cpu = {.image = picture->image,
                           .rows = picture->rows,
                           .columns = picture->columns,
                           .filters = work->filters,
                           .gauss = memory,
                           .second = memory + pixels,
                           .filtered = memory + 2 * pixels};
    work->sums[worker] = bench_memory(pixels, sizeof **work->sums);
    for (int bin = atomic_fetch_add(&work->next, 1); bin < picture->bins;
         bin = atomic_fetch_add(&work->next, 1)) {
        csdd_cpu_add(&cpu, bin, csdd_factor(CSDD_SIGMA_PX), work->sums[worker]);
    }
    memcpy(work->ns[worker], cpu.ns, sizeof cpu.ns);
}

void csdd_picture_solve(struct csdd_picture *picture, uint32_t threads, double out_ns[3])
{
    const size_t pixels = (size_t)picture->rows * (size_t)picture->columns;
    OWNED(thread_pool_destroy) struct thread_pool *pool = NULL;
    bench_must(thread_pool_create(threads, &pool), "threads");
    const uint32_t workers = thread_pool_grow(pool, thread_pool_worker_max(pool));
    struct work work = {.picture = picture};
    work.sums = bench_memory(workers, sizeof *work.sums);
    work.ns = bench_memory(workers, sizeof *work.ns);
    csdd_filters(CSDD_SIGMA_PX, work.filters);
    thread_pool_run(pool, workers, run_bins, &work);
    memset(picture->exact, 0, pixels * sizeof *picture->exact);
    for (uint32_t worker = 0; worker < workers; worker++) {
        for (size_t i = 0; work.sums[worker] && i < pixels; i++) {
            picture->exact[i] += work.sums[worker][i];
        }
        for (int k = 0; out_ns && k < 3; k++) {
            out_ns[k] = (worker > 0 ? out_ns[k] : 0.0) + work.ns[worker][k];
        }
        free(work.sums[worker]);
    }
    free(work.sums);
    free(work.ns);
}
