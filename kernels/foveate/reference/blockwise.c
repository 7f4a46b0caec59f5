/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The blockwise method, written from the formulas of Malkin, Deza and Poggio 2020 and, where the
 * printed text is lost, from the rules of its published program: sigma of each fragment, and how
 * long its filter is, which gauss/reference/ applies. Shares no code with the plan or a backend: it
 * is what they are tested against. Slow and plain on purpose. */

#include "kernels/foveate/foveate.h"
#include "kernels/gauss/reference/reference.h"

#include <math.h>
#include <stdlib.h>

struct reference {
    struct fovea_foveation settings;
    long width, height;
    double *sigmas; /* a pixel each */
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
static long filter_radius(const void *user, double sigma)
{
    const struct reference *ref = user;
    if (ref->settings.transfer != FOVEA_TRANSFER_SRGB || ref->settings.light == FOVEA_LIGHT_GAMMA ||
        ref->settings.light == FOVEA_LIGHT_TABLE) {
        return (long)ceil(7.5 * sigma);
    }
    const long length = ref->settings.paper.filter_length == FOVEA_FILTER_LENGTH_PRINTED
                            ? (long)ceil(6.0 * sigma)
                            : (long)(1.0 + 2.0 * sqrt(-2.0 * sigma * sigma * log(0.005)));
    return length / 2; /* a length that is even is one more */
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

static void fill_fragment(const struct reference *ref, double start_x, double start_y)
{
    const long x0 = clamp((long)start_x, 0, ref->width);
    const long x1 = clamp((long)start_x + (long)ref->side, 0, ref->width);
    const long y0 = clamp((long)start_y, 0, ref->height);
    const long y1 = clamp((long)start_y + (long)ref->side, 0, ref->height);
    const double sigma = sigma_of_fragment(ref, start_x, start_y);
    for (long y = y0; y < y1; y++) {
        for (long x = x0; x < x1; x++) {
            ref->sigmas[y * ref->width + x] = sigma;
        }
    }
}

static void fill_sigmas(const struct reference *ref)
{
    const double start_x = -pixel_shift(ref->foveas[0], ref->side);
    const double start_y = -pixel_shift(ref->foveas[1], ref->side);
    for (double y = start_y; y < (double)ref->height; y += ref->side) {
        for (double x = start_x; x < (double)ref->width; x += ref->side) {
            fill_fragment(ref, x, y);
        }
    }
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
        .sigmas = calloc((size_t)width_px * height_px, sizeof *ref.sigmas),
        .foveas = foveas_px,
        .fovea_count = fovea_count,
        .side = foveation->paper.fragment_px,
        .d_max = 0.5 * sqrt(width * width + height * height),
    };
    const bool keeps_alpha = foveation->alpha == FOVEA_ALPHA_KEEP && channels == 4;
    const struct gauss_reference wanted = {.width_px = width_px,
                                           .height_px = height_px,
                                           .channels = channels,
                                           .blurred = channels - (keeps_alpha ? 1 : 0),
                                           .radius_px = filter_radius,
                                           .user = &ref};
    FOVEA_TRY_MEMORY(ref.sigmas);
    count_bounds(&ref);
    fill_sigmas(&ref);
    const enum fovea_result result = gauss_reference(&wanted, ref.sigmas, src, dst);
    free(ref.sigmas);
    return result;
}
