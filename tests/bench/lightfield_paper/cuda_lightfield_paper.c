/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's kernels on a CUDA device at its size, with and without what they gained by, and
 * Fovea's, which come first. Raw pictures of noise take turns. */

#include "exact.h"
#include "kernels/lightfield/cuda/lightfield_cuda.h"
#include "lightfield_paper.h"
#include "papers/cuda_kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP_PX 13 /* between the pixels that are looked at */
#define WORDS_PX 32 /* raw rows begin at whole lines of caches */
#define MOST_SUM (255 * 25) /* of weights */
#define OFF_BY_TRUNCATION                                                                          \
    1.01 /* levels: the paper's sums are whole numbers, and so is the mean                         \
          */
#define OFF_BY_OURS 0.6

static const struct bench_size paper_size = {"96x72 lenses", 1056, 792};
static const struct bench_size quick_size = {"6x4 lenses", 66, 44};

enum application { RENDER, DEPTH };

#define EXACT_DEPTHS (EXACT_INTERPOLATED + 1) /* behind the renderings, by enum exact_sample */
#define EXACT_PICTURES (EXACT_DEPTHS + 1)

struct own {
    struct cuda_ways ways;
    struct exact_field field;
    struct papers_kernels kernels[2];
    CUdeviceptr raws[BENCH_PICTURES], packed; /* RGBx; RGB */
    CUtexObject textures[BENCH_PICTURES]; /* 0: the driver has none */
    CUdeviceptr weights, parts, scratch;
    double *exact[EXACT_PICTURES]; /* at the pixels that are looked at; NULL: not yet */
};

/* ---- Pictures -------------------------------------------------------------------------------- */

static void draw(struct own *own, const struct bench_size *size)
{
    struct exact_field *field = &own->field;
    uint32_t random = 1;
    field->columns = (int32_t)size->width_px / LIGHTFIELD_PAPER_PATCH_PX;
    field->rows = (int32_t)size->height_px / LIGHTFIELD_PAPER_PATCH_PX;
    field->width_px = (int32_t)ceil(field->columns * 74.75 / 4.0) * 4;
    field->height_px = (int32_t)ceil(field->rows * 74.75);
    field->row_bytes = (field->width_px + WORDS_PX - 1) / WORDS_PX * WORDS_PX * 4;
    const size_t bytes = (size_t)field->row_bytes * (size_t)field->height_px;
    field->raw = bench_memory(bytes, 1);
    for (size_t i = 0; i < bytes; i++) {
        random = random * 1664525u + 1013904223u;
        field->raw[i] = i % 4 == 3 ? 255 : (uint8_t)(random >> 24);
    }
}

/* One of RGB: what it costs shows, and its rows are as long as those of RGBx. */
static void upload_packed(struct own *own)
{
    const struct exact_field *field = &own->field;
    const size_t bytes = (size_t)field->row_bytes * (size_t)field->height_px;
    OWNED(owned_free) uint8_t *packed = bench_memory(bytes, 1);
    for (size_t i = 0; i < bytes; i++) {
        const size_t x = i % (size_t)field->row_bytes;
        if (x / 3 < (size_t)field->width_px) {
            packed[i] = field->raw[i - x + x / 3 * 4 + x % 3];
        }
    }
    own->packed = cuda_ways_upload(own->ways.b, packed, bytes);
}

static void upload(struct own *own)
{
    struct cuda_bench *b = own->ways.b;
    const struct exact_field *field = &own->field;
    const size_t bytes = (size_t)field->row_bytes * (size_t)field->height_px;
    int32_t weights[LIGHTFIELD_PAPER_MAP_PX * LIGHTFIELD_PAPER_MAP_PX];
    float parts[MOST_SUM + 1];
    for (int32_t i = 0; i < LIGHTFIELD_PAPER_MAP_PX * LIGHTFIELD_PAPER_MAP_PX; i++) {
        weights[i] = exact_weight(i % LIGHTFIELD_PAPER_MAP_PX, i / LIGHTFIELD_PAPER_MAP_PX);
    }
    for (int i = 0; i <= MOST_SUM; i++) {
        parts[i] = i > 0 ? 1.0f / (float)i : 0.0f;
    }
    own->weights = cuda_ways_upload(b, weights, sizeof weights);
    own->parts = cuda_ways_upload(b, parts, sizeof parts);
    own->scratch = cuda_ways_upload(b, NULL, bytes);
    upload_packed(own);
    for (int i = 0; i < BENCH_PICTURES; i++) {
        own->raws[i] = cuda_ways_upload(b, field->raw, bytes);
        const CUDA_RESOURCE_DESC resource = cuda_ways_rows(
            own->raws[i], CU_AD_FORMAT_UNSIGNED_INT32, 1, (size_t)field->row_bytes / 4,
            (size_t)field->height_px, (size_t)field->row_bytes);
        if (cuda_ways_has_textures()) {
            own->textures[i] =
                cuda_ways_texture_as(b, &resource,
                                     (CUDA_TEXTURE_DESC){.filterMode = CU_TR_FILTER_MODE_POINT,
                                                         .flags = CU_TRSF_READ_AS_INTEGER});
        }
    }
}

