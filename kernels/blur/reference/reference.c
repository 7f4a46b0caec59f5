/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The Gaussian by its definition, as far as it is more than 1e-17 of its peak. It is the product of
 * one along x and one along y, which are summed one after the other: of one sigma for all pixels
 * over the whole picture, else for each pixel. */

#include "kernels/blur/blur.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CUT_OFF_SIGMAS 9.0

struct axis {
    long length; /* of a line */
    ptrdiff_t next; /* from one of its values to the next */
};

/* weight[reach + i] is that of a place i from the pixel. */
static double mean_at(const double *line, const struct axis *axis, long place, long reach,
                      const double *weight)
{
    double sum = 0.0;
    double weights = 0.0;
    for (long i = -reach; i <= reach; i++) {
        const long at = place + i < 0               ? 0
                        : place + i >= axis->length ? axis->length - 1
                                                    : place + i;
        sum += weight[reach + i] * line[at * axis->next];
        weights += weight[reach + i];
    }
    return sum / weights;
}

enum fovea_result blur_reference(double sigma_px, uint32_t width_px, uint32_t height_px,
                                 uint32_t channels, const double *src, double *dst)
{
    const ptrdiff_t pitch = (ptrdiff_t)width_px * channels;
    const struct axis along = {(long)width_px, (ptrdiff_t)channels};
    const struct axis down = {(long)height_px, pitch};
    const long reach = (long)ceil(CUT_OFF_SIGMAS * sigma_px);
    double *weight = calloc((size_t)pitch * height_px + 2 * (size_t)reach + 1, sizeof *weight);
    if (!weight) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    double *rows = weight + 2 * reach + 1;
    for (long i = -reach; i <= reach; i++) {
        weight[reach + i] = sigma_px > 0.0 ? exp(-0.5 * pow((double)i / sigma_px, 2.0)) : 1.0;
    }
    for (ptrdiff_t i = 0; i < pitch * (ptrdiff_t)height_px; i++) {
        const ptrdiff_t first = i / pitch * pitch + i % channels;
        rows[i] = mean_at(src + first, &along, (long)((i - first) / channels), reach, weight);
    }
    for (ptrdiff_t i = 0; i < pitch * (ptrdiff_t)height_px; i++) {
        dst[i] = mean_at(rows + i % pitch, &down, (long)(i / pitch), reach, weight);
    }
    free(weight);
    return FOVEA_OK;
}

/* ---- A picture of sigmas */

/* The places of a line weigh so much for a pixel: those from first to before end. */
struct weights {
    double *of; /* all places of the line, of which others are 0 */
    long first, end;
};

/* Places beyond an end count as the outermost one. */
static void weigh(long length, long place, double sigma, struct weights *out)
{
    const long reach = (long)ceil(CUT_OFF_SIGMAS * sigma);
    double sum = 0.0;
    out->first = place > reach ? place - reach : 0;
    out->end = place + reach < length ? place + reach + 1 : length;
    memset(out->of, 0, (size_t)length * sizeof *out->of);
    for (long i = 0; i <= reach; i++) { /* on both sides */
        const double weight = sigma > 0.0 ? exp(-0.5 * pow((double)i / sigma, 2.0)) : 1.0;
        out->of[place + i >= length ? length - 1 : place + i] += weight;
        out->of[place - i < 0 ? 0 : place - i] += i > 0 ? weight : 0.0;
        sum += i > 0 ? 2.0 * weight : weight;
    }
    for (long at = out->first; at < out->end; at++) {
        out->of[at] /= sum;
    }
}

/* One channel, whose first value src is; its next ones along x and y. */
static double mean_of(const double *src, ptrdiff_t next, ptrdiff_t pitch,
                      const struct weights weights[2])
{
    double sum = 0.0;
    for (long j = weights[1].first; j < weights[1].end; j++) {
        double row = 0.0;
        for (long i = weights[0].first; i < weights[0].end; i++) {
            row += weights[0].of[i] * src[j * pitch + i * next];
        }
        sum += weights[1].of[j] * row;
    }
    return sum;
}

enum fovea_result blur_reference_pictured(const double *sigmas_px, double sigma_max_px,
                                          uint32_t width_px, uint32_t height_px, uint32_t channels,
                                          const double *src, double *dst)
{
    double *of = malloc(((size_t)width_px + height_px) * sizeof *of);
    if (!of) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    struct weights weights[2] = {{.of = of}, {.of = of + width_px}};
    for (uint32_t y = 0; y < height_px; y++) {
        for (uint32_t x = 0; x < width_px; x++) {
            const size_t at = (size_t)y * width_px + x;
            const double sigma = sigmas_px[at] > 0.0 ? fmin(sigmas_px[at], sigma_max_px) : 0.0;
            weigh((long)width_px, (long)x, sigma, &weights[0]);
            weigh((long)height_px, (long)y, sigma, &weights[1]);
            for (uint32_t c = 0; c < channels; c++) {
                dst[at * channels + c] =
                    mean_of(src + c, channels, (ptrdiff_t)width_px * channels, weights);
            }
        }
    }
    free(of);
    return FOVEA_OK;
}
