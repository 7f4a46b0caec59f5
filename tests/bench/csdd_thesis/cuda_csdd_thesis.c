/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's kernels on a CUDA device at its sizes, with and without what they gained by, and
 * Fovea's blobs, which come first. */

#include "csdd_sizes.h"
#include "fovea_blobs.h"
#include "papers/cuda_kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define OFF_AT_MOST 1e-4 /* of responses from 0 to 1: the thesis's four places */
#define LEAST_RESPONSE 0.02
#define QUICK_BINS 16
#define CHANNELS 3
#define SCALES 19
#define BLOBS 1000
#define CALLS 15
#define MOST_SIZES 16
#define BUDGET_S 20 /* then no way begins any more */

enum kernel { ROWS, COLUMNS, SUMS, KERNELS };

struct own {
    struct cuda_ways ways;
    struct papers_kernels kernels;
    const struct csdd_picture *picture;
    CUdeviceptr filters, gauss, second, filtered, partial;
    size_t pixels;
    int32_t bins;
    double ours_us; /* of a call with all channels and scales */
    int64_t begin_ns;
    uint32_t left_out; /* ways that there was no time for */
};

/* ---- A way: kernels, their blocks, and how often ----------------------------------------------
 */

struct variant {
    const char *words;
    const char *rows, *columns, *sums; /* NULL: it is left out */
    int32_t threads; /* of a block of kernels 1 and 2; 0: the thesis's choice */
    unsigned registers;
    int32_t streams; /* 0: one */
    int32_t high; /* of kernel 3's grid; 0: 1; below 0: a thread a pixel */
    int32_t groups; /* of bins that kernel 3 adds apart; 0: 1 */
    int32_t times; /* of channels and scales; 0: 1 */
};

struct way {
    struct own *own;
    const struct variant *of;
    struct papers_kernel kernels[KERNELS];
    struct csdd_thesis_params params;
};

static void load(struct way *way, enum kernel which, const char *name, int32_t threads,
                 int32_t lines)
{
    struct papers_kernel *kernel = &way->kernels[which];
    const uint32_t blocks = (uint32_t)((lines + threads - 1) / threads);
    *kernel = (struct papers_kernel){.of = &way->own->kernels,
                                     .name = name,
                                     .registers = way->of->registers,
                                     .grid = {blocks, 1, 1},
                                     .block = {(unsigned)threads, 1},
                                     .shared_bytes = 4 * (unsigned)threads};
    if (name) {
        papers_kernel_load(way->own->ways.b, kernel);
    }
}

static struct way make_way(struct own *own, const struct variant *variant)
{
    const struct csdd_picture *picture = own->picture;
    struct way way = {.own = own, .of = variant};
    const int32_t along[2] = {variant->threads ? variant->threads : picture->threads[0],
                              variant->threads ? variant->threads : picture->threads[1]};
    load(&way, ROWS, variant->rows, along[0], picture->rows);
    load(&way, COLUMNS, variant->columns, along[1], picture->columns);
    load(&way, SUMS, variant->sums, along[0], picture->rows);
    way.kernels[SUMS].grid[1] = (unsigned)(variant->high < 0    ? picture->columns
                                           : variant->high == 0 ? 1
                                                                : variant->high);
    way.params = (struct csdd_thesis_params){.gauss = own->gauss,
                                             .second = own->second,
                                             .filtered = own->filtered,
                                             .filters = own->filters,
                                             .rows = picture->rows,
                                             .columns = picture->columns};
    return way;
}

static enum fovea_result launch(const struct way *way, enum kernel which, unsigned bins,
                                struct csdd_thesis_params params)
{
    struct papers_kernel kernel = way->kernels[which];
    if (!kernel.name) {
        return FOVEA_OK;
    }
    if (which == SUMS) {
        kernel.grid[2] = bins;
    } else {
        params.tiles = (int32_t)kernel.grid[0];
        kernel.grid[0] *= bins;
    }
    return papers_kernel_enqueue(way->own->ways.b, &kernel, &params);
}

/* Kernel 3: all bins, or groups of them and then these. */
static enum fovea_result add_bins(const struct way *way, struct csdd_thesis_params params)
{
    if (way->of->groups > 1) {
        struct csdd_thesis_params first = params;
        first.dst = way->own->partial;
        first.adds = 0;
        FOVEA_TRY(launch(way, SUMS, (unsigned)way->of->groups, first));
        params.filtered = way->own->partial;
        params.bins = way->of->groups;
        params.factor = 1.0f;
    }
    return launch(way, SUMS, 1, params);
}

