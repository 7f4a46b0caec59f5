/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator lens promises frames this beside what all operators do (test_frame_operators):
 * files, a lens for each eye, and its place behind foveation. */

#include "misuse.h"
#include "operators/lens_scenes.h"
#include "operators/scene_vk.h"
#include "sanitized.h"

static const struct fovea_operators foveate = {1, {FOVEA_OPERATOR_foveate}};
static const struct fovea_operators lens = {1, {FOVEA_OPERATOR_lens}};
static const struct fovea_operators foveate_lens = {2,
                                                    {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_lens}};

static void use(struct rig *rig, const struct fovea_operators *operators)
{
    rig->settings.operators = *operators;
    assert_ok(fovea_vk_set_settings(rig->fovea, &rig->settings));
}

static void frame(struct rig *rig, enum rig_path path, VkFormat vk_format,
                  const struct test_image *src, const struct test_image *dst)
{
    assert_ok(rig_frame(rig, path, vk_format, &src->view, rig_gaze(0.3, 0.6), &dst->view));
}

/* The grids come from a file, which is changed between frames. */
TEST(frames_of_grids_are_the_reference)
{
    char path[64]; /* others run in the same folder */
    struct rig rig;
    snprintf(path, sizeof path, "frame_lens_points_%d.json", (int)getpid());
    rig_open(&rig, NULL);
    for (uint64_t i = (uint64_t)test_first(20); i < 20; i += TEST_STEP(i)) {
        struct operator_scene scene = lens_scene_of(i);
        const uint64_t which = i % 2 ? 1 + i / 2 % 2 : 5 * (i / 2 % 2); /* with points all over */
        lens_scene_use_points(which, &scene);
        lens_scene_write_points(&scene, path);
        snprintf(scene.settings.own.lens_file, sizeof scene.settings.own.lens_file, "%s", path);
        scene_vk_check(&rig, scene_vk_format((unsigned)i), RIG_ENGINE_TO_ENGINE, &scene);
    }
    assert_int_equal(remove(path), 0);
    rig_close(&rig);
}

/* ---- A lens for each eye */

static struct stereo two_layers(void)
{
    return (struct stereo){
        67, 45, 2, {stereo_view(0, 0, 0, 0.5, 0.4), stereo_view(0, 0, 1, 0.3, 0.7)}, 2};
}

static void name_eyes(struct stereo *scene, enum fovea_map_eye first, enum fovea_map_eye second)
{
    scene->views[0].eye = first;
    scene->views[1].eye = second;
}

static struct fovea_settings make_eyes(struct operator_scene eyes[2], uint32_t filter,
                                       const char *path)
{
    struct fovea_settings settings = rig_settings();
    settings.own.lens_filter = filter;
    settings.operators = lens;
    return lens_scenes_of_eyes(&settings, eyes, path);
}

TEST(each_eye_has_a_lens_of_its_own)
{
    static const enum rig_path paths[] = {RIG_ENGINE_TO_ENGINE, RIG_SEEN_TO_SEEN};
    char path[64]; /* others run in the same folder */
    snprintf(path, sizeof path, "frame_lens_eyes_%d.json", (int)getpid());
    for (uint32_t i = 0; i < 6; i++) {
        struct operator_scene eyes[2];
        struct fovea_settings settings = make_eyes(eyes, i / 2, path);
        const struct operator_scene *in_order[] = {&eyes[0], &eyes[1]};
        const struct operator_scene *exchanged[] = {&eyes[1], &eyes[0]};
        struct stereo halves = stereo_side_by_side();
        struct stereo layers = two_layers();
        RIG(rig, &settings);
        stereo_see_layers(i % 2);
        name_eyes(&halves, FOVEA_MAP_EYE_LEFT, FOVEA_MAP_EYE_RIGHT);
        scene_vk_check_views(&rig, &halves, paths[i % 2], in_order);
        name_eyes(&layers, FOVEA_MAP_EYE_RIGHT, FOVEA_MAP_EYE_LEFT);
        scene_vk_check_views(&rig, &layers, paths[i % 2], exchanged);
        stereo_see_layers(false);
    }
    assert_int_equal(remove(path), 0);
}

/* A view that does not say whose it is has the settings' eye; where they do not say it either, the
 * picture passes through, and the log has the reason. */
TEST(an_eye_that_is_not_named_is_the_settings)
{
    char path[64];
    struct operator_scene eyes[2];
    struct rig rig;
    snprintf(path, sizeof path, "frame_lens_eye_%d.json", (int)getpid());
    const struct fovea_settings settings = make_eyes(eyes, 1, path);
    const struct operator_scene *which[] = {&eyes[0], &eyes[1]};
    struct stereo halves = stereo_side_by_side();
    open_logged(&rig);
    rig.settings = settings;
    rig.settings.foveation.map.eye = FOVEA_MAP_EYE_RIGHT;
    assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
    name_eyes(&halves, FOVEA_MAP_EYE_LEFT, FOVEA_MAP_EYE_BOTH);
    scene_vk_check_views(&rig, &halves, RIG_ENGINE_TO_ENGINE, which);
    rig.settings.foveation.map.eye = FOVEA_MAP_EYE_BOTH;
    assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
    OWNED_IMAGE src = stereo_picture(&halves, IMAGE_RANDOM, 11);
    OWNED_IMAGE dst = stereo_picture(&halves, IMAGE_STROKES, 12);
    assert_int_equal(stereo_run(&rig, &halves, RIG_ENGINE_TO_ENGINE, &src.view, &dst.view),
                     FOVEA_PASSED_THROUGH);
    assert_non_null(strstr(last_log, "a lens for each eye"));
    assert_int_equal(remove(path), 0);
    rig_close(&rig);
}

