/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How long a frame is on its way from Vulkan to CUDA and back, on an NVIDIA GPU: from the end of
 * what the program draws to the first kernel, which reads the GPU's clock because gazes are late,
 * and from the end of the last kernel to what the program submits next. The images are Fovea's, so
 * that no copy is on the way. */

#include "clock.h"
#include "cmocka_all.h"
#include "rig.h"
#include "stuck.h"
#include "vulkan_parts.h"

#include "kernels/gaze/late.h"
#include "plugin/frame/frame.h"

#define FRAMES 300
#define WARM_UP 50
#define BUSY_BYTES                                                                                 \
    (32u << 20) /* of host memory: filling it takes the GPU longer than a frame takes the CPU */
#define REPORT_WORDS 16 /* a place of gaze/late_cuda.c */

struct desk {
    struct rig rig;
    struct fovea_vk_image *images[2];
    struct fovea_gaze_source *source;
    struct engine_buffer busy;
    VkQueryPool queries;
    struct vk_clock clock;
};

static void open_desk(struct desk *desk, uint32_t width_px, uint32_t height_px)
{
    const struct engine_options options = {.nvidia = true, .no_validation = true};
    assert_true(engine_open(&desk->rig.engine, &options));
    struct engine *engine = &desk->rig.engine;
    desk->rig.settings = rig_settings();
    desk->rig.settings.backend = FOVEA_BACKEND_CUDA;
    desk->rig.settings.foveation.method = FOVEA_METHOD_SMOOTH;
    desk->rig.settings.gaze.late = true;
    struct fovea_vk_desc desc = engine_fovea_desc(engine, &desk->rig.settings);
    desc.frames_in_flight = 1;
    assert_ok(fovea_vk_create(&desc, &desk->rig.fovea));
    desk->rig.fovea->timed_every = 1;
    const struct fovea_vk_image_desc image = {.struct_bytes = sizeof image,
                                              VK_FORMAT_B8G8R8A8_UNORM,
                                              width_px,
                                              height_px,
                                              VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
    for (int i = 0; i < 2; i++) {
        assert_ok(fovea_vk_image_create(desk->rig.fovea, &image, &desk->images[i]));
    }
    struct fovea_gaze_settings gaze = fovea_settings_default().gaze;
    gaze.kind = FOVEA_GAZE_MOUSE;
    assert_ok(gaze_source_open(&gaze, (struct fovea_log){0}, &desk->source));
    assert_ok(fovea_vk_follow_gaze(desk->rig.fovea, desk->source));
    desk->busy = engine_buffer_create(engine, BUSY_BYTES);
    const VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                           .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                           .queryCount = 2};
    assert_int_equal(vkCreateQueryPool(engine->device, &queries, NULL, &desk->queries), VK_SUCCESS);
}

static void close_desk(struct desk *desk)
{
    engine_idle(&desk->rig.engine);
    vkDestroyQueryPool(desk->rig.engine.device, desk->queries, NULL);
    engine_buffer_destroy(&desk->rig.engine, &desk->busy);
    assert_ok(fovea_vk_follow_gaze(desk->rig.fovea, NULL));
    rig_close(&desk->rig);
    fovea_gaze_source_destroy(&desk->source);
}

