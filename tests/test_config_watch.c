/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thread that looks at the files: with file systems that are slow or do not answer, with no
 * thread to be had, in children of fork, and for long. The linker turns calls of the file system to
 * wrappers. */
#include "process_counts.h"
#include "support/clock.h"
#include "test_config_support.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/stat.h>

enum call { NO_CALL, STAT, OPEN, READ };

int __real_stat(const char *path, struct stat *out_status);
int __wrap_stat(const char *path, struct stat *out_status);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_read(int fd, void *bytes, size_t count);
ssize_t __wrap_read(int fd, void *bytes, size_t count);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *user);

int __real_sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until);
int __wrap_sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until);

static _Atomic enum call hangs; /* and does not come back */
static atomic_int hanging;
static atomic_int asked_ms; /* for how long somebody wanted to wait, at most */
static atomic_int looks;
static atomic_int reads, looks_after_read;
static bool no_threads;

static void hang_in(enum call call)
{
    if (atomic_load(&hangs) == call) {
        atomic_fetch_add(&hanging, 1);
        while (atomic_load(&hangs) == call) {
            rest_ms(1);
        }
        atomic_fetch_sub(&hanging, 1);
    }
}

int __wrap_stat(const char *path, struct stat *out_status)
{
    atomic_fetch_add(&looks, 1);
    atomic_fetch_add(&looks_after_read, 1);
    hang_in(STAT);
    return __real_stat(path, out_status);
}

int __wrap_open(const char *path, int flags, ...)
{
    hang_in(OPEN);
    return __real_open(path, flags);
}

ssize_t __wrap_read(int fd, void *bytes, size_t count)
{
    hang_in(READ);
    atomic_store(&looks_after_read, 0);
    atomic_fetch_add(&reads, 1);
    return __real_read(fd, bytes, count);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *user)
{
    return no_threads ? EAGAIN : __real_pthread_create(thread, attributes, run, user);
}

int __wrap_sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    const double ms = (double)until->tv_sec * 1e3 + (double)until->tv_nsec * 1e-6 - now_ms();
    if (ms > atomic_load(&asked_ms)) {
        atomic_store(&asked_ms, (int)ms);
    }
    return __real_sem_clockwait(semaphore, clock, until);
}

/* Whole at once: a busy machine's thread may look at half a file. */
static void write_whole(const char *path, const char *text)
{
    write_text("new", text);
    assert_int_equal(rename("new", path), 0);
}

static void write_threads(const char *path, int count)
{
    write_whole(path, test_text("{\"cpu_threads\": %d} //%*s", count, count, ""));
}

static struct recorded recorded;

/* A file that says one thread. */
static struct fovea_config *watch(const char *file)
{
    const struct fovea_config_desc desc = only_file(file, &recorded);
    write_threads(file, 1);
    struct fovea_config *config = NULL;
    assert_result(fovea_config_create(&desc, &config), FOVEA_OK);
    recorded_clear(&recorded);
    return config;
}

static uint32_t threads(const struct fovea_config *config)
{
    return fovea_config_settings(config)->cpu_threads;
}

/* Polls every millisecond, as frames would, until there is news or the time is over. */
static enum fovea_result poll_for(struct fovea_config *config, double for_ms)
{
    enum fovea_result result = FOVEA_NOT_READY;
    for (const double end = now_ms() + for_ms; result == FOVEA_NOT_READY && now_ms() < end;) {
        result = fovea_config_poll(config);
        rest_ms(1);
    }
    return result;
}

static enum fovea_result settle(struct fovea_config *config)
{
    return poll_for(config, 20000);
}

/* A second without a look comes, even though the thread may be late where other programs keep it
 * from running. */
static bool looks_end(void)
{
    for (int i = 0; i < 10; i++) {
        atomic_store(&looks, 0);
        rest_ms(1000);
        if (atomic_load(&looks) == 0) {
            return true;
        }
    }
    return false;
}

TEST(files_are_looked_at_five_times_a_second_while_somebody_asks)
{
    OWNED(fovea_config_destroy) struct fovea_config *config = watch("a.json");
    const double begin = now_ms();
    atomic_store(&looks, 0);
    atomic_store(&asked_ms, 0);
    while (atomic_load(&looks) < 4) {
        assert_result(fovea_config_poll(config), FOVEA_NOT_READY);
        rest_ms(1);
    }
    assert_in_range(atomic_load(&asked_ms), 1, 200);
    assert_in_range(atomic_load(&looks), 4, (int)((now_ms() - begin) / 200) + 2);
    rest_ms(500);
    assert_true(looks_end());
    /* Somebody asks again, though rarely. */
    write_threads("a.json", 2);
    assert_result(fovea_config_poll(config), FOVEA_NOT_READY);
    enum fovea_result result = FOVEA_NOT_READY;
    for (int i = 0; i < 12 && result == FOVEA_NOT_READY; i++) {
        rest_ms(1200); /* two are enough, on a machine that does nothing else */
        result = fovea_config_poll(config);
    }
    assert_result(result, FOVEA_OK);
    assert_int_equal(threads(config), 2);
}

