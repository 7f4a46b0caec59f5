/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Recorded scanpaths: files that are right, files that are wrong, and playing them. */
#include "plugin/gaze/sources/gaze_replay_file.h"
#include "plugin/gaze/sources/gaze_scanpath_file.h"
#include "test_gaze_support.h"

#include <locale.h>
#include <sys/stat.h>

static enum fovea_result parse(const char *text, size_t bytes, const char *name,
                               struct gaze_logged *logged, struct gaze_scanpath_rows *out)
{
    const struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SCANPATH);
    const struct gaze_recording in = {.text = text,
                                      .bytes = bytes,
                                      .name = name,
                                      .settings = &settings,
                                      .log = gaze_logged_log(logged)};
    return gaze_scanpath_parse(&in, out);
}

struct good_file {
    const char *text;
    size_t rows;
    int64_t last_t_ns;
    double last_x;
    double last_confidence;
};

static const struct good_file GOOD[] = {
    {"t,x,y\n0,0.1,0.2\n0.5,0.3,0.4\n", 2, 500 * MS, 0.3, 1},
    {"t_s,x,y\n10,0.1,0.2\n12.25,0.3,0.4\n", 2, 2250 * MS, 0.3, 1},
    {"t_ms,x,y\n10,0.1,0.2\n12.5,0.3,0.4\n", 2, 2500000, 0.3, 1},
    {"t_ns,x,y\n-10,0.1,0.2\n1e9,0.3,0.4\n", 2, S + 10, 0.3, 1},
    {"t,x,y,confidence\n0,1,2,0.25\n", 1, 0, 1, 0.25},
    {"y,confidence,t,x\n2,0.25,0,1\n", 1, 0, 1, 0.25},
    {"\xEF\xBB\xBFt,x,y\r\n0,-5,7\r\n\r\n1,1e3,0\r\n", 2, S, 1000, 1},
    {"# a comment\n\n  \t\n t , x , y \n # another, with commas\n 0 , 1 , 2 ", 1, 0, 1, 1},
    {"t,x,y\n0,1,2\n0,3,4\n", 2, 0, 3, 1},
    {"t,x,y\n1700000000.25,1,2\n1700000000.75,3,4\n", 2, 500 * MS, 3, 1},
    {"t,x,y\n0,1,2\n1,.5,+4\n", 2, S, 0.5, 1},
    {"time,x,y,pupil\n0.5,1,2,3\n0.75,.5,4,\n", 2, 250 * MS, 0.5, 1},
    {"t;x;y\n0;1;2\n0,25;0,5;4\n", 2, 250 * MS, 0.5, 1},
    {"timestamp_us\tx\ty\n0\t1\t2\n250000\t0.5\t4\n", 2, 250 * MS, 0.5, 1},
    {"\"t\",\"x\",\"y\",\"a, b\"\n0,1,2,\"c, d\"\n1,\"0.5\",2,\n", 2, S, 0.5, 1},
    {"t,x,y\n0,1,2\n1,nan,2\n", 2, S, 0, 0},
    {"t,x,y\n0,1,2\n1,2,n/a\n", 2, S, 0, 0},
    {"t,x,y\n0,1,2\n1,,\n", 2, S, 0, 0},
    {"t\tx\ty\n0\t1\t2\n1\t.\t.\n", 2, S, 0, 0},
    {"t,x,y,confidence\n0,1,2,1\n1,0.5,2,nan\n", 2, S, 0.5, 0},
    {"t,x,y\n0,1,2\nn/a,n/a,n/a\n", 1, 0, 1, 1}, /* no time, no place: no row */
};

