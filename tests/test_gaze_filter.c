/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Filters and states, against formulas that are written out here, and as sources pass samples on.
 */
#include "plugin/gaze/gaze_coords.h"
#include "plugin/gaze/gaze_filter.h"
#include "support/random.h"
#include "test_gaze_support.h"

#define RAD (3.14159265358979323846 / 180.0)

/* ---- Formulas ---- */

/* From groundTruth.csv of github.com/casiez/OneEuroFilter: what the authors' filter of a cutoff of
 * 1 Hz, a beta of 0.1 and a derivative cutoff of 1 Hz makes of noise at 120 Hz; six digits. */
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

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
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
        qsort(list, count, sizeof *list, compare);
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

TEST(degrees_and_back_is_the_way_to_uv)
{
    uint64_t random = 4;
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    settings.screen_deg[0] = 47;
    settings.screen_deg[1] = 28;
    settings.screen_px[0] = 1920;
    settings.screen_px[1] = 1080;
    for (int i = 0; i < 300; i++) {
        settings.space = (enum fovea_gaze_space)(i % 4);
        settings.origin = (enum fovea_gaze_origin)(i % 3);
        const double x = random_uniform(&random, -40, 40);
        const double y = random_uniform(&random, -40, 40);
        const double at[2] = {gaze_coords_to_deg(&settings, 0, x),
                              gaze_coords_to_deg(&settings, 1, y)};
        assert_near(gaze_coords_from_deg(&settings, 0, at[0]), x, 1e-7);
        assert_near(gaze_coords_from_deg(&settings, 1, at[1]), y, 1e-7);
        const struct fovea_point_uv uv = gaze_coords_to_uv(&settings, 7, 5, x, y);
        struct fovea_gaze_settings angles = settings;
        angles.space = FOVEA_GAZE_SPACE_DEGREES;
        const struct fovea_point_uv again = gaze_coords_to_uv(&angles, 7, 5, at[0], at[1]);
        assert_near(again.x_uv, uv.x_uv, 1e-7);
        assert_near(again.y_uv, uv.y_uv, 1e-7);
    }
}

/* ---- What sources pass on ---- */

struct watcher {
    struct fovea_gaze_source *source;
    struct gaze_listener listener;
    struct fovea_gaze_sample heard;
};

static void hear(void *user, const struct fovea_gaze_sample *sample)
{
    ((struct watcher *)user)->heard = *sample;
}

static struct fovea_gaze_settings filtering(enum fovea_gaze_smooth smooth, double velocity_deg_s)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    settings.screen_deg[0] = 48;
    settings.screen_deg[1] = 28;
    settings.filter_smooth = smooth;
    settings.filter_velocity_deg_s = velocity_deg_s;
    return settings;
}

static struct watcher *watch(const struct fovea_gaze_settings *settings)
{
    struct watcher *watcher = calloc(1, sizeof *watcher);
    assert_non_null(watcher);
    watcher->source = gaze_open(settings);
    watcher->listener = (struct gaze_listener){.heard = hear, .user = watcher};
    assert_ok(gaze_source_listen(watcher->source, &watcher->listener));
    return watcher;
}

static void watcher_destroy(struct watcher **watcher)
{
    fovea_gaze_source_destroy(&(*watcher)->source);
    free(*watcher);
    *watcher = NULL;
}

/* What a frame reads, which is what the late gaze hears. */
static struct fovea_gaze push(struct watcher *watcher, double x, double y, int64_t t_ns)
{
    const struct fovea_gaze_sample sample = {.x = x, .y = y, .t_ns = t_ns, .confidence = 1};
    assert_ok(fovea_gaze_source_push(watcher->source, &sample));
    const struct fovea_gaze gaze = gaze_at(watcher->source, t_ns);
    const struct fovea_point_uv heard =
        gaze_source_point(watcher->source, 1280, 720, &watcher->heard);
    assert_near(heard.x_uv, gaze.point.x_uv, 0);
    assert_near(heard.y_uv, gaze.point.y_uv, 0);
    assert_true(fovea_gaze_is_tracked(gaze.state));
    return gaze;
}

/* 200 ms of noise around 0.3, a straight leap of 24 ms by about 8 degrees, 200 ms of noise. */
#define TRIP_MS 424

static double trip_x(uint64_t *random, int ms)
{
    const double part = fmin(fmax((ms - 200) / 24.0, 0.0), 1.0);
    return 0.3 + 0.17 * part + random_uniform(random, -1e-3, 1e-3);
}

