/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Values become diopters, diopters become pixels, and the focus follows in time: closed forms. */

#include "cmocka_all.h"

#include "kernels/dof/optics.h"

static struct fovea_depth depth_of(enum fovea_depth_kind kind, double zero_m, double one_m)
{
    struct fovea_depth depth;
    fovea_depth_init(&depth);
    depth.kind = kind;
    depth.zero_m = zero_m;
    depth.one_m = one_m;
    return depth;
}

static double diopters_of(const struct fovea_depth *depth, double value)
{
    const struct dof_scale scale = dof_scale_of(depth);
    return (double)dof_scale_diopters(&scale, (float)value);
}

static void assert_near(double actual, double expected, double relative)
{
    assert_that(fabs(actual - expected) <= relative * fabs(expected) + 1e-12,
                "%.12g, and %.12g was expected", actual, expected);
}

/* ---- Values */

/* z of a projection's row, over w. */
static double projected(double scale, double offset, double distance_m)
{
    return (scale * -distance_m + offset) / distance_m;
}

TEST(depths_of_any_projection_are_its_distances)
{
    const double n = 0.25;
    const double f = 40.0;
    /* Standard, reversed, both with the far plane at infinity, and in the lower half of values. */
    const double rows[][2] = {{f / (n - f), n * f / (n - f)},
                              {n / (f - n), n * f / (f - n)},
                              {-1.0, -n},
                              {0.0, n},
                              {0.5 * f / (n - f), 0.5 * n * f / (n - f)},
                              {0.5 * n / (f - n), 0.5 * n * f / (f - n)}};
    const double distances_m[] = {0.25, 0.3, 1.0, 7.5, 39.0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fovea_depth depth = depth_of(FOVEA_DEPTH_LINEAR, 0.0, 1.0);
        fovea_depth_set_projection(&depth, rows[i][0], rows[i][1]);
        for (size_t k = 0; k < sizeof distances_m / sizeof *distances_m; k++) {
            const double value = projected(rows[i][0], rows[i][1], distances_m[k]);
            assert_near(diopters_of(&depth, value), 1.0 / distances_m[k], 2e-5);
        }
    }
}

TEST(planes_of_a_projection_are_where_its_values_end)
{
    struct fovea_depth depth = depth_of(FOVEA_DEPTH_LINEAR, 0.0, 1.0);
    fovea_depth_set_projection(&depth, 0.0, 0.25);
    assert_true(isinf(depth.zero_m) && depth.zero_m > 0.0);
    assert_near(depth.one_m, 0.25, 1e-15);
    fovea_depth_set_projection(&depth, -1.0, -0.25);
    assert_near(depth.zero_m, 0.25, 1e-15);
    assert_true(isinf(depth.one_m) && depth.one_m > 0.0);
}

TEST(orthographic_depths_and_metres_are_linear)
{
    const struct fovea_depth box = depth_of(FOVEA_DEPTH_LINEAR, 2.0, 10.0);
    assert_near(diopters_of(&box, 0.25), 1.0 / 4.0, 1e-7);
    const struct fovea_depth metres = depth_of(FOVEA_DEPTH_LINEAR, 0.0, 1.0);
    assert_near(diopters_of(&metres, 3.5), 1.0 / 3.5, 1e-7);
    assert_true(diopters_of(&metres, (double)INFINITY) == 0.0);
}

TEST(what_is_no_distance_is_unknown)
{
    const struct fovea_depth metres = depth_of(FOVEA_DEPTH_LINEAR, 0.0, 1.0);
    const double none[] = {0.0, -1.0, (double)NAN, -(double)INFINITY};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_true(isnan(diopters_of(&metres, none[i])));
    }
    const struct fovea_depth view = depth_of(FOVEA_DEPTH_PERSPECTIVE, 0.1, 100.0);
    assert_true(isnan(diopters_of(&view, (double)NAN)));
    assert_true(diopters_of(&view, 1.5) == 0.0); /* beyond infinity */
}

