/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The vulkan backend through its public API, on images without a copy: the GPU's timestamps round
 * the dispatches of each frame. `copy` is vkCmdCopyImage of the same images. On a queue without
 * graphics where there is one: GPUs for data centres give those with graphics half their speed. */

#include "domain.h"
#include "kernels/operators.h"
#include "support/clock.h"
#include "vulkan_bench.h"

#include "plugin/frame/frame_slot.h"

#include <sched.h>

#define FRAMES 128
#define FRAMES_QUICK 3
#define COPIES 16

/* ---- The device ------------------------------------------------------------------------------ */

static void note_device(struct vulkan_bench *b)
{
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
    char text[RESULT_TEXT_BYTES];
    vkGetPhysicalDeviceProperties2(b->engine.physical, &properties);
    b->is_cpu = properties.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    b->tick_us = (double)properties.properties.limits.timestampPeriod * 1e-3;
    results_machine(&b->bench->results, "Vulkan device", properties.properties.deviceName);
    snprintf(text, sizeof text, "%.60s %.80s", driver.driverName, driver.driverInfo);
    results_machine(&b->bench->results, "Vulkan driver", text);
}

/* Says what the queue's family can do. Timestamps of fewer bits than 64 wrap around. */
static bool note_queue(struct vulkan_bench *b)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(b->engine.physical, &count, families);
    const uint32_t bits = families[b->engine.family].timestampValidBits;
    results_machine(
        &b->bench->results, b->with_graphics ? "Vulkan queue of fragments" : "Vulkan queue",
        families[b->engine.family].queueFlags & VK_QUEUE_GRAPHICS_BIT ? "with graphics"
                                                                      : "of compute alone");
    b->tick_mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return bits > 0;
}

static void make_queries(struct vulkan_bench *b)
{
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = VULKAN_TIMESTAMPS};
    VULKAN_MUST(vkCreateQueryPool(b->engine.device, &info, NULL, &b->queries));
}

bool vulkan_open(struct vulkan_bench *b)
{
    if (b->open) {
        return true;
    }
    const struct engine_options nvidia = {
        .nvidia = true, .no_validation = true, .without_graphics = !b->with_graphics};
    const struct engine_options any = {.no_validation = true,
                                       .without_graphics = !b->with_graphics};
    if (b->without_timestamps ||
        !(engine_open(&b->engine, &nvidia) || engine_open(&b->engine, &any))) {
        return false;
    }
    if (!note_queue(b)) {
        results_absent(&b->bench->results, "vulkan", "the device's queue has no timestamps");
        b->without_timestamps = true;
        engine_close(&b->engine);
        return false;
    }
    b->open = true;
    note_device(b);
    make_queries(b);
    return true;
}

void vulkan_close(struct vulkan_bench *b)
{
    if (b->open) {
        vkDestroyQueryPool(b->engine.device, b->queries, NULL);
        engine_close(&b->engine);
        b->open = false;
    }
}

void vulkan_barrier(VkCommandBuffer commands)
{
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask =
                                     VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0, NULL, 0, NULL);
}

void vulkan_stamp(struct vulkan_bench *b, VkCommandBuffer commands, uint32_t index)
{
    vulkan_barrier(commands);
    vkCmdResetQueryPool(commands, b->queries, index, 1);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, b->queries, index);
}

