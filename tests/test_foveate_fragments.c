/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fragments of wide blur on the cpu against the double-precision reference: pictures of full
 * contrast, in which the end of the reference's truncated filter shows. */

#include "sanitized.h"
#include "test_foveate_support.h"

#include "compare.h"
#include "images.h"

#include <stdio.h>
#include <stdlib.h>

#define WIDTH_PX 150
#define HEIGHT_PX 70

static const uint32_t sides[] = {24, 4, 7, 12, 128, 6};
static const double strengths[] = {0.7, 1.2, 1.6, 2.2, 3.0, 4.5};

static void check(const struct fovea_foveation *foveation, enum fovea_format format, int drawn)
{
    struct test_image src = image_make_packed(WIDTH_PX, HEIGHT_PX, format);
    image_draw_contrast(&src.view, drawn);
    assert_exact_picture(
        *foveation,
        &(struct exact_case){WIDTH_PX, HEIGHT_PX, format, (enum image_pattern)drawn, 5.5, 61.25},
        &src.view, 1.0);
    image_free(&src);
}

static void check_all(enum fovea_light light, enum fovea_filter_length rule)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_A2B10G10R10,
                                                FOVEA_FORMAT_RGB8};
    for (int i = test_first(6 * IMAGE_CONTRAST_COUNT); i < 6 * IMAGE_CONTRAST_COUNT;
         i += TEST_STEP(i)) {
        struct fovea_foveation foveation = paper_settings(sides[i % 6]);
        foveation.strength = strengths[i % 6];
        foveation.light = light;
        foveation.paper.filter_length = rule;
        check(&foveation, formats[i % 2], i / 6);
    }
    struct fovea_foveation foveation = paper_settings(6);
    foveation.strength = 2.0;
    foveation.light = light;
    foveation.alpha = FOVEA_ALPHA_PREMULTIPLIED;
    check(&foveation, FOVEA_FORMAT_RGBA8, IMAGE_POINTS);
    check(&foveation, formats[2], IMAGE_HALF);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_values_are_the_reference),
        cmocka_unit_test(light_is_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
