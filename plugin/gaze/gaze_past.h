/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The last valid samples in degrees of visual angle: what filters look back at. */
#pragma once

#include "gaze_source.h"

#define GAZE_PAST_MAX 256 /* a power of two; 100 ms at 2 kHz, and some */
#define GAZE_PAST_MEDIAN 64

struct gaze_look {
    int64_t t_ns;
    double deg[2]; /* from the middle, across and down or up, as the source has it */
    double deg_s; /* gaze_velocity_deg_s when it was the newest; 0 where nobody asks */
};

/* Zeroed: empty. A ring; the newest replaces the oldest. */
struct gaze_past {
    struct gaze_look looks[GAZE_PAST_MAX];
    size_t count; /* that there are */
    uint64_t added;
};

static inline void gaze_past_add(struct gaze_past *past, const struct gaze_look *look)
{
    past->looks[past->added++ % GAZE_PAST_MAX] = *look;
    past->count += past->count < GAZE_PAST_MAX;
}

static inline void gaze_past_set_velocity(struct gaze_past *past, double deg_s)
{
    past->looks[(past->added - 1) % GAZE_PAST_MAX].deg_s = deg_s;
}

/* The newest is number 0; back is below count. */
static inline const struct gaze_look *gaze_past_at(const struct gaze_past *past, size_t back)
{
    return &past->looks[(past->added - 1 - back) % GAZE_PAST_MAX];
}

/* The number of the newest that is at least window_ns older than number `from`, or of the oldest;
 * the one before `from` where window_ns is 0. `from` itself where there is none before. */
static inline size_t gaze_past_back(const struct gaze_past *past, size_t from, int64_t window_ns)
{
    const int64_t from_ns = gaze_past_at(past, from)->t_ns;
    size_t back = from + 1 < past->count ? from + 1 : from;
    while (back + 1 < past->count &&
           gaze_time_sub(from_ns, gaze_past_at(past, back)->t_ns) < window_ns) {
        back++;
    }
    return back;
}
