/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Regions and filters against numbers that were worked out from the paper's formulas apart from
 * this code. */

#include "test_foveate_support.h"

#include <math.h>
#include <stdio.h>

#define CT0_PROGRAM 0.0133

/* 1920x1080, fragments of 32 px, f_max 30: sigma to three digits, and both filter lengths. */
struct oracle {
    double bound_px;
    double sigma_program;
    uint32_t code_program;
    uint32_t printed_program;
    double sigma_printed;
    uint32_t code_printed;
    uint32_t printed_printed;
};

static const struct oracle oracle[] = {
    {16.0, 0.589, 5, 4, 0.612, 5, 4},         {60.8, 1.004, 7, 7, 1.043, 7, 7},
    {105.6, 1.418, 11, 9, 1.473, 11, 9},      {150.4, 1.833, 13, 11, 1.904, 13, 12},
    {195.2, 2.247, 15, 14, 2.334, 17, 15},    {240.0, 2.661, 19, 16, 2.764, 19, 17},
    {284.8, 3.076, 21, 19, 3.195, 21, 20},    {329.6, 3.490, 23, 21, 3.625, 25, 22},
    {374.4, 3.904, 27, 24, 4.056, 27, 25},    {419.2, 4.319, 29, 26, 4.486, 31, 27},
    {464.0, 4.733, 31, 29, 4.916, 33, 30},    {508.8, 5.147, 35, 31, 5.347, 35, 33},
    {553.6, 5.562, 37, 34, 5.777, 39, 35},    {598.4, 5.976, 39, 36, 6.208, 41, 38},
    {643.2, 6.391, 43, 39, 6.638, 45, 40},    {688.0, 6.805, 45, 41, 7.068, 47, 43},
    {732.8, 7.219, 49, 44, 7.499, 49, 45},    {777.6, 7.634, 51, 46, 7.929, 53, 48},
    {822.4, 8.048, 53, 49, 8.360, 55, 51},    {867.2, 8.462, 57, 51, 8.790, 59, 53},
    {912.0, 8.877, 59, 54, 9.221, 61, 56},    {956.8, 9.291, 61, 56, 9.651, 63, 58},
    {1001.6, 9.705, 65, 59, 10.081, 67, 61},  {1046.4, 10.120, 67, 61, 10.512, 69, 64},
    {1091.2, 10.374, 69, 63, 10.776, 71, 65},
};
#define ORACLE_COUNT (sizeof oracle / sizeof *oracle)

static uint32_t odd(uint32_t length)
{
    return length | 1u;
}

static void check_against_oracle(double ct0, enum fovea_filter_length rule)
{
    struct fovea_foveation settings = paper_settings(32);
    settings.paper.ct0 = ct0;
    settings.paper.filter_length = rule;
    struct foveate_plan *plan = plan_of(&settings, 1920, 1080);
    assert_int_equal(plan->ring_count, ORACLE_COUNT);
    for (size_t i = 0; i < ORACLE_COUNT; i++) {
        const struct oracle *o = &oracle[i];
        const bool program = ct0 == CT0_PROGRAM;
        const double sigma = program ? o->sigma_program : o->sigma_printed;
        const uint32_t code = program ? o->code_program : o->code_printed;
        const uint32_t printed = odd(program ? o->printed_program : o->printed_printed);
        const struct foveate_ring *ring = &plan->rings[i];
        assert_float_equal(ring->sigma_px, sigma, 0.00051);
        assert_int_equal(2 * ring->radius_px + 1,
                         rule == FOVEA_FILTER_LENGTH_CODE ? code : printed);
        assert_int_equal(foveate_ring_bound_sq_q16(ring),
                         (uint64_t)ceil(65536.0 * o->bound_px * o->bound_px - 1e-3));
    }
    foveate_plan_destroy(&plan);
}

static void table_of_the_paper_is_met_to_its_printed_digits(void **state)
{
    check_against_oracle(CT0_PROGRAM, FOVEA_FILTER_LENGTH_CODE);
    check_against_oracle(CT0_PROGRAM, FOVEA_FILTER_LENGTH_PRINTED);
    check_against_oracle(1.0 / 64.0, FOVEA_FILTER_LENGTH_CODE);
    check_against_oracle(1.0 / 64.0, FOVEA_FILTER_LENGTH_PRINTED);
}

