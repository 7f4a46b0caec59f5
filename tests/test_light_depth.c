/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The bits of a picture leave this of its contrasts: the largest and the mean error of its
 * luminance, as a part of it, against the double-precision reference. The table of docs/quality.md
 * is what this prints. */

#include "test_foveate_support.h"

#define WIDTH_PX 320
#define HEIGHT_PX 180
#define LEAST_LIGHT 0.05 /* of white: darker pixels do not count */

struct depth {
    const char *name;
    enum fovea_format format;
    enum fovea_light light;
    enum fovea_method method;
    double largest; /* at most, as a part of the luminance */
};

static const struct depth depths[] = {
    {"RGBA8", FOVEA_FORMAT_RGBA8, FOVEA_LIGHT_LINEAR, FOVEA_METHOD_SMOOTH, 0.025},
    {"A2B10G10R10", FOVEA_FORMAT_A2B10G10R10, FOVEA_LIGHT_LINEAR, FOVEA_METHOD_SMOOTH, 0.012},
    {"A2B10G10R10, gamma", FOVEA_FORMAT_A2B10G10R10, FOVEA_LIGHT_GAMMA, FOVEA_METHOD_SMOOTH, 0.006},
    {"RGBA16F", FOVEA_FORMAT_RGBA16F, FOVEA_LIGHT_LINEAR, FOVEA_METHOD_SMOOTH, 0.006},
    {"RGBA32F", FOVEA_FORMAT_RGBA32F, FOVEA_LIGHT_LINEAR, FOVEA_METHOD_SMOOTH, 0.006},
};

static double luminance_of(const struct depth *depth, double value)
{
    const double x = value / image_white(depth->format, 0);
    if (image_is_float(depth->format)) {
        return value;
    }
    return depth->light == FOVEA_LIGHT_GAMMA ? pow(x, 2.2)
           : x <= 0.04045                    ? x / 12.92
                                             : pow((x + 0.055) / 1.055, 2.4);
}

/* A coarse grating under a fine one that changes its frequency. */
static void draw_gratings(const struct fovea_image *image)
{
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            const double value =
                0.5 + 0.25 * sin(0.05 * x + 0.031 * y) + 0.2 * sin(x * (0.3 + 0.001 * y));
            const double white = image_white(image->format, 0);
            for (uint32_t c = 0; c < 3; c++) {
                image_set(image, x, y, c,
                          image_is_float(image->format) ? value : floor(value * white + 0.5));
            }
        }
    }
}

static void measure(const struct depth *depth, const struct fovea_image *actual,
                    const double *expected, const char *picture)
{
    const uint32_t channels = image_channels(depth->format);
    double largest = 0.0;
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < (size_t)WIDTH_PX * HEIGHT_PX * 3; i++) {
        const uint32_t x = (uint32_t)(i / 3 % WIDTH_PX);
        const uint32_t y = (uint32_t)(i / 3 / WIDTH_PX);
        const double wanted = luminance_of(depth, expected[i / 3 * channels + i % 3]);
        if (wanted > LEAST_LIGHT) {
            const double got = luminance_of(depth, image_get(actual, x, y, (uint32_t)(i % 3)));
            largest = fmax(largest, fabs(got / wanted - 1.0));
            sum += fabs(got / wanted - 1.0);
            count++;
        }
    }
    print_message("%-24s %-9s largest %.3f %%, mean %.4f %%\n", depth->name, picture, 100 * largest,
                  100 * sum / (double)count);
    assert_true(count > WIDTH_PX * HEIGHT_PX);
    assert_true(largest <= depth->largest);
}

static void check(const struct depth *depth, int picture)
{
    static const char *const names[] = {"gratings", "photo", "noise"};
    static const enum image_pattern patterns[] = {IMAGE_PHOTO, IMAGE_PHOTO, IMAGE_RANDOM};
    struct fovea_foveation foveation = smooth_settings(FOVEA_MODEL_PAPER);
    foveation.method = depth->method;
    foveation.light = depth->light;
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, depth->format, patterns[picture], 3);
    OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, depth->format);
    if (picture == 0) {
        draw_gratings(&src.view);
    }
    OWNED(rig_finish) struct rig rig = rig_make(foveation, WIDTH_PX, HEIGHT_PX);
    const struct gauss_frame frame =
        rig_run(&rig, &src.view, &dst.view, 0.4 * WIDTH_PX, 0.4 * HEIGHT_PX);
    OWNED(owned_free) double *expected = compare_expected(&foveation, &src.view, &frame);
    measure(depth, &dst.view, expected, names[picture]);
}

TEST(more_bits_leave_finer_contrasts)
{
    for (size_t i = 0; i < 3 * sizeof depths / sizeof depths[0]; i++) {
        check(&depths[i / 3], (int)(i % 3));
    }
}

/* The numbers of docs/quality.md: a level more, as a part of the luminance. */
TEST(a_level_is_so_much_contrast)
{
    static const struct {
        enum fovea_format format;
        int level, more;
        double contrast;
    } cases[] = {
        {FOVEA_FORMAT_RGBA8, 128, 1, 0.0170},       {FOVEA_FORMAT_RGBA8, 64, 1, 0.0310},
        {FOVEA_FORMAT_RGBA8, 254, 1, 0.0090},       {FOVEA_FORMAT_RGBA8, 128, 2, 0.0341},
        {FOVEA_FORMAT_RGBA8, 128, 3, 0.0514},       {FOVEA_FORMAT_A2B10G10R10, 512, 1, 0.0042},
        {FOVEA_FORMAT_A2B10G10R10, 256, 1, 0.0077}, {FOVEA_FORMAT_A2B10G10R10, 1022, 1, 0.0022}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct depth depth = {.format = cases[i].format, .light = FOVEA_LIGHT_LINEAR};
        const double low = luminance_of(&depth, cases[i].level);
        const double high = luminance_of(&depth, cases[i].level + cases[i].more);
        assert_true(fabs(high / low - 1.0 - cases[i].contrast) < 0.0001);
    }
}
