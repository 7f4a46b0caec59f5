/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What happens between the queue and a peer, and that these tests would notice if it did not: the
 * host peer stands in CUDA's role, and is broken in one way at a time. */

#include "cmocka_all.h"
#include "compare.h"
#include "frame.h"
#include "peer_host.h"
#include "stereo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WIDTH_PX 64
#define HEIGHT_PX 48
static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

/* ---- A peer that passes everything on to the host peer, but for one fault ---- */

enum fault {
    NO_FAULT,
    NEVER_SIGNALS, /* takes the job and does nothing */
    FORGETS_TO_WAIT, /* works before the queue has drawn */
    REFUSES, /* enqueue fails */
    WRONG_IMAGE /* does not read what the engine drew */
};

struct faulty_peer {
    struct peer base;
    struct peer_api api;
    struct peer *host;
    enum fault fault;
    int abandoned;
    int jobs;
};

static struct faulty_peer *the_peer;

static struct faulty_peer *faulty(struct peer *peer)
{
    return (struct faulty_peer *)peer;
}

static void destroy(struct peer *peer)
{
    faulty(peer)->host->api->destroy(faulty(peer)->host);
    free(peer);
}

static enum fovea_result import_image(struct peer *peer, const struct peer_image_desc *desc,
                                      struct peer_image **out_image)
{
    struct faulty_peer *self = faulty(peer);
    return self->host->api->import_image(self->host, desc, out_image);
}

static void forget_image(struct peer *peer, struct peer_image **image)
{
    faulty(peer)->host->api->forget_image(faulty(peer)->host, image);
}

static enum fovea_result import_semaphore(struct peer *peer, const struct peer_semaphore_desc *desc,
                                          struct peer_semaphore **out_semaphore)
{
    return faulty(peer)->host->api->import_semaphore(faulty(peer)->host, desc, out_semaphore);
}

static void forget_semaphore(struct peer *peer, struct peer_semaphore **semaphore)
{
    faulty(peer)->host->api->forget_semaphore(faulty(peer)->host, semaphore);
}

static enum fovea_result import_plan(struct peer *peer, const struct foveate_plan *plan,
                                     struct peer_plan **out_plan)
{
    return faulty(peer)->host->api->import_plan(faulty(peer)->host, plan, out_plan);
}

static void forget_plan(struct peer *peer, struct peer_plan **plan)
{
    faulty(peer)->host->api->forget_plan(faulty(peer)->host, plan);
}

static enum fovea_result enqueue(struct peer *peer, const struct peer_job *job)
{
    struct faulty_peer *self = faulty(peer);
    struct peer_job changed = *job;
    self->jobs++;
    switch (self->fault) {
    case NEVER_SIGNALS:
        return FOVEA_OK;
    case REFUSES:
        return FOVEA_ERROR_OUT_OF_MEMORY;
    case FORGETS_TO_WAIT:
        changed.wait_value = 0;
        break;
    case WRONG_IMAGE:
        changed.src = job->dst;
        break;
    default:
        break;
    }
    return self->host->api->enqueue(self->host, &changed);
}

static enum fovea_result elapsed(struct peer *peer, uint32_t slot, double *out_us)
{
    return faulty(peer)->host->api->elapsed(faulty(peer)->host, slot, out_us);
}

static void drain(struct peer *peer)
{
    faulty(peer)->host->api->drain(faulty(peer)->host);
}

static void abandon(struct peer *peer)
{
    faulty(peer)->abandoned++;
    faulty(peer)->host->api->abandon(faulty(peer)->host);
}

static enum fovea_result make_faulty(struct fovea_vk *fovea, void *user)
{
    static const struct peer_api api = {.name = "stand-in",
                                        .backend = FOVEA_BACKEND_CPU,
                                        .destroy = destroy,
                                        .import_image = import_image,
                                        .forget_image = forget_image,
                                        .import_semaphore = import_semaphore,
                                        .forget_semaphore = forget_semaphore,
                                        .import_plan = import_plan,
                                        .forget_plan = forget_plan,
                                        .enqueue = enqueue,
                                        .elapsed = elapsed,
                                        .drain = drain,
                                        .abandon = abandon};
    struct faulty_peer *peer = calloc(1, sizeof *peer);
    assert_non_null(peer);
    peer->base.api = &api;
    peer->fault = *(enum fault *)user;
    assert_int_equal(peer_host_create(&fovea->device, fovea->slot_count, 1, &peer->host), FOVEA_OK);
    fovea->peer = &peer->base;
    fovea->backend = FOVEA_BACKEND_CPU;
    the_peer = peer;
    return FOVEA_OK;
}

