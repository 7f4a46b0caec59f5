/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames of the operator blur alone, on every backend: against its reference, and views that are
 * each a frame of their own. */

#include "cmocka_all.h"
#include "stereo.h"
#include "test_blur_support.h"

static void choose_blur(struct fovea_settings *settings, double sigma_px)
{
    settings->operators.count = 1;
    settings->operators.order[0] = FOVEA_OPERATOR_blur;
    settings->own.blur_sigma_px = sigma_px;
}

static void check(struct rig *rig, VkFormat format, uint64_t number, double most_sigma_px)
{
    struct blur_scene scene = blur_scene_of(number, most_sigma_px);
    scene.format = rig_pixel_format(format);
    scene.blue_first =
        format == VK_FORMAT_B8G8R8A8_UNORM || format == VK_FORMAT_A2R10G10B10_UNORM_PACK32;
    rig->settings.foveation = scene.settings.foveation;
    choose_blur(&rig->settings, scene.settings.own.blur_sigma_px);
    assert_int_equal(fovea_vk_set_settings(rig->fovea, &rig->settings), FOVEA_OK);
    struct test_image src = blur_scene_draw(&scene);
    struct test_image dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
    assert_int_equal(
        rig_frame(rig, RIG_ENGINE_TO_ENGINE, format, &src.view, rig_gaze(0.5, 0.5), &dst.view),
        FOVEA_OK);
    blur_assert_exact(&scene, &src.view, &dst.view);
    image_free(&src);
    image_free(&dst);
}

static void frames_are_the_reference(void **state)
{
    (void)state;
    static const VkFormat formats[] = {
        VK_FORMAT_R8G8B8A8_UNORM,           VK_FORMAT_B8G8R8A8_UNORM,
        VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_A2R10G10B10_UNORM_PACK32,
        VK_FORMAT_B10G11R11_UFLOAT_PACK32,  VK_FORMAT_R16G16B16A16_SFLOAT};
    struct rig rig;
    rig_open(&rig, NULL);
    for (uint64_t i = 0; i < 60; i++) {
        check(&rig, formats[i % 6], i, i % 10 == 9 ? 256.0 : 24.0);
    }
    rig_close(&rig);
}

static void sigma_0_copies_every_bit(void **state)
{
    (void)state;
    struct rig rig;
    struct fovea_settings settings = rig_settings();
    choose_blur(&settings, 0.0);
    rig_open(&rig, &settings);
    struct test_image src = image_make_packed(75, 50, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(75, 50, FOVEA_FORMAT_RGBA8);
    image_draw(&src.view, IMAGE_RANDOM, 3);
    assert_int_equal(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, VK_FORMAT_R8G8B8A8_UNORM, &src.view,
                               rig_gaze(0.5, 0.5), &dst.view),
                     FOVEA_OK);
    compare_assert_all_same(&dst.view, &src.view, "sigma 0");
    image_free(&src);
    image_free(&dst);
    rig_close(&rig);
}

/* Nothing of the other eye comes over the seam. */
static void views_are_each_a_picture_of_their_own(void **state)
{
    (void)state;
    static const double sigmas[] = {2.0, 9.0};
    for (int i = 0; i < 2; i++) {
        struct blur_scene scene = {.settings = rig_settings(), .format = FOVEA_FORMAT_RGBA8};
        choose_blur(&scene.settings, sigmas[i]);
        struct rig rig;
        rig_open(&rig, &scene.settings);
        const struct stereo halves = stereo_side_by_side();
        struct test_image src = stereo_picture(&halves, IMAGE_RANDOM, 11);
        struct test_image dst = stereo_picture(&halves, IMAGE_STROKES, 12);
        assert_int_equal(stereo_run(&rig, &halves, RIG_ENGINE_TO_ENGINE, &src.view, &dst.view),
                         FOVEA_OK);
        for (uint32_t v = 0; v < halves.view_count; v++) {
            struct test_image in = stereo_cut_out(&halves, &halves.views[v], &src.view);
            struct test_image out = stereo_cut_out(&halves, &halves.views[v], &dst.view);
            scene.width_px = in.view.width_px;
            scene.height_px = in.view.height_px;
            blur_assert_exact(&scene, &in.view, &out.view);
            image_free(&in);
            image_free(&out);
        }
        image_free(&src);
        image_free(&dst);
        rig_close(&rig);
    }
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_the_reference),
        cmocka_unit_test(sigma_0_copies_every_bit),
        cmocka_unit_test(views_are_each_a_picture_of_their_own),
    };
    return RIG_RUN(argc, argv, tests);
}
