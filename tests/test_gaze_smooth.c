/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Filters and states are made of these, which are compared with formulas that are written out here.
 */
#include "plugin/gaze/gaze_filter.h"
#include "support/clock.h"
#include "support/random.h"
#include "test_gaze_support.h"

#define RAD (3.14159265358979323846 / 180.0)

/* groundTruth.csv of github.com/casiez/OneEuroFilter has this: what the authors' filter of a cutoff
 * of 1 Hz, a beta of 0.1 and a derivative cutoff of 1 Hz makes of noise at 120 Hz; six digits. */
static const double AUTHORS[][2] = {
    {-0.0385099, -0.0385099}, {-0.0280664, -0.0379872}, {0.048622, -0.0334427},
    {0.111498, -0.0252696},   {0.053026, -0.0207099},   {0.120548, -0.0119912},
    {0.00972308, -0.0106507}, {0.074193, -0.00526521},  {-0.0236801, -0.00641239},
    {0.0462396, -0.00308863}, {0.0892027, 0.00291027},  {0.158329, 0.0135545},
    {0.0423086, 0.01552},     {0.0887203, 0.0206024},   {0.039102, 0.0218784},
    {0.140277, 0.030313},     {0.156938, 0.0396331},    {0.0961089, 0.0438101},
    {0.216881, 0.0572083},    {0.067538, 0.057997},     {0.0737634, 0.0591871},
};

TEST(one_euro_gives_the_numbers_of_its_authors)
{
    const struct gaze_one_euro_desc desc = {1, 0.1, 1};
    struct gaze_one_euro filter = {.begun = false};
    for (size_t i = 0; i < COUNT_OF(AUTHORS); i++) {
        const double made = gaze_one_euro_pass(&filter, &desc, AUTHORS[i][0], 1.0 / 120);
        assert_near(made, AUTHORS[i][1], 2e-7);
    }
}

struct plain_low_pass {
    bool any;
    double y;
};

static double low_pass(struct plain_low_pass *filter, double x, double cutoff_hz, double te)
{
    const double tau = 1.0 / (2.0 * 180.0 * RAD * cutoff_hz);
    const double alpha = 1.0 / (1.0 + tau / te);
    filter->y = filter->any ? alpha * x + (1.0 - alpha) * filter->y : x;
    filter->any = true;
    return filter->y;
}

TEST(one_euro_is_its_formula_at_uneven_times)
{
    uint64_t random = 1;
    for (int run = 0; run < 20; run++) {
        const struct gaze_one_euro_desc desc = {exp(random_uniform(&random, -4, 4)),
                                                random_uniform(&random, 0, 3),
                                                exp(random_uniform(&random, -4, 4))};
        struct gaze_one_euro filter = {.begun = false};
        struct plain_low_pass x = {.any = false};
        struct plain_low_pass dx = {.any = false};
        for (int i = 0; i < 200; i++) {
            const double te = exp(random_uniform(&random, -9, -2));
            const double value = random_uniform(&random, -40, 40);
            const double slope = x.any ? (value - x.y) / te : 0.0;
            const double edx = low_pass(&dx, slope, desc.derivative_cutoff_hz, te);
            const double wanted =
                low_pass(&x, value, desc.min_cutoff_hz + desc.beta * fabs(edx), te);
            assert_near(gaze_one_euro_pass(&filter, &desc, value, te), wanted, 1e-9);
        }
    }
}

TEST(the_median_is_that_of_a_sorted_list)
{
    uint64_t random = 2;
    struct gaze_past past = {.count = 0};
    for (int i = 0; i < 1000; i++) {
        const struct gaze_look look = {.t_ns = i * MS, .deg = {random_uniform(&random, -9, 9), i}};
        gaze_past_add(&past, &look);
        const int window_ms = (int)random_uniform(&random, 0, 100);
        const size_t most = 1 + (size_t)random_uniform(&random, 0, 80);
        double list[GAZE_PAST_MEDIAN];
        size_t count = 0;
        while (count < most && count < past.count && count < GAZE_PAST_MEDIAN &&
               (int)count <= window_ms) {
            list[count] = gaze_past_at(&past, count)->deg[0];
            count++;
        }
        qsort(list, count, sizeof *list, clock_by_value);
        const double wanted =
            count % 2 == 1 ? list[count / 2] : 0.5 * (list[count / 2 - 1] + list[count / 2]);
        assert_near(gaze_median(&past, 0, window_ms * MS, most), wanted, 0);
    }
}

