/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fragments of wide blur, which come from levels (kernels/foveate/plan/fragment.h), in Vulkan
 * images against the double-precision reference: pictures of full contrast, in which the end of a
 * truncated filter shows. */

#include "cmocka_all.h"
#include "compare.h"
#include "rig.h"
#include "sanitized.h"

#include <stdio.h>
#include <stdlib.h>

#define WIDTH_PX 150
#define HEIGHT_PX 70

static const uint32_t sides[] = {24, 4, 7, 12, 128, 6, 5, 17, 9};
static const double strengths[] = {2.0, 1.2, 1.6, 2.2, 3.0, 4.5, 8.0};
static const struct fovea_point_uv gazes[] = {
    {5.5 / WIDTH_PX, 61.25 / HEIGHT_PX}, {0.62, 0.41}, {0, 0}, {1, 1}, {1.4, -0.3}};

#define AT(list, i) ((list)[(size_t)(i) % (sizeof(list) / sizeof(list)[0])])

static void expect_reference(const struct fovea_foveation *foveation, const struct fovea_image *src,
                             struct fovea_point_uv gaze, const struct fovea_image *actual,
                             const char *what)
{
    struct foveate_plan *plan = NULL;
    assert_int_equal(foveate_plan_create(foveation, src->width_px, src->height_px, &plan),
                     FOVEA_OK);
    const struct foveate_frame frame = foveate_frame_make(plan, gaze);
    foveate_plan_destroy(&plan);
    double *expected = compare_expected(foveation, src, &frame);
    struct compare_budget budget = foveation->model == FOVEA_MODEL_PAPER
                                       ? compare_budget_of(src->format)
                                       : compare_budget_bank(src->format);
    if (rig_backend() == FOVEA_BACKEND_CUDA && src->format == FOVEA_FORMAT_A2B10G10R10) {
        budget.max_abs = 1.0; /* of 1,023: weights and samples are halves there */
    }
    compare_assert_close(actual, expected, budget, what);
    free(expected);
}

static void check(struct rig *rig, VkFormat format, enum rig_path path, int drawn,
                  struct fovea_point_uv gaze)
{
    const struct fovea_foveation *foveation = &rig->settings.foveation;
    const enum fovea_format pixel = rig_pixel_format(format);
    struct test_image src = image_make_packed(WIDTH_PX, HEIGHT_PX, pixel);
    struct test_image dst = image_make_packed(WIDTH_PX, HEIGHT_PX, pixel);
    image_draw_contrast(&src.view, drawn);
    assert_int_equal(fovea_vk_set_settings(rig->fovea, &rig->settings), FOVEA_OK);
    assert_int_equal(
        rig_frame(rig, path, format, &src.view, rig_gaze(gaze.x_uv, gaze.y_uv), &dst.view),
        FOVEA_OK);
    char what[200];
    snprintf(what, sizeof what,
             "%s, %s, model %d, fragment %u, strength %g, light %d, rule %d, alpha %d, format %d, "
             "picture %d, gaze %.2f %.2f",
             rig_backend_name(), rig_path_name(path), (int)foveation->model,
             foveation->paper.fragment_px, foveation->strength, (int)foveation->light,
             (int)foveation->paper.filter_length, (int)foveation->alpha, (int)format, drawn,
             gaze.x_uv, gaze.y_uv);
    expect_reference(foveation, &src.view, gaze, &dst.view, what);
    image_free(&src);
    image_free(&dst);
}

static void check_all(enum fovea_light light, enum fovea_filter_length rule)
{
    static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                       VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_A2R10G10B10_UNORM_PACK32};
    struct rig rig;
    rig_open(&rig, NULL);
    struct fovea_foveation *foveation = &rig.settings.foveation;
    foveation->light = light;
    foveation->paper.filter_length = rule;
    for (int i = test_first(3 * IMAGE_CONTRAST_COUNT); i < 3 * IMAGE_CONTRAST_COUNT;
         i += TEST_STEP(i)) {
        foveation->paper.fragment_px = AT(sides, i);
        foveation->strength = AT(strengths, i);
        foveation->alpha = i % 5 == 3 ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
        check(&rig, AT(formats, i), (enum rig_path)(i % RIG_PATH_COUNT), i % IMAGE_CONTRAST_COUNT,
              AT(gazes, i / 2));
    }
    rig_close(&rig);
}

static void stored_values_are_the_reference(void **state)
{
    check_all(FOVEA_LIGHT_ENCODED, FOVEA_FILTER_LENGTH_CODE);
    check_all(FOVEA_LIGHT_ENCODED, FOVEA_FILTER_LENGTH_PRINTED);
}

static void light_is_the_reference(void **state)
{
    check_all(FOVEA_LIGHT_LINEAR, FOVEA_FILTER_LENGTH_CODE);
    check_all(FOVEA_LIGHT_LINEAR, FOVEA_FILTER_LENGTH_PRINTED);
}

/* Fragments that go by a law have a bank of filters, of which gazes in the picture need a part. */
static void laws_are_the_reference(void **state)
{
    struct rig rig;
    rig_open(&rig, NULL);
    struct fovea_foveation *foveation = &rig.settings.foveation;
    foveation->geometry.ppd = 30.0;
    foveation->cutoff_gain = 0.05;
    foveation->map.kind = FOVEA_MAP_STREAK;
    for (int i = test_first(3 * IMAGE_CONTRAST_COUNT); i < 3 * IMAGE_CONTRAST_COUNT;
         i += TEST_STEP(i)) {
        foveation->model = i % 2 ? FOVEA_MODEL_MAP : FOVEA_MODEL_PHYSICAL;
        foveation->model = i % 4 == 2 ? FOVEA_MODEL_RELATIVE : foveation->model;
        foveation->light = i / 2 % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
        foveation->paper.fragment_px = AT(sides, i + 1);
        foveation->strength = AT(strengths, i / 2);
        check(&rig, i % 3 ? VK_FORMAT_R8G8B8A8_UNORM : VK_FORMAT_A2B10G10R10_UNORM_PACK32,
              RIG_MADE_TO_MADE, i % IMAGE_CONTRAST_COUNT, AT(gazes, i / 2));
    }
    rig_close(&rig);
}

/* A plan that has made levels for one format is asked for floats, which come from pixels, and the
 * other way round. */
static void formats_take_turns(void **state)
{
    static const VkFormat formats[] = {
        VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT,
        VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_B10G11R11_UFLOAT_PACK32};
    struct rig rig;
    rig_open(&rig, NULL);
    rig.settings.foveation.paper.fragment_px = 6;
    rig.settings.foveation.strength = 2.0;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        check(&rig, formats[i], RIG_ENGINE_TO_ENGINE, IMAGE_HALF, gazes[1]);
    }
    rig_close(&rig);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_values_are_the_reference),
        cmocka_unit_test(light_is_the_reference),
        cmocka_unit_test(laws_are_the_reference),
        cmocka_unit_test(formats_take_turns),
    };
    return rig_run(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