/* On a machine that does much else the thread is late, but has not looked more often. */
TEST(a_saved_file_counts_within_a_second)
{
    OWNED(fovea_config_destroy) struct fovea_config *config = watch("b.json");
    const struct fovea_settings *settings = fovea_config_settings(config);
    assert_result(poll_for(config, 300), FOVEA_NOT_READY);
    for (int i = 2; i < 5; i++) {
        atomic_store(&looks, 0); /* the first look may come as soon as the file is there */
        write_threads("b.json", i);
        assert_int_equal(settings->cpu_threads, i - 1);
        assert_result(settle(config), FOVEA_OK);
        assert_in_range(atomic_load(&looks), 1, 5);
        assert_int_equal(settings->cpu_threads, i);
    }
    assert_int_equal(recorded.count[FOVEA_LOG_INFO], 3);
    assert_string_equal(recorded.last[FOVEA_LOG_INFO], "configuration: defaults, b.json");
    write_text("b.json", "{\"cpu_threads\": }");
    assert_result(settle(config), FOVEA_ERROR_CONFIG);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
    assert_int_equal(settings->cpu_threads, 4);
}

/* Who waited would wait for ever. */
static void poll_while_hanging(struct fovea_config *config)
{
    for (int i = 0; atomic_load(&hanging) == 0 || i < 20; i++) {
        assert_result(fovea_config_poll(config), FOVEA_NOT_READY);
        rest_ms(1);
    }
}

TEST(nobody_waits_for_a_slow_file_system)
{
    OWNED(fovea_config_destroy) struct fovea_config *config = watch("c.json");
    assert_result(poll_for(config, 300), FOVEA_NOT_READY);
    for (int i = STAT; i <= READ; i++) {
        /* A new file is opened and read once, perhaps as soon as it is there. */
        atomic_store(&hangs, (enum call)i);
        write_threads("c.json", i + 1);
        poll_while_hanging(config);
        atomic_store(&hangs, NO_CALL);
        assert_result(settle(config), FOVEA_OK);
        assert_int_equal(threads(config), i + 1);
    }
}

TEST(nobody_waits_for_a_file_system_that_does_not_answer)
{
    const struct process_counts before = process_count();
    struct fovea_config *config = watch("d.json");
    atomic_store(&hangs, STAT);
    poll_while_hanging(config);
    atomic_store(&asked_ms, 0);
    fovea_config_destroy(&config);
    assert_in_range(atomic_load(&asked_ms), 1, 500);
    /* Its log is not the thread's any more. */
    memset(&recorded, 0xff, sizeof recorded);
    atomic_store(&hangs, NO_CALL);
    for (int i = 0; i < 5000 && process_count().threads > before.threads; i++) {
        rest_ms(1);
    }
    assert_int_equal(process_count().threads, before.threads);
}

TEST(without_a_thread_the_files_are_not_watched_and_it_is_said)
{
    OWNED(fovea_config_destroy) struct fovea_config *config = watch("e.json");
    no_threads = true;
    for (int i = 0; i < 10; i++) {
        assert_result(fovea_config_poll(config), FOVEA_NOT_READY);
    }
    assert_result(fovea_config_reload(config), FOVEA_ERROR_INVALID_STATE);
    no_threads = false;
    assert_int_equal(recorded.count[FOVEA_LOG_WARNING], 1);
    assert_int_equal(threads(config), 1);
}

TEST(unwatched_files_are_left_alone)
{
    write_threads("f.json", 1);
    struct fovea_config_desc desc = only_file("f.json", &recorded);
    desc.ignore_changes = true;
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    assert_result(fovea_config_create(&desc, &config), FOVEA_OK);
    const struct process_counts before = process_count();
    write_threads("f.json", 2);
    atomic_store(&looks, 0);
    assert_result(poll_for(config, 600), FOVEA_NOT_READY);
    assert_result(fovea_config_reload(config), FOVEA_ERROR_INVALID_STATE);
    assert_int_equal(atomic_load(&looks), 0);
    assert_int_equal(process_count().threads, before.threads);
    assert_int_equal(threads(config), 1);
}

