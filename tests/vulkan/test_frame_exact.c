/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What an engine gets back, compared with the double-precision reference pixel by pixel. */

#include "cmocka_all.h"
#include "compare.h"
#include "rig.h"
#include "sanitized.h"

static const struct {
    VkFormat format;
    const char *name;
} formats[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, "R8G8B8A8_UNORM"},
    {VK_FORMAT_R8G8B8A8_SRGB, "R8G8B8A8_SRGB"},
    {VK_FORMAT_B8G8R8A8_UNORM, "B8G8R8A8_UNORM"},
    {VK_FORMAT_B8G8R8A8_SRGB, "B8G8R8A8_SRGB"},
    {VK_FORMAT_A8B8G8R8_UNORM_PACK32, "A8B8G8R8_UNORM"},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, "A2B10G10R10_UNORM"},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, "B10G11R11_UFLOAT"},
    {VK_FORMAT_R16G16B16A16_SFLOAT, "R16G16B16A16_SFLOAT"},
};
#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

static struct foveate_frame frame_of(const struct fovea_foveation *foveation, uint32_t width_px,
                                     uint32_t height_px, struct fovea_point_uv gaze)
{
    struct foveate_plan *plan = NULL;
    assert_int_equal(foveate_plan_create(foveation, width_px, height_px, &plan), FOVEA_OK);
    struct foveate_frame frame = foveate_frame_make(plan, gaze);
    foveate_plan_destroy(&plan);
    return frame;
}

static void expect_reference(struct rig *rig, const struct fovea_image *src,
                             struct fovea_point_uv gaze, const struct fovea_image *actual,
                             enum image_pattern pattern, const char *what)
{
    const struct fovea_foveation *foveation = &rig->settings.foveation;
    struct foveate_frame frame = frame_of(foveation, src->width_px, src->height_px, gaze);
    double *expected = compare_expected(foveation, src, &frame);
    struct compare_budget budget = compare_budget_for(foveation, src->format);
    if (pattern == IMAGE_CHECKER) {
        budget.max_mean_abs = 0.5; /* it blurs to 127.5: either neighbour is right */
    }
    compare_assert_close(actual, expected, budget, what);
    free(expected);
}

/* One frame on one path, against the reference. */
static void check(struct rig *rig, enum rig_path path, size_t f, uint32_t width_px,
                  uint32_t height_px, struct fovea_point_uv gaze)
{
    enum fovea_format pixel = rig_pixel_format(formats[f].format);
    struct test_image src = image_make_packed(width_px, height_px, pixel);
    struct test_image dst = image_make_packed(width_px, height_px, pixel);
    enum image_pattern pattern = (enum image_pattern)((width_px + f) % IMAGE_PATTERN_COUNT);
    image_draw(&src.view, pattern, width_px + f);
    struct fovea_gaze wanted = rig_gaze(gaze.x_uv, gaze.y_uv);
    assert_int_equal(rig_frame(rig, path, formats[f].format, &src.view, wanted, &dst.view),
                     FOVEA_OK);
    char what[160];
    snprintf(what, sizeof what, "%s, %s, %s, %ux%u, gaze %.3f %.3f", rig_backend_name(),
             formats[f].name, rig_path_name(path), width_px, height_px, gaze.x_uv, gaze.y_uv);
    expect_reference(rig, &src.view, gaze, &dst.view, pattern, what);
    image_free(&src);
    image_free(&dst);
}

static void every_format_on_every_path_is_the_reference(void **state)
{
    struct rig rig;
    rig_open(&rig, NULL);
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        const int step = test_all_cases() ? 1 : 2; /* each format on half of the paths */
        for (int path = (int)f % step; path < RIG_PATH_COUNT; path += step) {
            check(&rig, (enum rig_path)path, f, 97, 61, (struct fovea_point_uv){0.3, 0.7});
        }
    }
    rig_close(&rig);
}

static void every_size_is_the_reference(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1}, {3, 5}, {31, 33}, {64, 1}, {1, 77}, {641, 359}};
    struct rig rig;
    rig_open(&rig, NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check(&rig, RIG_ENGINE_TO_ENGINE, 0, sizes[i][0], sizes[i][1],
              (struct fovea_point_uv){0.5, 0.5});
        check(&rig, RIG_MADE_TO_MADE, FORMAT_COUNT - 1, sizes[i][0], sizes[i][1],
              (struct fovea_point_uv){0.1, 0.9});
    }
    rig_close(&rig);
}

