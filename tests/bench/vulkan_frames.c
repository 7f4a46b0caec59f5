/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What Fovea adds to a frame of an engine. The engine draws (here: copies a picture into src), hands over,
 * and shows (copies dst to another image). Every second frame has empty submits in place of Fovea's, as
 * many of them, and shows what was drawn. */

#include "vulkan_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FRAMES 200 /* of each kind */
#define FRAMES_QUICK 5
#define WARM_UP 5
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

enum stamp { DRAW_BEGINS, DRAW_ENDS, SHOW_BEGINS, SHOW_ENDS };

struct loop {
    struct vulkan_bench *b;
    const struct bench_size *size;
    enum fovea_backend backend;
    struct fovea_vk *fovea;
    bool made;
    struct engine_image picture; /* what is drawn */
    struct engine_image screen;
    struct engine_image own[2]; /* src, dst; or Fovea's: */
    struct fovea_vk_image *ours[2];
    VkImage src;
    VkImage dst;
};

struct measured {
    double gpu_us[FRAMES];
    double gap_us[FRAMES];
    double cpu_us[FRAMES];
    size_t count;
};

/* ---- The engine ------------------------------------------------------------------------------- */

static double thread_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void record_copy(const struct loop *loop, VkCommandBuffer commands, VkImage src, VkImage dst)
{
    const VkImageSubresourceLayers layer = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy region = {.srcSubresource = layer,
                                .dstSubresource = layer,
                                .extent = {loop->size->width_px, loop->size->height_px, 1}};
    vkCmdCopyImage(commands, src, VK_IMAGE_LAYOUT_GENERAL, dst, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &region);
}

