/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields as compute shaders, what cuda_lightfield.c has on CUDA: raw pictures of noise take
 * turns, so that none of the paper's is in the cache when it is read. Timestamps round each call;
 * images stay in GENERAL. */

#include "lightfield_arrays.h"
#include "vulkan_bench.h"

#include "fovea_lightfield_vk.h"

#include <stdio.h>

#define ROUNDS 24

enum kind { RENDER, ALL_IN_FOCUS, DEPTH, SUM, REFOCUS };

static const struct lightfield_case {
    const char *name, *what;
    enum kind kind;
    VkFormat format;
    enum fovea_lightfield_bayer bayer;
    enum fovea_lightfield_filter filter;
    bool box;
    bool gaze; /* fewer micro-images away from it, and a coarse search */
    enum bench_array_kind array;
} cases[] = {
#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define R8 VK_FORMAT_R8_UNORM
#define R16 VK_FORMAT_R16_UNORM
#define NEAREST FOVEA_LIGHTFIELD_FILTER_NEAREST
    {"render/rgba8", "light field of RGBA8", RENDER, RGBA8, 0, 0, false, false, BENCH_ARRAY_PAPER},
    {"render/rgba8/nearest", "light field of RGBA8, nearest", RENDER, RGBA8, 0, NEAREST, false,
     false, BENCH_ARRAY_PAPER},
    {"render/r8", "light field of R8", RENDER, R8, 0, 0, false, false, BENCH_ARRAY_PAPER},
    {"render/bayer", "light field of R8, mosaic", RENDER, R8, FOVEA_LIGHTFIELD_BAYER_RGGB, 0, false,
     false, BENCH_ARRAY_PAPER},
    {"focus/rgba8", "light field of RGBA8, all in focus", ALL_IN_FOCUS, RGBA8, 0, 0, false, false,
     BENCH_ARRAY_PAPER},
    {"depth/rgba8", "light field's depth of RGBA8", DEPTH, RGBA8, 0, 0, false, false,
     BENCH_ARRAY_PAPER},
    {"depth/rgba8/nearest", "light field's depth of RGBA8, nearest", DEPTH, RGBA8, 0, NEAREST,
     false, false, BENCH_ARRAY_PAPER},
    {"depth/rgba8/box", "light field's depth of RGBA8, nearest, box", DEPTH, RGBA8, 0, NEAREST,
     true, false, BENCH_ARRAY_PAPER},
    {"depth/r8", "light field's depth of R8", DEPTH, R8, 0, 0, false, false, BENCH_ARRAY_PAPER},
    {"sum/r8", "light field of R8, 81 views", SUM, R8, 0, 0, false, false, BENCH_ARRAY_PAPER},
    {"sum/ant-leg", "light field of R16, the ant leg's 593 views", SUM, R16, 0, 0, false, false,
     BENCH_ARRAY_ANT_LEG},
    {"sum/sea-urchin", "light field of R8, the sea urchin's 233 views", SUM, R8, 0, 0, false, false,
     BENCH_ARRAY_SEA_URCHIN},
    {"sum/vesicles", "light field of R16, the vesicles' 185 views", SUM, R16, 0, 0, false, false,
     BENCH_ARRAY_VESICLES},
    {"render/rgba8/gaze", "light field of RGBA8, a gaze", RENDER, RGBA8, 0, 0, false, true,
     BENCH_ARRAY_PAPER},
    {"focus/rgba8/gaze", "light field of RGBA8, all in focus, a gaze", ALL_IN_FOCUS, RGBA8, 0, 0,
     false, true, BENCH_ARRAY_PAPER},
    {"depth/rgba8/nearest/gaze", "light field's depth of RGBA8, nearest, a gaze", DEPTH, RGBA8, 0,
     NEAREST, false, true, BENCH_ARRAY_PAPER},
    {"refocus/rgba8", "light field of RGBA8, refocused", REFOCUS, RGBA8, 0, 0, false, false,
     BENCH_ARRAY_PAPER},
    {"refocus/rgba8/gaze", "light field of RGBA8, refocused, a gaze", REFOCUS, RGBA8, 0, 0, false,
     true, BENCH_ARRAY_PAPER},
};

