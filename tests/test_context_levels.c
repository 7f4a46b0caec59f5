/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images of whole numbers of 16 bits: foveated as the reference in double precision says, in every
 * light; what is not changed stays bit for bit; in planes and batches they are what they are
 * alone. */

#include "test_context_support.h"

#include "compare.h"
#include "kernels/chain/chain.h"
#include "kernels/foveate/operator/foveate_operator.h"
#include "levels_rows.h"

#define WIDTH_PX 150
#define HEIGHT_PX 70

static const struct fovea_point_uv gaze = {0.3, 0.6};

static double *expected_of(const struct fovea_settings *settings, const struct fovea_image *src)
{
    const struct operator_plan_desc desc = {
        .settings = settings, .width_px = src->width_px, .height_px = src->height_px};
    struct operator_plan *plan = NULL;
    assert_ok(foveate_operator.plan_create(&desc, &plan));
    const struct gauss_frame frame = gauss_frame_make(gauss_plan_of(plan), gaze);
    foveate_operator.plan_destroy(&plan);
    return compare_expected(&settings->foveation, src, &frame);
}

static double worst_of(const struct fovea_image *actual, const double *expected)
{
    const uint32_t channels = image_channels(actual->format);
    double worst = 0.0;
    for (uint32_t i = 0; i < WIDTH_PX * HEIGHT_PX * channels; i++) {
        const uint32_t pixel = i / channels;
        const double got = image_get(actual, pixel % WIDTH_PX, pixel / WIDTH_PX, i % channels);
        worst = fmax(worst, fabs(got - expected[i]));
    }
    return worst;
}

TEST_OF_NO_RACE(pictures_are_the_reference)
{
    for (size_t r = 0; r < LEVELS_ROWS; r++) {
        struct said said = {0};
        const struct fovea_settings settings = levels_settings(&levels_rows[r]);
        OWNED(fovea_context_destroy) struct fovea_context *context = context_of(&settings, &said);
        double worst = 0.0;
        for (int picture = 0; picture < IMAGE_CONTRAST_COUNT; picture++) {
            const enum fovea_format format = (enum fovea_format)(FOVEA_FORMAT_RGBA16 + picture % 3);
            OWNED_IMAGE src = image_make(WIDTH_PX, HEIGHT_PX, format,
                                         (struct image_layout){.row_gap = 3, .pixel_gap = 1});
            OWNED_IMAGE dst = image_make(WIDTH_PX, HEIGHT_PX, format,
                                         (struct image_layout){.bottom_up = true, .row_gap = 1});
            image_draw_contrast(&src.view, picture);
            assert_ok(fovea_context_run(context, &src.view, &dst.view, gaze, NULL));
            OWNED(owned_free) double *expected = expected_of(&settings, &src.view);
            worst = fmax(worst, worst_of(&dst.view, expected));
            assert_true(image_guards_intact(&dst));
        }
        print_message("%-22s %5.0f levels of 65535\n", levels_rows[r].name, worst);
        assert_that(worst <= levels_rows[r].most, "%s: %g levels off", levels_rows[r].name, worst);
        assert_silent(&said);
    }
}

static void run_row(const struct fovea_settings *settings, struct fovea_operators row,
                    const struct test_image *src, const struct test_image *dst)
{
    struct said said = {0};
    struct fovea_settings own = *settings;
    own.operators = row;
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(&own, &said);
    assert_ok(fovea_context_run(context, &src->view, &dst->view, gaze, NULL));
    assert_silent(&said);
}

/* Noise up to half of white: its spline undershoots, and overshoots nothing. */
TEST(a_spline_stays_within_levels_in_a_row)
{
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA16, IMAGE_RANDOM, 3);
    OWNED_IMAGE between = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA16);
    OWNED_IMAGE expected = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA16);
    OWNED_IMAGE row = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA16);
    for (uint32_t i = 0; i < 4 * WIDTH_PX * HEIGHT_PX; i++) {
        const uint32_t x = i / 4 % WIDTH_PX;
        const uint32_t y = i / 4 / WIDTH_PX;
        image_set(&src.view, x, y, i % 4, image_get(&src.view, x, y, i % 4) * 0.5);
    }
    for (size_t r = 0; r < LEVELS_ROWS; r++) {
        struct compare_rect where;
        struct fovea_settings settings = levels_settings(&levels_rows[r]);
        settings.foveation.alpha = FOVEA_ALPHA_PREMULTIPLIED;
        settings.own.lens_filter = 2;
        run_row(&settings, (struct fovea_operators){1, {FOVEA_OPERATOR_lens}}, &src, &between);
        run_row(&settings, (struct fovea_operators){1, {FOVEA_OPERATOR_blur}}, &between, &expected);
        run_row(&settings, (struct fovea_operators){2, {FOVEA_OPERATOR_lens, FOVEA_OPERATOR_blur}},
                &src, &row);
        const double off = compare_largest(&row.view, &expected.view, &where);
        print_message("%-22s %5.0f levels\n", levels_rows[r].name, off);
        assert_that(off <= 4.0, "%s: %g levels off", levels_rows[r].name, off);
    }
}

