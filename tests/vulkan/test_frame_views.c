/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames of several views: each is, bit for bit, what it would be as a frame of its own, and nothing
 * else of dst changes. */

#include "cmocka_all.h"
#include "compare.h"
#include "rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const VkFormat format = VK_FORMAT_B8G8R8A8_SRGB;

/* A stereo image or array, and where its views lie. Layers are kept one below the other. */
struct scene {
    uint32_t width_px;
    uint32_t height_px;
    uint32_t layer_count;
    struct fovea_vk_view views[FOVEA_VK_MAX_VIEWS];
    uint32_t view_count;
};

/* ---- Pixels ---- */

static struct test_image new_picture(const struct scene *scene, enum image_pattern pattern,
                                     uint64_t seed)
{
    struct test_image image = image_make_packed(
        scene->width_px, scene->height_px * scene->layer_count, FOVEA_FORMAT_RGBA8);
    image_draw(&image.view, pattern, seed);
    return image;
}

static void copy_pixels(const struct fovea_image *from, uint32_t from_x, uint32_t from_y,
                        const struct fovea_image *to, uint32_t to_x, uint32_t to_y,
                        const struct fovea_vk_view *size)
{
    for (uint32_t y = 0; y < size->height_px; y++) {
        memcpy(image_pixel(to, to_x, to_y + y), image_pixel(from, from_x, from_y + y),
               4 * (size_t)size->width_px);
    }
}

static uint32_t row_of(const struct scene *scene, const struct fovea_vk_view *view)
{
    return view->y_px + view->layer * scene->height_px;
}

static struct test_image cut_out(const struct scene *scene, const struct fovea_vk_view *view,
                                 const struct fovea_image *from)
{
    struct test_image part = image_make_packed(view->width_px, view->height_px, FOVEA_FORMAT_RGBA8);
    copy_pixels(from, view->x_px, row_of(scene, view), &part.view, 0, 0, view);
    return part;
}

/* ---- Frames ---- */

struct end {
    struct fovea_vk_image *made;
    struct engine_image image; /* of a made one, only what the functions below need */
};

static struct end open_end(struct rig *rig, const struct scene *scene, bool made)
{
    struct end end = {0};
    if (!made) {
        end.image = engine_array_create(&rig->engine, format, scene->width_px, scene->height_px,
                                        scene->layer_count);
        return end;
    }
    struct fovea_vk_image_desc desc = {format, scene->width_px, scene->height_px, 0};
    assert_int_equal(fovea_vk_image_create(rig->fovea, &desc, &end.made), FOVEA_OK);
    end.image = (struct engine_image){.image = fovea_vk_image_handle(end.made),
                                      .format = format,
                                      .width_px = scene->width_px,
                                      .height_px = scene->height_px,
                                      .layer_count = 1};
    return end;
}

static void close_end(struct rig *rig, struct end *end)
{
    if (end->made) {
        fovea_vk_image_destroy(&end->made);
    } else {
        engine_image_destroy(&rig->engine, &end->image);
    }
}

static void fill(struct rig *rig, const struct end *end, const struct fovea_image *pixels)
{
    engine_write_array(&rig->engine, &end->image, pixels->data, VK_IMAGE_LAYOUT_UNDEFINED,
                       VK_IMAGE_LAYOUT_GENERAL);
}

