/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What Fovea adds to a frame of an engine. The engine draws (here: copies a picture into src),
 * hands over, and shows (copies dst to another image). Every second frame has empty submits in
 * place of Fovea's, as many of them, and shows what was drawn.
 *
 * Drawing is copied so often that the CPU has submitted the whole frame before it is over;
 * otherwise the GPU would wait for the CPU, and what Fovea adds would have the CPU's time in it.
 * Whether that worked is looked at in each frame. */

#include "vulkan_bench.h"

#include "plugin/frame/frame_slot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FRAMES 100 /* of each kind */
#define FRAMES_QUICK 5
#define WARM_UP 20
#define WARM_UP_QUICK 4
#define DRAW_US 3000.0
#define DRAWS_AT_MOST 1000
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

enum stamp { DRAW_BEGINS, DRAW_ENDS, SHOW_BEGINS, SHOW_ENDS };

/* Whose images src and dst are. */
enum owner {
    MADE, /* Fovea's: no copy */
    SEEN, /* the engine's, and kernels see them */
    COPIED, /* the engine's */
    OWNERS,
};
static const char *const owner_names[OWNERS] = {"made", "seen", "copied"};

struct loop {
    struct vulkan_bench *b;
    const struct bench_size *size;
    enum fovea_backend backend;
    struct fovea_vk *fovea;
    enum owner owner;
    struct engine_image picture; /* what is drawn */
    struct engine_image screen;
    struct engine_image own[2]; /* src, dst; or Fovea's: */
    struct fovea_vk_image *ours[2];
    VkImage src;
    VkImage dst;
    int draws; /* copies that are the drawing */
};

/* Of a frame. */
struct measured {
    double gpu_us; /* all of it */
    double after_us; /* from the end of drawing to its end */
    double gap_us; /* from there to the begin of showing */
    double cpu_us;
    bool in_time; /* everything was submitted before drawing was over */
};

/* ---- The engine ------------------------------------------------------------------------------ */

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

