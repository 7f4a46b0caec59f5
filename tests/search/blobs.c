/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs of pictures and settings that are drawn: batches on a backend beside packed pictures, one
 * by one, on the processor. Lists and responses have the same bits. */

#include "blobs_run_vk.h"
#include "cmocka_all.h"
#include "search.h"

#include <math.h>
#include <stdio.h>

#define IMAGES_MOST 4
#define OTHER_DRIVER_OFF 1e-6 /* responses on a GPU's Vulkan */

struct blobs_point {
    struct search_point picture; /* size, format, count, src */
    struct fovea_blobs_desc desc;
    uint32_t before_px; /* the finder had a picture of that side before; or 0 */
    uint32_t odd; /* floats beyond 0..1 and NaN, one of so many; or 0 */
    uint32_t response; /* a scale */
    bool in_bands; /* on Vulkan: planes after each other */
};

/* Numbers of their range, or none. */
static double number_of(uint64_t *state, double least, double most)
{
    static const double none[] = {(double)NAN, (double)INFINITY, -2.0, 1e30};
    const uint32_t kind = search_below(state, 200);
    return kind == 0   ? none[search_below(state, 4)]
           : kind < 40 ? least
           : kind < 50 ? most
                       : least + (most - least) * pow(random_uniform(state, 0.0, 1.0), 3.0);
}

static struct fovea_blobs_desc desc_of(uint64_t *state)
{
    static const uint32_t most[] = {1, 3, 40, 1000, 5000};
    struct fovea_blobs_desc desc;
    fovea_blobs_desc_init(&desc);
    desc.scale_count = search_one_in(state, 100)
                           ? search_below(state, 40)
                           : 3 + search_below(state, search_one_in(state, 4) ? 23 : 8);
    desc.blob_max = most[search_below(state, 5)];
    desc.sigma_min_px = number_of(state, 1.0, search_one_in(state, 6) ? 64.0 : 5.0);
    desc.threshold = search_one_in(state, 2) ? -1.0 : number_of(state, 0.02, 3.0);
    desc.overlap = number_of(state, 0.01, 1.0);
    desc.cpu_threads = 1 + search_below(state, 4);
    return desc;
}

static struct blobs_point point_draw(uint64_t seed, uint64_t number,
                                     const struct search_limits *limits)
{
    uint64_t state = seed;
    state = random_next(&state) + number;
    struct blobs_point p = {.desc = desc_of(&state)};
    const uint32_t side_px = search_one_in(&state, 3) ? 12 : limits->small ? 40 : 120;
    struct search_point *picture = &p.picture;
    *picture = (struct search_point){
        .width_px = 1 + search_below(&state, side_px),
        .height_px = 1 + search_below(&state, search_one_in(&state, 8) ? 3 : side_px),
        .format = 1 + search_below(&state, search_one_in(&state, 50) ? 14 : 11),
        .fill = (uint32_t)random_next(&state),
        .count = search_one_in(&state, 2) ? 1 : 1 + search_below(&state, IMAGES_MOST)};
    picture->src = (struct search_layout){
        .shift = search_below(&state, 8),
        .pixel_gap = search_one_in(&state, 3) ? 1 + search_below(&state, 4) : 0,
        .row_gap = search_one_in(&state, 2) ? search_below(&state, 20) : 0,
        .next_gap = search_below(&state, 9),
        .bottom_up = search_one_in(&state, 4),
        .backwards = search_one_in(&state, 4),
        .beside = search_one_in(&state, 4)};
    p.before_px = search_one_in(&state, 3) ? 1 + search_below(&state, 50) : 0;
    p.odd = search_one_in(&state, 2) ? 1 + search_below(&state, 40) : 0;
    p.response = search_below(&state, p.desc.scale_count ? p.desc.scale_count : 1);
    p.in_bands = search_one_in(&state, 3);
    return p;
}

/* ---- Pictures */

/* Floats of any bits: NaN that is quiet and NaN that signals, infinity, below 0, tiny, huge. */
static void draw_odd(const struct blobs_point *p, const struct fovea_image *packed, uint64_t *state)
{
    static const uint32_t words[] = {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff812345u,
                                     0x7f800000u, 0xff800000u, 0xbf000000u, 0x80000000u,
                                     0x00000001u, 0x7f7fffffu, 0x3f800001u, 0x3f7fffffu};
    static const uint16_t halves[] = {0x7e00, 0xfe00, 0x7c01, 0xfd23, 0x7c00, 0xfc00,
                                      0xb800, 0x8000, 0x0001, 0x7bff, 0x3c01, 0x3bff};
    const size_t pixels = (size_t)packed->width_px * packed->height_px;
    const size_t bytes = image_is_half(packed->format) ? 2 : 4;
    const size_t samples = pixels * image_bytes(packed->format) / bytes;
    if (!p->odd || !image_is_float(packed->format)) {
        return;
    }
    for (size_t i = 0; i < samples; i++) {
        if (search_one_in(state, p->odd)) {
            const uint32_t kind = search_below(state, 12);
            memcpy((char *)packed->data + i * bytes,
                   bytes == 2 ? (const void *)&halves[kind] : &words[kind], bytes);
        }
    }
}