/* ---- A rig with it ---- */

struct log_count {
    int warnings;
    char last[256];
};

static void count_log(void *user, enum fovea_log_level level, const char *message)
{
    struct log_count *count = user;
    if (level >= FOVEA_LOG_WARNING) {
        count->warnings++;
        snprintf(count->last, sizeof count->last, "%s", message);
    }
}

struct bench {
    struct rig rig;
    struct log_count log;
    struct test_image src;
    struct test_image dst;
    double *expected;
};

static void open_bench(struct bench *bench, enum fault fault)
{
    *bench = (struct bench){0};
    struct engine_options options = {.host_signals = true};
    assert_true(engine_open(&bench->rig.engine, &options));
    bench->rig.settings = rig_settings();
    bench->rig.settings.watchdog_ms = 200;
    struct fovea_vk_desc desc = engine_fovea_desc(&bench->rig.engine, &bench->rig.settings);
    desc.log = (struct fovea_log){count_log, &bench->log, FOVEA_LOG_DEBUG};
    assert_int_equal(frame_create(&desc, make_faulty, &fault, &bench->rig.fovea), FOVEA_OK);
    bench->src = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    bench->dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    image_draw(&bench->src.view, IMAGE_RANDOM, 3);
    struct foveate_plan *plan = NULL;
    assert_int_equal(
        foveate_plan_create(&bench->rig.settings.foveation, WIDTH_PX, HEIGHT_PX, &plan), FOVEA_OK);
    struct foveate_frame frame = foveate_frame_make(plan, (struct fovea_point_uv){0.5, 0.5});
    bench->expected = compare_expected(&bench->rig.settings.foveation, &bench->src.view, &frame);
    foveate_plan_destroy(&plan);
}

static void close_bench(struct bench *bench)
{
    free(bench->expected);
    image_free(&bench->src);
    image_free(&bench->dst);
    rig_close(&bench->rig);
}

static enum fovea_result one_frame(struct bench *bench, enum rig_path path)
{
    return rig_frame(&bench->rig, path, format, &bench->src.view, rig_gaze(0.5, 0.5),
                     &bench->dst.view);
}

static bool is_the_reference(const struct bench *bench)
{
    for (uint32_t y = 0; y < HEIGHT_PX; y++) {
        for (uint32_t x = 0; x < WIDTH_PX; x++) {
            for (uint32_t c = 0; c < 4; c++) {
                double off = image_get(&bench->dst.view, x, y, c) -
                             bench->expected[(y * WIDTH_PX + x) * 4 + c];
                if (off > 1.0 || off < -1.0) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* ---- Tests ---- */

static void a_good_stand_in_makes_the_reference(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, NO_FAULT);
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        assert_int_equal(one_frame(&bench, (enum rig_path)path), FOVEA_OK);
        assert_true(is_the_reference(&bench));
    }
    assert_int_equal(the_peer->jobs, RIG_PATH_COUNT);
    assert_int_equal(bench.rig.fovea->link.value, 2 * RIG_PATH_COUNT);
    uint64_t counter = 0;
    assert_int_equal(vkGetSemaphoreCounterValue(bench.rig.engine.device,
                                                bench.rig.fovea->link.semaphore, &counter),
                     VK_SUCCESS);
    assert_int_equal(counter, 2 * RIG_PATH_COUNT);
    assert_int_equal(bench.log.warnings, 0);
    close_bench(&bench);
}

static void a_peer_that_never_signals_is_cut_loose(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, NEVER_SIGNALS);
    /* The engine's side of this frame ends, though the peer's never does: rig_frame waits for it. */
    assert_int_equal(one_frame(&bench, RIG_MADE_TO_MADE), FOVEA_OK);
    assert_int_equal(the_peer->abandoned, 1);
    assert_int_equal(bench.log.warnings, 1);
    assert_non_null(strstr(bench.log.last, "cut loose"));
    /* From then on the vulkan backend does it, and nothing more is said. */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(one_frame(&bench, i ? RIG_MADE_TO_MADE : RIG_ENGINE_TO_ENGINE), FOVEA_OK);
        assert_true(is_the_reference(&bench));
    }
    assert_int_equal(the_peer->jobs, 1);
    assert_int_equal(bench.log.warnings, 1);
    struct fovea_vk_stats stats;
    assert_int_equal(fovea_vk_get_stats(bench.rig.fovea, &stats), FOVEA_OK);
    assert_int_equal(stats.backend, FOVEA_BACKEND_VULKAN);
    close_bench(&bench);
}

