/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method on the cpu where it goes by squares of one level: not too steep, no float
 * format. */

#include "sanitized.h"
#include "test_foveate_support.h"

#include "compare.h"
#include "images.h"
#include "kernels/foveate/cpu/tiles/tile.h"
#include "kernels/foveate/model/slope.h"

/* A sigma that is nearly the same everywhere. */
static struct fovea_foveation even_settings(double sigma_px)
{
    struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_CURVE);
    const double ppd = 40.0;
    settings.geometry = (struct fovea_geometry){.ppd = ppd};
    settings.curve =
        (struct fovea_curve){.count = 1, .cutoff_cpd = {ppd / (2.0 * 3.14159265358979 * sigma_px)}};
    settings.light = FOVEA_LIGHT_ENCODED;
    return settings;
}

static void assert_goes_by_squares(const struct foveate_plan *plan)
{
    assert_true(foveate_slope_of(plan).slope <= FOVEATE_CPU_TILE_MAX_SLOPE);
}

/* ---- Exactness */

static void check(struct fovea_foveation settings, uint32_t width_px, uint32_t height_px,
                  enum fovea_format format, enum image_pattern pattern)
{
    const struct exact_case c = {width_px, height_px,      format,
                                 pattern,  0.4 * width_px, 0.3 * height_px};
    struct foveate_plan *plan = plan_of(&settings, width_px, height_px);
    assert_goes_by_squares(plan);
    foveate_plan_destroy(&plan);
    struct test_image src = image_make_packed(width_px, height_px, format);
    image_draw(&src.view, pattern, 7);
    assert_exact_picture(settings, &c, &src.view, 2.0); /* all pixels may be of the worst sigma */
    image_free(&src);
}

TEST(every_sigma_on_every_pattern)
{
    static const double sigmas_px[] = {0.45, 0.7, 1.3, 1.99, 2.01, 3.0, 3.99, 4.02, 6.0, 8.1, 17.0};
    for (size_t i = 0; i < sizeof sigmas_px / sizeof *sigmas_px; i++) {
        for (int pattern = 0; pattern < IMAGE_PATTERN_COUNT; pattern++) {
            struct fovea_foveation settings = even_settings(sigmas_px[i]);
            settings.light = i % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
            check(settings, 150, 70, FOVEA_FORMAT_RGBA8, (enum image_pattern)pattern);
        }
    }
}

TEST(every_format_and_both_kinds_of_alpha)
{
    for (int i = test_first(32); i < 32; i += TEST_STEP(i)) {
        struct fovea_foveation settings = even_settings(i / 16 ? 4.5 : 0.9);
        settings.alpha = (enum fovea_alpha)(i % 2);
        settings.light = i / 2 % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
        check(settings, 93, 51, (enum fovea_format)(FOVEA_FORMAT_RGBA8 + i / 4 % 4), IMAGE_PHOTO);
    }
}

/* Squares are 32, 64 or 128 pixels wide, registers 4 or 8. */
TEST(every_odd_size)
{
    static const uint32_t sizes[][2] = {{1, 1},   {7, 9},   {1, 40},  {130, 1}, {33, 31},
                                        {64, 65}, {129, 3}, {127, 8}, {128, 5}, {257, 130}};
    for (size_t i = 0; i < 3 * sizeof sizes / sizeof *sizes; i++) {
        const struct fovea_foveation settings = even_settings(i % 3 == 0   ? 1.2
                                                              : i % 3 == 1 ? 2.6
                                                                           : 4.4);
        check(settings, sizes[i / 3][0], sizes[i / 3][1], FOVEA_FORMAT_RGBA8, IMAGE_RANDOM);
    }
}

/* ---- Against the other way */

