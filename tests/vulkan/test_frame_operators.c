/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames of each operator alone, on every backend: against its reference, and views that are each a
 * frame of their own. */

#include "cmocka_all.h"
#include "operators/scene_vk.h"
#include "sanitized.h"

static void frames_are_the_reference(void **state)
{
    const struct operator_test *test = *state;
    const struct scene_set *set = test->set;
    struct rig rig;
    rig_open(&rig, NULL);
    for (int i = set->each ? 0 : test_first((int)set->frames); i < (int)set->frames;
         i += set->each ? 1 : TEST_STEP(i)) {
        struct operator_scene scene = operator_scene_of_set(test->of, set, (uint64_t)i);
        scene_vk_check(&rig, scene_vk_format((unsigned)i), (enum rig_path)(i / 9 % RIG_PATH_COUNT),
                       &scene);
    }
    rig_close(&rig);
}

static void every_bit_is_copied(void **state)
{
    const struct operator_test *test = *state;
    struct rig rig;
    rig_open(&rig, NULL);
    for (uint32_t i = 0; i < test->set->frames; i++) {
        struct operator_scene scene = operator_scene_of_set(test->of, test->set, i);
        struct test_image src;
        struct test_image dst;
        scene_vk_run(&rig, scene_vk_format(i), RIG_ENGINE_TO_ENGINE, &scene, &src, &dst);
        compare_assert_all_same(&dst.view, &src.view, test->name);
        image_free(&src);
        image_free(&dst);
    }
    rig_close(&rig);
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
        struct rig rig;
        rig_open(&rig, &scene.settings);
        const struct stereo halves = stereo_side_by_side();
        const struct operator_scene *const each[] = {&scene, &scene};
        scene_vk_check_views(&rig, &halves, RIG_ENGINE_TO_ENGINE, each);
        rig_close(&rig);
    }
}

int main(int argc, char **argv)
{
    static const CMUnitTestFunction by_kind[SCENE_KINDS] = {
        [SCENES_ALONE] = frames_are_the_reference,
        [SCENES_COPIED] = every_bit_is_copied,
        [SCENES_OF_VIEWS] = views_are_each_a_picture_of_their_own,
    };
    static struct operator_tests tests;
    operator_tests_add_sets(&tests, SCENES_IN_FRAMES, by_kind);
    return rig_run(argc, argv, tests.tests, tests.count);
}