static void draw_all(const struct blobs_point *p, const struct search_memory *memory)
{
    OWNED_IMAGE packed =
        image_make_packed(memory->first.width_px, memory->first.height_px, memory->first.format);
    uint64_t state = p->picture.fill;
    for (uint32_t i = 0; i < memory->count; i++) {
        search_draw_packed(&p->picture, i, &packed.view);
        draw_odd(p, &packed.view, &state);
        search_scatter(memory, i, &packed.view);
    }
}

/* ---- Lists */

static const struct {
    enum fovea_format format;
    VkFormat vk;
} vk_formats[] = {{FOVEA_FORMAT_RGBA8, VK_FORMAT_R8G8B8A8_UNORM},
                  {FOVEA_FORMAT_R8, VK_FORMAT_R8_UNORM},
                  {FOVEA_FORMAT_A2B10G10R10, VK_FORMAT_A2B10G10R10_UNORM_PACK32},
                  {FOVEA_FORMAT_B10G11R11F, VK_FORMAT_B10G11R11_UFLOAT_PACK32},
                  {FOVEA_FORMAT_RGBA16F, VK_FORMAT_R16G16B16A16_SFLOAT},
                  {FOVEA_FORMAT_RGBA32F, VK_FORMAT_R32G32B32A32_SFLOAT},
                  {FOVEA_FORMAT_R16F, VK_FORMAT_R16_SFLOAT},
                  {FOVEA_FORMAT_R32F, VK_FORMAT_R32_SFLOAT}};

struct blobs_run {
    const struct search_limits *limits;
    const struct blobs_point *point;
    struct fovea_blobs *tested, *alone;
    struct search_memory src;
    struct fovea_blob *found; /* of all images */
    uint32_t counts[IMAGES_MOST];
    float *response; /* of the last image; on Vulkan of all scales */
    enum fovea_result result;
    char *text;
};

static size_t pixels_of(const struct blobs_run *run)
{
    return (size_t)run->point->picture.width_px * run->point->picture.height_px;
}

static enum fovea_result response_of(struct fovea_blobs *blobs, const struct blobs_run *run,
                                     float *out)
{
    return fovea_blobs_response(blobs, run->point->response, out,
                                (ptrdiff_t)(run->point->picture.width_px * sizeof *out));
}

/* A finder keeps memory of other sizes and formats. */
static void run_before(struct blobs_run *run)
{
    const uint32_t side_px = run->point->before_px;
    if (side_px) {
        OWNED_IMAGE other =
            image_drawn(side_px, 1 + side_px / 2, FOVEA_FORMAT_RGB8, IMAGE_PHOTO, 3);
        (void)!fovea_blobs_run(run->tested, &other.view, 1, 0, run->found, run->counts, NULL);
    }
}

static bool run_batch(struct blobs_run *run)
{
    struct search_copy copy;
    const struct search_memory *src = &run->src;
    if (run->limits->backend == SEARCH_CUDA) {
        if (!search_cuda_up(&run->src, &copy)) {
            return false;
        }
        src = &copy.images;
    }
    run_before(run);
    run->result = fovea_blobs_run(run->tested, &src->first, src->count, src->next_bytes, run->found,
                                  run->counts, NULL);
    if (run->result == FOVEA_OK) {
        run->result = response_of(run->tested, run, run->response);
    }
    return src == &run->src || search_cuda_down(&copy, &run->src);
}

/* One for all points: shaders take long to make. */
static VkPipelineCache pipelines_of(const struct engine *engine)
{
    static const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    static VkPipelineCache cache;
    if (!cache) {
        assert_int_equal(vkCreatePipelineCache(engine->device, &info, NULL, &cache), VK_SUCCESS);
    }
    return cache;
}

/* The first picture; false: no image of Vulkan has the format. */
static bool run_on_vulkan(struct blobs_run *run)
{
    const struct blobs_point *p = run->point;
    VkFormat format = VK_FORMAT_UNDEFINED;
    for (size_t i = 0; i < sizeof vk_formats / sizeof vk_formats[0]; i++) {
        format = (uint32_t)vk_formats[i].format == p->picture.format ? vk_formats[i].vk : format;
    }
    if (format == VK_FORMAT_UNDEFINED) {
        return false;
    }
    struct engine *engine = search_frames_engine();
    OWNED_IMAGE packed = image_make_packed(p->picture.width_px, p->picture.height_px,
                                           (enum fovea_format)p->picture.format);
    OWNED(owned_free)
    float *responses = calloc(pixels_of(run) * p->desc.scale_count, sizeof *responses);
    struct blobs_found found = {.blobs = run->found, .responses = responses};
    struct fovea_blobs_vk_desc desc;
    fovea_blobs_vk_desc_init(&desc);
    ENGINE_DESCRIBE(engine, &desc);
    desc.queue_family = engine->family;
    desc.calls_in_flight = 1 + p->desc.scale_count;
    desc.blobs = &p->desc;
    desc.width_px = p->picture.width_px;
    desc.height_px = p->picture.height_px;
    desc.pipeline_cache = pipelines_of(engine);
    search_gather(&run->src, 0, &packed.view);
    blobs_run_vk(engine, &desc, format, p->in_bands ? 1 : UINT64_C(1) << 27, &packed.view, &found);
    run->counts[0] = found.count;
    memcpy(run->response, responses + p->response * pixels_of(run),
           pixels_of(run) * sizeof *responses);
    return true;
}