TEST(good_files_are_read)
{
    for (size_t i = 0; i < COUNT_OF(GOOD); i++) {
        struct gaze_logged logged;
        OWNED(gaze_scanpath_rows_finish) struct gaze_scanpath_rows file;
        const enum fovea_result result =
            parse(GOOD[i].text, strlen(GOOD[i].text), "good.csv", &logged, &file);
        assert_that(result == FOVEA_OK && file.count == GOOD[i].rows, "file %zu: %d, %zu rows: %s",
                    i, result, file.count, logged.last[FOVEA_LOG_ERROR]);
        const struct gaze_scanpath_row *last = &file.rows[file.count - 1];
        assert_int_equal(file.rows[0].t_ns, 0);
        assert_int_equal(last->t_ns, GOOD[i].last_t_ns);
        assert_near(last->x, GOOD[i].last_x, 0);
        assert_near(last->confidence, GOOD[i].last_confidence, 0);
    }
}

struct bad_file {
    const char *text;
    const char *message;
};

static const struct bad_file BAD[] = {
    {"", "bad.csv:1:1: nothing here"},
    {"\n# only this\n", "bad.csv:3:1: nothing here"},
    {"t,x,y\n", "bad.csv:1:6: there are no samples"},
    {"0,0.5,0.5\n", "bad.csv:1:1: the first column's name is \"0\"; it must be a name"},
    {"tme,x,y\n0,1,1\n", "bad.csv:1:8: no column is named t, time or timestamp"},
    {"timestamp,x,y\n0,1,1\n", "bad.csv:1:14: the time's name has no unit; write gaze.scanpath."},
    {"t,x,t_ms,y\n0,1,1,1\n", "bad.csv:1:5: the column's name is \"t_ms\"; it must be that of no"},
    {"t,x,x,y\n0,1,1,1\n", "bad.csv:1:5: the column's name is \"x\""},
    {"t,x\n0,1\n", "bad.csv:1:4: no column is named x, or none y"},
    {"t,x,y\n0,0.5,0.5\n1,abc,0.5\n", "bad.csv:3:3: x is \"abc\"; it must be a finite number"},
    {"t,x,y\n0, 0.5,  1.0.0\n", "bad.csv:2:10: y is \"1.0.0\""},
    {"t,x,y\nnan,0,0.5\n", "bad.csv:2:1: t is \"nan\""},
    {"t,x,y\n0,0.5,inf\n", "bad.csv:2:7: y is \"inf\""},
    {"t,x,y\n0,0.5,1e999\n", "bad.csv:2:7: y is \"1e999\""},
    {"t,x,y\n0,0x10,0.5\n", "bad.csv:2:3: x is \"0x10\""},
    {"t,x,y\n0,0.5\n", "bad.csv:2:6: there are fewer values than columns"},
    {"t,x,y\n0,0.5,0.5,1\n", "bad.csv:2:11: there are more values than columns"},
    {"t;x;y\n0;1,5,0;1\n", "bad.csv:2:3: x is \"1,5,0\""},
    {"t;x;y\n0;1.500,0;1\n", "bad.csv:2:3: x is \"1.500,0\""},
    {"t,x,y\n1,0,0\n\n#\n0.5,0,0\n", "bad.csv:5:1: t is \"0.5\"; it must be no earlier than"},
    {"t,x,y\n0,0,0\n1e300,0,0\n", "bad.csv:3:1: t is \"1e300\"; it must be within a hundred"},
    {"t,x,y\n-1e308,0,0\n1e308,0,0\n", "bad.csv:3:1: t is \"1e308\""},
    {"t,x,y,confidence\n0,0,0,1.5\n", "bad.csv:2:7: confidence is \"1.5\"; it must be 0 to 1"},
    {"t,x,y,confidence\n0,0,0,-1\n", "bad.csv:2:7: confidence is \"-1\""},
    {"t,x,y,confidence\n0,0,0,yes\n", "bad.csv:2:7: confidence is \"yes\""},
    {"t,x,y\n0,\x1b[31m\xff,0\n", "bad.csv:2:3: x is \"?[31m?\""},
    {"t,x,y\n0,000000000000000000000000000000000000000000000000000000000000000000000000001,0\n",
     "bad.csv:2:3: x is \"000000000000000000000000000000000000000\""},
    {"\x1f\x8b\x08", "bad.csv:1:1: it is compressed; gunzip it first"},
    {"\xff\xfet", "bad.csv:1:1: it is UTF-16; save it as UTF-8"},
    {"SR_RESEARCH_000136", "bad.csv:1:1: it is an EDF of an EyeLink; convert it to ASC"},
    {"PK\x03\x04\x14", "bad.csv:1:1: it is a spreadsheet or another archive"},
};

