/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Samples that are there, that are not good enough and that do not come: the mouse source with
 * times of our own. */
#include "test_gaze_support.h"

static struct fovea_gaze_source *open_mouse(double hold_ms, double return_ms,
                                            enum fovea_gaze_fallback fallback)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    settings.hold_ms = hold_ms;
    settings.return_ms = return_ms;
    settings.fallback = fallback;
    return gaze_open(&settings);
}

#define MOUSE(hold_ms, return_ms, fallback)                                                        \
    OWNED(fovea_gaze_source_destroy)                                                               \
    struct fovea_gaze_source *source =                                                             \
        open_mouse(hold_ms, return_ms, FOVEA_GAZE_FALLBACK_##fallback)

static void push(struct fovea_gaze_source *source, int64_t t_ns, double x, double y,
                 double confidence)
{
    const struct fovea_gaze_sample sample = {
        .x = x, .y = y, .t_ns = t_ns, .confidence = confidence};
    assert_ok(fovea_gaze_source_push(source, &sample));
}

static void push_blink(struct fovea_gaze_source *source, int64_t t_ns)
{
    const struct fovea_gaze_sample sample = {
        .x = NAN, .y = NAN, .t_ns = t_ns, .confidence = 1, .blink = true};
    assert_ok(fovea_gaze_source_push(source, &sample));
}

struct moment {
    int64_t t_ns;
    enum fovea_gaze_state state;
    double x_uv;
    int64_t age_ns;
};

static void assert_timeline(struct fovea_gaze_source *source, const struct moment *moments,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct fovea_gaze gaze = gaze_at(source, moments[i].t_ns);
        assert_that(gaze.state == moments[i].state &&
                        fabs(gaze.point.x_uv - moments[i].x_uv) <= 1e-9 &&
                        gaze.age_ns == moments[i].age_ns,
                    "at %lld ns: state %d, x %.12g, age %lld; wanted %d, %.12g, %lld",
                    (long long)moments[i].t_ns, gaze.state, gaze.point.x_uv, (long long)gaze.age_ns,
                    moments[i].state, moments[i].x_uv, (long long)moments[i].age_ns);
    }
}

TEST(before_any_sample_the_gaze_is_at_the_fallback)
{
    for (int fallback = FOVEA_GAZE_FALLBACK_CENTER; fallback <= FOVEA_GAZE_FALLBACK_NONE;
         fallback++) {
        OWNED(fovea_gaze_source_destroy)
        struct fovea_gaze_source *source = open_mouse(600, 150, (enum fovea_gaze_fallback)fallback);
        const struct fovea_gaze gaze = gaze_at(source, 5 * S);
        assert_near(gaze.point.x_uv, 0.5, 0);
        assert_near(gaze.point.y_uv, 0.5, 0);
        assert_int_equal(gaze.state, FOVEA_GAZE_LOST);
        assert_int_equal(gaze.usable, fallback != FOVEA_GAZE_FALLBACK_NONE);
        assert_int_equal(gaze.age_ns, 0);
    }
}

TEST(only_invalid_samples_are_as_good_as_none)
{
    MOUSE(600, 150, LAST);
    push(source, S, 0.1, 0.1, 0.4);
    push_blink(source, 2 * S);
    const struct fovea_gaze gaze = gaze_at(source, 2 * S);
    assert_near(gaze.point.x_uv, 0.5, 0);
    assert_int_equal(gaze.state, FOVEA_GAZE_LOST);
    assert_int_equal(gaze.sample_count, 2);
}

