/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's ways to warp for a lens on a CUDA device, and Fovea's: 720p, 1080p, 4K, 8K. */

#include "cuda_lens.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A way's row ----------------------------------------------------------------------------- */

void *cuda_lens_driver_function(const char *name)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

bool cuda_lens_wants(const struct cuda_lens *lens, const char *what)
{
    char name[RESULT_NAME_BYTES];
    snprintf(name, sizeof name, "cuda/%s/lens-paper/%s", lens->b->pictures.size->name, what);
    if (!bench_wants(lens->b->bench, name)) {
        return false;
    }
    bench_say("%s", name);
    return true;
}

static enum fovea_result enqueue_warm(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct cuda_lens_way *way = user;
    return way->enqueue(b, way->user, 0);
}

static void look(struct cuda_lens *lens, const struct cuda_lens_way *way, char *words, size_t bytes)
{
    struct cuda_bench *b = lens->b;
    const size_t picture_bytes = bench_image_bytes(b->pictures.size, FOVEA_FORMAT_RGBA8);
    CUDA_MUST(b, b->cu->MemsetD8(b->pictures.dst[0], 0, picture_bytes));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
    bench_must(way->enqueue(b, way->user, 0), way->what);
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    CUDA_MUST(b, b->cu->MemcpyDtoH(lens->out, b->pictures.dst[0], picture_bytes));
    way->check(lens, words, bytes);
}

static void keep(struct cuda_bench *b, void *user)
{
}

double cuda_lens_measure(struct cuda_lens *lens, const struct cuda_lens_way *way)
{
    struct cuda_bench *b = lens->b;
    const char *warm_way = NULL;
    struct cuda_lens_way own = *way;
    void (*const renew)(struct cuda_bench *, void *) = way->renew ? way->renew : keep;
    struct result row = {.kind = RESULT_LENS,
                         .backend = "cuda",
                         .size = b->pictures.size,
                         .what = way->what,
                         .format = FOVEA_FORMAT_RGBA8,
                         .images = 1,
                         .ours_us = way->ours_us};
    row.times = cuda_time(b, way->enqueue, way->user, &row.way);
    renew(b, way->user);
    row.warm = cuda_time(b, enqueue_warm, &own, &warm_way);
    row.reference_us = cuda_copy_us(b, row.way);
    if (way->check) {
        renew(b, way->user);
        look(lens, way, row.note, sizeof row.note);
    }
    *results_add(&b->bench->results) = row;
    return row.times.median_us;
}

void cuda_lens_check_nearest(const struct cuda_lens *lens, char *words, size_t bytes)
{
    lens_check_nearest(&lens->tables, lens->src, lens->out, LENS_BLANK, words, bytes);
}

void cuda_lens_check_bilinear(const struct cuda_lens *lens, char *words, size_t bytes)
{
    static const double k1[3] = {LENS_PAPER_K1, LENS_PAPER_K1, LENS_PAPER_K1};
    lens_check_bilinear(&lens->tables, k1, lens->src, lens->out, words, bytes);
}

void cuda_lens_check_colors(const struct cuda_lens *lens, char *words, size_t bytes)
{
    static const double k1[3] = {LENS_RED_K1, LENS_PAPER_K1, LENS_BLUE_K1};
    lens_check_bilinear(&lens->tables, k1, lens->src, lens->out, words, bytes);
}

/* ---- Fovea's --------------------------------------------------------------------------------- */

struct ours {
    const char *what;
    uint32_t filter; /* of the setting's words */
    enum fovea_light light;
    double apart; /* what is added to r2 for blue, and taken away for red */
    void (*check)(const struct cuda_lens *lens, char *words, size_t bytes);
};

static const struct ours ours[] = {
    {"Fovea, nearest", 0, FOVEA_LIGHT_ENCODED, 0.0, cuda_lens_check_nearest},
    {"Fovea, bilinear, as stored", 1, FOVEA_LIGHT_ENCODED, 0.0, cuda_lens_check_bilinear},
    {"Fovea, bilinear, as light", 1, FOVEA_LIGHT_LINEAR, 0.0, NULL},
    {"Fovea, colours of their own, as stored", 1, FOVEA_LIGHT_ENCODED, 0.01,
     cuda_lens_check_colors},
    {"Fovea, colours of their own, as light", 1, FOVEA_LIGHT_LINEAR, 0.01, NULL},
    {"Fovea, bicubic, as stored", 2, FOVEA_LIGHT_ENCODED, 0.0, NULL},
};

struct running {
    struct fovea_settings settings;
    struct cuda_operator own;
};

static enum fovea_result enqueue_ours(struct cuda_bench *b, void *user, uint32_t picture)
{
    struct running *running = user;
    return cuda_operator_enqueue(b, &running->own, picture);
}

