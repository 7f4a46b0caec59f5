/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's kernel on a CUDA device, what it gained by, and Fovea: over fragments, strengths,
 * gazes and sizes. */

#include "cuda_foveation.h"

#include <stdio.h>

#define OFF_OURS_BLOCKS 1.6 /* levels of Fovea's blockwise method from its definition */
#define OFF_OURS_SMOOTH 4.0

/* ---- Rows ------------------------------------------------------------------------------------ */

static const char *format_name(const struct cuda_foveation *own)
{
    return bench_format_name(own->ways.b->pictures.format);
}

static const char *ours_name(struct cuda_foveation *own, const struct foveation_case *c)
{
    struct results *results = &own->ways.b->bench->results;
    const char *gaze = foveation_gaze_name(c->gaze);
    return c->fragment_px ? results_words(results, "Fovea, blockwise, F %d, strength %g, %s, %s",
                                          c->fragment_px, c->strength, gaze, format_name(own))
                          : results_words(results, "Fovea, smooth, strength %g, %s, %s",
                                          c->strength, gaze, format_name(own));
}

struct ours_check {
    struct foveation_kernel kernel; /* no kernel: the plan alone */
    bool pixelwise;
};

static bool check_ours(void *user, const void *made, char *words, size_t bytes)
{
    const struct ours_check *check = user;
    return foveation_judge(foveation_off_levels(&check->kernel, check->pixelwise, made),
                           check->pixelwise ? OFF_OURS_SMOOTH : OFF_OURS_BLOCKS, words, bytes);
}

static void run_ours(struct cuda_foveation *own, const struct foveation_case *c)
{
    const char *what = ours_name(own, c);
    struct foveation_ours ours;
    OWNED(owned_free) struct ours_check *check = bench_memory(1, sizeof *check);
    if (!cuda_ways_want(&own->ways, what)) {
        return;
    }
    struct foveation_case of_plan = *c;
    of_plan.fragment_px = c->fragment_px ? c->fragment_px : 32;
    struct foveation_plan_desc desc = foveation_desc_of(own, &of_plan);
    desc.ramped = true;
    bench_need(foveation_plan_make(&desc, &check->kernel.plan), "out of memory");
    check->kernel.own = own;
    check->pixelwise = c->fragment_px == 0;
    foveation_ours_make(own, c, &ours);
    cuda_ways_measure(&own->ways, &(struct cuda_way){.what = what,
                                                     .enqueue = cuda_enqueue,
                                                     .user = &ours.prepared,
                                                     .check = check_ours,
                                                     .check_user = check,
                                                     .renew = foveation_ours_renew});
    foveation_ours_free(own->ways.b, &ours);
    foveation_plan_free(&check->kernel.plan);
}

struct variant {
    const char *kernel;
    const char *words;
    unsigned block[2];
};

static void run_kernel(struct cuda_foveation *own, const struct variant *variant,
                       const struct foveation_case *c)
{
    struct results *results = &own->ways.b->bench->results;
    OWNED(owned_free) struct foveation_kernel *kernel = bench_memory(1, sizeof *kernel);
    const char *what =
        results_words(results, "%s, F %d, strength %g, %s, %s", variant->words, c->fragment_px,
                      c->strength, foveation_gaze_name(c->gaze), format_name(own));
    if (cuda_ways_want(&own->ways, what)) {
        foveation_kernel_make(own, variant->kernel, variant->block[0], variant->block[1], c,
                              kernel);
        if (kernel->ready) {
            const struct cuda_way way = {.what = what,
                                         .enqueue = foveation_kernel_enqueue,
                                         .user = kernel,
                                         .check = foveation_check_blocks,
                                         .check_user = kernel,
                                         .ours_us =
                                             cuda_ways_measured_us(&own->ways, ours_name(own, c))};
            cuda_ways_measure(&own->ways, &way);
        } else {
            cuda_ways_note(&own->ways, what, kernel->words);
        }
        foveation_kernel_free(kernel);
    }
}

static const struct variant whole = {
    "foveation_paper_all", "the paper's kernel", {FOVEATION_PAPER_THREADS, 1}};

