/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Files that change while the program runs. The clock is the test's own: a look is 200 ms. */
#include "test_config_support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 200

int __real_clock_gettime(clockid_t clock, struct timespec *out_time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out_time);
int __real_stat(const char *path, struct stat *out_status);
int __wrap_stat(const char *path, struct stat *out_status);

static int64_t now_ms = 1000;
static size_t stat_count;
static size_t clock_count;

int __wrap_clock_gettime(clockid_t clock, struct timespec *out_time)
{
    (void)clock;
    clock_count++;
    *out_time = (struct timespec){.tv_sec = now_ms / 1000, .tv_nsec = now_ms % 1000 * 1000000};
    return 0;
}

int __wrap_stat(const char *path, struct stat *out_status)
{
    stat_count++;
    return __real_stat(path, out_status);
}

/* The first result that is not NOT_READY within a second, in *out_ms after how long. */
static enum fovea_result poll_for_a_second(struct fovea_config *config, int64_t *out_ms)
{
    enum fovea_result result = FOVEA_NOT_READY;
    int64_t begin = now_ms;
    while (result == FOVEA_NOT_READY && now_ms < begin + 1000) {
        now_ms += 10;
        result = fovea_config_poll(config);
    }
    *out_ms = now_ms - begin;
    return result;
}

static enum fovea_result settle(struct fovea_config *config)
{
    int64_t passed = 0;
    return poll_for_a_second(config, &passed);
}

static struct fovea_config *watch(const char *file, struct recorded *recorded)
{
    struct fovea_config_desc desc = only_file(file, recorded);
    struct fovea_config *config = NULL;
    enum fovea_result result = fovea_config_create(&desc, &config);
    assert_string_equal(recorded->last[FOVEA_LOG_ERROR], "");
    assert_result(result, FOVEA_OK);
    recorded_clear(recorded);
    return config;
}

static uint32_t threads(const struct fovea_config *config)
{
    return fovea_config_settings(config)->cpu_threads;
}

/* Other sizes each time: clocks of file systems are coarse. */
static void write_threads(const char *path, int count)
{
    char text[256];
    snprintf(text, sizeof text, "{\"cpu_threads\": %d} //%*s", count, count, "");
    write_text(path, text);
}

static void nothing_changed_is_not_ready_and_cheap(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    write_threads("a.json", 1);
    struct fovea_config *config = watch("a.json", &recorded);
    stat_count = clock_count = 0;
    for (int ms = 0; ms < 10000; ms++) {
        now_ms++;
        assert_result(fovea_config_poll(config), FOVEA_NOT_READY);
    }
    print_message("%zu looks\n", stat_count);
    assert_in_range(stat_count, 45, 50);
    assert_int_equal(clock_count, 10000);
    assert_int_equal(recorded.count[FOVEA_LOG_INFO], 0);
    fovea_config_destroy(&config);
}

static void a_rewritten_file_counts_within_a_second(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    write_threads("b.json", 1);
    struct fovea_config *config = watch("b.json", &recorded);
    const struct fovea_settings *settings = fovea_config_settings(config);
    for (int i = 2; i < 6; i++) {
        write_threads("b.json", i);
        assert_int_equal(settings->cpu_threads, i - 1);
        int64_t passed = 0;
        assert_result(poll_for_a_second(config, &passed), FOVEA_OK);
        print_message("after %d ms\n", (int)passed);
        assert_in_range(passed, 0, 500);
        assert_int_equal(settings->cpu_threads, i);
        assert_result(settle(config), FOVEA_NOT_READY);
    }
    assert_int_equal(recorded.count[FOVEA_LOG_INFO], 4);
    assert_string_equal(recorded.last[FOVEA_LOG_INFO], "configuration: defaults, b.json");
    fovea_config_destroy(&config);
}

