/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Counts samples in the last second, by the time they carry. One writer at a time, any number of
 * readers, no locks. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define GAZE_RATE_BUCKETS 64 /* a power of two, twice what a second needs */

/* Zeroed: no sample yet. */
struct gaze_rate {
    _Atomic uint64_t buckets[GAZE_RATE_BUCKETS]; /* which part of time it counts, and how many */
};

void gaze_rate_add(struct gaze_rate *rate, int64_t t_ns);
double gaze_rate_hz(struct gaze_rate *rate, int64_t t_ns);