/* ---- Comparison */

static bool same_responses(struct blobs_run *run, const float *wanted)
{
    const double most = run->limits->backend == SEARCH_NVIDIA ? OTHER_DRIVER_OFF : 0.0;
    for (size_t i = 0; i < pixels_of(run); i++) {
        if (!(fabs((double)run->response[i] - (double)wanted[i]) <= most)) {
            snprintf(run->text, SEARCH_TEXT_BYTES, "scale %u: pixel %zu has %.9g, not %.9g",
                     run->point->response, i, (double)run->response[i], (double)wanted[i]);
            return false;
        }
    }
    return true;
}

static bool same_list(struct blobs_run *run, uint32_t index, const struct fovea_blob *wanted,
                      uint32_t count)
{
    const struct fovea_blob *found = run->found + (size_t)index * run->point->desc.blob_max;
    uint32_t i = 0;
    while (i < count && i < run->counts[index] &&
           memcmp(&found[i], &wanted[i], sizeof *found) == 0) {
        i++;
    }
    snprintf(run->text, SEARCH_TEXT_BYTES, "image %u: %u blobs, not %u; number %u is another",
             index, run->counts[index], count, i);
    return (i == count && i == run->counts[index]) || run->limits->backend == SEARCH_NVIDIA;
}

static enum search_verdict compare_image(struct blobs_run *run, uint32_t index, bool is_last)
{
    OWNED_IMAGE packed =
        image_make_packed(run->src.first.width_px, run->src.first.height_px, run->src.first.format);
    OWNED(owned_free) struct fovea_blob *wanted = calloc(run->point->desc.blob_max, sizeof *wanted);
    OWNED(owned_free) float *response = calloc(pixels_of(run), sizeof *response);
    uint32_t count = 0;
    search_gather(&run->src, index, &packed.view);
    enum fovea_result result =
        fovea_blobs_run(run->alone, &packed.view, 1, 0, wanted, &count, NULL);
    if (result == FOVEA_OK) {
        result = response_of(run->alone, run, response);
    }
    snprintf(run->text, SEARCH_TEXT_BYTES, "%s, the processor %s", fovea_result_name(run->result),
             fovea_result_name(result));
    if (result != run->result || result != FOVEA_OK) {
        return result == run->result ? SEARCH_REFUSED : SEARCH_DIFFERENT;
    }
    return (!is_last || same_responses(run, response)) && same_list(run, index, wanted, count)
               ? SEARCH_SAME
               : SEARCH_DIFFERENT;
}

static enum search_verdict run_images(struct blobs_run *run)
{
    const bool vulkan = run->limits->backend >= SEARCH_VULKAN;
    const uint32_t count = vulkan ? 1 : run->src.count;
    draw_all(run->point, &run->src);
    if (vulkan && !run_on_vulkan(run)) {
        return SEARCH_REFUSED;
    }
    if (!vulkan && !run_batch(run)) {
        return SEARCH_LOST;
    }
    enum search_verdict verdict = SEARCH_SAME;
    for (uint32_t i = 0; i < count && verdict == SEARCH_SAME; i++) {
        verdict = compare_image(run, i, i + 1 == count);
    }
    return verdict;
}

enum search_verdict search_run_blobs(const struct search_limits *limits, uint64_t seed,
                                     uint64_t number, char out_text[SEARCH_TEXT_BYTES])
{
    const struct blobs_point point = point_draw(seed, number, limits);
    struct blobs_run run = {.limits = limits, .point = &point, .text = out_text};
    struct fovea_blobs_desc desc = point.desc;
    if ((limits->backend == SEARCH_CUDA && !search_cuda_open()) ||
        (limits->backend >= SEARCH_VULKAN && !search_frames_open(limits))) {
        return SEARCH_NO_DEVICE;
    }
    const enum fovea_result result = fovea_blobs_create(&desc, &run.tested);
    desc.cpu_threads = 1;
    enum search_verdict verdict = SEARCH_REFUSED;
    if (fovea_blobs_create(&desc, &run.alone) == FOVEA_OK && result == FOVEA_OK) {
        run.src = search_memory_make(&point.picture, &point.picture.src, point.picture.count);
        run.found = calloc((size_t)point.picture.count * desc.blob_max, sizeof *run.found);
        run.response = calloc(pixels_of(&run), sizeof *run.response);
        verdict = run.found && run.response ? run_images(&run) : SEARCH_LOST;
    }
    free(run.found);
    free(run.response);
    search_memory_free(&run.src);
    fovea_blobs_destroy(&run.tested);
    fovea_blobs_destroy(&run.alone);
    return verdict;
}
