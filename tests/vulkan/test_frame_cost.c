/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* auto chooses between a peer and the vulkan backend: threads of the host stand in for any peer,
 * and are slowed down or broken. Nothing here is about how fast anything is. */

#include "cache_folder.h"
#include "cmocka_all.h"
#include "plugin/frame/create/frame_cost.h"
#include "plugin/frame/frame.h"
#include "rig.h"
#include "vulkan/interop/peer_host.h"

#include <time.h>

/* More than any device here needs for a frame of a trial. */
#define SLOW_MS 200

/* ---- Peers ---- */

enum manner { AS_IT_IS, SLOW, REFUSES, NEVER_SIGNALS, KNOWS_NO_IMAGES };

static const struct peer_api *original;
static struct peer_api changed;
static enum manner manner;
static int jobs;
static int peers;

static enum fovea_result enqueue(struct peer *peer, const struct peer_job *job,
                                 enum peer_answer *out_answer)
{
    const struct timespec pause = {.tv_nsec = SLOW_MS * 1000000L};
    jobs++;
    *out_answer = PEER_SIGNALS;
    if (manner == REFUSES) {
        *out_answer = PEER_IS_STILL;
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    if (manner == NEVER_SIGNALS) {
        return FOVEA_OK;
    }
    if (manner == SLOW) {
        nanosleep(&pause, NULL);
    }
    return original->enqueue(peer, job, out_answer);
}

static enum fovea_result import_image(struct peer *peer, const struct peer_image_desc *desc,
                                      struct peer_image **out_image)
{
    return manner == KNOWS_NO_IMAGES ? FOVEA_ERROR_UNSUPPORTED
                                     : original->import_image(peer, desc, out_image);
}

static enum fovea_result make_peer(struct fovea_vk *fovea, void *user)
{
    const enum fovea_result result =
        peer_host_create(&fovea->device, fovea->slot_count, 1, &fovea->peer);
    assert_ok(result);
    original = fovea->peer->api;
    changed = *original;
    changed.enqueue = enqueue;
    changed.import_image = import_image;
    fovea->peer->api = &changed;
    fovea->backend = FOVEA_BACKEND_CPU;
    snprintf(fovea->reason, sizeof fovea->reason, "the usual order");
    peers++;
    return FOVEA_OK;
}

/* ---- Contexts ---- */

struct said {
    int count[4];
    char reason[256]; /* of the line with the backend */
};

static void hear(void *user, enum fovea_log_level level, const char *message)
{
    struct said *said = user;
    said->count[level]++;
    if (level == FOVEA_LOG_INFO && strncmp(message, "backend ", 8) == 0) {
        snprintf(said->reason, sizeof said->reason, "%s", message);
    }
}

static struct rig rig;
static struct said said;

static int open_engine(void **state)
{
    const struct engine_options options = {.host_signals = rig_backend() == FOVEA_BACKEND_CPU,
                                           .nvidia = rig_backend() == FOVEA_BACKEND_CUDA};
    rig = (struct rig){.settings = fovea_settings_default()};
    rig.settings.foveation.method = FOVEA_METHOD_BLOCKWISE;
    rig.settings.watchdog_ms = 60000;
    manner = AS_IT_IS;
    jobs = peers = 0;
    return cache_folder_enter(state) == 0 && engine_open(&rig.engine, &options) ? 0 : -1;
}

static int close_engine(void **state)
{
    engine_expect_silence(&rig.engine);
    engine_close(&rig.engine);
    return cache_folder_leave(state);
}

static void create(void)
{
    struct fovea_vk_desc desc = engine_fovea_desc(&rig.engine, &rig.settings);
    desc.log = (struct fovea_log){.fn = hear, .user = &said, .min_level = FOVEA_LOG_DEBUG};
    said = (struct said){.reason = ""};
    jobs = 0;
    assert_ok(frame_create(&desc, make_peer, NULL, &rig.fovea));
}

static void destroy(void)
{
    engine_idle(&rig.engine);
    fovea_vk_destroy(&rig.fovea);
}

static enum fovea_backend backend(void)
{
    const struct fovea_vk_stats stats = rig_stats(&rig);
    return stats.backend;
}

static void expect_reason(const char *words)
{
    const struct fovea_vk_stats stats = rig_stats(&rig);
    assert_that(strstr(stats.backend_reason, words), "the reason is \"%s\", not \"%s\"",
                stats.backend_reason, words);
    assert_non_null(strstr(said.reason, words));
}

/* Opens a context as if nothing had been measured. */
static void expect_a_new_context(void)
{
    const struct fovea_vk_stats stats = rig_stats(&rig);
    assert_int_equal(stats.frames, 0);
    assert_int_equal(stats.frames_passed_through, 0);
    assert_false(stats.gpu_time_known);
    assert_true(stats.cpu_p50_us == 0);
    assert_int_equal(rig.fovea->frame, 0);
    assert_null(rig.fovea->images);
    assert_null(rig.fovea->plans[0].plan);
}

static void expect_frames(void)
{
    OWNED_IMAGE src = image_drawn(64, 48, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 3);
    OWNED_IMAGE dst = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
    for (int i = 0; i < 6; i++) {
        const enum rig_path path = i % 2 ? RIG_ENGINE_TO_ENGINE : RIG_MADE_TO_MADE;
        assert_ok(rig_frame(&rig, path, VK_FORMAT_R8G8B8A8_UNORM, &src.view, rig_gaze(0.5, 0.5),
                            &dst.view));
    }
    const struct fovea_vk_stats stats = rig_stats(&rig);
    assert_int_equal(stats.frames, 6);
}

static bool file_is_there(void)
{
    return access(cache_folder_path(CACHE_FILE), F_OK) == 0;
}

/* The file says so of this context's device and settings. */
static void plant(uint32_t peer_ns, uint32_t vulkan_ns, int64_t age_s)
{
    struct frame_cost_key key;
    char text[1024];
    frame_cost_key_make(rig.fovea, &key);
    const int length =
        snprintf(text, sizeof text, "fovea: what a frame costs 1\n%lld cpu %u %u 1280 720 %s\n",
                 (long long)(time(NULL) - age_s), peer_ns, vulkan_ns, key.text);
    cache_folder_write(CACHE_FILE, text, (size_t)length);
    frame_cost_forget();
}

#define WITH_ENGINE(test) TEST_AROUND(test, open_engine, close_engine)

/* ---- Tests ---- */

WITH_ENGINE(a_slow_peer_gives_way_to_vulkan)
{
    manner = SLOW;
    create();
    assert_int_equal(backend(), FOVEA_BACKEND_VULKAN);
    assert_null(rig.fovea->peer);
    expect_reason("measured: ");
    expect_reason(" us a frame of ");
    expect_reason(", cpu ");
    expect_a_new_context();
    assert_true(jobs >= 3);
    assert_int_equal(said.count[FOVEA_LOG_WARNING] + said.count[FOVEA_LOG_ERROR], 0);
    assert_int_equal(said.count[FOVEA_LOG_INFO], 1);
    expect_frames();
    destroy();
}

/* Threads are not always the faster ones: the device may be a GPU. */
WITH_ENGINE(the_cheaper_one_is_taken_and_works)
{
    create();
    const bool vulkan = backend() == FOVEA_BACKEND_VULKAN;
    assert_int_equal(vulkan, rig.fovea->peer == NULL);
    expect_reason(vulkan ? ", cpu " : ", vulkan ");
    expect_a_new_context();
    expect_frames();
    assert_int_equal(said.count[FOVEA_LOG_WARNING] + said.count[FOVEA_LOG_ERROR], 0);
    destroy();
}

WITH_ENGINE(a_peer_that_refuses_is_left)
{
    manner = REFUSES;
    create();
    assert_int_equal(backend(), FOVEA_BACKEND_VULKAN);
    expect_reason("refused a frame");
    expect_a_new_context();
    assert_int_equal(said.count[FOVEA_LOG_WARNING], 1);
    assert_false(file_is_there());
    expect_frames();
    destroy();
}

WITH_ENGINE(a_peer_that_never_answers_is_left)
{
    manner = NEVER_SIGNALS;
    rig.settings.watchdog_ms = 20; /* ten times that for threads */
    create();
    assert_int_equal(backend(), FOVEA_BACKEND_VULKAN);
    expect_reason("stopped answering");
    assert_int_equal(said.count[FOVEA_LOG_WARNING], 1);
    assert_false(file_is_there());
    expect_frames();
    destroy();
}

WITH_ENGINE(where_nothing_can_be_measured_the_usual_order_counts)
{
    manner = KNOWS_NO_IMAGES;
    create();
    assert_int_equal(backend(), FOVEA_BACKEND_CPU);
    expect_reason("the usual order");
    expect_a_new_context();
    assert_int_equal(said.count[FOVEA_LOG_WARNING] + said.count[FOVEA_LOG_ERROR], 0);
    assert_false(file_is_there());
    manner = AS_IT_IS;
    expect_frames();
    destroy();
}

WITH_ENGINE(a_result_is_kept_for_the_next_context_and_the_next_process)
{
    manner = SLOW;
    create();
    assert_true(jobs > 0);
    destroy();
    assert_true(file_is_there());
    for (int process = 0; process < 2; process++) {
        create();
        assert_int_equal(jobs, 0);
        assert_int_equal(backend(), FOVEA_BACKEND_VULKAN);
        expect_reason("measured");
        destroy();
        frame_cost_forget();
    }
}

WITH_ENGINE(what_the_file_says_decides)
{
    static const struct {
        uint32_t peer_ns;
        uint32_t vulkan_ns;
        enum fovea_backend backend;
    } cases[] = {{540100, 310200, FOVEA_BACKEND_VULKAN},
                 {310200, 540100, FOVEA_BACKEND_CPU},
                 {300000, 299000, FOVEA_BACKEND_CPU}}; /* not worth it */
    rig.settings.backend_measure = FOVEA_MEASURE_NEVER;
    create();
    struct fovea_vk *never = rig.fovea;
    rig.settings.backend_measure = FOVEA_MEASURE_CACHED;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig.fovea = never;
        plant(cases[i].peer_ns, cases[i].vulkan_ns, 86400);
        create();
        assert_int_equal(jobs, 0);
        assert_int_equal(backend(), cases[i].backend);
        expect_reason(i == 0 ? "310 us a frame of 1280x720, cpu 540 us" : " us a frame of 1280");
        expect_reason("measured on 20");
        fovea_vk_destroy(&rig.fovea);
    }
    rig.fovea = never;
    destroy();
}