static void renew_ours(struct cuda_bench *b, void *user)
{
    struct running *running = user;
    cuda_operator_free(&running->own);
    running->own = cuda_operator_make(b, FOVEA_OPERATOR_lens, &running->settings);
}

static double run_ours(struct cuda_lens *lens, const struct ours *way)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.light = way->light;
    settings.own.lens_filter = way->filter;
    settings.own.lens_red_r2 = -way->apart;
    settings.own.lens_blue_r2 = way->apart;
    struct running running = {settings,
                              cuda_operator_make(lens->b, FOVEA_OPERATOR_lens, &settings)};
    const struct cuda_lens_way row = {.what = way->what,
                                      .enqueue = enqueue_ours,
                                      .user = &running,
                                      .check = way->check,
                                      .renew = renew_ours};
    const double us = cuda_lens_measure(lens, &row);
    cuda_operator_free(&running.own);
    return us;
}

static void run_all_ours(struct cuda_lens *lens)
{
    double us[sizeof ours / sizeof ours[0]] = {0};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (cuda_lens_wants(lens, ours[i].what)) {
            us[i] = run_ours(lens, &ours[i]);
        }
    }
    lens->ours = (struct cuda_lens_ours){us[0], us[1], us[3]};
}

/* ---- The paper's ----------------------------------------------------------------------------- */

struct launch {
    CUfunction kernel;
    struct lens_paper_params params;
    unsigned block[2]; /* threads */
};

static enum fovea_result enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct launch *launch = user;
    struct lens_paper_params params = launch->params;
    params.src = b->pictures.src[picture];
    params.dst = b->pictures.dst[picture];
    const unsigned *block = launch->block;
    const unsigned columns = ((unsigned)params.size.width_px + block[0] - 1) / block[0];
    const unsigned rows = ((unsigned)params.size.height_px + block[1] - 1) / block[1];
    return CU_CHECK(b->device->log, b->cu,
                    b->cu->LaunchKernel(launch->kernel, columns, rows, 1, block[0], block[1], 1, 0,
                                        b->stream, (void *[]){&params}, NULL));
}

static void check_table(const struct cuda_lens *lens, char *words, size_t bytes)
{
    lens_check_nearest(&lens->tables, lens->src, lens->out, 0, words, bytes);
}

static void check_forward(const struct cuda_lens *lens, char *words, size_t bytes)
{
    lens_check_forward(&lens->tables, lens->out, words, bytes);
}

static CUdeviceptr upload(struct cuda_bench *b, const int32_t *table, size_t count)
{
    CUdeviceptr memory = 0;
    CUDA_MUST(b, b->cu->MemAlloc(&memory, count * sizeof *table));
    CUDA_MUST(b, b->cu->MemcpyHtoD(memory, table, count * sizeof *table));
    return memory;
}

struct paper_way {
    const char *kernel;
    const char *what;
    const int32_t *table; /* NULL: it reads none */
    const int32_t *table_y;
    bool in_pairs; /* table has x and y of each pixel */
    unsigned block[2]; /* 0: the paper's */
    bool of_one_color; /* the pictures */
    bool has_memory; /* it is measured with memory of the host, too */
};

