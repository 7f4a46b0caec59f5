/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Trouble that is said once, whoever meets it. */

#include "cmocka_all.h"
#include "core/said.h"

#define THREADS 8
#define TIMES 1000

static atomic_uint lines;
static char last[LOG_MESSAGE_BYTES];

static void keep(void *user, enum fovea_log_level level, const char *message)
{
    assert_int_equal(level, FOVEA_LOG_WARNING);
    atomic_fetch_add(&lines, 1);
    snprintf(last, sizeof last, "%s", message);
}

static struct fovea_log warnings(void)
{
    atomic_store(&lines, 0);
    return (struct fovea_log){.fn = keep, .min_level = FOVEA_LOG_WARNING};
}

TEST(each_kind_is_said_once_until_all_is_well)
{
    const struct fovea_log log = warnings();
    struct said said = {0};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) { /* by turns */
            log_once(&said, 0, FOVEA_LOG_WARNING, log, "the first of %d", round);
            log_once(&said, 31, FOVEA_LOG_WARNING, log, "the last of %d", round);
        }
        assert_int_equal(lines, 2 * (round + 1));
        assert_string_equal(last, round == 0 ? "the last of 0" : "the last of 1");
        said_clear(&said);
    }
}

TEST(another_one_says_it_too)
{
    const struct fovea_log log = warnings();
    struct said said[2] = {{0}};
    for (int i = 0; i < 4; i++) {
        log_once(&said[i % 2], 5, FOVEA_LOG_WARNING, log, "trouble");
    }
    assert_int_equal(lines, 2);
}

struct crowd {
    struct said said[TIMES];
    pthread_barrier_t start;
};

static void *say_all(void *user)
{
    struct crowd *crowd = user;
    pthread_barrier_wait(&crowd->start);
    for (int i = 0; i < TIMES; i++) {
        if (said_first(&crowd->said[i], 7)) {
            atomic_fetch_add(&lines, 1);
        }
    }
    return NULL;
}

TEST(one_of_many_threads_says_it)
{
    static struct crowd crowd;
    pthread_t threads[THREADS];
    atomic_store(&lines, 0);
    pthread_barrier_init(&crowd.start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        threads[i] = test_thread(say_all, &crowd);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&crowd.start);
    assert_int_equal(lines, TIMES);
}