TEST(wrong_lines_are_named)
{
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        struct gaze_logged logged;
        struct gaze_scanpath_rows file;
        const enum fovea_result result =
            parse(BAD[i].text, strlen(BAD[i].text), "bad.csv", &logged, &file);
        assert_that(result == FOVEA_ERROR_CONFIG && file.count == 0 && file.rows == NULL,
                    "file %zu: %d, %zu rows", i, result, file.count);
        assert_int_equal(logged.count[FOVEA_LOG_ERROR], 1);
        assert_that(
            strncmp(logged.last[FOVEA_LOG_ERROR], BAD[i].message, strlen(BAD[i].message)) == 0,
            "\"%s\" does not begin with \"%s\"", logged.last[FOVEA_LOG_ERROR], BAD[i].message);
    }
}

TEST(a_nul_byte_is_no_end_of_text)
{
    static const char text[] = "t,x,y\n0,1\0,2\n";
    struct gaze_logged logged;
    struct gaze_scanpath_rows file;
    assert_int_equal(parse(text, sizeof text - 1, "nul.csv", &logged, &file), FOVEA_ERROR_CONFIG);
    assert_contains(logged.last[FOVEA_LOG_ERROR], "nul.csv:2:3: x is \"1?\"");
}

TEST(a_comma_locale_changes_nothing)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    bool has_comma = false;
    for (size_t i = 0; i < COUNT_OF(names) && !has_comma; i++) {
        has_comma = setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',';
    }
    if (!has_comma) {
        assert_non_null(setlocale(LC_ALL, "C"));
        skip();
    }
    good_files_are_read(state);
    assert_non_null(setlocale(LC_ALL, "C"));
}

static struct fovea_gaze_source *open_text(const char *text, bool loop)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SCANPATH);
    settings.scanpath_loop = loop;
    snprintf(settings.scanpath_file, sizeof settings.scanpath_file, "%s",
             gaze_temporary("scanpath.csv"));
    gaze_write_file(settings.scanpath_file, text);
    struct fovea_gaze_source *source = gaze_open(&settings);
    assert_int_equal(unlink(settings.scanpath_file), 0);
    return source;
}

struct moment {
    int64_t t_ms;
    enum fovea_gaze_state state;
    double x_uv;
    int64_t age_ms;
    uint64_t samples;
    double rate_hz;
};

static void assert_plays(struct fovea_gaze_source *source, int64_t start_ns,
                         const struct moment *moments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct moment *wanted = &moments[i];
        const struct fovea_gaze gaze = gaze_at(source, start_ns + wanted->t_ms * MS);
        assert_that(
            gaze.state == wanted->state && fabs(gaze.point.x_uv - wanted->x_uv) <= 1e-9 &&
                gaze.age_ns == wanted->age_ms * MS && gaze.sample_count == wanted->samples &&
                fabs(gaze.rate_hz - wanted->rate_hz) <= 1e-9,
            "at %lld ms: state %d, x %.12g, age %lld ns, %llu samples, %g Hz; wanted %d, "
            "%.12g, %lld ms, %llu, %g",
            (long long)wanted->t_ms, gaze.state, gaze.point.x_uv, (long long)gaze.age_ns,
            (unsigned long long)gaze.sample_count, gaze.rate_hz, wanted->state, wanted->x_uv,
            (long long)wanted->age_ms, (unsigned long long)wanted->samples, wanted->rate_hz);
    }
}

static const int64_t STARTS[] = {0, 1234567890123, -5 * S, INT64_MAX - 100 * S};

