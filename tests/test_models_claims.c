/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The numbers that docs/models.md states: computed from formulas of this file, and measured in
 * pictures of gratings that the library blurred. */

#include "test_context_support.h"

static const double pi = 3.14159265358979323846;
static const struct fovea_point_uv middle = {0.5, 0.5};

/* Geisler and Perry 1998 with the defaults. */
static double geisler_perry_cpd(double e_deg)
{
    return 2.3 / (0.106 * (e_deg + 2.3)) * log(64.0);
}

/* ---- The default curve */

/* At 5 degrees the value that the curve was taken from, 27, is 2.2 times Geisler and Perry's. */
TEST(the_default_curve_is_like_the_other_laws)
{
    const struct fovea_curve curve = fovea_settings_default().foveation.curve;
    for (uint32_t i = 1; curve.eccentricity_deg[i] <= 35.0; i++) {
        const double ratio = curve.cutoff_cpd[i] / geisler_perry_cpd(curve.eccentricity_deg[i]);
        assert_that(ratio >= 1.0 && ratio <= 1.6,
                    "%g degrees: %g cycles a degree, %.2f times Geisler and Perry's",
                    curve.eccentricity_deg[i], curve.cutoff_cpd[i], ratio);
    }
}

/* The model eye's saccades are of the size that they say before the default screen. */
TEST(the_model_eye_looks_at_the_default_screen)
{
    const struct fovea_settings settings = fovea_settings_default();
    const struct fovea_geometry *geometry = &settings.foveation.geometry;
    const double width_deg =
        2.0 * atan(geometry->screen_width_m / 2.0 / geometry->distance_m) * 180.0 / pi;
    assert_float_equal(settings.gaze.saccades_width_deg, width_deg, 0.05);
}

/* ---- Which gain removes nothing that the law calls visible */

/* A grating of full contrast at x of the cutoff loses 1 - gain^(x^2); its threshold is ct0^(1 -
 * x). */
static double largest_loss(double gain, double ct0)
{
    double largest = 0.0;
    for (int i = 1; i <= 1000; i++) {
        const double x = i / 1000.0;
        largest = fmax(largest, (1.0 - pow(gain, x * x)) / pow(ct0, 1.0 - x));
    }
    return largest;
}

TEST(the_default_gain_is_about_the_strongest_whose_loss_is_below_threshold)
{
    static const struct {
        double gain, loss;
    } table[] = {{0.8, 0.44}, {0.7, 0.69}, {0.5, 1.29}, {0.3, 2.1}, {0.1, 3.7}};
    const double gain = fovea_settings_default().foveation.cutoff_gain;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_float_equal(largest_loss(table[i].gain, 1.0 / 64), table[i].loss,
                           0.02 * table[i].loss);
    }
    assert_float_equal(largest_loss(gain, 1.0 / 64), 0.95, 0.005);
    assert_float_equal(largest_loss(gain, 0.0133), 1.04, 0.005);
    assert_true(largest_loss(0.59, 1.0 / 64) < 1.0 && largest_loss(0.58, 1.0 / 64) > 1.0);
}

/* ---- What is left of gratings in pictures */

#define GRATING_WIDTH_PX 480
#define GRATING_HEIGHT_PX 24
#define GRATING_PPD 100.0 /* narrow: pixels a degree are the same everywhere */

/* The same cutoff, and so the same sigma, everywhere. */
static struct fovea_settings settings_with_cutoff(double cycles_per_px)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CPU;
    settings.foveation.model = FOVEA_MODEL_CURVE;
    settings.foveation.curve =
        (struct fovea_curve){.count = 1, .cutoff_cpd = {cycles_per_px * GRATING_PPD}};
    settings.foveation.geometry.ppd = GRATING_PPD;
    return settings;
}