static double light_of(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

static double encoded_of(double light)
{
    return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
}

/* The same values in a float format, which is blended from nodes. */
struct both {
    struct test_image bytes;
    struct test_image blurred;
    struct test_image floats;
    struct test_image blended;
    bool light;
};

static struct both both_make(uint32_t width_px, uint32_t height_px, enum image_pattern pattern,
                             bool light)
{
    struct both both = {
        .bytes = image_make_packed(width_px, height_px, FOVEA_FORMAT_RGBA8),
        .blurred = image_make_packed(width_px, height_px, FOVEA_FORMAT_RGBA8),
        .floats = image_make_packed(width_px, height_px, FOVEA_FORMAT_RGBA32F),
        .blended = image_make_packed(width_px, height_px, FOVEA_FORMAT_RGBA32F),
        .light = light,
    };
    image_draw(&both.bytes.view, pattern, 3);
    for (uint32_t i = 0; i < 3 * width_px * height_px; i++) {
        const uint32_t x = i / 3 % width_px;
        const uint32_t y = i / 3 / width_px;
        const double level = image_get(&both.bytes.view, x, y, i % 3) / 255.0;
        image_set(&both.floats.view, x, y, i % 3, light ? light_of(level) : level);
    }
    return both;
}

static void both_free(struct both *both)
{
    image_free(&both->bytes);
    image_free(&both->blurred);
    image_free(&both->floats);
    image_free(&both->blended);
}

static void both_compare(const struct both *both, const char *what)
{
    const struct fovea_image *view = &both->blurred.view;
    double sum = 0.0;
    for (uint32_t i = 0; i < 3 * view->width_px * view->height_px; i++) {
        const uint32_t x = i / 3 % view->width_px;
        const uint32_t y = i / 3 / view->width_px;
        const double value = image_get(&both->blended.view, x, y, i % 3);
        const double level = 255.0 * (both->light ? encoded_of(value) : value);
        const double error = fabs(level - image_get(view, x, y, i % 3));
        sum += error;
        if (!(error <= 2.0)) {
            fail_msg("%s: %g levels at %u,%u", what, error, x, y);
        }
    }
    const double mean = sum / (3.0 * view->width_px * view->height_px);
    if (mean > 0.51) { /* rounding alone is 0.25, and 0.5 where a checker becomes 127.5 */
        fail_msg("%s: %g levels on average", what, mean);
    }
}

/* All levels and the fovea in one picture; squares meet others of every other size. */
TEST(whole_pictures_are_as_those_of_nodes)
{
    static const double gazes[][2] = {{640, 360}, {20, 700}, {-300, 100}, {1281.5, 333.25}};
    for (int i = 0; i < 2 * IMAGE_PATTERN_COUNT; i++) {
        const enum image_pattern pattern = (enum image_pattern)(i / 2);
        struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
        settings.light = i % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
        struct both both = both_make(1281, 723, pattern, i % 2);
        struct rig rig = rig_make(settings, 1281, 723);
        assert_goes_by_squares(rig.plan);
        rig_run(&rig, &both.bytes.view, &both.blurred.view, gazes[i % 4][0], gazes[i % 4][1]);
        rig_run(&rig, &both.floats.view, &both.blended.view, gazes[i % 4][0], gazes[i % 4][1]);
        both_compare(&both, image_pattern_name(pattern));
        rig_finish(&rig);
        both_free(&both);
    }
}

/* ---- Identities */

TEST(flat_pictures_stay_flat)
{
    static const double sigmas_px[] = {0.6, 2.7, 5.0};
    for (int i = 0; i < 6; i++) {
        struct fovea_foveation settings = even_settings(sigmas_px[i / 2]);
        settings.light = i % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
        static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_A2B10G10R10};
        for (int f = 0; f < 2; f++) {
            struct rig rig = rig_make(settings, 70, 40);
            struct test_image src = image_make_packed(70, 40, formats[f]);
            struct test_image dst = image_make_packed(70, 40, formats[f]);
            for (int level = 0; level < (f ? 1024 : 256); level++) {
                image_fill(&src.view, 0);
                for (uint32_t p = 0; p < 70 * 40; p++) {
                    image_set(&src.view, p % 70, p / 70, 1, level);
                }
                rig_run(&rig, &src.view, &dst.view, 20, 10);
                compare_assert_all_same(&dst.view, &src.view, "flat");
            }
            rig_finish(&rig);
            image_free(&src);
            image_free(&dst);
        }
    }
}

