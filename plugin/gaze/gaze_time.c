/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_source.h"

#include <time.h>

int64_t fovea_time_ns(void)
{
    struct timespec now = {0};
    /* CLOCK_MONOTONIC cannot fail on the systems Fovea runs on; 0 is no worse than any number. */
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * GAZE_NS_PER_S + now.tv_nsec;
}
