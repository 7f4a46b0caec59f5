/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How much a test may do: whether this is built with a sanitizer, which needs time and memory of
 * its own, and whether all cases are wanted or a sample of them. */
#ifndef FOVEA_TESTS_SANITIZED_H
#define FOVEA_TESTS_SANITIZED_H

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

/* To the next case that is compared, as in `i += TEST_STEP(i)`. A sample is one in five or so;
 * uneven, so that of what takes turns each has its own. */
#define TEST_STEP(i) (test_all_cases() ? 1 : 3 + (i) % 5)

#endif
