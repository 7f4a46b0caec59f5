/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How much a test may do: whether this is built with a sanitizer, which needs time and memory of
 * its own, and whether all cases are wanted or a sample of them. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define TEST_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED 0
#endif

/* FOVEA_TEST_CASES=all, as ./run test --all-cases and ./run gpu-test have it: every case. A sample
 * is what each change is tested with, and enough for what sanitizers look for. */
static inline bool test_all_cases(void)
{
#if TEST_SANITIZED
    return false;
#else
    const char *cases = getenv("FOVEA_TEST_CASES");
    return cases && strcmp(cases, "all") == 0;
#endif
}

static inline int test_commit(void)
{
    const char *text = getenv("FOVEA_TEST_COMMIT");
    return text ? atoi(text) : 0;
}

/* A sample is one case in five or so; uneven, so that of what takes turns each has its own:
 *
 *     for (int i = test_first(count); i < count; i += TEST_STEP(i))
 *
 * FOVEA_TEST_COMMIT, the number of the commit, says where it begins. From these five beginnings on,
 * the steps come to every case, and to none twice: five commits in a row take them all. */
static inline int test_first(int count)
{
    static const int begins[] = {0, 1, 2, 4, 6};
    const int commit = test_commit();
    const int begin = test_all_cases() ? 0 : begins[commit % 5];
    return begin < count || count < 1 ? begin : commit % count;
}

#define TEST_STEP(i) (test_all_cases() ? 1 : 3 + (i) % 5)

/* True where it is case i's turn, 0 <= i < count. Every commit has one in `turns` of the cases, at
 * least one, and so many commits in a row have them all. Cases a period apart are of different
 * commits. */
static inline bool test_turn(int i, int count, int turns)
{
    turns = count < turns ? count : turns;
    return test_all_cases() || turns < 2 || (i + i / turns + test_commit()) % turns == 0;
}
