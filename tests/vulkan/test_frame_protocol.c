/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Shows what happens between the queue and a peer: the host peer stands in CUDA's role, and is
 * broken in one way at a time. */

#include "clock.h"
#include "cmocka_all.h"
#include "compare.h"
#include "sanitized.h"
#include "stand_in.h"
#include "stereo.h"

#define WIDTH_PX STAND_IN_WIDTH_PX
#define HEIGHT_PX STAND_IN_HEIGHT_PX
static const VkFormat format = STAND_IN_FORMAT;

static enum fovea_result one_frame(struct bench *bench, enum rig_path path)
{
    return rig_frame(&bench->rig, path, format, &bench->src.view, rig_gaze(0.5, 0.5),
                     &bench->dst.view);
}

/* With a peer that will not do its job: it need not be given the two seconds that a slow one is. */
static void open_stuck(struct bench *bench, enum fault fault)
{
    open_bench(bench, fault, NULL);
    bench->rig.fovea->watchdog.patience_ms = 300;
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

TEST(a_good_stand_in_makes_the_reference)
{
    OWNED(close_bench) struct bench bench;
    open_bench(&bench, NO_FAULT, NULL);
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        assert_ok(one_frame(&bench, (enum rig_path)path));
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
}

TEST(a_peer_that_never_signals_is_cut_loose)
{
    OWNED(close_bench) struct bench bench;
    open_stuck(&bench, NEVER_SIGNALS);
    /* The engine's side of this frame ends, though the peer's never does: rig_frame waits for
     * it. */
    assert_ok(one_frame(&bench, RIG_MADE_TO_MADE));
    assert_int_equal(the_peer->abandoned, 1);
    bench_expect_warnings(&bench, 1);
    assert_non_null(strstr(bench.log.last, "cut loose"));
    /* After that the vulkan backend does it, and nothing more is said. */
    for (int i = 0; i < 3; i++) {
        assert_ok(one_frame(&bench, i ? RIG_MADE_TO_MADE : RIG_ENGINE_TO_ENGINE));
        assert_true(is_the_reference(&bench));
    }
    assert_int_equal(the_peer->jobs, 1);
    assert_int_equal(bench.log.warnings, 1);
    const struct fovea_vk_stats stats = rig_stats(&bench.rig);
    assert_int_equal(stats.backend, FOVEA_BACKEND_VULKAN);
}

/* The first view of a job was launched, the second was not: whatever the first writes lands before
 * the engine's image is copied there, whether the peer can still say when that is or not. Frames
 * after it are right. */
TEST(late_writes_of_a_job_that_failed_are_not_shown)
{
    static const enum fault faults[] = {FAILS_HALF_WAY, FAILS_HALF_WAY_SILENTLY};
    for (int i = 0; i < 2; i++) {
        for (int path = 0; path < RIG_PATH_COUNT; path++) {
            if (!test_turn(path, RIG_PATH_COUNT, 4)) {
                continue;
            }
            OWNED(close_bench) struct bench bench;
            open_bench(&bench, faults[i], NULL);
            bench.rig.fovea->watchdog.patience_ms = 1000; /* several times as late as it writes */
            assert_int_equal(one_frame(&bench, (enum rig_path)path), FOVEA_PASSED_THROUGH);
            assert_true(
                atomic_load(&the_peer->late_over)); /* the frame is over, and was after it */
            compare_assert_all_same(&bench.dst.view, &bench.src.view,
                                    rig_path_name((enum rig_path)path));
            for (int n = 0; n < 3; n++) {
                assert_ok(one_frame(&bench, (enum rig_path)path));
                assert_true(is_the_reference(&bench));
            }
            assert_int_equal(the_peer->jobs, 1);
        }
    }
}

/* Cut loose, it may still come to its job at any time. Frames are copied to scratch that it does
 * not know. */
TEST(late_writes_of_a_stuck_job_find_nothing_that_is_used)
{
    OWNED(close_bench) struct bench bench;
    open_stuck(&bench, NEVER_SIGNALS);
    assert_ok(one_frame(&bench, RIG_ENGINE_TO_ENGINE));
    const struct stand_in_image written = the_peer->dst;
    assert_non_null(written.mapped);
    struct engine_image image;
    const struct fovea_vk_frame frame = bench_frame_in_place(&bench, &image);
    for (int i = 0; i < 3; i++) {
        assert_ok(fovea_vk_foveate(bench.rig.fovea, &frame));
        for (int n = 0; n < FRAME_MAX_SCRATCH; n++) {
            const struct frame_scratch *scratch = &bench.rig.fovea->scratch[n];
            const bool used = scratch->last_frame == bench.rig.fovea->frame;
            assert_false(used && (scratch->dst.peer || scratch->src.peer));
        }
        stand_in_spoil(&written);
        engine_idle(&bench.rig.engine);
    }
    engine_image_destroy(&bench.rig.engine, &image);
}

static int count_known(const struct fovea_vk *fovea)
{
    int count = 0;
    for (int i = 0; i < FRAME_MAX_SCRATCH; i++) {
        count += fovea->scratch[i].src.peer || fovea->scratch[i].dst.peer;
    }
    for (int i = 0; i < FRAME_MAX_PLANS; i++) {
        count += fovea->plans[i].peer != NULL;
    }
    return count;
}

static void draw_until_old_things_go(struct bench *bench, const struct fovea_vk_frame *frame)
{
    for (int i = 0; i < FRAME_PLAN_KEPT_FRAMES + 4 * FRAME_FORGET_EVERY; i++) {
        assert_ok(fovea_vk_foveate(bench->rig.fovea, frame));
        engine_idle(&bench->rig.engine);
    }
}

/* The stuck job may be in its scratch and its plan: these stay until it is over, and no frame waits
 * for that. */
TEST(no_frame_waits_for_a_stuck_job_to_free_what_it_uses)
{
    OWNED(close_bench) struct bench bench;
    open_stuck(&bench, NEVER_SIGNALS);
    assert_ok(one_frame(&bench, RIG_ENGINE_TO_ENGINE));
    struct fovea_vk *fovea = bench.rig.fovea;
    fovea->settings.foveation.strength *= 0.5; /* frames have a plan of their own from now on */
    const int known = count_known(fovea);
    assert_int_equal(known, 2);
    struct engine_image image;
    const struct fovea_vk_frame frame = bench_frame_in_place(&bench, &image);
    draw_until_old_things_go(&bench, &frame);
    assert_int_equal(count_known(fovea), known);
    assert_int_equal(the_peer->drained, 0);
    atomic_store(&the_peer->over, atomic_load(&fovea->watchdog.given));
    draw_until_old_things_go(&bench, &frame);
    assert_int_equal(count_known(fovea), 0);
    engine_image_destroy(&bench.rig.engine, &image);
}

/* A job before may be under way: it will not signal, and the queue does not wait for the watchdog's
 * patience. */
static void lose_the_device(enum fault fault)
{
    OWNED(close_bench) struct bench bench;
    open_bench(&bench, fault, NULL);
    bench.rig.fovea->watchdog.patience_ms = 1e9;
    struct engine_image image;
    const struct fovea_vk_frame frame = bench_frame_in_place(&bench, &image);
    const int64_t start_ns = fovea_time_ns();
    assert_ok(fovea_vk_foveate(bench.rig.fovea, &frame));
    the_peer->fault = LOSES_ITS_DEVICE;
    assert_int_equal(fovea_vk_foveate(bench.rig.fovea, &frame), FOVEA_PASSED_THROUGH);
    engine_idle(&bench.rig.engine);
    assert_true(fovea_time_ns() - start_ns < 5 * INT64_C(1000000000));
    assert_int_equal(the_peer->abandoned, 0);
    assert_int_equal(bench.log.warnings, 1);
    assert_non_null(strstr(bench.log.last, "the vulkan backend takes over"));
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        assert_ok(one_frame(&bench, (enum rig_path)path));
        assert_true(is_the_reference(&bench));
    }
    const struct fovea_vk_stats stats = rig_stats(&bench.rig);
    assert_int_equal(stats.backend, FOVEA_BACKEND_VULKAN);
    assert_non_null(strstr(stats.backend_reason, "has lost its device"));
    engine_image_destroy(&bench.rig.engine, &image);
}