/* Rows at 0, 400 and 800 ms: a lap is 1200 ms. A row stands however long the next one takes. */
TEST(a_looping_scanpath_starts_again)
{
    static const struct moment moments[] = {
        {0, FOVEA_GAZE_TRACKED, 0.1, 0, 1, 1},       {399, FOVEA_GAZE_TRACKED, 0.1, 399, 1, 1},
        {400, FOVEA_GAZE_TRACKED, 0.2, 0, 2, 2},     {800, FOVEA_GAZE_TRACKED, 0.3, 0, 3, 3},
        {1199, FOVEA_GAZE_TRACKED, 0.3, 399, 3, 2},  {1200, FOVEA_GAZE_TRACKED, 0.1, 0, 4, 3},
        {2000, FOVEA_GAZE_TRACKED, 0.3, 0, 6, 3},    {12010, FOVEA_GAZE_TRACKED, 0.1, 10, 31, 3},
        {400, FOVEA_GAZE_TRACKED, 0.2, 0, 2, 2},     {-400, FOVEA_GAZE_TRACKED, 0.1, 0, 1, 1},
        {60000, FOVEA_GAZE_TRACKED, 0.1, 0, 151, 3},
    };
    for (size_t i = 0; i < COUNT_OF(STARTS); i++) {
        OWNED(fovea_gaze_source_destroy)
        struct fovea_gaze_source *source =
            open_text("t,x,y\n5.0,0.1,0.5\n5.4,0.2,0.5\n5.8,0.3,0.5\n", true);
        assert_plays(source, STARTS[i], moments, COUNT_OF(moments));
    }
}

TEST(the_end_of_a_scanpath_goes_stale)
{
    static const struct moment moments[] = {
        {0, FOVEA_GAZE_TRACKED, 0.9, 0, 1, 1},      {999, FOVEA_GAZE_TRACKED, 0.9, 999, 1, 1},
        {1000, FOVEA_GAZE_TRACKED, 0.1, 0, 2, 1},   {1100, FOVEA_GAZE_TRACKED, 0.1, 100, 2, 1},
        {1101, FOVEA_GAZE_HELD, 0.1, 101, 2, 1},    {1600, FOVEA_GAZE_HELD, 0.1, 600, 2, 1},
        {1675, FOVEA_GAZE_LOST, 0.3, 675, 2, 1},    {1750, FOVEA_GAZE_LOST, 0.5, 750, 2, 1},
        {99000, FOVEA_GAZE_LOST, 0.5, 98000, 2, 0},
    };
    for (size_t i = 0; i < COUNT_OF(STARTS); i++) {
        OWNED(fovea_gaze_source_destroy)
        struct fovea_gaze_source *source = open_text("t,x,y\n0,0.9,0.5\n1,0.1,0.5\n", false);
        assert_plays(source, STARTS[i], moments, COUNT_OF(moments));
    }
}

/* Rows every 100 ms, a lap of 500 ms; the rows at 0 and 300 ms are not confident enough. */
TEST(rows_of_low_confidence_hold_across_the_end_of_a_lap)
{
    static const char text[] = "t_ms,x,y,confidence\n"
                               "0,0.9,0.5,0.1\n100,0.1,0.5,1\n200,0.2,0.5,0.5\n300,0.9,0.5,0.4\n"
                               "400,0.4,0.5,1\n";
    static const struct moment moments[] = {
        {0, FOVEA_GAZE_LOST, 0.5, 0, 1, 1},        {100, FOVEA_GAZE_TRACKED, 0.1, 0, 2, 2},
        {200, FOVEA_GAZE_TRACKED, 0.2, 0, 3, 3},   {300, FOVEA_GAZE_HELD, 0.2, 100, 4, 4},
        {399, FOVEA_GAZE_HELD, 0.2, 199, 4, 4},    {400, FOVEA_GAZE_TRACKED, 0.4, 0, 5, 5},
        {500, FOVEA_GAZE_HELD, 0.4, 100, 6, 6},    {600, FOVEA_GAZE_TRACKED, 0.1, 0, 7, 7},
        {1000, FOVEA_GAZE_HELD, 0.4, 100, 11, 10},
    };
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = open_text(text, true);
    assert_plays(source, 7 * S, moments, COUNT_OF(moments));
}