static void every_gaze_is_the_reference(void **state)
{
    static const struct fovea_point_uv gazes[] = {{0, 0},         {1, 1},      {-0.4, 0.5},
                                                  {0.5, 1.7},     {2.5, -1.5}, {0.013, 0},
                                                  {0.501, 0.499}, {0.77, 0.23}};
    struct rig rig;
    rig_open(&rig, NULL);
    for (size_t i = (size_t)test_first((int)(2 * (sizeof gazes / sizeof gazes[0])));
         i < 2 * (sizeof gazes / sizeof gazes[0]); i += TEST_STEP(i)) {
        rig.settings.foveation.paper.fragment_px = i % 2 ? 33 : 16;
        assert_int_equal(fovea_vk_set_settings(rig.fovea, &rig.settings), FOVEA_OK);
        check(&rig, RIG_MADE_TO_MADE, 2, 131, 83, gazes[i / 2]);
    }
    rig_close(&rig);
}

static void every_fragment_is_the_reference(void **state)
{
    static const uint32_t fragments_px[] = {4, 5, 8, 20, 31, 32, 33, 48, 64, 128};
    struct rig rig;
    rig_open(&rig, NULL);
    for (size_t i = 0; i < sizeof fragments_px / sizeof fragments_px[0]; i++) {
        rig.settings.foveation.paper.fragment_px = fragments_px[i];
        assert_int_equal(fovea_vk_set_settings(rig.fovea, &rig.settings), FOVEA_OK);
        check(&rig, RIG_ENGINE_TO_ENGINE, 0, 150, 110, (struct fovea_point_uv){0.62, 0.41});
    }
    rig_close(&rig);
}

/* The models whose fragments go by a law: filters from a bank instead of the paper's rings. */
static void every_model_is_the_reference(void **state)
{
    static const uint32_t fragments_px[] = {4, 7, 16, 32, 33, 64, 128, 20};
    static const struct fovea_point_uv gazes[] = {{0, 0}, {0.62, 0.41}, {-0.4, 0.5}, {1, 0.93}};
    struct rig rig;
    rig_open(&rig, NULL);
    for (size_t i = (size_t)test_first((int)(2 * FORMAT_COUNT)); i < 2 * FORMAT_COUNT;
         i += TEST_STEP(i)) {
        struct fovea_foveation *foveation = &rig.settings.foveation;
        foveation->model = i % 2 ? FOVEA_MODEL_CURVE : FOVEA_MODEL_PHYSICAL;
        if (i % 3 == 2) {
            foveation->model = FOVEA_MODEL_MAP;
            foveation->map.kind = i % 2 ? FOVEA_MAP_STREAK : FOVEA_MAP_HUMAN;
            foveation->map.degrees = (enum fovea_map_degrees)(i / 4 % 2);
            foveation->map.cutoff_cpd = i / 4 % 2 ? 8.0 : 0.0;
        }
        if (i % 4 == 3) {
            foveation->model = FOVEA_MODEL_RELATIVE;
        }
        foveation->geometry.ppd = 3.0 + (double)i / 4.0;
        foveation->paper.fragment_px = fragments_px[i % 8];
        foveation->light = i % 3 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
        foveation->paper.filter_length = (enum fovea_filter_length)(i / 4 % 2);
        assert_int_equal(fovea_vk_set_settings(rig.fovea, &rig.settings), FOVEA_OK);
        check(&rig, (enum rig_path)(i % RIG_PATH_COUNT), i / 2, 150 + (uint32_t)i, 111,
              gazes[i / 2 % 4]);
    }
    rig_close(&rig);
}

