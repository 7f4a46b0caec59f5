/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Each allocation fails once: an error, nothing applied, nothing leaked (the leak sanitizer
 * looks). */
#include "config/reader.h"
#include "test_config_support.h"

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size);

static size_t allocations;
static size_t fail_at; /* number of the allocation that fails, from 1; 0: none */

static bool fails(void)
{
    return ++allocations == fail_at;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
    return fails() ? NULL : __real_strndup(text, size);
}

static const char big_file[] =
    "{\"cpu_threads\": 3, \"gaze\": {\"source\": \"mouse\", \"screen_px\": [1920, 1080]},"
    "\"foveation\": {\"paper\": {\"fragment_px\": 16}}, \"apps\": {"
    "\"exe:a*\": {\"cpu_threads\": 1}, \"exe:b*\": {\"cpu_threads\": 1}, \"exe:c*\": {},"
    "\"exe:d*\": {\"gaze\": {\"screen_px\": [1, 2], \"fixed\": {\"x\": 1, \"y\": 2}}},"
    "\"exe:e*\": {\"gaze\": {\"screen_px\": [1, 2], \"fixed\": {\"x\": 1, \"y\": 2}}},"
    "\"exe:f*\": {\"gaze\": {\"screen_px\": [1, 2], \"fixed\": {\"x\": 1, \"y\": 2}}},"
    "\"exe:g*\": {\"gaze\": {\"screen_px\": [1, 2], \"fixed\": {\"x\": 1, \"y\": 2}}},"
    "\"exe:h*\": {\"gaze\": {\"screen_px\": [1, 2], \"fixed\": {\"x\": 1, \"y\": 2}}},"
    "\"exe:i*\": {\"gaze\": {\"screen_px\": [1, 2], \"fixed\": {\"x\": 1, \"y\": 2}}},"
    "\"exe:j*\": {\"gaze\": {\"screen_px\": [1, 2], \"fixed\": {\"x\": 1, \"y\": 2}}}}}";

static const char *const sets[] = {"backend=cpu", "gaze.screen_px=[1, 2]"};

static struct fovea_config_desc everything(struct recorded *recorded)
{
    struct fovea_config_desc desc = only_file("big.json", recorded);
    desc.ignore_environment = false;
    desc.sets = sets;
    desc.set_count = sizeof sets / sizeof sets[0];
    return desc;
}

TEST(creation_survives_each_failure)
{
    write_text("big.json", big_file);
    setenv("FOVEA_SET", "overlay.hud=true,gaze.fixed={\"x\":1}", 1);
    struct recorded recorded = {0};
    struct fovea_config_desc desc = everything(&recorded);
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    size_t failures = 0;
    for (size_t n = 1; result != FOVEA_OK && n < 1000; n++) {
        recorded_clear(&recorded);
        allocations = 0;
        fail_at = n;
        config = (struct fovea_config *)&recorded;
        result = fovea_config_create(&desc, &config);
        fail_at = 0;
        if (result != FOVEA_OK) {
            failures++;
            print_message("allocation %zu: %s\n", n, recorded.last[FOVEA_LOG_ERROR]);
            assert_result(result, FOVEA_ERROR_OUT_OF_MEMORY);
            assert_null(config);
            assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
            assert_non_null(strstr(recorded.last[FOVEA_LOG_ERROR], "out of memory"));
        }
    }
    unsetenv("FOVEA_SET");
    assert_result(result, FOVEA_OK);
    assert_in_range(failures, 100, 900); /* each value of the file is one */
    assert_int_equal(fovea_config_settings(config)->cpu_threads, 3);
}

TEST(a_reload_that_fails_keeps_the_settings)
{
    write_text("big.json", big_file);
    struct recorded recorded = {0};
    struct fovea_config_desc desc = everything(&recorded);
    struct config_reader reader;
    struct fovea_settings settings = fovea_settings_default();
    assert_result(config_reader_init(&reader, &desc), FOVEA_OK);
    assert_result(config_reader_load(&reader, &settings), FOVEA_OK);
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    size_t failures = 0;
    for (size_t n = 1; result != FOVEA_OK && n < 1000; n++, failures++) {
        assert_int_equal(settings.cpu_threads, 3);
        settings.cpu_threads = 3;
        recorded_clear(&recorded);
        allocations = 0;
        fail_at = n;
        result = config_reader_reload(&reader, &settings);
        fail_at = 0;
        assert_true(result == FOVEA_OK || result == FOVEA_ERROR_OUT_OF_MEMORY);
        assert_int_equal(recorded.count[FOVEA_LOG_WARNING], result < 0);
    }
    assert_result(result, FOVEA_OK);
    assert_in_range(failures, 100, 900);
    config_reader_finish(&reader);
}
