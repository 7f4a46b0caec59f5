/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames of several views: each is, bit for bit, what it would be as a frame of its own, and
 * nothing else of dst changes. That eyes and their frusta are those of the cpu backend the search
 * (search/) says. */

#include "cmocka_all.h"
#include "compare.h"
#include "plugin/frame/frame.h"
#include "sanitized.h"
#include "stereo.h"

#include <time.h>

static const VkFormat format = STEREO_FORMAT;

/* Each view as a frame of its own, put where it belongs in what is expected in place and elsewhere.
 */
static void expect_view(struct rig *rig, const struct stereo *scene,
                        const struct fovea_vk_view *view, const struct fovea_image *src,
                        const struct test_image *expected, int count)
{
    OWNED_IMAGE alone = stereo_cut_out(scene, view, src);
    struct fovea_settings settings = rig->settings;
    if (view->geometry) {
        settings.foveation.geometry = *view->geometry;
    }
    if (view->eye) {
        settings.foveation.map.eye = view->eye;
    }
    assert_ok(fovea_vk_set_settings(rig->fovea, &settings));
    if (view->gaze.usable && isfinite(view->gaze.point.x_uv)) {
        OWNED_IMAGE part = stereo_cut_out(scene, view, src);
        assert_ok(
            rig_frame(rig, RIG_ENGINE_TO_ENGINE, format, &part.view, view->gaze, &alone.view));
        assert_memory_not_equal(alone.view.data, part.view.data,
                                4 * (size_t)view->width_px * view->height_px);
    }
    for (int i = 0; i < count; i++) {
        stereo_copy(&alone.view, 0, 0, &expected[i].view, view->x_px, stereo_row(scene, view),
                    view);
    }
    assert_ok(fovea_vk_set_settings(rig->fovea, &rig->settings));
}

#define PATH(path) (1u << (path))
#define ALL_PATHS ((1u << RIG_PATH_COUNT) - 1)

/* On each of the paths, which take turns. */
static void check_result(struct rig *rig, const struct stereo *scene, unsigned paths,
                         enum fovea_result result, const char *name)
{
    OWNED_IMAGE src = stereo_picture(scene, IMAGE_RANDOM, 11);
    /* elsewhere, and in place */
    struct test_image expected[2] = {stereo_picture(scene, IMAGE_STROKES, 12),
                                     stereo_picture(scene, IMAGE_RANDOM, 11)};
    for (uint32_t i = 0; i < scene->view_count; i++) {
        expect_view(rig, scene, &scene->views[i], &src.view, expected, 2);
    }
    const int count = __builtin_popcount(paths);
    for (int path = 0, nth = 0; path < RIG_PATH_COUNT; path++) {
        if ((paths & PATH(path)) && test_turn(nth++, count, 4)) {
            OWNED_IMAGE dst = stereo_picture(scene, IMAGE_STROKES, 12);
            const char *what = test_text("%s, %s, %s", rig_backend_name(), name,
                                         rig_path_name((enum rig_path)path));
            assert_int_equal(stereo_run(rig, scene, (enum rig_path)path, &src.view, &dst.view),
                             result);
            compare_assert_all_same(&dst.view, &expected[rig_in_place((enum rig_path)path)].view,
                                    what);
        }
    }
    image_free(&expected[0]);
    image_free(&expected[1]);
}

static void check(struct rig *rig, const struct stereo *scene, unsigned paths, const char *name)
{
    check_result(rig, scene, paths, FOVEA_OK, name);
}

/* ---- Scenes ---- */

static struct stereo with_gaps(void)
{
    return (struct stereo){161,
                           101,
                           1,
                           {stereo_view(90, 3, 0, 0.3, 0.4), stereo_view(5, 51, 0, 0.8, 1.2),
                            stereo_view(13, 1, 0, -0.1, 0.5)},
                           3};
}

static struct stereo layers(void)
{
    return (struct stereo){
        67, 45, 2, {stereo_view(0, 0, 0, 0.5, 0.4), stereo_view(0, 0, 1, 0.3, 0.7)}, 2};
}

static struct stereo parts_of_layers(void)
{
    return (struct stereo){150,
                           60,
                           5,
                           {stereo_view(7, 2, 3, 0.1, 0.4), stereo_view(0, 0, 0, 0.9, 0.2),
                            stereo_view(83, 15, 3, 0.3, 0.7), stereo_view(83, 0, 4, 0.5, 0.5)},
                           4};
}