/* Looks at whole periods of a grating of that frequency, away from the edges. */
static double amplitude_of(const struct fovea_image *image, double cycles_per_px)
{
    const int periods = (int)(300.0 * cycles_per_px);
    const int from = 80;
    const int count = (int)lround(periods / cycles_per_px);
    double cosine = 0.0;
    double sine = 0.0;
    for (int x = from; x < from + count; x++) {
        const double value = image_get(image, (uint32_t)x, GRATING_HEIGHT_PX / 2, 0) - 0.5;
        cosine += value * cos(2.0 * pi * cycles_per_px * x);
        sine += value * sin(2.0 * pi * cycles_per_px * x);
    }
    return 2.0 * hypot(cosine, sine) / count;
}

static double measured_gain(double cycles_per_px)
{
    const struct fovea_settings settings = settings_with_cutoff(cycles_per_px);
    struct said said = {0};
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(&settings, &said);
    struct test_image src =
        image_make_packed(GRATING_WIDTH_PX, GRATING_HEIGHT_PX, FOVEA_FORMAT_RGBA32F);
    struct test_image dst =
        image_make_packed(GRATING_WIDTH_PX, GRATING_HEIGHT_PX, FOVEA_FORMAT_RGBA32F);
    for (uint32_t i = 0; i < GRATING_WIDTH_PX * GRATING_HEIGHT_PX; i++) {
        const uint32_t x = i % GRATING_WIDTH_PX;
        for (uint32_t c = 0; c < 4; c++) {
            image_set(&src.view, x, i / GRATING_WIDTH_PX, c,
                      0.5 + 0.5 * cos(2.0 * pi * cycles_per_px * x));
        }
    }
    assert_ok(fovea_context_run(context, &src.view, &dst.view, middle, NULL));
    const double gain =
        amplitude_of(&dst.view, cycles_per_px) / amplitude_of(&src.view, cycles_per_px);
    image_free(&src);
    image_free(&dst);
    return gain;
}

/* Returns what the library says of it. */
static double stated_gain(double cycles_per_px)
{
    const struct fovea_foveation foveation = settings_with_cutoff(cycles_per_px).foveation;
    const struct fovea_grating grating = {.cycles_per_deg = cycles_per_px * GRATING_PPD};
    float *gains = test_memory((size_t)GRATING_WIDTH_PX * GRATING_HEIGHT_PX, sizeof *gains);
    assert_ok(fovea_gain_map(&(struct fovea_settings){.foveation = foveation}, GRATING_WIDTH_PX,
                             GRATING_HEIGHT_PX, middle, &grating, gains));
    const double gain =
        (double)gains[GRATING_HEIGHT_PX / 2 * GRATING_WIDTH_PX + GRATING_WIDTH_PX / 2];
    free(gains);
    return gain;
}

/* The table "What a picture keeps at the cutoff". */
TEST(gratings_at_the_cutoff_keep_what_the_table_says)
{
    static const struct {
        double cycles_per_px, gain;
    } table[] = {{0.40, 1.000}, {0.35, 0.996}, {0.325, 0.959}, {0.30, 0.855},
                 {0.25, 0.617}, {0.20, 0.607}, {0.10, 0.607},  {0.05, 0.607}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const double measured = measured_gain(table[i].cycles_per_px);
        const double stated = stated_gain(table[i].cycles_per_px);
        print_message("%.3f cycles a pixel: measured %.4f, stated %.4f\n", table[i].cycles_per_px,
                      measured, stated);
        assert_float_equal(measured, table[i].gain, 0.0025);
        assert_float_equal(stated, measured, 0.002);
    }
}

/* ---- Maps of what a paper states */

#define VIEW_PX 200

/* A view so wide that an error in direction shows: a headset's, the gaze off the axis. */
static struct fovea_foveation wide_view(void)
{
    struct fovea_foveation foveation = fovea_settings_default().foveation;
    foveation.model = FOVEA_MODEL_PHYSICAL;
    foveation.geometry.tan_left = 1.38;
    foveation.geometry.tan_right = 0.87;
    foveation.geometry.tan_up = 0.95;
    foveation.geometry.tan_down = 1.21;
    return foveation;
}

struct ray {
    double x, y, z; /* of length 1 */
};