double vulkan_between_us(struct vulkan_bench *b, uint32_t begin, uint32_t end)
{
    uint64_t ticks[2];
    for (int i = 0; i < 2; i++) {
        VULKAN_MUST(vkGetQueryPoolResults(b->engine.device, b->queries, i == 0 ? begin : end, 1,
                                          sizeof ticks[i], &ticks[i], sizeof ticks[i],
                                          VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    }
    return (double)((ticks[1] - ticks[0]) & b->tick_mask) * b->tick_us;
}

size_t vulkan_play(struct vulkan_bench *b, vulkan_record record, void *user, double *out_us)
{
    VkCommandBuffer commands = engine_begin(&b->engine);
    for (uint32_t i = 0; i < BENCH_PICTURES; i++) {
        vulkan_stamp(b, commands, 2 * i);
        record(user, commands, i);
        vulkan_stamp(b, commands, 2 * i + 1);
    }
    engine_submit(&b->engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(&b->engine);
    for (uint32_t i = 0; i < BENCH_PICTURES; i++) {
        out_us[i] = vulkan_between_us(b, 2 * i, 2 * i + 1);
    }
    return BENCH_PICTURES;
}

/* The sizes of this device, of those that are wished for. */
static const struct bench_size *sizes_of(const struct vulkan_bench *b, size_t *out_count)
{
    const struct bench_size *sizes = bench_sizes(b->bench->wishes.quick, out_count);
    if (b->is_cpu) {
        *out_count = 1;
    }
    return sizes;
}

/* Fovea with that backend on the engine; NULL: the device cannot have it. */
static struct fovea_vk *fovea_of(struct vulkan_bench *b, const struct bench_mode *mode,
                                 enum fovea_backend backend)
{
    if (backend == FOVEA_BACKEND_CUDA && !b->engine.needs.cuda) {
        return NULL;
    }
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = backend;
    settings.foveation = bench_foveation(mode);
    struct fovea_vk_desc desc = engine_fovea_desc(&b->engine, &settings);
    desc.log = bench_log();
    struct fovea_vk *fovea = NULL;
    const enum fovea_result result = fovea_vk_create(&desc, &fovea);
    if (result != FOVEA_ERROR_UNSUPPORTED) {
        bench_must(result, "fovea_vk_create");
    }
    return fovea;
}

/* ---- Images ---------------------------------------------------------------------------------- */

/* The images of one context, and what is measured with them. All stay in GENERAL. */
struct scene {
    struct vulkan_bench *b;
    struct fovea_vk *fovea;
    const struct bench_size *size;
    enum fovea_format format;
    struct fovea_vk_image *src[BENCH_PICTURES];
    struct fovea_vk_image *dst[BENCH_PICTURES];
    struct vulkan_depths depths[BENCH_DEPTHS_KINDS];
    const struct vulkan_depths *given; /* those of the case; NULL: none */
    double copy_us;
    struct fovea_point_uv gaze; /* of the frames */
    uint32_t frames; /* of a round */
};

static VkFormat vulkan_format(enum fovea_format format)
{
    switch (format) {
    case FOVEA_FORMAT_RGBA16F:
        return VK_FORMAT_R16G16B16A16_SFLOAT;
    case FOVEA_FORMAT_A2B10G10R10:
        return VK_FORMAT_A2B10G10R10_UNORM_PACK32;
    case FOVEA_FORMAT_B10G11R11F:
        return VK_FORMAT_B10G11R11_UFLOAT_PACK32;
    default:
        return VK_FORMAT_R8G8B8A8_UNORM;
    }
}

static struct fovea_vk_image *make_image(struct scene *scene, const void *pixels)
{
    const struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc,
                                             .format = vulkan_format(scene->format),
                                             .width_px = scene->size->width_px,
                                             .height_px = scene->size->height_px};
    struct fovea_vk_image *image = NULL;
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
    bench_must(fovea_vk_image_create(scene->fovea, &desc, &image), "image");
    bench_must(fovea_vk_image_acquire(image, &layout), "acquire");
    engine_write(&scene->b->engine, fovea_vk_image_handle(image), desc.width_px, desc.height_px,
                 desc.format, pixels, layout, VK_IMAGE_LAYOUT_GENERAL);
    return image;
}

static void make_images(struct scene *scene)
{
    const size_t bytes = bench_image_bytes(scene->size, scene->format);
    OWNED(owned_free) void *pixels = bench_memory(bytes, 1);
    bench_draw(pixels, bytes, scene->format);
    for (int i = 0; i < BENCH_PICTURES; i++) {
        scene->src[i] = make_image(scene, pixels);
        scene->dst[i] = make_image(scene, pixels);
    }
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static void record_copy(void *user, VkCommandBuffer commands, uint32_t i)
{
    const struct scene *scene = user;
    const VkImageSubresourceLayers layer = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy region = {.srcSubresource = layer,
                                .dstSubresource = layer,
                                .extent = {scene->size->width_px, scene->size->height_px, 1}};
    vkCmdCopyImage(commands, fovea_vk_image_handle(scene->src[i]), VK_IMAGE_LAYOUT_GENERAL,
                   fovea_vk_image_handle(scene->dst[i]), VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

/* The engine holds all of them. */
static size_t play_copies(void *user, double *out_us)
{
    return vulkan_play(((struct scene *)user)->b, record_copy, user, out_us);
}

static struct bench_times time_copies(struct scene *scene)
{
    const struct vulkan_rounds rounds = {play_copies, scene, BENCH_PICTURES};
    return vulkan_time(scene->b, &rounds, COPIES);
}

static void add_copies(struct scene *scene)
{
    struct result *row = results_add(&scene->b->bench->results);
    row->kind = RESULT_PICTURE;
    row->backend = "vulkan";
    row->size = scene->size;
    row->what = "copy";
    row->format = scene->format;
    row->way = "timestamps";
    row->times = time_copies(scene);
    scene->copy_us = row->reference_us = row->times.median_us;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void give_back(struct scene *scene)
{
    for (int i = 0; i < BENCH_PICTURES; i++) {
        bench_must(fovea_vk_image_release(scene->dst[i], VK_IMAGE_LAYOUT_GENERAL), "release");
    }
}

static struct fovea_vk_frame_target end_of(struct fovea_vk_image *image)
{
    return (struct fovea_vk_frame_target){.made = image,
                                          .layout_before = VK_IMAGE_LAYOUT_GENERAL,
                                          .layout_after = VK_IMAGE_LAYOUT_GENERAL,
                                          .queue_family = VK_QUEUE_FAMILY_IGNORED};
}

/* src is the engine's before and after it, dst Fovea's. */
static enum fovea_result try_frame(struct scene *scene, uint32_t picture,
                                   struct fovea_point_uv gaze)
{
    struct fovea_vk_image *src = scene->src[picture];
    struct fovea_vk_image *dst = scene->dst[picture];
    const struct fovea_vk_frame frame = {.struct_bytes = sizeof frame,
                                         .src = end_of(src),
                                         .dst = end_of(dst),
                                         .gaze = {.point = gaze, .usable = true},
                                         .depth = vulkan_depths_of(scene->given, picture)};
    VkImageLayout layout;
    enum fovea_result result = FOVEA_NOT_READY;
    while ((result = fovea_vk_foveate(scene->fovea, &frame)) == FOVEA_NOT_READY) {
        sched_yield();
    }
    if (result < 0) {
        bench_must(result, "fovea_vk_foveate");
    }
    bench_must(fovea_vk_image_acquire(src, &layout), "acquire");
    bench_must(fovea_vk_image_release(dst, VK_IMAGE_LAYOUT_GENERAL), "release");
    return result;
}

static void run_frame(struct scene *scene, uint32_t picture, struct fovea_point_uv gaze)
{
    bench_must(try_frame(scene, picture, gaze), "fovea_vk_foveate");
}

/* The GPU never waits for the processor within a round. */
static size_t play_frames(void *user, double *out_us)
{
    struct scene *scene = user;
    struct frame_times *times = &scene->fovea->gpu_times;
    *times = (struct frame_times){.count = 0};
    for (uint32_t i = 0; i < scene->frames; i++) {
        run_frame(scene, i % BENCH_PICTURES, scene->gaze);
    }
    frame_wait(scene->fovea, scene->fovea->frame);
    memcpy(out_us, times->us, times->count * sizeof *out_us);
    return times->count;
}

/* The first frames bring what is needed: shaders, levels. */
static struct bench_times time_frames(struct scene *scene, struct fovea_point_uv gaze)
{
    struct vulkan_bench *b = scene->b;
    const bool is_short = b->bench->wishes.quick || b->is_cpu;
    double us[FRAME_TIME_COUNT];
    scene->gaze = gaze;
    scene->frames = b->is_cpu ? 1 : BENCH_PICTURES;
    (void)play_frames(scene, us);
    scene->frames = is_short ? FRAMES_QUICK : FRAMES;
    vulkan_warm_up(b, &(struct vulkan_rounds){play_frames, scene, FRAME_TIME_COUNT});
    const size_t count = play_frames(scene, us);
    b->worked_s = now_s();
    return bench_times_of(us, count);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void open_scene(struct scene *scene, const struct bench_case *c)
{
    scene->fovea = fovea_of(scene->b, c->mode, FOVEA_BACKEND_VULKAN);
    bench_need(scene->fovea, "the vulkan backend is not there");
    scene->size = c->size;
    scene->format = c->mode->format;
    make_images(scene);
    add_copies(scene);
    give_back(scene);
}

static void close_scene(struct scene *scene)
{
    if (scene->fovea) {
        engine_idle(&scene->b->engine);
        fovea_vk_destroy(&scene->fovea);
    }
    for (int kind = 0; kind < BENCH_DEPTHS_KINDS; kind++) {
        vulkan_depths_free(scene->b, &scene->depths[kind]);
    }
    *scene = (struct scene){.b = scene->b};
}

static void give_depths(struct scene *scene, const struct bench_case *c)
{
    scene->given = NULL;
    if (operators_at(c->mode->op)->needs_depth) {
        const enum bench_depths kind = (enum bench_depths)c->mode->of_operator;
        vulkan_depths_make(scene->b, c->size, kind, &scene->depths[kind]);
        scene->given = &scene->depths[kind];
    }
}

static void run_case(struct scene *scene, const struct bench_case *c)
{
    if (scene->size != c->size || scene->format != c->mode->format) {
        close_scene(scene);
        open_scene(scene, c);
    }
    const struct fovea_settings settings = bench_settings(c->mode);
    give_depths(scene, c);
    bench_must(fovea_vk_set_settings(scene->fovea, &settings), c->mode->name);
    struct result row = {.kind = RESULT_PICTURE,
                         .backend = "vulkan",
                         .size = c->size,
                         .what = c->mode->name,
                         .gaze = c->gaze->name,
                         .format = c->mode->format,
                         .images = 1,
                         .way = "timestamps",
                         .times = time_frames(scene, bench_gaze_uv(c->gaze, c->size)),
                         .reference_us = scene->copy_us};
    *results_add(&scene->b->bench->results) = row;
}

/* One mode with depths is enough to see that it works. */
static bool is_too_much(const struct scene *scene, const struct bench_case *c)
{
    return scene->b->bench->wishes.quick && operators_at(c->mode->op)->needs_depth &&
           (c->mode->row != BENCH_ALONE || c->mode->of_operator != (double)BENCH_DEPTHS_NEAR);
}

static bool run_size(struct scene *scene, const struct bench_size *size)
{
    for (size_t m = 0; m < bench_mode_count; m++) {
        for (size_t g = 0; g < bench_gaze_count; g++) {
            const struct bench_case c = {size, &bench_modes[m], &bench_gazes[g]};
            char name[RESULT_NAME_BYTES];
            bench_case_name("vulkan", &c, name);
            if (!bench_case_exists(&c) || bench_is_fft(c.mode) || is_too_much(scene, &c) ||
                !bench_wants(scene->b->bench, name)) {
                continue;
            }
            if (!vulkan_open(scene->b)) {
                return false;
            }
            bench_say("%s", name);
            run_case(scene, &c);
        }
    }
    return true;
}

/* ---- The domain ------------------------------------------------------------------------------ */

/* Every size is its own images, so they go after each point. */
static enum fovea_result time_point(void *user, const struct domain_point *point,
                                    struct domain_result *out_result)
{
    struct scene scene = {.b = user, .size = &point->size, .format = point->format};
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation = point->foveation;
    scene.fovea = fovea_of(scene.b, &bench_modes[0], FOVEA_BACKEND_VULKAN);
    make_images(&scene);
    out_result->copy_us = time_copies(&scene).median_us;
    give_back(&scene);
    enum fovea_result result = fovea_vk_set_settings(scene.fovea, &settings);
    if (result == FOVEA_OK && try_frame(&scene, 0, point->gaze) == FOVEA_PASSED_THROUGH) {
        result = FOVEA_ERROR_INVALID_ARGUMENT; /* more blur than there is */
    }
    if (result == FOVEA_OK) {
        out_result->times = time_frames(&scene, point->gaze);
    }
    close_scene(&scene);
    return result;
}

bool vulkan_domain(struct vulkan_bench *b)
{
    if (!b->bench->wishes.list && !vulkan_open(b)) {
        return false;
    }
    const bool small = b->is_cpu || b->bench->wishes.quick;
    const struct domain_device device = {
        .backend = "vulkan",
        .limits = {.most_pixels = small ? 320 * 180 : 7680 * 4320, .surfaces_only = true},
        .time = time_point,
        .user = b,
    };
    domain_run(b->bench, &device);
    return true;
}

static bool run_all(struct vulkan_bench *b)
{
    OWNED(close_scene) struct scene scene = {.b = b};
    size_t count = 1;
    bool there = true;
    for (size_t i = 0; there && i < count; i++) {
        there = run_size(&scene, &sizes_of(b, &count)[i]);
    }
    return there && vulkan_blobs(b) && vulkan_lightfield(b);
}

void bench_vulkan(struct bench *bench)
{
    OWNED(vulkan_close) struct vulkan_bench b = {.bench = bench};
    if (wishes_paper(&bench->wishes) && !bench->wishes.blur_thesis) {
        return; /* those ways are kernels of CUDA and loops of the processor */
    }
    const bool there = bench->wishes.blur_thesis         ? vulkan_blur_thesis(&b)
                       : bench->wishes.domain_points > 0 ? vulkan_domain(&b)
                                                         : run_all(&b);
    if (!there) {
        results_absent(&bench->results, "vulkan", "no Vulkan device on this machine");
    }
}