static struct fovea_settings settings_for(enum fovea_method method, enum fovea_model model)
{
    struct fovea_settings settings = rig_settings();
    settings.foveation.method = method;
    settings.foveation.model = model;
    settings.foveation.physical.e2_deg = 0.3; /* much blur within few pixels */
    settings.foveation.geometry.ppd = 8.0;
    return settings;
}

static const enum fovea_method methods[] = {FOVEA_METHOD_BLOCKWISE, FOVEA_METHOD_SMOOTH};

TEST(rectangles_of_an_image_are_each_a_frame_of_its_own)
{
    for (int m = 0; m < 2; m++) {
        struct fovea_settings settings = settings_for(methods[m], FOVEA_MODEL_PAPER);
        RIG(rig, &settings);
        struct stereo halves = stereo_side_by_side();
        struct stereo gaps = with_gaps();
        check(&rig, &halves, ALL_PATHS, "side by side");
        check(&rig, &gaps, ALL_PATHS, "with gaps");
    }
}

TEST(views_go_through_all_operators)
{
    struct fovea_settings settings = settings_for(FOVEA_METHOD_SMOOTH, FOVEA_MODEL_PAPER);
    settings.operators = (struct fovea_operators){2, {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_blur}};
    RIG(rig, &settings);
    struct stereo two = layers();
    stereo_see_layers(true);
    check(&rig, &two, PATH(RIG_SEEN_TO_SEEN), "two layers");
    struct stereo gaps = with_gaps();
    check(&rig, &gaps, ALL_PATHS, "with gaps");
}

TEST(layers_are_each_a_frame_of_their_own)
{
    for (int m = 0; m < 2; m++) {
        struct fovea_settings settings = settings_for(methods[m], FOVEA_MODEL_PAPER);
        RIG(rig, &settings);
        struct stereo two = layers();
        struct stereo parts = parts_of_layers();
        const unsigned paths = PATH(RIG_ENGINE_TO_ENGINE) | PATH(RIG_ENGINE_IN_PLACE) |
                               PATH(RIG_SEEN_TO_SEEN) | PATH(RIG_SEEN_IN_PLACE);
        for (int i = 0; i < 2; i++) {
            stereo_see_layers(i);
            check(&rig, &two, paths, "two layers");
            check(&rig, &parts, paths, "parts of five layers");
        }
    }
}

/* With tangents the screen may be left 0: it is the settings'. */
TEST(each_eye_has_a_frustum_of_its_own)
{
    static const struct fovea_geometry left = {
        .tan_left = 0.10, .tan_right = 0.05, .tan_up = 0.04, .tan_down = 0.06};
    static const struct fovea_geometry right = {.tan_left = 0.07,
                                                .tan_right = 0.12,
                                                .tan_up = 0.03,
                                                .tan_down = 0.08,
                                                .screen_width_m = 0.5,
                                                .distance_m = 0.4};
    struct fovea_settings settings = settings_for(FOVEA_METHOD_SMOOTH, FOVEA_MODEL_PHYSICAL);
    RIG(rig, &settings);
    struct fovea_geometry whole = left;
    whole.screen_width_m = settings.foveation.geometry.screen_width_m;
    whole.distance_m = settings.foveation.geometry.distance_m;
    struct stereo scene = stereo_side_by_side();
    scene.views[0].geometry = &whole;
    scene.views[1].geometry = &right;
    check(&rig, &scene, ALL_PATHS, "two frustums");
    scene.views[1].geometry = NULL;
    check(&rig, &scene, ALL_PATHS, "one frustum and the settings'");
    OWNED_IMAGE src = stereo_picture(&scene, IMAGE_RANDOM, 3);
    OWNED_IMAGE given = stereo_picture(&scene, IMAGE_STROKES, 4);
    OWNED_IMAGE filled = stereo_picture(&scene, IMAGE_STROKES, 4);
    scene.views[0].geometry = &left;
    assert_ok(stereo_run(&rig, &scene, RIG_MADE_TO_MADE, &src.view, &given.view));
    scene.views[0].geometry = &whole;
    assert_ok(stereo_run(&rig, &scene, RIG_MADE_TO_MADE, &src.view, &filled.view));
    compare_assert_all_same(&given.view, &filled.view, "a screen that is left 0");
}

/* ---- Eyes of the human map ---- */

/* Sixty degrees across, and sigma of a pixel or two. */
static struct fovea_settings human_settings(enum fovea_method method)
{
    struct fovea_settings settings = settings_for(method, FOVEA_MODEL_MAP);
    settings.foveation.map.degrees = FOVEA_MAP_DEGREES_VIEW;
    settings.foveation.map.cutoff_cpd = 3.0;
    settings.foveation.geometry.ppd = 1.0;
    settings.foveation.map.kind = FOVEA_MAP_HUMAN;
    settings.foveation.map.eye = FOVEA_MAP_EYE_BOTH;
    return settings;
}

