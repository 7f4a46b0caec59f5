/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The sample of cases that comparisons take (support/sanitized.h): with five commits in a row it is
 * all of them. */

#include "cmocka_all.h"
#include "sanitized.h"

static void take(int commit, int count, int *taken)
{
    assert_int_equal(setenv("FOVEA_TEST_COMMIT", test_text("%d", commit), 1), 0);
    for (int i = test_first(count); i < count; i += TEST_STEP(i)) {
        taken[i]++;
    }
}

static void five_commits_take_every_case_once(void **state)
{
    unsetenv("FOVEA_TEST_CASES");
    int taken[200] = {0};
    for (int commit = 7; commit < 12; commit++) {
        take(commit, 200, taken);
    }
    for (int i = 0; i < 200; i++) {
        assert_int_equal(taken[i], 1);
    }
}

static void no_commit_takes_none(void **state)
{
    for (int count = 1; count < 9; count++) {
        for (int commit = 0; commit < 40; commit++) {
            int taken[9] = {0};
            take(commit, count, taken);
            int sum = 0;
            for (int i = 0; i < count; i++) {
                sum += taken[i];
            }
            assert_true(sum >= 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(five_commits_take_every_case_once),
                                       cmocka_unit_test(no_commit_takes_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
