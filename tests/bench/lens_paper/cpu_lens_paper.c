/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's ways to warp for a lens on the processor, and Fovea's beside them. */

#include "bench.h"
#include "check.h"
#include "cpu_copy.h"
#include "kernels/operators.h"

#include <stdatomic.h>
#include <stdio.h>

#define REPETITIONS_AT_LEAST 5
#define REPETITIONS_AT_MOST 100
#define ENOUGH_NS 500000000

struct cpu_lens {
    struct bench *bench;
    struct thread_pool *pool;
    struct cpu_copy *copy;
    const struct bench_size *size;
    struct lens_paper_tables tables;
    uint32_t *src[BENCH_PICTURES];
    uint32_t *dst;
    double copy_us;
    double nearest_us; /* Fovea's */
};

/* ---- Rows of a picture ----------------------------------------------------------------------- */

typedef void (*row_fn)(const struct lens_paper_tables *t, const uint32_t *src, uint32_t *dst,
                       int32_t y);

struct pass {
    const struct lens_paper_tables *tables;
    const uint32_t *src;
    uint32_t *dst;
    row_fn row;
    atomic_int next;
};

#define ROWS_AT_ONCE 8

static void run_rows(void *user, uint32_t worker)
{
    struct pass *pass = user;
    const int32_t height_px = pass->tables->size.height_px;
    int32_t first = atomic_fetch_add(&pass->next, ROWS_AT_ONCE);
    while (first < height_px) {
        for (int32_t y = first; y < height_px && y < first + ROWS_AT_ONCE; y++) {
            pass->row(pass->tables, pass->src, pass->dst, y);
        }
        first = atomic_fetch_add(&pass->next, ROWS_AT_ONCE);
    }
}

static void naive_row(const struct lens_paper_tables *t, const uint32_t *src, uint32_t *dst,
                      int32_t y)
{
    for (int32_t x = 0; x < t->size.width_px; x++) {
        double px[2];
        lens_paper_source(t->size, &t->lens, x + 0.5, y + 0.5, px);
        if (px[0] >= 0.0 && px[1] >= 0.0 && px[0] < t->size.width_px && px[1] < t->size.height_px) {
            const struct lens_paper_pixel from = {(int32_t)px[0], (int32_t)px[1]};
            dst[lens_paper_address(t->size, (struct lens_paper_pixel){x, y})] =
                src[lens_paper_address(t->size, from)];
        }
    }
}

static void lut_row(const struct lens_paper_tables *t, const uint32_t *src, uint32_t *dst,
                    int32_t y)
{
    const int32_t first = y * t->size.width_px;
    for (int32_t i = first; i < first + t->size.width_px; i++) {
        if (t->x[i] != LENS_PAPER_NOWHERE) {
            dst[i] = src[t->y[i] * t->size.width_px + t->x[i]];
        }
    }
}

static void key_row(const struct lens_paper_tables *t, const uint32_t *src, uint32_t *dst,
                    int32_t y)
{
    const int32_t first = y * t->size.width_px;
    for (int32_t i = first; i < first + t->size.width_px; i++) {
        if (t->key[i] != LENS_PAPER_NOWHERE) {
            dst[i] = src[lens_paper_address(t->size, lens_paper_pixel_of(t->size, t->key[i]))];
        }
    }
}

static void address_row(const struct lens_paper_tables *t, const uint32_t *src, uint32_t *dst,
                        int32_t y)
{
    const int32_t first = y * t->size.width_px;
    for (int32_t i = first; i < first + t->size.width_px; i++) {
        if (t->address[i] != LENS_PAPER_NOWHERE) {
            dst[i] = src[t->address[i]];
        }
    }
}

/* ---- Times ----------------------------------------------------------------------------------- */

struct cpu_way {
    const char *what;
    void (*run)(struct cpu_lens *lens, void *user, int picture);
    void *user;
    bool blanks; /* it writes pixels that have no source */
    bool nearest;
};