static enum fovea_result enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct way *way = user;
    const int32_t streams = way->of->streams > 0 ? way->of->streams : 1;
    const int32_t times = way->of->times > 0 ? way->of->times : 1;
    struct csdd_thesis_params params = way->params;
    params.image = b->pictures.src[picture];
    params.dst = b->pictures.dst[picture];
    params.factor = (float)csdd_factor(CSDD_SIGMA_PX);
    params.bins = way->own->bins / streams;
    for (int32_t i = 0; i < times * streams; i++) {
        params.first_bin = i % streams * params.bins;
        params.adds = i % streams > 0;
        FOVEA_TRY(launch(way, ROWS, (unsigned)params.bins, params));
        FOVEA_TRY(launch(way, COLUMNS, (unsigned)params.bins, params));
        FOVEA_TRY(add_bins(way, params));
    }
    return FOVEA_OK;
}

/* ---- Whether it made what it was to make ----------------------------------------------------- */

static bool check(void *user, const void *made, char *words, size_t bytes)
{
    const struct way *way = user;
    double worst = 0.0;
    double largest = 0.0;
    for (size_t i = 0; i < way->own->pixels; i++) {
        const double is = way->own->picture->exact[i];
        const double off = fabs(((const float *)made)[i] - is);
        worst = off > worst || isnan(off) ? off : worst;
        largest = fmax(largest, is);
    }
    /* If nothing is found, nothing can be wrong. */
    const bool right = worst <= OFF_AT_MOST && largest > LEAST_RESPONSE;
    const int used = snprintf(words, bytes, "%s%.1e off at most, of %.2f",
                              right ? "" : "WRONG: ", worst, largest);
    for (int i = 0; i < 2 && used > 0; i++) {
        const size_t length = strlen(words);
        papers_kernel_words(way->own->ways.b, &way->kernels[i], words + length, bytes - length);
    }
    return right;
}

/* By the clock, beside Fovea's call: once, as it takes seconds. */
static void time_once(struct way *way)
{
    struct cuda_bench *b = way->own->ways.b;
    if (b->bench->wishes.check) {
        return;
    }
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    const int64_t begin_ns = fovea_time_ns();
    bench_must(enqueue(b, way, 0), way->of->words);
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    double us = (double)(fovea_time_ns() - begin_ns) * 1e-3;
    cuda_ways_clocked(&way->own->ways, way->of->words, &us, 1, way->own->ours_us);
}

static double seconds(const struct own *own)
{
    return (double)(fovea_time_ns() - own->begin_ns) * 1e-9;
}

/* Whether a way is left out, which is said. */
static bool is_late(struct own *own, const char *words)
{
    const struct wishes *wishes = &own->ways.b->bench->wishes;
    if (wishes->check || wishes->quick || wishes->list || seconds(own) < BUDGET_S) {
        return false;
    }
    bench_say("left out after %d s: %s", BUDGET_S, words);
    own->left_out++;
    return true;
}

static void run_variant(struct own *own, const struct variant *variant)
{
    const bool whole = variant->rows && variant->columns && variant->sums;
    if (!cuda_ways_want(&own->ways, variant->words) || is_late(own, variant->words)) {
        return;
    }
    struct way way = make_way(own, variant);
    if (variant->times > 1) {
        time_once(&way);
        return;
    }
    cuda_ways_measure(&own->ways, &(struct cuda_way){.what = variant->words,
                                                     .enqueue = enqueue,
                                                     .user = &way,
                                                     .check = whole ? check : NULL,
                                                     .check_user = &way,
                                                     .once = true});
}