WITH_ENGINE(another_device_or_setting_is_measured_by_itself)
{
    manner = SLOW;
    create();
    destroy();
    rig.settings.foveation.strength = 2;
    create();
    assert_true(jobs > 0);
    destroy();
    rig.settings.foveation.strength = 1;
    create();
    assert_int_equal(jobs, 0);
    destroy();
}

WITH_ENGINE(always_measures_and_never_does_not)
{
    manner = SLOW;
    rig.settings.backend_measure = FOVEA_MEASURE_NEVER;
    for (int i = 0; i < 3; i++) {
        create();
        assert_int_equal(jobs, 0);
        assert_int_equal(backend(), FOVEA_BACKEND_CPU);
        expect_reason("the usual order");
        assert_false(file_is_there());
        destroy();
    }
    rig.settings.backend_measure = FOVEA_MEASURE_ALWAYS;
    for (int i = 0; i < 2; i++) {
        create();
        assert_true(jobs > 0);
        destroy();
    }
}

WITH_ENGINE(a_backend_that_is_named_is_not_measured)
{
    manner = SLOW;
    rig.settings.backend = FOVEA_BACKEND_CPU;
    rig.settings.backend_measure = FOVEA_MEASURE_ALWAYS;
    create();
    assert_int_equal(jobs, 0);
    assert_int_equal(backend(), FOVEA_BACKEND_CPU);
    assert_false(file_is_there());
    destroy();
}

