/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Levels as light and back. */

#include "test_foveate_support.h"

#include "kernels/image/pixel_light.h"

static double exact_level(double light, double white)
{
    return white * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055);
}

/* SMPTE ST 2084, and ITU-R BT.2100 HLG of grey: light of a display of 1000 cd/m^2. */
static double exact_pq(double light, double white)
{
    const double y = pow(light, 0.1593017578125);
    return white * pow((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375);
}

static double exact_hlg(double display, double white)
{
    const double a = 0.17883277;
    const double light = pow(display, 1 / 1.2);
    return white * (light <= 1.0 / 12 ? sqrt(3 * light)
                                      : a * log(12 * light - 1 + 4 * a) + 0.5 - a * log(4 * a));
}

static const struct {
    enum fovea_transfer transfer;
    double (*exact)(double light, double white);
} functions[] = {{FOVEA_TRANSFER_SRGB, exact_level},
                 {FOVEA_TRANSFER_PQ, exact_pq},
                 {FOVEA_TRANSFER_HLG, exact_hlg}};

static void init(struct pixel_light *light, enum fovea_format format, enum fovea_transfer transfer)
{
    pixel_light_init(
        light, format,
        &(struct pixel_transfer){.light = IMAGE_LIGHT_SRGB + (int32_t)transfer, .value = 1.2f});
}

TEST(every_level_comes_back_to_the_bit)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_A2B10G10R10};
    for (int i = 0; i < 6; i++) {
        struct pixel_light light;
        init(&light, formats[i % 2], functions[i / 2].transfer);
        for (uint32_t level = 0; level <= light.highest_level; level++) {
            float value = (float)level;
            pixel_light_from_levels(&light, &value, 1, 1, 1);
            assert_true(value >= 0.0f && value <= 1.0f);
            const double exact = functions[i / 2].exact((double)value, light.highest_level);
            assert_true(fabs(exact - (double)level) < 0.002);
            pixel_light_to_levels(&light, &value, 1, 1, 1);
            assert_true(fabsf(value - (float)level) < 0.002f);
        }
    }
}

/* The error must be small beside half a level, and no smaller light may get a higher level. PQ and
 * HLG show the darkest light too: it is gone through by its octaves. */
TEST(levels_follow_the_transfer_function)
{
    for (int i = 0; i < 6; i++) {
        struct pixel_light light;
        init(&light, FOVEA_FORMAT_A2B10G10R10, functions[i % 3].transfer);
        float before = 0.0f;
        for (int n = 0; n <= 1000000; n++) {
            float value = i < 3 ? (float)(n / 1e6) : (float)exp2(-44.0 * (1 - n / 1e6));
            const double exact = functions[i % 3].exact((double)value, 1023.0);
            pixel_light_to_levels(&light, &value, 1, 1, 1);
            assert_that(fabs((double)value - exact) <= (exact < 0.1 ? 0.02 : 0.0015) &&
                            value >= before,
                        "function %d, part %d: level %.5f, expected %.5f, the one before %.5f",
                        i % 3, n, (double)value, exact, (double)before);
            before = value;
        }
    }
}

/* BT.2100 and, from 100 to 10,000 cd/m^2, BT.2390. */
TEST(the_system_gamma_follows_the_peak)
{
    static const double gammas[][2] = {{0, 1.2},         {1000, 1.2},      {400, 1.03287},
                                       {2000, 1.32643},  {100, 0.84591},   {10000, 1.70232},
                                       {399.9, 1.04408}, {2000.1, 1.33321}};
    for (size_t i = 0; i < sizeof gammas / sizeof gammas[0]; i++) {
        assert_true(fabs(pixel_light_system_gamma(gammas[i][0]) - gammas[i][1]) < 1e-4);
    }
}

/* Saturated colours, whose luminance is not their largest: by the letter of BT.2100 to light, and
 * back. */