static void read_back(struct rig *rig, const struct end *end, const struct fovea_image *pixels)
{
    engine_read_array(&rig->engine, &end->image, pixels->data, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

static struct fovea_vk_frame_image frame_image(const struct scene *scene, const struct end *end)
{
    return (struct fovea_vk_frame_image){.made = end->made,
                                         .image = end->made ? VK_NULL_HANDLE : end->image.image,
                                         .format = format,
                                         .width_px = scene->width_px,
                                         .height_px = scene->height_px,
                                         .layout_before = VK_IMAGE_LAYOUT_GENERAL,
                                         .layout_after = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                         .queue_family = VK_QUEUE_FAMILY_IGNORED,
                                         .layer_count = scene->layer_count};
}

static struct fovea_vk_frame frame_of(const struct scene *scene, const struct end *src,
                                      const struct end *dst)
{
    return (struct fovea_vk_frame){.src = frame_image(scene, src),
                                   .dst = frame_image(scene, dst),
                                   .views = scene->views,
                                   .view_count = scene->view_count};
}

static void acquire(struct end *end)
{
    VkImageLayout layout;
    assert_int_equal(fovea_vk_image_acquire(end->made, &layout), FOVEA_OK);
}

/* What is in dst before; its pixels afterwards. In place src is in dst before. */
static enum fovea_result run_scene(struct rig *rig, const struct scene *scene, enum rig_path path,
                                   const struct fovea_image *src, const struct fovea_image *dst)
{
    const bool in_place = path == RIG_ENGINE_IN_PLACE || path == RIG_MADE_IN_PLACE;
    struct end a = open_end(rig, scene,
                            path == RIG_MADE_TO_MADE || path == RIG_MADE_TO_ENGINE ||
                                path == RIG_MADE_IN_PLACE);
    struct end b = {0};
    fill(rig, &a, src);
    if (a.made) {
        acquire(&a);
    }
    if (!in_place) {
        b = open_end(rig, scene, path == RIG_MADE_TO_MADE || path == RIG_ENGINE_TO_MADE);
        fill(rig, &b, dst);
    }
    struct fovea_vk_frame frame = frame_of(scene, &a, in_place ? &a : &b);
    const enum fovea_result result = fovea_vk_foveate(rig->fovea, &frame);
    assert_true(result >= 0);
    read_back(rig, in_place ? &a : &b, dst);
    if (!in_place) {
        struct test_image now = new_picture(scene, IMAGE_RANDOM, 0);
        read_back(rig, &a, &now.view);
        compare_assert_all_same(&now.view, src, "src after the frame");
        image_free(&now);
        close_end(rig, &b);
    }
    close_end(rig, &a);
    return result;
}

/* Each view as a frame of its own, put where it belongs in `expected`. */
static void expect_view(struct rig *rig, const struct scene *scene,
                        const struct fovea_vk_view *view, const struct fovea_image *src,
                        const struct fovea_image *expected)
{
    struct test_image part = cut_out(scene, view, src);
    struct fovea_settings settings = rig->settings;
    if (view->geometry) {
        settings.foveation.geometry = *view->geometry;
    }
    assert_int_equal(fovea_vk_set(rig->fovea, &settings), FOVEA_OK);
    if (view->gaze.usable) {
        struct test_image alone =
            image_make_packed(view->width_px, view->height_px, FOVEA_FORMAT_RGBA8);
        assert_int_equal(
            rig_frame(rig, RIG_ENGINE_TO_ENGINE, format, &part.view, view->gaze, &alone.view),
            FOVEA_OK);
        assert_memory_not_equal(alone.view.data, part.view.data,
                                4 * (size_t)view->width_px * view->height_px);
        copy_pixels(&alone.view, 0, 0, expected, view->x_px, row_of(scene, view), view);
        image_free(&alone);
    } else {
        copy_pixels(&part.view, 0, 0, expected, view->x_px, row_of(scene, view), view);
    }
    assert_int_equal(fovea_vk_set(rig->fovea, &rig->settings), FOVEA_OK);
    image_free(&part);
}

static void check(struct rig *rig, const struct scene *scene, enum rig_path path, const char *name)
{
    const bool in_place = path == RIG_ENGINE_IN_PLACE || path == RIG_MADE_IN_PLACE;
    struct test_image src = new_picture(scene, IMAGE_RANDOM, 11);
    struct test_image dst = new_picture(scene, IMAGE_STROKES, 12);
    struct test_image expected =
        in_place ? new_picture(scene, IMAGE_RANDOM, 11) : new_picture(scene, IMAGE_STROKES, 12);
    for (uint32_t i = 0; i < scene->view_count; i++) {
        expect_view(rig, scene, &scene->views[i], &src.view, &expected.view);
    }
    assert_int_equal(run_scene(rig, scene, path, &src.view, &dst.view), FOVEA_OK);
    char what[128];
    snprintf(what, sizeof what, "%s, %s, %s", rig_backend_name(), name, rig_path_name(path));
    compare_assert_all_same(&dst.view, &expected.view, what);
    image_free(&src);
    image_free(&dst);
    image_free(&expected);
}

/* ---- Scenes ---- */

static struct fovea_vk_view view_at(uint32_t x_px, uint32_t y_px, uint32_t layer, double gaze_x_uv,
                                    double gaze_y_uv)
{
    return (struct fovea_vk_view){.x_px = x_px,
                                  .y_px = y_px,
                                  .width_px = 67,
                                  .height_px = 45,
                                  .layer = layer,
                                  .gaze = rig_gaze(gaze_x_uv, gaze_y_uv)};
}

/* The gazes lie by the seam, on either side of it. */
static struct scene side_by_side(void)
{
    return (struct scene){
        134, 45, 1, {view_at(0, 0, 0, 0.95, 0.4), view_at(67, 0, 0, 0.02, 0.7)}, 2};
}

static struct scene with_gaps(void)
{
    return (struct scene){
        161,
        101,
        1,
        {view_at(90, 3, 0, 0.3, 0.4), view_at(5, 51, 0, 0.8, 1.2), view_at(13, 1, 0, -0.1, 0.5)},
        3};
}

static struct scene layers(void)
{
    return (struct scene){67, 45, 2, {view_at(0, 0, 0, 0.5, 0.4), view_at(0, 0, 1, 0.3, 0.7)}, 2};
}

static struct scene parts_of_layers(void)
{
    return (struct scene){150,
                          60,
                          5,
                          {view_at(7, 2, 3, 0.1, 0.4), view_at(0, 0, 0, 0.9, 0.2),
                           view_at(83, 15, 3, 0.3, 0.7), view_at(83, 0, 4, 0.5, 0.5)},
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

static void rectangles_of_an_image_are_each_a_frame_of_its_own(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        struct fovea_settings settings = settings_for(methods[m], FOVEA_MODEL_PAPER);
        struct rig rig;
        rig_open(&rig, &settings);
        for (int path = 0; path < RIG_PATH_COUNT; path++) {
            struct scene halves = side_by_side();
            struct scene gaps = with_gaps();
            check(&rig, &halves, (enum rig_path)path, "side by side");
            check(&rig, &gaps, (enum rig_path)path, "with gaps");
        }
        rig_close(&rig);
    }
}

static void layers_are_each_a_frame_of_their_own(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        struct fovea_settings settings = settings_for(methods[m], FOVEA_MODEL_PAPER);
        struct rig rig;
        rig_open(&rig, &settings);
        struct scene two = layers();
        struct scene parts = parts_of_layers();
        for (int i = 0; i < 2; i++) {
            enum rig_path path = i ? RIG_ENGINE_IN_PLACE : RIG_ENGINE_TO_ENGINE;
            check(&rig, &two, path, "two layers");
            check(&rig, &parts, path, "parts of five layers");
        }
        rig_close(&rig);
    }
}

/* With tangents the screen may be left 0: it is the settings'. */
static void each_eye_has_a_frustum_of_its_own(void **state)
{
    (void)state;
    static const struct fovea_geometry left = {
        .tan_left = 0.10, .tan_right = 0.05, .tan_up = 0.04, .tan_down = 0.06};
    static const struct fovea_geometry right = {.tan_left = 0.07,
                                                .tan_right = 0.12,
                                                .tan_up = 0.03,
                                                .tan_down = 0.08,
                                                .screen_width_m = 0.5,
                                                .distance_m = 0.4};
    struct fovea_settings settings = settings_for(FOVEA_METHOD_SMOOTH, FOVEA_MODEL_PHYSICAL);
    struct rig rig;
    rig_open(&rig, &settings);
    struct fovea_geometry whole = left;
    whole.screen_width_m = settings.foveation.geometry.screen_width_m;
    whole.distance_m = settings.foveation.geometry.distance_m;
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        struct scene scene = side_by_side();
        scene.views[0].geometry = &whole;
        scene.views[1].geometry = &right;
        check(&rig, &scene, (enum rig_path)path, "two frustums");
        scene.views[1].geometry = NULL;
        check(&rig, &scene, (enum rig_path)path, "one frustum and the settings'");
    }
    struct scene scene = side_by_side();
    struct test_image src = new_picture(&scene, IMAGE_RANDOM, 3);
    struct test_image given = new_picture(&scene, IMAGE_STROKES, 4);
    struct test_image filled = new_picture(&scene, IMAGE_STROKES, 4);
    scene.views[0].geometry = &left;
    assert_int_equal(run_scene(&rig, &scene, RIG_MADE_TO_MADE, &src.view, &given.view), FOVEA_OK);
    scene.views[0].geometry = &whole;
    assert_int_equal(run_scene(&rig, &scene, RIG_MADE_TO_MADE, &src.view, &filled.view), FOVEA_OK);
    compare_assert_all_same(&given.view, &filled.view, "a screen that is left 0");
    image_free(&src);
    image_free(&given);
    image_free(&filled);
    rig_close(&rig);
}

static void mirrored_frustums_and_gazes_mirror_the_result(void **state)
{
    (void)state;
    static const struct fovea_geometry left = {
        .tan_left = 0.10, .tan_right = 0.05, .tan_up = 0.04, .tan_down = 0.06};
    struct fovea_geometry right = left;
    right.tan_left = left.tan_right;
    right.tan_right = left.tan_left;
    struct fovea_settings settings = settings_for(FOVEA_METHOD_SMOOTH, FOVEA_MODEL_PHYSICAL);
    struct rig rig;
    rig_open(&rig, &settings);
    struct scene scene = side_by_side();
    scene.views[0].geometry = &left;
    scene.views[1].geometry = &right;
    scene.views[0].gaze = rig_gaze(0.2, 0.4);
    scene.views[1].gaze = rig_gaze(0.8, 0.4);
    struct test_image half = image_make_packed(67, 45, FOVEA_FORMAT_RGBA8);
    struct test_image mirrored = image_make_packed(67, 45, FOVEA_FORMAT_RGBA8);
    struct test_image src = new_picture(&scene, IMAGE_RANDOM, 1);
    struct test_image dst = new_picture(&scene, IMAGE_RANDOM, 2);
    image_draw(&half.view, IMAGE_PHOTO, 5);
    image_mirror(&half.view, &mirrored.view, true, false);
    copy_pixels(&half.view, 0, 0, &src.view, 0, 0, &scene.views[0]);
    copy_pixels(&mirrored.view, 0, 0, &src.view, 67, 0, &scene.views[1]);
    assert_int_equal(run_scene(&rig, &scene, RIG_MADE_TO_MADE, &src.view, &dst.view), FOVEA_OK);
    struct test_image result = cut_out(&scene, &scene.views[0], &dst.view);
    struct test_image other = cut_out(&scene, &scene.views[1], &dst.view);
    image_mirror(&other.view, &mirrored.view, true, false);
    struct compare_rect where;
    assert_true(compare_largest(&result.view, &mirrored.view, &where) <= 1.0);
    assert_true(compare_largest(&result.view, &half.view, &where) > 8.0);
    struct test_image *images[] = {&half, &mirrored, &src, &dst, &result, &other};
    for (int i = 0; i < 6; i++) {
        image_free(images[i]);
    }
    rig_close(&rig);
}

/* ---- Eyes without a gaze ---- */

static void an_eye_without_a_gaze_is_copied_and_the_other_foveated(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        struct fovea_settings settings = settings_for(methods[m], FOVEA_MODEL_PAPER);
        struct rig rig;
        rig_open(&rig, &settings);
        for (int blind = 0; blind < 2; blind++) {
            for (int path = 0; path < RIG_PATH_COUNT; path++) {
                struct scene scene = side_by_side();
                scene.views[blind].gaze.usable = false;
                check(&rig, &scene, (enum rig_path)path, "one eye");
            }
            struct scene scene = layers();
            scene.views[blind].gaze.usable = false;
            check(&rig, &scene, RIG_ENGINE_TO_ENGINE, "one layer");
        }
        rig_close(&rig);
    }
}