TEST(silence_holds_then_returns_to_the_center)
{
    MOUSE(600, 150, CENTER);
    push(source, 1 * S, 0.1, 0.5, 1);
    static const struct moment moments[] = {
        {1000 * MS, FOVEA_GAZE_TRACKED, 0.1, 0},
        {1100 * MS, FOVEA_GAZE_TRACKED, 0.1, 100 * MS},
        {1100 * MS + 1, FOVEA_GAZE_HELD, 0.1, 100 * MS + 1},
        {1600 * MS, FOVEA_GAZE_HELD, 0.1, 600 * MS},
        {1600 * MS + 1, FOVEA_GAZE_LOST, 0.1, 600 * MS + 1},
        /* smoothstep: a third of the way in time is 7/27 of the distance */
        {1650 * MS, FOVEA_GAZE_LOST, 0.1 + 0.4 * 7 / 27, 650 * MS},
        {1675 * MS, FOVEA_GAZE_LOST, 0.3, 675 * MS},
        {1750 * MS, FOVEA_GAZE_LOST, 0.5, 750 * MS},
        {9000 * MS, FOVEA_GAZE_LOST, 0.5, 8000 * MS},
        /* asking for an earlier time again is no different */
        {1000 * MS, FOVEA_GAZE_TRACKED, 0.1, 0},
        {500 * MS, FOVEA_GAZE_TRACKED, 0.1, 0},
        {INT64_MAX, FOVEA_GAZE_LOST, 0.5, INT64_MAX - 1000 * MS},
        {INT64_MIN, FOVEA_GAZE_TRACKED, 0.1, 0},
    };
    assert_timeline(source, moments, COUNT_OF(moments));
}

TEST(a_blink_holds_and_an_open_eye_tracks_at_once)
{
    MOUSE(600, 150, CENTER);
    push(source, 1000 * MS, 0.2, 0.5, 1);
    for (int64_t t = 1004; t <= 1150; t += 4) {
        push_blink(source, t * MS);
    }
    static const struct moment in_blink[] = {
        {1004 * MS, FOVEA_GAZE_HELD, 0.2, 4 * MS},
        {1150 * MS, FOVEA_GAZE_HELD, 0.2, 150 * MS},
    };
    assert_timeline(source, in_blink, COUNT_OF(in_blink));
    push(source, 1154 * MS, 0.9, 0.5, 1);
    static const struct moment after[] = {{1155 * MS, FOVEA_GAZE_TRACKED, 0.9, 1 * MS}};
    assert_timeline(source, after, COUNT_OF(after));
}

TEST(low_confidence_goes_on_to_the_fallback)
{
    MOUSE(200, 100, CENTER);
    push(source, 0, 0.9, 0.5, 0.5);
    for (int64_t t = 10; t <= 500; t += 10) {
        push(source, t * MS, 0.1, 0.1, 0.499);
    }
    static const struct moment moments[] = {
        {10 * MS, FOVEA_GAZE_HELD, 0.9, 10 * MS},   {200 * MS, FOVEA_GAZE_HELD, 0.9, 200 * MS},
        {250 * MS, FOVEA_GAZE_LOST, 0.7, 250 * MS}, {300 * MS, FOVEA_GAZE_LOST, 0.5, 300 * MS},
        {500 * MS, FOVEA_GAZE_LOST, 0.5, 500 * MS},
    };
    assert_timeline(source, moments, COUNT_OF(moments));
}

TEST(an_invalid_sample_after_silence_does_not_start_holding_again)
{
    MOUSE(600, 150, CENTER);
    push(source, 0, 0.1, 0.5, 1);
    const struct fovea_gaze before = gaze_at(source, 675 * MS);
    push_blink(source, 670 * MS);
    const struct fovea_gaze after = gaze_at(source, 675 * MS);
    assert_int_equal(before.state, FOVEA_GAZE_LOST);
    assert_int_equal(after.state, FOVEA_GAZE_LOST);
    assert_near(after.point.x_uv, before.point.x_uv, 0);
}

TEST(without_hold_and_return_the_fallback_is_at_once)
{
    MOUSE(0, 0, CENTER);
    push(source, 0, 0.1, 0.5, 1);
    push_blink(source, 10 * MS);
    static const struct moment moments[] = {
        {10 * MS, FOVEA_GAZE_HELD, 0.1, 10 * MS},
        {10 * MS + 1, FOVEA_GAZE_LOST, 0.5, 10 * MS + 1},
    };
    assert_timeline(source, moments, COUNT_OF(moments));
}

