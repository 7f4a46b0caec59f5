/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Vulkan images of PQ and HLG, averaged as light: both methods against the double-precision
 * reference, with pictures of full contrast. */

#include "cmocka_all.h"
#include "compare.h"
#include "rig.h"
#include "sanitized.h"

#define WIDTH_PX 160
#define HEIGHT_PX 90

static const double peaks[] = {1000, 400, 2000, 100, 10000};

static struct foveate_frame frame_of(const struct fovea_foveation *foveation, VkFormat format,
                                     struct fovea_point_uv gaze)
{
    struct foveate_plan *plan = NULL;
    assert_int_equal(foveate_plan_create(foveation, WIDTH_PX, HEIGHT_PX, &plan), FOVEA_OK);
    struct foveate_frame frame = foveate_frame_make(plan, gaze);
    frame.light = image_light_in_order(frame.light, format == VK_FORMAT_A2R10G10B10_UNORM_PACK32 ||
                                                        format == VK_FORMAT_B8G8R8A8_UNORM);
    foveate_plan_destroy(&plan);
    return frame;
}

static void check(struct rig *rig, VkFormat format, int picture, struct fovea_point_uv gaze)
{
    const struct fovea_foveation *foveation = &rig->settings.foveation;
    enum fovea_format pixel = rig_pixel_format(format);
    struct test_image src = image_make_packed(WIDTH_PX, HEIGHT_PX, pixel);
    struct test_image dst = image_make_packed(WIDTH_PX, HEIGHT_PX, pixel);
    image_draw_contrast(&src.view, picture);
    assert_int_equal(fovea_vk_set_settings(rig->fovea, &rig->settings), FOVEA_OK);
    assert_int_equal(rig_frame(rig, RIG_ENGINE_TO_ENGINE, format, &src.view,
                               rig_gaze(gaze.x_uv, gaze.y_uv), &dst.view),
                     FOVEA_OK);
    struct foveate_frame frame = frame_of(foveation, format, gaze);
    double *expected = compare_expected(foveation, &src.view, &frame);
    struct compare_budget budget = compare_budget_for(foveation, pixel);
    budget.max_mean_abs = picture == IMAGE_CHECKER ? 0.5 : 0.1; /* of halves */
    char what[160];
    snprintf(
        what, sizeof what,
        "%s, transfer %d, light %d, table %u, peak %g, method %d, model %d, format %d, picture %d",
        rig_backend_name(), (int)foveation->transfer, (int)foveation->light,
        foveation->display.table_count, foveation->display.hlg_peak_cd_m2, (int)foveation->method,
        (int)foveation->model, (int)format, picture);
    compare_assert_close(&dst.view, expected, budget, what);
    free(expected);
    image_free(&src);
    image_free(&dst);
}

static void check_all(enum fovea_method method)
{
    static const VkFormat formats[] = {VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                       VK_FORMAT_R8G8B8A8_UNORM};
    static const struct fovea_point_uv gazes[] = {{0.39, 0.27}, {0.02, 0.9}, {1.3, -0.2}};
    struct rig rig;
    rig_open(&rig, NULL);
    struct fovea_foveation *foveation = &rig.settings.foveation;
    foveation->method = method;
    foveation->light = FOVEA_LIGHT_LINEAR;
    foveation->paper.fragment_px = 16;
    foveation->geometry.ppd = 4.0;
    for (int i = test_first(2 * 2 * IMAGE_CONTRAST_COUNT); i < 2 * 2 * IMAGE_CONTRAST_COUNT;
         i += TEST_STEP(i)) {
        foveation->transfer = i % 2 ? FOVEA_TRANSFER_HLG : FOVEA_TRANSFER_PQ;
        foveation->display.hlg_peak_cd_m2 = peaks[i / 2 % 5];
        foveation->model = i % 3 == 2 ? FOVEA_MODEL_PHYSICAL : FOVEA_MODEL_PAPER;
        foveation->alpha = i / 4 % 3 ? FOVEA_ALPHA_KEEP : FOVEA_ALPHA_PREMULTIPLIED;
        check(&rig, formats[i / 2 % 2], i / 4, gazes[i % 5 % 3]);
    }
    rig_close(&rig);
}