static void run_case(struct cuda_foveation *own, const struct foveation_case *c)
{
    run_ours(own, c);
    run_kernel(own, &whole, c);
}

/* ---- What is measured ------------------------------------------------------------------------ */

/* Figures 6 and 12: each without one of what the kernel gained by. */
static void run_variants(struct cuda_foveation *own)
{
    static const struct variant variants[] = {
        {"foveation_paper_reuse_1", "one result a thread", {256, 1}},
        {"foveation_paper_reuse_2", "two results a thread", {256, 1}},
        {"foveation_paper_reuse_8", "eight results a thread", {256, 1}},
        {"foveation_paper_square_block", "blocks of 16x16", {16, 16}},
        {"foveation_paper_all", "blocks of 128 threads", {128, 1}},
        {"foveation_paper_global_weights", "weights in global memory", {256, 1}},
        {"foveation_paper_global_pixels", "pixels in global memory", {256, 1}},
        {"foveation_paper_global_result", "intermediate result in global memory", {256, 1}},
        {"foveation_paper_global_both", "pixels and result in global memory", {256, 1}},
        {"foveation_paper_none", "none of these", {16, 16}},
        {"foveation_paper_not_separable", "one pass in two dimensions", {256, 1}},
    };
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        run_kernel(own, &variants[i], &(struct foveation_case){32, 1.0, 0, false, false});
    }
    const struct variant anywhere = {whole.kernel, "any f(x, y)", {256, 1}};
    run_kernel(own, &anywhere, &(struct foveation_case){32, 1.0, 0, true, false});
}

static void run_pixelwise(struct cuda_foveation *own)
{
    const struct foveation_case c = {.fragment_px = 32, .strength = 1.0};
    struct results *results = &own->ways.b->bench->results;
    OWNED(owned_free) struct foveation_kernel *check = bench_memory(1, sizeof *check);
    const struct foveation_plan_desc desc = foveation_desc_of(own, &c);
    const char *what = results_words(results, "each pixel its own filter, strength 1, centre, %s",
                                     format_name(own));
    check->own = own;
    if (cuda_ways_want(&own->ways, what) && foveation_plan_make(&desc, &check->plan)) {
        struct foveation_pixelwise pixelwise = foveation_pixelwise_make(own, &c);
        cuda_ways_measure(&own->ways, &(struct cuda_way){.what = what,
                                                         .enqueue = foveation_pixelwise_enqueue,
                                                         .user = &pixelwise,
                                                         .check = foveation_check_pixels,
                                                         .check_user = check,
                                                         .once = true});
        foveation_plan_free(&check->plan);
    }
}

/* Figure 7: maps that are not round. Which picture each makes, tests of the library say. */
static void run_maps(struct cuda_foveation *own)
{
    static const struct {
        const char *name;
        enum fovea_map_kind kind;
    } maps[] = {{"human", FOVEA_MAP_HUMAN},
                {"streak", FOVEA_MAP_STREAK},
                {"kangaroo", FOVEA_MAP_KANGAROO},
                {"hawk", FOVEA_MAP_HAWK},
                {"dog", FOVEA_MAP_DOG}};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        const char *what = results_words(&own->ways.b->bench->results, "Fovea, smooth, map %s, %s",
                                         maps[i].name, format_name(own));
        struct foveation_ours ours = {.settings = fovea_settings_default().foveation,
                                      .gaze = {0.5, 0.5}};
        ours.settings.model = FOVEA_MODEL_MAP;
        ours.settings.method = FOVEA_METHOD_SMOOTH;
        ours.settings.light = FOVEA_LIGHT_ENCODED;
        ours.settings.map.kind = maps[i].kind;
        if (cuda_ways_want(&own->ways, what)) {
            bench_must(cuda_prepare(own->ways.b, &ours.settings, ours.gaze, &ours.prepared), what);
            cuda_ways_measure(&own->ways, &(struct cuda_way){.what = what,
                                                             .enqueue = cuda_enqueue,
                                                             .user = &ours.prepared,
                                                             .renew = foveation_ours_renew});
            foveation_ours_free(own->ways.b, &ours);
        }
    }
}

