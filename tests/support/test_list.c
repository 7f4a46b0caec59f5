/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cmocka_all.h"

struct test_list test_list;

/* Constructors run in any order. */
void tests_add(const struct CMUnitTest *test, int line)
{
    if (test_list.count == TESTS_MOST) {
        abort();
    }
    size_t at = test_list.count++;
    for (; at > 0 && test_list.lines[at - 1] > line; at--) {
        test_list.tests[at] = test_list.tests[at - 1];
        test_list.lines[at] = test_list.lines[at - 1];
    }
    test_list.tests[at] = *test;
    test_list.lines[at] = line;
}

int tests_run(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    return _cmocka_run_group_tests("tests", test_list.tests, test_list.count, set_up, tear_down);
}