TEST(each_eye_has_a_map_of_its_own)
{
    for (int m = 0; m < 2; m++) {
        struct fovea_settings settings = human_settings(methods[m]);
        RIG(rig, &settings);
        struct stereo scene = stereo_side_by_side();
        scene.views[0].eye = FOVEA_MAP_EYE_LEFT;
        scene.views[1].eye = FOVEA_MAP_EYE_RIGHT;
        check(&rig, &scene, PATH(RIG_ENGINE_TO_ENGINE), "two eyes");
        scene.views[1].eye = (enum fovea_map_eye)0;
        check(&rig, &scene, PATH(RIG_ENGINE_TO_ENGINE), "one eye and the settings'");
    }
}

/* ---- Eyes without a gaze ---- */

TEST(an_eye_without_a_gaze_is_copied_and_the_other_foveated)
{
    for (int m = 0; m < 2; m++) {
        struct fovea_settings settings = settings_for(methods[m], FOVEA_MODEL_PAPER);
        RIG(rig, &settings);
        for (int blind = 0; blind < 2; blind++) {
            struct stereo halves = stereo_side_by_side();
            halves.views[blind].gaze.usable = false;
            check(&rig, &halves, ALL_PATHS, "one eye");
            struct stereo two = layers();
            two.views[blind].gaze.usable = false;
            stereo_see_layers(true);
            check(&rig, &two, PATH(RIG_ENGINE_TO_ENGINE) | PATH(RIG_SEEN_TO_SEEN), "one layer");
        }
    }
}

TEST(a_frame_without_any_gaze_passes_through_where_its_views_are)
{
    RIG(rig, NULL);
    struct stereo scenes[] = {with_gaps(), parts_of_layers()};
    for (int i = 0; i < 2; i++) {
        for (uint32_t v = 0; v < scenes[i].view_count; v++) {
            scenes[i].views[v].gaze.usable = false;
        }
        scenes[i].views[0].gaze = rig_gaze((double)NAN, 0.5);
        check_result(&rig, &scenes[i], i ? PATH(RIG_ENGINE_TO_ENGINE) : ALL_PATHS,
                     FOVEA_PASSED_THROUGH, "no gaze");
    }
}

/* ---- Where a row is too wide ---- */

static struct stereo four_layers(void)
{
    return (struct stereo){67,
                           45,
                           4,
                           {stereo_view(0, 0, 0, 0.5, 0.4), stereo_view(0, 0, 1, 0.3, 0.7),
                            stereo_view(0, 0, 2, 0.1, 0.2), stereo_view(0, 0, 3, 0.9, 0.9)},
                           4};
}

/* A device that takes smaller images is imitated. Scratch of a size that is there already would do
 * as well. */
TEST(views_are_packed_as_the_device_takes_them)
{
    static const uint32_t limits_px[] = {4 * 67, 4 * 67 - 1, 2 * 67};
    for (int i = 0; i < 3; i++) {
        RIG(rig, NULL);
        rig.fovea->device.properties.limits.maxImageDimension2D = limits_px[i];
        struct stereo four = four_layers();
        struct stereo three = four;
        three.view_count = 3;
        check(&rig, &four, PATH(RIG_ENGINE_TO_ENGINE), "four layers");
        check(&rig, &three, PATH(RIG_ENGINE_IN_PLACE), "three of four layers");
    }
    RIG(rig, NULL);
    rig.fovea->device.properties.limits.maxImageDimension2D = 2 * 67 - 1;
    struct stereo two = layers();
    check(&rig, &two, PATH(RIG_ENGINE_TO_ENGINE), "one above the other");
}