TEST(angles_are_those_between_lines_of_sight)
{
    uint64_t random = 3;
    for (int i = 0; i < 1000; i++) {
        long double dot = 1;
        long double a2 = 1;
        long double b2 = 1;
        double a[2];
        double b[2];
        for (int axis = 0; axis < 2; axis++) {
            a[axis] = random_uniform(&random, -60, 60);
            b[axis] = random_uniform(&random, -60, 60);
            const long double u = tanl((long double)a[axis] * RAD);
            const long double v = tanl((long double)b[axis] * RAD);
            dot += u * v;
            a2 += u * u;
            b2 += v * v;
        }
        const double wanted = (double)(acosl(dot / sqrtl(a2 * b2)) / RAD);
        assert_near(gaze_angle_deg(a, b), wanted, 1e-9);
    }
    const double here[2] = {20, 10};
    const double beside[2] = {20 + 1e-9, 10};
    assert_near(gaze_angle_deg(here, here), 0, 0);
    assert_near(gaze_angle_deg(here, beside) * 1e9, 0.98, 0.03);
}

/* The waveform of Dai and others 2016 for an amplitude, at t_s since its onset; 600 degrees a
 * second and 6 degrees are the authors' example. */
static double dai_part(double t)
{
    return t >= 0 ? t + 0.25 * exp(-2 * t) : 0.25 * exp(2 * t);
}

static double dai_deg(double amplitude_deg, double t_s)
{
    return 6 * (dai_part(600 * t_s / 6) - dai_part((600 * t_s - amplitude_deg) / 6));
}

/* A prediction has changed samples of such a leap: this says how far off it is at most, and how far
 * the sample itself was off when that was the most. */
struct off {
    double predicted_deg;
    double sample_deg;
};

static struct off off_of(enum fovea_gaze_predict predict, double amplitude_deg, double ahead_ms)
{
    struct fovea_gaze_settings settings = gaze_filtering(FOVEA_GAZE_SMOOTH_NONE, 40);
    settings.space = FOVEA_GAZE_SPACE_DEGREES;
    settings.filter_predict = predict;
    settings.filter_predict_ms = ahead_ms;
    struct gaze_filter filter = {.movement = GAZE_NOT_TOLD};
    struct off off = {0, 0};
    for (int ms = -60; ms < 120; ms++) {
        const double x = dai_deg(amplitude_deg, ms * 1e-3);
        const bool is_ahead = predict == FOVEA_GAZE_PREDICT_TAYLOR;
        const double wanted =
            is_ahead ? dai_deg(amplitude_deg, (ms + ahead_ms) * 1e-3) : amplitude_deg;
        struct fovea_gaze_sample sample = {.x = x, .t_ns = S + ms * MS, .confidence = 1};
        const enum gaze_movement movement = gaze_filter_pass(&filter, &settings, &sample);
        assert_true(movement == GAZE_SACCADE || fabs(sample.x - x) <= 0);
        if (fabs(sample.x - x) > 0) {
            off.predicted_deg = fmax(off.predicted_deg, fabs(sample.x - wanted));
            off.sample_deg = fmax(off.sample_deg, fabs(x - wanted));
        }
    }
    return off;
}

TEST(predictions_are_right_where_their_model_is)
{
    for (double amplitude_deg = 4; amplitude_deg <= 20; amplitude_deg += 2) {
        const struct off none = off_of(FOVEA_GAZE_PREDICT_NONE, amplitude_deg, 0);
        const struct off landing = off_of(FOVEA_GAZE_PREDICT_LANDING, amplitude_deg, 0);
        const struct off ahead = off_of(FOVEA_GAZE_PREDICT_TAYLOR, amplitude_deg, 4);
        assert_near(none.sample_deg, 0, 0);
        assert_that(landing.predicted_deg < 0.65 &&
                        landing.predicted_deg < 0.75 * landing.sample_deg,
                    "landing of %g degrees: off by %g, and by %g without", amplitude_deg,
                    landing.predicted_deg, landing.sample_deg);
        assert_that(ahead.predicted_deg < 0.5 * ahead.sample_deg,
                    "4 ms ahead in %g degrees: off by %g, and by %g without", amplitude_deg,
                    ahead.predicted_deg, ahead.sample_deg);
    }
}
