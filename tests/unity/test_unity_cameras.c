/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Several cameras in Unity's place (host.h): what is said of each, what each costs, and an event
 * that comes while the device goes. */

#include "cmocka_all.h"
#include "scene.h"

#include <time.h>

SCENE_TEST(a_trouble_is_said_once_beside_a_camera_that_works)
{
    struct fovea_unity_block good = host_block(&scene->texture, 0.1, 0.1);
    struct fovea_unity_block bad = good;
    bad.camera = 2;
    bad.texture = NULL;
    scene->host.number = 700;
    for (int i = 0; i < 10; i++) {
        host_frame_begin(&scene->host);
        host_event(&scene->host, FOVEA_UNITY_RECORD, &bad);
        host_frame_end(&scene->host);
        assert_true(scene_foveates(scene, &good, false));
    }
    assert_int_equal(scene_warnings(scene, NULL, 0), 1);
}

static int32_t frames_of(struct scene *scene, uint64_t camera, uint64_t *out_frames)
{
    struct fovea_unity_stats stats = {.struct_bytes = sizeof stats};
    const int32_t result = scene->host.plugin.stats(camera, &stats);
    *out_frames = stats.frames;
    return result;
}

/* Unity's frame numbers are even in the frames of one, odd in those of the other. */
TEST(cameras_that_take_turns_have_their_own_stats)
{
    struct scene scene;
    uint64_t frames = 0;
    scene_open(&scene, (struct host_options){0});
    struct fovea_unity_block first = host_block(&scene.texture, 0.1, 0.1);
    struct fovea_unity_block second = first;
    second.camera = 2;
    for (int i = 0; i < 64; i++) {
        assert_true(scene_foveates(&scene, &first, false));
        assert_true(scene_foveates(&scene, &second, false));
    }
    for (uint64_t camera = 1; camera <= 2; camera++) {
        assert_ok(frames_of(&scene, camera, &frames));
        assert_in_range(frames, 34, 64);
    }
    scene_release(&scene, 1);
    scene_release(&scene, 2);
    assert_int_equal(frames_of(&scene, 1, &frames), FOVEA_NOT_READY);
    assert_int_equal(frames_of(&scene, 2, &frames), FOVEA_NOT_READY);
    for (int i = 0; i < 100; i++) { /* in the place of the first one, now */
        assert_true(scene_foveates(&scene, &second, false));
    }
    assert_int_equal(frames_of(&scene, 1, &frames), FOVEA_NOT_READY);
    assert_ok(frames_of(&scene, 2, &frames));
    assert_in_range(frames, 70, 100);
    scene_close(&scene);
}

/* A frame's zoom is too small to be seen; all of them are not. */
SCENE_TEST(a_camera_that_zooms_needs_no_memory_in_each_frame)
{
    assert_ok(scene->host.plugin.set("foveation.model", "physical", NULL, 0));
    struct fovea_unity_block block = host_block(&scene->texture, 0.1, 0.1);
    int frames_with_memory = 0;
    for (int i = 0; i < 200; i++) {
        for (int edge = 0; edge < 4; edge++) {
            block.eye[0].tangents[edge] = 1.0f + (float)i * 1e-4f;
        }
        const uint32_t before = scene->host.allocated;
        (void)scene_foveates(scene, &block, false);
        frames_with_memory += scene->host.allocated != before;
    }
    assert_in_range(frames_with_memory, 1, 20);
}

/* ---- While the device goes ---- */

static struct fovea_unity_block late_block;
static pthread_t late_thread;

static void *late_event(void *user)
{
    struct host *host = user;
    void *pointer = host->plugin.event_function();
    unity_event_and_data_fn call = NULL;
    memcpy(&call, &pointer, sizeof call);
    call(host->plugin.event_base() + FOVEA_UNITY_RECORD, &late_block);
    return NULL;
}

static void start_late_event(struct host *host)
{
    const struct timespec time = {.tv_nsec = 50000000L};
    host->on_wait = NULL;
    assert_int_equal(pthread_create(&late_thread, NULL, late_event, host), 0);
    nanosleep(&time, NULL);
}

/* The host fails the test if the event calls Unity. */
SCENE_TEST(an_event_on_another_thread_finds_the_device_gone)
{
    late_block = host_block(&scene->texture, 0.1, 0.1);
    assert_true(scene_foveates(scene, &late_block, false));
    scene->host.on_wait = start_late_event;
    host_shutdown(&scene->host);
    assert_int_equal(pthread_join(late_thread, NULL), 0);
    host_initialize(&scene->host);
    assert_true(scene_foveates(scene, &late_block, false));
}