TEST(a_program_that_never_polls_gets_no_thread)
{
    const struct process_counts before = process_count();
    struct fovea_config *config = watch("g.json");
    assert_int_equal(process_count().threads, before.threads);
    assert_result(fovea_config_poll(config), FOVEA_NOT_READY);
    assert_int_equal(process_count().threads, before.threads + 1);
    fovea_config_destroy(&config);
    assert_int_equal(process_count().threads, before.threads);
}

TEST(files_are_read_again_when_asked)
{
    OWNED(fovea_config_destroy) struct fovea_config *config = watch("h.json");
    assert_result(fovea_config_reload(config), FOVEA_OK);
    assert_result(settle(config), FOVEA_OK);
    assert_result(poll_for(config, 500), FOVEA_NOT_READY);
    assert_result(fovea_config_reload(NULL), FOVEA_ERROR_INVALID_ARGUMENT);
}

/* The thread looks at the files again once it has handed over what it has read. */
static void wait_until_handed_over(void)
{
    for (int i = 0; i < 10000 && !(atomic_load(&reads) && atomic_load(&looks_after_read)); i++) {
        rest_ms(1);
    }
}

/* The last good settings come first of what nobody has asked for meanwhile. */
TEST(good_settings_before_a_mistake_are_not_lost)
{
    OWNED(fovea_config_destroy) struct fovea_config *config = watch("i.json");
    assert_result(poll_for(config, 300), FOVEA_NOT_READY);
    rest_ms(500);
    static const char *const texts[] = {"{\"cpu_threads\": 2}", "{\"cpu_threads\": 3}", "{", "{{"};
    for (int i = 0; i < 4; i++) {
        write_whole("i.json", texts[i]);
        atomic_store(&reads, 0);
        assert_result(fovea_config_reload(config), FOVEA_OK);
        wait_until_handed_over();
    }
    assert_result(fovea_config_poll(config), FOVEA_OK);
    assert_int_equal(threads(config), 3);
    assert_result(fovea_config_poll(config), FOVEA_ERROR_CONFIG);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
    assert_int_equal(threads(config), 3);
    assert_result(poll_for(config, 600), FOVEA_NOT_READY);
}

TEST(what_is_wrong_at_first_may_be_mended)
{
    struct fovea_settings defaults = fovea_settings_default();
    defaults.cpu_threads = 9;
    write_text("j.json", "{\"cpu_threads\": 1,}");
    struct fovea_config_desc desc = only_file("j.json", &recorded);
    desc.defaults = &defaults;
    desc.defaults_if_wrong = true;
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    assert_result(fovea_config_create(&desc, &config), FOVEA_OK);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
    assert_string_equal(recorded.last[FOVEA_LOG_WARNING],
                        "the configuration cannot be taken; the defaults are in force");
    assert_int_equal(threads(config), 9);
    assert_result(poll_for(config, 500), FOVEA_NOT_READY);
    write_threads("j.json", 2);
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 2);
}

TEST(a_child_of_fork_has_the_settings_and_no_news)
{
    OWNED(fovea_config_destroy) struct fovea_config *config = watch("k.json");
    assert_result(poll_for(config, 300), FOVEA_NOT_READY);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        write_threads("k.json", 2);
        bool good = true;
        for (int i = 0; i < 60; i++) {
            good = good && fovea_config_poll(config) == FOVEA_NOT_READY;
            rest_ms(10);
        }
        good = good && threads(config) == 1;
        fovea_config_destroy(&config);
        _exit(good && !config ? 0 : 1);
    }
    assert_true(child > 0);
    assert_result(settle(config), FOVEA_OK);
    assert_int_equal(threads(config), 2);
    assert_int_equal(test_status_of(child), 0);
}

/* A look of the thread's own may have read the file that it is then asked to read: there are two
 * answers, and the second one comes with the next file. */
static void settle_with(struct fovea_config *config, enum fovea_result expected)
{
    enum fovea_result result = settle(config);
    for (int i = 0; i < 2 && result != expected; i++) {
        result = settle(config);
    }
    assert_result(result, expected);
}

TEST(nothing_grows_while_settings_are_saved)
{
    OWNED(fovea_config_destroy) struct fovea_config *config = watch("l.json");
    struct process_counts warm = {0};
    for (int i = 0; i < 600; i++) {
        if (i == 100) {
            warm = process_count();
        }
        write_whole("l.json", i % 3 == 2 ? "{\"cpu_threads\": oh}" : "{\"cpu_threads\": 2}");
        assert_result(fovea_config_reload(config), FOVEA_OK);
        settle_with(config, i % 3 == 2 ? FOVEA_ERROR_CONFIG : FOVEA_OK);
        if (i % 20 == 0) {
            fovea_config_destroy(&config);
            config = watch("l.json");
            assert_result(fovea_config_poll(config), FOVEA_NOT_READY);
        }
    }
    assert_process_counts(warm, 4000);
}
