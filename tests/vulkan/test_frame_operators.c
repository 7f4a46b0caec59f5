/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames of each operator alone, on every backend: against its reference, and views that are each a
 * frame of their own. */

#include "kernels/blur/blur.h"
#include "operators/scene_vk.h"
#include "plugin/frame/frame.h"
#include "sanitized.h"

/* One for all of the tests on a GPU, whose driver takes seconds to make a device and all that it
 * needs. Mesa's lavapipe looks at images that a test before had bound and destroyed: each test has
 * its own there. */
static struct rig rig;

/* Takes settings of rig_settings where settings is NULL. */
static void rig_use(const struct fovea_settings *settings)
{
    if (rig.fovea && !rig_engine_options().nvidia) {
        rig_close(&rig);
    }
    if (!rig.fovea) {
        rig_open(&rig, settings);
    }
    rig.settings = settings ? *settings : rig_settings();
    assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
}

static void validation_has_nothing_to_say(void **state)
{
    rig_close(&rig);
}

/* Formats, lights and paths have shaders of their own, which a CPU takes seconds for: a commit has
 * one case in ten. Recorded frames have the same shaders, and the search records every other frame:
 * one in thirty. */
static void frames_are_the_reference(void **state)
{
    const struct operator_test *test = *state;
    const struct scene_set *set = test->set;
    rig_use(NULL);
    const int count = (int)set->frames;
    const int turns = strcmp(rig_backend_name(), "recorded") == 0 ? 30 : 10;
    for (int i = 0; i < count; i++) {
        if (set->each || test_turn(i, count, turns)) {
            struct operator_scene scene = operator_scene_of_set(test->of, set, (uint64_t)i);
            scene_vk_check(&rig, scene_vk_format((unsigned)i),
                           (enum rig_path)(i / 9 % RIG_PATH_COUNT), &scene);
        }
    }
}

static void every_bit_is_copied(void **state)
{
    const struct operator_test *test = *state;
    rig_use(NULL);
    for (uint32_t i = 0; i < test->set->frames; i++) {
        struct operator_scene scene = operator_scene_of_set(test->of, test->set, i);
        struct test_image src;
        OWNED_IMAGE dst;
        scene_vk_run(&rig, scene_vk_format(i), RIG_ENGINE_TO_ENGINE, &scene, &src, &dst);
        compare_assert_all_same(&dst.view, &src.view, test->name);
        image_free(&src);
    }
}

/* Each view has its own middle, and nothing of the other eye comes over the seam. */
static void views_are_each_a_picture_of_their_own(void **state)
{
    const struct operator_test *test = *state;
    for (uint32_t i = 0; i < test->set->frames; i++) {
        struct operator_scene scene = operator_scene_of_set(test->of, test->set, i);
        const struct fovea_operator_settings own = scene.settings.own;
        scene.settings = rig_settings();
        scene.settings.operators = scene_vk_operators(test->of);
        scene.settings.own = own;
        scene.blue_first = true; /* STEREO_FORMAT */
        rig_use(&scene.settings);
        const struct stereo halves = stereo_side_by_side();
        const struct operator_scene *const each[] = {&scene, &scene};
        scene_vk_check_views(&rig, &halves, RIG_ENGINE_TO_ENGINE, each);
    }
}

/* ---- Pictures of sigmas ---- */

static struct operator_scene sigmas_scene(enum scene_sigmas sigmas)
{
    struct operator_scene scene = operator_scene_of(&blur_under_test, 0);
    scene.settings = rig_settings();
    scene.settings.operators = scene_vk_operators(&blur_under_test);
    scene.settings.own.blur_sigma_px = 3.0;
    scene.settings.own.blur_sigma_max_px = 20.0;
    scene.blue_first = true; /* STEREO_FORMAT */
    scene.sigmas = sigmas;
    scene.sigmas_format = FOVEA_FORMAT_R16F;
    scene.sigmas_most_px = 25.0;
    scene.width_px = 67; /* stereo_view */
    scene.height_px = 45;
    return scene;
}

