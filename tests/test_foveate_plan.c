/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Rings against numbers that were worked out from the paper's formulas apart from
 * this code. */

#include "test_foveate_support.h"

#define CT0_PROGRAM 0.0133

/* 1920x1080, fragments of 32 px, f_max 30: sigma to three digits. */
struct oracle {
    double bound_px;
    double sigma_program;
    double sigma_printed;
};

static const struct oracle oracle[] = {
    {16.0, 0.589, 0.612},     {60.8, 1.004, 1.043},    {105.6, 1.418, 1.473},
    {150.4, 1.833, 1.904},    {195.2, 2.247, 2.334},   {240.0, 2.661, 2.764},
    {284.8, 3.076, 3.195},    {329.6, 3.490, 3.625},   {374.4, 3.904, 4.056},
    {419.2, 4.319, 4.486},    {464.0, 4.733, 4.916},   {508.8, 5.147, 5.347},
    {553.6, 5.562, 5.777},    {598.4, 5.976, 6.208},   {643.2, 6.391, 6.638},
    {688.0, 6.805, 7.068},    {732.8, 7.219, 7.499},   {777.6, 7.634, 7.929},
    {822.4, 8.048, 8.360},    {867.2, 8.462, 8.790},   {912.0, 8.877, 9.221},
    {956.8, 9.291, 9.651},    {1001.6, 9.705, 10.081}, {1046.4, 10.120, 10.512},
    {1091.2, 10.374, 10.776},
};
#define ORACLE_COUNT (sizeof oracle / sizeof *oracle)

static float sigma_of_ring(const struct gauss_plan *plan, int32_t ring)
{
    return plan->law.strength * plan->law_table[ring];
}

static void check_against_oracle(double ct0)
{
    struct fovea_foveation settings = paper_settings(32);
    settings.paper.ct0 = ct0;
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 1920, 1080);
    assert_int_equal(plan->law.kind, GAUSS_LAW_RINGS);
    assert_int_equal(plan->law.table_count, ORACLE_COUNT);
    for (int32_t i = 0; i < (int32_t)ORACLE_COUNT; i++) {
        const struct oracle *o = &oracle[i];
        const double sigma = ct0 == CT0_PROGRAM ? o->sigma_program : o->sigma_printed;
        const int32_t bound_q8 = (int32_t)ceil(256.0 * o->bound_px - 1e-6);
        assert_float_equal(sigma_of_ring(plan, i), sigma, 0.00051);
        assert_int_equal(gauss_grid_ring(bound_q8, 0, 32, plan->law.table_count), i);
        assert_int_equal(gauss_grid_ring(0, 1 - bound_q8, 32, plan->law.table_count), i - 1);
    }
}

TEST(table_of_the_paper_is_met_to_its_printed_digits)
{
    check_against_oracle(CT0_PROGRAM);
    check_against_oracle(1.0 / 64.0);
}

TEST(regions_have_the_known_numbers)
{
    static const struct {
        uint32_t width_px, height_px, fragment_px;
        int32_t rings;
    } cases[] = {{1920, 1080, 32, 25}, {1920, 1080, 16, 49}, {1920, 1080, 8, 98},
                 {1920, 1080, 4, 197}, {2560, 1440, 32, 33}, {3840, 2160, 32, 49},
                 {3840, 2160, 16, 98}, {3840, 2160, 8, 197}, {960, 1439, 8, 77}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct fovea_foveation settings = paper_settings(cases[i].fragment_px);
        OWNED(foveate_plan_destroy)
        struct gauss_plan *plan = plan_of(&settings, cases[i].width_px, cases[i].height_px);
        assert_int_equal(plan->law.table_count, cases[i].rings);
    }
}

/* Nothing is blurred away that the display cannot show anyway: f_max is at Nyquist, sigma 1/pi
 * there. */
