/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame.h"

#include <stdlib.h>
#include <string.h>

void frame_times_add(struct frame_times *times, double us)
{
    times->us[times->next] = us;
    times->next = (times->next + 1) % FRAME_TIME_COUNT;
    if (times->count < FRAME_TIME_COUNT) {
        times->count++;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double frame_times_percentile(const struct frame_times *times, double p)
{
    if (times->count == 0) {
        return 0;
    }
    double sorted[FRAME_TIME_COUNT];
    memcpy(sorted, times->us, times->count * sizeof sorted[0]);
    qsort(sorted, times->count, sizeof sorted[0], compare);
    return sorted[(uint32_t)(p * (times->count - 1) + 0.5)];
}
