/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether this is built with a sanitizer, which needs time and memory of its own: for bounds of
 * those, and for how many cases are compared. */
#ifndef FOVEA_TESTS_SANITIZED_H
#define FOVEA_TESTS_SANITIZED_H

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

/* To the next case that is compared, as in `i += TEST_STEP(i)`. One in five or so is enough for
 * what sanitizers look for; uneven, so that of what takes turns each has its own. */
#define TEST_STEP(i) (TEST_SANITIZED ? 3 + (i) % 5 : 1)

#endif
