/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs as compute shaders, what cuda_blobs.c has on CUDA, of the same pictures: a call between
 * timestamps, from the image to the list, and its steps by themselves, each with what the call
 * before it left: filters of a picture whose planes come in several steps have those of the last.
 */

#include "vulkan_bench.h"

#include "discs.h"
#include "plugin/blobs_vk/blobs_vk.h"

#define ROUNDS 24

static const struct blobs_case {
    const char *name;
    struct bench_size size;
    bool noise;
} cases[] = {
    {"vulkan/blobs/640x480", {"640x480", 640, 480}, false},
    {"vulkan/blobs/640x480/noise", {"640x480", 640, 480}, true},
    {"vulkan/blobs/1080p", {"1080p", 1920, 1080}, false},
};
static const struct bench_size quick_size = {"32x24", 32, 24};

struct blobs_bench {
    struct vulkan_bench *b;
    const struct blobs_case *of;
    const struct bench_size *size;
    struct fovea_blobs_vk *blobs;
    struct engine_image picture;
    struct engine_buffer list;
    uint64_t frame;
};

static void open_case(struct blobs_bench *bench)
{
    struct engine *engine = &bench->b->engine;
    const size_t pixels = (size_t)bench->size->width_px * bench->size->height_px;
    unsigned char *rgb = bench_memory(pixels, 3);
    unsigned char *rgba = bench_memory(pixels, 4);
    struct fovea_blobs_vk_desc desc;
    fovea_blobs_vk_desc_init(&desc);
    ENGINE_DESCRIBE(engine, &desc);
    desc.queue_family = engine->family;
    desc.width_px = bench->size->width_px;
    desc.height_px = bench->size->height_px;
    desc.log = bench_log();
    bench_must(fovea_blobs_vk_create(&desc, &bench->blobs), "blobs");
    discs_draw(bench->size, 0, bench->of->noise, rgb);
    for (size_t i = 0; i < 4 * pixels; i++) {
        rgba[i] = i % 4 < 3 ? rgb[i / 4 * 3 + i % 4] : 255;
    }
    bench->picture = engine_sampled_create(engine, VK_FORMAT_R8G8B8A8_UNORM, bench->size->width_px,
                                           bench->size->height_px);
    engine_plain_write(engine, &bench->picture, rgba, 4 * pixels, VK_IMAGE_LAYOUT_GENERAL);
    bench->list = engine_buffer_create(engine, FOVEA_BLOBS_VK_LIST_BYTES(FOVEA_BLOBS_DEFAULT));
    free(rgb);
    free(rgba);
}

static void close_case(struct blobs_bench *bench)
{
    struct engine *engine = &bench->b->engine;
    fovea_blobs_vk_destroy(&bench->blobs);
    engine_image_destroy(engine, &bench->picture);
    engine_buffer_destroy(engine, &bench->list);
}

static void record(struct blobs_bench *bench, VkCommandBuffer commands)
{
    const struct fovea_vk_recording recording = {.struct_bytes = sizeof recording,
                                                 .commands = commands,
                                                 .frame = bench->frame + 1,
                                                 .finished_frame = bench->frame};
    const struct fovea_blobs_vk_image picture = {bench->picture.raw_view, VK_FORMAT_R8G8B8A8_UNORM,
                                                 VK_IMAGE_LAYOUT_GENERAL};
    const struct fovea_blobs_vk_buffer list = {bench->list.buffer, 0};
    bench_must(fovea_blobs_vk_run(bench->blobs, &recording, &picture, &list), bench->of->name);
}

/* Those passes of a call that have the shader. */
static void record_passes(struct blobs_bench *bench, VkCommandBuffer commands,
                          const struct shader *shader)
{
    struct recorder *recorder = &bench->blobs->recorder;
    const struct saliency_glsl_way *way = saliency_glsl_way_of(bench->blobs->glsl, false);
    for (uint32_t i = 0; i < way->count; i++) {
        if (way->passes[i].shader.shader == shader) {
            const struct operator_pass pass = saliency_glsl_pass_of(&way->passes[i], 255);
            recorder_dispatch(recorder, commands, &pass, recorder->calls[0].sets[0], false);
        }
    }
}

/* Passes up to responses look at bins, of which a call leaves none: these are made once more. */
static void record_before(struct blobs_bench *bench, VkCommandBuffer commands,
                          const struct shader *shader)
{
    record(bench, commands);
    if (shader != &saliency_maxima_shader && shader != &saliency_rank_shader &&
        shader != &saliency_prune_shader) {
        record_passes(bench, commands, &saliency_bins_shader);
    }
}

/* A call, or those passes of one behind a call that have the shader. */
struct blobs_round {
    struct blobs_bench *bench;
    const struct shader *shader; /* NULL: the call */
};

static size_t play(void *user, double *out_us)
{
    const struct blobs_round *round = user;
    struct blobs_bench *bench = round->bench;
    struct vulkan_bench *b = bench->b;
    VkCommandBuffer commands = engine_begin(&b->engine);
    if (round->shader) {
        record_before(bench, commands, round->shader);
    }
    vulkan_stamp(b, commands, 0);
    if (round->shader) {
        record_passes(bench, commands, round->shader);
    } else {
        record(bench, commands);
    }
    vulkan_stamp(b, commands, 1);
    engine_submit(&b->engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(&b->engine);
    bench->frame++;
    *out_us = vulkan_between_us(b, 0, 1);
    return 1;
}

static struct bench_times time_last(struct blobs_bench *bench, const struct shader *shader)
{
    struct blobs_round round = {bench, shader};
    return vulkan_time(bench->b, &(struct vulkan_rounds){play, &round, 1}, ROUNDS);
}

static void add_row(const struct blobs_bench *bench, const char *what,
                    const struct bench_times *times)
{
    results_add_batch(&bench->b->bench->results, "vulkan", bench->size, what, FOVEA_FORMAT_RGBA8, 1,
                      "timestamps", times);
}

static void time_passes(struct blobs_bench *bench)
{
    static const struct {
        const struct shader *shader;
        const char *what;
    } steps[] = {
        {&saliency_bins_shader, "blobs: bins"},
        {&saliency_fine_shader, "blobs: level 0"},
        {&saliency_planes_shader, "blobs: far planes"},
        {&saliency_near_shader, "blobs: near planes"},
        {&saliency_filter_shader, "blobs: filters"},
        {&saliency_maxima_shader, "blobs: maxima"},
        {&saliency_rank_shader, "blobs: order"},
        {&saliency_prune_shader, "blobs: overlap"},
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const struct bench_times times = time_last(bench, steps[i].shader);
        add_row(bench, steps[i].what, &times);
    }
}

bool vulkan_blobs(struct vulkan_bench *b)
{
    const bool quick = b->bench->wishes.quick;
    for (size_t i = 0; i < (quick ? 1 : sizeof cases / sizeof cases[0]); i++) {
        if (!bench_wants(b->bench, cases[i].name)) {
            continue;
        }
        if (!vulkan_open(b)) {
            return false;
        }
        struct blobs_bench bench = {
            .b = b, .of = &cases[i], .size = quick || b->is_cpu ? &quick_size : &cases[i].size};
        bench_say("%s", cases[i].name);
        open_case(&bench);
        const struct bench_times times = time_last(&bench, NULL);
        add_row(&bench, cases[i].noise ? "blobs, noise" : "blobs", &times);
        bench_say("%u blobs", *(const uint32_t *)(const void *)bench.list.mapped);
        time_passes(&bench);
        close_case(&bench);
    }
    return true;
}
