/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* CSDD by its formula: for every bin v the picture of pixels whose bin is at most v, and the
 * Laplacian of a Gaussian of it, as samples of that function out to where they are less than 1e-13
 * of its peak. It is the sum of two products of functions of x and of y. */

#include "core/log.h"
#include "kernels/saliency/saliency.h"

#include <math.h>
#include <stdlib.h>

#define CUT_OFF_SIGMAS 8.0

double saliency_sigma_px(const struct saliency_numbers *numbers, uint32_t scale)
{
    return numbers->sigma_min_px * pow(2.0, (double)scale / SALIENCY_PER_OCTAVE);
}

int saliency_reference_bin(const struct saliency_picture *picture, uint32_t channel, size_t pixel)
{
    const double *color = picture->levels + pixel * picture->colors;
    const bool grey = picture->colors == 1;
    const double r = color[0];
    const double g = grey ? r : color[1];
    const double b = grey ? r : color[2];
    const double most = picture->most;
    const double levels = most > 1.0 ? most + 1.0 : 1.0;
    const double of_full[SALIENCY_CHANNELS] = {(r + g + b) / (3.0 * levels),
                                               (r - b + most) / (2.0 * levels),
                                               (2.0 * g - r - b + 2.0 * most) / (4.0 * levels)};
    const int bin = (int)floor(of_full[channel] * SALIENCY_BINS);
    return bin < SALIENCY_BINS ? bin : SALIENCY_BINS - 1;
}

/* ---- Sums along lines */

struct filter {
    long reach;
    double *gauss; /* from -reach to reach */
    double *second; /* its second derivative, of which minus */
};

struct grid {
    long width, height;
};

static long clamped(long at, long count)
{
    return at < 0 ? 0 : at >= count ? count - 1 : at;
}

static void fill_filter(double sigma, struct filter *out)
{
    for (long i = -out->reach; i <= out->reach; i++) {
        const double x2 = (double)(i * i) / (sigma * sigma);
        const double value = exp(-0.5 * x2) / (sqrt(2.0 * M_PI) * sigma);
        out->gauss[i + out->reach] = value;
        out->second[i + out->reach] = value * (1.0 - x2) / (sigma * sigma);
    }
}

/* gauss and second of each row of `plane`; `line` has a place for each place that they read. */
static void along_rows(const struct filter *filter, const struct grid *grid, const double *plane,
                       double *line, double *gauss, double *second)
{
    for (long y = 0; y < grid->height; y++) {
        for (long i = 0; i < grid->width + 2 * filter->reach; i++) {
            line[i] = plane[y * grid->width + clamped(i - filter->reach, grid->width)];
        }
        for (long x = 0; x < grid->width; x++) {
            gauss[y * grid->width + x] = second[y * grid->width + x] = 0.0;
        }
        for (long i = 0; i <= 2 * filter->reach; i++) {
            for (long x = 0; x < grid->width; x++) {
                gauss[y * grid->width + x] += filter->gauss[i] * line[x + i];
                second[y * grid->width + x] += filter->second[i] * line[x + i];
            }
        }
    }
}

/* The products' sum at row y: minus the Laplacian. */
static void along_columns(const struct filter *filter, const struct grid *grid, long y,
                          const double *gauss, const double *second, double *out)
{
    for (long x = 0; x < grid->width; x++) {
        out[x] = 0.0;
    }
    for (long i = 0; i <= 2 * filter->reach; i++) {
        const long row = clamped(y + i - filter->reach, grid->height) * grid->width;
        for (long x = 0; x < grid->width; x++) {
            out[x] += filter->second[i] * gauss[row + x] + filter->gauss[i] * second[row + x];
        }
    }
}

struct work {
    struct filter filter;
    struct grid grid;
    double *plane, *gauss, *second, *line;
};

static void add_plane(struct work *work, double sigma, enum saliency_sum sum, double *out)
{
    const struct grid *grid = &work->grid;
    const double scale = 0.5 * M_E * sigma * sigma / SALIENCY_BINS;
    along_rows(&work->filter, grid, work->plane, work->line, work->gauss, work->second);
    for (long y = 0; y < grid->height; y++) {
        along_columns(&work->filter, grid, y, work->gauss, work->second, work->line);
        for (long x = 0; x < grid->width; x++) {
            const double value = scale * work->line[x];
            out[y * grid->width + x] += sum == SALIENCY_ABSOLUTE ? fabs(value) : value;
        }
    }
}

static void add_planes(struct work *work, const struct saliency_picture *picture, uint32_t channel,
                       double sigma, enum saliency_sum sum, double *out)
{
    const size_t count = (size_t)work->grid.width * (size_t)work->grid.height;
    for (size_t i = 0; i < count; i++) {
        out[i] = 0.0;
    }
    for (int v = 0; v < SALIENCY_BINS - 1; v++) {
        for (size_t i = 0; i < count; i++) {
            work->plane[i] = saliency_reference_bin(picture, channel, i) <= v ? 1.0 : 0.0;
        }
        add_plane(work, sigma, sum, out);
    }
}

enum fovea_result saliency_reference(const struct saliency_picture *picture, uint32_t channel,
                                     double sigma_px, enum saliency_sum sum, double *out)
{
    const size_t count = (size_t)picture->width_px * picture->height_px;
    struct work work = {.grid = {(long)picture->width_px, (long)picture->height_px}};
    work.filter.reach = (long)ceil(CUT_OFF_SIGMAS * sigma_px);
    const size_t taps = 2 * (size_t)work.filter.reach + 1;
    double *memory = calloc(3 * count + 3 * taps + picture->width_px, sizeof *memory);
    FOVEA_TRY_MEMORY(memory);
    work.plane = memory;
    work.gauss = work.plane + count;
    work.second = work.gauss + count;
    work.filter.gauss = work.second + count;
    work.filter.second = work.filter.gauss + taps;
    work.line = work.filter.second + taps;
    fill_filter(sigma_px, &work.filter);
    add_planes(&work, picture, channel, sigma_px, sum, out);
    free(memory);
    return FOVEA_OK;
}