static void paint(struct cuda_lens *lens, bool of_one_color)
{
    struct cuda_bench *b = lens->b;
    const size_t bytes = bench_image_bytes(b->pictures.size, FOVEA_FORMAT_RGBA8);
    for (size_t i = 0; i < BENCH_PICTURES; i++) {
        CUDA_MUST(b, of_one_color ? b->cu->MemsetD8(b->pictures.src[i], 0x80, bytes)
                                  : b->cu->MemcpyHtoD(b->pictures.src[i], lens->src, bytes));
    }
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

static void run_paper_way(struct cuda_lens *lens, CUmodule module, const struct paper_way *way)
{
    struct cuda_bench *b = lens->b;
    const struct lens_paper_tables *t = &lens->tables;
    const size_t count = (size_t)t->size.width_px * (size_t)t->size.height_px;
    struct launch launch = {.params = {.size = t->size, .k1 = t->lens.k1, .k2 = t->lens.k2}};
    CUDA_MUST(b, b->cu->ModuleGetFunction(&launch.kernel, module, way->kernel));
    launch.block[0] = way->block[0] ? way->block[0] : LENS_PAPER_SIDE;
    launch.block[1] = way->block[1] ? way->block[1] : LENS_PAPER_SIDE;
    launch.params.table = way->table ? upload(b, way->table, way->in_pairs ? 2 * count : count) : 0;
    launch.params.table_y = way->table_y ? upload(b, way->table_y, count) : 0;
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
    if (way->of_one_color) {
        paint(lens, true);
    }
    const bool forward = way->table == t->forward;
    const struct cuda_lens_way row = {.what = way->what,
                                      .enqueue = enqueue,
                                      .user = &launch,
                                      .check = way->of_one_color ? NULL
                                               : forward         ? check_forward
                                                                 : check_table,
                                      .ours_us = lens->ours.nearest_us};
    cuda_lens_measure(lens, &row);
    if (way->has_memory) {
        cuda_lens_memory(lens, launch.kernel, &launch.params);
    }
    if (launch.params.table) {
        CUDA_MUST(b, b->cu->MemFree(launch.params.table));
    }
    if (launch.params.table_y) {
        CUDA_MUST(b, b->cu->MemFree(launch.params.table_y));
    }
    if (way->of_one_color) {
        paint(lens, false);
    }
}

static void run_paper(struct cuda_lens *lens)
{
    struct cuda_bench *b = lens->b;
    const struct lens_paper_tables *t = &lens->tables;
    int32_t *pairs = lens_paper_pairs(t);
    if (!pairs) {
        bench_fail("out of memory");
    }
#define BLOCKS(width, height)                                                                      \
    {                                                                                              \
        .kernel = "lens_paper_backward_blocks", .what = "Ours_B, blocks of " #width "x" #height,   \
        .table = t->key, .block = {                                                                \
            width,                                                                                 \
            height                                                                                 \
        }                                                                                          \
    }
    const struct paper_way ways[] = {
        {.kernel = "lens_paper_naive_float", .what = "GPU_naive in floats"},
        {.kernel = "lens_paper_naive_double", .what = "GPU_naive in doubles"},
        {.kernel = "lens_paper_naive_pow", .what = "GPU_naive in doubles, by pow"},
        {.kernel = "lens_paper_lut", .what = "GPU_LUT, two tables", .table = t->x, .table_y = t->y},
        {.kernel = "lens_paper_lut_pairs",
         .what = "GPU_LUT, an array of pairs",
         .table = pairs,
         .in_pairs = true},
        {.kernel = "lens_paper_backward",
         .what = "Ours_B, one table",
         .table = t->key,
         .has_memory = true},
        {.kernel = "lens_paper_backward",
         .what = "Ours_B, pictures of one colour",
         .table = t->key,
         .of_one_color = true},
        BLOCKS(8, 8),
        BLOCKS(16, 16),
        BLOCKS(32, 8),
        BLOCKS(128, 1),
        BLOCKS(32, 32),
        {.kernel = "lens_paper_forward", .what = "Ours_F, one table", .table = t->forward},
        {.kernel = "lens_paper_by_address", .what = "one table of addresses", .table = t->address},
    };
#undef BLOCKS
    CUmodule module = NULL;
    CUDA_MUST(b, b->cu->ModuleLoadData(&module, bench_lens_paper_ptx));
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (cuda_lens_wants(lens, ways[i].what)) {
            run_paper_way(lens, module, &ways[i]);
        }
    }
    CUDA_MUST(b, b->cu->ModuleUnload(module));
    free(pairs);
}

/* ---- All ------------------------------------------------------------------------------------- */

static void run_size(struct cuda_lens *lens, const struct bench_size *size)
{
    struct cuda_bench *b = lens->b;
    const size_t bytes = bench_image_bytes(size, FOVEA_FORMAT_RGBA8);
    const struct lens_paper_lens own = {.k1 = LENS_PAPER_K1, .unit_px = size->width_px / 2.0};
    const struct lens_paper_size px = {(int32_t)size->width_px, (int32_t)size->height_px};
    cuda_need_pictures(b, size, FOVEA_FORMAT_RGBA8, 1);
    if (!lens_paper_tables_make(lens->pool, px, &own, &lens->tables)) {
        bench_fail("out of memory");
    }
    lens->src = bench_memory(bytes, 1);
    lens->out = bench_memory(bytes, 1);
    bench_draw(lens->src, bytes, FOVEA_FORMAT_RGBA8);
    run_all_ours(lens);
    run_paper(lens);
    cuda_lens_peers(lens);
    free(lens->src);
    free(lens->out);
    lens_paper_tables_free(&lens->tables);
}

static bool is_paper_size(const struct bench_size *size)
{
    return strcmp(size->name, "1440p") != 0;
}

bool cuda_lens_paper(struct cuda_bench *b)
{
    struct cuda_lens lens = {.b = b};
    size_t count = 0;
    const struct bench_size *sizes = bench_sizes(b->bench->wishes.quick, &count);
    if (!cuda_open(b)) {
        return false;
    }
    bench_must(thread_pool_create(0, &lens.pool), "threads");
    thread_pool_grow(lens.pool, thread_pool_worker_max(lens.pool));
    for (size_t i = 0; i < count; i++) {
        if (is_paper_size(&sizes[i])) {
            run_size(&lens, &sizes[i]);
        }
    }
    cuda_lens_flat(b);
    thread_pool_destroy(&lens.pool);
    return true;
}