#define ALL "csdd_thesis_rows", "csdd_thesis_columns", "csdd_thesis_sums"
#define WITH(name) "csdd_thesis_rows_" name, "csdd_thesis_columns_" name, "csdd_thesis_sums"
static const struct variant each_size[] = {
    {"the thesis's kernels", ALL, 0, 0, 0, 0, 0, 0},
    {"kernel 1", "csdd_thesis_rows", NULL, NULL, 0, 0, 0, 0, 0, 0},
    {"kernel 2", NULL, "csdd_thesis_columns", NULL, 0, 0, 0, 0, 0, 0},
    {"kernel 3", NULL, NULL, "csdd_thesis_sums", 0, 0, 0, 0, 0, 0},
    {"nothing in shared memory", "csdd_thesis_rows_plain", "csdd_thesis_columns_plain",
     "csdd_thesis_sums_plain", 0, 0, 0, 0, 0, 0},
};
static const struct variant variants[] = {
    {"3 channels, 19 scales", ALL, 0, 0, 0, 0, 0, CHANNELS *SCALES},
    {"kernel 1, filters in global memory", "csdd_thesis_rows_plain", NULL, NULL, 0, 0, 0, 0, 0, 0},
    {"kernel 1, edge in global memory", "csdd_thesis_rows_numbers", NULL, NULL, 0, 0, 0, 0, 0, 0},
    {"kernel 2, filters in global memory", NULL, "csdd_thesis_columns_plain", NULL, 0, 0, 0, 0, 0,
     0},
    {"kernel 2, output in global memory", NULL, "csdd_thesis_columns_numbers", NULL, 0, 0, 0, 0, 0,
     0},
    {"kernel 3, output in global memory", NULL, NULL, "csdd_thesis_sums_plain", 0, 0, 0, 0, 0, 0},
    {"kernel 3, a thread a pixel", NULL, NULL, "csdd_thesis_sums", 0, 0, 0, -1, 0, 0},
    {"kernel 3, a tree of 8 groups", NULL, NULL, "csdd_thesis_sums", 0, 0, 0, 0, 8, 0},
    {"a tree of 8 groups", ALL, 0, 0, 0, 0, 8, 0},
    {"kernel 3 with a thread a pixel", ALL, 0, 0, 0, -1, 0, 0},
    {"filters in volatile shared memory", WITH("volatile"), 0, 0, 0, 0, 0, 0},
    {"loops unrolled by 4", WITH("unrolled"), 0, 0, 0, 0, 0, 0},
    {"doubles between kernels", WITH("double"), 0, 0, 0, 0, 0, 0},
    {"blocks of 32", ALL, 32, 0, 0, 0, 0, 0},
    {"blocks of 48", ALL, 48, 0, 0, 0, 0, 0},
    {"blocks of 64", ALL, 64, 0, 0, 0, 0, 0},
    {"blocks of 80", ALL, 80, 0, 0, 0, 0, 0},
    {"blocks of 96", ALL, 96, 0, 0, 0, 0, 0},
    {"blocks of 128", ALL, 128, 0, 0, 0, 0, 0},
    {"blocks of 192", ALL, 192, 0, 0, 0, 0, 0},
    {"blocks of 256", ALL, 256, 0, 0, 0, 0, 0},
    {"blocks of 320", ALL, 320, 0, 0, 0, 0, 0},
    {"blocks of 512", ALL, 512, 0, 0, 0, 0, 0},
    {"20 registers", ALL, 0, 20, 0, 0, 0, 0},
    {"26 registers", ALL, 0, 26, 0, 0, 0, 0},
    {"32 registers", ALL, 0, 32, 0, 0, 0, 0},
    {"48 registers", ALL, 0, 48, 0, 0, 0, 0},
    {"2 streams", ALL, 0, 0, 2, 0, 0, 0},
    {"4 streams", ALL, 0, 0, 4, 0, 0, 0},
    {"8 streams", ALL, 0, 0, 8, 0, 0, 0},
};

/* ---- Fovea's: a call with its list ----------------------------------------------------------- */

static void run_ours(struct own *own)
{
    struct cuda_bench *b = own->ways.b;
    const struct bench_size size = {"", (uint32_t)own->picture->of->columns,
                                    (uint32_t)own->picture->of->rows};
    const size_t bytes = bench_image_bytes(&size, FOVEA_FORMAT_RGB8);
    const char *what = "Fovea, 3 channels, 19 scales, with the list";
    if (!cuda_ways_want(&own->ways, what) || b->bench->wishes.check) {
        return;
    }
    OWNED(owned_free) uint8_t *pixels = bench_memory(bytes, 1);
    OWNED(owned_free) struct fovea_blob *found = bench_memory(BLOBS, sizeof *found);
    csdd_draw_rgb(pixels, size.width_px, size.height_px);
    const CUdeviceptr memory = cuda_ways_upload(b, pixels, bytes);
    const struct fovea_image image =
        bench_image(&size, FOVEA_FORMAT_RGB8, FOVEA_MEMORY_CUDA, (void *)(uintptr_t)memory);
    struct fovea_blobs_desc desc;
    struct fovea_blobs *blobs = NULL;
    uint32_t count = 0;
    double us[CALLS];
    fovea_blobs_desc_init(&desc);
    desc.log = bench_log();
    bench_must(fovea_blobs_create(&desc, &blobs), what);
    for (int i = -2; i < CALLS; i++) {
        const int64_t begin_ns = fovea_time_ns();
        bench_must(fovea_blobs_run(blobs, &image, 1, 0, found, &count, b->stream), what);
        us[i < 0 ? 0 : i] = (double)(fovea_time_ns() - begin_ns) * 1e-3;
    }
    own->ours_us = bench_times_of(us, CALLS).median_us;
    cuda_ways_clocked(&own->ways, what, us, CALLS, 0.0);
    fovea_blobs_destroy(&blobs);
    CUDA_MUST(b, b->cu->MemFree(memory));
}

