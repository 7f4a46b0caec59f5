/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static size_t count_of(const struct lens_paper_tables *tables)
{
    return (size_t)tables->size.width_px * (size_t)tables->size.height_px;
}

size_t lens_check_nearest(const struct lens_paper_tables *tables, const uint32_t *src,
                          const uint32_t *out, uint32_t blank, char *words, size_t bytes)
{
    size_t others = 0;
    for (size_t i = 0; i < count_of(tables); i++) {
        const int32_t from = tables->address[i];
        others += out[i] != (from == LENS_PAPER_NOWHERE ? blank : src[from]);
    }
    if (others == 0) {
        snprintf(words, bytes, "equal to the table");
    } else {
        snprintf(words, bytes, "%zu of %zu are others", others, count_of(tables));
    }
    return others;
}

bool lens_check_forward(const struct lens_paper_tables *tables, const uint32_t *out, char *words,
                        size_t bytes)
{
    const struct lens_paper_counts counts = lens_paper_count(tables);
    int64_t holes = 0;
    int64_t strays = 0;
    for (size_t i = 0; i < count_of(tables); i++) {
        const bool inside = tables->key[i] != LENS_PAPER_NOWHERE;
        holes += inside && out[i] == 0;
        strays += !inside && out[i] != 0;
    }
    const bool right = holes == counts.holes && strays == counts.strays;
    snprintf(words, bytes, "%lld holes, %lld beyond the edge%s; %.2f %% more copies",
             (long long)holes, (long long)strays, right ? "" : " (not as expected)",
             100.0 * (double)(counts.copies - counts.inside) / (double)counts.inside);
    return right;
}

static double value_at(const struct lens_paper_tables *tables, const uint32_t *src, int32_t x,
                       int32_t y, int color)
{
    const size_t i = (size_t)y * (size_t)tables->size.width_px + (size_t)x;
    return (double)(src[i] >> (8 * color) & 255u);
}

/* Not in the outermost pixels, where ways differ in what lies beyond the edge. */
static bool exact_at(const struct lens_paper_tables *tables, const double px[2],
                     const uint32_t *src, int color, double *out)
{
    const double x = floor(px[0] - 0.5);
    const double y = floor(px[1] - 0.5);
    if (x < 1.0 || y < 1.0 || x > tables->size.width_px - 3 || y > tables->size.height_px - 3) {
        return false;
    }
    const double right = px[0] - 0.5 - x;
    const double below = px[1] - 0.5 - y;
    const int32_t left_x = (int32_t)x;
    const int32_t above_y = (int32_t)y;
    const double above = (1.0 - right) * value_at(tables, src, left_x, above_y, color) +
                         right * value_at(tables, src, left_x + 1, above_y, color);
    const double under = (1.0 - right) * value_at(tables, src, left_x, above_y + 1, color) +
                         right * value_at(tables, src, left_x + 1, above_y + 1, color);
    *out = (1.0 - below) * above + below * under;
    return true;
}

double lens_check_bilinear(const struct lens_paper_tables *tables, const double k1[3],
                           const uint32_t *src, const uint32_t *out, char *words, size_t bytes)
{
    double worst = 0.0;
    double squares = 0.0;
    double count = 0.0;
    for (int32_t y = 0; y < tables->size.height_px; y += 5) {
        for (int32_t x = 0; x < tables->size.width_px; x += 5) {
            for (int color = 0; color < 3; color++) {
                struct lens_paper_lens lens = tables->lens;
                double px[2];
                double exact = 0.0;
                lens.k1 = k1[color];
                lens_paper_source(tables->size, &lens, x + 0.5, y + 0.5, px);
                if (exact_at(tables, px, src, color, &exact)) {
                    const double off = value_at(tables, out, x, y, color) - exact;
                    worst = fmax(worst, fabs(off));
                    squares += off * off;
                    count += 1.0;
                }
            }
        }
    }
    const double mean = squares / fmax(count, 1.0);
    snprintf(words, bytes, "%.2f levels off at most, %.1f dB", worst,
             10.0 * log10(255.0 * 255.0 / fmax(mean, 1e-9)));
    return worst;
}