struct lightfield_bench {
    struct vulkan_bench *b;
    const struct lightfield_case *of;
    enum bench_array_kind array;
    const struct bench_size *size;
    struct fovea_lightfield_vk *field;
    struct engine_image raws[BENCH_PICTURES], picture, floats;
    struct fovea_lightfield_foveation foveation;
    uint64_t frame;
};

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

static void make_raws(struct lightfield_bench *bench,
                      const struct fovea_lightfield_geometry *geometry)
{
    struct engine *engine = &bench->b->engine;
    const uint32_t bytes = bench->of->format == R8 ? 1 : bench->of->format == R16 ? 2 : 4;
    struct engine_buffer noise = engine_buffer_create(engine, (VkDeviceSize)geometry->raw_width_px *
                                                                  geometry->raw_height_px * bytes);
    bench_array_noise(noise.mapped, noise.bytes);
    for (size_t i = 0; i < BENCH_PICTURES; i++) {
        bench->raws[i] = engine_plain_create(engine, bench->of->format, geometry->raw_width_px,
                                             geometry->raw_height_px, VK_IMAGE_USAGE_SAMPLED_BIT);
        fill_image(engine, &bench->raws[i], &noise);
    }
    engine_buffer_destroy(engine, &noise);
}

static void make_pictures(struct lightfield_bench *bench)
{
    struct engine *engine = &bench->b->engine;
    const uint32_t pixels = bench->size->width_px * bench->size->height_px;
    struct engine_buffer patches = engine_buffer_create(engine, sizeof(float) * pixels);
    for (uint32_t i = 0; i < pixels; i++) {
        ((float *)(void *)patches.mapped)[i] = 7.0f + 0.5f * (float)(i / 40 % 14);
    }
    bench->picture = engine_plain_create(engine, VK_FORMAT_R32_UINT, bench->size->width_px,
                                         bench->size->height_px, VK_IMAGE_USAGE_STORAGE_BIT);
    bench->floats = engine_plain_create(engine, VK_FORMAT_R32_SFLOAT, bench->size->width_px,
                                        bench->size->height_px,
                                        VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
    fill_image(engine, &bench->picture, &patches);
    fill_image(engine, &bench->floats, &patches);
    engine_buffer_destroy(engine, &patches);
}

/* ---- Calls */

static enum fovea_result record(struct lightfield_bench *bench, VkCommandBuffer commands,
                                uint32_t number)
{
    const struct lightfield_case *of = bench->of;
    const struct fovea_vk_recording recording = {.struct_bytes = sizeof recording,
                                                 .commands = commands,
                                                 .frame = bench->frame + 1,
                                                 .finished_frame = bench->frame};
    const struct fovea_lightfield_vk_image picture = {bench->picture.raw_layers[0], RGBA8,
                                                      VK_IMAGE_LAYOUT_GENERAL};
    const struct fovea_lightfield_vk_image floats = {bench->floats.raw_layers[0],
                                                     VK_FORMAT_R32_SFLOAT, VK_IMAGE_LAYOUT_GENERAL};
    struct fovea_lightfield_vk_raw raw;
    struct fovea_lightfield_rendering rendering;
    struct fovea_lightfield_matching matching;
    struct fovea_lightfield_refocusing refocusing;
    struct fovea_lightfield_sum sum;
    fovea_lightfield_vk_raw_init(&raw);
    raw.view = bench->raws[number].raw_layers[0];
    raw.format = of->format;
    raw.layout = VK_IMAGE_LAYOUT_GENERAL;
    raw.bayer = of->bayer;
    if (of->kind == SUM) {
        sum = bench_array_sum(bench->array);
        return fovea_lightfield_vk_sum_views(bench->field, &recording, &raw, &sum, &picture);
    }
    if (of->kind == DEPTH) {
        fovea_lightfield_matching_init(&matching);
        matching.first_px = 7.0;
        matching.last_px = 14.0;
        matching.filter = of->filter;
        matching.box = of->box;
        matching.foveation = of->gaze ? &bench->foveation : NULL;
        return fovea_lightfield_vk_depth(bench->field, &recording, &raw, &matching, &floats, NULL);
    }
    if (of->kind == REFOCUS) {
        fovea_lightfield_refocusing_init(&refocusing);
        refocusing.first_px = 7.0;
        refocusing.last_px = 14.0;
        refocusing.elapsed_s = 1e-3;
        refocusing.foveation = &bench->foveation;
        return fovea_lightfield_vk_refocus(bench->field, &recording, &raw, &refocusing, &picture,
                                           NULL);
    }
    fovea_lightfield_rendering_init(&rendering);
    rendering.patch_px = 11.0;
    rendering.filter = of->filter;
    rendering.foveation = of->gaze ? &bench->foveation : NULL;
    return fovea_lightfield_vk_render(bench->field, &recording, &raw, &rendering,
                                      of->kind == ALL_IN_FOCUS ? &floats : NULL, &picture);
}

static struct bench_times time_calls(struct lightfield_bench *bench)
{
    struct vulkan_bench *b = bench->b;
    const int rounds = b->bench->wishes.quick || b->is_cpu ? 1 : ROUNDS;
    double us[ROUNDS * BENCH_PICTURES];
    size_t count = 0;
    for (int round = -rounds; round < rounds; round++) {
        VkCommandBuffer commands = engine_begin(&b->engine);
        for (uint32_t i = 0; i < BENCH_PICTURES; i++) {
            vulkan_stamp(b, commands, 2 * i);
            bench_must(record(bench, commands, i), bench->of->name);
            vulkan_stamp(b, commands, 2 * i + 1);
        }
        engine_submit(&b->engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
        engine_idle(&b->engine);
        bench->frame++;
        for (uint32_t i = 0; round >= 0 && i < BENCH_PICTURES; i++) {
            us[count++] = vulkan_between_us(b, 2 * i, 2 * i + 1);
        }
    }
    return bench_times_of(us, count);
}

/* ---- Cases */

static void open_case(struct lightfield_bench *bench)
{
    const struct engine *engine = &bench->b->engine;
    const struct fovea_lightfield_geometry geometry = bench_array_of(bench->array)->geometry;
    struct fovea_lightfield_vk_desc desc;
    fovea_lightfield_vk_desc_init(&desc);
    ENGINE_DESCRIBE(engine, &desc);
    desc.queue_family = engine->family;
    desc.geometry = &geometry;
    desc.width_px = bench->size->width_px;
    desc.height_px = bench->size->height_px;
    desc.log = bench_log();
    bench_must(fovea_lightfield_vk_create(&desc, &bench->field), "light field");
    make_raws(bench, &geometry);
    make_pictures(bench);
    /* Rings of docs/lightfield.md, or all lenses everywhere. */
    fovea_lightfield_foveation_init(&bench->foveation);
    bench->foveation.gaze = (struct fovea_point_uv){0.5, 0.5};
    bench->foveation.full_px = bench->of->gaze ? 0.15 * bench->size->width_px : 1e5;
    bench->foveation.next_px = bench->of->gaze ? 0.38 * bench->size->width_px : 1e5;
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
    for (size_t i = 0; i < (quick ? 1 : sizeof cases / sizeof cases[0]); i++) {
        char name[RESULT_NAME_BYTES];
        snprintf(name, sizeof name, "vulkan/lightfield/%s", cases[i].name);
        if (!bench_wants(b->bench, name)) {
            continue;
        }
        if (!vulkan_open(b)) {
            return false;
        }
        const enum bench_array_kind array = quick || b->is_cpu ? BENCH_ARRAY_QUICK : cases[i].array;
        struct lightfield_bench bench = {
            .b = b, .of = &cases[i], .array = array, .size = &bench_array_of(array)->size};
        bench_say("%s", name);
        open_case(&bench);
        *results_add(&b->bench->results) = (struct result){
            .kind = RESULT_BATCH,
            .backend = "vulkan",
            .size = bench.size,
            .what = cases[i].what,
            .format = cases[i].kind == DEPTH ? FOVEA_FORMAT_R32F : FOVEA_FORMAT_RGBA8,
            .images = 1,
            .way = "timestamps",
            .times = time_calls(&bench)};
        close_case(&bench);
    }
    return true;
}
