/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The tests of config/ share this: a folder of their own, files in it. */
#pragma once

#include "config/settings.h"
#include "support/recorded.h"

/* cmocka's group setup and teardown, those of programs without a main of their own: a new folder,
 * which becomes the working directory, and an
 * environment in which no other configuration is found. */
int enter_folder(void **state);
int leave_folder(void **state);
const char *folder(void);

void write_bytes(const char *path, const char *bytes, size_t count);
void write_text(const char *path, const char *text);
/* The text with " for ', which C need not escape; between letters it stays an apostrophe. The
 * caller frees it. */
char *json(const char *text);
void write_json(const char *path, const char *text);

/* Only the named file counts, and no environment. */
struct fovea_config_desc only_file(const char *file, struct recorded *recorded);

/* Compares values: padding does not count. */
void assert_same_settings(const struct fovea_settings *a, const struct fovea_settings *b);

#define assert_result(result, wanted)                                                              \
    assert_string_equal(fovea_test_result(result), fovea_test_result(wanted))
const char *fovea_test_result(enum fovea_result result);