static void a_frame_without_any_gaze_passes_through_where_its_views_are(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, NULL);
    for (int i = 0; i <= RIG_PATH_COUNT; i++) {
        struct scene scene = i < RIG_PATH_COUNT ? with_gaps() : parts_of_layers();
        enum rig_path path = i < RIG_PATH_COUNT ? (enum rig_path)i : RIG_ENGINE_TO_ENGINE;
        bool in_place = path == RIG_ENGINE_IN_PLACE || path == RIG_MADE_IN_PLACE;
        struct test_image src = new_picture(&scene, IMAGE_RANDOM, 11);
        struct test_image dst = new_picture(&scene, IMAGE_STROKES, 12);
        struct test_image expected = in_place ? new_picture(&scene, IMAGE_RANDOM, 11)
                                              : new_picture(&scene, IMAGE_STROKES, 12);
        for (uint32_t v = 0; v < scene.view_count; v++) {
            scene.views[v].gaze.usable = false;
            expect_view(&rig, &scene, &scene.views[v], &src.view, &expected.view);
        }
        scene.views[0].gaze = rig_gaze(NAN, 0.5);
        assert_int_equal(run_scene(&rig, &scene, path, &src.view, &dst.view), FOVEA_PASSED_THROUGH);
        compare_assert_all_same(&dst.view, &expected.view, rig_path_name(path));
        image_free(&src);
        image_free(&dst);
        image_free(&expected);
    }
    rig_close(&rig);
}

