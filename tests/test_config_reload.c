/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Files that change while the program runs, by looks of the test's own: one is every 200 ms of a
 * time that it counts. test_config_watch has the thread that looks. */
#include "config/reader.h"
#include "test_config_support.h"

#include <fcntl.h>
#include <sys/stat.h>

#define LOOK_MS 200

struct watched {
    struct config_reader reader;
    struct fovea_settings settings;
    int64_t now_ms;
};

static enum fovea_result look(struct watched *config)
{
    config->now_ms += LOOK_MS;
    return config_reader_look(&config->reader, &config->settings);
}

/* The first result that is not NOT_READY within a second, in *out_ms after how long. */
static enum fovea_result look_for_a_second(struct watched *config, int64_t *out_ms)
{
    enum fovea_result result = FOVEA_NOT_READY;
    const int64_t begin = config->now_ms;
    while (result == FOVEA_NOT_READY && config->now_ms < begin + 1000) {
        result = look(config);
    }
    *out_ms = config->now_ms - begin;
    return result;
}

static enum fovea_result settle(struct watched *config)
{
    int64_t passed = 0;
    return look_for_a_second(config, &passed);
}

/* Other sizes each time: clocks of file systems are coarse. */
static void write_threads(const char *path, int count)
{
    write_text(path, test_text("{\"cpu_threads\": %d} //%*s", count, count, ""));
}

static struct recorded recorded;

static struct watched *watch_by(const struct fovea_config_desc *desc)
{
    struct watched *config = test_memory(1, sizeof *config);
    assert_result(config_reader_init(&config->reader, desc), FOVEA_OK);
    assert_result(config_reader_load(&config->reader, &config->settings), FOVEA_OK);
    return config;
}

/* A file that says one thread. */
static struct watched *watch(const char *file)
{
    const struct fovea_config_desc desc = only_file(file, &recorded);
    write_threads(file, 1);
    struct watched *config = watch_by(&desc);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], "");
    recorded_clear(&recorded);
    return config;
}

static void unwatch(struct watched **config)
{
    config_reader_finish(&(*config)->reader);
    free(*config);
    *config = NULL;
}

static uint32_t threads(const struct watched *config)
{
    return config->settings.cpu_threads;
}

TEST(a_rewritten_file_counts_within_a_second)
{
    OWNED(unwatch) struct watched *config = watch("b.json");
    const struct fovea_settings *settings = &config->settings;
    for (int i = 2; i < 6; i++) {
        write_threads("b.json", i);
        assert_int_equal(settings->cpu_threads, i - 1);
        int64_t passed = 0;
        assert_result(look_for_a_second(config, &passed), FOVEA_OK);
        print_message("after %d ms\n", (int)passed);
        assert_in_range(passed, 0, 500);
        assert_int_equal(settings->cpu_threads, i);
        assert_result(settle(config), FOVEA_NOT_READY);
    }
    assert_int_equal(recorded.count[FOVEA_LOG_INFO], 4);
    assert_string_equal(recorded.last[FOVEA_LOG_INFO], "configuration: defaults, b.json");
}

TEST(a_replaced_file_counts)
{
    OWNED(unwatch) struct watched *config = watch("c.json");
    for (int i = 2; i < 6; i++) {
        write_threads("c.json.new", i);
        assert_int_equal(rename("c.json.new", "c.json"), 0);
        assert_result(settle(config), FOVEA_OK);
        assert_int_equal(threads(config), i);
    }
    /* Same size, same times: only the inode tells. */
    struct stat status;
    assert_int_equal(stat("c.json", &status), 0);
    write_text("c.json.new", "{\"cpu_threads\": 8} //     ");
    const struct timespec times[2] = {status.st_atim, status.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, "c.json.new", times, 0), 0);
    assert_int_equal(rename("c.json.new", "c.json"), 0);
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 8);
}

TEST(a_bad_edit_keeps_the_last_good_settings_and_is_said_once)
{
    OWNED(unwatch) struct watched *config = watch("d.json");
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
    assert_int_equal(config->settings.backend, FOVEA_BACKEND_AUTO);

    write_text("d.json", "{\"cpu_threads\": 6,}");
    assert_result(settle(config), FOVEA_ERROR_CONFIG);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 2);
    assert_int_equal(threads(config), 1);

    write_threads("d.json", 7);
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 7);
}

TEST(a_half_written_file_is_left_to_its_writer)
{
    OWNED(unwatch) struct watched *config = watch("e.json");
    write_text("e.json", "{\"cpu_thr");
    assert_result(look(config), FOVEA_NOT_READY);
    write_threads("e.json", 2);
    assert_result(look(config), FOVEA_NOT_READY);
    assert_result(look(config), FOVEA_OK);
    assert_int_equal(threads(config), 2);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 0);
}

TEST(a_file_that_never_rests_still_counts_within_a_second)
{
    OWNED(unwatch) struct watched *config = watch("f.json");
    enum fovea_result result = FOVEA_NOT_READY;
    int64_t begin = config->now_ms;
    for (int i = 2; result == FOVEA_NOT_READY && i < 40; i++) {
        write_threads("f.json", i);
        result = look(config);
    }
    assert_result(result, FOVEA_OK);
    assert_in_range(config->now_ms - begin, 0, 1000);
}

TEST(a_file_that_vanishes_is_said_once_and_may_come_back)
{
    OWNED(unwatch) struct watched *config = watch("g.json");
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
}

TEST(a_file_of_the_search_order_may_come_later)
{
    struct fovea_config_desc desc = only_file(NULL, &recorded);
    OWNED(unwatch) struct watched *config = watch_by(&desc);
    assert_result(settle(config), FOVEA_NOT_READY);
    write_threads("fovea.json", 4);
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 4);

    assert_int_equal(mkdir("fovea", 0755), 0);
    write_text("fovea/fovea.json", "{\"cpu_threads\": 5, \"watchdog_ms\": 50}");
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 4);
    assert_float_equal(config->settings.watchdog_ms, 50, 0);

    /* One goes, the other stays: the settings stay too. */
    assert_int_equal(unlink("fovea.json"), 0);
    assert_result(settle(config), FOVEA_ERROR_IO);
    assert_int_equal(threads(config), 4);

    /* The one that is left changes: what is there now counts. */
    write_text("fovea/fovea.json", "{\"cpu_threads\": 6}");
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 6);
}

TEST(overrides_outlive_a_reload)
{
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
    OWNED(unwatch) struct watched *config = watch_by(&desc);
    memset(set, 'x', sizeof set - 1);
    memset(program, 'x', sizeof program - 1);
    unsetenv("FOVEA_SET");
    write_text("i.json", "{\"cpu_threads\": 2, \"watchdog_ms\": 50, \"apps\": {\"exe:scene\": "
                         "{\"foveation\": {\"strength\": 3}}}}");
    assert_result(settle(config), FOVEA_OK);
    const struct fovea_settings *settings = &config->settings;
    assert_int_equal(settings->cpu_threads, 2);
    assert_float_equal(settings->watchdog_ms, 77, 0);
    assert_true(settings->overlay.hud);
    assert_float_equal(settings->foveation.strength, 3, 0);
}