WITH_ENGINE(a_cache_that_cannot_be_used_changes_nothing)
{
    manner = SLOW;
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    create();
    assert_int_equal(backend(), FOVEA_BACKEND_VULKAN);
    assert_int_equal(said.count[FOVEA_LOG_WARNING] + said.count[FOVEA_LOG_ERROR], 0);
    destroy();
    unsetenv("XDG_CACHE_HOME");
    create();
    assert_int_equal(jobs, 0); /* the process knows */
    destroy();
    setenv("XDG_CACHE_HOME", cache_folder(), 1);
}

/* A program sees it: a peer that is known to cost more is not even made. */
WITH_ENGINE(what_is_known_saves_making_the_peer)
{
    struct fovea_vk_desc desc = engine_fovea_desc(&rig.engine, &rig.settings);
    desc.log = (struct fovea_log){.fn = hear, .user = &said, .min_level = FOVEA_LOG_DEBUG};
    rig.settings.backend_measure = FOVEA_MEASURE_NEVER;
    assert_ok(fovea_vk_create(&desc, &rig.fovea));
    if (rig.fovea->device.properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU) {
        destroy();
        skip();
    }
    assert_int_equal(backend(), FOVEA_BACKEND_CPU);
    plant(540100, 310200, 0);
    destroy();
    rig.settings.backend_measure = FOVEA_MEASURE_CACHED;
    assert_ok(fovea_vk_create(&desc, &rig.fovea));
    assert_int_equal(backend(), FOVEA_BACKEND_VULKAN);
    expect_reason("measured: 310 us a frame of 1280x720, cpu 540 us");
    expect_frames();
    destroy();
}