static void free_all(struct own *own)
{
    struct cuda_bench *b = own->ways.b;
    const CUdeviceptr memory[] = {own->weights, own->parts, own->scratch, own->packed};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) {
        CUDA_MUST(b, b->cu->MemFree(memory[i]));
    }
    for (int i = 0; i < BENCH_PICTURES; i++) {
        cuda_ways_free_texture(b, own->textures[i]);
        CUDA_MUST(b, b->cu->MemFree(own->raws[i]));
    }
    papers_kernels_unload(&own->kernels[RENDER]);
    papers_kernels_unload(&own->kernels[DEPTH]);
    for (int i = 0; i < EXACT_PICTURES; i++) {
        free(own->exact[i]);
    }
    free(own->field.raw);
}

/* ---- Whether it made what it was to make ----------------------------------------------------- */

struct look {
    struct own *own;
    enum application application;
    enum exact_sample sample;
    const struct papers_kernel *kernel; /* NULL: Fovea's */
};

/* Pixels of a row from its own number on, so that all places in patches come up. */
#define EACH_LOOKED_AT(size, x, y)                                                                 \
    for (int32_t y = 0; y < (int32_t)(size)->height_px; y++)                                       \
        for (int32_t x = y % STEP_PX; x < (int32_t)(size)->width_px; x += STEP_PX)

static int channel_at(int32_t x, int32_t y)
{
    return (x + y) % 3;
}

/* Kernels of a kind are to make the same numbers, which are worked out once: they take longer than
 * the kernels. */
static const double *exact_of(const struct look *look)
{
    struct own *own = look->own;
    const struct bench_size *size = own->ways.b->pictures.size;
    const int which = look->application == DEPTH ? EXACT_DEPTHS : (int)look->sample;
    size_t i = 0;
    if (own->exact[which]) {
        return own->exact[which];
    }
    own->exact[which] = bench_memory((size_t)size->width_px * size->height_px, sizeof(double));
    EACH_LOOKED_AT(size, x, y)
    {
        own->exact[which][i++] =
            look->application == DEPTH
                ? exact_depth(&own->field, x, y)
                : exact_render(&own->field, look->sample, x, y, channel_at(x, y));
    }
    return own->exact[which];
}

static double made_at(const struct look *look, const void *made, int32_t x, int32_t y)
{
    const struct bench_size *size = look->own->ways.b->pictures.size;
    const size_t at = (size_t)y * size->width_px + (size_t)x;
    if (look->application == DEPTH) {
        return look->kernel ? ((const uint8_t *)made)[4 * at] : (double)((const float *)made)[at];
    }
    return ((const uint8_t *)made)[4 * at + (size_t)channel_at(x, y)];
}

static bool check(void *user, const void *made, char *words, size_t bytes)
{
    const struct look *look = user;
    const struct bench_size *size = look->own->ways.b->pictures.size;
    const double *exact = exact_of(look);
    const double most = look->application == DEPTH    ? 0.0
                        : look->sample == EXACT_PAPER ? OFF_BY_TRUNCATION
                                                      : OFF_BY_OURS;
    double worst = 0.0;
    EACH_LOOKED_AT(size, x, y)
    {
        const double off = fabs(made_at(look, made, x, y) - *exact++);
        worst = off > worst || isnan(off) ? off : worst;
    }
    const int used =
        look->application == DEPTH && worst <= most
            ? snprintf(words, bytes, "equal")
            : snprintf(words, bytes, "%s%.2f off at most", worst <= most ? "" : "WRONG: ", worst);
    if (look->kernel) {
        papers_kernel_words(look->own->ways.b, look->kernel, words + used, bytes - (size_t)used);
    }
    return worst <= most;
}

