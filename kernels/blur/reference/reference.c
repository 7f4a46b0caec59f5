/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The Gaussian by its definition, as far as it is more than 1e-17 of its peak. It is the product of
 * one along x and one along y, which are summed one after the other: of one sigma for all pixels
 * over the whole picture, else for each pixel (gauss/reference/). */

#include "kernels/gauss/reference/reference.h"
#include "kernels/blur/blur.h"

#include <math.h>
#include <stdlib.h>

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
    FOVEA_TRY_MEMORY(weight);
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

enum fovea_result blur_reference_pictured(const double *sigmas_px, double sigma_max_px,
                                          uint32_t width_px, uint32_t height_px, uint32_t channels,
                                          const double *src, double *dst)
{
    const size_t pixels = (size_t)width_px * height_px;
    double *counted_px = malloc(pixels * sizeof *counted_px);
    FOVEA_TRY_MEMORY(counted_px);
    for (size_t i = 0; i < pixels; i++) {
        counted_px[i] = sigmas_px[i] > 0.0 ? fmin(sigmas_px[i], sigma_max_px) : 0.0;
    }
    const struct gauss_reference wanted = {.width_px = width_px,
                                           .height_px = height_px,
                                           .channels = channels,
                                           .blurred = channels,
                                           .cut_off_sigmas = CUT_OFF_SIGMAS};
    const enum fovea_result result = gauss_reference(&wanted, counted_px, src, dst);
    free(counted_px);
    return result;
}
