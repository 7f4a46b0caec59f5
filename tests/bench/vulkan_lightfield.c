/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields as compute shaders, what cuda_lightfield.c has on CUDA: raw pictures of noise take
 * turns, so that none of the paper's is in the cache when it is read. Timestamps round each call;
 * images stay in GENERAL. */

#include "lightfield_cases.h"
#include "vulkan_bench.h"

#include "fovea_lightfield_vk.h"

#define ROUNDS 24

struct lightfield_bench {
    struct vulkan_bench *b;
    struct bench_lightfield of;
    VkFormat format;
    struct fovea_lightfield_vk *field;
    struct engine_image raws[BENCH_PICTURES], picture, floats;
    uint64_t frame;
};

/* VK_FORMAT_UNDEFINED: raw pictures are not in images of three channels. */
static VkFormat format_of(enum fovea_lightfield_format format)
{
    return format == FOVEA_LIGHTFIELD_FORMAT_RGBA8 ? VK_FORMAT_R8G8B8A8_UNORM
           : format == FOVEA_LIGHTFIELD_FORMAT_R8  ? VK_FORMAT_R8_UNORM
           : format == FOVEA_LIGHTFIELD_FORMAT_R16 ? VK_FORMAT_R16_UNORM
                                                   : VK_FORMAT_UNDEFINED;
}

/* ---- Images */