TEST(views_that_fit_no_image_are_refused_and_others_go_on)
{
    RIG(rig, NULL);
    VkPhysicalDeviceLimits *limits = &rig.fovea->device.properties.limits;
    const uint32_t real_px = limits->maxImageDimension2D;
    struct stereo scene = layers();
    OWNED_IMAGE src = stereo_picture(&scene, IMAGE_RANDOM, 1);
    OWNED_IMAGE dst = stereo_picture(&scene, IMAGE_STROKES, 2);
    struct stereo_end from = stereo_end_open(&rig, &scene, RIG_ENGINES);
    struct stereo_end to = stereo_end_open(&rig, &scene, RIG_ENGINES);
    stereo_fill(&rig, &from, &src.view);
    stereo_fill(&rig, &to, &dst.view);
    const struct fovea_vk_frame frame = stereo_frame(&scene, &from, &to);
    limits->maxImageDimension2D = 2 * 45 - 1;
    assert_int_equal(fovea_vk_foveate(rig.fovea, &frame), FOVEA_ERROR_UNSUPPORTED);
    assert_non_null(strstr(rig.fovea->refusal, "2 views of 67x45 do not fit"));
    assert_false(rig.fovea->peer_closed);
    stereo_end_close(&rig, &from);
    stereo_end_close(&rig, &to);
    limits->maxImageDimension2D = real_px;
    check(&rig, &scene, PATH(RIG_ENGINE_TO_ENGINE), "after a refusal");
}

/* ---- Many frames in flight ---- */

#define FRAMES 300
#define KINDS 14

struct stream {
    struct rig rig;
    struct stereo scene;
    struct fovea_geometry frustums[KINDS];
    struct test_image src;
    struct stereo_end from;
    struct stereo_end to[FRAMES];
};

static void choose(struct stream *stream, int kind)
{
    stream->scene.views[0].geometry = &stream->frustums[kind];
    stream->scene.views[1].geometry = &stream->frustums[(kind + 5) % KINDS];
    stream->scene.views[0].gaze = rig_gaze(0.07 * kind, 0.5);
    stream->scene.views[1].gaze = rig_gaze(0.9, 0.1 * kind - 0.2);
}

static void submit_patiently(struct stream *stream, int index)
{
    const struct timespec rest = {.tv_nsec = 200000};
    choose(stream, index % KINDS);
    struct fovea_vk_frame frame = stereo_frame(&stream->scene, &stream->from, &stream->to[index]);
    frame.src.layout_after = VK_IMAGE_LAYOUT_GENERAL;
    frame.dst.layout_before = VK_IMAGE_LAYOUT_UNDEFINED;
    enum fovea_result result = FOVEA_NOT_READY;
    while (result == FOVEA_NOT_READY) {
        result = fovea_vk_foveate(stream->rig.fovea, &frame);
        if (result == FOVEA_NOT_READY) {
            nanosleep(&rest, NULL);
        }
    }
    assert_ok(result);
}

static void check_kind(struct stream *stream, int kind)
{
    OWNED_IMAGE expected = stereo_picture(&stream->scene, IMAGE_RANDOM, 1);
    OWNED_IMAGE actual = stereo_picture(&stream->scene, IMAGE_RANDOM, 2);
    choose(stream, kind);
    for (uint32_t v = 0; v < 2; v++) {
        expect_view(&stream->rig, &stream->scene, &stream->scene.views[v], &stream->src.view,
                    &expected, 1);
    }
    for (int i = kind; i < FRAMES; i += KINDS) {
        const char *what = test_text("frame %d", i);
        stereo_read(&stream->rig, &stream->to[i], &actual.view);
        compare_assert_all_same(&actual.view, &expected.view, what);
    }
}

static void stream_of(struct stereo scene)
{
    struct stream stream = {.scene = scene};
    struct fovea_settings settings = settings_for(FOVEA_METHOD_SMOOTH, FOVEA_MODEL_PHYSICAL);
    rig_open(&stream.rig, &settings);
    stream.src = stereo_picture(&stream.scene, IMAGE_RANDOM, 9);
    stream.from = stereo_end_open(&stream.rig, &stream.scene, RIG_ENGINES);
    stereo_fill(&stream.rig, &stream.from, &stream.src.view);
    for (int i = 0; i < KINDS; i++) {
        stream.frustums[i] = settings.foveation.geometry;
        stream.frustums[i].ppd = 6.0 + 0.5 * i;
    }
    for (int i = 0; i < FRAMES; i++) {
        stream.to[i] = stereo_end_open(&stream.rig, &stream.scene, RIG_ENGINES);
        submit_patiently(&stream, i);
    }
    engine_idle(&stream.rig.engine);
    for (int i = 0; i < KINDS; i++) {
        check_kind(&stream, i);
    }
    for (int i = 0; i < FRAMES; i++) {
        stereo_end_close(&stream.rig, &stream.to[i]);
    }
    stereo_end_close(&stream.rig, &stream.from);
    image_free(&stream.src);
    rig_close(&stream.rig);
}

TEST(hundreds_of_frames_in_flight_keep_their_views_apart)
{
    stream_of(stereo_side_by_side());
    stream_of(layers());
}