/* A tracker of 10 Hz must not flicker between the gaze and the fallback. */
TEST(without_hold_the_way_back_has_no_jump)
{
    MOUSE(0, 150, CENTER);
    push(source, 0, 0.1, 0.5, 1);
    static const struct moment moments[] = {
        {99 * MS, FOVEA_GAZE_TRACKED, 0.1, 99 * MS},
        {100 * MS + 1, FOVEA_GAZE_LOST, 0.1, 100 * MS + 1},
        {175 * MS, FOVEA_GAZE_LOST, 0.3, 175 * MS},
        {250 * MS, FOVEA_GAZE_LOST, 0.5, 250 * MS},
    };
    assert_timeline(source, moments, COUNT_OF(moments));
}

TEST(fallback_last_stays_and_fallback_none_is_not_usable)
{
    OWNED(fovea_gaze_source_destroy)
    struct fovea_gaze_source *last = open_mouse(600, 150, FOVEA_GAZE_FALLBACK_LAST);
    OWNED(fovea_gaze_source_destroy)
    struct fovea_gaze_source *none = open_mouse(600, 150, FOVEA_GAZE_FALLBACK_NONE);
    push(last, 0, 0.1, 0.2, 1);
    push(none, 0, 0.1, 0.2, 1);
    struct fovea_gaze gaze = gaze_at(last, 700 * MS);
    assert_int_equal(gaze.state, FOVEA_GAZE_LOST);
    assert_true(gaze.usable);
    assert_near(gaze.point.x_uv, 0.1, 0);
    gaze = gaze_at(none, 600 * MS);
    assert_int_equal(gaze.state, FOVEA_GAZE_HELD);
    assert_true(gaze.usable);
    gaze = gaze_at(none, 600 * MS + 1);
    assert_int_equal(gaze.state, FOVEA_GAZE_LOST);
    assert_false(gaze.usable);
    assert_near(gaze.point.x_uv, 0.5, 0);
}

TEST(samples_that_make_no_sense_are_refused_and_counted)
{
    MOUSE(600, 150, CENTER);
    push(source, S, 0.25, 0.75, 1);
    static const struct fovea_gaze_sample bad[] = {
        {.x = NAN, .y = 0.5, .t_ns = 2 * S, .confidence = 1},
        {.x = 0.5, .y = NAN, .t_ns = 2 * S, .confidence = 1},
        {.x = INFINITY, .y = 0.5, .t_ns = 2 * S, .confidence = 1},
        {.x = 0.5, .y = -INFINITY, .t_ns = 2 * S, .confidence = 1},
        {.x = 0.5, .y = 0.5, .t_ns = 2 * S, .confidence = NAN},
        {.x = 0.5, .y = 0.5, .t_ns = 2 * S, .confidence = 1.5},
        {.x = 0.5, .y = 0.5, .t_ns = 2 * S, .confidence = -0.1},
        {.x = 0.5, .y = 0.5, .t_ns = S - 1, .confidence = 1},
        {.x = 0.5, .y = 0.5, .t_ns = INT64_MIN, .confidence = 1},
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_that(fovea_gaze_source_push(source, &bad[i]) == FOVEA_ERROR_INVALID_ARGUMENT,
                    "sample %zu was taken", i);
        const struct fovea_gaze gaze = gaze_at(source, S);
        assert_near(gaze.point.x_uv, 0.25, 0);
        assert_int_equal(gaze.rejected_count, i + 1);
        assert_int_equal(gaze.sample_count, 1);
    }
    push(source, S, 0.3, 0.75, 1); /* as old as the newest is not older */
    assert_near(gaze_at(source, S).point.x_uv, 0.3, 0);
}

