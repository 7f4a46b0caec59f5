/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields of arrays, raw pictures and settings that are drawn, beside their definition. */

#include "lightfields.h"
#include "lightfield_run_vk.h"

#include <math.h>
#include <stdio.h>

/* ---- What is there */

/* White, one pattern or another; 16 bits go beyond their maximum. */
static void draw_pixels(struct field_run *run)
{
    const struct field_point *p = run->point;
    search_draw(&p->raw, &run->raw_memory);
    const struct fovea_image *image = &run->raw_memory.first;
    const uint32_t channels = image_channels(image->format);
    const uint32_t colors = channels == 1 ? 1 : 3;
    const double most = run->point->maximum                        ? run->point->maximum
                        : p->format >= FOVEA_LIGHTFIELD_FORMAT_R16 ? 65535.0
                                                                   : 255.0;
    run->levels = calloc((size_t)image->width_px * image->height_px * colors, sizeof *run->levels);
    double *to = run->levels;
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            for (uint32_t c = 0; c < channels; c++) {
                const double value = image_get(image, x, y, c);
                const double drawn = value > 1.2 * most ? floor(fmod(value, 1.2 * most)) : value;
                image_set(image, x, y, c, drawn);
                if (c < colors) {
                    *to++ = fmin(drawn / most, 1.0);
                }
            }
        }
    }
    run->definition = (struct lightfield_levels){run->levels, image->width_px, image->height_px,
                                                 colors, p->bayer};
}

static void draw_patches(struct field_run *run)
{
    const struct fovea_image *image = &run->patches.first;
    uint64_t state = run->point->raw.fill;
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            image_set(image, x, y, 0,
                      field_number(&state, 0.5, run->point->geometry.pitch_x_px * 1.1));
        }
    }
}

static struct search_memory floats_of(const struct field_point *p,
                                      const struct search_layout *layout)
{
    struct search_point like = p->picture;
    like.format = FOVEA_FORMAT_R32F;
    if (p->work == WORK_REFOCUS) {
        like.width_px = like.height_px = 1;
    }
    return search_memory_make(&like, layout, 1);
}

static void make_memory(struct field_run *run)
{
    const struct field_point *p = run->point;
    const size_t pixels = (size_t)p->picture.width_px * p->picture.height_px;
    run->size = (struct lightfield_size){p->picture.width_px, p->picture.height_px};
    run->raw_memory = search_memory_make(&p->raw, &p->raw.src, 1);
    run->picture = search_memory_make(&p->picture, &p->picture.dst, 1);
    run->beside = floats_of(p, &p->picture.src);
    run->patches = floats_of(p, &p->picture.src);
    run->exact = calloc(3 * pixels, sizeof *run->exact);
    run->exact_beside = calloc(pixels, sizeof *run->exact_beside);
    draw_pixels(run);
    if (p->work == WORK_RENDER) {
        draw_patches(run);
    }
    fovea_lightfield_raw_init(&run->raw);
    run->raw.width_px = p->raw.width_px;
    run->raw.height_px = p->raw.height_px;
    run->raw.format = p->format;
    run->raw.bayer = p->bayer;
    run->raw.maximum = p->maximum;
}

static void free_memory(struct field_run *run)
{
    search_memory_free(&run->raw_memory);
    search_memory_free(&run->picture);
    search_memory_free(&run->beside);
    search_memory_free(&run->patches);
    free(run->levels);
    free(run->exact);
    free(run->exact_beside);
}

/* ---- Calls */

/* Calls with pictures that lie there. */
static enum fovea_result call(const struct field_run *run, uint32_t frame,
                              const struct search_memory places[4])
{
    const struct field_point *p = run->point;
    struct fovea_lightfield_raw raw = run->raw;
    raw.data = places[0].first.data;
    raw.memory = places[0].first.memory;
    raw.row_stride_bytes = places[0].first.row_stride_bytes;
    const struct fovea_image *dst = &places[1].first;
    const struct fovea_image *beside = &places[2].first;
    const struct fovea_lightfield_rendering rendering = field_rendering(p, &places[3].first);
    const struct fovea_lightfield_matching matching = field_matching(p);
    const struct fovea_lightfield_refocusing refocusing = field_refocusing(p, frame, beside);
    switch (p->work) {
    case WORK_RENDER:
        return fovea_lightfield_render(run->field, &raw, &rendering, dst, NULL);
    case WORK_DEPTH:
        return fovea_lightfield_depth(run->field, &raw, &matching, dst,
                                      p->has_beside ? beside : NULL, NULL);
    case WORK_REFOCUS:
        return fovea_lightfield_refocus(run->field, &raw, &refocusing, dst, NULL);
    default:
        return fovea_lightfield_sum_views(run->field, &raw, &p->sum, dst, NULL);
    }
}

static bool run_on_cuda(struct field_run *run, uint32_t frame, enum fovea_result *out_result)
{
    struct search_memory *host[4] = {&run->raw_memory, &run->picture, &run->beside, &run->patches};
    struct search_copy copies[4];
    struct search_memory places[4];
    bool works = true;
    for (int i = 0; i < 4; i++) {
        works = works && search_cuda_up(host[i], &copies[i]);
        places[i] = copies[i].images;
    }
    if (works) {
        *out_result = call(run, frame, places);
    }
    for (int i = 0; i < 4; i++) {
        works = works && search_cuda_down(&copies[i], host[i]);
    }
    return works;
}

