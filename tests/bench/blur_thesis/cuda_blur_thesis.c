/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's ways on a CUDA device at its sizes and at 4096 x 4096, and Fovea's engines, which
 * come first. */

#include "papers/draw.h"
#include "thesis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Fovea's --------------------------------------------------------------------------------- */

struct ours {
    struct thesis *t;
    double sigma_px;
    struct exact_blur exact;
    bool gaussian;
    struct cuda_operator own;
    struct fovea_settings settings;
};

static void renew(struct cuda_bench *b, void *user)
{
    struct ours *ours = user;
    cuda_operator_free(&ours->own);
    ours->own = cuda_operator_make(b, FOVEA_OPERATOR_blur, &ours->settings);
}

static enum fovea_result enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    struct ours *ours = user;
    return cuda_operator_enqueue(b, &ours->own, picture);
}

/* The Gaussian, too, is an approximation; how far the others may be off is said, not judged. */
#define OFF_BY_ENGINE 0.02

static bool check(void *user, const void *made, char *words, size_t bytes)
{
    struct ours *ours = user;
    struct thesis_way way = {.t = ours->t, .exact = ours->exact};
    char quality[RESULT_TEXT_BYTES] = "";
    if (ours->gaussian) {
        way.exact.tolerance = OFF_BY_ENGINE;
        if (!thesis_check(&way, made, words, bytes)) {
            return false;
        }
    }
    thesis_words_of_quality(ours->t, ours->sigma_px, made, quality, sizeof quality);
    const size_t used = ours->gaussian ? strlen(words) : 0;
    snprintf(words + used, bytes - used, "%s%s", ours->gaussian && quality[0] ? "; " : "", quality);
    return true;
}

static void run_engine(struct thesis *t, uint32_t engine, const char *name, double sigma_px,
                       enum fovea_format format)
{
    const char *what = results_words(&t->ways.b->bench->results, "Fovea, %s, sigma %g, %s", name,
                                     sigma_px, bench_format_name(format));
    if (!thesis_want(t, what)) {
        return;
    }
    OWNED(owned_free) struct ours *ours = bench_memory(1, sizeof *ours);
    *ours = (struct ours){.t = t,
                          .sigma_px = sigma_px,
                          .gaussian = engine == 0,
                          .settings = fovea_settings_default()};
    ours->exact = exact_gaussian(sigma_px);
    ours->settings.foveation.light = FOVEA_LIGHT_ENCODED;
    /* The thesis blurs four channels of floats alike. */
    ours->settings.foveation.alpha =
        format == FOVEA_FORMAT_RGBA32F ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
    ours->settings.own.blur_engine = engine;
    ours->settings.own.blur_sigma_px = sigma_px;
    ours->own = cuda_operator_make(t->ways.b, FOVEA_OPERATOR_blur, &ours->settings);
    cuda_ways_measure(&t->ways,
                      &(struct cuda_way){.what = what,
                                         .enqueue = enqueue,
                                         .user = ours,
                                         .check = format == FOVEA_FORMAT_RGBA32F ? check : NULL,
                                         .check_user = ours,
                                         .renew = renew});
    cuda_operator_free(&ours->own);
}

static void use_fovea(struct thesis *t, enum fovea_format format)
{
    static const char *const engines[] = {"gaussian", "quasi", "box", "diffusion", "spread"};
    static const double sigmas[] = {3.0, 6.0, 12.0, 24.0};
    for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
        for (uint32_t engine = 0; engine < sizeof engines / sizeof engines[0]; engine++) {
            run_engine(t, engine, engines[engine], sigmas[i], format);
        }
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Discs, whose alpha is another channel like the others. */
static void draw(struct thesis *t, const struct bench_size *size, size_t bytes)
{
    struct cuda_bench *b = t->ways.b;
    OWNED(owned_free) uint8_t *pixels = bench_memory(1, bytes / 4);
    t->src = bench_memory(1, bytes);
    papers_draw(pixels, size, 0);
    for (size_t i = 0; i < bytes / 4; i++) {
        t->src[i] = (float)pixels[i % 4 == 3 ? i - 3 : i] / 255.0f;
    }
    for (int i = 0; i < BENCH_PICTURES; i++) {
        CUDA_MUST(b, b->cu->MemcpyHtoD(b->pictures.src[i], t->src, bytes));
    }
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

static void run_ways(struct thesis *t)
{
    use_fovea(t, FOVEA_FORMAT_RGBA32F);
    thesis_convolutions(t);
    thesis_transforms(t);
    thesis_pyramids(t);
    thesis_tables(t);
    thesis_diffusions(t);
}

/* Large pictures are not drawn for nothing. */
static bool is_wanted(struct thesis *t, const struct bench_size *size)
{
    if (t->ways.b->bench->wishes.list) {
        return true;
    }
    if (bench_is_over(t->ways.b->bench)) {
        bench_say("left out: cuda/%s", size->name);
        return false;
    }
    t->side_px = (int32_t)size->width_px;
    t->counts = size;
    t->wanted = 0;
    use_fovea(t, FOVEA_FORMAT_RGBA8);
    run_ways(t);
    t->counts = NULL;
    return t->wanted > 0;
}

static void run_size(struct thesis *t, const struct bench_size *size)
{
    struct cuda_bench *b = t->ways.b;
    if (!is_wanted(t, size)) {
        return;
    }
    const size_t bytes = bench_image_bytes(size, FOVEA_FORMAT_RGBA32F);
    cuda_ways_pictures(&t->ways, size, FOVEA_FORMAT_RGBA8);
    t->side_px = (int32_t)size->width_px;
    use_fovea(t, FOVEA_FORMAT_RGBA8);
    cuda_ways_pictures(&t->ways, size, FOVEA_FORMAT_RGBA32F);
    draw(t, size, bytes);
    thesis_open(t, size);
    run_ways(t);
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    thesis_close(t);
    free(t->src);
    t->src = NULL;
}

bool cuda_blur_thesis(struct cuda_bench *b)
{
    static const struct bench_size sizes[] = {{"1024^2", 1024, 1024},
                                              {"256^2", 256, 256},
                                              {"512^2", 512, 512},
                                              {"2048^2", 2048, 2048},
                                              {"4096^2", 4096, 4096}};
    static const struct bench_size quick = {"128^2", 128, 128};
    struct thesis t = {.ways = {b, RESULT_THESIS, "blur-thesis"}};
    if (!cuda_open(b)) {
        return false;
    }
    CUDA_MUST(b, b->cu->ModuleLoadData(&t.module, bench_blur_thesis_ptx));
    CUDA_MUST(b, b->cu->ModuleLoadData(&t.tables, bench_blur_tables_ptx));
    if (cuda_ways_has_textures()) {
        CUDA_MUST(b, b->cu->ModuleLoadData(&t.textures, bench_blur_textures_ptx));
    } else {
        results_absent(&b->bench->results, "texture units", "the driver has no cuTexObjectCreate");
    }
    for (size_t i = 0; i < (b->bench->wishes.quick ? 1 : sizeof sizes / sizeof sizes[0]); i++) {
        run_size(&t, b->bench->wishes.quick ? &quick : &sizes[i]);
    }
    CUDA_MUST(b, b->cu->ModuleUnload(t.module));
    CUDA_MUST(b, b->cu->ModuleUnload(t.tables));
    if (t.textures) {
        CUDA_MUST(b, b->cu->ModuleUnload(t.textures));
    }
    return true;
}