TEST(hlg_couples_the_colours)
{
    static const double peaks[] = {100, 400, 1000, 2000, 10000};
    static const float colors[][3] = {{1023, 0, 0},    {0, 1023, 0},      {0, 0, 1023},
                                      {1, 0, 1023},    {512, 700, 3},     {0, 0, 1},
                                      {1023, 1023, 1}, {1023, 1023, 1023}};
    for (size_t n = 0; n < 5 * 2 * sizeof colors / sizeof colors[0]; n++) {
        const double peak = peaks[n % 5];
        const bool blue_first = n / 5 % 2;
        const float *levels = colors[n / 10];
        struct pixel_light light;
        pixel_light_init(&light, FOVEA_FORMAT_A2B10G10R10,
                         &(struct pixel_transfer){.light = IMAGE_LIGHT_HLG,
                                                  .value = (float)pixel_light_system_gamma(peak)});
        light.blue_first = blue_first;
        float v[3] = {levels[0], levels[1], levels[2]};
        pixel_light_from_levels(&light, v, 1, 3, 3);
        double scene[3];
        for (int c = 0; c < 3; c++) {
            const double e = (double)levels[c] / 1023;
            scene[c] =
                e <= 0.5 ? e * e / 3 : (exp((e - 0.55991073) / 0.17883277) + 0.28466892) / 12;
        }
        const double y = 0.2627 * scene[blue_first ? 2 : 0] + 0.6780 * scene[1] +
                         0.0593 * scene[blue_first ? 0 : 2];
        const double factor = pow(y, pixel_light_system_gamma(peak) - 1);
        for (int c = 0; c < 3; c++) {
            assert_true(fabs((double)v[c] - factor * scene[c]) <= 1e-5 * factor * scene[c]);
        }
        pixel_light_to_levels(&light, v, 1, 3, 3);
        for (int c = 0; c < 3; c++) {
            assert_true(fabsf(v[c] - levels[c]) < 0.004f);
        }
    }
}

/* A screen's gamma and samples of its light, dark ones the same: the lowest level of such light
 * comes back. */
TEST(a_display_of_its_own_comes_back)
{
    static const float samples[] = {0, 0, 0.001f, 0.004f, 0.02f, 0.1f, 0.3f, 0.31f, 0.7f, 1, 1};
    static const float gammas[] = {1, 1.8f, 2.2f, 3};
    for (int i = 0; i < 5; i++) {
        struct pixel_transfer transfer = {.light = IMAGE_LIGHT_TABLE, 11, samples};
        if (i < 4) {
            transfer = (struct pixel_transfer){.light = IMAGE_LIGHT_GAMMA, gammas[i]};
        }
        struct pixel_light light;
        pixel_light_init(&light, FOVEA_FORMAT_A2B10G10R10, &transfer);
        for (int level = 0; level <= 1023; level++) {
            float value = (float)level;
            pixel_light_from_levels(&light, &value, 1, 1, 1);
            const double x = level / 1023.0;
            const int at = level < 1023 ? (int)(x * 10) : 9;
            const double exact =
                i < 4 ? pow(x, (double)gammas[i])
                      : (double)samples[at] +
                            (x * 10 - at) * ((double)samples[at + 1] - (double)samples[at]);
            assert_true(fabs((double)value - exact) <= 1e-6 * exact);
            pixel_light_to_levels(&light, &value, 1, 1, 1);
            const double back = i < 4 ? level : fmin(x <= 0.1 ? 0 : level, 0.9 * 1023);
            assert_true(fabs((double)value - back) < 0.004);
        }
    }
}

TEST(light_outside_the_range_is_clamped)
{
    struct pixel_light light;
    init(&light, FOVEA_FORMAT_RGBA8, FOVEA_TRANSFER_SRGB);
    float values[] = {-0.1f, 1.5f, NAN, INFINITY, -INFINITY, 1e-30f, 0.99999f};
    pixel_light_to_levels(&light, values, 7, 1, 1);
    assert_true(values[0] == 0.0f && values[1] == 255.0f && values[2] == 0.0f);
    assert_true(values[3] == 255.0f && values[4] == 0.0f && values[5] < 1e-20f);
    assert_true(values[6] > 254.99f && values[6] < 255.0f);
}

TEST(alpha_is_no_light)
{
    struct pixel_light light;
    init(&light, FOVEA_FORMAT_RGBA8, FOVEA_TRANSFER_SRGB);
    float values[] = {255.0f, 128.0f, 0.0f, 77.0f, 10.0f, 20.0f, 30.0f, 40.0f};
    pixel_light_from_levels(&light, values, 2, 4, 3);
    assert_true(values[0] == 1.0f && values[3] == 77.0f && values[7] == 40.0f);
    assert_float_equal(values[1], 0.215861, 1e-6);
    pixel_light_to_levels(&light, values, 2, 4, 3);
    assert_true(values[0] == 255.0f && values[3] == 77.0f && values[7] == 40.0f);
}

TEST(float_formats_hold_light_already)
{
    for (int format = FOVEA_FORMAT_NONE; format <= FOVEA_FORMAT_R32F; format++) {
        assert_int_equal(pixel_light_known((enum fovea_format)format),
                         format >= FOVEA_FORMAT_RGBA8 && format <= FOVEA_FORMAT_A2B10G10R10);
    }
}