TEST(long_low_confidence_is_lost_and_found)
{
    static const struct moment moments[] = {
        {0, FOVEA_GAZE_TRACKED, 0.1, 0, 1, 1},
        {700, FOVEA_GAZE_TRACKED, 0.1, 700, 1, 1}, /* the row still stands */
        {1000, FOVEA_GAZE_HELD, 0.1, 1000, 2, 1},
        {1075, FOVEA_GAZE_LOST, 0.3, 1075, 2, 1},
        {1900, FOVEA_GAZE_LOST, 0.5, 1900, 2, 1},
        {2000, FOVEA_GAZE_TRACKED, 0.7, 0, 3, 1},
    };
    OWNED(fovea_gaze_source_destroy)
    struct fovea_gaze_source *source =
        open_text("t,x,y,confidence\n0,0.1,0.5,1\n1,0,0,0\n2,0.7,0.5,1\n", false);
    assert_plays(source, 0, moments, COUNT_OF(moments));
}

TEST(a_single_row_stands_for_ever_when_it_loops)
{
    static const struct moment moments[] = {{0, FOVEA_GAZE_TRACKED, 0.1, 0, 1, 1},
                                            {99000, FOVEA_GAZE_TRACKED, 0.1, 99000, 1, 0}};
    OWNED(fovea_gaze_source_destroy)
    struct fovea_gaze_source *source = open_text("t,x,y\n3,0.1,0.5\n", true);
    assert_plays(source, 0, moments, COUNT_OF(moments));
    assert_int_equal(gaze_at(source, INT64_MAX).state, FOVEA_GAZE_TRACKED);
}

TEST(times_at_the_limits_do_no_harm)
{
    for (int loop = 0; loop < 2; loop++) {
        OWNED(fovea_gaze_source_destroy)
        struct fovea_gaze_source *source =
            open_text("t,x,y,confidence\n-1.9e9,0.1,0.5,1\n1.9e9,0.2,0.5,0\n", loop);
        (void)gaze_at(source, INT64_MIN);
        (void)gaze_at(source, -1);
        (void)gaze_at(source, INT64_MAX);
    }
}

static void assert_not_opened(const char *path, enum fovea_result wanted, const char *message)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SCANPATH);
    snprintf(settings.scanpath_file, sizeof settings.scanpath_file, "%s", path);
    struct gaze_logged logged;
    struct fovea_gaze_source *source = NULL;
    assert_int_equal(gaze_source_open(&settings, gaze_logged_log(&logged), &source), wanted);
    assert_null(source);
    assert_contains(logged.last[FOVEA_LOG_ERROR], path);
    assert_contains(logged.last[FOVEA_LOG_ERROR], message);
}

TEST(what_is_not_a_readable_file_is_an_io_error)
{
    assert_not_opened("/nonexistent/scanpath.csv", FOVEA_ERROR_IO, "No such file");
    assert_not_opened("/", FOVEA_ERROR_IO, "it is not a file");
    const char *path = gaze_temporary("fifo.csv");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_not_opened(path, FOVEA_ERROR_IO, "it is not a file");
    assert_int_equal(unlink(path), 0);
    path = gaze_temporary("huge.csv");
    gaze_write_file(path, "t,x,y\n");
    assert_int_equal(truncate(path, (off_t)1 << 30), 0);
    assert_not_opened(path, FOVEA_ERROR_IO, "larger than 256 MiB");
    assert_int_equal(unlink(path), 0);
}

TEST(a_wrong_file_is_named_with_its_path)
{
    const char *path = gaze_temporary("wrong.csv");
    gaze_write_file(path, "t,x,y\n0,0,0\n1,0\n");
    assert_not_opened(path, FOVEA_ERROR_CONFIG, ":3:4: there are fewer values");
    gaze_write_file(path, "");
    assert_not_opened(path, FOVEA_ERROR_CONFIG, ":1:1: nothing here");
    assert_int_equal(unlink(path), 0);
}