TEST(nothing_asked_for_nothing_changes)
{
    struct fovea_gaze_settings settings = filtering(FOVEA_GAZE_SMOOTH_NONE, 0);
    OWNED(watcher_destroy) struct watcher *watcher = watch(&settings);
    uint64_t random = 5;
    for (int ms = 0; ms < TRIP_MS; ms++) {
        const double x = trip_x(&random, ms);
        const struct fovea_gaze gaze = push(watcher, x, 1e-310, S + ms * MS);
        assert_near(gaze.point.x_uv, x, 0);
        assert_near(gaze.point.y_uv, 1e-310, 0);
        assert_int_equal(gaze.state, FOVEA_GAZE_TRACKED);
    }
}

struct kind {
    enum fovea_gaze_smooth smooth;
    double velocity_deg_s;
    bool jump;
};

/* The largest distance from the sample that came, in the leap; and what is left of the noise. */
static void trip(const struct kind *kind, double *out_behind_uv, double *out_noise_part)
{
    struct fovea_gaze_settings settings = filtering(kind->smooth, kind->velocity_deg_s);
    settings.filter_jump = kind->jump;
    OWNED(watcher_destroy) struct watcher *watcher = watch(&settings);
    uint64_t random = 6;
    double before[2] = {0.3, 0.3};
    double moved[2] = {0, 0};
    *out_behind_uv = 0;
    for (int ms = 0; ms < TRIP_MS; ms++) {
        const double x = trip_x(&random, ms);
        const struct fovea_gaze gaze = push(watcher, x, 0.5, S + ms * MS);
        if (gaze.state == FOVEA_GAZE_SACCADE ||
            (kind->velocity_deg_s <= 0 && ms >= 210 && ms < 224)) {
            *out_behind_uv = fmax(*out_behind_uv, fabs(gaze.point.x_uv - x));
        } else if (ms > 100 && ms < 200) {
            moved[0] += fabs(x - before[0]);
            moved[1] += fabs(gaze.point.x_uv - before[1]);
        }
        before[0] = x;
        before[1] = gaze.point.x_uv;
        if (kind->velocity_deg_s > 0) {
            const bool leaps = ms >= 204 && ms < 224;
            const bool rests = ms < 200 || ms > 224 + 12;
            assert_true(!leaps || gaze.state == FOVEA_GAZE_SACCADE);
            assert_true(!rests || gaze.state == FOVEA_GAZE_FIXATION);
        }
    }
    *out_noise_part = moved[1] / moved[0];
}