/* One view has them and the other has none, and then the other way round; paths take turns. */
static void views_have_their_own_sigmas_or_none(void **state)
{
    const struct operator_scene pictured = sigmas_scene(SIGMAS_RANDOM);
    const struct operator_scene plain = sigmas_scene(SIGMAS_NONE);
    rig_use(&pictured.settings);
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        if (!test_turn(path, RIG_PATH_COUNT, 4)) {
            continue;
        }
        const int own = path % 2;
        struct stereo halves = stereo_side_by_side();
        const struct operator_scene *each[2] = {&plain, &plain};
        each[own] = &pictured;
        struct engine_image sigmas = scene_vk_sigmas(&rig, &pictured, &halves.views[own].sigmas);
        scene_vk_check_views(&rig, &halves, (enum rig_path)path, each);
        engine_idle(&rig.engine);
        engine_image_destroy(&rig.engine, &sigmas);
    }
}

static void expect_refused_frame(struct fovea_vk_sigmas sigmas)
{
    struct operator_scene scene = sigmas_scene(SIGMAS_NONE);
    OWNED_IMAGE src = scene_draw(&scene);
    OWNED_IMAGE dst = scene_draw(&scene);
    rig_set_sigmas(sigmas);
    assert_int_equal(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, VK_FORMAT_B8G8R8A8_UNORM, &src.view,
                               rig_gaze(0.5, 0.5), &dst.view),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    rig_set_sigmas((struct fovea_vk_sigmas){0});
}

static void wrong_sigmas_are_refused(void **state)
{
    struct operator_scene scene = sigmas_scene(SIGMAS_RAMP);
    rig_use(&scene.settings);
    struct fovea_vk_sigmas sigmas;
    struct engine_image image = scene_vk_sigmas(&rig, &scene, &sigmas);
    const VkImageLayout layouts[] = {VK_IMAGE_LAYOUT_UNDEFINED,
                                     VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                     VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL};
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        expect_refused_frame((struct fovea_vk_sigmas){sigmas.view, layouts[i]});
    }
    rig.settings.operators = scene_vk_operators(&foveate_under_test);
    assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
    expect_refused_frame(sigmas);
    engine_image_destroy(&rig.engine, &image);
}

/* A setting may ask for what no pass does: frames stay as they were drawn, and those of other
 * settings come out right afterwards. */
static void frames_without_a_way_stay_as_they_were_drawn(void **state)
{
    struct operator_scene scene = sigmas_scene(SIGMAS_NONE);
    rig_use(&scene.settings);
    for (int i = 0; i < 3; i++) {
        OWNED_IMAGE src = scene_draw(&scene);
        OWNED_IMAGE dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
        rig.settings.own.blur_engine = (uint32_t[]){BLUR_FFT, BLUR_BOX, BLUR_DIFFUSION}[i];
        rig.settings.own.blur_sigma_px = i == 2 ? 8.5 : 3.0;
        assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
        assert_int_equal(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, VK_FORMAT_B8G8R8A8_UNORM, &src.view,
                                   rig_gaze(0.5, 0.5), &dst.view),
                         i == 1 ? FOVEA_OK : FOVEA_PASSED_THROUGH);
        if (i == 1) {
            scene.settings.own = rig.settings.own;
            scene_assert_exact(&scene, &src.view, &dst.view);
        } else {
            compare_assert_all_same(&dst.view, &src.view, "as drawn");
        }
    }
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(frames_without_a_way_stay_as_they_were_drawn),
        cmocka_unit_test(views_have_their_own_sigmas_or_none),
        cmocka_unit_test(wrong_sigmas_are_refused),
        cmocka_unit_test(validation_has_nothing_to_say)};
    static const CMUnitTestFunction by_kind[SCENE_KINDS] = {
        [SCENES_ALONE] = frames_are_the_reference,
        [SCENES_COPIED] = every_bit_is_copied,
        [SCENES_OF_VIEWS] = views_are_each_a_picture_of_their_own,
    };
    static struct operator_tests tests;
    operator_tests_add_sets(&tests, SCENES_IN_FRAMES, by_kind);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        tests.tests[tests.count++] = others[i];
    }
    if (!rig_choose_backend(argc, argv)) {
        return 2;
    }
    rig_keep_cuda();
    return rig_run(argc, argv, tests.tests, tests.count);
}