TEST(a_scanpath_without_a_valid_row_warns)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SCANPATH);
    snprintf(settings.scanpath_file, sizeof settings.scanpath_file, "%s",
             gaze_temporary("unsure.csv"));
    for (int lost = 0; lost < 2; lost++) { /* no least confidence makes a lost eye valid */
        gaze_write_file(settings.scanpath_file, lost ? "t,x,y,confidence\n0,nan,nan,1\n"
                                                     : "t,x,y,confidence\n0,0.1,0.1,0.2\n");
        settings.min_confidence = lost ? 0.0 : 0.5;
        struct gaze_logged logged;
        struct fovea_gaze_source *source = NULL;
        assert_ok(gaze_source_open(&settings, gaze_logged_log(&logged), &source));
        assert_int_equal(logged.count[FOVEA_LOG_WARNING], 1);
        assert_int_equal(gaze_at(source, 0).state, FOVEA_GAZE_LOST);
        fovea_gaze_source_destroy(&source);
    }
    assert_int_equal(unlink(settings.scanpath_file), 0);
}

TEST(the_demo_is_a_believable_loop)
{
    struct gaze_logged logged;
    OWNED(gaze_scanpath_rows_finish) struct gaze_scanpath_rows file;
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SCANPATH);
    snprintf(settings.scanpath_file, sizeof settings.scanpath_file, "%s",
             FOVEA_SOURCE_DIR "/config/scanpath_demo.csv");
    assert_ok(gaze_scanpath_load(&settings, gaze_logged_log(&logged), &file));
    const struct gaze_scanpath_row *first = &file.rows[0];
    const struct gaze_scanpath_row *last = &file.rows[file.count - 1];
    const double seconds = (double)last->t_ns / 1e9;
    assert_true(seconds >= 4.0);
    assert_in_range((unsigned)((double)(file.count - 1) / seconds + 0.5), 60, 120);
    assert_true(hypot(last->x - first->x, last->y - first->y) < 0.03);
    unsigned blinks = 0;
    unsigned saccades = 0;
    bool was_moving = false;
    for (size_t i = 1; i < file.count; i++) {
        const struct gaze_scanpath_row *row = &file.rows[i];
        assert_true(row->x >= 0 && row->x <= 1 && row->y >= 0 && row->y <= 1);
        blinks += row->confidence < 0.5 && row[-1].confidence >= 0.5;
        const bool moving = hypot(row->x - row[-1].x, row->y - row[-1].y) > 0.01;
        saccades += moving && !was_moving;
        was_moving = moving;
    }
    assert_int_equal(blinks, 1);
    assert_in_range(saccades, 8, 25);
}

/* ---- Records of frames, which the source replay reads ---- */

#define ROW(frame, x, y, state, age, late, refused)                                                \
    "1.5\t1\t1\t" frame "\t" x "\t" y "\tn/a\tn/a\t" state "\t1\t" age "\t60\t" late               \
    "\tn/a\tn/a\t1\t" refused "\tn/a\t1\n"

static enum fovea_result parse_record(const char *text, size_t bytes, struct gaze_logged *logged,
                                      struct gaze_replay_rows *out)
{
    return gaze_replay_parse("r.tsv", text, bytes, gaze_logged_log(logged), out);
}