/* ---- All ------------------------------------------------------------------------------------- */

static void open_size(struct own *own, const struct bench_size *size)
{
    struct cuda_bench *b = own->ways.b;
    struct csdd_thesis_filter filters[2];
    cuda_ways_pictures(&own->ways, size, FOVEA_FORMAT_RGBA8); /* four bytes: a float */
    for (int i = 0; i < BENCH_PICTURES; i++) {
        CUDA_MUST(b, b->cu->MemcpyHtoD(b->pictures.src[i], own->picture->image, 4 * own->pixels));
    }
    csdd_filters(CSDD_SIGMA_PX, filters);
    const size_t bytes = own->pixels * (size_t)own->bins;
    own->filters = cuda_ways_upload(b, filters, sizeof filters);
    own->gauss = cuda_ways_upload(b, NULL, 8 * bytes);
    own->second = cuda_ways_upload(b, NULL, 8 * bytes);
    own->filtered = cuda_ways_upload(b, NULL, 4 * bytes);
    own->partial = cuda_ways_upload(b, NULL, 4 * 8 * own->pixels);
}

static void close_size(struct own *own)
{
    struct cuda_bench *b = own->ways.b;
    const CUdeviceptr memory[] = {own->filters, own->gauss, own->second, own->filtered,
                                  own->partial};
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) {
        CUDA_MUST(b, b->cu->MemFree(memory[i]));
    }
}

/* kept: where rows find the size. */
static void run_size(struct own *own, const struct csdd_size *of, struct bench_size *kept, bool all)
{
    const bool quick = own->ways.b->bench->wishes.quick;
    struct csdd_picture picture;
    own->bins = quick ? QUICK_BINS : CSDD_THESIS_BINS;
    csdd_picture_make(of, true, own->bins, &picture);
    *kept = picture.size;
    own->picture = &picture;
    own->pixels = (size_t)picture.rows * (size_t)picture.columns;
    if (!own->ways.b->bench->wishes.list) {
        csdd_picture_solve(&picture, own->ways.b->bench->wishes.threads, NULL);
    }
    open_size(own, kept);
    if (all) {
        run_ours(own);
    }
    for (size_t i = 0; i < sizeof each_size / sizeof each_size[0]; i++) {
        run_variant(own, &each_size[i]);
    }
    for (size_t i = 0; all && i < sizeof variants / sizeof variants[0]; i++) {
        const bool again = variants[i].registers > 0 || variants[i].times > 0;
        if (!quick || !again) {
            run_variant(own, &variants[i]);
        }
    }
    close_size(own);
    csdd_picture_free(&picture);
}

bool cuda_csdd_thesis(struct cuda_bench *b)
{
    static struct bench_size kept[MOST_SIZES];
    struct own own = {.ways = {b, RESULT_CSDD, "csdd-thesis"}, .begin_ns = fovea_time_ns()};
    bench_need(csdd_size_count <= MOST_SIZES, "too many sizes");
    if (!cuda_open(b)) {
        return false;
    }
    own.kernels = (struct papers_kernels){.b = b, .ptx = bench_csdd_thesis_ptx};
    if (b->bench->wishes.quick) {
        run_size(&own, &csdd_quick_size, &kept[0], true);
    }
    for (size_t i = 0; !b->bench->wishes.quick && i < csdd_size_count; i++) {
        if (!is_late(&own, csdd_sizes[i].name)) {
            run_size(&own, &csdd_sizes[i], &kept[i], i == 0);
            bench_say("%s is done after %.1f s", csdd_sizes[i].name, seconds(&own));
        }
    }
    if (own.left_out > 0) {
        bench_say("%u ways or sizes were left out: --only names those that are wanted",
                  own.left_out);
    }
    papers_kernels_unload(&own.kernels);
    return true;
}