struct region_case {
    uint32_t width_px, height_px, fragment_px;
    double ct0, f_max_cpd;
    uint32_t rings;
    uint32_t taps; /* 0: not known */
    uint32_t longest;
};

static void regions_filters_and_taps_have_the_known_numbers(void **state)
{
    static const struct region_case cases[] = {
        {1920, 1080, 32, CT0_PROGRAM, 30, 25, 931, 69},
        {1920, 1080, 32, 1.0 / 64, 30, 25, 963, 71},
        {1920, 1080, 16, CT0_PROGRAM, 30, 49, 1767, 69},
        {1920, 1080, 16, 1.0 / 64, 30, 49, 1833, 71},
        {1920, 1080, 8, CT0_PROGRAM, 30, 98, 3508, 69},
        {1920, 1080, 8, 1.0 / 64, 30, 98, 3642, 71},
        {1920, 1080, 4, CT0_PROGRAM, 30, 197, 7065, 69},
        {2560, 1440, 32, CT0_PROGRAM, 30, 33, 1221, 69},
        {3840, 2160, 32, CT0_PROGRAM, 30, 49, 1767, 69},
        {3840, 2160, 16, CT0_PROGRAM, 30, 98, 3508, 69},
        {3840, 2160, 8, CT0_PROGRAM, 30, 197, 7065, 69},
        {1920, 1080, 32, CT0_PROGRAM, 45, 25, 0, 103},
        {1920, 1080, 32, CT0_PROGRAM, 50, 25, 0, 113},
        {1920, 1080, 8, CT0_PROGRAM, 45, 98, 5220, 103},
        {3840, 2160, 16, CT0_PROGRAM, 45, 98, 5220, 103},
        {960, 1439, 8, CT0_PROGRAM, 45, 77, 4107, 103},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct region_case *c = &cases[i];
        struct fovea_foveation settings = paper_settings(c->fragment_px);
        settings.paper.ct0 = c->ct0;
        settings.paper.f_max_cpd = c->f_max_cpd;
        struct foveate_plan *plan = plan_of(&settings, c->width_px, c->height_px);
        uint32_t taps = 0;
        for (uint32_t r = 0; r < plan->ring_count; r++) {
            taps += 2 * plan->rings[r].radius_px + 1;
        }
        assert_int_equal(plan->ring_count, c->rings);
        assert_int_equal(c->taps ? taps : 0, c->taps);
        assert_int_equal(2 * plan->max_radius_px + 1, c->longest);
        foveate_plan_destroy(&plan);
    }
}

/* Multiples of 2^-24 that sum to 1: every partial sum is exact, in whatever order. */
static void check_taps(const struct foveate_plan *plan, const struct foveate_ring *ring)
{
    const float *taps = plan->taps + ring->first_tap;
    float outwards = taps[0];
    float inwards = 0.0f;
    for (uint32_t k = 1; k <= ring->radius_px; k++) {
        const double units = (double)taps[k] * 16777216.0;
        assert_true(units == floor(units) && taps[k] >= 0.0f);
        outwards += 2.0f * taps[k];
        inwards += taps[ring->radius_px + 1 - k];
        inwards += taps[ring->radius_px + 1 - k];
    }
    inwards += taps[0];
    assert_true(taps[0] > 0.0f);
    assert_true(outwards == 1.0f && inwards == 1.0f);
    assert_true(ring->first_tap + ring->radius_px + 1 <= plan->tap_count);
}

static void taps_are_not_negative_and_sum_to_one_exactly(void **state)
{
    static const uint32_t fragments[] = {4, 5, 31, 32, 128};
    static const double strengths[] = {1e-9, 0.1, 0.5, 1.0, 3.7, 8.0};
    for (size_t f = 0; f < 5; f++) {
        for (size_t s = 0; s < 6; s++) {
            struct fovea_foveation settings = paper_settings(fragments[f]);
            settings.strength = strengths[s];
            settings.paper.filter_length = (enum fovea_filter_length)(s % 2);
            struct foveate_plan *plan = plan_of(&settings, 1280, 720);
            for (uint32_t i = 0; i < plan->ring_count; i++) {
                check_taps(plan, &plan->rings[i]);
            }
            foveate_plan_destroy(&plan);
        }
    }
}