static void a_peer_that_refuses_lets_the_engines_image_through(void **state)
{
    (void)state;
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        struct bench bench;
        open_bench(&bench, REFUSES);
        assert_int_equal(one_frame(&bench, (enum rig_path)path), FOVEA_PASSED_THROUGH);
        compare_assert_all_same(&bench.dst.view, &bench.src.view,
                                rig_path_name((enum rig_path)path));
        assert_int_equal(one_frame(&bench, (enum rig_path)path), FOVEA_OK);
        assert_true(is_the_reference(&bench));
        assert_int_equal(bench.log.warnings, 1);
        close_bench(&bench);
    }
}

/* Views where they are, and nothing else of dst; then the vulkan backend foveates them. */
static void a_peer_that_refuses_lets_views_through(void **state)
{
    (void)state;
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        struct bench bench;
        open_bench(&bench, REFUSES);
        struct stereo scene = stereo_side_by_side();
        scene.height_px = 60;
        struct test_image src = stereo_picture(&scene, IMAGE_RANDOM, 1);
        struct test_image dst = stereo_picture(&scene, IMAGE_RANDOM, 1);
        struct test_image expected = stereo_picture(&scene, IMAGE_RANDOM, 1);
        const bool in_place = path == RIG_ENGINE_IN_PLACE || path == RIG_MADE_IN_PLACE;
        image_fill(&dst.view, 77);
        if (!in_place) {
            image_fill(&expected.view, 77);
        }
        for (uint32_t i = 0; i < 2; i++) {
            const struct fovea_vk_view *view = &scene.views[i];
            stereo_copy(&src.view, view->x_px, 0, &expected.view, view->x_px, 0, view);
        }
        assert_int_equal(stereo_run(&bench.rig, &scene, (enum rig_path)path, &src.view, &dst.view),
                         FOVEA_PASSED_THROUGH);
        compare_assert_all_same(&dst.view, &expected.view, rig_path_name((enum rig_path)path));
        assert_int_equal(stereo_run(&bench.rig, &scene, (enum rig_path)path, &src.view, &dst.view),
                         FOVEA_OK);
        assert_int_equal(bench.log.warnings, 1);
        image_free(&src);
        image_free(&dst);
        image_free(&expected);
        close_bench(&bench);
    }
}

/* Draws into src only after the frame was submitted: a peer that waits does not mind. */
static void run_late_engine(struct bench *bench)
{
    struct engine *engine = &bench->rig.engine;
    struct engine_image src = engine_image_create(engine, format, WIDTH_PX, HEIGHT_PX);
    struct engine_image dst = engine_image_create(engine, format, WIDTH_PX, HEIGHT_PX);
    struct engine_buffer pixels = engine_buffer_create(engine, 4 * WIDTH_PX * HEIGHT_PX);
    memcpy(pixels.mapped, bench->src.view.data, 4 * WIDTH_PX * HEIGHT_PX);
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore go = VK_NULL_HANDLE;
    assert_int_equal(vkCreateSemaphore(engine->device, &info, NULL, &go), VK_SUCCESS);
    VkCommandBuffer commands = engine_begin(engine);
    engine_record_upload(commands, src.image, WIDTH_PX, HEIGHT_PX, pixels.buffer, 0,
                         VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    engine_submit(engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    struct fovea_vk_semaphore wait = {go, 1};
    struct fovea_vk_frame_image end = {.format = format,
                                       .width_px = WIDTH_PX,
                                       .height_px = HEIGHT_PX,
                                       .layout_before = VK_IMAGE_LAYOUT_GENERAL,
                                       .layout_after = VK_IMAGE_LAYOUT_GENERAL,
                                       .queue_family = VK_QUEUE_FAMILY_IGNORED};
    struct fovea_vk_frame frame = {
        .src = end, .dst = end, .waits = &wait, .wait_count = 1, .gaze = rig_gaze(0.5, 0.5)};
    frame.src.image = src.image;
    frame.dst.image = dst.image;
    frame.dst.layout_before = VK_IMAGE_LAYOUT_UNDEFINED;
    assert_int_equal(fovea_vk_foveate(bench->rig.fovea, &frame), FOVEA_OK);
    struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
    VkSemaphoreSignalInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = go, .value = 1};
    assert_int_equal(vkSignalSemaphore(engine->device, &signal), VK_SUCCESS);
    engine_idle(engine);
    engine_read(engine, dst.image, WIDTH_PX, HEIGHT_PX, format, bench->dst.view.data,
                VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    vkDestroySemaphore(engine->device, go, NULL);
    engine_buffer_destroy(engine, &pixels);
    engine_image_destroy(engine, &src);
    engine_image_destroy(engine, &dst);
}

static void a_peer_that_forgets_to_wait_is_noticed(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, NO_FAULT);
    run_late_engine(&bench);
    assert_true(is_the_reference(&bench));
    close_bench(&bench);
    open_bench(&bench, FORGETS_TO_WAIT);
    run_late_engine(&bench);
    assert_false(is_the_reference(&bench));
    (void)engine_take_messages(&bench.rig.engine); /* its signal came before the queue's */
    close_bench(&bench);
}

static void a_peer_that_reads_the_wrong_image_is_noticed(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, WRONG_IMAGE);
    assert_int_equal(one_frame(&bench, RIG_ENGINE_TO_ENGINE), FOVEA_OK);
    assert_false(is_the_reference(&bench));
    close_bench(&bench);
}

