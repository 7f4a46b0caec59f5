/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether this is built with a sanitizer, which needs time and memory of its own: for bounds of
 * those, and nothing else. */
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

#endif
