/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method's plan: levels, what fits it, what is refused. */

#include "test_foveate_support.h"

TEST(levels_lie_one_after_another_and_hold_the_picture)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1920, 1080}, {641, 3}, {16384, 16384}, {2, 999}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct fovea_foveation f = smooth_settings(FOVEA_MODEL_PAPER);
        f.strength = 8.0;
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, sizes[i][0], sizes[i][1]);
        int64_t samples = 0;
        assert_int_equal(plan->level_count, 7);
        for (int32_t k = 0; k < 7; k++) {
            const struct gauss_level *level = &plan->levels[k];
            const int32_t margins = k ? 2 * GAUSS_MARGIN : 0;
            assert_int_equal(level->first, samples);
            assert_int_equal(level->width, ceil(sizes[i][0] / exp2(k)));
            assert_int_equal(level->height, ceil(sizes[i][1] / exp2(k)));
            assert_int_equal(level->pitch, level->width + margins);
            samples += (int64_t)level->pitch * (level->height + margins);
        }
        assert_int_equal(plan->level_samples, samples);
    }
}

/* One level more would never be read; one less would be missed. */
TEST(there_are_as_many_levels_as_sigma_needs)
{
    for (double strength = 0.05; strength <= 8.0; strength *= 1.3) {
        struct fovea_foveation f = smooth_settings(FOVEA_MODEL_PAPER);
        f.strength = strength;
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 320, 200);
        assert_int_equal(gauss_level_for(plan->sigma_max_px, GAUSS_MAX_LEVELS) + 1,
                         plan->level_count);
    }
}

TEST(a_gaze_outside_the_picture_has_its_levels_too)
{
    struct fovea_foveation f = smooth_settings(FOVEA_MODEL_PHYSICAL);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 640, 360);
    float largest_px = 0.0f;
    for (int i = 0; i < 200; i++) {
        const struct gauss_frame frame =
            frame_at(plan, (rand() % 700 - 300) / 100.0 * 640, (rand() % 700 - 300) / 100.0 * 360);
        largest_px = fmaxf(largest_px, gauss_sigma_at(plan, &frame, 639, 0));
        assert_true(gauss_level_for(largest_px, GAUSS_MAX_LEVELS) < (int32_t)plan->level_count);
    }
    assert_true(largest_px > 1.2f * plan->sigma_max_px); /* or the test has tried nothing */
}

TEST(no_gaze_asks_for_more_than_the_limit)
{
    struct fovea_foveation f = smooth_settings(FOVEA_MODEL_CURVE);
    f.curve =
        (struct fovea_curve){.count = 2, .eccentricity_deg = {45, 60}, .cutoff_cpd = {10, 1e-6}};
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 320, 180);
    assert_true(plan->sigma_max_px < 1024.0f);
    const struct gauss_frame frame = frame_at(plan, -4 * 320, -4 * 180);
    const float corner_px = gauss_sigma_at(plan, &frame, 319, 179);
    assert_in_range(corner_px, 1000, 1025);
    assert_int_equal(plan->level_count, GAUSS_MAX_LEVELS);
}

TEST(strength_zero_has_no_levels_and_no_sigma)
{
    static const enum fovea_model models[] = {FOVEA_MODEL_PAPER, FOVEA_MODEL_PHYSICAL,
                                              FOVEA_MODEL_CURVE, FOVEA_MODEL_RELATIVE};
    for (int i = 0; i < 4; i++) {
        struct fovea_foveation f = smooth_settings(models[i]);
        f.strength = 0.0;
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 64, 48);
        const struct gauss_frame frame = frame_at(plan, 0, 0);
        assert_int_equal(plan->level_count, 0);
        assert_int_equal(plan->level_samples, 0);
        assert_true(plan->sigma_max_px == 0.0f);
        assert_true(gauss_sigma_at(plan, &frame, 63, 47) == 0.0f);
    }
}

TEST(auto_light_goes_by_the_method)
{
    static const int expected[2][3] = {{0, 0, 1}, {1, 0, 1}};
    for (int i = 0; i < 6; i++) {
        struct fovea_foveation f = smooth_settings(FOVEA_MODEL_PAPER);
        f.method = (enum fovea_method)(i / 3);
        f.light = (enum fovea_light)(i % 3);
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 64, 48);
        assert_int_equal(frame_at(plan, 1, 1).light, expected[i / 3][i % 3]);
    }
}

/* ---- Settings */

/* A change of one setting, and whether a plan of the model sees it. */
static void change(struct fovea_foveation *f, int what)
{
    double *const numbers[] = {&f->strength,
                               &f->cutoff_gain,
                               &f->physical.ct0,
                               &f->physical.alpha,
                               &f->physical.e2_deg,
                               &f->curve.eccentricity_deg[1],
                               &f->curve.cutoff_cpd[2],
                               &f->geometry.screen_width_m,
                               &f->geometry.distance_m,
                               &f->geometry.ppd,
                               &f->geometry.tan_left,
                               &f->geometry.tan_right,
                               &f->geometry.tan_up,
                               &f->geometry.tan_down,
                               &f->relative.sharp,
                               &f->relative.halving};
    const int count = sizeof numbers / sizeof *numbers;
    if (what < count) {
        *numbers[what] = *numbers[what] * 0.9 + 0.001;
    } else if (what == count) {
        f->light = FOVEA_LIGHT_ENCODED;
    } else if (what == count + 1) {
        f->alpha = FOVEA_ALPHA_PREMULTIPLIED;
    } else {
        f->curve.count--;
    }
}
#define CHANGES 19

