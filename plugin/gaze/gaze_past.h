/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The last valid samples in degrees of visual angle: what filters look back at. */
#ifndef FOVEA_GAZE_PAST_H
#define FOVEA_GAZE_PAST_H

#include "gaze_source.h"

#define GAZE_PAST_MAX 256 /* a power of two; 100 ms at 2 kHz, and some */
#define GAZE_PAST_MEDIAN 64

struct gaze_look {
    int64_t t_ns;
    double deg[2]; /* from the middle, across and down or up, as the source has it */
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

/* The newest is number 0; back is below count. */
static inline const struct gaze_look *gaze_past_at(const struct gaze_past *past, size_t back)
{
    return &past->looks[(past->added - 1 - back) % GAZE_PAST_MAX];
}

#endif