TEST(blockwise_is_the_reference)
{
    check_all(FOVEA_METHOD_BLOCKWISE);
}

TEST(smooth_is_the_reference)
{
    check_all(FOVEA_METHOD_SMOOTH);
}

/* The three colours of HLG depend on each other, so it counts which of them is red. */
TEST(coloured_hlg_is_the_reference)
{
    static const VkFormat formats[] = {VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                       VK_FORMAT_A2R10G10B10_UNORM_PACK32, VK_FORMAT_R8G8B8A8_UNORM,
                                       VK_FORMAT_B8G8R8A8_UNORM};
    struct rig rig;
    rig_open(&rig, NULL);
    rig.settings.foveation.light = FOVEA_LIGHT_LINEAR;
    rig.settings.foveation.transfer = FOVEA_TRANSFER_HLG;
    for (int i = test_first(10); i < 10; i += TEST_STEP(i)) {
        rig.settings.foveation.method = (enum fovea_method)(i / 5);
        rig.settings.foveation.display.hlg_peak_cd_m2 = peaks[i % 5];
        check(&rig, formats[i % 4], IMAGE_COLORS, (struct fovea_point_uv){0.2, 0.3});
    }
    rig_close(&rig);
}

TEST(a_display_of_its_own_is_the_reference)
{
    static const VkFormat formats[] = {VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                       VK_FORMAT_B8G8R8A8_UNORM};
    struct rig rig;
    rig_open(&rig, NULL);
    for (int i = test_first(2 * COMPARE_DISPLAYS); i < 2 * COMPARE_DISPLAYS; i += TEST_STEP(i)) {
        struct fovea_foveation *foveation = &rig.settings.foveation;
        foveation->method = (enum fovea_method)(i / COMPARE_DISPLAYS);
        foveation->light = compare_display(i % COMPARE_DISPLAYS, &foveation->display);
        foveation->model = i % 5 ? FOVEA_MODEL_PAPER : FOVEA_MODEL_PHYSICAL;
        check(&rig, formats[i / 3 % 2], i % (IMAGE_COLORS + 1), (struct fovea_point_uv){0.2, 0.3});
    }
    rig_close(&rig);
}

/* Half floats keep to what they hold, light or not. */
TEST(half_floats_are_averaged_as_stored)
{
    struct rig rig;
    rig_open(&rig, NULL);
    struct test_image src = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA16F);
    struct test_image dst[2];
    image_draw(&src.view, IMAGE_PHOTO, 3);
    for (int i = 0; i < 2; i++) {
        dst[i] = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA16F);
        rig.settings.foveation.light = FOVEA_LIGHT_LINEAR;
        rig.settings.foveation.transfer = i ? FOVEA_TRANSFER_PQ : FOVEA_TRANSFER_SRGB;
        assert_int_equal(fovea_vk_set_settings(rig.fovea, &rig.settings), FOVEA_OK);
        assert_int_equal(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, VK_FORMAT_R16G16B16A16_SFLOAT,
                                   &src.view, rig_gaze(0.3, 0.4), &dst[i].view),
                         FOVEA_OK);
    }
    struct compare_rect where = {0};
    assert_true(compare_largest(&dst[0].view, &dst[1].view, &where) <=
                2e-3 * image_white(FOVEA_FORMAT_RGBA16F, 0));
    image_free(&src);
    image_free(&dst[0]);
    image_free(&dst[1]);
    rig_close(&rig);
}

TEST(an_unknown_transfer_is_refused)
{
    struct rig rig;
    rig_open(&rig, NULL);
    rig.settings.foveation.transfer = (enum fovea_transfer)3;
    assert_int_equal(fovea_vk_set_settings(rig.fovea, &rig.settings), FOVEA_ERROR_INVALID_ARGUMENT);
    rig_close(&rig);
}
