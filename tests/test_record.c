/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The record of frames: what is in its files, and what becomes of them where something goes
 * wrong. gunzip reads the compressed one. */
#include "cmocka_all.h"
#include "plugin/fovea_record.h"
#include "plugin/record/record_state.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

struct scene {
    char folder[64];
    char name[96];
    char logged[1024];
};

static void keep_message(void *user, enum fovea_log_level level, const char *message)
{
    struct scene *scene = user;
    if (level >= FOVEA_LOG_WARNING) {
        const size_t used = strlen(scene->logged);
        snprintf(scene->logged + used, sizeof scene->logged - used, "%s\n", message);
    }
}

static struct fovea_log log_of(struct scene *scene)
{
    return (struct fovea_log){keep_message, scene, FOVEA_LOG_INFO};
}

static void make_scene(struct scene *scene)
{
    *scene = (struct scene){.folder = "/tmp/fovea-record-XXXXXX"};
    assert_non_null(mkdtemp(scene->folder));
    snprintf(scene->name, sizeof scene->name, "%s/sub-01_task-look", scene->folder);
}

static void end_scene(struct scene *scene)
{
    assert_int_equal(system(test_text("rm -r %s", scene->folder)), 0);
}

#define SCENE                                                                                      \
    OWNED(end_scene) struct scene scene;                                                           \
    make_scene(&scene)

static const char *of_run(const struct scene *scene, const char *run, const char *end)
{
    return test_text("%s%s%s", scene->name, run, end);
}

/* The words of a shell command's output. */
static void read_command(const char *command, char *out, size_t bytes)
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t count = fread(out, 1, bytes - 1, pipe);
    out[count] = '\0';
    assert_int_equal(pclose(pipe), 0);
}

static uint64_t lines_of(const struct scene *scene, const char *run)
{
    char text[32];
    read_command(
        test_text("gunzip -c %s | wc -l", of_run(scene, run, "_recording-eye1_physio.tsv.gz")),
        text, sizeof text);
    return strtoull(text, NULL, 10);
}

static struct record *open_record(struct scene *scene)
{
    const struct fovea_settings settings = {
        .foveation.geometry = {.screen_width_m = 0.5, .distance_m = 0.7}};
    struct record *record = NULL;
    assert_ok(record_open(scene->name, log_of(scene), &record));
    record_set(record, 0xfeed, &settings);
    return record;
}

static struct record_row row_of(const struct record *record, uint64_t frame)
{
    return (struct record_row){.frame = frame,
                               .t_ns = record->start_ns + (int64_t)frame * 1000000,
                               .width_px = 200,
                               .height_px = 100,
                               .view_count = 1,
                               .gaze = {{0.1, 0.25}},
                               .usable = true,
                               .foveated = true,
                               .gpu_us = -1,
                               .settings = record_settings_number(record)};
}

TEST(a_line_holds_what_a_frame_was)
{
    SCENE;
    struct record *record = open_record(&scene);
    struct record_row row = row_of(record, 1);
    row.state = FOVEA_GAZE_LOST; /* there was no sample yet */
    record_push(record, &row);
    row = row_of(record, 2);
    row.view_count = 2;
    row.gaze[1] = (struct record_gaze){0.3, 1.0 / 3};
    row.state = FOVEA_GAZE_HELD;
    row.age_ns = 12345678;
    row.rate_hz = 500;
    row.late = row.late_age_known = true;
    row.late_gaze = (struct record_gaze){0.75, 0.5};
    row.late_age_ns = 1500000;
    row.gpu_us = 250.5;
    row.vergence_m = (double)INFINITY;
    row.refused = 3;
    record_push(record, &row);
    record_set(record, 0xbeef, &(struct fovea_settings){0});
    record_close(&record);
    char text[8192];
    read_command(
        test_text("gunzip -c %s", of_run(&scene, "_run-1", "_recording-eye1_physio.tsv.gz")), text,
        sizeof text);
    assert_string_equal(
        text,
        "0.001000000\t20\t25\t1\t0.1\t0.25\tn/a\tn/a\t2\t1\tn/a\t0\tn/a\tn/a\tn/a\t"
        "n/a\t1\t0\tn/a\t1\tn/a\tn/a\tn/a\n"
        "0.002000000\t150\t50\t2\t0.1\t0.25\t0.3\t0.3333333333333333\t1\t1\t0.012345678\t500\t"
        "0.75\t0.5\t0.001500000\t0.000250500\t1\t3\tn/a\t1\t0\tn/a\tn/a\n");
    read_command(test_text("cat %s", of_run(&scene, "_run-1", "_events.tsv")), text, sizeof text);
    assert_string_equal(text, "onset\tduration\ttrial_type\tvalue\tframe\n"
                              "0.001000000\tn/a\tsettings\t1\t1\n"
                              "0.001000000\tn/a\tgaze_state\t2\t1\n"
                              "0.002000000\tn/a\tgaze_state\t1\t2\n"
                              "0.002000000\tn/a\tframes_refused\t3\t2\n");
    read_command(test_text("cat %s", of_run(&scene, "_run-1", "_recording-eye1_physio.json")), text,
                 sizeof text);
    assert_non_null(strstr(text, "\"SamplingFrequency\": 1000,\n    \"StartTime\": 0.001,"));
    read_command(test_text("cat %s", of_run(&scene, "_run-1", "_events.json")), text, sizeof text);
    assert_non_null(strstr(text, "\"ScreenDistance\": 0.7"));
    assert_non_null(strstr(text, "\"ScreenSize\": [0.5, 0.25]"));
}

