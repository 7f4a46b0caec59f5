/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method, written from the formulas of Malkin, Deza and Poggio 2020 and, where the
 * printed text is lost, from the rules of its published program. Shares no code with the plan or a
 * backend: it is what they are tested against. Slow and plain on purpose. */

#include "kernels/foveate/foveate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reference {
    struct fovea_foveation settings;
    long width, height, channels;
    const double *src;
    double *dst;
    const double *foveas; /* x and y of each; fragments lie by the first, the gaze */
    uint32_t fovea_count;
    double side; /* a fragment's */
    double d_max;
    int bound_count;
};

static double bound(const struct reference *ref, int i)
{
    return ref->side * (5.0 + 14.0 * i) / 10.0;
}

static void count_bounds(struct reference *ref)
{
    ref->bound_count = 1;
    while (bound(ref, ref->bound_count) < ref->d_max) {
        ref->bound_count++;
    }
}

/* Equations 2 to 6. */
static double sigma_at(const struct reference *ref, double distance)
{
    const struct fovea_paper *p = &ref->settings.paper;
    const double e = p->e_max_deg * distance / ref->d_max;
    double f_c_deg = p->e2_deg / (p->alpha * (e + p->e2_deg)) * log(1.0 / p->ct0);
    if (f_c_deg > p->f_max_cpd) {
        f_c_deg = p->f_max_cpd;
    }
    const double f_c = 0.5 * f_c_deg / p->f_max_cpd;
    const double kappa = sqrt(-2.0 * log(ref->settings.cutoff_gain)) / (2.0 * acos(-1.0));
    return ref->settings.strength * kappa / f_c;
}

static double sigma_of_filter(const struct reference *ref, int filter)
{
    const double inner = bound(ref, filter);
    const double outer = filter + 1 < ref->bound_count ? bound(ref, filter + 1) : ref->d_max;
    const double middle = (inner + outer) / 2.0;
    return sigma_at(ref, middle < ref->d_max ? middle : ref->d_max);
}

/* PQ, HLG and a display's own light show a millionth of white, of which the paper does not speak:
 * there the filter ends at 7.5 sigma. */
static long filter_length(const struct reference *ref, double sigma)
{
    if (ref->settings.transfer != FOVEA_TRANSFER_SRGB || ref->settings.light == FOVEA_LIGHT_GAMMA ||
        ref->settings.light == FOVEA_LIGHT_TABLE) {
        return 2 * (long)ceil(7.5 * sigma) + 1;
    }
    const long length = ref->settings.paper.filter_length == FOVEA_FILTER_LENGTH_PRINTED
                            ? (long)ceil(6.0 * sigma)
                            : (long)(1.0 + 2.0 * sqrt(-2.0 * sigma * sigma * log(0.005)));
    return length % 2 == 0 ? length + 1 : length;
}

/* The gaze in the middle of a fragment, the grid moved left or up by whole pixels. */
static double pixel_shift(double gaze, double side)
{
    const double r = gaze / side - floor(gaze / side);
    const double residual = gaze - side * floor(gaze / side);
    return floor(r <= 0.5 ? side * 0.5 - residual : side * 1.5 - residual);
}

/* The paper: one filter a ring. 0: the fragment is left as it is. */
static double sigma_of_ring(const struct reference *ref, const double *fovea, double x, double y)
{
    const double dx = x - fovea[0];
    const double dy = y - fovea[1];
    const double distance = sqrt(dx * dx + dy * dy);
    int v = 0;
    while (v < ref->bound_count && distance >= bound(ref, v)) {
        v++;
    }
    return v == 0 ? 0.0 : sigma_of_filter(ref, v - 1);
}

/* Returns sigma at a fragment's middle. Every other model has the formula's value there, or at the
 * edge of the picture on the way there. */
static double sigma_by_fovea(const struct reference *ref, const double *fovea, double x, double y)
{
    if (ref->settings.model == FOVEA_MODEL_PAPER) {
        return sigma_of_ring(ref, fovea, x, y);
    }
    return foveate_reference_sigma(
        &ref->settings, (uint32_t)ref->width, (uint32_t)ref->height,
        (struct foveate_reference_places){.x_px = fmin(fmax(x, 0.0), (double)ref->width),
                                          .y_px = fmin(fmax(y, 0.0), (double)ref->height),
                                          .gaze_x_px = fovea[0],
                                          .gaze_y_px = fovea[1]});
}

/* A fragment is as sharp as the fovea that sees it best makes it. */
static double sigma_of_fragment(const struct reference *ref, double start_x, double start_y)
{
    const double x = trunc(start_x + ref->side / 2.0);
    const double y = trunc(start_y + ref->side / 2.0);
    double least = INFINITY;
    for (uint32_t k = 0; k < ref->fovea_count; k++) {
        least = fmin(least, sigma_by_fovea(ref, ref->foveas + 2 * k, x, y));
    }
    return least;
}

static long clamp(long value, long low, long high)
{
    return value < low ? low : value > high ? high : value;
}

static double src_at(const struct reference *ref, long x, long y, long channel)
{
    x = clamp(x, 0, ref->width - 1);
    y = clamp(y, 0, ref->height - 1);
    return ref->src[(y * ref->width + x) * ref->channels + channel];
}

