/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The place where both lines of sight cross is compared with geometry that is laid out here: eyes,
 * a place that both look at, and how far away it is. */
#include "plugin/gaze/gaze_intake.h"
#include "plugin/gaze/sources/gaze_lsl_channels.h"
#include "plugin/gaze/sources/gaze_neon_message.h"
#include "plugin/gaze/sources/gaze_opengaze_line.h"
#include "plugin/gaze/sources/gaze_osc_packet.h"
#include "plugin/gaze/sources/gaze_pupil_message.h"
#include "plugin/gaze/sources/gaze_replay_file.h"
#include "support/random.h"
#include "test_gaze_support.h"

#define RAD (3.14159265358979323846 / 180.0)
#define UNKNOWN ((double)NAN)

/* Both eyes look at that place, from where they are. */
static void look_at(const double place[3], const double left[3], const double right[3],
                    double scale, struct gaze_sight out[2])
{
    for (int axis = 0; axis < 3; axis++) {
        out[0].eye_m[axis] = left[axis];
        out[1].eye_m[axis] = right[axis];
        out[0].way[axis] = scale * (place[axis] - left[axis]);
        out[1].way[axis] = (place[axis] - right[axis]) / scale;
    }
}

/* Eyes 63 mm apart that look straight ahead into the distance. */
static void look_ahead(double distance_m, struct gaze_sight out[2])
{
    look_at((const double[]){0, 0, distance_m}, (const double[]){-0.0315, 0, 0},
            (const double[]){0.0315, 0, 0}, 1, out);
}

TEST(the_distance_is_that_of_the_place_that_both_eyes_look_at)
{
    uint64_t random = 1;
    for (int i = 0; i < 2000; i++) {
        const double distance_m = exp(random_uniform(&random, -1.5, 4));
        const double base_m = random_uniform(&random, 0.05, 0.08);
        const double roll = random_uniform(&random, -0.5, 0.5); /* the head's, and it is turned */
        const double turn = random_uniform(&random, -0.2, 0.2);
        const double half[3] = {base_m / 2 * cos(roll) * cos(turn), base_m / 2 * sin(roll),
                                base_m / 2 * cos(roll) * sin(turn)};
        double left[3];
        double right[3];
        double middle[3];
        for (int axis = 0; axis < 3; axis++) {
            middle[axis] = random_uniform(&random, -0.1, 0.1);
            left[axis] = middle[axis] - half[axis];
            right[axis] = middle[axis] + half[axis];
        }
        const double place[3] = {middle[0] + distance_m * random_uniform(&random, -0.6, 0.6),
                                 middle[1] + distance_m * random_uniform(&random, -0.6, 0.6),
                                 middle[2] + distance_m};
        struct gaze_sight eyes[2];
        look_at(place, left, right, exp(random_uniform(&random, -3, 3)), eyes);
        assert_near(gaze_vergence_diopters(eyes, 0), 1 / distance_m, 1e-9);
    }
}

/* Turns a line of sight across and up. */
static void turn(struct gaze_sight *eye, double right_deg, double up_deg)
{
    const double across = atan2(eye->way[0], eye->way[2]) + right_deg * RAD;
    const double up = atan2(eye->way[1], eye->way[2]) + up_deg * RAD;
    eye->way[0] = tan(across);
    eye->way[1] = tan(up);
    eye->way[2] = 1;
}