static void submit_copies(struct loop *loop, VkImage src, VkImage dst, enum stamp begin, int count)
{
    VkCommandBuffer commands = engine_begin(&loop->b->engine);
    vulkan_stamp(loop->b, commands, begin);
    for (int i = 0; i < count; i++) {
        record_copy(loop, commands, src, dst);
        vulkan_barrier(commands);
    }
    vulkan_stamp(loop->b, commands, begin + 1);
    engine_submit(&loop->b->engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
}

/* As many copies as take DRAW_US; a CPU that runs Vulkan has no time of its own to hide. */
static int find_draws(struct loop *loop)
{
    const int few = 8;
    if (loop->b->is_cpu) {
        return 1;
    }
    double us = 0.0;
    for (int i = 0; i < 3; i++) {
        submit_copies(loop, loop->picture.image, loop->src, DRAW_BEGINS, few);
        engine_idle(&loop->b->engine);
        us = vulkan_between_us(loop->b, DRAW_BEGINS, DRAW_ENDS) / few;
    }
    const double count = us > 0.0 ? DRAW_US / us + 1.0 : DRAWS_AT_MOST;
    return count < DRAWS_AT_MOST ? (int)count : DRAWS_AT_MOST;
}

/* ---- Between drawing and showing ------------------------------------------------------------- */

static struct fovea_vk_frame_target end_of(const struct loop *loop, int i)
{
    return (struct fovea_vk_frame_target){.made = loop->ours[i],
                                          .image = loop->own[i].image,
                                          .format = FORMAT,
                                          .width_px = loop->size->width_px,
                                          .height_px = loop->size->height_px,
                                          .layout_before = VK_IMAGE_LAYOUT_GENERAL,
                                          .layout_after = VK_IMAGE_LAYOUT_GENERAL,
                                          .queue_family = VK_QUEUE_FAMILY_IGNORED,
                                          .raw_view = loop->own[i].raw_view};
}

static double foveate_us(struct loop *loop)
{
    const struct fovea_vk_frame frame = {.struct_bytes = sizeof frame,
                                         .src = end_of(loop, 0),
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

static struct measured run_frame(struct loop *loop, bool with)
{
    struct vulkan_bench *b = loop->b;
    const int64_t start_ns = fovea_time_ns();
    submit_copies(loop, loop->picture.image, loop->src, DRAW_BEGINS, loop->draws);
    const double cpu_us = with ? foveate_us(loop) : submit_nothing_us(loop);
    submit_copies(loop, with ? loop->dst : loop->src, loop->screen.image, SHOW_BEGINS, 1);
    const double submit_us = (double)(fovea_time_ns() - start_ns) * 1e-3;
    engine_idle(&b->engine);
    if (with && loop->owner == MADE) {
        take_back(loop);
    }
    return (struct measured){.gpu_us = vulkan_between_us(b, DRAW_BEGINS, SHOW_ENDS),
                             .after_us = vulkan_between_us(b, DRAW_ENDS, SHOW_ENDS),
                             .gap_us = vulkan_between_us(b, DRAW_ENDS, SHOW_BEGINS),
                             .cpu_us = cpu_us,
                             .in_time = submit_us < vulkan_between_us(b, DRAW_BEGINS, DRAW_ENDS)};
}

/* ---- Images ---------------------------------------------------------------------------------- */

static struct engine_image own_image(struct loop *loop, const void *pixels, enum owner owner)
{
    struct engine *engine = &loop->b->engine;
    struct engine_image image = (owner == SEEN ? engine_seen_create : engine_array_create)(
        engine, FORMAT, loop->size->width_px, loop->size->height_px, 1);
    engine_write(engine, image.image, image.width_px, image.height_px, FORMAT, pixels,
                 VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    return image;
}

static struct fovea_vk_image *our_image(struct loop *loop, const void *pixels)
{
    const struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc,
                                             .format = FORMAT,
                                             .width_px = loop->size->width_px,
                                             .height_px = loop->size->height_px};
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
    loop->picture = own_image(loop, pixels, COPIED);
    loop->screen = own_image(loop, pixels, COPIED);
    const bool made = loop->owner == MADE;
    for (int i = 0; i < 2; i++) {
        if (made) {
            loop->ours[i] = our_image(loop, pixels);
        } else {
            loop->own[i] = own_image(loop, pixels, loop->owner);
        }
    }
    loop->src = made ? fovea_vk_image_handle(loop->ours[0]) : loop->own[0].image;
    loop->dst = made ? fovea_vk_image_handle(loop->ours[1]) : loop->own[1].image;
    if (made) {
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

/* ---- Cases ----------------------------------------------------------------------------------- */

/* A frame without and the one with Fovea behind it. */
struct pair {
    struct measured without;
    struct measured with;
};

static double gpu_without(const struct pair *p)
{
    return p->without.gpu_us;
}

static double gpu_with(const struct pair *p)
{
    return p->with.gpu_us;
}

static double added(const struct pair *p)
{
    return p->with.after_us - p->without.after_us;
}

static double gap_without(const struct pair *p)
{
    return p->without.gap_us;
}

static double gap_with(const struct pair *p)
{
    return p->with.gap_us;
}

static double cpu_without(const struct pair *p)
{
    return p->without.cpu_us;
}

static double cpu_with(const struct pair *p)
{
    return p->with.cpu_us;
}

static struct bench_times times_of(const struct pair *pairs, size_t count,
                                   double (*value)(const struct pair *))
{
    double us[FRAMES];
    for (size_t i = 0; i < count; i++) {
        us[i] = value(&pairs[i]);
    }
    return bench_times_of(us, count);
}

/* In front those that count: submitted in time, or all where hardly any is. */
static size_t keep_in_time(struct pair *pairs, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].without.in_time && pairs[i].with.in_time) {
            const struct pair swapped = pairs[kept];
            pairs[kept++] = pairs[i];
            pairs[i] = swapped;
        }
    }
    return kept;
}

static void add_result(struct loop *loop, struct pair *pairs, size_t count)
{
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    bench_must(fovea_vk_get_stats(loop->fovea, &stats), "stats");
    if (stats.backend != loop->backend) {
        bench_fail("%s: %s", fovea_backend_name(stats.backend), stats.backend_reason);
    }
    const size_t in_time = keep_in_time(pairs, count);
    const bool late = in_time < count / 4;
    const size_t used = late ? count : in_time;
    *results_add_frame(&loop->b->bench->results) = (struct frame_result){
        .backend = fovea_backend_name(loop->backend),
        .path = owner_names[loop->owner],
        .size = loop->size,
        .without = times_of(pairs, used, gpu_without),
        .with = times_of(pairs, used, gpu_with),
        .added = times_of(pairs, used, added),
        .kernel_us = stats.gpu_p50_us,
        .gap_without_us = times_of(pairs, used, gap_without).median_us,
        .gap_with_us = times_of(pairs, used, gap_with).median_us,
        .queued_late = late,
        .cpu = times_of(pairs, used, cpu_with),
        .submits_cpu_us = times_of(pairs, used, cpu_without).median_us,
        .sync = stats.sync,
    };
}

static void measure(struct loop *loop)
{
    const bool few = loop->b->bench->wishes.quick || loop->b->is_cpu;
    const size_t count = few ? FRAMES_QUICK : FRAMES;
    struct pair *pairs = bench_memory(count, sizeof *pairs);
    make_images(loop);
    loop->draws = find_draws(loop);
    for (int i = 0; i < (few ? WARM_UP_QUICK : WARM_UP); i++) {
        run_frame(loop, i % 2 != 0);
    }
    frame_wait(loop->fovea, loop->fovea->frame);
    loop->fovea->gpu_times = (struct frame_times){.count = 0};
    for (size_t i = 0; i < count; i++) {
        pairs[i].without = run_frame(loop, false);
        pairs[i].with = run_frame(loop, true);
    }
    add_result(loop, pairs, count);
    free_images(loop);
    free(pairs);
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

static struct loop loop_of(struct vulkan_bench *b, const struct bench_size *size, int i,
                           char name[RESULT_NAME_BYTES])
{
    static const enum fovea_backend backends[] = {FOVEA_BACKEND_VULKAN, FOVEA_BACKEND_CUDA};
    const struct loop loop = {
        .b = b, .size = size, .backend = backends[i / OWNERS], .owner = (enum owner)(i % OWNERS)};
    snprintf(name, RESULT_NAME_BYTES, "frame/%s/%s/%s", fovea_backend_name(loop.backend),
             owner_names[loop.owner], size->name);
    return loop;
}

/* 1080p and 4K, or what little there is. */
static bool is_usual(const struct bench_size *size, size_t count)
{
    return strcmp(size->name, "1080p") == 0 || strcmp(size->name, "4K") == 0 || count == 1;
}

/* Calls `run` for every case that is wished for; how many. */
static size_t for_each(struct vulkan_bench *b, void (*run)(struct loop *, const char *name))
{
    size_t found = 0;
    size_t count = 0;
    const struct bench_size *sizes = vulkan_sizes(b, &count);
    for (size_t i = 0; i < 2 * OWNERS * count; i++) {
        char name[RESULT_NAME_BYTES];
        struct loop loop = loop_of(b, &sizes[i / (2 * OWNERS)], (int)(i % (2 * OWNERS)), name);
        if (is_usual(loop.size, count) && bench_wants(b->bench, name)) {
            found++;
            run(&loop, name);
        }
    }
    return found;
}

static void only_count(struct loop *loop, const char *name)
{
}

/* The device says which sizes there are. */
bool vulkan_frames(struct vulkan_bench *b)
{
    if (for_each(b, only_count) > 0) {
        if (!vulkan_open(b)) {
            return false;
        }
        for_each(b, run_case);
    }
    return true;
}