/* Each view's foveated picture is what its own lens takes. */
TEST(rows_of_both_eyes_are_one_after_the_other)
{
    char path[64];
    struct operator_scene eyes[2];
    struct rig rig;
    snprintf(path, sizeof path, "frame_lens_rows_%d.json", (int)getpid());
    const struct fovea_settings settings = make_eyes(eyes, 1, path);
    static const struct fovea_operators *const steps[] = {&foveate, &lens, &foveate_lens};
    static const int from[] = {0, 1, 0};
    struct stereo layers = two_layers();
    struct test_image images[4];
    rig_open(&rig, &settings);
    name_eyes(&layers, FOVEA_MAP_EYE_LEFT, FOVEA_MAP_EYE_RIGHT);
    for (int i = 0; i < 4; i++) {
        images[i] = stereo_picture(&layers, i ? IMAGE_STROKES : IMAGE_PHOTO, 11);
    }
    for (int i = 0; i < 3; i++) {
        use(&rig, steps[i]);
        assert_ok(stereo_run(&rig, &layers, RIG_ENGINE_TO_ENGINE, &images[from[i]].view,
                             &images[i + 1].view));
    }
    compare_assert_all_same(&images[3].view, &images[2].view, "both eyes");
    for (int i = 0; i < 4; i++) {
        image_free(&images[i]);
    }
    assert_int_equal(remove(path), 0);
    rig_close(&rig);
}

/* foveate has nothing to do, and lens does what it does; the log says so, once. Paths and formats
 * take turns. */
TEST(frames_without_a_gaze_are_warped)
{
    LOGGED_RIG(rig);
    rig.settings.own.lens_r2 = 0.3;
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        if (!test_turn(path, RIG_PATH_COUNT, 4)) {
            continue;
        }
        const VkFormat vk_format = scene_vk_format((unsigned)path);
        struct test_image images[3];
        for (int i = 0; i < 3; i++) {
            images[i] = image_make_packed(131, 83, rig_pixel_format(vk_format));
        }
        image_draw(&images[0].view, IMAGE_PHOTO, 3);
        use(&rig, &lens);
        frame(&rig, (enum rig_path)path, vk_format, &images[0], &images[1]);
        use(&rig, &foveate_lens);
        struct fovea_gaze gaze = rig_gaze(path % 2 ? (double)NAN : 0.3, 0.6);
        gaze.usable = path % 2;
        assert_ok(rig_frame(&rig, (enum rig_path)path, vk_format, &images[0].view, gaze,
                            &images[2].view));
        compare_assert_all_same(&images[2].view, &images[1].view,
                                rig_path_name((enum rig_path)path));
        for (int i = 0; i < 3; i++) {
            image_free(&images[i]);
        }
    }
    assert_non_null(strstr(last_log, "no usable gaze; frames go past"));
}

/* An eye without a gaze is warped, and the other one is foveated too. */
TEST(a_view_without_a_gaze_is_warped)
{
    struct fovea_settings settings = rig_settings();
    struct rig rig;
    settings.own.lens_r2 = 0.3;
    rig_open(&rig, &settings);
    struct stereo halves = stereo_side_by_side();
    OWNED_IMAGE src = stereo_picture(&halves, IMAGE_PHOTO, 11);
    struct test_image made[3]; /* by lens, by both, by both with the first eye blind */
    for (int i = 0; i < 3; i++) {
        made[i] = stereo_picture(&halves, IMAGE_STROKES, 12);
        halves.views[0].gaze.usable = i < 2;
        use(&rig, i == 0 ? &lens : &foveate_lens);
        assert_ok(stereo_run(&rig, &halves, RIG_ENGINE_TO_ENGINE, &src.view, &made[i].view));
    }
    for (uint32_t v = 0; v < halves.view_count; v++) {
        OWNED_IMAGE expected = stereo_cut_out(&halves, &halves.views[v], &made[v].view);
        OWNED_IMAGE actual = stereo_cut_out(&halves, &halves.views[v], &made[2].view);
        compare_assert_all_same(&actual.view, &expected.view, v == 0 ? "blind" : "sighted");
    }
    for (int i = 0; i < 3; i++) {
        image_free(&made[i]);
    }
    rig_close(&rig);
}

/* The picture passes through, and the log has the reason, once for each time it is set. */
TEST(a_map_that_folds_is_said_once)
{
    LOGGED_RIG(rig);
    rig.settings.own.lens_r2 = -1.0;
    use(&rig, &lens);
    OWNED_IMAGE src = image_drawn(64, 48, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, 3);
    log_lines = 0;
    for (int i = 0; i < 3; i++) {
        OWNED_IMAGE dst = image_make_packed(64, 48, FOVEA_FORMAT_RGBA8);
        assert_int_equal(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, VK_FORMAT_R8G8B8A8_UNORM, &src.view,
                                   rig_gaze(0.5, 0.5), &dst.view),
                         FOVEA_PASSED_THROUGH);
        compare_assert_all_same(&dst.view, &src.view, "a map that folds");
    }
    assert_int_equal(log_lines, 1);
    assert_non_null(strstr(last_log, "the map folds back"));
}
