/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Late gazes while samples pour in: none is mixed of two, and frames start with younger ones. */

#include "clock.h"
#include "desk.h"
#include "stuck.h"

struct pour {
    struct fovea_gaze_source *source;
    atomic_bool done;
    _Atomic uint64_t count;
};

/* x and y are the same: a mixture of two samples shows. */
static void *pour(void *user)
{
    struct pour *p = user;
    for (uint64_t i = 0; !atomic_load(&p->done); i++) {
        const double at = (double)(i * 7919 % 65536) / 65536.0;
        const struct fovea_gaze_sample sample = {
            .x = at, .y = at, .t_ns = fovea_time_ns(), .confidence = 1};
        (void)!fovea_gaze_source_push(p->source, &sample);
        atomic_fetch_add(&p->count, 1);
    }
    return NULL;
}

TEST(no_frame_mixes_two_samples)
{
    struct fovea_settings settings = late_settings();
    settings.foveation.paper.fragment_px = 64; /* the less to do for each frame */
    struct desk desk;
    stuck_step("mixes: devices and contexts are made");
    desk_open(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    stuck_step("mixes: frames while samples pour in");
    struct frame_late *late = &desk.rig.fovea->late;
    struct pour p = {.source = desk.source};
    const pthread_t thread = test_thread(pour, &p);
    unsigned taken = 0;
    const int64_t end_ns = fovea_time_ns() + 1500 * MS;
    while (fovea_time_ns() < end_ns) {
        const struct fovea_vk_frame frame = desk_frame_of(&desk, rig_gaze(0.5, 0.25));
        assert_ok(fovea_vk_foveate(desk.rig.fovea, &frame));
        engine_idle(&desk.rig.engine);
        const uint32_t slot = (uint32_t)(desk.rig.fovea->frame % desk.rig.fovea->slot_count);
        const uint32_t *latched = (const uint32_t *)late->latched.mapped + 64 * (size_t)slot;
        const bool took = latched[LATCHED_TAKEN] == 1;
        taken += took;
        assert_that(!took || latched[LATCHED_GAZE_X] == latched[LATCHED_GAZE_Y], "x is %u, y is %u",
                    latched[LATCHED_GAZE_X], latched[LATCHED_GAZE_Y]);
    }
    stuck_step("mixes: all is let go");
    atomic_store(&p.done, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (rig_backend() != FOVEA_BACKEND_CUDA) { /* which keeps its latches to itself */
        assert_true(taken > 0);
    }
    desk_close(&desk);
}

TEST(a_source_is_let_go_while_samples_pour_in)
{
    const struct fovea_settings settings = late_settings();
    struct desk desk;
    stuck_step("let go: a device, a context and a frame");
    desk_open(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    desk_queue(&desk, desk_frame_of(&desk, rig_gaze(0.5, 0.5)));
    desk_start(&desk);
    struct pour p = {.source = desk.source};
    const pthread_t thread = test_thread(pour, &p);
    stuck_step("let go: the source is followed and not, by turns");
    for (int i = 0; i < 2000; i++) {
        assert_ok(fovea_vk_follow_gaze(desk.rig.fovea, i % 2 ? desk.source : NULL));
    }
    /* The context goes, the source stays. */
    struct desk second;
    stuck_step("let go: another context");
    desk_open(&second, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    assert_ok(fovea_vk_follow_gaze(desk.rig.fovea, NULL));
    assert_ok(fovea_vk_follow_gaze(second.rig.fovea, desk.source));
    desk_queue(&second, desk_frame_of(&second, rig_gaze(0.5, 0.5)));
    desk_start(&second);
    desk_close(&second);
    stuck_step("let go: the source goes on");
    const uint64_t count = atomic_load(&p.count);
    while (atomic_load(&p.count) < count + 1000) {
    }
    atomic_store(&p.done, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    desk_close(&desk);
}

/* FOVEA_LATE_HZ, for other trackers; else 1000. */
static int64_t source_hz(void)
{
    const char *hz = getenv("FOVEA_LATE_HZ");
    return hz ? atoi(hz) : 1000;
}

static void *push_at_source_hz(void *user)
{
    struct pour *p = user;
    const int64_t begin_ns = fovea_time_ns();
    for (int64_t i = 1; !atomic_load(&p->done); i++) {
        gaze_push(p->source, 0.4, 0.6, fovea_time_ns());
        while (fovea_time_ns() < begin_ns + i * 1000 * MS / source_hz()) {
            rest_ms(1);
        }
    }
    return NULL;
}

/* Frames as fast as the queue takes them, which is as deep as the context allows. Without late
 * gazes: a source is followed that says nothing, so that every frame starts with its own sample. */
static double measure_ms(bool newest, double *out_p99_ms)
{
    const struct fovea_settings settings = late_settings();
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    struct desk desk;
    stuck_step("ages: %s", newest ? "late" : "not late");
    desk_open(&desk, &settings, VK_FORMAT_R8G8B8A8_UNORM);
    desk_close_images(&desk);
    desk_open_images(&desk, 1280, 720);
    struct fovea_gaze_source *silent_one = gaze_open(FOVEA_GAZE_MOUSE);
    assert_ok(fovea_vk_follow_gaze(desk.rig.fovea, newest ? desk.source : silent_one));
    struct pour p = {.source = desk.source};
    const pthread_t thread = test_thread(push_at_source_hz, &p);
    const int64_t end_ns = fovea_time_ns() + 1500 * MS;
    while (fovea_time_ns() < end_ns) {
        struct fovea_gaze gaze;
        assert_ok(fovea_gaze_source_read(desk.source, fovea_time_ns(), 1280, 720, &gaze));
        const struct fovea_vk_frame frame = desk_frame_of(&desk, gaze);
        (void)!fovea_vk_foveate(desk.rig.fovea, &frame); /* NOT_READY: the queue is full */
    }
    atomic_store(&p.done, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    engine_idle(&desk.rig.engine);
    assert_ok(fovea_vk_get_stats(desk.rig.fovea, &stats));
    assert_ok(fovea_vk_follow_gaze(desk.rig.fovea, NULL));
    fovea_gaze_source_destroy(&silent_one);
    desk_close(&desk);
    *out_p99_ms = stats.late_age_p99_ms;
    return stats.late_age_p50_ms;
}

/* A measurement for docs/gaze.md. */
TEST(late_gazes_are_younger)
{
    double own_p99_ms = 0;
    double late_p99_ms = 0;
    const double own_ms = measure_ms(false, &own_p99_ms);
    const double late_ms = measure_ms(true, &late_p99_ms);
    printf("report: %s: age of the sample when frames start, 1280x720, 3 in flight, source of %lld "
           "Hz: "
           "%.3f ms p50, %.3f p99; late %.3f ms p50, %.3f p99\n",
           rig_backend_name(), (long long)source_hz(), own_ms, own_p99_ms, late_ms, late_p99_ms);
    assert_true(late_ms <= own_ms + 1.0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "cuda") == 0 || strcmp(argv[1], "nvidia") == 0)) {
        stuck_watch(15.0); /* other devices may be slow */
    }
    return rig_run_tests(argc, argv);
}