static struct ray ray_at(double x_px, double y_px)
{
    const double x = x_px / VIEW_PX * 2.25 - 1.38;
    const double y = y_px / VIEW_PX * 2.16 - 0.95;
    const double length = sqrt(x * x + y * y + 1.0);
    return (struct ray){x / length, y / length, 1.0 / length};
}

static double degrees_between(struct ray a, struct ray b)
{
    return acos(fmin(a.x * b.x + a.y * b.y + a.z * b.z, 1.0)) * 180.0 / pi;
}

static const struct fovea_point_uv off_axis = {0.24, 0.7};

TEST(maps_say_the_angle_and_the_laws_cutoff)
{
    static float eccentricity[VIEW_PX * VIEW_PX];
    static float cutoff[VIEW_PX * VIEW_PX];
    const struct fovea_foveation foveation = wide_view();
    assert_ok(fovea_eccentricity_map(&(struct fovea_settings){.foveation = foveation}, VIEW_PX,
                                     VIEW_PX, off_axis, eccentricity));
    assert_ok(fovea_cutoff_map(&(struct fovea_settings){.foveation = foveation}, VIEW_PX, VIEW_PX,
                               off_axis, cutoff));
    const struct ray gaze = ray_at(0.24 * VIEW_PX, 0.7 * VIEW_PX);
    for (int i = 0; i < VIEW_PX * VIEW_PX; i += 7) {
        const double e = degrees_between(ray_at(i % VIEW_PX + 0.5, i / VIEW_PX + 0.5), gaze);
        assert_float_equal((double)eccentricity[i], e, 1e-4);
        assert_float_equal((double)cutoff[i], geisler_perry_cpd(e), 2e-3 * geisler_perry_cpd(e));
    }
}

TEST(an_eccentricity_lies_where_the_angle_says_in_every_direction)
{
    const struct fovea_foveation foveation = wide_view();
    const struct ray gaze = ray_at(0.24 * VIEW_PX, 0.7 * VIEW_PX);
    double shortest = INFINITY;
    double longest = 0.0;
    for (int direction = 0; direction < 360; direction += 5) {
        const double away = fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation},
                                                  VIEW_PX, VIEW_PX, off_axis, direction, 20.0);
        const double x = 0.24 * VIEW_PX + away * cos(direction * pi / 180.0);
        const double y = 0.7 * VIEW_PX + away * sin(direction * pi / 180.0);
        assert_float_equal(degrees_between(gaze, ray_at(x, y)), 20.0, 1e-6);
        shortest = fmin(shortest, away);
        longest = fmax(longest, away);
    }
    assert_true(longest > 1.5 * shortest); /* no circle */
    /* 60 degrees to the left of a gaze 45 degrees left of the axis are behind the eye. */
    assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, VIEW_PX,
                                      VIEW_PX, off_axis, 180.0, 60.0) < 0.0);
    assert_true(fovea_eccentricity_px(&(struct fovea_settings){.foveation = foveation}, VIEW_PX,
                                      VIEW_PX, off_axis, 0.0, 60.0) > 0.0);
}

/* Across the radius from the axis a grating at the cutoff keeps the gain that was asked for, along
 * it more: pixels a degree by finite differences of rays. */
TEST(gains_follow_the_direction_of_the_grating)
{
    static float sigma[VIEW_PX * VIEW_PX];
    static float gain[VIEW_PX * VIEW_PX];
    const struct fovea_foveation foveation = wide_view();
    assert_ok(fovea_sigma_map(&(struct fovea_settings){.foveation = foveation}, VIEW_PX, VIEW_PX,
                              off_axis, sigma));
    for (int direction = 0; direction < 180; direction += 30) {
        const double ux = cos(direction * pi / 180.0);
        const double uy = sin(direction * pi / 180.0);
        const struct fovea_grating grating = {0.2, direction};
        assert_ok(fovea_gain_map(&(struct fovea_settings){.foveation = foveation}, VIEW_PX, VIEW_PX,
                                 off_axis, &grating, gain));
        for (int i = 0; i < VIEW_PX * VIEW_PX; i += 101) {
            /* The phase of a grating that varies along u changes most in one direction of the view:
             * of all steps of a milliradian that is the one with the largest part along u. */
            const double x = i % VIEW_PX + 0.5;
            const double y = i / VIEW_PX + 0.5;
            double most = 0.0;
            for (int k = 0; k < 360; k++) {
                const double sx = 0.01 * cos(k * pi / 180.0);
                const double sy = 0.01 * sin(k * pi / 180.0);
                const struct ray a = ray_at(x, y);
                const struct ray b = ray_at(x + sx, y + sy);
                const double step_deg = 180.0 / pi * hypot(hypot(b.x - a.x, b.y - a.y), b.z - a.z);
                most = fmax(most, (sx * ux + sy * uy) / step_deg);
            }
            const double per_px = grating.cycles_per_deg / most;
            const double s = (double)sigma[i];
            if (s > 0.8) {
                const double wanted = exp(-2.0 * pow(pi * s * per_px, 2));
                assert_float_equal((double)gain[i], wanted, 0.003);
            }
        }
    }
}

