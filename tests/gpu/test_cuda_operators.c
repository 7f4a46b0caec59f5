/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Operators on a CUDA device against their references: linear images and surfaces in every format
 * and light, views, batches. */

#include "operator_rig.h"

static uint32_t count_of(const struct scene_set *set)
{
    return fixture.quick ? set->cuda_quick : set->cuda;
}

static void images_are_the_reference(void **state)
{
    const struct operator_test *test = *state;
    const uint32_t alike = test->set->shift_every;
    for (uint32_t i = 0; i < count_of(test->set); i++) {
        const struct operator_scene scene = operator_scene_of_set(test->of, test->set, i);
        operator_rig_check(&scene, alike > 0 ? i / alike % 3 : 0);
    }
}

/* Packed pictures, and those that begin and end anywhere. */
static void every_bit_is_copied(void **state)
{
    const struct operator_test *test = *state;
    for (uint32_t i = 0; i < count_of(test->set); i++) {
        const struct operator_scene scene = operator_scene_of_set(test->of, test->set, i);
        OWNED_IMAGE src = scene_draw(&scene);
        OWNED_IMAGE dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
        struct operator_rig rig = operator_rig_make(&scene);
        operator_rig_run_linear(&rig, &src, &dst, 0);
        compare_assert_all_same(&dst.view, &src.view, test->name);
        operator_rig_finish(&rig);
        operator_rig_check(&scene, 1);
    }
}

/* The right half of a picture that holds two views; the left half stays as it was. Linear memory
 * has what arrays have. */
static void a_view_is_a_picture_of_its_own(void **state)
{
    const struct operator_test *test = *state;
    for (uint32_t i = 0; i < count_of(test->set); i++) {
        struct operator_scene scene = operator_scene_of_set(test->of, test->set, i);
        scene.width_px = 61;
        scene.height_px = 47;
        struct operator_scene both = scene;
        both.width_px = 2 * scene.width_px;
        both.height_px = scene.height_px + 5;
        OWNED_IMAGE src = scene_draw(&both);
        OWNED_IMAGE dst = scene_draw(&both);
        OWNED_IMAGE linear = scene_draw(&both);
        OWNED(operator_rig_finish) struct operator_rig rig = operator_rig_make(&scene);
        rig.frame.origin_x_px = (int32_t)scene.width_px;
        rig.frame.origin_y_px = 5;
        operator_rig_run_surface(&rig, &src.view, &dst.view);
        compare_assert_same(&dst.view, &src.view,
                            (struct compare_rect){0, 0, scene.width_px, both.height_px}, "left");
        struct fovea_image in = src.view;
        struct fovea_image out = dst.view;
        in.width_px = out.width_px = scene.width_px;
        in.height_px = out.height_px = scene.height_px;
        in.data = image_pixel(&src.view, scene.width_px, 5);
        out.data = image_pixel(&dst.view, scene.width_px, 5);
        scene_assert_exact(&scene, &in, &out);
        operator_rig_run_linear(&rig, &src, &linear, 0);
        compare_assert_all_same(&linear.view, &dst.view, "linear memory");
    }
}

/* Number 3 of four is one picture for all. */
static void a_batch_is_its_images(void **state)
{
    const struct operator_test *test = *state;
    for (uint32_t i = 0; i < count_of(test->set); i++) {
        const struct operator_scene scene = operator_scene_of_set(test->of, test->set, i);
        OWNED(scene_batch_free)
        struct scene_batch batch = scene_batch_make(&scene, 30, 5, i % 4 == 3);
        OWNED(device_image_free) struct device_image from = device_image_make(&batch.src, 0);
        OWNED(device_image_free) struct device_image to = device_image_make(&batch.dst, 0);
        struct fovea_image first[2];
        const struct operator_images images =
            scene_batch_images(&batch, &from.view, &to.view, first);
        OWNED(operator_rig_finish) struct operator_rig rig = operator_rig_make(&batch.scene);
        operator_rig_run(&rig, &images);
        device_image_download(&to, &batch.dst);
        scene_batch_assert_exact(&batch, 1);
    }
}

int main(void)
{
    static const CMUnitTestFunction by_kind[SCENE_KINDS] = {
        [SCENES_ALONE] = images_are_the_reference,
        [SCENES_COPIED] = every_bit_is_copied,
        [SCENES_OF_VIEWS] = a_view_is_a_picture_of_its_own,
        [SCENES_OF_BATCHES] = a_batch_is_its_images,
    };
    static struct operator_tests tests;
    operator_tests_add_sets(&tests, SCENES_ON_CUDA, by_kind);
    return cuda_fixture_run(tests.tests, tests.count);
}