TEST(sigma_does_not_fall_below_its_value_at_nyquist)
{
    struct fovea_foveation settings = paper_settings(32);
    settings.paper.f_max_cpd = 10.0;
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 1920, 1080);
    assert_float_equal(sigma_of_ring(plan, 0), 1.0 / acos(-1.0), 1e-6);
    assert_true(sigma_of_ring(plan, 2) > 0.33f);
}

/* Half the diagonal of 36x48 is 30, and so is the bound F/2 + 1.4 F * 5 for F = 4. */
TEST(bound_that_equals_half_the_diagonal_makes_no_ring)
{
    const struct fovea_foveation settings = paper_settings(4);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 36, 48);
    assert_int_equal(plan->law.table_count, 5);
    foveate_plan_destroy(&plan);
    plan = plan_of(&settings, 37, 48);
    assert_int_equal(plan->law.table_count, 6);
}

TEST(the_largest_image_with_the_strongest_settings_is_planned)
{
    struct fovea_foveation settings = paper_settings(4);
    settings.strength = 8.0;
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&settings, 16384, 16384);
    assert_int_equal(plan->law.table_count, 2069);
    assert_true(plan->sigma_bound_px > 82.0f && plan->sigma_bound_px < 88.0f);
}

/* ---- Refusals */

TEST(settings_out_of_range_are_refused)
{
    const struct fovea_foveation good = paper_settings(32);
    static const double bad[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < 4; i++) {
        REFUSE(good, f.paper.ct0 = bad[i]);
        REFUSE(good, f.paper.alpha = bad[i]);
        REFUSE(good, f.paper.e2_deg = bad[i]);
        REFUSE(good, f.paper.e_max_deg = bad[i]);
        REFUSE(good, f.paper.f_max_cpd = bad[i]);
        REFUSE(good, f.strength = i == 0 ? 8.01 : bad[i]);
    }
    REFUSE(good, f.paper.ct0 = 1.0);
    REFUSE(good, f.paper.fragment_px = 3);
    REFUSE(good, f.paper.fragment_px = 129);
    REFUSE(good, f.model = (enum fovea_model)77);
    REFUSE(good, f.method = (enum fovea_method)77);
    REFUSE(good, f.alpha = (enum fovea_alpha)77);
    REFUSE(good, f.paper.filter_length = (enum fovea_filter_length)77);
    REFUSE(good, f.paper.e2_deg = 1e-300);
    REFUSE(good, f.paper.ct0 = 0.9999999999999999);
}

/* Images have such sizes; a blur beyond reason is refused whatever the image's. */
TEST(sizes_out_of_range_are_refused)
{
    static const uint32_t sizes[][2] = {{0, 64},           {64, 0}, {16385, 64},
                                        {64, 0xffffffffu}, {1, 1},  {1920, 1080}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct fovea_foveation f = paper_settings(32);
        f.paper.f_max_cpd = i < 4 ? f.paper.f_max_cpd : 1e9;
        struct gauss_plan *plan = (struct gauss_plan *)&f;
        assert_int_equal(foveate_plan_create(&f, sizes[i][0], sizes[i][1], &plan),
                         FOVEA_ERROR_INVALID_ARGUMENT);
        assert_null(plan);
    }
}

/* ---- Fitting */

TEST(plan_fits_its_own_settings_and_no_others)
{
    const struct fovea_foveation own = paper_settings(32);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&own, 64, 48);
    assert_false(foveate_plan_fits(plan, &own, 48, 64));
    FIT(false, own, f.strength = 2.0);
    FIT(false, own, f.alpha = FOVEA_ALPHA_PREMULTIPLIED);
    FIT(false, own, f.paper.ct0 = 0.02);
    FIT(false, own, f.paper.alpha = 0.2);
    FIT(false, own, f.paper.e2_deg = 2.0);
    FIT(false, own, f.paper.e_max_deg = 90.0);
    FIT(false, own, f.paper.f_max_cpd = 45.0);
    FIT(false, own, f.paper.fragment_px = 16);
}
