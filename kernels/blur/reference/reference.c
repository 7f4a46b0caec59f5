/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The Gaussian by its definition, as far as it is more than 1e-17 of its peak. It is the product of
 * one along x and one along y, which are summed one after the other. */

#include "kernels/blur/blur.h"

#include <math.h>
#include <stdlib.h>

#define CUT_OFF_SIGMAS 9.0

struct axis {
    long length; /* of a line */
    ptrdiff_t next; /* from one of its values to the next */
};

static double mean_at(const double *line, const struct axis *axis, long place, double sigma)
{
    const long reach = (long)ceil(CUT_OFF_SIGMAS * sigma);
    double sum = 0.0;
    double weights = 0.0;
    for (long i = -reach; i <= reach; i++) {
        const long at = place + i < 0               ? 0
                        : place + i >= axis->length ? axis->length - 1
                                                    : place + i;
        const double weight = sigma > 0.0 ? exp(-0.5 * pow((double)i / sigma, 2.0)) : 1.0;
        sum += weight * line[at * axis->next];
        weights += weight;
    }
    return sum / weights;
}

enum fovea_result blur_reference(double sigma_px, uint32_t width_px, uint32_t height_px,
                                 uint32_t channels, const double *src, double *dst)
{
    const ptrdiff_t pitch = (ptrdiff_t)width_px * channels;
    const struct axis along = {(long)width_px, (ptrdiff_t)channels};
    const struct axis down = {(long)height_px, pitch};
    double *rows = malloc((size_t)pitch * height_px * sizeof *rows);
    if (!rows) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    for (ptrdiff_t i = 0; i < pitch * (ptrdiff_t)height_px; i++) {
        const ptrdiff_t first = i / pitch * pitch + i % channels;
        rows[i] = mean_at(src + first, &along, (long)((i - first) / channels), sigma_px);
    }
    for (ptrdiff_t i = 0; i < pitch * (ptrdiff_t)height_px; i++) {
        dst[i] = mean_at(rows + i % pitch, &down, (long)(i / pitch), sigma_px);
    }
    free(rows);
    return FOVEA_OK;
}
