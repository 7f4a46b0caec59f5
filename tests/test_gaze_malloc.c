/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Opening each source with every allocation failing once, and with nothing but failures. Linked
 * with
 * --wrap, so that the sources' own calls come here. */
#include "test_gaze_support.h"

#include <errno.h>
#include <fcntl.h>

static long allowed = -1; /* calls before the one that fails; negative: none fails */
static long live;
static long calls;

static bool fails(void)
{
    calls++;
    if (allowed < 0) {
        return false;
    }
    return allowed-- == 0;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void __real_free(void *pointer);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *user);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *pointer);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *user);

static void *counted(void *pointer)
{
    live += pointer != NULL;
    return pointer;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : counted(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *old, size_t bytes)
{
    if (fails()) {
        return NULL;
    }
    return old ? __real_realloc(old, bytes) : counted(__real_realloc(old, bytes));
}

void __wrap_free(void *pointer)
{
    live -= pointer != NULL;
    __real_free(pointer);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *user)
{
    return fails() ? EAGAIN : __real_pthread_create(thread, attributes, run, user);
}

/* The number that the next file descriptor gets: the same again when none was lost. */
static int next_descriptor(void)
{
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    close(fd);
    return fd;
}

static long calls_to_open(const struct fovea_gaze_settings *settings)
{
    calls = 0;
    struct fovea_gaze_source *source = gaze_open(settings);
    const long needed = calls;
    struct fovea_gaze gaze;
    for (int i = 0; i < 100; i++) {
        assert_ok(fovea_gaze_source_read(source, i * S, 640, 480, &gaze));
    }
    assert_int_equal(calls, needed); /* reading allocates nothing */
    fovea_gaze_source_destroy(&source);
    assert_int_equal(live, 0);
    return needed;
}

TEST(every_failure_is_reported_and_leaks_nothing)
{
    static const long wanted_calls[] = {1, 1, 4, 1, 2}; /* at least */
    for (int kind = FOVEA_GAZE_FIXED; kind <= FOVEA_GAZE_UDP; kind++) {
        struct fovea_gaze_settings settings = gaze_settings((enum fovea_gaze_kind)kind);
        snprintf(settings.scanpath_file, sizeof settings.scanpath_file, "%s",
                 FOVEA_SOURCE_DIR "/config/scanpath_demo.csv");
        const long needed = calls_to_open(&settings);
        assert_true(needed >= wanted_calls[kind]);
        const int descriptor = next_descriptor();
        for (long n = 0; n < needed; n++) {
            struct gaze_logged logged;
            struct fovea_gaze_source *source = NULL;
            allowed = n;
            const enum fovea_result result =
                gaze_source_open(&settings, gaze_logged_log(&logged), &source);
            allowed = -1;
            assert_that(result == FOVEA_ERROR_OUT_OF_MEMORY && !source && live == 0,
                        "%s, call %ld of %ld: %d, %ld allocations left",
                        gaze_kind_name((enum fovea_gaze_kind)kind), n, needed, result, live);
            assert_int_equal(logged.count[FOVEA_LOG_ERROR], 1);
        }
        assert_int_equal(next_descriptor(), descriptor);
    }
}