TEST(formats_say_the_same_value)
{
    const uint16_t d16 = 0x8000;
    const uint32_t d24 = 0xab800000u; /* the stencil is nothing of it */
    const uint16_t half = 0x3800;
    const float whole = 0.5f;
    const struct {
        enum fovea_depth_format format;
        const void *data;
        double value;
    } cases[] = {{FOVEA_DEPTH_FORMAT_D16, &d16, 32768.0 / 65535.0},
                 {FOVEA_DEPTH_FORMAT_D24, &d24, 8388608.0 / 16777215.0},
                 {FOVEA_DEPTH_FORMAT_R16F, &half, 0.5},
                 {FOVEA_DEPTH_FORMAT_R32F, &whole, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fovea_depth depth = depth_of(FOVEA_DEPTH_LINEAR, 0.0, 1.0);
        float row[1];
        depth.format = cases[i].format;
        depth.data = cases[i].data;
        depth.width_px = depth.height_px = 1;
        assert_near((double)dof_depth_value(&depth, 0, 0), cases[i].value, 1e-7);
        dof_depth_row(&depth, 0, row);
        assert_true(row[0] == dof_depth_value(&depth, 0, 0));
    }
}

/* ---- Lenses */

static struct fovea_settings *settings_make(void)
{
    struct fovea_settings *settings = test_memory(1, sizeof *settings);
    *settings = fovea_settings_default();
    return settings;
}

/* The rays of a point through the edges of a thin lens, where they cross the sensor. */
TEST(a_thin_lens_spreads_a_point_over_its_circle)
{
    OWNED(owned_free) struct fovea_settings *settings = settings_make();
    settings->own.dof_focal_mm = 85.0;
    settings->own.dof_f_number = 1.8;
    settings->own.dof_sensor_mm = 24.0;
    const struct dof_optics optics = dof_optics_of(settings, 1200);
    const double focus_mm[] = {300.0, 2000.0, 1e9};
    const double point_mm[] = {250.0, 1500.0, 40000.0};
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            const double sensor_mm = 1.0 / (1.0 / 85.0 - 1.0 / focus_mm[i]);
            const double image_mm = 1.0 / (1.0 / 85.0 - 1.0 / point_mm[k]);
            const double circle_mm = 85.0 / 1.8 * fabs(image_mm - sensor_mm) / image_mm;
            const double diopters = fabs(1000.0 / focus_mm[i] - 1000.0 / point_mm[k]);
            assert_near(dof_optics_sigma_px(&optics, 1000.0 / focus_mm[i]) * diopters,
                        circle_mm / 24.0 * 1200.0 / 4.0, 1e-9);
        }
    }
}

TEST(a_lens_focuses_no_nearer_than_twice_its_focal_length)
{
    OWNED(owned_free) struct fovea_settings *settings = settings_make();
    const struct dof_optics optics = dof_optics_of(settings, 1000);
    assert_near(dof_optics_sigma_px(&optics, 1e9), dof_optics_sigma_px(&optics, 10.0), 1e-15);
    assert_true(isfinite(dof_optics_sigma_px(&optics, (double)INFINITY)));
}

/* 4 mm and a diopter are 4 mrad, a quarter of which is sigma. */
TEST(an_eyes_blur_is_pupil_times_diopters)
{
    OWNED(owned_free) struct fovea_settings *settings = settings_make();
    settings->own.dof_lens = 1;
    settings->own.dof_pupil_mm = 4.0;
    settings->foveation.geometry = (struct fovea_geometry){.ppd = 60.0};
    struct dof_optics optics = dof_optics_of(settings, 1000);
    assert_near(dof_optics_sigma_px(&optics, 3.0), 0.001 * 60.0 * 180.0 / acos(-1.0), 1e-12);
    settings->foveation.geometry =
        (struct fovea_geometry){.screen_width_m = 0.5, .distance_m = 0.75};
    optics = dof_optics_of(settings, 1000);
    assert_near(dof_optics_sigma_px(&optics, 0.0), 0.001 * 1500.0, 1e-12);
    settings->foveation.geometry = (struct fovea_geometry){.tan_left = 0.5, .tan_right = 1.5};
    optics = dof_optics_of(settings, 1000);
    assert_near(dof_optics_sigma_px(&optics, 0.0), 0.001 * 500.0, 1e-12);
}

/* ---- Focus */

static struct dof_optics optics_of_time(double time_s, double hysteresis)
{
    return (struct dof_optics){
        .focus_m = 2.0, .focus_time_s = time_s, .focus_hysteresis_diopters = hysteresis};
}

static double step(const struct dof_optics *optics, double elapsed_s, double seen,
                   struct operator_focus *focus)
{
    struct fovea_depth depth = depth_of(FOVEA_DEPTH_LINEAR, 0.0, 1.0);
    depth.elapsed_s = elapsed_s;
    return dof_focus(optics, &depth, (float)seen, focus);
}

TEST(the_first_focus_is_the_depth_under_the_gaze)
{
    const struct dof_optics optics = optics_of_time(0.3, 0.1);
    struct operator_focus focus = {0};
    assert_near(step(&optics, 0.016, 1.5, &focus), 1.5, 1e-7);
}