/* Figure 2, and equations 7 and 8. */
static void run_counts(struct cuda_foveation *own)
{
    static const int32_t sides[] = {8, 16, 32, 64};
    OWNED(owned_free) struct foveation_plan *plan = bench_memory(1, sizeof *plan);
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        const struct foveation_case c = {.fragment_px = sides[i], .strength = 1.0};
        const struct foveation_plan_desc desc = foveation_desc_of(own, &c);
        char words[RESULT_TEXT_BYTES];
        if (!foveation_plan_make(&desc, plan)) {
            continue;
        }
        snprintf(words, sizeof words,
                 "%d regions, %d weights, longest %d, %.1f KB shared, %.2f thousand million "
                 "products",
                 plan->filters + 1, plan->starts[plan->filters], plan->longest,
                 (double)(foveation_tile_bytes(plan) + foveation_result_bytes(plan)) / 1024.0,
                 foveation_products(plan) * 1e-9);
        cuda_ways_note(&own->ways,
                       results_words(&own->ways.b->bench->results, "counts, F %d", sides[i]),
                       words);
        foveation_plan_free(plan);
    }
}

/* Figures 4 and 5. */
static void run_series(struct cuda_foveation *own, bool all)
{
    static const int32_t sides[] = {32, 16, 8, 64};
    static const double strengths[] = {0.5, 2.0, 3.0, 4.0};
    for (size_t i = 0; i < (all ? 4 : 1); i++) {
        run_case(own, &(struct foveation_case){sides[i], 1.0, 0, false, false});
    }
    run_ours(own, &(struct foveation_case){0, 1.0, 0, false, false});
    for (size_t i = 0; all && i < sizeof strengths / sizeof strengths[0]; i++) {
        run_case(own, &(struct foveation_case){32, strengths[i], 0, false, false});
        run_ours(own, &(struct foveation_case){0, strengths[i], 0, false, false});
    }
    for (int gaze = 1; all && gaze < FOVEATION_GAZES; gaze++) {
        run_case(own, &(struct foveation_case){32, 1.0, gaze, false, false});
        run_ours(own, &(struct foveation_case){0, 1.0, gaze, false, false});
    }
}

static void open_pictures(struct cuda_foveation *own, const struct bench_size *size,
                          enum fovea_format format)
{
    const size_t bytes = bench_image_bytes(size, format);
    free(own->src);
    cuda_ways_pictures(&own->ways, size, format);
    own->src = bench_memory(bytes, 1);
    bench_draw(own->src, bytes, format);
}

static void run_size(struct cuda_foveation *own, const struct bench_size *size, bool all)
{
    open_pictures(own, size, FOVEA_FORMAT_RGB8);
    if (all && cuda_ways_want(&own->ways, "counts")) {
        run_counts(own);
    }
    run_series(own, all);
    if (all) {
        run_variants(own);
        run_pixelwise(own);
        run_maps(own);
        if (!own->ways.b->bench->wishes.check) {
            cuda_foveation_memory(own);
        }
    }
    open_pictures(own, size, FOVEA_FORMAT_RGBA8);
    run_series(own, false);
    cuda_foveation_mips(own);
    if (all) {
        cuda_foveation_ssim(own);
    }
}

bool cuda_foveation_paper(struct cuda_bench *b)
{
    static const char *const names[] = {"720p", "1080p", "4K"};
    struct cuda_foveation own = {.ways = {b, RESULT_FOVEATION, "foveation-paper"}};
    size_t count = 0;
    const struct bench_size *quick = bench_sizes(true, &count);
    if (!cuda_open(b)) {
        return false;
    }
    CUDA_MUST(b, b->cu->ModuleLoadData(&own.module, bench_foveation_paper_ptx));
    if (b->bench->wishes.quick) {
        run_size(&own, &quick[0], true);
    }
    for (size_t i = 0; !b->bench->wishes.quick && i < sizeof names / sizeof names[0]; i++) {
        run_size(&own, bench_size_named(names[i]), i == 1);
    }
    CUDA_MUST(b, b->cu->ModuleUnload(own.module));
    if (own.mips) {
        CUDA_MUST(b, b->cu->ModuleUnload(own.mips));
    }
    free(own.src);
    return true;
}
