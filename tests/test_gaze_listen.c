/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A listener hears what a reader would read at the same instant, and nothing else. */
#include "test_gaze_support.h"

struct ear {
    struct fovea_gaze_source *source;
    struct gaze_listener listener;
    unsigned calls;
    struct fovea_gaze_sample last;
    struct fovea_point_uv point;
    struct fovea_gaze read;
};

static void hear(void *user, const struct fovea_gaze_sample *sample)
{
    struct ear *ear = user;
    ear->calls++;
    ear->last = *sample;
    ear->point = gaze_source_point(ear->source, 1280, 720, sample);
    ear->read = gaze_at(ear->source, sample->t_ns);
}

static void listen_to(struct ear *ear, struct fovea_gaze_source *source)
{
    *ear = (struct ear){.source = source, .listener = {.heard = hear, .user = ear}};
    assert_ok(gaze_source_listen(source, &ear->listener));
}

TEST(the_point_is_what_a_reader_reads)
{
    static const double values[][2] = {{0.25, 0.75}, {-3, 2}, {100, 200}, {-1e9, 1e9}};
    for (int space = FOVEA_GAZE_SPACE_UV; space <= FOVEA_GAZE_SPACE_PIXELS; space++) {
        for (int origin = FOVEA_GAZE_ORIGIN_TOP_LEFT; origin <= FOVEA_GAZE_ORIGIN_CENTER;
             origin++) {
            struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
            settings.space = (enum fovea_gaze_space)space;
            settings.origin = (enum fovea_gaze_origin)origin;
            OWNED(fovea_gaze_source_destroy)
            struct fovea_gaze_source *source = gaze_open(&settings);
            struct ear ear;
            listen_to(&ear, source);
            for (size_t i = 0; i < COUNT_OF(values); i++) {
                const struct fovea_gaze_sample sample = {
                    .x = values[i][0], .y = values[i][1], .t_ns = S + (int64_t)i, .confidence = 1};
                assert_ok(fovea_gaze_source_push(source, &sample));
                assert_int_equal(ear.calls, i + 1);
                assert_int_equal(ear.last.t_ns, sample.t_ns);
                assert_int_equal(ear.read.state, FOVEA_GAZE_TRACKED);
                assert_int_equal(ear.read.sample_count, i + 1); /* published already */
                assert_near(ear.point.x_uv, ear.read.point.x_uv, 0);
                assert_near(ear.point.y_uv, ear.read.point.y_uv, 0);
            }
            gaze_source_unlisten(source, &ear.listener);
        }
    }
}

static void assert_only_valid_heard(double least_confidence)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    settings.min_confidence = least_confidence;
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
    struct ear ear;
    listen_to(&ear, source);
    const struct fovea_gaze_sample samples[] = {
        {.x = 0.5, .y = 0.5, .t_ns = 10, .confidence = settings.min_confidence / 2},
        {.blink = true, .t_ns = 11, .confidence = 1},
        {.x = NAN, .y = 0.5, .t_ns = 12, .confidence = 1},
        {.x = 0.5, .y = 0.5, .t_ns = 5, .confidence = 1},
        {.x = 0.5, .y = 0.5, .t_ns = INT64_MAX, .confidence = 1},
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        (void)!fovea_gaze_source_push(source, &samples[i]);
    }
    assert_int_equal(ear.calls, 0);
    const struct fovea_gaze_sample valid = {.x = 0.5, .y = 0.5, .t_ns = 20, .confidence = 1};
    assert_ok(fovea_gaze_source_push(source, &valid));
    assert_int_equal(ear.calls, 1);
    gaze_source_unlisten(source, &ear.listener);
    assert_ok(fovea_gaze_source_push(source, &valid));
    assert_int_equal(ear.calls, 1);
}

TEST(only_valid_samples_are_heard)
{
    assert_only_valid_heard(0.5);
    assert_only_valid_heard(0.0); /* a confidence of 0 is a lost eye's */
}

TEST(only_what_comes_from_outside_is_listened_to)
{
    struct gaze_listener listener = {.heard = hear};
    static const enum fovea_gaze_kind kinds[] = {FOVEA_GAZE_FIXED, FOVEA_GAZE_SACCADES,
                                                 FOVEA_GAZE_MOUSE, FOVEA_GAZE_UDP};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const bool outside = kinds[i] == FOVEA_GAZE_MOUSE || kinds[i] == FOVEA_GAZE_UDP;
        struct fovea_gaze_settings settings = gaze_settings(kinds[i]);
        settings.udp_port = 0;
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
        assert_int_equal(gaze_source_listen(source, &listener),
                         outside ? FOVEA_OK : FOVEA_ERROR_UNSUPPORTED);
        if (outside) {
            gaze_source_unlisten(source, &listener);
            assert_ok(gaze_source_listen(source, &listener));
        }
    }
}

/* Whoever leaves, and in whatever order: the others hear on. */
TEST(many_listen_and_each_leaves_alone)
{
    enum { EARS = 5 };
    static const int leaving[EARS] = {2, 0, 4, 1, 3};
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
    struct ear ears[EARS];
    for (int i = 0; i < EARS; i++) {
        listen_to(&ears[i], source);
    }
    for (int gone = 0; gone <= EARS; gone++) {
        const struct fovea_gaze_sample sample = {
            .x = 0.1 * gone, .y = 0.5, .t_ns = S + gone, .confidence = 1};
        assert_ok(fovea_gaze_source_push(source, &sample));
        for (int i = 0; i < EARS; i++) {
            const unsigned heard = (unsigned)gone + 1;
            unsigned left_after = EARS + 1;
            for (int j = 0; j < gone; j++) {
                left_after = leaving[j] == i ? (unsigned)j + 1 : left_after;
            }
            assert_int_equal(ears[i].calls, heard < left_after ? heard : left_after);
        }
        if (gone < EARS) {
            gaze_source_unlisten(source, &ears[leaving[gone]].listener);
        }
    }
}

static void note_that_it_is_gone(void *user)
{
    struct ear *ear = user;
    assert_non_null(ear->source); /* it is told once */
    ear->source = NULL;
}

TEST(who_listens_to_a_source_that_goes_is_told)
{
    const struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    struct fovea_gaze_source *source = gaze_open(&settings);
    struct ear ears[3];
    for (int i = 0; i < 3; i++) {
        listen_to(&ears[i], source);
        ears[i].listener.gone = i < 2 ? note_that_it_is_gone : NULL;
    }
    gaze_source_unlisten(source, &ears[1].listener);
    fovea_gaze_source_destroy(&source);
    assert_null(ears[0].source);
    assert_non_null(ears[1].source); /* it had left */
}