static bool used_by(enum fovea_model model, int what)
{
    const bool physical = what >= 2 && what <= 4;
    const bool curve = what == 5 || what == 6 || what == 18;
    const bool geometry = what >= 7 && what <= 13;
    const bool relative = what == 14 || what == 15;
    return !(physical || curve || geometry || relative) ||
           (physical && model == FOVEA_MODEL_PHYSICAL) || (curve && model == FOVEA_MODEL_CURVE) ||
           (geometry && (model == FOVEA_MODEL_PHYSICAL || model == FOVEA_MODEL_CURVE)) ||
           (relative && model == FOVEA_MODEL_RELATIVE);
}

TEST(plan_fits_the_settings_it_was_made_for)
{
    static const enum fovea_model models[] = {FOVEA_MODEL_PAPER, FOVEA_MODEL_PHYSICAL,
                                              FOVEA_MODEL_CURVE, FOVEA_MODEL_RELATIVE};
    for (int i = 0; i < 4 * CHANGES; i++) {
        const enum fovea_model model = models[i % 4];
        struct fovea_foveation f = smooth_settings(model);
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 64, 48);
        assert_true(foveate_plan_fits(plan, &f, 64, 48));
        assert_false(foveate_plan_fits(plan, &f, 65, 48));
        f.paper.fragment_px = i % 2 ? 0 : 17; /* the blockwise method's */
        change(&f, i / 4);
        assert_that(foveate_plan_fits(plan, &f, 64, 48) != used_by(model, i / 4),
                    "model %d, change %d", (int)model, i / 4);
    }
}

TEST(settings_out_of_range_are_refused)
{
    const double nan = (double)NAN;
    REFUSE(smooth_settings(FOVEA_MODEL_PAPER), f.cutoff_gain = 0.0);
    REFUSE(smooth_settings(FOVEA_MODEL_PAPER), f.cutoff_gain = 1.0);
    REFUSE(smooth_settings(FOVEA_MODEL_PAPER), f.cutoff_gain = nan);
    REFUSE(smooth_settings(FOVEA_MODEL_PAPER), f.light = (enum fovea_light)5);
    REFUSE(smooth_settings(FOVEA_MODEL_PAPER), f.method = (enum fovea_method)2);
    REFUSE(smooth_settings(FOVEA_MODEL_PAPER), f.model = (enum fovea_model)5);
    REFUSE(smooth_settings(FOVEA_MODEL_PHYSICAL), f.physical.ct0 = 1.0);
    REFUSE(smooth_settings(FOVEA_MODEL_PHYSICAL), f.physical.alpha = -0.1);
    REFUSE(smooth_settings(FOVEA_MODEL_PHYSICAL), f.physical.e2_deg = nan);
    REFUSE(smooth_settings(FOVEA_MODEL_RELATIVE), f.relative.sharp = -0.1);
    REFUSE(smooth_settings(FOVEA_MODEL_RELATIVE), f.relative.sharp = nan);
    REFUSE(smooth_settings(FOVEA_MODEL_RELATIVE), f.relative.halving = 0.0);
    REFUSE(smooth_settings(FOVEA_MODEL_RELATIVE), f.relative.halving = 101.0);
    REFUSE(smooth_settings(FOVEA_MODEL_CURVE), f.curve.count = 0);
    REFUSE(smooth_settings(FOVEA_MODEL_CURVE), f.curve.count = FOVEA_CURVE_MAX + 1);
    REFUSE(smooth_settings(FOVEA_MODEL_CURVE), f.curve.eccentricity_deg[1] = 0.0);
    REFUSE(smooth_settings(FOVEA_MODEL_CURVE), f.curve.eccentricity_deg[2] = 180.5);
    REFUSE(smooth_settings(FOVEA_MODEL_CURVE), f.curve.cutoff_cpd[2] = 0.0);
    REFUSE(smooth_settings(FOVEA_MODEL_CURVE), f.curve.cutoff_cpd[0] = nan);
}

TEST(views_that_are_none_are_refused)
{
    const double inf = (double)INFINITY;
    REFUSE(smooth_settings(FOVEA_MODEL_PHYSICAL), f.geometry.screen_width_m = 0.0);
    REFUSE(smooth_settings(FOVEA_MODEL_PHYSICAL), f.geometry.distance_m = -0.6);
    REFUSE(smooth_settings(FOVEA_MODEL_PHYSICAL), f.geometry.distance_m = inf);
    REFUSE(smooth_settings(FOVEA_MODEL_PHYSICAL), f.geometry.ppd = -1.0);
    REFUSE(smooth_settings(FOVEA_MODEL_CURVE), f.geometry.ppd = 0.01);
    REFUSE(smooth_settings(FOVEA_MODEL_CURVE), f.geometry.tan_left = 1.0); /* without a height */
    REFUSE(smooth_settings(FOVEA_MODEL_PHYSICAL), f.geometry.tan_left = 1.0;
           f.geometry.tan_right = -1.0; f.geometry.tan_up = 1.0);
    REFUSE(smooth_settings(FOVEA_MODEL_PHYSICAL), f.geometry.tan_left = 1.0;
           f.geometry.tan_up = inf);
}

/* An eye so bad that its blur is wider than the picture is too much, all together. */
TEST(blur_beyond_reason_is_refused)
{
    REFUSE(smooth_settings(FOVEA_MODEL_PHYSICAL), f.physical.alpha = 200.0; f.strength = 8.0);
    REFUSE(smooth_settings(FOVEA_MODEL_CURVE), f.curve.cutoff_cpd[2] = 1e-9;
           f.geometry.distance_m = 0.3);
}
