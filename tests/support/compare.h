/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether two pictures are the same, and where they are not. */
#pragma once

#include "kernels/foveate/foveate.h"

/* The error of a value is its distance from the expected one, less `rounding`: what the format's
 * own steps cannot avoid, so that a true value half way between two levels may become either. It
 * passes if it is max_abs + max_rel * |expected| at most. */
struct compare_budget {
    double rounding;
    double max_abs;
    double max_rel;
    double max_mean_abs;
};

/* Returns how near a format's own steps allow: within one level of the true value, and 0.05 beyond
 * its rounding on average, in UNORM formats; 1e-3 of the value in half floats, one step in
 * B10G11R11F, 1e-5 in 32-bit floats. */
struct compare_budget compare_budget_of(enum fovea_format format);

/* Returns what every backend has to keep to with these settings: for the smooth method 3 levels
 * beside the rounded reference, and 0.012 of white in float formats; for the blockwise method in
 * stored values one level of 8 bits, in sRGB's light 3, or 5 where the reference cuts its filters
 * at 3 sigma (paper.filter_length). */
struct compare_budget compare_budget_for(const struct fovea_foveation *foveation,
                                         enum fovea_format format);

/* Returns what the settings' reference makes of src, not rounded: in levels or values, averaged as
 * light where the frame says so. The gaze is the frame's. The caller frees it. */
double *compare_expected(const struct fovea_foveation *foveation, const struct fovea_image *src,
                         const struct gauss_frame *frame);

/* The same of any reference, which makes rows of doubles of as many. */
typedef void (*compare_reference_fn)(const void *user, const struct fovea_image *src,
                                     const double *in, double *out);
double *compare_expected_by(const struct fovea_foveation *foveation, const struct fovea_image *src,
                            int32_t light_kind, compare_reference_fn reference, const void *user);

/* Fails the running cmocka test, after printing the first pixel beyond the budget with both values,
 * the largest and the mean error, and `what`. NaN must meet NaN, Inf the same Inf. */
void compare_assert_close(const struct fovea_image *actual, const double *expected,
                          struct compare_budget budget, const char *what);

struct compare_rect {
    uint32_t x, y, width, height;
};

/* Fails the running cmocka test unless the pixels of the rectangle are the same bit by bit. */
void compare_assert_same(const struct fovea_image *actual, const struct fovea_image *expected,
                         struct compare_rect rect, const char *what);
void compare_assert_all_same(const struct fovea_image *actual, const struct fovea_image *expected,
                             const char *what);
bool compare_are_same(const struct fovea_image *a, const struct fovea_image *b);

/* Largest difference of two pictures of one format, in levels or values; *out_where gets one pixel
 * that has it. */
double compare_largest(const struct fovea_image *a, const struct fovea_image *b,
                       struct compare_rect *out_where);

/* Screens whose light is not sRGB's: 0 to 2 gammas, 3 to 5 tables. Returns the setting for
 * light. */
#define COMPARE_DISPLAYS 6
enum fovea_light compare_display(int which, struct fovea_display *out_display);