static void a_replaced_file_counts(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    write_threads("c.json", 1);
    struct fovea_config *config = watch("c.json", &recorded);
    for (int i = 2; i < 6; i++) {
        write_threads("c.json.new", i);
        assert_int_equal(rename("c.json.new", "c.json"), 0);
        assert_result(settle(config), FOVEA_OK);
        assert_int_equal(threads(config), i);
    }
    /* Same size, same times: only the inode tells. */
    struct stat status;
    assert_int_equal(__real_stat("c.json", &status), 0);
    write_text("c.json.new", "{\"cpu_threads\": 8} //     ");
    const struct timespec times[2] = {status.st_atim, status.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, "c.json.new", times, 0), 0);
    assert_int_equal(rename("c.json.new", "c.json"), 0);
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 8);
    fovea_config_destroy(&config);
}

static void a_bad_edit_keeps_the_last_good_settings_and_is_said_once(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    write_threads("d.json", 1);
    struct fovea_config *config = watch("d.json", &recorded);
    write_text("d.json", "{\"cpu_threads\": 5, \"backend\": \"cpu\",\n \"watchdog\": 100}");
    assert_result(settle(config), FOVEA_ERROR_CONFIG);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR],
                        "d.json:2:2: watchdog: unknown key; did you mean \"watchdog_ms\"?");
    assert_string_equal(recorded.last[FOVEA_LOG_WARNING],
                        "configuration: the last good settings stay in force");
    for (int i = 0; i < 20; i++) {
        assert_result(settle(config), FOVEA_NOT_READY);
    }
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
    assert_int_equal(recorded.count[FOVEA_LOG_WARNING], 1);
    assert_int_equal(threads(config), 1);
    assert_int_equal(fovea_config_settings(config)->backend, FOVEA_BACKEND_AUTO);

    write_text("d.json", "{\"cpu_threads\": 6,}");
    assert_result(settle(config), FOVEA_ERROR_CONFIG);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 2);
    assert_int_equal(threads(config), 1);

    write_threads("d.json", 7);
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 7);
    fovea_config_destroy(&config);
}

static void a_half_written_file_is_left_to_its_writer(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    write_threads("e.json", 1);
    struct fovea_config *config = watch("e.json", &recorded);
    now_ms += LOOK_MS;
    write_text("e.json", "{\"cpu_thr");
    assert_result(fovea_config_poll(config), FOVEA_NOT_READY);
    now_ms += LOOK_MS;
    write_threads("e.json", 2);
    assert_result(fovea_config_poll(config), FOVEA_NOT_READY);
    now_ms += LOOK_MS;
    assert_result(fovea_config_poll(config), FOVEA_OK);
    assert_int_equal(threads(config), 2);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 0);
    fovea_config_destroy(&config);
}

static void a_file_that_never_rests_still_counts_within_a_second(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    write_threads("f.json", 1);
    struct fovea_config *config = watch("f.json", &recorded);
    enum fovea_result result = FOVEA_NOT_READY;
    int64_t begin = now_ms;
    for (int i = 2; result == FOVEA_NOT_READY && i < 40; i++) {
        write_threads("f.json", i);
        now_ms += LOOK_MS;
        result = fovea_config_poll(config);
    }
    assert_result(result, FOVEA_OK);
    assert_in_range(now_ms - begin, 0, 1000);
    fovea_config_destroy(&config);
}

static void a_file_that_vanishes_is_said_once_and_may_come_back(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    write_threads("g.json", 1);
    struct fovea_config *config = watch("g.json", &recorded);
    assert_int_equal(unlink("g.json"), 0);
    assert_result(settle(config), FOVEA_ERROR_IO);
    for (int i = 0; i < 20; i++) {
        assert_result(settle(config), FOVEA_NOT_READY);
    }
    assert_int_equal(recorded.count[FOVEA_LOG_WARNING], 1);
    assert_string_equal(recorded.last[FOVEA_LOG_WARNING],
                        "g.json: the file is gone; the last good settings stay in force");
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 0);
    assert_int_equal(threads(config), 1);
    write_threads("g.json", 3);
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 3);
    fovea_config_destroy(&config);
}