static void submit_copy(struct loop *loop, VkImage src, VkImage dst, enum stamp begin)
{
    VkCommandBuffer commands = engine_begin(&loop->b->engine);
    vulkan_stamp(loop->b, commands, begin);
    record_copy(loop, commands, src, dst);
    vulkan_stamp(loop->b, commands, begin + 1);
    engine_submit(&loop->b->engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
}

/* ---- Between drawing and showing -------------------------------------------------------------- */

static struct fovea_vk_frame_image end_of(const struct loop *loop, int i)
{
    return (struct fovea_vk_frame_image){.made = loop->ours[i],
                                         .image = loop->own[i].image,
                                         .format = FORMAT,
                                         .width_px = loop->size->width_px,
                                         .height_px = loop->size->height_px,
                                         .layout_before = VK_IMAGE_LAYOUT_GENERAL,
                                         .layout_after = VK_IMAGE_LAYOUT_GENERAL,
                                         .queue_family = VK_QUEUE_FAMILY_IGNORED};
}

static double foveate_us(struct loop *loop)
{
    const struct fovea_vk_frame frame = {.src = end_of(loop, 0),
                                         .dst = end_of(loop, 1),
                                         .gaze = {.point = {0.5, 0.5}, .usable = true}};
    const double begin_us = thread_us();
    const enum fovea_result result = fovea_vk_foveate(loop->fovea, &frame);
    const double us = thread_us() - begin_us;
    bench_must(result, "fovea_vk_foveate");
    return us;
}

/* A backend beside Vulkan has a submit before and one after it. */
static double submit_nothing_us(struct loop *loop)
{
    VkCommandBuffer commands[2];
    const int count = loop->backend == FOVEA_BACKEND_VULKAN ? 1 : 2;
    for (int i = 0; i < count; i++) {
        commands[i] = engine_begin(&loop->b->engine);
    }
    const double begin_us = thread_us();
    for (int i = 0; i < count; i++) {
        engine_submit(&loop->b->engine, commands[i], VK_NULL_HANDLE, VK_NULL_HANDLE);
    }
    return thread_us() - begin_us;
}

/* Fovea's images are ours before and after a frame. */
static void take_back(struct loop *loop)
{
    VkImageLayout layout;
    bench_must(fovea_vk_image_acquire(loop->ours[0], &layout), "acquire");
    bench_must(fovea_vk_image_release(loop->ours[1], VK_IMAGE_LAYOUT_GENERAL), "release");
}

static void run_frame(struct loop *loop, bool with, struct measured *out)
{
    submit_copy(loop, loop->picture.image, loop->src, DRAW_BEGINS);
    const double cpu_us = with ? foveate_us(loop) : submit_nothing_us(loop);
    submit_copy(loop, with ? loop->dst : loop->src, loop->screen.image, SHOW_BEGINS);
    engine_idle(&loop->b->engine);
    if (with && loop->made) {
        take_back(loop);
    }
    if (out) {
        out->gpu_us[out->count] = vulkan_between_us(loop->b, DRAW_BEGINS, SHOW_ENDS);
        out->gap_us[out->count] = vulkan_between_us(loop->b, DRAW_ENDS, SHOW_BEGINS);
        out->cpu_us[out->count++] = cpu_us;
    }
}

/* ---- Images ----------------------------------------------------------------------------------- */

static struct engine_image own_image(struct loop *loop, const void *pixels)
{
    struct engine *engine = &loop->b->engine;
    struct engine_image image =
        engine_image_create(engine, FORMAT, loop->size->width_px, loop->size->height_px);
    engine_write(engine, image.image, image.width_px, image.height_px, FORMAT, pixels,
                 VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    return image;
}

static struct fovea_vk_image *our_image(struct loop *loop, const void *pixels)
{
    const struct fovea_vk_image_desc desc = {
        .format = FORMAT, .width_px = loop->size->width_px, .height_px = loop->size->height_px};
    struct fovea_vk_image *image = NULL;
    VkImageLayout layout;
    bench_must(fovea_vk_image_create(loop->fovea, &desc, &image), "image");
    bench_must(fovea_vk_image_acquire(image, &layout), "acquire");
    engine_write(&loop->b->engine, fovea_vk_image_handle(image), desc.width_px, desc.height_px,
                 FORMAT, pixels, layout, VK_IMAGE_LAYOUT_GENERAL);
    return image;
}

static void make_images(struct loop *loop)
{
    const size_t bytes = bench_image_bytes(loop->size, FOVEA_FORMAT_RGBA8);
    void *pixels = bench_memory(bytes, 1);
    bench_draw(pixels, bytes, FOVEA_FORMAT_RGBA8);
    loop->picture = own_image(loop, pixels);
    loop->screen = own_image(loop, pixels);
    for (int i = 0; i < 2; i++) {
        if (loop->made) {
            loop->ours[i] = our_image(loop, pixels);
        } else {
            loop->own[i] = own_image(loop, pixels);
        }
    }
    loop->src = loop->made ? fovea_vk_image_handle(loop->ours[0]) : loop->own[0].image;
    loop->dst = loop->made ? fovea_vk_image_handle(loop->ours[1]) : loop->own[1].image;
    if (loop->made) {
        bench_must(fovea_vk_image_release(loop->ours[1], VK_IMAGE_LAYOUT_GENERAL), "release");
    }
    free(pixels);
}

static void free_images(struct loop *loop)
{
    struct engine *engine = &loop->b->engine;
    for (int i = 0; i < 2; i++) {
        fovea_vk_image_destroy(&loop->ours[i]);
        engine_image_destroy(engine, &loop->own[i]);
    }
    engine_image_destroy(engine, &loop->picture);
    engine_image_destroy(engine, &loop->screen);
}

/* ---- Cases ------------------------------------------------------------------------------------ */

static double median_us(double *us, size_t count)
{
    return bench_times_of(us, count).median_us;
}

static void add_result(struct loop *loop, struct measured *without, struct measured *with)
{
    struct fovea_vk_stats stats;
    bench_must(fovea_vk_get_stats(loop->fovea, &stats), "stats");
    if (stats.backend != loop->backend) {
        bench_fail("%s: %s", fovea_backend_name(stats.backend), stats.backend_reason);
    }
    *results_add_frame(&loop->b->bench->results) = (struct frame_result){
        .backend = fovea_backend_name(loop->backend),
        .path = loop->made ? "made" : "copied",
        .size = loop->size,
        .without = bench_times_of(without->gpu_us, without->count),
        .with = bench_times_of(with->gpu_us, with->count),
        .kernel_us = stats.gpu_p50_us,
        .gap_without_us = median_us(without->gap_us, without->count),
        .gap_with_us = median_us(with->gap_us, with->count),
        .cpu = bench_times_of(with->cpu_us, with->count),
        .submits_cpu_us = median_us(without->cpu_us, without->count),
        .sync = stats.sync,
    };
}

static void measure(struct loop *loop)
{
    struct measured *measured = bench_memory(2, sizeof *measured);
    const int frames = loop->b->bench->wishes.quick || loop->b->is_cpu ? FRAMES_QUICK : FRAMES;
    make_images(loop);
    for (int i = 0; i < WARM_UP; i++) {
        run_frame(loop, i % 2 == 0, NULL);
    }
    for (int i = 0; i < 2 * frames; i++) {
        run_frame(loop, i % 2 != 0, &measured[i % 2]);
    }
    add_result(loop, &measured[0], &measured[1]);
    free_images(loop);
    free(measured);
}

static void run_case(struct loop *loop, const char *name)
{
    loop->fovea = vulkan_fovea(loop->b, &bench_modes[0], loop->backend);
    if (!loop->fovea) {
        results_absent(&loop->b->bench->results, name, "not with this Vulkan device");
        return;
    }
    bench_say("%s", name);
    measure(loop);
    fovea_vk_destroy(&loop->fovea);
}

/* False: there is no device. */
static bool run_size(struct vulkan_bench *b, const struct bench_size *size)
{
    static const enum fovea_backend backends[] = {FOVEA_BACKEND_VULKAN, FOVEA_BACKEND_CUDA};
    for (int i = 0; i < 4; i++) {
        struct loop loop = {.b = b, .size = size, .backend = backends[i / 2], .made = i % 2 == 0};
        char name[RESULT_NAME_BYTES];
        snprintf(name, sizeof name, "frame/%s/%s/%s", fovea_backend_name(loop.backend),
                 loop.made ? "made" : "copied", size->name);
        if (!bench_wants(b->bench, name)) {
            continue;
        }
        if (!vulkan_open(b)) {
            return false;
        }
        run_case(&loop, name);
    }
    return true;
}

bool vulkan_frames(struct vulkan_bench *b)
{
    size_t count = 0;
    const struct bench_size *sizes = vulkan_sizes(b, &count);
    for (size_t i = 0; i < count; i++) {
        const bool usual = strcmp(sizes[i].name, "1080p") == 0 || strcmp(sizes[i].name, "4K") == 0;
        if ((usual || count == 1) && !run_size(b, &sizes[i])) {
            return false;
        }
    }
    return true;
}
