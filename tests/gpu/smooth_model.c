/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "smooth_model.h"

#include "images.h"

#include <math.h>
#include <stdlib.h>

#define CHANNELS 4
#define MARGIN 8 /* more than any level needs */
#define SIGMA_ERROR 2e-5 /* of foveate_law_sigma in floats, relative */

/* Samples from -margin to size + margin. */
struct grid {
    double *values;
    int width;
    int height;
    int margin;
};

static void *allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (!memory) {
        abort();
    }
    return memory;
}

static struct grid make_grid(int width, int height, int margin)
{
    const size_t count = (size_t)(width + 2 * margin) * (size_t)(height + 2 * margin) * CHANNELS;
    return (struct grid){allocate(count, sizeof(double)), width, height, margin};
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static double *at(const struct grid *grid, int x, int y)
{
    const int column = clamp(x, -grid->margin, grid->width + grid->margin - 1) + grid->margin;
    const int row = clamp(y, -grid->margin, grid->height + grid->margin - 1) + grid->margin;
    return grid->values +
           ((size_t)row * (size_t)(grid->width + 2 * grid->margin) + (size_t)column) * CHANNELS;
}

/* ---- Light */

static bool is_light(const struct foveate_frame *frame, enum fovea_format format, uint32_t channel)
{
    return frame->light && !image_is_float(format) && channel < 3;
}

static double to_light(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

static double from_light(double light)
{
    return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
}

static struct grid read_picture(const struct foveate_frame *frame, const struct fovea_image *src)
{
    struct grid grid = make_grid((int)src->width_px, (int)src->height_px, 0);
    for (int y = 0; y < grid.height; y++) {
        for (int x = 0; x < grid.width; x++) {
            for (uint32_t c = 0; c < image_channels(src->format); c++) {
                const double value = image_get(src, (uint32_t)x, (uint32_t)y, c);
                at(&grid, x, y)[c] = is_light(frame, src->format, c)
                                         ? to_light(value / image_white(src->format, c))
                                         : value;
            }
        }
    }
    return grid;
}

static double stored(const struct foveate_frame *frame, enum fovea_format format, uint32_t channel,
                     double value)
{
    return is_light(frame, format, channel) ? from_light(value) * image_white(format, channel)
                                            : value;
}

/* ---- Levels */

static void decimate(const struct grid *below, struct grid *level, int x, int y)
{
    static const double taps[] = {1, 5, 10, 10, 5, 1};
    double *out = at(level, x, y);
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 6; i++) {
            const double *in = at(below, 2 * x - 2 + i, 2 * y - 2 + j);
            for (int c = 0; c < CHANNELS; c++) {
                out[c] += taps[i] * taps[j] / 1024.0 * in[c];
            }
        }
    }
}

static struct grid next_level(const struct grid *below)
{
    struct grid level = make_grid((below->width + 1) / 2, (below->height + 1) / 2, MARGIN);
    for (int y = -MARGIN; y < level.height + MARGIN; y++) {
        for (int x = -MARGIN; x < level.width + MARGIN; x++) {
            decimate(below, &level, x, y);
        }
    }
    return level;
}

/* ---- Averages */

/* A Gaussian of sigma samples around (x, y) of the grid. */
static void average(const struct grid *grid, double x, double y, double sigma, double reach,
                    double out[CHANNELS])
{
    const double scale = -0.5 / (sigma * sigma);
    double sums[CHANNELS] = {0.0};
    double total = 0.0;
    for (int j = (int)ceil(y - reach * sigma); j <= y + reach * sigma; j++) {
        for (int i = (int)ceil(x - reach * sigma); i <= x + reach * sigma; i++) {
            const double weight = exp(scale * ((i - x) * (i - x) + (j - y) * (j - y)));
            const double *in = at(grid, i, j);
            total += weight;
            for (int c = 0; c < CHANNELS; c++) {
                sums[c] += weight * in[c];
            }
        }
    }
    for (int c = 0; c < CHANNELS; c++) {
        out[c] = sums[c] / total;
    }
}

/* Alpha is a colour or stays. */
static void write_pixel(const struct foveate_frame *frame, const struct fovea_image *src, int x,
                        int y, const double *value, double *out)
{
    const uint32_t channels = image_channels(src->format);
    double *pixel = out + ((size_t)y * src->width_px + (size_t)x) * channels;
    for (uint32_t c = 0; c < channels; c++) {
        pixel[c] = c == 3 && !frame->blur_alpha ? image_get(src, (uint32_t)x, (uint32_t)y, 3)
                                                : stored(frame, src->format, c, value[c]);
    }
}

