/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* cmocka.h with what it needs before it, the headers of C that most tests use, and tests that need
 * no list of them. */
#ifndef FOVEA_TESTS_CMOCKA_ALL_H
#define FOVEA_TESTS_CMOCKA_ALL_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

#define TESTS_MOST 64

struct test_list {
    struct CMUnitTest tests[TESTS_MOST];
    int lines[TESTS_MOST];
    size_t count;
};

extern struct test_list test_list;

void tests_add(const struct CMUnitTest *test, int line);
/* The status for main; the fixtures are those of all tests together, and may be NULL. */
int tests_run(CMFixtureFunction set_up, CMFixtureFunction tear_down);

#endif