/* ---- Many frames in flight ---- */

#define FRAMES 300
#define KINDS 14 /* more plans than are kept */

struct stream {
    struct rig rig;
    struct scene scene;
    struct fovea_geometry frustums[KINDS];
    struct test_image src;
    struct end from;
    struct end to[FRAMES];
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
    struct fovea_vk_frame frame = frame_of(&stream->scene, &stream->from, &stream->to[index]);
    frame.src.layout_after = VK_IMAGE_LAYOUT_GENERAL;
    frame.dst.layout_before = VK_IMAGE_LAYOUT_UNDEFINED;
    enum fovea_result result = FOVEA_NOT_READY;
    while (result == FOVEA_NOT_READY) {
        result = fovea_vk_foveate(stream->rig.fovea, &frame);
        if (result == FOVEA_NOT_READY) {
            nanosleep(&rest, NULL);
        }
    }
    assert_int_equal(result, FOVEA_OK);
}

static void check_kind(struct stream *stream, int kind)
{
    struct test_image expected = new_picture(&stream->scene, IMAGE_RANDOM, 1);
    struct test_image actual = new_picture(&stream->scene, IMAGE_RANDOM, 2);
    choose(stream, kind);
    for (uint32_t v = 0; v < 2; v++) {
        expect_view(&stream->rig, &stream->scene, &stream->scene.views[v], &stream->src.view,
                    &expected.view);
    }
    for (int i = kind; i < FRAMES; i += KINDS) {
        char what[32];
        snprintf(what, sizeof what, "frame %d", i);
        read_back(&stream->rig, &stream->to[i], &actual.view);
        compare_assert_all_same(&actual.view, &expected.view, what);
    }
    image_free(&expected);
    image_free(&actual);
}