/* ---- The paper's ----------------------------------------------------------------------------- */

struct variant {
    enum application application;
    const char *name, *words;
    unsigned width, height; /* of a block */
    unsigned across; /* blocks beside each other; 0: as many as pixels need, of one row each */
    unsigned registers; /* at most; 0: as many as it takes */
    int shared_percent; /* of the cache; 0: the driver's choice */
};

#define BASE 0, 0, 0
#define LINES LIGHTFIELD_PAPER_LINE
static const struct variant variants[] = {
    {RENDER, "base", "base", 128, 1, BASE},
    {RENDER, "base", "base, blocks of 64", 64, 1, BASE},
    {RENDER, "base", "base, blocks of 96", 96, 1, BASE},
    {RENDER, "base", "base, blocks of 160", 160, 1, BASE},
    {RENDER, "base", "base, blocks of 320", 320, 1, BASE},
    {RENDER, "base_default", "base, default loads", 128, 1, BASE},
    {RENDER, "base_rgb", "base, RGB, default loads", 128, 1, BASE},
    {RENDER, "base_bytes", "base, without ResVect", 128, 1, BASE},
    {RENDER, "base_divide", "base, DivAsMul", 128, 1, BASE},
    {RENDER, "base_sync", "base, SyncAtEnd", 128, 1, BASE},
    {RENDER, "base_unrolled", "base, unrolled", 128, 1, BASE},
    {RENDER, "base", "base, least shared memory", 128, 1, 0, 0, 1},
    {RENDER, "sync", "Sync", LINES, 1, 1, 0, 0},
    {RENDER, "sync", "Sync, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "sync", "Sync, 4 blocks a row", LINES, 1, 4, 0, 0},
    {RENDER, "sync", "Sync, 8 blocks a row", LINES, 1, 8, 0, 0},
    {RENDER, "sync", "Sync, 16 blocks a row", LINES, 1, 16, 0, 0},
    {RENDER, "sync", "Sync, blocks of 55x2, 2 a row", LINES, 2, 2, 0, 0},
    {RENDER, "sync_texture", "Sync, texture loads, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "sync_bytes", "Sync, without ResVect, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "sync_divide", "Sync, DivAsMul, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "sync_soa", "Sync, SoA, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "sync_unrolled", "Sync, unrolled, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "sync_one_loop", "Sync, one loop, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "sync", "Sync, 48 registers, 2 blocks a row", LINES, 1, 2, 48, 0},
    {RENDER, "sync", "Sync, 40 registers, 2 blocks a row", LINES, 1, 2, 40, 0},
    {RENDER, "sync", "Sync, least shared memory, 2 blocks a row", LINES, 1, 2, 0, 1},
    {RENDER, "sync", "Sync, most shared memory, 2 blocks a row", LINES, 1, 2, 0, 100},
    {RENDER, "nosync", "NoSync, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "nosync", "NoSync, 1 block a row", LINES, 1, 1, 0, 0},
    {RENDER, "nosync", "NoSync, 4 blocks a row", LINES, 1, 4, 0, 0},
    {RENDER, "nosync", "NoSync, 8 blocks a row", LINES, 1, 8, 0, 0},
    {RENDER, "nosync", "NoSync, 16 blocks a row", LINES, 1, 16, 0, 0},
    {RENDER, "nosync", "NoSync, blocks of 55x2, 2 a row", LINES, 2, 2, 0, 0},
    {RENDER, "nosync_texture", "NoSync, texture loads, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "nosync_bytes", "NoSync, without ResVect, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "nosync_divide", "NoSync, DivAsMul, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "nosync_soa", "NoSync, SoA, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "nosync_registers", "NoSync, sums in registers, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "nosync_loops", "NoSync, not unrolled, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "nosync_unrolled", "NoSync, all unrolled, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "nosync_apart", "NoSync, no barrier, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "nosync_one_loop", "NoSync, one loop, 2 blocks a row", LINES, 1, 2, 0, 0},
    {RENDER, "nosync", "NoSync, 60 registers, 2 blocks a row", LINES, 1, 2, 60, 0},
    {RENDER, "nosync", "NoSync, 48 registers, 2 blocks a row", LINES, 1, 2, 48, 0},
    {DEPTH, "base", "base", 128, 1, BASE},
    {DEPTH, "base", "base, blocks of 64", 64, 1, BASE},
    {DEPTH, "base", "base, blocks of 96", 96, 1, BASE},
    {DEPTH, "base_default", "base, default loads", 128, 1, BASE},
    {DEPTH, "base_rgb", "base, RGB, default loads", 128, 1, BASE},
    {DEPTH, "base_bytes", "base, without ResVect", 128, 1, BASE},
    {DEPTH, "base_sync", "base, SyncAtEnd", 128, 1, BASE},
    {DEPTH, "base_scalar", "base, without vabsdiff4", 128, 1, BASE},
    {DEPTH, "sync", "Sync, 2 blocks a row", LINES, 1, 2, 0, 0},
    {DEPTH, "sync", "Sync, 8 blocks a row", LINES, 1, 8, 0, 0},
    {DEPTH, "sync", "Sync, 16 blocks a row", LINES, 1, 16, 0, 0},
    {DEPTH, "sync_texture", "Sync, texture loads, 2 blocks a row", LINES, 1, 2, 0, 0},
    {DEPTH, "sync_short", "Sync, short sums, 2 blocks a row", LINES, 1, 2, 0, 0},
    {DEPTH, "sync_unrolled", "Sync, unrolled, 2 blocks a row", LINES, 1, 2, 0, 0},
    {DEPTH, "sync_one_loop", "Sync, one loop, 2 blocks a row", LINES, 1, 2, 0, 0},
    {DEPTH, "sync", "Sync, 48 registers, 2 blocks a row", LINES, 1, 2, 48, 0},
    {DEPTH, "sync", "Sync, 64 registers, 2 blocks a row", LINES, 1, 2, 64, 0},
    {DEPTH, "nosync", "NoSync, 2 blocks a row", LINES, 1, 2, 0, 0},
    {DEPTH, "nosync", "NoSync, 8 blocks a row", LINES, 1, 8, 0, 0},
    {DEPTH, "nosync", "NoSync, 16 blocks a row", LINES, 1, 16, 0, 0},
    {DEPTH, "nosync_texture", "NoSync, texture loads, 2 blocks a row", LINES, 1, 2, 0, 0},
    {DEPTH, "nosync_short", "NoSync, short sums, 2 blocks a row", LINES, 1, 2, 0, 0},
    {DEPTH, "nosync_unrolled", "NoSync, unrolled, 2 blocks a row", LINES, 1, 2, 0, 0},
    {DEPTH, "nosync_apart", "NoSync, no barrier, 2 blocks a row", LINES, 1, 2, 0, 0},
    {DEPTH, "nosync", "NoSync, 64 registers, 2 blocks a row", LINES, 1, 2, 64, 0},
    {DEPTH, "nosync", "NoSync, 80 registers, 2 blocks a row", LINES, 1, 2, 80, 0},
};

struct paper_way {
    struct own *own;
    struct papers_kernel kernel;
    struct lightfield_paper_params params;
    bool packed, to_scratch;
};

static enum fovea_result enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct paper_way *way = user;
    struct lightfield_paper_params params = way->params;
    params.raw = way->packed ? way->own->packed : way->own->raws[picture];
    params.texture = way->own->textures[picture];
    params.dst = way->to_scratch ? way->own->scratch : b->pictures.dst[picture];
    return papers_kernel_enqueue(b, &way->kernel, &params);
}

static struct paper_way way_of(struct own *own, enum application application, const char *kernel)
{
    return (struct paper_way){
        .own = own,
        .kernel = {.of = &own->kernels[application], .name = kernel},
        .params = {.weights = own->weights,
                   .parts = own->parts,
                   .row_bytes = own->field.row_bytes,
                   .raw_height_px = own->field.height_px,
                   .columns = own->field.columns,
                   .rows = own->field.rows},
    };
}

/* A line of sums: int4 of colours and weights, or a sum of each patch size. */
static unsigned shared_bytes(const struct variant *variant)
{
    const unsigned lines = strncmp(variant->name, "sync", 4) == 0     ? 1
                           : strncmp(variant->name, "nosync", 6) == 0 ? 2
                                                                      : 0;
    const unsigned sum = variant->application == RENDER    ? 16
                         : strstr(variant->name, "_short") ? 2 * LIGHTFIELD_PAPER_SIZES
                                                           : 4 * LIGHTFIELD_PAPER_SIZES;
    return lines * sum * LINES * variant->height;
}

static const char *full_name(struct own *own, enum application application, const char *words)
{
    return results_words(&own->ways.b->bench->results, "%s: %s",
                         application == RENDER ? "rendering" : "depth", words);
}

static void run_variant(struct own *own, const struct variant *variant)
{
    const struct bench_size *size = own->ways.b->pictures.size;
    const char *what = full_name(own, variant->application, variant->words);
    char name[64];
    snprintf(name, sizeof name, "lightfield_paper_%s_%s",
             variant->application == RENDER ? "render" : "depth", variant->name);
    struct paper_way way = way_of(own, variant->application, name);
    struct look look = {own, variant->application, EXACT_PAPER, &way.kernel};
    if ((strstr(name, "texture") || !strchr(variant->name, '_')) && !cuda_ways_has_textures()) {
        return;
    }
    if (!cuda_ways_want(&own->ways, what)) {
        return;
    }
    way.packed = strstr(name, "rgb");
    way.kernel.registers = variant->registers;
    way.kernel.shared_percent = variant->shared_percent;
    way.kernel.shared_bytes = shared_bytes(variant);
    way.kernel.block[0] = variant->width;
    way.kernel.block[1] = variant->height;
    way.kernel.grid[0] =
        variant->across ? variant->across : (size->width_px + variant->width - 1) / variant->width;
    way.kernel.grid[1] = size->height_px / variant->height;
    papers_kernel_load(own->ways.b, &way.kernel);
    cuda_ways_measure(&own->ways,
                      &(struct cuda_way){.what = what,
                                         .enqueue = enqueue,
                                         .user = &way,
                                         .check = check,
                                         .check_user = &look,
                                         .ours_us = cuda_ways_measured_us(
                                             &own->ways, full_name(own, variant->application,
                                                                   "Fovea, nearest pixels")),
                                         .once = strchr(variant->words, ',') != NULL});
}

/* Bandwidths are compared with a copy; ways are, too, from now on. */
static void run_copies(struct own *own)
{
    static const struct {
        const char *kernel, *words;
        unsigned block[2], shared_bytes;
    } copies[] = {
        {"lightfield_paper_raw_transpose", "raw picture, transposed", {32, 8}, 33 * 32 * 4},
        {"lightfield_paper_raw_copy", "raw picture, copied", {256, 1}, 0},
    };
    struct cuda_bench *b = own->ways.b;
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
        struct paper_way way = way_of(own, RENDER, copies[i].kernel);
        const unsigned words = (unsigned)own->field.row_bytes / 4;
        const unsigned rows = (unsigned)own->field.height_px;
        if (!cuda_ways_want(&own->ways, copies[i].words)) {
            continue;
        }
        way.to_scratch = true;
        way.kernel.block[0] = copies[i].block[0];
        way.kernel.block[1] = copies[i].block[1];
        way.kernel.grid[0] = i == 0 ? (words + 31) / 32 : (words / 4 * rows + 255) / 256;
        way.kernel.grid[1] = i == 0 ? (rows + 31) / 32 : 1;
        way.kernel.shared_bytes = copies[i].shared_bytes;
        papers_kernel_load(b, &way.kernel);
        const double us = cuda_ways_measure(&own->ways, &(struct cuda_way){.what = copies[i].words,
                                                                           .enqueue = enqueue,
                                                                           .user = &way,
                                                                           .once = true});
        b->pictures.copy_us = us;
    }
}

