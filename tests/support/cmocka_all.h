/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* cmocka.h with what it needs before it, the headers of C and POSIX that most tests use, tests that
 * need no list of them, and what most of them do. */
#pragma once

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "owned.h"

/* Frees memory of test_malloc or test_calloc, and sees that nobody wrote beside it. */
static inline void owned_test_free(void *pointer)
{
    void *memory = NULL;
    memcpy(&memory, pointer, sizeof memory);
    test_free(memory);
}

/* A test of the program, which stands in one file: they run in the order of the lines. A program
 * without a main has that of support/test_main.c, which runs them. */
#define TEST(name) TEST_AROUND(name, NULL, NULL)
#define TEST_AROUND(name, set_up, tear_down)                                                       \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void name##_is_a_test(void)                                \
    {                                                                                              \
        const struct CMUnitTest test = cmocka_unit_test_setup_teardown(name, set_up, tear_down);   \
        tests_add(&test, __LINE__);                                                                \
    }                                                                                              \
    static void name(void **state)

/* A test in which threads have no part, or do what they do in another one, too: a build with the
 * thread sanitizer, which makes computing take twenty times as long, has none of it. */
#if defined __has_feature
#if __has_feature(thread_sanitizer)
#define TEST_FOR_RACES 1
#define TEST_OF_NO_RACE(name) __attribute__((unused)) static void name(void **state)
#endif
#endif
#ifndef TEST_FOR_RACES
#define TEST_FOR_RACES 0
#define TEST_OF_NO_RACE(name) TEST(name)
#endif

/* Fails the test with these words, as of printf, unless the condition holds. */
#define assert_that(condition, ...)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fail_msg(__VA_ARGS__);                                                                 \
        }                                                                                          \
    } while (0)

#define assert_ok(call) assert_int_equal(call, FOVEA_OK)

#define TESTS_MOST 64

struct test_list {
    struct CMUnitTest tests[TESTS_MOST];
    int lines[TESTS_MOST];
    size_t count;
};

extern struct test_list test_list;

void tests_add(const struct CMUnitTest *test, int line);
/* A text as of printf, which lasts for the next 31 of its thread, cut after 2047 bytes. */
const char *test_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Zeroed; free() has it back. */
void *test_memory(size_t count, size_t bytes);
/* A thread that is to be joined. */
pthread_t test_thread(void *(*run)(void *), void *user);
/* Waits for a child's end; the number of a signal that ended it is negative. */
int test_status_of(int child_pid);
/* The status for main; the fixtures are those of all tests together, and may be NULL. */
int tests_run(CMFixtureFunction set_up, CMFixtureFunction tear_down);
