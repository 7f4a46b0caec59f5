/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* If a lens makes the source smaller, bilinear sums leave out some of it. How much that shows on
 * a zone plate, in double precision: against the mean over each pixel's own square, of the plate
 * itself and of the plate foveated. docs/lens.md has the numbers. */

#include "cmocka_all.h"
#include "images.h"
#include "kernels/foveate/foveate.h"
#include "kernels/lens/lens.h"

#define WIDTH_PX 384
#define HEIGHT_PX 216
#define PARTS 4 /* of a pixel, along either axis */
#define COUNT ((size_t)WIDTH_PX * HEIGHT_PX)

static double *make(void)
{
    double *made = test_memory(COUNT, sizeof *made);
    return made;
}

/* Grey light from 0 to 1, up to the frequency of Nyquist in the corners. */
static double *zone_plate(void)
{
    double *plate = make();
    const double farthest = hypot(WIDTH_PX, HEIGHT_PX) / 2;
    for (size_t i = 0; i < COUNT; i++) {
        const double x = (double)(i % WIDTH_PX) + 0.5 - WIDTH_PX / 2.0;
        const double y = (double)(i / WIDTH_PX) + 0.5 - HEIGHT_PX / 2.0;
        plate[i] = 0.5 + 0.5 * cos(3.14159265358979 * (x * x + y * y) / (2 * farthest));
    }
    return plate;
}

/* The pixels at (right, below) of where they are. samples: the setting. */
static void warp(const double *src, double *dst, bool *outside, uint32_t samples, double right,
                 double below)
{
    struct fovea_settings settings = fovea_settings_default();
    const struct lens_reference reference = {.own = &settings.own,
                                             .view = &settings.foveation.geometry,
                                             .off_x_px = right,
                                             .off_y_px = below,
                                             .width_px = WIDTH_PX,
                                             .height_px = HEIGHT_PX,
                                             .channels = 1};
    settings.own.lens_samples = samples;
    settings.own.lens_r2 = 0.22;
    settings.own.lens_r4 = 0.24;
    settings.own.lens_shift_x -= right / WIDTH_PX;
    settings.own.lens_shift_y -= below / HEIGHT_PX;
    lens_reference(&reference, src, dst, outside);
}

static double level_of(double light)
{
    return 255.0 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055);
}

struct aliasing {
    double rms; /* levels of 8 bits, of pixels whose square lies inside */
    double most;
};

/* A picture's means over the squares of pixels. */
struct squares {
    const double *src;
    double mean[COUNT];
    bool outside[COUNT]; /* some of the square */
};

static struct squares *squares_of(const double *src)
{
    struct squares *squares = test_memory(1, sizeof *squares);
    OWNED(owned_free) double *part = make();
    OWNED(owned_free) bool *outside = test_memory(COUNT, sizeof *outside);
    squares->src = src;
    for (int i = 0; i < PARTS * PARTS; i++) {
        warp(src, part, outside, 0, (i % PARTS + 0.5) / PARTS - 0.5,
             (i / PARTS + 0.5) / PARTS - 0.5);
        for (size_t at = 0; at < COUNT; at++) {
            squares->mean[at] += part[at] / (PARTS * PARTS);
            squares->outside[at] = squares->outside[at] || outside[at];
        }
    }
    return squares;
}

/* samples: the setting. */
static struct aliasing aliasing_of(const struct squares *squares, uint32_t samples)
{
    OWNED(owned_free) double *plain = make();
    OWNED(owned_free) bool *outside = test_memory(COUNT, sizeof *outside);
    struct aliasing aliasing = {0};
    size_t count = 0;
    warp(squares->src, plain, outside, samples, 0, 0);
    for (size_t at = 0; at < COUNT; at++) {
        const bool counts = !outside[at] && !squares->outside[at];
        const double off = counts ? level_of(plain[at]) - level_of(squares->mean[at]) : 0.0;
        aliasing.rms += off * off;
        aliasing.most = fmax(aliasing.most, fabs(off));
        count += counts;
    }
    aliasing.rms = sqrt(aliasing.rms / (double)count);
    return aliasing;
}

static struct aliasing foveated(const double *plate, double gaze_x_uv, double gaze_y_uv)
{
    struct fovea_settings settings = fovea_settings_default();
    const double gaze_px[2] = {gaze_x_uv * WIDTH_PX, gaze_y_uv * HEIGHT_PX};
    OWNED(owned_free) double *picture = make();
    assert_ok(foveate_reference_smooth(&settings.foveation, WIDTH_PX, HEIGHT_PX, 1, plate, picture,
                                       gaze_px, 1));
    OWNED(owned_free) struct squares *squares = squares_of(picture);
    const struct aliasing aliasing = aliasing_of(squares, 0);
    return aliasing;
}

/* The zone plate's, for both tests. */
static struct squares *plate;

static void foveation_leaves_little_to_alias(void **state)
{
    const struct aliasing plain = aliasing_of(plate, 0);
    const struct aliasing centre = foveated(plate->src, 0.5, 0.5);
    const struct aliasing aside = foveated(plate->src, 0.1, 0.5);
    print_message("aliasing, levels, rms and most: %.2f %.1f; foveated, gaze in the centre %.2f "
                  "%.1f, at the left %.2f %.1f\n",
                  plain.rms, plain.most, centre.rms, centre.most, aside.rms, aside.most);
    assert_true(plain.rms > 10.0);
    assert_true(centre.rms < 0.05 * plain.rms);
    assert_true(aside.rms < 0.1 * plain.rms);
}

/* The mean over the square is itself of 4x4 places, so that 4x4 is off by nothing. */
static void more_places_alias_less(void **state)
{
    struct aliasing aliasing[4];
    for (uint32_t samples = 0; samples < 4; samples++) {
        aliasing[samples] = aliasing_of(plate, samples);
        print_message("aliasing with %u x %u places: %.2f %.1f\n", samples + 1, samples + 1,
                      aliasing[samples].rms, aliasing[samples].most);
    }
    assert_true(aliasing[1].rms < 0.5 * aliasing[0].rms);
    assert_true(aliasing[2].rms < 0.5 * aliasing[1].rms);
    assert_true(aliasing[3].most < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(foveation_leaves_little_to_alias),
                                       cmocka_unit_test(more_places_alias_less)};
    double *src = zone_plate();
    plate = squares_of(src);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(plate);
    free(src);
    return failed;
}
