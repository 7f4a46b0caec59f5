/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "search.h"

#include <math.h>
#include <stdio.h>

enum fovea_result search_context(struct fovea_settings *settings, const char *backend,
                                 uint32_t threads, struct fovea_context **out_context)
{
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = settings;
    *out_context = NULL;
    if (fovea_settings_set(settings, "backend", backend, desc.log) != FOVEA_OK ||
        fovea_settings_set_double(settings, "cpu_threads", threads, desc.log) != FOVEA_OK) {
        return FOVEA_ERROR_INTERNAL;
    }
    return fovea_context_create(&desc, out_context);
}

enum fovea_result search_batch_run(const struct search_point *point, struct fovea_context *context,
                                   const struct search_memory *src, const struct search_memory *dst,
                                   const struct search_given *given, void *stream)
{
    if (point->count == 0) {
        return fovea_context_run(context, &src->first, &dst->first, point->gaze, stream);
    }
    struct fovea_batch batch;
    fovea_batch_init(&batch);
    batch.count = point->count;
    batch.src = src->first;
    batch.dst = dst->first;
    batch.src_next_bytes = point->shared ? 0 : src->next_bytes;
    batch.dst_next_bytes = dst->next_bytes;
    batch.src_plane_bytes = src->plane_bytes;
    batch.dst_plane_bytes = dst->plane_bytes;
    batch.gazes_uv = point->gazeless ? NULL : given->gazes_uv;
    batch.fovea_count = search_foveas(point);
    batch.gazes_memory = point->cuda_gazes ? FOVEA_MEMORY_CUDA : FOVEA_MEMORY_CPU;
    if (given->sigmas.memory) {
        batch.sigmas = given->sigmas.first;
        batch.sigmas_next_bytes = point->one_sigmas ? 0 : given->sigmas.next_bytes;
    }
    const struct fovea_depth depth =
        search_depth_of(point, &given->depths.first, given->depths.next_bytes);
    batch.depth = given->depths.memory ? &depth : NULL;
    return fovea_context_run_batch(context, &batch, stream);
}

enum fovea_result search_run_alone(const struct search_point *point, struct fovea_context *context,
                                   const struct fovea_image *src, const struct fovea_image *dst,
                                   const struct search_given *given)
{
    struct search_point alone = *point;
    const struct search_memory from = {.first = *src};
    const struct search_memory to = {.first = *dst};
    alone.count = point->count > 0 || point->vk_format != 0;
    alone.cuda_gazes = 0;
    return search_batch_run(&alone, context, &from, &to, given, NULL);
}

/* A point while it runs. */
struct run {
    const struct search_point *point;
    struct fovea_settings *settings;
    struct fovea_context *cpu;
    struct fovea_context *tested;
    bool on_cuda;
    struct search_memory src, dst, sigmas, depths;
    float *gazes_uv;
    enum fovea_result result; /* the tested one's */
    char *text;
};

/* The cpu backend makes the expected image alone. A batch that cannot know that a gaze is none
 * copies where it would foveate. */
static enum fovea_result expect_with(struct run *run, uint32_t index, const struct fovea_image *src,
                                     const struct fovea_image *dst, struct search_given *given)
{
    static const float middle_uv[2 * FOVEA_FOVEAS_MAX] = {0.5f, 0.5f};
    const struct search_point *p = run->point;
    given->gazes_uv = run->gazes_uv + 2 * (size_t)index * search_foveas(p);
    const bool has_gaze = isfinite(given->gazes_uv[0]) && isfinite(given->gazes_uv[1]);
    enum fovea_result result = search_run_alone(p, run->cpu, src, dst, given);
    if (result != FOVEA_OK && !has_gaze && p->count && p->cuda_gazes) {
        given->gazes_uv = middle_uv;
        result = search_run_alone(p, run->cpu, src, dst, given);
        image_mirror(src, dst, false, false);
    }
    return result;
}

/* An image's own of what comes beside, packed; empty where there is none. */
static struct search_memory beside_of(const struct search_memory *memory, uint32_t index)
{
    struct test_image packed = {0};
    if (memory->memory) {
        packed = image_make_packed(memory->first.width_px, memory->first.height_px,
                                   memory->first.format);
        search_gather(memory, memory->count == 1 ? 0 : index, &packed.view);
    }
    return (struct search_memory){.first = packed.view, .memory = packed.memory};
}

/* The focus of one image is no other's in a batch. */
static void forget_focus(struct run *run)
{
    if (run->depths.memory) {
        fovea_context_destroy(&run->cpu);
        if (search_context(run->settings, "cpu", 1, &run->cpu) != FOVEA_OK) {
            abort();
        }
    }
}