TEST(a_record_says_whose_gaze_it_is_and_which_screen)
{
    const struct fovea_settings by_ppd = {
        .foveation.geometry = {.screen_width_m = 0.5, .ppd = 15},
        .gaze = {.kind = FOVEA_GAZE_OPENGAZE, .opengaze_point = FOVEA_OPENGAZE_RIGHT}};
    const struct fovea_settings by_screen = {
        .foveation.geometry = {.screen_width_m = 0.5, .distance_m = 0.7},
        .gaze = {.kind = FOVEA_GAZE_LSL, .filter_eye = FOVEA_GAZE_EYE_LEFT}};
    const struct {
        const struct fovea_settings *settings;
        const char *eye, *screen;
    } cases[] = {
        {&by_screen, "\"RecordedEye\": \"left\"", "\"ScreenSize\": [0.5, 0.25]"},
        {&by_ppd, "\"RecordedEye\": \"right\"", "\"ScreenSize\": \"n/a\"}"},
    };
    SCENE;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record *record = NULL;
        char text[8192];
        const char *run = i == 0 ? "_run-1" : "_run-2";
        assert_ok(record_open(scene.name, log_of(&scene), &record));
        record_set(record, 1, cases[i].settings);
        const struct record_row row = row_of(record, 1);
        record_push(record, &row);
        record_close(&record);
        read_command(test_text("cat %s", of_run(&scene, run, "_recording-eye1_physio.json")), text,
                     sizeof text);
        assert_non_null(strstr(text, cases[i].eye));
        read_command(test_text("cat %s", of_run(&scene, run, "_events.json")), text, sizeof text);
        assert_non_null(strstr(text, cases[i].screen));
    }
}

TEST(a_name_that_is_taken_gets_the_next_number)
{
    SCENE;
    struct record *records[3] = {open_record(&scene), open_record(&scene), NULL};
    const struct record_row row = row_of(records[0], 1);
    record_push(records[0], &row);
    record_close(&records[0]);
    record_close(&records[1]);
    assert_int_equal(lines_of(&scene, "_run-1"), 1);
    assert_int_equal(lines_of(&scene, "_run-2"), 0);
    char text[8192];
    read_command(test_text("cat %s", of_run(&scene, "_run-2", "_recording-eye1_physio.json")), text,
                 sizeof text);
    assert_non_null(strstr(text, "\"SamplingFrequency\": 0,\n    \"StartTime\": 0,"));
    strcat(scene.name, "_run-2");
    assert_int_equal(record_open(scene.name, log_of(&scene), &records[2]), FOVEA_ERROR_IO);
    assert_null(records[2]);
    assert_non_null(strstr(scene.logged, "File exists"));
}

TEST(a_folder_that_is_not_there_is_refused)
{
    SCENE;
    struct record *record = NULL;
    const char *name = test_text("%s/none/x", scene.folder);
    assert_int_equal(record_open(name, log_of(&scene), &record), FOVEA_ERROR_IO);
    assert_null(record);
    assert_non_null(strstr(scene.logged, "No such file or directory"));
}