/* On an NVIDIA GPU, where nobody stands in for anybody: whichever it is, it is measured and
 * works. */
static void auto_measures_cuda_beside_vulkan(void **state)
{
    struct fovea_vk_desc desc = engine_fovea_desc(&rig.engine, &rig.settings);
    desc.log = (struct fovea_log){.fn = hear, .user = &said, .min_level = FOVEA_LOG_DEBUG};
    for (int method = 0; method < 2; method++) {
        rig.settings.foveation.method = method ? FOVEA_METHOD_SMOOTH : FOVEA_METHOD_BLOCKWISE;
        said = (struct said){.reason = ""};
        assert_ok(fovea_vk_create(&desc, &rig.fovea));
        const enum fovea_backend chosen = backend();
        expect_reason("measured: ");
        expect_reason(chosen == FOVEA_BACKEND_VULKAN ? ", cuda " : ", vulkan ");
        expect_a_new_context();
        assert_int_equal(said.count[FOVEA_LOG_WARNING] + said.count[FOVEA_LOG_ERROR], 0);
        printf("report: auto, %s: %s\n", method ? "smooth" : "blockwise", said.reason);
        expect_frames();
        destroy();
        frame_cost_forget();
        assert_ok(fovea_vk_create(&desc, &rig.fovea));
        assert_int_equal(backend(), chosen); /* the file says so */
        destroy();
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest real[] = {cmocka_unit_test_setup_teardown(
        auto_measures_cuda_beside_vulkan, open_engine, close_engine)};
    const bool cuda = argc > 1 && strcmp(argv[1], "cuda") == 0;
    return cuda ? RIG_RUN(argc, argv, real) : rig_run_tests(argc, argv);
}