static enum fovea_result expect(struct run *run, uint32_t index, const struct fovea_image *src,
                                const struct fovea_image *dst)
{
    forget_focus(run);
    struct search_given given = {.sigmas = beside_of(&run->sigmas, index),
                                 .depths = beside_of(&run->depths, index)};
    const enum fovea_result result = expect_with(run, index, src, dst, &given);
    search_memory_free(&given.sigmas);
    search_memory_free(&given.depths);
    return result;
}

static enum search_verdict compare_image(struct run *run, uint32_t index,
                                         const struct fovea_image *src,
                                         const struct fovea_image *expected,
                                         const struct fovea_image *actual)
{
    search_gather(&run->src, run->point->shared ? 0 : index, src);
    const enum fovea_result wanted = expect(run, index, src, expected);
    if (wanted != FOVEA_OK) {
        snprintf(run->text, SEARCH_TEXT_BYTES, "%s, the cpu backend %s",
                 fovea_result_name(run->result), fovea_result_name(wanted));
        return run->result == wanted ? SEARCH_REFUSED : SEARCH_DIFFERENT;
    }
    if (run->result != FOVEA_OK) {
        return SEARCH_SAME; /* another one's gaze has it refused, or see compare_images */
    }
    search_gather(&run->dst, index, actual);
    char what[SEARCH_TEXT_BYTES] = "";
    const struct search_point *p = run->point;
    const bool exactly = !run->on_cuda && !p->planes;
    if (search_within(p, expected, src, what) && search_same(p, actual, expected, exactly, what)) {
        return SEARCH_SAME;
    }
    snprintf(run->text, SEARCH_TEXT_BYTES, "image %u: %.400s", index, what);
    return SEARCH_DIFFERENT;
}

static enum search_verdict compare_images(struct run *run)
{
    const struct fovea_image *like = &run->src.first;
    struct test_image packed[3];
    for (int i = 0; i < 3; i++) {
        packed[i] = image_make_packed(like->width_px, like->height_px, like->format);
    }
    enum search_verdict verdict = SEARCH_SAME;
    for (uint32_t i = 0; i < search_images(run->point) && verdict == SEARCH_SAME; i++) {
        verdict = compare_image(run, i, &packed[0].view, &packed[1].view, &packed[2].view);
    }
    for (int i = 0; i < 3; i++) {
        image_free(&packed[i]);
    }
    if (run->result == FOVEA_ERROR_UNSUPPORTED && search_names_engine(run->point)) {
        return SEARCH_REFUSED;
    }
    if (verdict == SEARCH_SAME && run->result != FOVEA_OK) {
        snprintf(run->text, SEARCH_TEXT_BYTES, "%s, the cpu backend FOVEA_OK",
                 fovea_result_name(run->result));
        return SEARCH_DIFFERENT;
    }
    return verdict;
}

static enum search_verdict compare_memory(struct run *run, const unsigned char *src_before)
{
    if (memcmp(run->src.memory, src_before, run->src.bytes) != 0) {
        snprintf(run->text, SEARCH_TEXT_BYTES, "the source was written");
        return SEARCH_DIFFERENT;
    }
    const bool refused = run->result != FOVEA_OK;
    if (refused && (run->dst.memory[0] != 0xa5 ||
                    memcmp(run->dst.memory, run->dst.memory + 1, run->dst.bytes - 1) != 0)) {
        snprintf(run->text, SEARCH_TEXT_BYTES, "refused and written");
        return SEARCH_DIFFERENT;
    }
    const enum search_verdict verdict = compare_images(run);
    if (verdict != SEARCH_DIFFERENT && !search_guards_intact(&run->dst)) {
        snprintf(run->text, SEARCH_TEXT_BYTES, "written outside of the pixels");
        return SEARCH_DIFFERENT;
    }
    return verdict;
}

/* Has the tested backend make all images; false: the device has failed. */
static bool run_tested(struct run *run)
{
    const struct search_given given = {run->gazes_uv, run->sigmas, run->depths};
    if (run->on_cuda) {
        return search_cuda_run(run->point, run->tested, &run->src, &run->dst, &given, &run->result);
    }
    run->result = search_batch_run(run->point, run->tested, &run->src, &run->dst, &given, NULL);
    return true;
}