/* The file grows to the limit and no further: what was written before stays whole. */
static int fill_the_disk(struct scene *scene)
{
    const struct rlimit limit = {100000, 100000};
    struct record *record = open_record(scene);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return 1;
    }
    for (uint64_t i = 1; i <= 8000; i++) {
        const struct record_row row = row_of(record, i);
        record_push(record, &row);
        if (i % 100 == 0) {
            usleep(2000);
        }
    }
    record_close(&record);
    return strstr(scene->logged, "File too large") ? 0 : 2;
}

TEST(a_full_disk_costs_lines_and_no_more)
{
    SCENE;
    const pid_t child = fork();
    if (child == 0) {
        _exit(fill_the_disk(&scene));
    }
    assert_int_equal(test_status_of(child), 0);
    const uint64_t lines = lines_of(&scene, "_run-1");
    assert_in_range(lines, 1, 2000);
    char text[8192];
    read_command(test_text("cat %s", of_run(&scene, "_run-1", "_recording-eye1_physio.json")), text,
                 sizeof text);
    assert_non_null(
        strstr(text, test_text("\"FoveaLines\": {\"written\": %llu, \"lost\": %llu}",
                               (unsigned long long)lines, (unsigned long long)(8000 - lines))));
}

/* It dies without a word; what the writer has taken is there, and whole. */
TEST(a_program_that_is_killed_leaves_what_was_written)
{
    SCENE;
    const pid_t child = fork();
    if (child == 0) {
        struct record *record = open_record(&scene);
        for (uint64_t i = 1; i <= 20; i++) {
            const struct record_row row = row_of(record, i);
            record_push(record, &row);
        }
        while (atomic_load(&record->tail) < 20) {
            usleep(1000);
        }
        usleep(300000); /* taken is not yet written */
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(test_status_of(child), -SIGKILL);
    assert_int_equal(lines_of(&scene, "_run-1"), 20);
}

/* Nothing that the program prints is in them. */
TEST(standard_streams_that_are_closed_are_no_files_of_ours)
{
    SCENE;
    const pid_t child = fork();
    if (child == 0) {
        for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
            close(stream);
        }
        struct record *record = open_record(&scene);
        const struct record_row row = row_of(record, 1);
        record_push(record, &row);
        for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
            (void)!write(stream, "printed\n", 8); /* nobody reads it */
        }
        record_close(&record);
        _exit(0);
    }
    assert_int_equal(test_status_of(child), 0);
    assert_int_equal(lines_of(&scene, "_run-1"), 1);
    assert_int_equal(system(test_text("! grep printed %s/*", scene.folder)), 0);
}

static struct fovea_record *create_record(const struct scene *scene, const char *name,
                                          enum fovea_result expected)
{
    struct fovea_settings *settings = NULL;
    struct fovea_record *record = NULL;
    assert_ok(fovea_settings_create(&settings));
    assert_ok(fovea_settings_set(settings, "record.file", name, (struct fovea_log){0}));
    struct fovea_record_desc desc;
    fovea_record_desc_init(&desc);
    desc.settings = settings;
    desc.log = log_of((struct scene *)scene);
    assert_int_equal(fovea_record_create(&desc, &record), expected);
    if (record) {
        assert_ok(fovea_settings_set(settings, "foveation.strength", "2", (struct fovea_log){0}));
        assert_ok(fovea_record_set_settings(record, settings));
    }
    fovea_settings_destroy(&settings);
    return record;
}