/* The numbers that docs/gaze.md states, and that an error up or down is none of the distance. */
TEST(an_error_of_an_angle_is_one_in_diopters)
{
    static const struct {
        double distance_m;
        double near_m;
        double far_m; /* 0: infinity */
    } errors[] = {{0.5, 0.468, 0.537}, {1, 0.878, 1.161}, {2, 1.566, 2.767}, {10, 4.193, 0}};
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        for (int nearer = 0; nearer < 2; nearer++) {
            struct gaze_sight eyes[2];
            look_ahead(errors[i].distance_m, eyes);
            turn(&eyes[0], nearer ? 0.5 : -0.5, 0);
            const double diopters = gaze_vergence_diopters(eyes, 0);
            assert_near(fabs(diopters - 1 / errors[i].distance_m), 0.1385, 1e-3);
            const double far_m = errors[i].far_m > 0 ? errors[i].far_m : -1 / 0.0385;
            assert_near(1 / diopters, nearer ? errors[i].near_m : far_m, far_m < 0 ? 0.2 : 5e-3);
        }
        struct gaze_sight eyes[2];
        look_ahead(errors[i].distance_m, eyes);
        turn(&eyes[0], 0, 0.5);
        turn(&eyes[1], 0, -0.5);
        assert_near(gaze_vergence_diopters(eyes, 0), 1 / errors[i].distance_m, 1e-3);
    }
}

TEST(what_is_added_to_the_angle_takes_a_trackers_bias_away)
{
    struct gaze_sight eyes[2];
    look_ahead(0.6, eyes);
    turn(&eyes[0], -5, 0); /* optical axes, which lie outwards of lines of sight */
    turn(&eyes[1], 5, 0);
    assert_true(gaze_vergence_diopters(eyes, 0) < -1);
    assert_near(gaze_vergence_diopters(eyes, 10), 1 / 0.6, 1e-9);
}

TEST(lines_that_do_not_cross_and_garbage_are_told_from_each_other)
{
    struct gaze_sight eyes[2];
    look_ahead(1, eyes);
    for (int i = 0; i < 2; i++) {
        eyes[i].way[0] = 0.2;
        eyes[i].way[1] = -0.1;
        eyes[i].way[2] = 1;
    }
    assert_near(gaze_vergence_diopters(eyes, 0), 0, 1e-15); /* parallel */
    turn(&eyes[0], -1, 0);
    assert_true(gaze_vergence_diopters(eyes, 0) < 0); /* diverging */
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300, -1e300};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        for (int member = 0; member < 12; member++) {
            struct gaze_sight wrong[2];
            look_ahead(1, wrong);
            double *eye = member % 6 < 3 ? wrong[member / 6].eye_m : wrong[member / 6].way;
            eye[member % 3] = bad[i];
            const double diopters = gaze_vergence_diopters(wrong, 0);
            assert_that(isnan(diopters) || fabs(diopters) <= GAZE_VERGENCE_MOST_DIOPTERS,
                        "%g at %d is %g diopters", bad[i], member, diopters);
            assert_true(isnan(diopters) || !isnan(bad[i]));
        }
    }
    look_ahead(0.04, eyes);
    assert_true(isnan(gaze_vergence_diopters(eyes, 0))); /* nearer than anybody fixates */
    look_ahead(-1, eyes);
    assert_true(isnan(gaze_vergence_diopters(eyes, 0))); /* behind the head */
    look_ahead(1, eyes);
    eyes[1].way[0] = eyes[1].way[1] = eyes[1].way[2] = 0;
    assert_true(isnan(gaze_vergence_diopters(eyes, 0)));
    look_ahead(1, eyes);
    eyes[1].eye_m[0] = eyes[0].eye_m[0]; /* one eye, twice */
    assert_true(isnan(gaze_vergence_diopters(eyes, 0)));
}

/* ---- Samples */

static struct fovea_gaze_settings telling(enum fovea_gaze_kind kind)
{
    struct fovea_gaze_settings settings = gaze_settings(kind);
    settings.vergence_ipd_mm = 63;
    settings.screen_deg[0] = 48;
    settings.screen_deg[1] = 28;
    return settings;
}

