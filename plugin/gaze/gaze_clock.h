/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Relates a sender's clock to ours where it cannot be asked: of the last seconds the sample that
 * was quickest says how far the two are apart. What is left is the time that the quickest sample
 * was under way; delays that come and go are taken out, and a drift is followed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: nothing is known. */
struct gaze_clock {
    bool known;
    int64_t newest_ns; /* on the sender's clock */
    int64_t last_ns; /* on ours: the last answer */
    int64_t window_end_ns; /* on ours */
    int64_t apart_ns; /* the least of arrival less sender's time, in this window */
    int64_t apart_before_ns; /* in the window before */
};

/* When a sample was taken, on our clock: not after its arrival, and not before the last one. False:
 * it is older than one before. A sender that falls behind by more than a second was started
 * again. */
bool gaze_clock_place(struct gaze_clock *clock, double sender_s, int64_t arrival_ns,
                      int64_t *out_t_ns);