TEST(a_replay_gives_each_frame_its_gaze)
{
    static const char text[] = ROW("1", "0.1", "0.30000000000000004", "0", "0.25", "n/a\tn/a", "0")
        ROW("2", "0.5", "0.5", "1", "0.006666666", "0.75\t0.125", "0")
            ROW("5", "0.9", "0.5", "2", "n/a", "n/a\tn/a", "1")
                ROW("6", "0.9", "n/a", "0", "0", "n/a\tn/a", "0");
    static const double x[] = {0.1, 0.75, 0.75, 0.75, 0.9, 0.9, 0.5};
    const char *path = gaze_temporary("record.tsv");
    gaze_write_file(path, text);
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_REPLAY);
    snprintf(settings.scanpath_file, sizeof settings.scanpath_file, "%s", path);
    settings.scanpath_loop = false;
    struct fovea_gaze_source *source = gaze_open(&settings);
    for (int64_t i = 0; i < 7; i++) {
        for (int twice = 0; twice < 2; twice++) { /* one time is one frame */
            assert_near(gaze_at(source, 7 * i).point.x_uv, x[i], 0);
        }
        const struct fovea_gaze gaze = gaze_at(source, 7 * i);
        assert_near(gaze.point.y_uv, i == 0 ? 0.30000000000000004 : i < 4 ? 0.125 : 0.5, 0);
        assert_int_equal(gaze.state, i == 0 ? 0 : i < 4 ? 1 : 2);
        assert_int_equal(gaze.age_ns, i == 0 ? 250 * MS : i < 4 ? 6666666 : 0);
        assert_int_equal(gaze.usable, i < 6); /* half a gaze is lost */
    }
    assert_int_equal(gaze_at(source, 100).state, FOVEA_GAZE_LOST);
    fovea_gaze_source_destroy(&source);
    unlink(path);
}

TEST(what_is_no_record_is_refused)
{
    static const struct bad_file bad[] = {
        {"\n", "r.tsv:1:1: there are no lines of frames"},
        {"0\t1\t2\n", "r.tsv:1:6: this is no line of a record: there are fewer values"},
        {"t,x,y\n", "r.tsv:1:1: this is no line of a record of frames; recordings of trackers"},
        {ROW("1", "0", "0", "n/a", "0", "n/a\tn/a", "0"), "r.tsv:1:"},
        {ROW("1", "0,5", "0", "0", "0", "n/a\tn/a", "0")
             ROW("2", "x", "0", "0", "0", "n/a\tn/a", "0"),
         "r.tsv:2:11: gaze_x is \"x\""},
        {ROW("1", "0", "0", "9", "0", "n/a\tn/a", "0"), "r.tsv:1:1: this is no line of a record"},
        {ROW("1", "0", "0", "0", "0", "n/a\tn/a", "0\t1\t1\t0\t0"), "r.tsv:1:"},
        {ROW("2", "0", "0", "0", "0", "n/a\tn/a", "0")
             ROW("2", "0", "0", "0", "0", "n/a\tn/a", "0"),
         "r.tsv:2:1: this is no line of a record"},
        {ROW("1", "0", "0", "0", "0", "n/a\tn/a", "0")
             ROW("9e7", "0", "0", "0", "0", "n/a\tn/a", "0"),
         "r.tsv:2:1: this is no line of a record"},
        {"\x1f\x8b\x08\x08 compressed by another program", "r.tsv: another program"},
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct gaze_logged logged;
        struct gaze_replay_rows rows;
        const enum fovea_result result =
            parse_record(bad[i].text, strlen(bad[i].text), &logged, &rows);
        assert_that(result == FOVEA_ERROR_CONFIG && rows.count == 0, "record %zu: %d", i, result);
        assert_that(
            strncmp(logged.last[FOVEA_LOG_ERROR], bad[i].message, strlen(bad[i].message)) == 0,
            "\"%s\" does not begin with \"%s\"", logged.last[FOVEA_LOG_ERROR], bad[i].message);
    }
}

/* The program has died while it wrote the second part. */
TEST(a_record_is_read_up_to_a_part_that_is_not_whole)
{
    static const char line[] = ROW("1", "0.5", "0.5", "0", "0", "n/a\tn/a", "0");
    char file[1024] = "\x1f\x8b\x08\0\0\0\0\0\0\xff";
    const size_t part = 5 + sizeof line - 1;
    for (size_t at = 10; at <= 10 + part; at += part) {
        file[at + 1] = (char)(sizeof line - 1);
        file[at + 3] = (char)~file[at + 1];
        file[at + 4] = (char)0xff;
        memcpy(file + at + 5, line, sizeof line - 1);
    }
    struct gaze_logged logged;
    OWNED(gaze_replay_rows_finish) struct gaze_replay_rows rows;
    assert_ok(parse_record(file, 10 + 2 * part - 1, &logged, &rows));
    assert_int_equal(rows.count, 1);
}