static double measure(struct cpu_lens *lens, const struct cpu_way *way)
{
    double us[REPETITIONS_AT_MOST];
    const bool quick = lens->bench->wishes.quick;
    const size_t least = quick ? 3 : REPETITIONS_AT_LEAST;
    size_t count = 0;
    memset(lens->dst, 0, bench_image_bytes(lens->size, FOVEA_FORMAT_RGBA8));
    way->run(lens, way->user, 0);
    const int64_t begin_ns = fovea_time_ns();
    while (count < least ||
           (!quick && count < REPETITIONS_AT_MOST && fovea_time_ns() - begin_ns < ENOUGH_NS)) {
        const int64_t before_ns = fovea_time_ns();
        way->run(lens, way->user, (int)(count + 1) % BENCH_PICTURES);
        us[count++] = (double)(fovea_time_ns() - before_ns) * 1e-3;
    }
    struct result row = {.kind = RESULT_LENS,
                         .backend = "cpu",
                         .size = lens->size,
                         .what = way->what,
                         .format = FOVEA_FORMAT_RGBA8,
                         .images = 1,
                         .way = "clock",
                         .reference_us = lens->copy_us,
                         .ours_us = way->blanks ? 0.0 : lens->nearest_us};
    row.times = bench_times_of(us, count);
    if (way->nearest) {
        lens_check_nearest(&lens->tables, lens->src[0], lens->dst, way->blanks ? 0xff000000u : 0,
                           row.note, sizeof row.note);
    }
    *results_add(&lens->bench->results) = row;
    return row.times.median_us;
}

static void run_paper(struct cpu_lens *lens, void *user, int picture)
{
    struct pass pass = {.tables = &lens->tables, .src = lens->src[picture], .dst = lens->dst};
    memcpy(&pass.row, user, sizeof pass.row);
    thread_pool_run(lens->pool, thread_pool_worker_max(lens->pool), run_rows, &pass);
}

static void run_copy(struct cpu_lens *lens, void *user, int picture)
{
    cpu_copy_run(lens->copy, lens->src[picture], bench_image_bytes(lens->size, FOVEA_FORMAT_RGBA8));
}

/* ---- Fovea's --------------------------------------------------------------------------------- */

struct ours {
    const struct operator_api *api;
    struct operator_host *host;
    struct operator_frame frame;
};

static void run_ours(struct cpu_lens *lens, void *user, int picture)
{
    const struct ours *own = user;
    const struct fovea_image src =
        bench_image(lens->size, FOVEA_FORMAT_RGBA8, FOVEA_MEMORY_CPU, lens->src[picture]);
    const struct fovea_image dst =
        bench_image(lens->size, FOVEA_FORMAT_RGBA8, FOVEA_MEMORY_CPU, lens->dst);
    own->api->host->run(own->host, &(struct operator_images){.count = 1, .src = &src, .dst = &dst},
                        &own->frame);
}

static double time_ours(struct cpu_lens *lens, const struct cpu_way *way, uint32_t filter,
                        enum fovea_light light)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.light = light;
    settings.own.lens_filter = filter;
    const struct bench_size *size = lens->size;
    const struct operator_plan_desc desc = {
        .settings = &settings, .width_px = size->width_px, .height_px = size->height_px};
    struct operator_plan *plan = NULL;
    struct cpu_way row = *way;
    struct ours own = {.api = operators_at(FOVEA_OPERATOR_lens),
                       .frame = operator_frame_make(size->width_px, size->height_px,
                                                    (struct fovea_point_uv){0.5, 0.5})};
    const struct fovea_image image =
        bench_image(size, FOVEA_FORMAT_RGBA8, FOVEA_MEMORY_CPU, lens->dst);
    bench_must(own.api->plan_create(&desc, &plan), way->what);
    bench_must(operator_host_create(&own.api->host->kind, lens->pool, plan, &own.host), way->what);
    bench_must(own.api->host->reserve(
                   own.host, &(struct operator_images){.count = 1, .src = &image, .dst = &image}),
               way->what);
    row.user = &own;
    const double us = measure(lens, &row);
    operator_host_destroy(&own.host);
    own.api->plan_destroy(&plan);
    return us;
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool wants(const struct cpu_lens *lens, const char *what)
{
    char name[RESULT_NAME_BYTES];
    snprintf(name, sizeof name, "cpu/%s/lens-paper/%s", lens->size->name, what);
    if (!bench_wants(lens->bench, name)) {
        return false;
    }
    bench_say("%s", name);
    return true;
}