static double *make_picture(const struct fovea_image *src)
{
    return allocate((size_t)src->width_px * src->height_px * image_channels(src->format),
                    sizeof(double));
}

/* ---- The definition's picture */

double *exact_picture(const struct foveate_plan *plan, const struct foveate_frame *frame,
                      const struct fovea_image *src)
{
    struct grid in = read_picture(frame, src);
    struct grid sums = make_grid(in.width, in.height, 0);
    double *out = make_picture(src);
    if ((plan->fragment_px == 0 ? foveate_reference_smooth : foveate_reference)(
            &plan->foveation, src->width_px, src->height_px, CHANNELS, in.values, sums.values,
            frame->gaze_x_q8 / 256.0, frame->gaze_y_q8 / 256.0) != FOVEA_OK) {
        abort();
    }
    for (int y = 0; y < in.height; y++) {
        for (int x = 0; x < in.width; x++) {
            write_pixel(frame, src, x, y, at(&sums, x, y), out);
        }
    }
    free(in.values);
    free(sums.values);
    return out;
}

/* ---- The levels' picture */

struct pyramid {
    struct grid levels[FOVEATE_MAX_LEVELS];
    int count;
};

static void gather(const struct pyramid *pyramid, int x, int y, double sigma, double out[CHANNELS])
{
    const int k = foveate_level_for((float)sigma, pyramid->count);
    const double per_px = 1.0 / (1 << k);
    const double variance = 5.0 / 12.0 * ((1 << 2 * k) - 1);
    average(&pyramid->levels[k], (x + 0.5) * per_px - 0.5, (y + 0.5) * per_px - 0.5,
            sqrt(sigma * sigma - variance) * per_px, (double)FOVEATE_REACH, out);
}

static double *gather_picture(const struct pyramid *pyramid, const struct foveate_plan *plan,
                              const struct foveate_frame *frame, const struct fovea_image *src,
                              double sigma_factor)
{
    double *out = make_picture(src);
    for (int y = 0; y < (int)src->height_px; y++) {
        for (int x = 0; x < (int)src->width_px; x++) {
            const double sigma = sigma_factor * (double)foveate_sigma_at(plan, frame, x, y);
            double value[CHANNELS];
            if (sigma > 1e-3) {
                gather(pyramid, x, y, sigma, value);
            }
            write_pixel(frame, src, x, y, sigma > 1e-3 ? value : at(&pyramid->levels[0], x, y),
                        out);
        }
    }
    return out;
}

static struct pyramid make_pyramid(const struct foveate_plan *plan,
                                   const struct foveate_frame *frame, const struct fovea_image *src)
{
    struct pyramid pyramid = {.levels = {read_picture(frame, src)},
                              .count = plan->level_count > 0 ? (int)plan->level_count : 1};
    for (int k = 1; k < pyramid.count; k++) {
        pyramid.levels[k] = next_level(&pyramid.levels[k - 1]);
    }
    return pyramid;
}

/* NaN where one of the two is. */
static void widen(struct smooth_range *range, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool known = !isnan(values[i]) && !isnan(range->low[i]);
        range->low[i] = known ? fmin(values[i], range->low[i]) : (double)NAN;
        range->high[i] = known ? fmax(values[i], range->high[i]) : (double)NAN;
    }
}

struct smooth_range smooth_model(const struct foveate_plan *plan, const struct foveate_frame *frame,
                                 const struct fovea_image *src)
{
    const size_t count = (size_t)src->width_px * src->height_px * image_channels(src->format);
    struct pyramid pyramid = make_pyramid(plan, frame, src);
    struct smooth_range range = {
        gather_picture(&pyramid, plan, frame, src, 1.0 - SIGMA_ERROR),
        gather_picture(&pyramid, plan, frame, src, 1.0 - SIGMA_ERROR),
    };
    for (int i = 0; i <= 1; i++) {
        double *values = gather_picture(&pyramid, plan, frame, src, 1.0 + i * SIGMA_ERROR);
        widen(&range, values, count);
        free(values);
    }
    for (int k = 0; k < pyramid.count; k++) {
        free(pyramid.levels[k].values);
    }
    return range;
}

void smooth_range_free(struct smooth_range *range)
{
    free(range->low);
    free(range->high);
    *range = (struct smooth_range){0};
}