/* Vulkan takes packed floats, and what the processor takes. */
static void run_on_vulkan(struct field_run *run, uint32_t frame)
{
    const struct field_point *p = run->point;
    const struct fovea_image *made = &run->picture.first;
    OWNED_IMAGE packed =
        image_make_packed(run->raw.width_px, run->raw.height_px, (enum fovea_format)p->raw.format);
    OWNED_IMAGE colors =
        image_make_packed(made->width_px, made->height_px,
                          p->work == WORK_DEPTH ? FOVEA_FORMAT_R32F : FOVEA_FORMAT_RGB32F);
    OWNED_IMAGE beside = image_make_packed(run->beside.first.width_px, run->beside.first.height_px,
                                           FOVEA_FORMAT_R32F);
    OWNED_IMAGE patches = image_make_packed(run->patches.first.width_px,
                                            run->patches.first.height_px, FOVEA_FORMAT_R32F);
    struct fovea_lightfield_raw raw = run->raw;
    search_gather(&run->raw_memory, 0, &packed.view);
    search_gather(&run->patches, 0, &patches.view);
    raw.data = packed.view.data;
    raw.row_stride_bytes = packed.view.row_stride_bytes;
    const struct fovea_lightfield_rendering rendering = field_rendering(p, &patches.view);
    const struct fovea_lightfield_matching matching = field_matching(p);
    const struct fovea_lightfield_refocusing refocusing = field_refocusing(p, frame, &beside.view);
    enum fovea_result result = FOVEA_OK;
    if (p->work == WORK_RENDER) {
        result = lightfield_run_render(NULL, &raw, &rendering, &colors.view);
    } else if (p->work == WORK_DEPTH) {
        result = lightfield_run_depth(NULL, &raw, &matching, &colors.view,
                                      p->has_beside ? &beside.view : NULL);
    } else if (p->work == WORK_REFOCUS) {
        result = lightfield_run_refocus(NULL, &raw, &refocusing, &colors.view);
    } else {
        result = lightfield_run_sum(NULL, &raw, &p->sum, &colors.view);
    }
    search_memory_free(&run->picture);
    search_memory_free(&run->beside);
    run->picture = search_packed(&colors);
    run->beside = search_packed(&beside);
    snprintf(run->said, sizeof run->said, "%s", result < 0 ? fovea_result_name(result) : "");
}

/* ---- Runs */

static void keep_words(void *user, enum fovea_log_level level, const char *message)
{
    snprintf(user, SEARCH_TEXT_BYTES, "%s", message);
}

/* The processor is asked first, also where a Vulkan device then is. */
static enum search_verdict run_frame(struct field_run *run, uint32_t frame)
{
    const bool vulkan = run->limits->backend >= SEARCH_VULKAN;
    const struct search_memory here[4] = {run->raw_memory, run->picture, run->beside, run->patches};
    enum fovea_result result = FOVEA_OK;
    run->said[0] = '\0';
    if (run->limits->backend != SEARCH_CUDA) {
        result = call(run, frame, here);
    } else if (!run_on_cuda(run, frame, &result)) {
        return SEARCH_LOST;
    }
    if (result != FOVEA_OK) {
        snprintf(run->text, SEARCH_TEXT_BYTES, "%s without a word", fovea_result_name(result));
        return run->said[0] ? SEARCH_REFUSED : SEARCH_DIFFERENT;
    }
    if (!vulkan && !field_compare(run, frame)) {
        return SEARCH_DIFFERENT;
    }
    if (vulkan) {
        run_on_vulkan(run, frame);
        return run->said[0] == '\0' && field_compare(run, frame) ? SEARCH_SAME : SEARCH_DIFFERENT;
    }
    return SEARCH_SAME;
}

static enum search_verdict run_frames(struct field_run *run)
{
    enum search_verdict verdict = SEARCH_SAME;
    const uint32_t frames = run->point->work == WORK_REFOCUS ? run->point->frames : 1;
    make_memory(run);
    for (uint32_t i = 0; i < frames && verdict == SEARCH_SAME; i++) {
        verdict = run_frame(run, i);
    }
    if (verdict == SEARCH_SAME &&
        !(search_guards_intact(&run->picture) &&
          (run->point->work == WORK_RENDER || search_guards_intact(&run->beside)))) {
        snprintf(run->text, SEARCH_TEXT_BYTES, "written outside of the pixels");
        verdict = SEARCH_DIFFERENT;
    }
    free_memory(run);
    return verdict;
}

enum search_verdict search_run_lightfield(const struct search_limits *limits, uint64_t seed,
                                          uint64_t number, char out_text[SEARCH_TEXT_BYTES])
{
    const struct field_point point = field_point_draw(seed, number);
    struct field_run run = {.limits = limits, .point = &point, .text = out_text};
    struct fovea_lightfield_desc desc;
    fovea_lightfield_desc_init(&desc);
    desc.geometry = &point.geometry;
    desc.cpu_threads = point.threads;
    desc.log = (struct fovea_log){.fn = keep_words, .user = run.said};
    if ((limits->backend == SEARCH_CUDA && !search_cuda_open()) ||
        (limits->backend >= SEARCH_VULKAN && !search_frames_open(limits))) {
        return SEARCH_NO_DEVICE;
    }
    const enum fovea_result result = fovea_lightfield_create(&desc, &run.field);
    if (result != FOVEA_OK) {
        snprintf(out_text, SEARCH_TEXT_BYTES, "created: %s without a word",
                 fovea_result_name(result));
        return run.said[0] ? SEARCH_REFUSED : SEARCH_DIFFERENT;
    }
    if (limits->backend >= SEARCH_VULKAN) {
        lightfield_run_geometry(&point.geometry);
    }
    const enum search_verdict verdict = run_frames(&run);
    fovea_lightfield_destroy(&run.field);
    return verdict;
}