/* ---- Fovea's --------------------------------------------------------------------------------- */

struct ours {
    struct own *own;
    enum application application;
    struct lightfield_cuda *cuda;
    struct fovea_lightfield_raw raw;
    struct fovea_lightfield_rendering rendering;
    struct fovea_lightfield_matching matching;
};

static enum fovea_result enqueue_ours(struct cuda_bench *b, void *user, uint32_t picture)
{
    struct ours *ours = user;
    const struct fovea_image dst = bench_image(
        b->pictures.size, ours->application == RENDER ? FOVEA_FORMAT_RGBA8 : FOVEA_FORMAT_R32F,
        FOVEA_MEMORY_CUDA, (void *)(uintptr_t)b->pictures.dst[picture]);
    ours->raw.data = (const void *)(uintptr_t)ours->own->raws[picture];
    return ours->application == RENDER
               ? lightfield_cuda_render(ours->cuda, &ours->raw, &ours->rendering, &dst, b->stream)
               : lightfield_cuda_depth(ours->cuda, &ours->raw, &ours->matching, &dst, NULL,
                                       b->stream);
}

static struct ours make_ours(struct own *own, enum application application,
                             enum fovea_lightfield_filter filter)
{
    struct ours ours = {.own = own, .application = application};
    struct fovea_lightfield_geometry geometry;
    fovea_lightfield_geometry_init(&geometry);
    geometry.columns = (uint32_t)own->field.columns;
    geometry.rows = (uint32_t)own->field.rows;
    geometry.pitch_x_px = geometry.pitch_y_px = 74.75;
    geometry.origin_x_px = geometry.origin_y_px = 74.75 / 2.0;
    geometry.raw_width_px = (uint32_t)own->field.width_px;
    geometry.raw_height_px = (uint32_t)own->field.height_px;
    fovea_lightfield_raw_init(&ours.raw);
    ours.raw.width_px = geometry.raw_width_px;
    ours.raw.height_px = geometry.raw_height_px;
    ours.raw.format = FOVEA_LIGHTFIELD_FORMAT_RGBA8;
    ours.raw.memory = FOVEA_MEMORY_CUDA;
    ours.raw.maximum = 255;
    ours.raw.row_stride_bytes = own->field.row_bytes;
    fovea_lightfield_rendering_init(&ours.rendering);
    ours.rendering.patch_px = LIGHTFIELD_PAPER_PATCH_PX;
    ours.rendering.filter = filter;
    fovea_lightfield_matching_init(&ours.matching);
    ours.matching.first_px = LIGHTFIELD_PAPER_FIRST_PX;
    ours.matching.last_px = LIGHTFIELD_PAPER_FIRST_PX + LIGHTFIELD_PAPER_SIZES - 1;
    ours.matching.filter = filter;
    bench_must(
        lightfield_cuda_create(&geometry, own->ways.b->device->ordinal, bench_log(), &ours.cuda),
        "light field");
    return ours;
}