static void every_setting_is_the_reference(void **state)
{
    struct rig rig;
    rig_open(&rig, NULL);
    for (int i = 0; i < 5; i++) {
        struct fovea_foveation *foveation = &rig.settings.foveation;
        *foveation = rig_settings().foveation;
        foveation->strength = i == 0 ? 3.0 : i == 1 ? 0.05 : 1.0;
        foveation->alpha = i == 2 ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
        foveation->paper.filter_length =
            i == 3 ? FOVEA_FILTER_LENGTH_PRINTED : FOVEA_FILTER_LENGTH_CODE;
        foveation->paper.ct0 = i == 4 ? 0.0133 : foveation->paper.ct0;
        assert_int_equal(fovea_vk_set_settings(rig.fovea, &rig.settings), FOVEA_OK);
        check(&rig, RIG_MADE_TO_ENGINE, 0, 120, 90, (struct fovea_point_uv){0.2, 0.3});
        check(&rig, RIG_MADE_TO_ENGINE, 5, 120, 90, (struct fovea_point_uv){0.2, 0.3});
        check(&rig, RIG_MADE_TO_ENGINE, 7, 120, 90, (struct fovea_point_uv){0.2, 0.3});
    }
    rig_close(&rig);
}

static void strength_zero_is_the_identity(void **state)
{
    struct fovea_settings settings = rig_settings();
    settings.foveation.strength = 0;
    struct rig rig;
    rig_open(&rig, &settings);
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        enum fovea_format pixel = rig_pixel_format(formats[f].format);
        struct test_image src = image_make_packed(75, 43, pixel);
        struct test_image dst = image_make_packed(75, 43, pixel);
        image_draw(&src.view, IMAGE_RANDOM, f);
        assert_int_equal(rig_frame(&rig, RIG_ENGINE_TO_ENGINE, formats[f].format, &src.view,
                                   rig_gaze(0.5, 0.5), &dst.view),
                         FOVEA_OK);
        compare_assert_all_same(&dst.view, &src.view, formats[f].name);
        image_free(&src);
        image_free(&dst);
    }
    rig_close(&rig);
}

/* Vulkan's fragments of 7 px come from levels, or from pixels where levels are more than a shader
 * may see. A sample has 8K's width alone. */
static void expect_eight_k(uint32_t fragment_px)
{
    const uint32_t height_px = test_all_cases() ? 4320 : 270;
    struct fovea_settings settings = rig_settings();
    settings.foveation.paper.fragment_px = fragment_px;
    settings.foveation.strength = 0.2;
    struct rig rig;
    rig_open(&rig, &settings);
    struct test_image src = image_make_packed(7680, height_px, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(7680, height_px, FOVEA_FORMAT_RGBA8);
    struct test_image cpu = image_make_packed(7680, height_px, FOVEA_FORMAT_RGBA8);
    image_draw(&src.view, IMAGE_RANDOM, 8);
    struct fovea_point_uv gaze = {0.4, 0.6};
    assert_int_equal(rig_frame(&rig, RIG_ENGINE_IN_PLACE, VK_FORMAT_R8G8B8A8_UNORM, &src.view,
                               rig_gaze(gaze.x_uv, gaze.y_uv), &dst.view),
                     FOVEA_OK);
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    settings.backend = FOVEA_BACKEND_CPU;
    desc.settings = &settings;
    struct fovea_context *context = NULL;
    assert_int_equal(fovea_context_create(&desc, &context), FOVEA_OK);
    assert_int_equal(fovea_context_run(context, &src.view, &cpu.view, gaze, NULL), FOVEA_OK);
    fovea_context_destroy(&context);
    struct compare_rect where;
    assert_true(compare_largest(&dst.view, &cpu.view, &where) <= 1.0);
    image_free(&src);
    image_free(&dst);
    image_free(&cpu);
    rig_close(&rig);
}

static void eight_k_is_foveated_everywhere(void **state)
{
    expect_eight_k(32);
    expect_eight_k(7);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_on_every_path_is_the_reference),
        cmocka_unit_test(every_size_is_the_reference),
        cmocka_unit_test(every_gaze_is_the_reference),
        cmocka_unit_test(every_fragment_is_the_reference),
        cmocka_unit_test(every_model_is_the_reference),
        cmocka_unit_test(every_setting_is_the_reference),
        cmocka_unit_test(strength_zero_is_the_identity),
        cmocka_unit_test(eight_k_is_foveated_everywhere),
    };
    /* Recorded frames run the same shaders: 8K says nothing more of them, nor under a sanitizer,
     * and takes long. */
    const size_t count = sizeof tests / sizeof tests[0];
    const bool small = TEST_SANITIZED || (argc > 1 && strcmp(argv[1], "recorded") == 0);
    return rig_run(argc, argv, tests, small ? count - 1 : count);
}