static void run_all_ours(struct cpu_lens *lens)
{
    static const struct {
        struct cpu_way way;
        uint32_t filter;
        enum fovea_light light;
    } ways[] = {
        {{"Fovea, nearest", run_ours, NULL, true, true}, 0, FOVEA_LIGHT_ENCODED},
        {{"Fovea, bilinear, as stored", run_ours, NULL, true, false}, 1, FOVEA_LIGHT_ENCODED},
        {{"Fovea, bilinear, as light", run_ours, NULL, true, false}, 1, FOVEA_LIGHT_LINEAR},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (wants(lens, ways[i].way.what)) {
            const double us = time_ours(lens, &ways[i].way, ways[i].filter, ways[i].light);
            lens->nearest_us = i == 0 ? us : lens->nearest_us;
        }
    }
}

static void run_all_paper(struct cpu_lens *lens)
{
    static const struct {
        const char *what;
        row_fn row;
    } ways[] = {{"CPU_naive in doubles", naive_row},
                {"CPU_LUT, two tables", lut_row},
                {"one table of equation 2", key_row},
                {"one table of addresses", address_row}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        row_fn row = ways[i].row;
        if (wants(lens, ways[i].what)) {
            measure(lens, &(struct cpu_way){ways[i].what, run_paper, &row, false, true});
        }
    }
}

static void run_size(struct cpu_lens *lens, const struct bench_size *size)
{
    const size_t bytes = bench_image_bytes(size, FOVEA_FORMAT_RGBA8);
    const struct lens_paper_lens own = {.k1 = LENS_PAPER_K1, .unit_px = size->width_px / 2.0};
    const struct lens_paper_size px = {(int32_t)size->width_px, (int32_t)size->height_px};
    lens->size = size;
    lens->nearest_us = lens->copy_us = 0.0;
    bench_need(lens_paper_tables_make(lens->pool, px, &own, &lens->tables), "out of memory");
    for (int i = 0; i < BENCH_PICTURES; i++) {
        lens->src[i] = bench_memory(bytes, 1);
        bench_draw(lens->src[i], bytes, FOVEA_FORMAT_RGBA8);
    }
    lens->dst = bench_memory(bytes, 1);
    if (wants(lens, "copy")) {
        lens->copy_us = measure(lens, &(struct cpu_way){"copy", run_copy, NULL, true, false});
    }
    run_all_ours(lens);
    run_all_paper(lens);
    for (int i = 0; i < BENCH_PICTURES; i++) {
        free(lens->src[i]);
    }
    free(lens->dst);
    lens_paper_tables_free(&lens->tables);
}

void cpu_lens_paper(struct bench *bench)
{
    static const char *const names[] = {"720p", "1080p", "4K", "8K"};
    struct cpu_lens lens = {.bench = bench};
    size_t count = 0;
    const struct bench_size *quick = bench_sizes(true, &count);
    const uint32_t threads =
        bench->wishes.threads ? bench->wishes.threads : thread_pool_core_count();
    char text[RESULT_TEXT_BYTES];
    bench_must(thread_pool_create(threads, &lens.pool), "threads");
    thread_pool_grow(lens.pool, threads);
    lens.copy = cpu_copy_create(threads);
    snprintf(text, sizeof text, "%u threads", threads);
    results_machine(&bench->results, "cpu backend", text);
    for (size_t i = 0; i < (bench->wishes.quick ? count : sizeof names / sizeof names[0]); i++) {
        run_size(&lens, bench->wishes.quick ? &quick[i] : bench_size_named(names[i]));
    }
    cpu_copy_destroy(&lens.copy);
    thread_pool_destroy(&lens.pool);
}