static void fill_image(struct engine *engine, const struct engine_image *image,
                       const struct engine_buffer *pixels)
{
    VkCommandBuffer commands = engine_begin(engine);
    engine_record_upload(commands, image->image, image->width_px, image->height_px, pixels->buffer,
                         0, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    engine_submit(engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(engine);
}

static void make_raws(struct lightfield_bench *bench)
{
    struct engine *engine = &bench->b->engine;
    const struct fovea_lightfield_geometry *geometry = &bench->of.geometry;
    const uint32_t bytes = bench->format == VK_FORMAT_R8_UNORM    ? 1
                           : bench->format == VK_FORMAT_R16_UNORM ? 2
                                                                  : 4;
    struct engine_buffer noise = engine_buffer_create(engine, (VkDeviceSize)geometry->raw_width_px *
                                                                  geometry->raw_height_px * bytes);
    bench_lightfield_noise(noise.mapped, noise.bytes);
    for (size_t i = 0; i < BENCH_PICTURES; i++) {
        bench->raws[i] = engine_plain_create(engine, bench->format, geometry->raw_width_px,
                                             geometry->raw_height_px, VK_IMAGE_USAGE_SAMPLED_BIT);
        fill_image(engine, &bench->raws[i], &noise);
    }
    engine_buffer_destroy(engine, &noise);
}

static void make_pictures(struct lightfield_bench *bench)
{
    struct engine *engine = &bench->b->engine;
    const uint32_t pixels = bench->of.size->width_px * bench->of.size->height_px;
    struct engine_buffer patches = engine_buffer_create(engine, sizeof(float) * pixels);
    bench_lightfield_patches(bench->of.size, (float *)(void *)patches.mapped);
    bench->picture = engine_plain_create(engine, VK_FORMAT_R32_UINT, bench->of.size->width_px,
                                         bench->of.size->height_px, VK_IMAGE_USAGE_STORAGE_BIT);
    bench->floats = engine_plain_create(engine, VK_FORMAT_R32_SFLOAT, bench->of.size->width_px,
                                        bench->of.size->height_px,
                                        VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
    fill_image(engine, &bench->picture, &patches);
    fill_image(engine, &bench->floats, &patches);
    engine_buffer_destroy(engine, &patches);
}

/* ---- Calls */

static enum fovea_result record(struct lightfield_bench *bench, VkCommandBuffer commands,
                                uint32_t number)
{
    const struct bench_lightfield *of = &bench->of;
    const struct fovea_vk_recording recording = {.struct_bytes = sizeof recording,
                                                 .commands = commands,
                                                 .frame = bench->frame + 1,
                                                 .finished_frame = bench->frame};
    const struct fovea_lightfield_vk_image picture = {
        bench->picture.raw_layers[0], VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_LAYOUT_GENERAL};
    const struct fovea_lightfield_vk_image floats = {bench->floats.raw_layers[0],
                                                     VK_FORMAT_R32_SFLOAT, VK_IMAGE_LAYOUT_GENERAL};
    struct fovea_lightfield_vk_raw raw;
    fovea_lightfield_vk_raw_init(&raw);
    raw.view = bench->raws[number].raw_layers[0];
    raw.format = bench->format;
    raw.layout = VK_IMAGE_LAYOUT_GENERAL;
    raw.bayer = of->of->bayer;
    switch (of->of->kind) {
    case BENCH_SUM:
        return fovea_lightfield_vk_sum_views(bench->field, &recording, &raw, &of->sum, &picture);
    case BENCH_DEPTH:
        return fovea_lightfield_vk_depth(bench->field, &recording, &raw, &of->matching, &floats,
                                         NULL);
    case BENCH_REFOCUS:
        return fovea_lightfield_vk_refocus(bench->field, &recording, &raw, &of->refocusing,
                                           &picture, NULL);
    default:
        return fovea_lightfield_vk_render(bench->field, &recording, &raw, &of->rendering,
                                          of->of->kind == BENCH_ALL_IN_FOCUS ? &floats : NULL,
                                          &picture);
    }
}

static void record_call(void *user, VkCommandBuffer commands, uint32_t i)
{
    struct lightfield_bench *bench = user;
    bench_must(record(bench, commands, i), bench->of.of->name);
}

static size_t play_calls(void *user, double *out_us)
{
    struct lightfield_bench *bench = user;
    const size_t count = vulkan_play(bench->b, record_call, bench, out_us);
    bench->frame++;
    return count;
}

/* ---- Cases */

static void open_case(struct lightfield_bench *bench)
{
    const struct engine *engine = &bench->b->engine;
    struct fovea_lightfield_vk_desc desc;
    fovea_lightfield_vk_desc_init(&desc);
    ENGINE_DESCRIBE(engine, &desc);
    desc.queue_family = engine->family;
    desc.geometry = &bench->of.geometry;
    desc.width_px = bench->of.size->width_px;
    desc.height_px = bench->of.size->height_px;
    desc.log = bench_log();
    bench_must(fovea_lightfield_vk_create(&desc, &bench->field), "light field");
    make_raws(bench);
    make_pictures(bench);
}

static void close_case(struct lightfield_bench *bench)
{
    struct engine *engine = &bench->b->engine;
    fovea_lightfield_vk_destroy(&bench->field);
    for (size_t i = 0; i < BENCH_PICTURES; i++) {
        engine_image_destroy(engine, &bench->raws[i]);
    }
    engine_image_destroy(engine, &bench->picture);
    engine_image_destroy(engine, &bench->floats);
}

bool vulkan_lightfield(struct vulkan_bench *b)
{
    const bool quick = b->bench->wishes.quick;
    for (size_t i = 0; i < (quick ? 1 : bench_lightfield_case_count); i++) {
        const struct bench_lightfield_case *of = &bench_lightfield_cases[i];
        struct lightfield_bench bench = {.b = b, .format = format_of(of->format)};
        if (!bench.format || of->kind == BENCH_CHAIN ||
            !bench_lightfield_wants(b->bench, "vulkan", i)) {
            continue;
        }
        if (!vulkan_open(b)) {
            return false;
        }
        bench_lightfield_make(i, quick || b->is_cpu, &bench.of);
        bench_say("vulkan/lightfield/%s", of->name);
        open_case(&bench);
        const struct vulkan_rounds rounds = {play_calls, &bench, BENCH_PICTURES};
        const struct bench_times times = vulkan_time(b, &rounds, ROUNDS);
        bench_lightfield_add(b->bench, "vulkan", "timestamps", &bench.of, &times);
        close_case(&bench);
    }
    return true;
}
