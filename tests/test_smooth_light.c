/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Levels as light and back. */

#include "test_foveate_support.h"

#include "pixel_light.h"

#include <math.h>

static double exact_level(double light, double white)
{
    return white * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055);
}

static void every_level_comes_back_to_the_bit(void **state)
{
    (void)state;
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_A2B10G10R10};
    for (int i = 0; i < 2; i++) {
        struct pixel_light light;
        pixel_light_init(&light, formats[i], FOVEA_TRANSFER_SRGB);
        for (uint32_t level = 0; level <= light.highest_level; level++) {
            float value = (float)level;
            pixel_light_from_levels(&light, &value, 1, 1, 1);
            assert_true(value >= 0.0f && value <= 1.0f);
            pixel_light_to_levels(&light, &value, 1, 1, 1);
            assert_true(fabsf(value - (float)level) < 0.001f);
        }
    }
}

/* The error must be small beside half a level, and no smaller light may get a higher level. */
static void levels_follow_the_transfer_function(void **state)
{
    (void)state;
    struct pixel_light light;
    pixel_light_init(&light, FOVEA_FORMAT_A2B10G10R10, FOVEA_TRANSFER_SRGB);
    float before = 0.0f;
    for (int i = 0; i <= 2000000; i++) {
        const double exact = i / 2000000.0;
        float value = (float)exact;
        pixel_light_to_levels(&light, &value, 1, 1, 1);
        if (fabs((double)value - exact_level(exact, 1023.0)) > 0.0015 || value < before) {
            fail_msg("light %.7f: level %.5f, expected %.5f, the one before %.5f", exact,
                     (double)value, exact_level(exact, 1023.0), (double)before);
        }
        before = value;
    }
}

static void light_outside_the_range_is_clamped(void **state)
{
    (void)state;
    struct pixel_light light;
    pixel_light_init(&light, FOVEA_FORMAT_RGBA8, FOVEA_TRANSFER_SRGB);
    float values[] = {-0.1f, 1.5f, NAN, INFINITY, -INFINITY, 1e-30f, 0.99999f};
    pixel_light_to_levels(&light, values, 7, 1, 1);
    assert_true(values[0] == 0.0f && values[1] == 255.0f && values[2] == 0.0f);
    assert_true(values[3] == 255.0f && values[4] == 0.0f && values[5] < 1e-20f);
    assert_true(values[6] > 254.99f && values[6] < 255.0f);
}

static void alpha_is_no_light(void **state)
{
    (void)state;
    struct pixel_light light;
    pixel_light_init(&light, FOVEA_FORMAT_RGBA8, FOVEA_TRANSFER_SRGB);
    float values[] = {255.0f, 128.0f, 0.0f, 77.0f, 10.0f, 20.0f, 30.0f, 40.0f};
    pixel_light_from_levels(&light, values, 2, 4, 3);
    assert_true(values[0] == 1.0f && values[3] == 77.0f && values[7] == 40.0f);
    assert_float_equal(values[1], 0.215861, 1e-6);
    pixel_light_to_levels(&light, values, 2, 4, 3);
    assert_true(values[0] == 255.0f && values[3] == 77.0f && values[7] == 40.0f);
}

static void float_formats_hold_light_already(void **state)
{
    (void)state;
    for (int format = FOVEA_FORMAT_NONE; format <= FOVEA_FORMAT_RGBA32F; format++) {
        assert_int_equal(pixel_light_known((enum fovea_format)format),
                         format >= FOVEA_FORMAT_RGBA8 && format <= FOVEA_FORMAT_A2B10G10R10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_comes_back_to_the_bit),
        cmocka_unit_test(levels_follow_the_transfer_function),
        cmocka_unit_test(light_outside_the_range_is_clamped),
        cmocka_unit_test(alpha_is_no_light),
        cmocka_unit_test(float_formats_hold_light_already),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