TEST(noise_goes_and_a_saccade_is_not_late)
{
    static const struct kind kinds[] = {
        {FOVEA_GAZE_SMOOTH_ONE_EURO, 40, true},  {FOVEA_GAZE_SMOOTH_MEDIAN, 40, true},
        {FOVEA_GAZE_SMOOTH_ONE_EURO, 40, false}, {FOVEA_GAZE_SMOOTH_MEDIAN, 40, false},
        {FOVEA_GAZE_SMOOTH_ONE_EURO, 0, true},   {FOVEA_GAZE_SMOOTH_MEDIAN, 0, true},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const bool jumps = kinds[i].jump && kinds[i].velocity_deg_s > 0;
        double behind_uv = 0;
        double noise_part = 0;
        trip(&kinds[i], &behind_uv, &noise_part);
        assert_that(noise_part < 0.2, "kind %zu: %g of the noise is left", i, noise_part);
        assert_that(jumps ? behind_uv <= 0 : behind_uv > 0.01, "kind %zu: behind by %g", i,
                    behind_uv);
    }
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

/* Of the samples of such a leap that a prediction has changed: how far off it is at most, and how
 * far the sample itself was off when that was the most. */
struct off {
    double predicted_deg;
    double sample_deg;
};

static struct off off_of(enum fovea_gaze_predict predict, double amplitude_deg, double ahead_ms)
{
    struct fovea_gaze_settings settings = filtering(FOVEA_GAZE_SMOOTH_NONE, 40);
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

/* What comes after a closed eye, or a silence, has no past. */
TEST(a_blink_and_a_silence_begin_anew)
{
    struct fovea_gaze_settings settings = filtering(FOVEA_GAZE_SMOOTH_ONE_EURO, 30);
    OWNED(watcher_destroy) struct watcher *watcher = watch(&settings);
    struct fovea_gaze_source *source = watcher->source;
    push(watcher, 0.2, 0.2, S);
    assert_int_equal(push(watcher, 0.2, 0.2, S + 5 * MS).state, FOVEA_GAZE_FIXATION);
    const struct fovea_gaze_sample closed = {.blink = true, .t_ns = S + 10 * MS, .confidence = 1};
    assert_ok(fovea_gaze_source_push(source, &closed));
    assert_int_equal(gaze_at(source, S + 10 * MS).state, FOVEA_GAZE_BLINK);
    assert_int_equal(gaze_at(source, S + 605 * MS).state, FOVEA_GAZE_BLINK);
    assert_int_equal(gaze_at(source, S + 606 * MS).state, FOVEA_GAZE_LOST);
    const struct fovea_gaze_sample unsure = {.t_ns = S + 12 * MS, .confidence = 0.1};
    assert_ok(fovea_gaze_source_push(source, &unsure));
    assert_int_equal(gaze_at(source, S + 12 * MS).state, FOVEA_GAZE_HELD);
    struct fovea_gaze gaze = push(watcher, 0.7, 0.7, S + 15 * MS);
    assert_near(gaze.point.x_uv, 0.7, 0);
    assert_int_equal(gaze.state, FOVEA_GAZE_FIXATION);
    assert_int_equal(gaze_at(source, S + 116 * MS).state, FOVEA_GAZE_HELD);
    gaze = push(watcher, 0.1, 0.1, S + 116 * MS);
    assert_near(gaze.point.x_uv, 0.1, 0);
    assert_int_equal(gaze.state, FOVEA_GAZE_FIXATION);
    gaze = push(watcher, 0.4, 0.4, S + 120 * MS);
    assert_near(gaze.point.x_uv, 0.4, 0);
    assert_int_equal(gaze.state, FOVEA_GAZE_SACCADE);
}

/* What is refused leaves no trace, and neither floods nor places far away make numbers that are
 * none. */
TEST(garbage_and_floods_do_no_harm)
{
    for (int smooth = 0; smooth <= FOVEA_GAZE_SMOOTH_MEDIAN; smooth++) {
        struct fovea_gaze_settings settings = filtering((enum fovea_gaze_smooth)smooth, 30);
        OWNED(watcher_destroy) struct watcher *watcher = watch(&settings);
        OWNED(watcher_destroy) struct watcher *spared = watch(&settings);
        uint64_t random = 7;
        for (int i = 0; i < 3000; i++) {
            const int64_t t_ns = S + i / 3 * 10000;
            const double x = i % 7 == 0 ? 1e300 : random_uniform(&random, -1, 2);
            const struct fovea_gaze_sample bad[] = {
                {.x = NAN, .t_ns = t_ns, .confidence = 1},
                {.x = 0.5, .y = INFINITY, .t_ns = t_ns, .confidence = 1},
                {.x = 0.5, .t_ns = t_ns, .confidence = 2},
                {.x = 0.5, .t_ns = INT64_MAX, .confidence = 1},
                {.x = 0.5, .t_ns = S - 1, .confidence = 1},
            };
            assert_true(fovea_gaze_source_push(watcher->source, &bad[i % 5]) < 0);
            const struct fovea_gaze gaze = push(watcher, x, 0.5, t_ns);
            const struct fovea_gaze other = push(spared, x, 0.5, t_ns);
            assert_memory_equal(&gaze.point, &other.point, sizeof gaze.point);
            assert_int_equal(gaze.state, other.state);
        }
    }
}

TEST(a_recording_has_one_answer_whatever_is_asked_first)
{
    const char *path = gaze_temporary("filtered.csv");
    uint64_t random = 8;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "t_ms,x,y\n");
    double xs[TRIP_MS];
    for (int ms = 0; ms < TRIP_MS; ms++) {
        xs[ms] = trip_x(&random, ms);
        (void)fprintf(file, "%d,%.17g,0.5\n", ms, xs[ms]);
    }
    assert_int_equal(fclose(file), 0);
    struct fovea_gaze_settings settings = filtering(FOVEA_GAZE_SMOOTH_ONE_EURO, 40);
    OWNED(watcher_destroy) struct watcher *live = watch(&settings);
    settings.kind = FOVEA_GAZE_SCANPATH;
    snprintf(settings.scanpath_file, sizeof settings.scanpath_file, "%s", path);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *forth = gaze_open(&settings);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *back = gaze_open(&settings);
    struct fovea_gaze backwards[TRIP_MS];
    gaze_at(back, 0);
    for (int ms = TRIP_MS - 1; ms >= 0; ms--) {
        backwards[ms] = gaze_at(back, (TRIP_MS + ms) * MS); /* the second lap */
    }
    for (int ms = 0; ms < TRIP_MS; ms++) {
        const struct fovea_gaze gaze = gaze_at(forth, ms * MS);
        const struct fovea_gaze wanted = push(live, xs[ms], 0.5, S + ms * MS);
        assert_near(gaze.point.x_uv, wanted.point.x_uv, 0);
        assert_int_equal(gaze.state, wanted.state);
        assert_near(backwards[ms].point.x_uv, wanted.point.x_uv, 0);
        assert_int_equal(backwards[ms].state, wanted.state);
    }
    assert_int_equal(remove(path), 0);
}

TEST(programs_that_know_three_states_meet_no_others)
{
    const struct fovea_settings settings = {.gaze = filtering(FOVEA_GAZE_SMOOTH_NONE, 30)};
    for (int knows = 0; knows < 2; knows++) {
        struct fovea_gaze_source_desc desc;
        fovea_gaze_source_desc_init(&desc);
        desc.settings = &settings;
        desc.movements = knows;
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = NULL;
        assert_ok(fovea_gaze_source_create(&desc, &source));
        const struct fovea_gaze_sample samples[] = {
            {.x = 0.1, .y = 0.5, .t_ns = S, .confidence = 1},
            {.x = 0.9, .y = 0.5, .t_ns = S + MS, .confidence = 1},
            {.blink = true, .t_ns = S + 2 * MS, .confidence = 1},
        };
        static const enum fovea_gaze_state wanted[][2] = {
            {FOVEA_GAZE_TRACKED, FOVEA_GAZE_FIXATION},
            {FOVEA_GAZE_TRACKED, FOVEA_GAZE_SACCADE},
            {FOVEA_GAZE_HELD, FOVEA_GAZE_BLINK},
        };
        for (size_t i = 0; i < COUNT_OF(samples); i++) {
            assert_ok(fovea_gaze_source_push(source, &samples[i]));
            assert_int_equal(gaze_at(source, samples[i].t_ns).state, wanted[i][knows]);
        }
        assert_int_equal(gaze_at(source, S + 900 * MS).state, FOVEA_GAZE_LOST);
    }
}

struct refusal {
    enum fovea_gaze_predict predict;
    enum fovea_gaze_smooth smooth;
    double velocity_deg_s;
    enum fovea_gaze_space space;
    double screen_deg;
    const char *words; /* NULL: it is right */
};

TEST(degrees_that_nobody_knows_are_asked_for)
{
    static const struct refusal refusals[] = {
        {FOVEA_GAZE_PREDICT_NONE, FOVEA_GAZE_SMOOTH_NONE, 30, FOVEA_GAZE_SPACE_UV, 0,
         "gaze.filter.velocity_deg_s is in degrees: set gaze.screen_deg"},
        {FOVEA_GAZE_PREDICT_NONE, FOVEA_GAZE_SMOOTH_ONE_EURO, 0, FOVEA_GAZE_SPACE_UV, 0,
         "gaze.filter.smooth one-euro is in degrees: set gaze.screen_deg"},
        {FOVEA_GAZE_PREDICT_NONE, FOVEA_GAZE_SMOOTH_ONE_EURO, 0, FOVEA_GAZE_SPACE_PIXELS, 40,
         "gaze.space pixels needs gaze.screen_px too"},
        {FOVEA_GAZE_PREDICT_NONE, FOVEA_GAZE_SMOOTH_MEDIAN, 0, FOVEA_GAZE_SPACE_PIXELS, 0, NULL},
        {FOVEA_GAZE_PREDICT_NONE, FOVEA_GAZE_SMOOTH_ONE_EURO, 30, FOVEA_GAZE_SPACE_NDC, 40, NULL},
        {FOVEA_GAZE_PREDICT_TAYLOR, FOVEA_GAZE_SMOOTH_NONE, 0, FOVEA_GAZE_SPACE_UV, 40,
         "gaze.filter.predict needs gaze.filter.velocity_deg_s"},
        {FOVEA_GAZE_PREDICT_LANDING, FOVEA_GAZE_SMOOTH_NONE, 1, FOVEA_GAZE_SPACE_UV, 40, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        const struct refusal *refusal = &refusals[i];
        struct fovea_gaze_settings settings = filtering(refusal->smooth, refusal->velocity_deg_s);
        settings.space = refusal->space;
        settings.filter_predict = refusal->predict;
        settings.screen_deg[0] = refusal->screen_deg;
        settings.screen_deg[1] = refusal->screen_deg;
        struct gaze_logged logged;
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = NULL;
        const enum fovea_result result =
            gaze_source_open(&settings, gaze_logged_log(&logged), &source);
        assert_int_equal(result, refusal->words ? FOVEA_ERROR_INVALID_ARGUMENT : FOVEA_OK);
        if (refusal->words) {
            assert_contains(logged.last[FOVEA_LOG_ERROR], refusal->words);
        }
    }
}