static void a_file_that_becomes_a_directory_is_said_once(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    write_threads("h.json", 1);
    struct fovea_config *config = watch("h.json", &recorded);
    assert_int_equal(unlink("h.json"), 0);
    assert_int_equal(mkdir("h.json", 0755), 0);
    assert_result(settle(config), FOVEA_ERROR_IO);
    assert_result(settle(config), FOVEA_NOT_READY);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR],
                        "h.json: expected a file; found a directory");
    assert_int_equal(threads(config), 1);
    fovea_config_destroy(&config);
}

static void a_file_of_the_search_order_may_come_later(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    struct fovea_config_desc desc = only_file(NULL, &recorded);
    struct fovea_config *config = NULL;
    assert_result(fovea_config_create(&desc, &config), FOVEA_OK);
    assert_result(settle(config), FOVEA_NOT_READY);
    write_threads("fovea.json", 4);
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 4);

    assert_int_equal(mkdir("fovea", 0755), 0);
    write_text("fovea/fovea.json", "{\"cpu_threads\": 5, \"watchdog_ms\": 50}");
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 4);
    assert_float_equal(fovea_config_settings(config)->watchdog_ms, 50, 0);

    /* One goes, the other stays: the settings stay too. */
    assert_int_equal(unlink("fovea.json"), 0);
    assert_result(settle(config), FOVEA_ERROR_IO);
    assert_int_equal(threads(config), 4);

    /* The one that is left changes: what is there now counts. */
    write_text("fovea/fovea.json", "{\"cpu_threads\": 6}");
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 6);
    fovea_config_destroy(&config);
}

static void overrides_outlive_a_reload(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    write_threads("i.json", 1);
    char set[] = "watchdog_ms=77";
    char program[] = "scene";
    const char *sets[] = {set};
    setenv("FOVEA_SET", "overlay.hud=true", 1);
    struct fovea_config_desc desc = only_file("i.json", &recorded);
    desc.ignore_environment = false;
    desc.program_name = program;
    desc.sets = sets;
    desc.set_count = 1;
    struct fovea_config *config = NULL;
    assert_result(fovea_config_create(&desc, &config), FOVEA_OK);
    memset(set, 'x', sizeof set - 1);
    memset(program, 'x', sizeof program - 1);
    unsetenv("FOVEA_SET");
    write_text("i.json", "{\"cpu_threads\": 2, \"watchdog_ms\": 50, \"apps\": {\"exe:scene\": "
                         "{\"foveation\": {\"strength\": 3}}}}");
    assert_result(settle(config), FOVEA_OK);
    const struct fovea_settings *settings = fovea_config_settings(config);
    assert_int_equal(settings->cpu_threads, 2);
    assert_float_equal(settings->watchdog_ms, 77, 0);
    assert_true(settings->overlay.hud);
    assert_float_equal(settings->foveation.strength, 3, 0);
    fovea_config_destroy(&config);
}

static void unwatched_files_are_left_alone(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    write_threads("j.json", 1);
    struct fovea_config_desc desc = only_file("j.json", &recorded);
    desc.watch = false;
    struct fovea_config *config = NULL;
    assert_result(fovea_config_create(&desc, &config), FOVEA_OK);
    write_threads("j.json", 2);
    stat_count = 0;
    assert_result(settle(config), FOVEA_NOT_READY);
    assert_int_equal(stat_count, 0);
    assert_int_equal(threads(config), 1);
    fovea_config_destroy(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changed_is_not_ready_and_cheap),
        cmocka_unit_test(a_rewritten_file_counts_within_a_second),
        cmocka_unit_test(a_replaced_file_counts),
        cmocka_unit_test(a_bad_edit_keeps_the_last_good_settings_and_is_said_once),
        cmocka_unit_test(a_half_written_file_is_left_to_its_writer),
        cmocka_unit_test(a_file_that_never_rests_still_counts_within_a_second),
        cmocka_unit_test(a_file_that_vanishes_is_said_once_and_may_come_back),
        cmocka_unit_test(a_file_that_becomes_a_directory_is_said_once),
        cmocka_unit_test(a_file_of_the_search_order_may_come_later),
        cmocka_unit_test(overrides_outlive_a_reload),
        cmocka_unit_test(unwatched_files_are_left_alone),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