TEST(diopters_are_smoothed_by_their_times)
{
    struct fovea_gaze_settings settings = telling(FOVEA_GAZE_OSC);
    struct gaze_vergence vergence = {.any = false};
    struct gaze_sight eyes[2];
    assert_near(gaze_vergence_m(&vergence, &settings, 0), 0, 0);
    look_ahead(0.5, eyes);
    assert_true(gaze_vergence_pass(&vergence, &settings, eyes, 0));
    assert_near(gaze_vergence_m(&vergence, &settings, 0), 0.5, 1e-12);
    look_ahead(4, eyes);
    int64_t t_ns = 0;
    for (int64_t step_ns = MS; t_ns < 400 * MS; step_ns += MS) {
        t_ns += step_ns;
        assert_true(gaze_vergence_pass(&vergence, &settings, eyes, t_ns));
        const double wanted = 0.25 + 1.75 * exp(-(double)t_ns / 250e6);
        assert_near(1 / gaze_vergence_m(&vergence, &settings, t_ns), wanted, 1e-9);
    }
    /* An eye is lost: the last one stands, and then it is not known. */
    eyes[1].way[0] = UNKNOWN;
    assert_false(gaze_vergence_pass(&vergence, &settings, eyes, t_ns + MS));
    assert_true(gaze_vergence_m(&vergence, &settings, t_ns + 600 * MS) > 0);
    assert_near(gaze_vergence_m(&vergence, &settings, t_ns + 601 * MS), 0, 0);
    look_ahead(4, eyes);
    assert_false(gaze_vergence_pass(&vergence, &settings, eyes, t_ns - MS)); /* late */
    settings.vergence_smooth_ms = 0;
    turn(&eyes[0], -3, 0);
    assert_true(gaze_vergence_pass(&vergence, &settings, eyes, t_ns + S));
    assert_true(isinf(gaze_vergence_m(&vergence, &settings, t_ns + S))); /* they diverge */
    settings.vergence_ipd_mm = 0;
    assert_false(gaze_vergence_pass(&vergence, &settings, eyes, t_ns + 2 * S));
}

TEST(only_what_is_sure_and_in_order_is_taken_in)
{
    const struct fovea_gaze_settings settings = telling(FOVEA_GAZE_OSC);
    OWNED(owned_free) struct gaze_intake *intake = calloc(1, sizeof *intake);
    assert_non_null(intake);
    gaze_intake_init(intake);
    const int64_t now_ns = fovea_time_ns();
    struct gaze_sight eyes[2];
    look_ahead(2, eyes);
    assert_near(gaze_intake_vergence_m(intake, &settings, now_ns), 0, 0);
    gaze_intake_add_eyes(intake, &settings, eyes, 0.49, now_ns);
    gaze_intake_add_eyes(intake, &settings, eyes, UNKNOWN, now_ns);
    gaze_intake_add_eyes(intake, &settings, eyes, 1, now_ns + S);
    assert_near(gaze_intake_vergence_m(intake, &settings, now_ns), 0, 0);
    gaze_intake_add_eyes(intake, &settings, eyes, 0.5, now_ns);
    assert_near(gaze_intake_vergence_m(intake, &settings, now_ns), 2, 1e-12);
    struct gaze_observation seen = {.any = false};
    gaze_intake_observe(intake, now_ns, &seen);
    assert_false(seen.any); /* the gaze has its own samples */
    const struct fovea_gaze_sample sample = {.x = 0.25, .t_ns = now_ns, .confidence = 1};
    assert_true(gaze_intake_add(intake, &settings, &sample));
    assert_near(gaze_intake_vergence_m(intake, &settings, now_ns), 2, 1e-12);
    gaze_intake_finish(intake);
}