static const char *summary_of(const struct fovea_settings *settings, bool of_16_bits,
                              char out[OPERATOR_DESCRIPTION_BYTES])
{
    const struct operator_plan_desc desc = {.settings = settings,
                                            .width_px = WIDTH_PX,
                                            .height_px = HEIGHT_PX,
                                            .of_16_bits = of_16_bits};
    struct operator_plan *plan = NULL;
    assert_ok(chain_operator.plan_create(&desc, &plan));
    chain_operator.plan_summarize(plan, out, OPERATOR_DESCRIPTION_BYTES);
    assert_true(chain_operator.plan_fits(plan, &desc));
    chain_operator.plan_destroy(&plan);
    return out;
}

TEST(plans_name_the_light_of_levels)
{
    for (size_t r = 0; r < LEVELS_ROWS; r++) {
        const struct fovea_settings settings = levels_settings(&levels_rows[r]);
        char words[2][OPERATOR_DESCRIPTION_BYTES];
        assert_string_equal(summary_of(&settings, true, words[0]),
                            summary_of(&settings, false, words[1]));
    }
}

/* A lens shows blanks, where the picture has nothing, as they are stored, in every light. */
TEST_OF_NO_RACE(blanks_of_a_lens_are_levels)
{
    OWNED_IMAGE src = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA16);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA16);
    image_draw(&src.view, IMAGE_RANDOM, 1);
    for (size_t r = 0; r < LEVELS_ROWS; r++) {
        struct said said = {0};
        struct fovea_settings settings = levels_settings(&levels_rows[r]);
        settings.operators = (struct fovea_operators){1, {FOVEA_OPERATOR_lens}};
        settings.own.lens_blank_red = settings.own.lens_blank_green = 0.5;
        settings.own.lens_blank_blue = 0.25;
        OWNED(fovea_context_destroy) struct fovea_context *context = context_of(&settings, &said);
        assert_ok(fovea_context_run(context, &src.view, &dst.view, gaze, NULL));
        for (uint32_t c = 0; c < 3; c++) {
            const double got = image_get(&dst.view, 0, 0, c);
            assert_that(fabs(got - (c < 2 ? 32768.0 : 16384.0)) <= 1.0, "%s: channel %u is %g",
                        levels_rows[r].name, c, got);
        }
    }
}

/* All levels that there are. */
TEST(what_is_not_blurred_stays)
{
    OWNED_IMAGE src = image_make_packed(256, 256, FOVEA_FORMAT_R16);
    OWNED_IMAGE dst = image_make_packed(256, 256, FOVEA_FORMAT_R16);
    for (uint32_t i = 0; i < 65536; i++) {
        image_set(&src.view, i % 256, i / 256, 0, i);
    }
    for (size_t r = 0; r < LEVELS_ROWS; r++) {
        struct said said = {0};
        struct fovea_settings settings = levels_settings(&levels_rows[r]);
        settings.foveation.strength = 0.0;
        OWNED(fovea_context_destroy) struct fovea_context *context = context_of(&settings, &said);
        assert_ok(fovea_context_run(context, &src.view, &dst.view, gaze, NULL));
        compare_assert_all_same(&dst.view, &src.view, levels_rows[r].name);
    }
}

/* Pixels go to planes, all three of one picture. */
TEST(planes_and_batches_are_as_single_pictures)
{
    enum { COUNT = 3 };
    static const float gazes_uv[2 * COUNT] = {0.3f, 0.6f, 0.8f, 0.1f, 0.5f, 0.5f};
    struct said said = {0};
    const struct fovea_settings settings = levels_settings(&levels_rows[0]);
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(&settings, &said);
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGB16, IMAGE_PHOTO, 3);
    OWNED_IMAGE planes = image_make_packed(WIDTH_PX, COUNT * 3 * HEIGHT_PX, FOVEA_FORMAT_R16);
    OWNED_IMAGE one = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGB16);
    struct fovea_batch batch;
    fovea_batch_init(&batch);
    batch.count = COUNT;
    batch.src = src.view;
    batch.dst = planes.view;
    batch.dst.height_px = HEIGHT_PX;
    batch.dst.format = FOVEA_FORMAT_RGB16;
    batch.dst_plane_bytes = HEIGHT_PX * planes.view.row_stride_bytes;
    batch.dst_next_bytes = 3 * batch.dst_plane_bytes;
    batch.gazes_uv = gazes_uv;
    assert_ok(fovea_context_run_batch(context, &batch, NULL));
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct fovea_point_uv own = {(double)gazes_uv[2 * i], (double)gazes_uv[2 * i + 1]};
        assert_ok(fovea_context_run(context, &src.view, &one.view, own, NULL));
        for (uint32_t p = 0; p < WIDTH_PX * HEIGHT_PX * 3; p++) {
            const uint32_t x = p / 3 % WIDTH_PX;
            const uint32_t y = p / 3 / WIDTH_PX;
            assert_true(image_get(&one.view, x, y, p % 3) ==
                        image_get(&planes.view, x, (3 * i + p % 3) * HEIGHT_PX + y, 0));
        }
    }
    assert_silent(&said);
}