static void taps_follow_the_gaussian(void **state)
{
    const struct fovea_foveation settings = paper_settings(32);
    struct foveate_plan *plan = plan_of(&settings, 1920, 1080);
    const struct foveate_ring *last = &plan->rings[plan->ring_count - 1];
    const float *taps = plan->taps + last->first_tap;
    for (uint32_t k = 1; k <= last->radius_px; k++) {
        const double z = k / (double)last->sigma_px;
        assert_float_equal(taps[k] / taps[0], exp(-0.5 * z * z), 1e-4);
    }
    foveate_plan_destroy(&plan);
}

static void strength_multiplies_sigma(void **state)
{
    struct fovea_foveation settings = paper_settings(32);
    struct foveate_plan *once = plan_of(&settings, 640, 480);
    settings.strength = 2.5;
    struct foveate_plan *more = plan_of(&settings, 640, 480);
    assert_int_equal(once->ring_count, more->ring_count);
    for (uint32_t i = 0; i < once->ring_count; i++) {
        assert_float_equal(2.5f * once->rings[i].sigma_px, more->rings[i].sigma_px, 1e-5);
    }
    foveate_plan_destroy(&once);
    foveate_plan_destroy(&more);
}

/* What the display cannot show anyway is not blurred away: f_max is at Nyquist, sigma 1/pi
 * there. */
static void sigma_does_not_fall_below_its_value_at_nyquist(void **state)
{
    struct fovea_foveation settings = paper_settings(32);
    settings.paper.f_max_cpd = 10.0;
    struct foveate_plan *plan = plan_of(&settings, 1920, 1080);
    assert_float_equal(plan->rings[0].sigma_px, 1.0 / acos(-1.0), 1e-6);
    assert_true(plan->rings[2].sigma_px > 0.33f);
    foveate_plan_destroy(&plan);
}

static void strength_zero_has_no_rings(void **state)
{
    struct fovea_foveation settings = paper_settings(32);
    settings.strength = 0.0;
    struct foveate_plan *plan = plan_of(&settings, 640, 480);
    assert_int_equal(plan->ring_count, 0);
    assert_int_equal(plan->max_radius_px, 0);
    const struct foveate_frame frame = frame_at(plan, 320, 240);
    assert_true(foveate_sigma_at(plan, &frame, 0, 0) == 0.0f);
    foveate_plan_destroy(&plan);
}

static void every_image_has_a_ring_however_small(void **state)
{
    const struct fovea_foveation settings = paper_settings(128);
    struct foveate_plan *plan = plan_of(&settings, 1, 1);
    assert_int_equal(plan->ring_count, 1);
    foveate_plan_destroy(&plan);
}

/* Half the diagonal of 36x48 is 30, and so is the bound F/2 + 1.4 F * 5 for F = 4. */
static void bound_that_equals_half_the_diagonal_makes_no_ring(void **state)
{
    const struct fovea_foveation settings = paper_settings(4);
    struct foveate_plan *plan = plan_of(&settings, 36, 48);
    assert_int_equal(plan->ring_count, 5);
    foveate_plan_destroy(&plan);
    plan = plan_of(&settings, 37, 48);
    assert_int_equal(plan->ring_count, 6);
    foveate_plan_destroy(&plan);
}

static void the_largest_image_with_the_strongest_settings_is_planned(void **state)
{
    struct fovea_foveation settings = paper_settings(4);
    settings.strength = 8.0;
    struct foveate_plan *plan = plan_of(&settings, 16384, 16384);
    assert_int_equal(plan->ring_count, 2069);
    assert_true(plan->max_radius_px > 250 && plan->max_radius_px < 300);
    foveate_plan_destroy(&plan);
}

/* ---- Refusals */