static enum search_verdict run_images(struct run *run)
{
    search_draw(run->point, &run->src);
    search_gazes(run->point, run->gazes_uv);
    OWNED(owned_free) unsigned char *before = malloc(run->src.bytes);
    if (!before) {
        abort();
    }
    memcpy(before, run->src.memory, run->src.bytes);
    if (!run_tested(run)) {
        snprintf(run->text, SEARCH_TEXT_BYTES, "the device has failed");
        return SEARCH_LOST;
    }
    return compare_memory(run, before);
}

static bool make_images(struct run *run)
{
    const struct search_point *p = run->point;
    const uint32_t count = search_images(p);
    run->src = search_memory_make(p, &p->src, p->shared ? 1 : count);
    run->dst = search_memory_make(p, &p->dst, count);
    run->gazes_uv = malloc(2 * sizeof(float) * count * search_foveas(p));
    run->sigmas = p->sigmas ? search_sigmas_make(p) : (struct search_memory){0};
    run->depths = p->depths ? search_depths_make(p) : (struct search_memory){0};
    return run->gazes_uv;
}

static void free_images(struct run *run)
{
    free(run->gazes_uv);
    search_memory_free(&run->src);
    search_memory_free(&run->dst);
    search_memory_free(&run->sigmas);
    search_memory_free(&run->depths);
}

/* Makes fewer images of another format, or with other settings, which the context may refuse: its
 * memory then holds what is left of them. False: the device has failed. */
static bool run_before(const struct run *run)
{
    struct search_point p = *run->point;
    struct run other = *run;
    other.point = &p;
    p.format = p.before ? p.before : p.format;
    p.fill = ~p.fill;
    p.planes = p.graph = p.cuda_gazes = p.src.pixel_gap = p.dst.pixel_gap = 0;
    p.count = p.count ? 1 + p.fill % p.count : 0;
    bool works = make_images(&other);
    if (works) {
        search_draw(&p, &other.src);
        search_gazes(&p, other.gazes_uv);
        works = run_tested(&other);
    }
    free_images(&other);
    return works;
}

static enum search_verdict run_contexts(struct run *run)
{
    if ((run->point->before || run->point->earlier) && !run_before(run)) {
        snprintf(run->text, SEARCH_TEXT_BYTES, "the device has failed before");
        return SEARCH_LOST;
    }
    if (run->point->earlier && fovea_context_set_settings(run->tested, run->settings) != FOVEA_OK) {
        snprintf(run->text, SEARCH_TEXT_BYTES, "the settings are not taken from those before");
        return SEARCH_DIFFERENT;
    }
    const enum search_verdict verdict = make_images(run) ? run_images(run) : SEARCH_LOST;
    free_images(run);
    return verdict;
}

/* Gives the tested context the settings that it had before. */
static void begin_before(struct run *run)
{
    OWNED(fovea_settings_destroy)
    struct fovea_settings *before = search_settings_before(run->point);
    struct fovea_context *context = NULL;
    if (before && search_context(before, run->on_cuda ? "cuda" : "cpu", run->point->threads,
                                 &context) == FOVEA_OK) {
        fovea_context_destroy(&run->tested);
        run->tested = context;
    }
}

enum search_verdict search_run_context(const struct search_limits *limits,
                                       const struct search_point *point,
                                       char out_text[SEARCH_TEXT_BYTES])
{
    struct run run = {.point = point, .on_cuda = limits->backend == SEARCH_CUDA, .text = out_text};
    struct fovea_settings *settings = search_settings(point);
    if (!settings) {
        snprintf(out_text, SEARCH_TEXT_BYTES, "its settings cannot be set");
        return SEARCH_DIFFERENT;
    }
    if (run.on_cuda && !search_cuda_open()) {
        fovea_settings_destroy(&settings);
        return SEARCH_NO_DEVICE;
    }
    run.settings = settings;
    const enum fovea_result wanted = search_context(settings, "cpu", 1, &run.cpu);
    const enum fovea_result result =
        search_context(settings, run.on_cuda ? "cuda" : "cpu", point->threads, &run.tested);
    enum search_verdict verdict = SEARCH_REFUSED;
    if (result != wanted) {
        snprintf(out_text, SEARCH_TEXT_BYTES, "created: %s, the cpu backend %s",
                 fovea_result_name(result), fovea_result_name(wanted));
        verdict = SEARCH_DIFFERENT;
    } else if (result == FOVEA_OK) {
        begin_before(&run);
        verdict = run_contexts(&run);
    }
    fovea_context_destroy(&run.tested);
    fovea_context_destroy(&run.cpu);
    fovea_settings_destroy(&settings);
    return verdict;
}