TEST(settings_that_do_not_fit_are_named)
{
    static const struct {
        enum fovea_gaze_kind kind;
        double ipd_mm;
        double screen_deg;
        const char *words; /* NULL: it is right */
    } cases[] = {
        {FOVEA_GAZE_SCANPATH, 63, 0, "gaze.vergence.ipd_mm goes by degrees: set gaze.screen_deg"},
        {FOVEA_GAZE_OSC, 63, 0, "gaze.source osc"}, /* its own words */
        {FOVEA_GAZE_OPENGAZE, 63, 40, "set gaze.vergence.distance_m, the metres to it"},
        {FOVEA_GAZE_MOUSE, 19, 40, "gaze.vergence.ipd_mm is 19; it must be 0 or 20 to 100"},
        {FOVEA_GAZE_MOUSE, 101, 40, "gaze.vergence.ipd_mm is 101; it must be 0 or 20 to 100"},
        {FOVEA_GAZE_MOUSE, 63, 0, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fovea_gaze_settings settings = telling(cases[i].kind);
        struct gaze_logged logged;
        settings.vergence_ipd_mm = cases[i].ipd_mm;
        settings.screen_deg[0] = settings.screen_deg[1] = cases[i].screen_deg;
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = NULL;
        const enum fovea_result result =
            gaze_source_open(&settings, gaze_logged_log(&logged), &source);
        assert_int_equal(result, cases[i].words ? FOVEA_ERROR_INVALID_ARGUMENT : FOVEA_OK);
        assert_contains(logged.last[cases[i].words ? FOVEA_LOG_ERROR : FOVEA_LOG_WARNING],
                        cases[i].words ? cases[i].words : "gaze.source mouse tells no lines");
    }
}

/* ---- Sources */

/* A screen of 48 degrees at 0.7 m, fractions of which both eyes' places are. */
static double place_x(double eye_m, double distance_m)
{
    const double screen_m = 0.7;
    const double at_m = eye_m * (1 - screen_m / distance_m); /* of a thing straight ahead */
    return 0.5 + at_m / (2 * screen_m * tan(24 * RAD));
}

TEST(recordings_of_both_eyes_tell_where_these_cross)
{
    static const double distances_m[] = {0.4, 0.7, 3, 20};
    const char *path = gaze_temporary("both.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "t_ms,x_left,y_left,x_right,y_right\n");
    for (size_t i = 0; i < 4; i++) {
        (void)fprintf(file, "%zu,%.17g,0.4,%.17g,0.4\n", i, place_x(-0.0315, distances_m[i]),
                      place_x(0.0315, distances_m[i]));
    }
    (void)fprintf(file, "4,0.5,0.4,nan,nan\n5000,0.5,0.4,nan,nan\n6000,0.5,0.4,nan,nan\n");
    assert_int_equal(fclose(file), 0);
    struct fovea_gaze_settings settings = telling(FOVEA_GAZE_SCANPATH);
    snprintf(settings.scanpath_file, sizeof settings.scanpath_file, "%s", path);
    settings.vergence_distance_m = 0.7;
    settings.vergence_smooth_ms = 0;
    for (int eye = 0; eye < 3; eye++) {
        settings.scanpath_eye = (enum fovea_gaze_eye)eye;
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
        for (int lap = 0; lap < 2; lap++) {
            for (int i = 0; i < 4; i++) {
                const double told_m = fovea_gaze_source_vergence_m(source, lap * 7 * S + i * MS);
                assert_near(1 / told_m, 1 / distances_m[i], 1e-9);
            }
        }
        assert_near(fovea_gaze_source_vergence_m(source, 4 * MS), 20, 1e-6); /* it stands */
        assert_near(fovea_gaze_source_vergence_m(source, 1 * S), 0, 0); /* its row stands on */
        assert_near(fovea_gaze_source_vergence_m(source, 9 * S), 0, 0); /* of the next lap, too */
        assert_near(fovea_gaze_source_vergence_m(source, 5 * S), 0, 0);
    }
    assert_int_equal(remove(path), 0);
    assert_near(fovea_gaze_source_vergence_m(NULL, 0), 0, 0);
}

/* Numbers of an eye that are none do not count, but where that eye is the gaze. */
TEST(eyes_of_open_gaze_are_two_where_both_are_seen)
{
    static const char *const right[] = {"RPOGY=\"0.4\" RPOGV=\"1\"", "RPOGY=\"0.4\" RPOGV=\"0\"",
                                        "RPOGV=\"1\"", "RPOGY=\"q\" RPOGV=\"1\""};
    struct fovea_gaze_settings settings = telling(FOVEA_GAZE_OPENGAZE);
    settings.space = FOVEA_GAZE_SPACE_UV;
    for (size_t i = 0; i < COUNT_OF(right); i++) {
        char line[512];
        snprintf(line, sizeof line,
                 "<REC BPOGX=\"0.5\" BPOGY=\"0.4\" BPOGV=\"1\" LPOGX=\"%.17g\" LPOGY=\"0.4\" "
                 "LPOGV=\"1\" RPOGX=\"%.17g\" %s />",
                 place_x(-0.0315, 3), place_x(0.0315, 3), right[i]);
        struct gaze_opengaze_record record;
        assert_null(gaze_opengaze_parse(line, strlen(line), FOVEA_OPENGAZE_BEST, &record));
        assert_true(record.has_gaze && record.has_eyes == (i == 0));
        struct gaze_sight sights[2];
        gaze_vergence_from_places(&settings, 0.7, record.eyes_x, record.eyes_y, sights);
        assert_true(i > 0 || fabs(gaze_vergence_diopters(sights, 0) - 1.0 / 3) < 1e-9);
        const char *why = gaze_opengaze_parse(line, strlen(line), FOVEA_OPENGAZE_RIGHT, &record);
        assert_true((why != NULL) == (i == 3));
    }
}

TEST(eyes_over_osc_are_two_where_each_is_told)
{
    struct fovea_gaze_settings settings = telling(FOVEA_GAZE_OSC);
    static const struct {
        const char *bytes;
        size_t count;
        bool known;
    } packets[] = {
#define EYES(text, known) {text, sizeof(text) - 1, known}
        EYES("/tracking/eye/CenterVec\0,fff\0\0\0\0\0\0\0\0\0\0\0\0\x3f\x80\0\0", false),
        /* pitch 0, yaw 0.9 and -0.9: 0.0009765625 / 2^-10 times 0.9 in floats */
        EYES("/tracking/eye/LeftRightPitchYaw\0,ffff\0\0\0\0\0\0\0\x3f\x66\x66\x66\0\0\0\0"
             "\xbf\x66\x66\x66",
             true),
        EYES("/avatar/parameters/v2/EyeY\0\0,f\0\0\0\0\0\0", true),
        EYES("/avatar/parameters/v2/EyeX\0\0,f\0\0\0\0\0\0", false),
        EYES("/avatar/parameters/v2/EyeLeftX\0\0,f\0\0\x3d\x4c\xcc\xcd", true),
#undef EYES
    };
    static const double wanted[] = {0, 0.4987, 0.4987, 0, 0.05 / 0.063};
    struct gaze_osc_eyes eyes;
    gaze_osc_eyes_init(&eyes);
    settings.space = FOVEA_GAZE_SPACE_DEGREES;
    settings.origin = FOVEA_GAZE_ORIGIN_CENTER;
    for (size_t i = 0; i < COUNT_OF(packets); i++) {
        double x[2];
        double y[2];
        double open = -1;
        struct gaze_sight sights[2];
        assert_null(gaze_osc_parse((const uint8_t *)packets[i].bytes, packets[i].count, &eyes));
        const bool known = gaze_osc_places(&eyes, x, y, &open);
        assert_that(known == packets[i].known && open == 1, "packet %zu: %d, %g", i, known, open);
        gaze_vergence_from_places(&settings, 0, x, y, sights);
        if (known) {
            assert_near(gaze_vergence_diopters(sights, 0), wanted[i], 1e-4);
        }
    }
    eyes.eye[1].open = 0.25;
    double places[2];
    double open = 1;
    assert_true(gaze_osc_places(&eyes, places, places, &open));
    assert_near(open, 0.25,
                0); /* the more closed one's, which gaze.validity.min_confidence weighs */
}

TEST(eyes_of_lsl_neon_and_pupil_are_lines_of_sight)
{
    const struct lsl_channels both = {.eyes = 2, .x = {0, 2}, .y = {1, 3}};
    const double numbers[] = {0.1, 0.2, 0.3, UNKNOWN};
    double x[2];
    double y[2];
    assert_true(lsl_channels_places(&both, numbers, x, y));
    assert_true(x[0] == 0.1 && y[0] == 0.2 && x[1] == 0.3 && isnan(y[1]));
    const struct lsl_channels alone = {.eyes = 1, .x = {2}, .y = {3}};
    assert_false(lsl_channels_places(&alone, numbers, x, y));
    struct gaze_neon_datum datum = {
        .worn = true,
        .eyes = {{.center_mm = {-31.5, 10, -20}, .axis = {0.063, 0, 2}, .aperture_mm = 9},
                 {.center_mm = {31.5, 10, -20}, .axis = {-0.063, 0, 2}, .aperture_mm = 9}}};
    struct gaze_sight sights[2];
    assert_true(gaze_neon_sights(&datum, 2, sights));
    assert_near(gaze_vergence_diopters(sights, 0), 1, 1e-12);
    datum.eyes[1].aperture_mm = 1;
    assert_false(gaze_neon_sights(&datum, 2, sights));
    datum.worn = false;
    assert_false(gaze_neon_sights(&datum, 0, sights));
#define V(x, z) "\x93" x "\x14" z /* 20 mm lower */
    static const char pupil[] =
        "\x85\xae"
        "eye_centers_3d\x82\xa1"
        "0" V("\x1e", "\xec") "\x01" V("\xe2", "\xec") "\xaf"
                                                       "gaze_normals_3d\x83\x00"
                                                       "\x93\xff\x00\x21"
                                                       "\xa1"
                                                       "1"
                                                       "\x93\x01\x00\x21\x05\xa3odd"
                                                       "\xaa"
                                                       "confidence\x01"
                                                       "\xa9"
                                                       "timestamp\x07\xa5topic\xc0";
    struct gaze_pupil_eyes eyes;
    assert_null(gaze_pupil_parse_eyes((const uint8_t *)pupil, sizeof pupil - 1, &eyes));
    assert_true(eyes.confidence == 1 && eyes.time_s == 7);
    assert_near(eyes.eyes[0].eye_m[0], -0.03, 1e-15); /* eye 0 is the right one */
    assert_near(gaze_vergence_diopters(eyes.eyes, 0), 2.0 / 33 / 0.06, 1e-12);
    for (size_t count = 0; count < sizeof pupil - 1; count++) {
        assert_non_null(gaze_pupil_parse_eyes((const uint8_t *)pupil, count, &eyes));
    }
}

TEST(a_replay_has_the_distances_of_its_record)
{
#define LINE(frame, more)                                                                          \
    "1.5\t1\t1\t" frame "\t0.5\t0.5\tn/a\tn/a\t0\t1\t0\t60\tn/a\tn/a\tn/a\tn/a\t1\t0\tn/a\t1" more \
    "\n"
    static const char text[] = LINE("1", "\t0.5") LINE("2", "\t0") LINE("3", "\tn/a") LINE("4", "");
    static const double wanted_m[] = {2, (double)INFINITY, 0, 0, 0};
    const char *path = gaze_temporary("vergence.tsv");
    gaze_write_file(path, text);
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_REPLAY);
    snprintf(settings.scanpath_file, sizeof settings.scanpath_file, "%s", path);
    settings.scanpath_loop = false;
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
    assert_near(fovea_gaze_source_vergence_m(source, 0), 0, 0);
    for (int64_t i = 0; i < 5; i++) {
        gaze_at(source, i);
        assert_true(fovea_gaze_source_vergence_m(source, i) == wanted_m[i]);
    }
    assert_int_equal(remove(path), 0);
}