static void submit(const struct desk *desk, VkCommandBuffer commands)
{
    const VkSubmitInfo info = vulkan_submit_info(&commands);
    assert_int_equal(vkEndCommandBuffer(commands), VK_SUCCESS);
    assert_int_equal(vkQueueSubmit(desk->rig.engine.queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
}

static struct fovea_vk_frame frame_of(struct desk *desk)
{
    const struct fovea_gaze_sample sample = {
        .x = 0.4, .y = 0.6, .t_ns = fovea_time_ns(), .confidence = 1};
    struct fovea_vk_frame frame = {
        .struct_bytes = sizeof frame,
        .src = {.made = desk->images[0],
                .layout_before = VK_IMAGE_LAYOUT_GENERAL,
                .layout_after = VK_IMAGE_LAYOUT_GENERAL},
        .dst = {.made = desk->images[1], .layout_after = VK_IMAGE_LAYOUT_GENERAL}};
    assert_ok(fovea_gaze_source_push(desk->source, &sample));
    assert_ok(fovea_gaze_source_read(desk->source, fovea_time_ns(), 1, 1, &frame.gaze));
    return frame;
}

/* Nanoseconds of a frame, from the end of drawing. */
struct times {
    double kernels_begin, kernels_end, next;
    double kernels_begin_by_host;
};

static struct times times_of(struct desk *desk)
{
    struct fovea_vk *fovea = desk->rig.fovea;
    uint64_t ticks[2];
    assert_int_equal(vkGetQueryPoolResults(desk->rig.engine.device, desk->queries, 0, 2,
                                           sizeof ticks, ticks, sizeof ticks[0],
                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                     VK_SUCCESS);
    const uint32_t slot = (uint32_t)(fovea->frame % fovea->slot_count);
    const uint32_t *report =
        fovea->peer->api->late_block(fovea->peer) + (size_t)REPORT_WORDS * (slot + 1);
    const int64_t began = late_join(report[LATCHED_CLOCK_LOW], report[LATCHED_CLOCK_HIGH]);
    double kernels_us = 0;
    int64_t age_ns = 0, drawn_ns = 0;
    assert_ok(fovea->peer->api->elapsed(fovea->peer, slot, &kernels_us));
    assert_ok(fovea->peer->api->late_age(fovea->peer, slot, &age_ns));
    assert_true(
        vk_clock_to_host(&desk->clock, &fovea->device, ticks[0], fovea_time_ns(), &drawn_ns));
    const int64_t sample_ns = late_join(report[LATCHED_T_LOW], report[LATCHED_T_HIGH]);
    const double kernels_begin = (double)(began - (int64_t)ticks[0]);
    return (struct times){.kernels_begin = kernels_begin,
                          .kernels_end = kernels_begin + kernels_us * 1e3,
                          .next = (double)(ticks[1] - ticks[0]),
                          .kernels_begin_by_host = (double)(sample_ns + age_ns - drawn_ns)};
}

static struct times run_frame(struct desk *desk)
{
    struct engine *engine = &desk->rig.engine;
    VkImageLayout layout;
    assert_ok(fovea_vk_image_acquire(desk->images[0], &layout));
    VkCommandBuffer before = engine_begin(engine);
    vkCmdResetQueryPool(before, desk->queries, 0, 2);
    engine_record_barrier(before, fovea_vk_image_handle(desk->images[0]), VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_GENERAL);
    vkCmdFillBuffer(before, desk->busy.buffer, 0, VK_WHOLE_SIZE, 0);
    vkCmdWriteTimestamp(before, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, desk->queries, 0);
    submit(desk, before);
    const struct fovea_vk_frame frame = frame_of(desk);
    assert_ok(fovea_vk_foveate(desk->rig.fovea, &frame));
    VkCommandBuffer after = engine_begin(engine);
    vkCmdWriteTimestamp(after, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, desk->queries, 1);
    submit(desk, after);
    engine_idle(engine);
    const VkCommandBuffer both[] = {before, after};
    vkFreeCommandBuffers(engine->device, engine->pool, 2, both);
    assert_ok(fovea_vk_image_release(desk->images[1], VK_IMAGE_LAYOUT_GENERAL));
    return times_of(desk);
}

static double percentile_us(double *values, int percent)
{
    return quantile(values, FRAMES, percent / 100.0) * 1e-3;
}

static void measure(uint32_t width_px, uint32_t height_px)
{
    static double to[FRAMES], by_host[FRAMES], kernels[FRAMES], back[FRAMES];
    struct desk desk = {0};
    stuck_step("%ux%u: devices and contexts are made", width_px, height_px);
    open_desk(&desk, width_px, height_px);
    stuck_step("%ux%u: frames", width_px, height_px);
    for (int i = -WARM_UP; i < FRAMES; i++) {
        const struct times times = run_frame(&desk);
        if (i >= 0) {
            to[i] = times.kernels_begin;
            by_host[i] = times.kernels_begin_by_host;
            kernels[i] = times.kernels_end - times.kernels_begin;
            back[i] = times.next - times.kernels_end;
        }
    }
    const double to_us = percentile_us(to, 50), back_us = percentile_us(back, 50);
    printf("report: hand-over, %ux%u, of %d frames: to the first kernel %.1f us p50, %.1f p99 "
           "(%.1f by the host's clock); kernels %.1f; from the last kernel %.1f p50, %.1f p99\n",
           width_px, height_px, FRAMES, to_us, percentile_us(to, 99), percentile_us(by_host, 50),
           percentile_us(kernels, 50), back_us, percentile_us(back, 99));
    /* Both clocks are the GPU's nanoseconds, or no sense can be made of them. */
    assert_true(to_us > 0.0 && back_us > 0.0);
    stuck_step("%ux%u: all is destroyed", width_px, height_px);
    close_desk(&desk);
    stuck_step("the next size");
}

static void a_frame_goes_to_cuda_and_comes_back(void **state)
{
    measure(1920, 1080);
    measure(3840, 2160);
}

int main(int argc, char **argv)
{
    char *arguments[] = {argv[0], "cuda", NULL};
    stuck_watch(30.0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_frame_goes_to_cuda_and_comes_back)};
    return RIG_RUN(2, arguments, tests);
}
