/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's ways to warp for a lens on a CUDA device, and Fovea's: 720p, 1080p, 4K, 8K. */

#include "cuda_lens.h"

/* ---- Checks ---------------------------------------------------------------------------------- */

#define OFF_OURS 1.0 /* levels */

/* Floats put some places on the other side of a pixel's edge: one pixel in 500 may be another. */
static bool is_near(const struct cuda_lens *lens, size_t others)
{
    return others * 500 <= (size_t)lens->tables.size.width_px * (size_t)lens->tables.size.height_px;
}

static bool check_nearest(void *user, const void *made, char *words, size_t bytes)
{
    const struct cuda_lens *lens = user;
    return is_near(lens,
                   lens_check_nearest(&lens->tables, lens->src, made, LENS_BLANK, words, bytes));
}

bool cuda_lens_check_untouched(void *user, const void *made, char *words, size_t bytes)
{
    const struct cuda_lens *lens = user;
    return is_near(lens, lens_check_nearest(&lens->tables, lens->src, made, 0, words, bytes));
}

static bool check_table(void *user, const void *made, char *words, size_t bytes)
{
    const struct cuda_lens *lens = user;
    return lens_check_nearest(&lens->tables, lens->src, made, 0, words, bytes) == 0;
}

static bool check_forward(void *user, const void *made, char *words, size_t bytes)
{
    const struct cuda_lens *lens = user;
    return lens_check_forward(&lens->tables, made, words, bytes);
}

static double off_levels(const struct cuda_lens *lens, double apart, const void *made, char *words,
                         size_t bytes)
{
    const double k1[3] = {LENS_PAPER_K1 - apart, LENS_PAPER_K1, LENS_PAPER_K1 + apart};
    return lens_check_bilinear(&lens->tables, k1, lens->src, made, words, bytes);
}

bool cuda_lens_check_bilinear(void *user, const void *made, char *words, size_t bytes)
{
    return off_levels(user, 0.0, made, words, bytes) >= 0.0;
}

bool cuda_lens_check_colors(void *user, const void *made, char *words, size_t bytes)
{
    return off_levels(user, LENS_APART_K1, made, words, bytes) >= 0.0;
}

static bool check_ours(void *user, const void *made, char *words, size_t bytes)
{
    return off_levels(user, 0.0, made, words, bytes) <= OFF_OURS;
}

static bool check_our_colors(void *user, const void *made, char *words, size_t bytes)
{
    return off_levels(user, LENS_APART_K1, made, words, bytes) <= OFF_OURS;
}

/* ---- Fovea's --------------------------------------------------------------------------------- */

struct ours {
    const char *what;
    uint32_t filter; /* of the setting's words */
    enum fovea_light light;
    double apart; /* what is added to r2 for blue, and taken away for red */
    cuda_ways_check_fn check;
};

static const struct ours ours[] = {
    {"Fovea, nearest", 0, FOVEA_LIGHT_ENCODED, 0.0, check_nearest},
    {"Fovea, bilinear, as stored", 1, FOVEA_LIGHT_ENCODED, 0.0, check_ours},
    {"Fovea, bilinear, as light", 1, FOVEA_LIGHT_LINEAR, 0.0, NULL},
    {"Fovea, colours of their own, as stored", 1, FOVEA_LIGHT_ENCODED, LENS_APART_K1,
     check_our_colors},
    {"Fovea, colours of their own, as light", 1, FOVEA_LIGHT_LINEAR, LENS_APART_K1, NULL},
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
                              cuda_operator_make(lens->ways.b, FOVEA_OPERATOR_lens, &settings)};
    const double us = cuda_ways_measure(&lens->ways, &(struct cuda_way){.what = way->what,
                                                                        .enqueue = enqueue_ours,
                                                                        .user = &running,
                                                                        .check = way->check,
                                                                        .check_user = lens,
                                                                        .renew = renew_ours});
    cuda_operator_free(&running.own);
    return us;
}