/* The table of docs/rl.md: what the relative model's defaults leave as it is, whatever the size. */
TEST(relative_maps_are_in_halves_of_the_shorter_side)
{
    static float sigma[640 * 640];
    static float eccentricity[640 * 640];
    static float cutoff[640 * 640];
    static float gain[640 * 640];
    static const uint32_t sizes_px[] = {84, 128, 224, 640};
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.model = FOVEA_MODEL_RELATIVE;
    settings.foveation.geometry.ppd = 2.0; /* counts for views alone */
    for (size_t i = 0; i < sizeof sizes_px / sizeof *sizes_px; i++) {
        const uint32_t n = sizes_px[i];
        const double half = n / 2.0;
        const struct fovea_grating grating = {half / 8.0, 90.0}; /* an eighth of a cycle a pixel */
        uint32_t copied = 0;
        assert_ok(fovea_sigma_map(&settings, n, n, middle, sigma));
        assert_ok(fovea_eccentricity_map(&settings, n, n, middle, eccentricity));
        assert_ok(fovea_cutoff_map(&settings, n, n, middle, cutoff));
        assert_ok(fovea_gain_map(&settings, n, n, middle, &grating, gain));
        for (uint32_t k = 0; k < n * n; k++) {
            const double e = hypot(k % n + 0.5 - half, k / n + 0.5 - half) / half;
            const double cycles_per_px = 0.5 / (1.0 + fmax(e - 0.25, 0.0) / 0.25);
            assert_float_equal((double)eccentricity[k], e, 1e-6);
            assert_float_equal((double)cutoff[k] / half, cycles_per_px, 1e-5);
            copied += sigma[k] == 0.0f;
            if (sigma[k] > 0.8f) {
                const double wanted = exp(-2.0 * pow(pi * (double)sigma[k] / 8.0, 2));
                assert_float_equal((double)gain[k], wanted, 0.003);
            }
        }
        print_message(
            "%u px: %.1f %% of the pixels are copied, within %.1f px; corner sigma %.2f\n", n,
            100.0 * copied / n / n, 0.25 * half, (double)sigma[0]);
        assert_float_equal((double)copied / n / n, pi / 64.0, 0.003);
        assert_float_equal(fovea_eccentricity_px(&settings, n, n, middle, 30.0, 0.25), half / 4.0,
                           1e-9);
    }
}

TEST(wrong_gratings_are_refused)
{
    float out[4];
    const struct fovea_foveation foveation = fovea_settings_default().foveation;
    const struct fovea_grating wrong[] = {{-1.0, 0.0}, {(double)NAN, 0.0}, {1.0, (double)INFINITY}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fovea_gain_map(&(struct fovea_settings){.foveation = foveation}, 2, 2,
                                        middle, &wrong[i], out),
                         FOVEA_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(
        fovea_gain_map(&(struct fovea_settings){.foveation = foveation}, 2, 2, middle, NULL, out),
        FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        fovea_cutoff_map(&(struct fovea_settings){.foveation = foveation}, 0, 2, middle, out),
        FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_eccentricity_map(NULL, 2, 2, middle, out), FOVEA_ERROR_INVALID_ARGUMENT);
}