static void run_ours(struct own *own)
{
    static const struct {
        enum application application;
        const char *words;
        enum fovea_lightfield_filter filter;
        enum exact_sample sample;
    } cases[] = {
        {RENDER, "Fovea, nearest pixels", FOVEA_LIGHTFIELD_FILTER_NEAREST, EXACT_NEAREST},
        {RENDER, "Fovea, interpolated", FOVEA_LIGHTFIELD_FILTER_LINEAR, EXACT_INTERPOLATED},
        {DEPTH, "Fovea, nearest pixels", FOVEA_LIGHTFIELD_FILTER_NEAREST, EXACT_NEAREST},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *what = full_name(own, cases[i].application, cases[i].words);
        struct look look = {own, cases[i].application, cases[i].sample, NULL};
        if (cuda_ways_want(&own->ways, what)) {
            struct ours ours = make_ours(own, cases[i].application, cases[i].filter);
            cuda_ways_measure(&own->ways, &(struct cuda_way){.what = what,
                                                             .enqueue = enqueue_ours,
                                                             .user = &ours,
                                                             .check = check,
                                                             .check_user = &look});
            lightfield_cuda_destroy(&ours.cuda);
        }
    }
}

bool cuda_lightfield_paper(struct cuda_bench *b)
{
    struct own own = {.ways = {b, RESULT_LIGHTFIELD, "lightfield-paper"},
                      .kernels = {{.b = b, .ptx = bench_lightfield_render_ptx, .is_apart = true},
                                  {.b = b, .ptx = bench_lightfield_depth_ptx, .is_apart = true}}};
    const struct bench_size *size = b->bench->wishes.quick ? &quick_size : &paper_size;
    if (!cuda_open(b)) {
        return false;
    }
    cuda_ways_pictures(&own.ways, size, FOVEA_FORMAT_RGBA8);
    draw(&own, size);
    upload(&own);
    run_copies(&own);
    run_ours(&own);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        const bool again = variants[i].registers > 0 || variants[i].shared_percent > 0;
        if (!b->bench->wishes.quick || !again) {
            run_variant(&own, &variants[i]);
        }
    }
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    free_all(&own);
    return true;
}
