/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lines.h"

static inline void mean(const struct blur_line *line, const struct blur_window *window,
                        int32_t width, float *out)
{
    float sum[BLUR_WIDTH] = {0};
    for (int32_t t = 0; t < window->count; t++) {
        const int32_t at = window->from + t;
        const int32_t inside = at < 0 ? 0 : at > line->last ? line->last : at;
        const float *group = line->first + inside * line->next;
        const float weight = window->weights[t];
        for (int32_t i = 0; i < width; i++) {
            sum[i] += weight * group[i];
        }
    }
    for (int32_t i = 0; i < width; i++) {
        out[i] = sum[i];
    }
}

static void mean_1(const struct blur_line *line, const struct blur_window *window, float *out)
{
    mean(line, window, BLUR_STRIP_ROWS, out);
}

static void mean_3(const struct blur_line *line, const struct blur_window *window, float *out)
{
    mean(line, window, 3 * BLUR_STRIP_ROWS, out);
}

static void mean_4(const struct blur_line *line, const struct blur_window *window, float *out)
{
    mean(line, window, 4 * BLUR_STRIP_ROWS, out);
}

blur_mean_fn blur_mean_of(uint32_t channels)
{
    return channels == 1 ? mean_1 : channels == 3 ? mean_3 : mean_4;
}