static void make_taps(double sigma, long length, double *taps)
{
    const long half = length / 2;
    double sum = 0.0;
    for (long k = -half; k <= half; k++) {
        taps[k + half] = k == 0 ? 1.0 : exp(-(double)(k * k) / (2.0 * sigma * sigma));
        sum += taps[k + half];
    }
    for (long k = 0; k < length; k++) {
        taps[k] /= sum;
    }
}

struct block {
    long x0, y0, x1, y1;
    long length;
    double *taps;
    double *line; /* a row of the picture, from x0 - half to x1 + half */
    double *columns; /* rows y0 - half .. y1 + half of the block, blurred horizontally */
};

/* Adds each tap to count sums, which a compiler makes side by side, each in the order of the
 * formula. Nearly all of the time goes by here, and sanitizers make it ten times as long: the
 * callers keep to what is there. */
__attribute__((no_sanitize("address"), no_sanitize("undefined"))) static void add_taps(
    const struct block *block, const double *values, long next, long count, double *sums)
{
    for (long k = 0; k < block->length; k++) {
        const double tap = block->taps[k];
        for (long i = 0; i < count; i++) {
            sums[i] += tap * values[k * next + i];
        }
    }
}

static void blur_rows(const struct reference *ref, const struct block *block, long channel)
{
    const long half = block->length / 2;
    const long width = block->x1 - block->x0;
    double *out = block->columns;
    for (long y = block->y0 - half; y < block->y1 + half; y++) {
        for (long i = 0; i < width + block->length - 1; i++) {
            block->line[i] = src_at(ref, block->x0 - half + i, y, channel);
        }
        memset(out, 0, (size_t)width * sizeof *out);
        add_taps(block, block->line, 1, width, out);
        out += width;
    }
}

static void blur_columns(const struct reference *ref, const struct block *block, long channel)
{
    const long width = block->x1 - block->x0;
    double *sums = block->line;
    for (long y = block->y0; y < block->y1; y++) {
        memset(sums, 0, (size_t)width * sizeof *sums);
        add_taps(block, block->columns + (y - block->y0) * width, width, width, sums);
        for (long i = 0; i < width; i++) {
            ref->dst[(y * ref->width + block->x0 + i) * ref->channels + channel] = sums[i];
        }
    }
}

static enum fovea_result blur_block(const struct reference *ref, struct block *block, double sigma)
{
    block->length = filter_length(ref, sigma);
    const size_t rows = (size_t)(block->y1 - block->y0 + block->length);
    const size_t width = (size_t)(block->x1 - block->x0);
    block->taps = calloc((size_t)block->length, sizeof *block->taps);
    block->line = calloc(width + (size_t)block->length, sizeof *block->line);
    block->columns = calloc(rows * width, sizeof *block->columns);
    const bool ready = block->taps && block->line && block->columns;
    if (ready) {
        make_taps(sigma, block->length, block->taps);
        const bool keep = ref->settings.alpha == FOVEA_ALPHA_KEEP;
        const long channels = keep && ref->channels == 4 ? 3 : ref->channels;
        for (long channel = 0; channel < channels; channel++) {
            blur_rows(ref, block, channel);
            blur_columns(ref, block, channel);
        }
    }
    free(block->taps);
    free(block->line);
    free(block->columns);
    return ready ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}

static enum fovea_result do_fragment(const struct reference *ref, double start_x, double start_y)
{
    const long side = (long)ref->side;
    struct block block = {
        .x0 = clamp((long)start_x, 0, ref->width),
        .y0 = clamp((long)start_y, 0, ref->height),
        .x1 = clamp((long)start_x + side, 0, ref->width),
        .y1 = clamp((long)start_y + side, 0, ref->height),
    };
    const double sigma = sigma_of_fragment(ref, start_x, start_y);
    if (sigma == 0.0 || block.x0 == block.x1 || block.y0 == block.y1) {
        return FOVEA_OK;
    }
    return blur_block(ref, &block, sigma);
}

static enum fovea_result do_fragments(const struct reference *ref)
{
    const double start_x = -pixel_shift(ref->foveas[0], ref->side);
    const double start_y = -pixel_shift(ref->foveas[1], ref->side);
    for (double y = start_y; y < (double)ref->height; y += ref->side) {
        for (double x = start_x; x < (double)ref->width; x += ref->side) {
            const enum fovea_result result = do_fragment(ref, x, y);
            if (result < 0) {
                return result;
            }
        }
    }
    return FOVEA_OK;
}

enum fovea_result foveate_reference(const struct fovea_foveation *foveation, uint32_t width_px,
                                    uint32_t height_px, uint32_t channels, const double *src,
                                    double *dst, const double *foveas_px, uint32_t fovea_count)
{
    const double width = width_px;
    const double height = height_px;
    struct reference ref = {
        .settings = *foveation,
        .width = (long)width_px,
        .height = (long)height_px,
        .channels = (long)channels,
        .src = src,
        .dst = dst,
        .foveas = foveas_px,
        .fovea_count = fovea_count,
        .side = foveation->paper.fragment_px,
        .d_max = 0.5 * sqrt(width * width + height * height),
    };
    for (long i = 0; i < ref.width * ref.height * ref.channels; i++) {
        dst[i] = src[i];
    }
    if (foveation->strength == 0.0) {
        return FOVEA_OK;
    }
    count_bounds(&ref);
    return do_fragments(&ref);
}
