/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Filters and states, against formulas that are written out here, and as sources pass samples on.
 */
#include "support/random.h"
#include "test_gaze_support.h"

struct watcher {
    struct fovea_gaze_source *source;
    struct gaze_listener listener;
    struct fovea_gaze_sample heard;
};

static void hear(void *user, const struct fovea_gaze_sample *sample)
{
    ((struct watcher *)user)->heard = *sample;
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

/* Pushes a sample and returns what a frame reads, which is what the late gaze hears. */
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
    struct fovea_gaze_settings settings = gaze_filtering(FOVEA_GAZE_SMOOTH_NONE, 0);
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
    struct fovea_gaze_settings settings = gaze_filtering(kind->smooth, kind->velocity_deg_s);
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

/* Samples after a closed eye, or a silence, have no past. */
TEST(a_blink_and_a_silence_begin_anew)
{
    struct fovea_gaze_settings settings = gaze_filtering(FOVEA_GAZE_SMOOTH_ONE_EURO, 30);
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

/* A refused sample leaves no trace, and neither floods nor places far away make numbers that are
 * none. */
TEST(garbage_and_floods_do_no_harm)
{
    for (int smooth = 0; smooth <= FOVEA_GAZE_SMOOTH_MEDIAN; smooth++) {
        struct fovea_gaze_settings settings = gaze_filtering((enum fovea_gaze_smooth)smooth, 30);
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
    struct fovea_gaze_settings settings = gaze_filtering(FOVEA_GAZE_SMOOTH_ONE_EURO, 40);
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
    const struct fovea_settings settings = {.gaze = gaze_filtering(FOVEA_GAZE_SMOOTH_NONE, 30)};
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

TEST(a_recording_of_an_eyelink_tells_blinks_from_losses)
{
    const char *path = gaze_temporary("blink.asc");
    gaze_write_file(path, "** CONVERTED FROM a.edf using edfapi\n"
                          "MSG\t100 GAZE_COORDS 0.00 0.00 1279.00 1023.00\n"
                          "START\t100 \tLEFT\tSAMPLES\tEVENTS\n"
                          "SAMPLES\tGAZE\tLEFT\tRATE\t1000.00\tTRACKING\tCR\tFILTER\t2\n"
                          "100\t  320.0\t  256.0\t  784.0\t...\nSBLINK L 101\n"
                          "101\t   .\t   .\t    0.0\t...\nEBLINK L 101\t101\t1\n"
                          "102\t   .\t   .\t    0.0\t...\n"
                          "103\t  960.0\t  768.0\t  784.0\t...\n");
    static const enum fovea_gaze_state wanted[] = {FOVEA_GAZE_FIXATION, FOVEA_GAZE_BLINK,
                                                   FOVEA_GAZE_HELD, FOVEA_GAZE_FIXATION};
    struct fovea_gaze_settings settings = gaze_filtering(FOVEA_GAZE_SMOOTH_NONE, 40);
    settings.kind = FOVEA_GAZE_SCANPATH;
    snprintf(settings.scanpath_file, sizeof settings.scanpath_file, "%s", path);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
    for (int ms = 0; ms < 4; ms++) {
        assert_int_equal(gaze_at(source, ms * MS).state, wanted[ms]);
    }
    assert_int_equal(remove(path), 0);
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
         "gaze.filter.velocity_deg_s goes by degrees: set gaze.screen_deg"},
        {FOVEA_GAZE_PREDICT_NONE, FOVEA_GAZE_SMOOTH_ONE_EURO, 0, FOVEA_GAZE_SPACE_UV, 0,
         "gaze.filter.smooth one-euro goes by degrees: set gaze.screen_deg"},
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
        struct fovea_gaze_settings settings =
            gaze_filtering(refusal->smooth, refusal->velocity_deg_s);
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