static void refuse(struct fovea_foveation settings, uint32_t width_px, uint32_t height_px)
{
    struct foveate_plan *plan = (struct foveate_plan *)&settings;
    assert_int_equal(foveate_plan_create(&settings, width_px, height_px, &plan),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_null(plan);
}

static void settings_out_of_range_are_refused(void **state)
{
    static const double bad[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < 4; i++) {
        struct fovea_foveation s = paper_settings(32);
        s.paper.ct0 = bad[i];
        refuse(s, 64, 64);
        s = paper_settings(32);
        s.paper.alpha = bad[i];
        refuse(s, 64, 64);
        s = paper_settings(32);
        s.paper.e2_deg = bad[i];
        refuse(s, 64, 64);
        s = paper_settings(32);
        s.paper.e_max_deg = bad[i];
        refuse(s, 64, 64);
        s = paper_settings(32);
        s.paper.f_max_cpd = bad[i];
        refuse(s, 64, 64);
        s = paper_settings(32);
        s.strength = i == 0 ? 8.01 : bad[i];
        refuse(s, 64, 64);
    }
    struct fovea_foveation s = paper_settings(32);
    s.paper.ct0 = 1.0;
    refuse(s, 64, 64);
    refuse(paper_settings(3), 64, 64);
    refuse(paper_settings(129), 64, 64);
}

static void unknown_names_are_refused(void **state)
{
    struct fovea_foveation s = paper_settings(32);
    s.model = (enum fovea_model)77;
    refuse(s, 64, 64);
    s = paper_settings(32);
    s.method = (enum fovea_method)77;
    refuse(s, 64, 64);
    s = paper_settings(32);
    s.alpha = (enum fovea_alpha)77;
    refuse(s, 64, 64);
    s = paper_settings(32);
    s.paper.filter_length = (enum fovea_filter_length)77;
    refuse(s, 64, 64);
}

static void sizes_out_of_range_are_refused(void **state)
{
    refuse(paper_settings(32), 0, 64);
    refuse(paper_settings(32), 64, 0);
    refuse(paper_settings(32), 16385, 64);
    refuse(paper_settings(32), 64, 0xffffffffu);
}

static void blur_beyond_reason_is_refused_whatever_the_size(void **state)
{
    struct fovea_foveation s = paper_settings(32);
    s.paper.f_max_cpd = 1e9;
    refuse(s, 1, 1);
    refuse(s, 1920, 1080);
    s = paper_settings(32);
    s.paper.e2_deg = 1e-300;
    refuse(s, 1920, 1080);
    s = paper_settings(32);
    s.paper.ct0 = 0.9999999999999999;
    refuse(s, 1920, 1080);
}

/* ---- Fitting */

static void plan_fits_its_own_settings_and_no_others(void **state)
{
    const struct fovea_foveation own = paper_settings(32);
    struct foveate_plan *plan = plan_of(&own, 64, 48);
    assert_true(foveate_plan_fits(plan, &own, 64, 48));
    assert_false(foveate_plan_fits(plan, &own, 48, 64));
    struct fovea_foveation others[] = {own, own, own, own, own, own, own, own, own};
    others[0].strength = 2.0;
    others[1].alpha = FOVEA_ALPHA_PREMULTIPLIED;
    others[2].paper.ct0 = 0.02;
    others[3].paper.alpha = 0.2;
    others[4].paper.e2_deg = 2.0;
    others[5].paper.e_max_deg = 90.0;
    others[6].paper.f_max_cpd = 45.0;
    others[7].paper.fragment_px = 16;
    others[8].paper.filter_length = FOVEA_FILTER_LENGTH_PRINTED;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(foveate_plan_fits(plan, &others[i], 64, 48));
    }
    foveate_plan_destroy(&plan);
}

static void destroy_takes_null_twice_over(void **state)
{
    struct foveate_plan *plan = NULL;
    foveate_plan_destroy(&plan);
    foveate_plan_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_the_paper_is_met_to_its_printed_digits),
        cmocka_unit_test(regions_filters_and_taps_have_the_known_numbers),
        cmocka_unit_test(taps_are_not_negative_and_sum_to_one_exactly),
        cmocka_unit_test(taps_follow_the_gaussian),
        cmocka_unit_test(strength_multiplies_sigma),
        cmocka_unit_test(sigma_does_not_fall_below_its_value_at_nyquist),
        cmocka_unit_test(strength_zero_has_no_rings),
        cmocka_unit_test(every_image_has_a_ring_however_small),
        cmocka_unit_test(bound_that_equals_half_the_diagonal_makes_no_ring),
        cmocka_unit_test(the_largest_image_with_the_strongest_settings_is_planned),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(blur_beyond_reason_is_refused_whatever_the_size),
        cmocka_unit_test(plan_fits_its_own_settings_and_no_others),
        cmocka_unit_test(destroy_takes_null_twice_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