TEST(a_peer_that_loses_its_device_holds_nobody_up)
{
    lose_the_device(NEVER_SIGNALS);
}

/* Such a peer cannot be seen to be stuck, but what a loss means is known. */
TEST(a_peer_that_says_nothing_and_loses_its_device_holds_nobody_up)
{
    lose_the_device(NEVER_SIGNALS_NOR_SAYS);
}

/* Images of the engine's are made without it, and no frame is lost. */
TEST(a_peer_that_loses_its_device_while_images_are_made_is_done_without)
{
    static const enum rig_path paths[] = {RIG_MADE_TO_MADE, RIG_ENGINE_TO_ENGINE,
                                          RIG_ENGINE_TO_MADE};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        OWNED(close_bench) struct bench bench;
        open_bench(&bench, LOSES_ITS_DEVICE, NULL);
        assert_ok(one_frame(&bench, paths[i]));
        assert_true(is_the_reference(&bench));
        assert_int_equal(the_peer->jobs, 0);
        assert_int_equal(bench.log.warnings, 1);
        assert_non_null(strstr(bench.log.last, "the vulkan backend takes over"));
        assert_ok(one_frame(&bench, paths[i]));
        assert_int_equal(bench.log.warnings, 1);
    }
}

/* Views where they are, and nothing else of dst; then the vulkan backend foveates them. */
TEST(a_peer_that_refuses_lets_views_through)
{
    for (int path = test_first(RIG_PATH_COUNT); path < RIG_PATH_COUNT; path += TEST_STEP(path)) {
        OWNED(close_bench) struct bench bench;
        open_bench(&bench, REFUSES, NULL);
        struct stereo scene = stereo_side_by_side();
        scene.height_px = 60;
        OWNED_IMAGE src = stereo_picture(&scene, IMAGE_RANDOM, 1);
        OWNED_IMAGE dst = stereo_picture(&scene, IMAGE_RANDOM, 1);
        OWNED_IMAGE expected = stereo_picture(&scene, IMAGE_RANDOM, 1);
        const bool in_place = rig_in_place((enum rig_path)path);
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
        assert_ok(stereo_run(&bench.rig, &scene, (enum rig_path)path, &src.view, &dst.view));
        assert_int_equal(bench.log.warnings, 1);
    }
}

TEST(a_context_can_go_while_its_peer_is_stuck)
{
    OWNED(close_bench) struct bench bench;
    open_stuck(&bench, NEVER_SIGNALS);
    struct engine *engine = &bench.rig.engine;
    struct engine_image image;
    const struct fovea_vk_frame frame = bench_frame_in_place(&bench, &image);
    assert_ok(fovea_vk_foveate(bench.rig.fovea, &frame));
    fovea_vk_destroy(&bench.rig.fovea);
    assert_null(bench.rig.fovea);
    engine_idle(engine);
    engine_image_destroy(engine, &image);
}

int main(int argc, char **argv)
{
    if (!rig_available()) {
        return 77;
    }
    return tests_run(NULL, NULL);
}