static void run_all_ours(struct cuda_lens *lens)
{
    double us[sizeof ours / sizeof ours[0]] = {0};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (cuda_ways_want(&lens->ways, ours[i].what)) {
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
    return cuda_ways_launch_over(b, launch->kernel, params.size.width_px, params.size.height_px,
                                 launch->block, &params);
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
    struct cuda_bench *b = lens->ways.b;
    const size_t bytes = bench_image_bytes(b->pictures.size, FOVEA_FORMAT_RGBA8);
    for (size_t i = 0; i < BENCH_PICTURES; i++) {
        CUDA_MUST(b, of_one_color ? b->cu->MemsetD8(b->pictures.src[i], 0x80, bytes)
                                  : b->cu->MemcpyHtoD(b->pictures.src[i], lens->src, bytes));
    }
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

static cuda_ways_check_fn check_of(const struct paper_way *way, const struct lens_paper_tables *t)
{
    return way->of_one_color          ? NULL
           : way->table == t->forward ? check_forward
           : way->table               ? check_table
                                      : cuda_lens_check_untouched;
}

static void run_paper_way(struct cuda_lens *lens, CUmodule module, const struct paper_way *way)
{
    struct cuda_bench *b = lens->ways.b;
    const struct lens_paper_tables *t = &lens->tables;
    const size_t bytes = (size_t)t->size.width_px * (size_t)t->size.height_px * sizeof *way->table;
    struct launch launch = {.params = {.size = t->size, .k1 = t->lens.k1, .k2 = t->lens.k2}};
    CUDA_MUST(b, b->cu->ModuleGetFunction(&launch.kernel, module, way->kernel));
    launch.block[0] = way->block[0] ? way->block[0] : LENS_PAPER_SIDE;
    launch.block[1] = way->block[1] ? way->block[1] : LENS_PAPER_SIDE;
    launch.params.table =
        way->table ? cuda_ways_upload(b, way->table, way->in_pairs ? 2 * bytes : bytes) : 0;
    launch.params.table_y = way->table_y ? cuda_ways_upload(b, way->table_y, bytes) : 0;
    paint(lens, way->of_one_color);
    cuda_ways_measure(&lens->ways, &(struct cuda_way){.what = way->what,
                                                      .enqueue = enqueue,
                                                      .user = &launch,
                                                      .check = check_of(way, t),
                                                      .check_user = lens,
                                                      .ours_us = lens->ours.nearest_us});
    if (way->has_memory && !b->bench->wishes.check) {
        cuda_lens_memory(lens, launch.kernel, &launch.params);
    }
    for (int i = 0; i < 2; i++) {
        const CUdeviceptr table = i == 0 ? launch.params.table : launch.params.table_y;
        CUDA_MUST(b, table ? b->cu->MemFree(table) : CUDA_SUCCESS);
    }
}

static void run_paper(struct cuda_lens *lens)
{
    struct cuda_bench *b = lens->ways.b;
    const struct lens_paper_tables *t = &lens->tables;
    OWNED(owned_free) int32_t *pairs = lens_paper_pairs(t);
    bench_need(pairs, "out of memory");
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
        if (cuda_ways_want(&lens->ways, ways[i].what)) {
            run_paper_way(lens, module, &ways[i]);
        }
    }
    CUDA_MUST(b, b->cu->ModuleUnload(module));
}

/* ---- All ------------------------------------------------------------------------------------- */

static void run_size(struct cuda_lens *lens, const struct bench_size *size)
{
    const size_t bytes = bench_image_bytes(size, FOVEA_FORMAT_RGBA8);
    const struct lens_paper_lens own = {.k1 = LENS_PAPER_K1, .unit_px = size->width_px / 2.0};
    const struct lens_paper_size px = {(int32_t)size->width_px, (int32_t)size->height_px};
    cuda_ways_pictures(&lens->ways, size, FOVEA_FORMAT_RGBA8);
    bench_need(lens_paper_tables_make(lens->pool, px, &own, &lens->tables), "out of memory");
    lens->src = bench_memory(bytes, 1);
    bench_draw(lens->src, bytes, FOVEA_FORMAT_RGBA8);
    run_all_ours(lens);
    run_paper(lens);
    if (!lens->ways.b->bench->wishes.check) { /* which may be on a device that is the host */
        cuda_lens_peers(lens);
    }
    free(lens->src);
    lens_paper_tables_free(&lens->tables);
}

bool cuda_lens_paper(struct cuda_bench *b)
{
    struct cuda_lens lens = {.ways = {b, RESULT_LENS, "lens-paper"}};
    size_t count = 0;
    const struct bench_size *sizes = bench_sizes(b->bench->wishes.quick, &count);
    if (!cuda_open(b)) {
        return false;
    }
    bench_must(thread_pool_create(0, &lens.pool), "threads");
    thread_pool_grow(lens.pool, thread_pool_worker_max(lens.pool));
    for (size_t i = 0; i < count; i++) {
        if (strcmp(sizes[i].name, "1440p") != 0) {
            run_size(&lens, &sizes[i]);
        }
    }
    if (!b->bench->wishes.check) {
        cuda_lens_flat(b);
    }
    thread_pool_destroy(&lens.pool);
    return true;
}