static void a_wrong_layout_is_noticed_by_validation(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, NO_FAULT);
    struct engine *engine = &bench.rig.engine;
    if (!engine->validation) {
        close_bench(&bench);
        skip();
    }
    struct engine_image image = engine_image_create(engine, format, WIDTH_PX, HEIGHT_PX);
    engine_write(engine, image.image, WIDTH_PX, HEIGHT_PX, format, bench.src.view.data,
                 VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    assert_int_equal(engine_take_messages(engine), 0);
    struct fovea_vk_frame_image end = {.image = image.image,
                                       .format = format,
                                       .width_px = WIDTH_PX,
                                       .height_px = HEIGHT_PX,
                                       .layout_before = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                       .layout_after = VK_IMAGE_LAYOUT_GENERAL,
                                       .queue_family = VK_QUEUE_FAMILY_IGNORED};
    struct fovea_vk_frame frame = {.src = end, .dst = end, .gaze = rig_gaze(0.5, 0.5)};
    assert_int_equal(fovea_vk_foveate(bench.rig.fovea, &frame), FOVEA_OK);
    engine_idle(engine);
    assert_true(engine_take_messages(engine) > 0);
    engine_image_destroy(engine, &image);
    close_bench(&bench);
}

static void a_context_can_go_while_its_peer_is_stuck(void **state)
{
    (void)state;
    struct bench bench;
    open_bench(&bench, NEVER_SIGNALS);
    struct engine *engine = &bench.rig.engine;
    struct engine_image image = engine_image_create(engine, format, WIDTH_PX, HEIGHT_PX);
    engine_write(engine, image.image, WIDTH_PX, HEIGHT_PX, format, bench.src.view.data,
                 VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    struct fovea_vk_frame_image end = {.image = image.image,
                                       .format = format,
                                       .width_px = WIDTH_PX,
                                       .height_px = HEIGHT_PX,
                                       .layout_before = VK_IMAGE_LAYOUT_GENERAL,
                                       .layout_after = VK_IMAGE_LAYOUT_GENERAL,
                                       .queue_family = VK_QUEUE_FAMILY_IGNORED};
    struct fovea_vk_frame frame = {.src = end, .dst = end, .gaze = rig_gaze(0.5, 0.5)};
    assert_int_equal(fovea_vk_foveate(bench.rig.fovea, &frame), FOVEA_OK);
    fovea_vk_destroy(&bench.rig.fovea);
    assert_null(bench.rig.fovea);
    engine_idle(engine);
    engine_image_destroy(engine, &image);
    close_bench(&bench);
}

int main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (!rig_available()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_stand_in_makes_the_reference),
        cmocka_unit_test(a_peer_that_never_signals_is_cut_loose),
        cmocka_unit_test(a_peer_that_refuses_lets_the_engines_image_through),
        cmocka_unit_test(a_peer_that_refuses_lets_views_through),
        cmocka_unit_test(a_peer_that_forgets_to_wait_is_noticed),
        cmocka_unit_test(a_peer_that_reads_the_wrong_image_is_noticed),
        cmocka_unit_test(a_wrong_layout_is_noticed_by_validation),
        cmocka_unit_test(a_context_can_go_while_its_peer_is_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