TEST(a_program_records_its_own_frames)
{
    SCENE;
    assert_null(create_record(&scene, "", FOVEA_ERROR_CONFIG));
    assert_non_null(strstr(scene.logged, "record.file is empty"));
    assert_null(create_record(&scene, scene.folder, FOVEA_ERROR_CONFIG));
    assert_null(create_record(&scene, test_text("%s/new/", scene.folder), FOVEA_ERROR_CONFIG));
    assert_non_null(strstr(scene.logged, "/new/, a folder; it is what"));
    struct fovea_record *record = create_record(&scene, scene.name, FOVEA_OK);
    struct fovea_record_frame frame;
    fovea_record_frame_init(&frame);
    assert_int_equal(fovea_record_add(record, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    frame.width_px = 200;
    frame.height_px = 100;
    frame.gazes[0] = (struct fovea_gaze){
        .point = {0.1, 0.25}, .state = FOVEA_GAZE_SACCADE, .usable = true, .age_ns = 12000000};
    frame.took_ns = 1500000;
    frame.t_ns = fovea_time_ns();
    assert_ok(fovea_record_add(record, &frame));
    frame.presented_t_ns = fovea_time_ns() + 1000000000;
    frame.vergence_m = 0.8;
    assert_ok(fovea_record_add(record, &frame));
    frame.vergence_m = NAN;
    assert_int_equal(fovea_record_add(record, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    frame.vergence_m = 0;
    frame.dropped = true;
    assert_int_equal(fovea_record_add(record, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    frame.presented_t_ns = 0;
    assert_ok(fovea_record_add(record, &frame));
    frame.refresh_ns = -1;
    assert_int_equal(fovea_record_add(record, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    frame.refresh_ns = 0;
    frame.presented_t_ns = INT64_MIN;
    assert_int_equal(fovea_record_add(record, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    frame.presented_t_ns = 0;
    frame.took_ns = INT64_MAX;
    assert_int_equal(fovea_record_add(record, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    frame.took_ns = 0;
    frame.view_count = 3;
    assert_int_equal(fovea_record_add(record, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        fovea_record_destroy(
            &record); /* waits for no thread of the parent's, whose the lines are */
        _exit(0);
    }
    assert_int_equal(test_status_of(child), 0);
    fovea_record_destroy(&record);
    fovea_record_destroy(&record);
    char text[8192];
    const char *rows = of_run(&scene, "_run-1", "_recording-eye1_physio.tsv.gz");
    read_command(test_text("gunzip -c %s | cut -f 2-5,9-11,16-18,20,21", rows), text, sizeof text);
    assert_string_equal(text, "20\t25\t1\t0.1\t4\t1\t0.012000000\t0.001500000\t1\t0\t2\tn/a\n"
                              "20\t25\t2\t0.1\t4\t1\t0.012000000\t0.001500000\t1\t0\t2\t1.25\n"
                              "20\t25\t3\t0.1\t4\t1\t0.012000000\t0.001500000\t1\t0\t2\tn/a\n");
    read_command(test_text("gunzip -c %s | cut -f 19", rows), text, sizeof text);
    assert_true(strncmp(text, "n/a\n1.", 6) == 0);
    read_command(test_text("gunzip -c %s | cut -f 22", rows), text, sizeof text);
    assert_string_equal(text, "n/a\n0\n1\n");
    read_command(test_text("cat %s", of_run(&scene, "_run-1", "_recording-eye1_physio.json")), text,
                 sizeof text);
    assert_non_null(strstr(text, "\"FoveaPresented\": \"as the program says\""));
}

static void tell(struct record *record, uint64_t frame, int64_t refreshes, bool dropped)
{
    const int64_t refresh_ns = 10000000;
    const struct record_shown shown = {
        .t_ns = dropped ? 0 : record->start_ns + 1000000000 + refreshes * refresh_ns + 300000,
        .refresh_ns = refresh_ns,
        .dropped = dropped};
    record_shown(record, frame, &shown);
}

/* Times that come before a row and after it; of one nobody hears, and another was never shown. */
TEST(a_line_waits_for_the_time_at_which_its_frame_was_shown)
{
    SCENE;
    struct record *record = open_record(&scene);
    record_expect(record, RECORD_SHOWN_BY_DISPLAY_TIMING);
    tell(record, 1, 0, false);
    for (uint64_t i = 1; i <= 7; i++) {
        struct record_row row = row_of(record, i);
        row.t_ns = fovea_time_ns() + (i == 5 ? -1000000000 : 60000000000);
        record_push(record, &row);
    }
    usleep(250000);
    assert_int_equal(atomic_load(&record->tail), 1);
    tell(record, 3, 4, false);
    tell(record, 2, 1, false);
    tell(record, 4, 0, true);
    usleep(250000);
    assert_int_equal(atomic_load(&record->tail), 5); /* nobody is waited for as long as the fifth */
    tell(record, 7, 9, false);
    tell(record, 6, 8, false);
    record_close(&record);
    char text[8192];
    const char *rows = of_run(&scene, "_run-1", "_recording-eye1_physio.tsv.gz");
    read_command(test_text("gunzip -c %s | cut -f 4,19,22,23", rows), text, sizeof text);
    assert_string_equal(text, "1\t1.000300000\t0\tn/a\n"
                              "2\t1.010300000\t0\t0\n"
                              "3\t1.040300000\t0\t2\n"
                              "4\tn/a\t1\tn/a\n"
                              "5\tn/a\tn/a\tn/a\n"
                              "6\t1.080300000\t0\tn/a\n"
                              "7\t1.090300000\t0\t0\n");
    read_command(test_text("cut -f 3- %s", of_run(&scene, "_run-1", "_events.tsv")), text,
                 sizeof text);
    assert_string_equal(text, "trial_type\tvalue\tframe\nsettings\t1\t1\ngaze_state\t0\t1\n"
                              "frame_repeated\t2\t3\nframe_dropped\t1\t4\n");
    read_command(test_text("cat %s", of_run(&scene, "_run-1", "_recording-eye1_physio.json")), text,
                 sizeof text);
    assert_non_null(strstr(text, "\"FoveaPresented\": \"VK_GOOGLE_display_timing"));
}

/* The layer tells so of a frame after others that it has left alone. */
static void tell_after_others(struct record *record, uint64_t frame, int64_t refreshes,
                              bool dropped)
{
    tell(record, frame, refreshes, dropped);
    atomic_store(&record->told[frame].after_others, true);
}

/* Pictures in between that are no frames are no repeats of the frame before, and where the first
 * one after them was dropped, it is not known of the next one either. */
TEST(other_pictures_are_not_called_repeats)
{
    SCENE;
    struct record *record = open_record(&scene);
    record_expect(record, RECORD_SHOWN_BY_DISPLAY_TIMING);
    tell(record, 1, 0, false);
    tell_after_others(record, 2, 180, false);
    tell(record, 3, 182, false);
    tell_after_others(record, 4, 0, true);
    tell(record, 5, 190, false);
    tell(record, 6, 191, false);
    tell(record, 7, 0, true); /* behind one that was refused */
    tell(record, 8, 195, false);
    for (uint64_t i = 1; i <= 8; i++) {
        struct record_row row = row_of(record, i);
        row.refused = i == 7;
        record_push(record, &row);
    }
    record_close(&record);
    char text[8192];
    const char *rows = of_run(&scene, "_run-1", "_recording-eye1_physio.tsv.gz");
    read_command(test_text("gunzip -c %s | cut -f 4,18,22,23", rows), text, sizeof text);
    assert_string_equal(text, "1\t0\t0\tn/a\n"
                              "2\t0\t0\tn/a\n"
                              "3\t0\t0\t1\n"
                              "4\t0\t1\tn/a\n"
                              "5\t0\t0\tn/a\n"
                              "6\t0\t0\t0\n"
                              "7\t1\t1\tn/a\n"
                              "8\t0\t0\tn/a\n");
}

/* The writer is held up: it waits for the lock. */
TEST(lines_that_find_no_room_are_counted)
{
    SCENE;
    struct record *record = open_record(&scene);
    pthread_mutex_lock(&record->lock);
    usleep(250000); /* it has finished what it was at */
    for (uint64_t i = 1; i <= RECORD_ROWS + 10; i++) {
        const struct record_row row = row_of(record, i);
        record_push(record, &row);
    }
    pthread_mutex_unlock(&record->lock);
    const struct timespec rest = {.tv_nsec = 1000000};
    while (atomic_load(&record->tail) < RECORD_ROWS) {
        nanosleep(&rest, NULL);
    }
    const struct record_row row = row_of(record, RECORD_ROWS + 11);
    record_push(record, &row);
    record_close(&record);
    assert_int_equal(lines_of(&scene, "_run-1"), RECORD_ROWS + 1);
    assert_non_null(strstr(scene.logged, "lines are lost"));
    char text[8192];
    read_command(test_text("cat %s", of_run(&scene, "_run-1", "_events.tsv")), text, sizeof text);
    assert_non_null(strstr(text, "lines_lost\t10\t4107\n"));
}
