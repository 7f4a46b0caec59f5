/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every format in every layout: strides, gaps, bottom up, both alpha modes. */

#include "test_foveate_support.h"

#include "compare.h"
#include "images.h"

#define WIDTH_PX 75
#define HEIGHT_PX 50

static const enum fovea_format formats[] = {
    FOVEA_FORMAT_RGBA8,      FOVEA_FORMAT_RGB8,    FOVEA_FORMAT_R8,      FOVEA_FORMAT_A2B10G10R10,
    FOVEA_FORMAT_B10G11R11F, FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_RGBA32F, FOVEA_FORMAT_RGB16F,
    FOVEA_FORMAT_R16F,       FOVEA_FORMAT_RGB32F,  FOVEA_FORMAT_R32F,
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

static const struct image_layout layouts[] = {
    {0},
    {.row_gap = 3},
    {.bottom_up = true},
    {.pixel_gap = 1},
    {.bottom_up = true, .row_gap = 5, .pixel_gap = 2},
};
#define LAYOUT_COUNT (sizeof layouts / sizeof *layouts)

static void check_layouts(enum fovea_format format, enum fovea_alpha alpha,
                          struct image_layout src_layout, struct image_layout dst_layout)
{
    struct fovea_foveation settings = paper_settings(8);
    settings.alpha = alpha;
    struct test_image src = image_make(WIDTH_PX, HEIGHT_PX, format, src_layout);
    struct test_image dst = image_make(WIDTH_PX, HEIGHT_PX, format, dst_layout);
    image_draw(&src.view, IMAGE_RANDOM, format);
    struct rig rig = rig_make(settings, WIDTH_PX, HEIGHT_PX);
    const struct foveate_frame frame = rig_run(&rig, &src.view, &dst.view, 20.5, 31);
    double *expected = compare_expected(&settings, &src.view, &frame);
    char what[64];
    snprintf(what, sizeof what, "format %d, alpha %d", (int)format, (int)alpha);
    compare_assert_close(&dst.view, expected, compare_budget_for(&settings, format), what);
    assert_true(image_guards_intact(&src));
    assert_true(image_guards_intact(&dst));
    free(expected);
    rig_finish(&rig);
    image_free(&src);
    image_free(&dst);
}

TEST(every_format_in_every_layout)
{
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        for (size_t s = 0; s < LAYOUT_COUNT; s++) {
            for (size_t d = 0; d < LAYOUT_COUNT; d++) {
                check_layouts(formats[f], FOVEA_ALPHA_KEEP, layouts[s], layouts[d]);
            }
            check_layouts(formats[f], FOVEA_ALPHA_PREMULTIPLIED, layouts[s],
                          layouts[LAYOUT_COUNT - 1 - s]);
        }
    }
}

static void set_alpha_bits(const struct fovea_image *image, uint32_t x, uint32_t y, uint32_t bits)
{
    unsigned char *pixel = image_pixel(image, x, y);
    if (image->format == FOVEA_FORMAT_RGBA16F) {
        const uint16_t half = (uint16_t)bits;
        memcpy(pixel + 6, &half, 2);
    } else {
        memcpy(pixel + 12, &bits, 4);
    }
}

/* Kept alpha is bits, not a number: signalling NaN, denormals and minus zero come through. */
TEST(kept_alpha_comes_through_bit_by_bit)
{
    static const uint32_t bits[] = {0x7f800001u, 0xffc12345u, 0x80000000u, 0x00000001u, 0x7c01u};
    static const enum fovea_format floats[] = {FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_RGBA32F,
                                               FOVEA_FORMAT_RGB16F, FOVEA_FORMAT_R32F};
    for (size_t f = 0; f < 2; f++) {
        const size_t alpha_at = f == 0 ? 6 : 12;
        const size_t alpha_bytes = f == 0 ? 2 : 4;
        struct test_image src = image_make_packed(WIDTH_PX, HEIGHT_PX, floats[f]);
        struct test_image dst = image_make_packed(WIDTH_PX, HEIGHT_PX, floats[f]);
        image_draw(&src.view, IMAGE_PHOTO, 3);
        for (uint32_t i = 0; i < WIDTH_PX * HEIGHT_PX; i++) {
            set_alpha_bits(&src.view, i % WIDTH_PX, i / WIDTH_PX, bits[i % 5] + (i << 8 & 0xff00u));
        }
        struct rig rig = rig_make(paper_settings(8), WIDTH_PX, HEIGHT_PX);
        rig_run(&rig, &src.view, &dst.view, 20, 20);
        for (uint32_t i = 0; i < WIDTH_PX * HEIGHT_PX; i++) {
            const unsigned char *in = image_pixel(&src.view, i % WIDTH_PX, i / WIDTH_PX);
            const unsigned char *out = image_pixel(&dst.view, i % WIDTH_PX, i / WIDTH_PX);
            assert_memory_equal(in + alpha_at, out + alpha_at, alpha_bytes);
        }
        rig_finish(&rig);
        image_free(&src);
        image_free(&dst);
    }
}

/* Premultiplied: one opaque pixel on nothing. Colour and alpha must spread alike. */
TEST(premultiplied_alpha_spreads_like_colour)
{
    struct fovea_foveation settings = paper_settings(8);
    settings.alpha = FOVEA_ALPHA_PREMULTIPLIED;
    struct test_image src = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA32F);
    struct test_image dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA32F);
    image_fill(&src.view, 0.0);
    for (uint32_t c = 0; c < 4; c++) {
        image_set(&src.view, 60, 40, c, 1.0);
    }
    struct rig rig = rig_make(settings, WIDTH_PX, HEIGHT_PX);
    rig_run(&rig, &src.view, &dst.view, 10, 10);
    double sum = 0.0;
    for (uint32_t y = 0; y < HEIGHT_PX; y++) {
        for (uint32_t x = 0; x < WIDTH_PX; x++) {
            assert_true(image_get(&dst.view, x, y, 0) == image_get(&dst.view, x, y, 3));
            sum += image_get(&dst.view, x, y, 3);
        }
    }
    assert_true(sum > 0.5 && sum < 1.5); /* neighbouring fragments have other filters */
    assert_true(image_get(&dst.view, 60, 40, 3) < 0.1);
    rig_finish(&rig);
    image_free(&src);
    image_free(&dst);
}

TEST(largest_finite_values_stay_finite)
{
    static const enum fovea_format floats[] = {FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_B10G11R11F};
    for (size_t i = 0; i < 2; i++) {
        struct test_image src = image_make_packed(WIDTH_PX, HEIGHT_PX, floats[i]);
        struct test_image dst = image_make_packed(WIDTH_PX, HEIGHT_PX, floats[i]);
        image_fill(&src.view, 65504.0);
        struct rig rig = rig_make(paper_settings(8), WIDTH_PX, HEIGHT_PX);
        rig_run(&rig, &src.view, &dst.view, 30, 30);
        compare_assert_all_same(&dst.view, &src.view, "largest finite value");
        rig_finish(&rig);
        image_free(&src);
        image_free(&dst);
    }
}