static void stream_of(struct scene scene)
{
    struct stream stream = {.scene = scene};
    struct fovea_settings settings = settings_for(FOVEA_METHOD_SMOOTH, FOVEA_MODEL_PHYSICAL);
    rig_open(&stream.rig, &settings);
    stream.src = new_picture(&stream.scene, IMAGE_RANDOM, 9);
    stream.from = open_end(&stream.rig, &stream.scene, false);
    fill(&stream.rig, &stream.from, &stream.src.view);
    for (int i = 0; i < KINDS; i++) {
        stream.frustums[i] = settings.foveation.geometry;
        stream.frustums[i].ppd = 6.0 + 0.5 * i;
    }
    for (int i = 0; i < FRAMES; i++) {
        stream.to[i] = open_end(&stream.rig, &stream.scene, false);
        submit_patiently(&stream, i);
    }
    engine_idle(&stream.rig.engine);
    for (int i = 0; i < KINDS; i++) {
        check_kind(&stream, i);
    }
    for (int i = 0; i < FRAMES; i++) {
        close_end(&stream.rig, &stream.to[i]);
    }
    close_end(&stream.rig, &stream.from);
    image_free(&stream.src);
    rig_close(&stream.rig);
}

static void hundreds_of_frames_in_flight_keep_their_views_apart(void **state)
{
    (void)state;
    stream_of(side_by_side());
    stream_of(layers());
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangles_of_an_image_are_each_a_frame_of_its_own),
        cmocka_unit_test(layers_are_each_a_frame_of_their_own),
        cmocka_unit_test(each_eye_has_a_frustum_of_its_own),
        cmocka_unit_test(mirrored_frustums_and_gazes_mirror_the_result),
        cmocka_unit_test(an_eye_without_a_gaze_is_copied_and_the_other_foveated),
        cmocka_unit_test(a_frame_without_any_gaze_passes_through_where_its_views_are),
        cmocka_unit_test(hundreds_of_frames_in_flight_keep_their_views_apart),
    };
    if (!rig_choose_backend(argc, argv)) {
        return 2;
    }
    if (!rig_available()) {
        return 77;
    }
    return cmocka_run_group_tests_name(rig_backend_name(), tests, NULL, NULL);
}