/* One sample that a wrong clock stamped far ahead would keep out all that are right. */
TEST(samples_of_the_future_are_refused_and_keep_nothing_out)
{
    MOUSE(600, 150, CENTER);
    const int64_t ahead_ns[] = {3600 * S, S, 100 * MS};
    for (size_t i = 0; i < COUNT_OF(ahead_ns); i++) {
        const struct fovea_gaze_sample sample = {
            .x = 0.9, .y = 0.9, .t_ns = fovea_time_ns() + ahead_ns[i], .confidence = 1};
        assert_int_equal(fovea_gaze_source_push(source, &sample), FOVEA_ERROR_INVALID_ARGUMENT);
        assert_int_equal(gaze_at(source, sample.t_ns).rejected_count, i + 1);
    }
    const struct fovea_gaze_sample never = {.blink = true, .t_ns = INT64_MAX, .confidence = 1};
    assert_int_equal(fovea_gaze_source_push(source, &never), FOVEA_ERROR_INVALID_ARGUMENT);
    const int64_t now_ns = fovea_time_ns();
    push(source, now_ns, 0.25, 0.75, 1);
    assert_near(gaze_at(source, now_ns).point.x_uv, 0.25, 0);
    /* A tracker's clock that runs a little ahead is a tracker all the same. */
    push(source, now_ns + 5 * MS, 0.3, 0.75, 1);
    assert_near(gaze_at(source, now_ns + 5 * MS).point.x_uv, 0.3, 0);
}

TEST(gaze_outside_the_image_is_passed_on)
{
    MOUSE(600, 150, CENTER);
    push(source, 0, -0.75, 1.5, 1);
    struct fovea_gaze gaze = gaze_at(source, 0);
    assert_near(gaze.point.x_uv, -0.75, 0);
    assert_near(gaze.point.y_uv, 1.5, 0);
    push(source, 1, 1e308, -1e308, 1);
    gaze = gaze_at(source, 1);
    assert_near(gaze.point.x_uv, 5, 0);
    assert_near(gaze.point.y_uv, -4, 0);
}

TEST(the_rate_is_that_of_the_last_second)
{
    static const struct {
        int64_t period_ns;
        double rate_hz;
    } cases[] = {{1 * MS, 1000}, {4 * MS, 250}, {8333333, 120}, {100 * MS, 10}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        MOUSE(600, 150, CENTER);
        int64_t t_ns = -2 * S;
        for (; t_ns < 3 * S; t_ns += cases[i].period_ns) {
            push(source, t_ns, 0.5, 0.5, 1);
        }
        /* the window starts inside a bucket: a bucket's worth of doubt, at least one sample */
        const double doubt = 1.0 + cases[i].rate_hz / 32.0;
        assert_near(gaze_at(source, t_ns).rate_hz, cases[i].rate_hz, doubt);
        assert_near(gaze_at(source, t_ns + S / 2).rate_hz, cases[i].rate_hz / 2, doubt);
        assert_near(gaze_at(source, t_ns + 2 * S).rate_hz, 0, 0);
        assert_near(gaze_at(source, INT64_MAX).rate_hz, 0, 0);
        assert_near(gaze_at(source, INT64_MIN).rate_hz, 0, 0);
    }
}

TEST(the_rate_is_there_from_the_first_samples)
{
    MOUSE(600, 150, CENTER);
    for (int i = 1; i <= 5; i++) {
        push(source, i * MS, 0.5, 0.5, i == 3 ? 0.0 : 1.0);
        assert_near(gaze_at(source, i * MS).rate_hz, i, 0);
    }
}

TEST(a_sample_counts_for_a_second)
{
    MOUSE(600, 150, CENTER);
    for (int i = 0; i < 8; i++) {
        push(source, 10 * S, 0.5, 0.5, 1);
    }
    assert_near(gaze_at(source, 10 * S).rate_hz, 8, 0);
    assert_near(gaze_at(source, 11 * S).rate_hz, 8, 0);
    assert_near(gaze_at(source, 11 * S + S / 64).rate_hz, 4, 0); /* half of its bucket is past */
    assert_near(gaze_at(source, 11 * S + S / 32).rate_hz, 0, 0);
    assert_near(gaze_at(source, 12 * S).rate_hz, 0, 0);
}