TEST(mirrored_pictures_have_mirrored_results)
{
    struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
    settings.light = FOVEA_LIGHT_ENCODED;
    struct rig rig = rig_make(settings, 1280, 768);
    struct test_image images[5];
    for (int i = 0; i < 5; i++) {
        images[i] = image_make_packed(1280, 768, FOVEA_FORMAT_RGBA8);
    }
    image_draw(&images[0].view, IMAGE_RANDOM, 5);
    image_mirror(&images[0].view, &images[1].view, true, true);
    rig_run(&rig, &images[0].view, &images[2].view, 400.5, 300.25);
    rig_run(&rig, &images[1].view, &images[3].view, 1280 - 400.5, 768 - 300.25);
    image_mirror(&images[3].view, &images[4].view, true, true);
    struct compare_rect where = {0};
    assert_true(compare_largest(&images[4].view, &images[2].view, &where) <= 1.0);
    for (int i = 0; i < 5; i++) {
        image_free(&images[i]);
    }
    rig_finish(&rig);
}

/* ---- Compilations */

#ifdef FOVEATE_CPU_HAVE_AVX2
static void run_squares(const struct foveate_cpu_tiles *tiles,
                        const struct foveate_cpu_picture *picture)
{
    const struct foveate_plan *plan = picture->plan;
    float *scratch = calloc(foveate_cpu_tile_floats(plan->width_px), sizeof *scratch);
    assert_non_null(scratch);
    for (int32_t k = 1; k < (int32_t)plan->level_count; k++) {
        tiles->level_rows(picture, scratch, k, -FOVEATE_MARGIN,
                          plan->levels[k].height + FOVEATE_MARGIN);
    }
    for (int32_t y = 0; y < (int32_t)plan->height_px; y += FOVEATE_CPU_TILE_PX) {
        for (int32_t x = 0; x < (int32_t)plan->width_px; x += FOVEATE_CPU_TILE_PX) {
            tiles->make(picture, scratch, x, y);
        }
    }
    free(scratch);
}

/* The AVX2 one where the processor has no more. */
static const struct foveate_cpu_tiles *widest(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? &foveate_cpu_tiles_avx512
               : &foveate_cpu_tiles_avx2;
}

TEST(all_compilations_agree)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        skip();
    }
    const struct fovea_foveation settings = smooth_settings(FOVEA_MODEL_PAPER);
    struct foveate_plan *plan = plan_of(&settings, 1025, 633);
    struct test_image src = image_make_packed(1025, 633, FOVEA_FORMAT_RGBA8);
    struct test_image base = image_make_packed(1025, 633, FOVEA_FORMAT_RGBA8);
    struct test_image avx2 = image_make_packed(1025, 633, FOVEA_FORMAT_RGBA8);
    struct test_image wide = image_make_packed(1025, 633, FOVEA_FORMAT_RGBA8);
    image_draw(&src.view, IMAGE_STROKES, 3);
    float *samples = calloc((size_t)plan->level_samples * 4 + 64, sizeof *samples);
    assert_non_null(samples);
    struct pixel_light light;
    pixel_light_init(&light, FOVEA_FORMAT_RGBA8,
                     &(struct pixel_transfer){.light = IMAGE_LIGHT_SRGB});
    for (int i = 0; i < 2; i++) {
        struct foveate_cpu_picture picture = {
            .plan = plan,
            .view = {.src = src.view, .dst = base.view, .frame = frame_at(plan, 300, 400)},
            .codec = pixel_codec_of(FOVEA_FORMAT_RGBA8),
            .light = i ? &light : NULL,
            .channels = 3,
            .samples = samples,
            .slope = foveate_slope_of(plan).slope,
        };
        run_squares(&foveate_cpu_tiles_base, &picture);
        picture.view.dst = avx2.view;
        run_squares(&foveate_cpu_tiles_avx2, &picture);
        picture.view.dst = wide.view;
        run_squares(widest(), &picture);
        struct compare_rect where = {0};
        assert_true(compare_largest(&avx2.view, &base.view, &where) <= 1.0);
        assert_true(compare_largest(&wide.view, &base.view, &where) <= 1.0);
        assert_true(image_guards_intact(&base) && image_guards_intact(&avx2) &&
                    image_guards_intact(&wide));
    }
    free(samples);
    image_free(&src);
    image_free(&base);
    image_free(&avx2);
    image_free(&wide);
    foveate_plan_destroy(&plan);
}
#endif