TEST(focus_goes_the_way_of_its_time_constant_whatever_the_frame_rate)
{
    const struct dof_optics optics = optics_of_time(0.3, 0.1);
    for (int frames = 1; frames <= 64; frames *= 4) {
        struct operator_focus focus = {0};
        double at = step(&optics, 0.0, 0.5, &focus);
        for (int i = 0; i < frames; i++) {
            at = step(&optics, 0.3 / frames, 2.5, &focus);
        }
        assert_near(at, 2.5 - 2.0 * exp(-1.0), 1e-9);
    }
}

TEST(focus_does_not_follow_what_is_within_its_hysteresis)
{
    const struct dof_optics optics = optics_of_time(0.3, 0.1);
    struct operator_focus focus = {0};
    step(&optics, 0.0, 1.0, &focus);
    for (int i = 0; i < 100; i++) {
        assert_near(step(&optics, 0.016, i % 2 ? 1.09 : 0.91, &focus), 1.0, 1e-7);
    }
    assert_true(step(&optics, 0.016, 1.11, &focus) > 1.001);
}

/* At an edge the depth jumps from frame to frame, and the focus moves little. */
TEST(focus_does_not_flicker_at_an_edge)
{
    const struct dof_optics optics = optics_of_time(0.3, 0.1);
    struct operator_focus focus = {0};
    double before = step(&optics, 0.0, 1.0, &focus);
    for (int i = 0; i < 240; i++) {
        const double at = step(&optics, 1.0 / 120.0, i % 2 ? 1.0 : 0.2, &focus);
        assert_true(fabs(at - before) < 0.8 * 0.03);
        before = at;
    }
}

TEST(without_a_gaze_the_focus_stays)
{
    const struct dof_optics optics = optics_of_time(0.3, 0.1);
    struct operator_focus focus = {0};
    assert_near(step(&optics, 0.016, (double)NAN, &focus), 0.5, 1e-12); /* dof.focus_m */
    assert_near(step(&optics, 0.016, 3.0, &focus), 3.0, 1e-7);
    assert_near(step(&optics, 0.016, (double)NAN, &focus), 3.0, 1e-7);
    assert_near(step(&optics, 0.0, (double)NAN, &focus), 0.5, 1e-12); /* follows on none */
}

TEST(where_the_depth_is_unknown_the_eyes_vergence_may_say_it)
{
    struct dof_optics optics = optics_of_time(0.0, 0.1);
    struct fovea_depth depth = depth_of(FOVEA_DEPTH_LINEAR, 0.0, 1.0);
    struct operator_focus focus = {0};
    depth.vergence_m = 4.0;
    assert_near(dof_focus(&optics, &depth, NAN, &focus), 0.5, 1e-15); /* dof.focus is gaze */
    optics.takes_vergence = true;
    assert_near(dof_focus(&optics, &depth, NAN, &focus), 0.25, 1e-15);
    assert_near(dof_focus(&optics, &depth, 3.0f, &focus), 3.0, 1e-15);
    depth.vergence_m = (double)INFINITY;
    assert_true(dof_focus(&optics, &depth, NAN, &focus) == 0.0);
    depth.vergence_m = 0.0;
    assert_near(dof_focus(&optics, &depth, NAN, &focus), 0.5, 1e-15);
    depth.vergence_m = 1e-9;
    assert_near(dof_focus(&optics, &depth, NAN, &focus), DOF_MOST_DIOPTERS, 1e-9);
}

TEST(pictures_that_do_not_follow_are_in_focus_at_once)
{
    const struct dof_optics optics = optics_of_time(0.3, 0.1);
    struct operator_focus focus = {0};
    step(&optics, 0.0, 3.0, &focus);
    assert_near(step(&optics, 0.0, 2.95, &focus), 2.95, 1e-7);
}

TEST(what_a_program_says_is_the_focus)
{
    struct dof_optics optics = optics_of_time(0.3, 0.1);
    struct fovea_depth depth = depth_of(FOVEA_DEPTH_LINEAR, 0.0, 1.0);
    struct operator_focus focus = {0};
    depth.focus_m = 4.0;
    assert_near(dof_focus(&optics, &depth, 3.0f, &focus), 0.25, 1e-15);
    depth.focus_m = (double)INFINITY;
    assert_true(dof_focus(&optics, &depth, 3.0f, &focus) == 0.0);
    depth.focus_m = 0.0;
    optics.is_fixed = true;
    assert_near(dof_focus(&optics, &depth, 3.0f, &focus), 0.5, 1e-15);
    optics.is_fixed = false; /* then it goes on from there */
    depth.elapsed_s = 0.3;
    assert_near(dof_focus(&optics, &depth, 3.0f, &focus), 3.0 - 2.5 * exp(-1.0), 1e-12);
}
