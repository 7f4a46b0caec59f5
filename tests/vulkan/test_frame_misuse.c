/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Wrong arguments. Nothing here may crash, submit half a frame or upset validation. */

#include "compare.h"
#include "misuse.h"
#include "stereo.h"
#include "test_with.h"

static void expect_not_created(struct fovea_vk_desc desc)
{
    int settings = 0;
    struct fovea_vk *fovea = (struct fovea_vk *)&settings;
    desc.log = (struct fovea_log){keep_log, NULL, FOVEA_LOG_DEBUG};
    log_lines = 0;
    assert_int_equal(fovea_vk_create(&desc, &fovea), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_null(fovea);
    assert_true(log_lines > 0);
}

TEST(creation_refuses_what_is_missing)
{
    OWNED(engine_close) struct engine engine;
    struct engine_options options = {.nvidia = rig_backend() == FOVEA_BACKEND_CUDA};
    assert_true(engine_open(&engine, &options));
    struct fovea_settings settings = rig_settings();
    OWNED(fovea_vk_destroy) struct fovea_vk *fovea = NULL;
    struct fovea_vk_desc desc;
#define REFUSE(...)                                                                                \
    desc = engine_fovea_desc(&engine, &settings);                                                  \
    __VA_ARGS__;                                                                                   \
    expect_not_created(desc)
    REFUSE(desc.instance = VK_NULL_HANDLE);
    REFUSE(desc.physical_device = VK_NULL_HANDLE);
    REFUSE(desc.device = VK_NULL_HANDLE);
    REFUSE(desc.queue = VK_NULL_HANDLE);
    REFUSE(desc.get_instance_proc_addr = NULL);
    REFUSE(desc.frames_in_flight = UINT32_MAX); /* 0 is the default */
    REFUSE(desc.frames_in_flight = 33);
    REFUSE(desc.queue_family = 77);
    REFUSE(settings.foveation.paper.fragment_px = 3);
#undef REFUSE
    assert_int_equal(fovea_vk_create(NULL, &fovea), FOVEA_ERROR_INVALID_ARGUMENT);
    desc = engine_fovea_desc(&engine, NULL);
    assert_int_equal(fovea_vk_create(&desc, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    fovea_vk_destroy(NULL);
}

static void expect_result(struct rig *rig, const struct fovea_vk_frame *frame,
                          enum fovea_result expected)
{
    log_lines = 0;
    assert_int_equal(fovea_vk_foveate(rig->fovea, frame), expected);
    assert_int_equal(log_lines, 1);
}

TEST(frames_refuse_what_does_not_fit)
{
    LOGGED_RIG(rig);
    struct engine_image src = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct engine_image dst = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct fovea_vk_semaphore none[2] = {{VK_NULL_HANDLE, 0}, {VK_NULL_HANDLE, 0}};
    struct fovea_vk_frame frame;
#define REFUSE(result, ...)                                                                        \
    frame = good_frame(&src, &dst);                                                                \
    __VA_ARGS__;                                                                                   \
    expect_result(&rig, &frame, FOVEA_ERROR_##result)
    REFUSE(INVALID_ARGUMENT, frame.src.image = VK_NULL_HANDLE);
    REFUSE(INVALID_ARGUMENT, frame.dst.image = VK_NULL_HANDLE);
    REFUSE(INVALID_ARGUMENT, frame.src.width_px = 0);
    REFUSE(INVALID_ARGUMENT, frame.dst.height_px = 20000);
    REFUSE(INVALID_ARGUMENT, frame.dst.width_px--);
    REFUSE(UNSUPPORTED, frame.src.format = VK_FORMAT_D32_SFLOAT);
    REFUSE(INVALID_ARGUMENT, frame.dst.format = VK_FORMAT_R8G8B8A8_UNORM);
    REFUSE(INVALID_ARGUMENT, frame.src.layout_before = VK_IMAGE_LAYOUT_UNDEFINED);
    REFUSE(INVALID_ARGUMENT, frame.dst.layout_after = VK_IMAGE_LAYOUT_UNDEFINED);
    REFUSE(INVALID_ARGUMENT, frame.src.transfer_ownership = true; frame.src.queue_family = 77);
    REFUSE(INVALID_ARGUMENT, frame.dst.transfer_ownership = true;
           frame.dst.queue_family = VK_QUEUE_FAMILY_IGNORED);
    REFUSE(INVALID_ARGUMENT, frame.wait_count = 2);
    REFUSE(INVALID_ARGUMENT, frame.signals = none; frame.signal_count = 2);
    REFUSE(INVALID_ARGUMENT, frame.waits = none; frame.wait_count = 9);
#undef REFUSE
    frame = good_frame(&src, &dst);
    frame.src.transfer_ownership = true;
    frame.src.queue_family = VK_QUEUE_FAMILY_EXTERNAL;
    assert_ok(fovea_vk_prepare(rig.fovea, &frame));
    frame = good_frame(&src, &dst);
    assert_int_equal(fovea_vk_foveate(NULL, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_vk_foveate(rig.fovea, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_ok(fovea_vk_foveate(rig.fovea, &frame));
    engine_idle(&rig.engine);
    engine_image_destroy(&rig.engine, &src);
    engine_image_destroy(&rig.engine, &dst);
}

/* Whoever hands pixels over for uv sees a picture that is blurred everywhere. */
TEST(a_gaze_in_pixels_is_warned_of_once)
{
    LOGGED_RIG(rig);
    struct engine_image image = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct fovea_vk_frame frame = good_frame(&image, &image);
    log_lines = 0;
    for (int i = 0; i < 3; i++) {
        frame.gaze.point = (struct fovea_point_uv){i == 0 ? -30.0 : 320.0 + i, 8.0};
        assert_ok(fovea_vk_foveate(rig.fovea, &frame));
        engine_idle(&rig.engine);
        assert_int_equal(log_lines, i > 0);
    }
    assert_non_null(strstr(last_log, "it is probably in pixels"));
    engine_image_destroy(&rig.engine, &image);
}

/* Two kinds of refusals come, by turns with good frames: each is said once, at the level that
 * nobody hides. */
TEST(what_is_refused_again_and_again_is_said_once)
{
    LOGGED_RIG(rig);
    struct engine_image src = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct engine_image dst = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    const struct fovea_vk_frame good = good_frame(&src, &dst);
    struct fovea_vk_frame empty = good, small = good;
    empty.src.layout_before = VK_IMAGE_LAYOUT_UNDEFINED;
    small.dst.width_px--;
    log_lines = 0;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(fovea_vk_foveate(rig.fovea, &empty), FOVEA_ERROR_INVALID_ARGUMENT);
        if (i == 0) {
            assert_non_null(strstr(last_log, "layout UNDEFINED"));
        }
        assert_int_equal(fovea_vk_foveate(rig.fovea, &small), FOVEA_ERROR_INVALID_ARGUMENT);
        if (i == 0) {
            assert_non_null(strstr(last_log, "must be the same size"));
        }
        assert_ok(fovea_vk_foveate(rig.fovea, &good));
        engine_idle(&rig.engine);
    }
    assert_int_equal(log_lines, 2);
    engine_image_destroy(&rig.engine, &src);
    engine_image_destroy(&rig.engine, &dst);
}

/* An engine that gets it wrong in another way each frame does not fill a log. */
TEST(refusals_of_many_kinds_end_in_silence)
{
    LOGGED_RIG(rig);
    struct engine_image src = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct engine_image dst = drawn_image(&rig, WIDTH_PX, HEIGHT_PX);
    struct fovea_vk_frame frame = good_frame(&src, &dst);
    log_lines = 0;
    for (uint32_t i = 0; i < 200; i++) {
        frame.dst.width_px = WIDTH_PX + 1 + i;
        assert_int_equal(fovea_vk_foveate(rig.fovea, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    }
    assert_in_range(log_lines, 1, 32);
    engine_image_destroy(&rig.engine, &src);
    engine_image_destroy(&rig.engine, &dst);
}

/* A stereo image, and what frames of it need. */
struct pair {
    struct rig rig;
    struct stereo scene;
    struct stereo_end src;
    struct stereo_end dst;
};

static void open_pair(struct pair *pair)
{
    open_logged(&pair->rig);
    pair->scene = stereo_side_by_side();
    pair->src = stereo_end_open(&pair->rig, &pair->scene, RIG_ENGINES);
    pair->dst = stereo_end_open(&pair->rig, &pair->scene, RIG_ENGINES);
    OWNED_IMAGE pixels = stereo_picture(&pair->scene, IMAGE_RANDOM, 1);
    stereo_fill(&pair->rig, &pair->src, &pixels.view);
    stereo_fill(&pair->rig, &pair->dst, &pixels.view);
}

static void close_pair(struct pair *pair)
{
    stereo_end_close(&pair->rig, &pair->src);
    stereo_end_close(&pair->rig, &pair->dst);
    rig_close(&pair->rig);
}

#define PAIR_TEST(name) TEST_WITH(name, struct pair, pair, open_pair(&made), close_pair)

static struct fovea_vk_frame frame_of(const struct pair *pair, const struct stereo *scene)
{
    struct fovea_vk_frame frame = stereo_frame(scene, &pair->src, &pair->dst);
    frame.src.layout_after = frame.dst.layout_after = VK_IMAGE_LAYOUT_GENERAL;
    return frame;
}

/* Said once after settings are set, and good frames are taken afterwards. */
static void expect_refused(struct pair *pair, const struct fovea_vk_frame *frame, const char *word)
{
    assert_ok(fovea_vk_set_settings(pair->rig.fovea, &pair->rig.settings));
    log_lines = 0;
    for (int again = 0; again < 3; again++) {
        assert_int_equal(fovea_vk_foveate(pair->rig.fovea, frame), FOVEA_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(log_lines, 1);
    assert_that(strstr(last_log, word), "'%s' does not say '%s'", last_log, word);
    struct fovea_vk_frame good = frame_of(pair, &pair->scene);
    assert_ok(fovea_vk_foveate(pair->rig.fovea, &good));
    engine_idle(&pair->rig.engine);
    assert_int_equal(log_lines, 1);
}

PAIR_TEST(views_that_do_not_fit_are_refused)
{
    static const struct {
        struct fovea_vk_view right;
        const char *word;
    } cases[] = {
        {{.x_px = 67, .width_px = 0, .height_px = 45}, "is 0x45"},
        {{.x_px = 67, .width_px = 67, .height_px = 0}, "is 67x0"},
        {{.x_px = 67, .width_px = 67, .height_px = 44}, "is 67x44"},
        {{.x_px = 68, .width_px = 67, .height_px = 45}, "not inside"},
        {{.x_px = 67, .y_px = 1, .width_px = 67, .height_px = 45}, "not inside"},
        {{.x_px = UINT32_MAX, .width_px = 67, .height_px = 45}, "not inside"},
        {{.x_px = 67, .y_px = UINT32_MAX, .width_px = 67, .height_px = 45}, "not inside"},
        {{.x_px = 67, .width_px = UINT32_MAX, .height_px = 45}, "not inside"},
        {{.x_px = 66, .width_px = 67, .height_px = 45}, "overlap in layer 0"},
        {{.x_px = 0, .width_px = 67, .height_px = 45}, "overlap in layer 0"},
        {{.x_px = 67, .width_px = 67, .height_px = 45, .layer = 1}, "in layer 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stereo scene = pair->scene;
        scene.views[1] = cases[i].right;
        scene.views[1].struct_bytes = sizeof scene.views[1];
        scene.views[1].gaze = rig_gaze(0.5, 0.5);
        struct fovea_vk_frame frame = frame_of(pair, &scene);
        expect_refused(pair, &frame, cases[i].word);
    }
}

PAIR_TEST(numbers_of_views_and_layers_that_do_not_fit_are_refused)
{
    struct stereo_end made = stereo_end_open(&pair->rig, &pair->scene, RIG_MADE);
    struct fovea_vk_frame frame = frame_of(pair, &pair->scene);
    frame.view_count = 5;
    expect_refused(pair, &frame, "5 views");
    frame.view_count = 0;
    expect_refused(pair, &frame, "0 views");
    frame = frame_of(pair, &pair->scene);
    frame.views = NULL;
    expect_refused(pair, &frame, "at NULL");
    frame = frame_of(pair, &pair->scene);
    frame.dst.made = made.made;
    frame.dst.layer_count = 5;
    expect_refused(pair, &frame, "5 layers");
    frame = frame_of(pair, &pair->scene);
    frame.dst.image = frame.src.image;
    frame.src.layer_count = 2;
    expect_refused(pair, &frame, "src has 2");
    struct stereo scene = pair->scene;
    scene.views[1].layer = 1;
    frame = frame_of(pair, &scene);
    frame.src.layer_count = 2; /* dst has one */
    expect_refused(pair, &frame, "in layer 1");
    stereo_end_close(&pair->rig, &made);
}

PAIR_TEST(structs_of_another_version_are_refused_in_words)
{
    struct {
        struct fovea_vk_frame frame;
        uint64_t unknown;
    } newer = {frame_of(pair, &pair->scene), 1};
    newer.frame.struct_bytes = sizeof newer;
    expect_refused(pair, &newer.frame, "the frame: it is a newer version's");
    newer.frame.struct_bytes = 0;
    expect_refused(pair, &newer.frame, "the frame: struct_bytes is not set");
    newer.frame = frame_of(pair, &pair->scene);
    newer.frame.reserved = 1;
    expect_refused(pair, &newer.frame, "reserved is not 0");
    struct stereo scene = pair->scene;
    scene.views[1].struct_bytes = 0;
    newer.frame = frame_of(pair, &scene);
    expect_refused(pair, &newer.frame, "view 1: struct_bytes is not set");
    scene.views[1].struct_bytes = offsetof(struct fovea_vk_view, geometry);
    expect_refused(pair, &newer.frame, "view 1: struct_bytes is not that of view 0");
}

PAIR_TEST(frustums_that_are_none_are_refused)
{
    static const struct {
        struct fovea_geometry geometry;
        const char *word;
    } cases[] = {
        {{.tan_left = 1, .tan_right = -1, .tan_up = 1, .tan_down = 1}, "tan_left"},
        {{.tan_left = 1, .tan_right = 1, .tan_up = -1, .tan_down = 1}, "tan_up"},
        {{.tan_left = 1, .tan_up = 1, .tan_down = 1}, "tan_right"},
        {{.tan_left = NAN, .tan_right = 1, .tan_up = 1, .tan_down = 1}, "tan_left"},
        {{.ppd = -1}, "ppd"},
        {{.screen_width_m = -1, .distance_m = 1}, "screen_width"},
        {{.screen_width_m = 1}, "distance"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stereo scene = pair->scene;
        scene.views[1].geometry = &cases[i].geometry;
        struct fovea_vk_frame frame = frame_of(pair, &scene);
        expect_refused(pair, &frame, cases[i].word);
    }
}

PAIR_TEST(eyes_that_nobody_has_are_refused)
{
    for (int eye = -1; eye <= 3; eye += 4) {
        struct stereo scene = pair->scene;
        scene.views[1].eye = (enum fovea_map_eye)eye;
        struct fovea_vk_frame frame = frame_of(pair, &scene);
        expect_refused(pair, &frame, "view 1: eye");
    }
}

PAIR_TEST(a_blur_that_is_too_much_passes_through_and_says_so)
{
    static const struct fovea_geometry telescope = {
        .tan_left = 0.0006, .tan_right = 0.0006, .tan_up = 0.0006, .tan_down = 0.0006};
    struct stereo scene = pair->scene;
    pair->rig.settings.foveation.method = FOVEA_METHOD_SMOOTH;
    pair->rig.settings.foveation.model = FOVEA_MODEL_PHYSICAL;
    pair->rig.settings.foveation.strength = 8;
    pair->rig.settings.foveation.physical.alpha = 10; /* a cutoff of 0.4 cycles a degree */
    assert_ok(fovea_vk_set_settings(pair->rig.fovea, &pair->rig.settings));
    scene.views[1].geometry = &telescope;
    struct fovea_vk_frame frame = frame_of(pair, &scene);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fovea_vk_foveate(pair->rig.fovea, &frame), FOVEA_PASSED_THROUGH);
    }
    assert_int_equal(log_lines, 1);
    assert_non_null(strstr(last_log, "blur"));
    const struct fovea_vk_stats stats = rig_stats(&pair->rig);
    assert_int_equal(stats.backend, rig_backend()); /* the peer is not to blame */
    pair->rig.settings.foveation.model = FOVEA_MODEL_PAPER;
    pair->rig.settings.foveation.strength = 1;
    assert_ok(fovea_vk_set_settings(pair->rig.fovea, &pair->rig.settings));
    assert_ok(fovea_vk_foveate(pair->rig.fovea, &frame));
    engine_idle(&pair->rig.engine);
}

TEST(images_of_no_size_or_format_are_refused)
{
    LOGGED_RIG(rig);
    struct fovea_vk_image *image = NULL;
    struct fovea_vk_image_desc desc = {
        .struct_bytes = sizeof desc, VK_FORMAT_R5G6B5_UNORM_PACK16, 8, 8, 0};
    assert_int_equal(fovea_vk_image_create(rig.fovea, &desc, &image), FOVEA_ERROR_UNSUPPORTED);
    desc = (struct fovea_vk_image_desc){
        .struct_bytes = sizeof(struct fovea_vk_image_desc), format, 0, 8, 0};
    assert_int_equal(fovea_vk_image_create(rig.fovea, &desc, &image), FOVEA_ERROR_INVALID_ARGUMENT);
    desc = (struct fovea_vk_image_desc){
        .struct_bytes = sizeof(struct fovea_vk_image_desc), format, 1000000, 8, 0};
    assert_int_equal(fovea_vk_image_create(rig.fovea, &desc, &image), FOVEA_ERROR_UNSUPPORTED);
    assert_null(image);
}

TEST(a_gaze_that_is_no_number_passes_the_image_through)
{
    const struct fovea_gaze gazes[] = {
        rig_gaze(NAN, 0.5), rig_gaze(0.5, INFINITY), {.usable = false}};
    LOGGED_RIG(rig);
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 5);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    for (int i = 0; i < 3; i++) {
        for (int path = 0; path < RIG_PATH_COUNT; path++) {
            assert_int_equal(
                rig_frame(&rig, (enum rig_path)path, format, &src.view, gazes[i], &dst.view),
                FOVEA_PASSED_THROUGH);
            compare_assert_all_same(&dst.view, &src.view, rig_path_name((enum rig_path)path));
        }
    }
    assert_int_equal(log_lines, 1);
    const struct fovea_vk_stats stats = rig_stats(&rig);
    assert_int_equal(stats.frames_passed_through, 3 * RIG_PATH_COUNT);
}

/* Four frames of four views, each with a frustum of its own: more plans than are kept otherwise,
 * and none may go while its frame waits. The same frames again, one by one, come out the same. */
TEST(every_view_of_every_unfinished_frame_has_its_own_plan)
{
    struct rig rig;
    open_logged(&rig);
    if (!rig.engine.needs.timeline_semaphore) {
        rig_close(&rig);
        skip();
    }
    rig.settings.foveation.method = FOVEA_METHOD_SMOOTH;
    rig.settings.foveation.model = FOVEA_MODEL_PHYSICAL;
    rig.settings.foveation.physical.e2_deg = 0.3;
    assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
    struct stereo scene = {134, 90, 1, {{0}}, 4};
    struct fovea_geometry frustums[4][4];
    struct stereo_end src = stereo_end_open(&rig, &scene, RIG_ENGINES);
    struct stereo_end ends[8];
    struct test_image pixels[2] = {stereo_picture(&scene, IMAGE_RANDOM, 1),
                                   stereo_picture(&scene, IMAGE_RANDOM, 2)};
    stereo_fill(&rig, &src, &pixels[0].view);
    struct fovea_vk_semaphore gate = closed_gate(&rig.engine);
    for (uint32_t i = 0; i < 8; i++) {
        ends[i] = stereo_end_open(&rig, &scene, RIG_ENGINES);
        struct fovea_vk_frame frame = stereo_frame(&scene, &src, &ends[i]);
        frame.src.layout_after = VK_IMAGE_LAYOUT_GENERAL;
        frame.dst.layout_before = VK_IMAGE_LAYOUT_UNDEFINED;
        frame.waits = i < 4 ? &gate : NULL;
        frame.wait_count = i < 4 ? 1 : 0;
        for (uint32_t v = 0; v < 4; v++) {
            struct fovea_geometry *frustum = &frustums[i % 4][v];
            *frustum = (struct fovea_geometry){.ppd = 6.0 + 0.5 * (4 * (i % 4) + v)};
            scene.views[v] = stereo_view(v % 2 * 67, v / 2 * 45, 0, 0.3, 0.2 * v);
            scene.views[v].geometry = frustum;
        }
        assert_ok(fovea_vk_foveate(rig.fovea, &frame));
        if (i == 3) {
            open_gate(&rig.engine, gate);
        }
        if (i >= 3) {
            engine_idle(&rig.engine);
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        stereo_read(&rig, &ends[i], &pixels[0].view);
        stereo_read(&rig, &ends[i + 4], &pixels[1].view);
        compare_assert_all_same(&pixels[0].view, &pixels[1].view, "a frame again");
        stereo_end_close(&rig, &ends[i]);
        stereo_end_close(&rig, &ends[i + 4]);
    }
    stereo_end_close(&rig, &src);
    image_free(&pixels[0]);
    image_free(&pixels[1]);
    vkDestroySemaphore(rig.engine.device, gate.semaphore, NULL);
    rig_close(&rig);
}

TEST(a_device_without_anything_special_runs_the_vulkan_backend)
{
    OWNED(engine_close) struct engine engine;
    struct engine_options options = {.nvidia = rig_backend() == FOVEA_BACKEND_CUDA,
                                     .no_sharing = true};
    assert_true(engine_open(&engine, &options));
    struct fovea_settings settings = rig_settings();
    settings.backend = FOVEA_BACKEND_AUTO;
    struct rig rig = {.engine = engine, .settings = settings};
    struct fovea_vk_desc desc = engine_fovea_desc(&engine, &settings);
    assert_ok(fovea_vk_create(&desc, &rig.fovea));
    const struct fovea_vk_stats stats = rig_stats(&rig);
    assert_int_equal(stats.backend, FOVEA_BACKEND_VULKAN);
    assert_non_null(strstr(stats.backend_reason, "no cuda"));
    fovea_vk_destroy(&rig.fovea);
    for (int i = 0; i < 2; i++) {
        settings.backend = i ? FOVEA_BACKEND_CUDA : FOVEA_BACKEND_CPU;
        assert_int_equal(fovea_vk_create(&desc, &rig.fovea), FOVEA_ERROR_UNSUPPORTED);
    }
}
