/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The tests of plugin/gaze/ share this. */
#pragma once

#include "config/settings.h"
#include "plugin/gaze/gaze_source.h"
#include "support/cmocka_all.h"

#define MS INT64_C(1000000)
#define S INT64_C(1000000000)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The defaults that matter to a source, without linking the configuration. */
struct fovea_gaze_settings gaze_settings(enum fovea_gaze_kind kind);

/* Settings of a mouse on a screen of 48 by 28 degrees. */
struct fovea_gaze_settings gaze_filtering(enum fovea_gaze_smooth smooth, double velocity_deg_s);

/* This counts what was logged by level, and keeps the last message of each. Any thread may write.
 */
struct gaze_logged {
    unsigned count[4];
    char last[4][512];
};
struct fovea_log gaze_logged_log(struct gaze_logged *logged);

/* Fails the test when it cannot be opened. */
struct fovea_gaze_source *gaze_open(const struct fovea_gaze_settings *settings);

/* Reads the gaze at t_ns for an image of 1280 x 720. */
struct fovea_gaze gaze_at(struct fovea_gaze_source *source, int64_t t_ns);

/* A path in the folder for temporary files that ends in name and belongs to this process. */
const char *gaze_temporary(const char *name);
void gaze_write_file(const char *path, const char *text);

void gaze_assert_near(const char *what, double value, double wanted, double tolerance,
                      const char *file, int line);

#define assert_near(value, wanted, tolerance)                                                      \
    gaze_assert_near(#value, (value), (wanted), (tolerance), __FILE__, __LINE__)

/* text may be NULL: then nothing is in it. */
void gaze_assert_contains(const char *text, const char *part, const char *file, int line);

#define assert_contains(text, part) gaze_assert_contains((text), (part), __FILE__, __LINE__)
