/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method by its definition: for every pixel sigma by the model's formula, and the sum of
 * the picture under that Gaussian (gauss/reference/). Shares no code with the plan or a backend,
 * and no table: it is what they are tested against. */

#include "kernels/foveate/foveate.h"
#include "kernels/gauss/reference/reference.h"

#include "map.h"

#include <math.h>
#include <stdlib.h>

#define CUT_OFF_SIGMAS 4.5
/* Here 1e-6 of white is not black. */
#define CUT_OFF_SIGMAS_HDR 7.5
#define DEGREE (acos(-1.0) / 180.0)

struct smooth_reference {
    struct fovea_foveation settings;
    long width, height;
    const double *foveas; /* x and y of each */
    uint32_t fovea_count;
    double gaze_x, gaze_y; /* of the one that is asked for */
    double tan_left, tan_up; /* of the picture's left and upper edge, left and up positive */
    double tan_across, tan_down; /* of a pixel */
    struct reference_map map; /* of the map model */
};

/* ---- Where a pixel is looked at from */

struct direction {
    double x, y, z; /* of length 1; right, down, ahead */
};

/* Takes a place in pixels from the picture's top left corner. */
static struct direction direction_of(const struct smooth_reference *ref, double x, double y)
{
    const double right = x * ref->tan_across - ref->tan_left;
    const double down = y * ref->tan_down - ref->tan_up;
    const double length = sqrt(right * right + down * down + 1.0);
    return (struct direction){right / length, down / length, 1.0 / length};
}

static double eccentricity(struct direction a, struct direction b)
{
    const double x = a.x - b.x;
    const double y = a.y - b.y;
    const double z = a.z - b.z;
    return 2.0 * asin(fmin(0.5 * sqrt(x * x + y * y + z * z), 1.0)) / DEGREE;
}

static void set_view(struct smooth_reference *ref)
{
    const struct fovea_geometry *g = &ref->settings.geometry;
    if (ref->settings.model == FOVEA_MODEL_MAP) {
        ref->map = reference_map_of(&ref->settings);
    }
    if (g->tan_left != 0.0 || g->tan_right != 0.0 || g->tan_up != 0.0 || g->tan_down != 0.0) {
        ref->tan_left = g->tan_left;
        ref->tan_up = g->tan_up;
        ref->tan_across = (g->tan_left + g->tan_right) / (double)ref->width;
        ref->tan_down = (g->tan_up + g->tan_down) / (double)ref->height;
        return;
    }
    ref->tan_across = g->screen_width_m / ((double)ref->width * g->distance_m);
    if (g->ppd != 0.0) {
        ref->tan_across = 2.0 * tan(1.0 / (2.0 * g->ppd) * DEGREE);
    }
    ref->tan_down = ref->tan_across;
    ref->tan_left = (double)ref->width / 2.0 * ref->tan_across;
    ref->tan_up = (double)ref->height / 2.0 * ref->tan_down;
}

/* ---- What is resolved there */

/* Geisler and Perry 1998: the frequency whose contrast threshold is 1. */
static double geisler_perry(double ct0, double alpha, double e2, double e)
{
    return e2 * log(1.0 / ct0) / (alpha * (e + e2));
}

static double curve_cutoff(const struct fovea_curve *curve, double e)
{
    const uint32_t last = curve->count - 1;
    if (e <= curve->eccentricity_deg[0] || e >= curve->eccentricity_deg[last]) {
        return curve->cutoff_cpd[e <= curve->eccentricity_deg[0] ? 0 : last];
    }
    uint32_t i = last;
    while (curve->eccentricity_deg[i - 1] > e) {
        i--;
    }
    const double whole = curve->eccentricity_deg[i] - curve->eccentricity_deg[i - 1];
    const double right = (e - curve->eccentricity_deg[i - 1]) / whole;
    return curve->cutoff_cpd[i - 1] * (1.0 - right) + curve->cutoff_cpd[i] * right;
}

/* Cycles a pixel, by the paper's mapping. */
static double paper_frequency(const struct smooth_reference *ref, double x, double y)
{
    const struct fovea_paper *p = &ref->settings.paper;
    const double width = (double)ref->width;
    const double height = (double)ref->height;
    const double d_max = sqrt(width * width + height * height) / 2.0;
    const double dx = x - ref->gaze_x;
    const double dy = y - ref->gaze_y;
    const double e = p->e_max_deg * fmin(sqrt(dx * dx + dy * dy) / d_max, 1.0);
    return 0.5 * fmin(geisler_perry(p->ct0, p->alpha, p->e2_deg, e) / p->f_max_cpd, 1.0);
}

/* Cycles a pixel: all of them up to `sharp`, half of them `halving` beyond. */
static double relative_frequency(const struct smooth_reference *ref, double x, double y)
{
    const struct fovea_relative *r = &ref->settings.relative;
    const double side = fmin((double)ref->width, (double)ref->height);
    const double dx = x - ref->gaze_x;
    const double dy = y - ref->gaze_y;
    const double d = fmin(sqrt(dx * dx + dy * dy),
                          sqrt((double)(ref->width * ref->width + ref->height * ref->height)));
    const double beyond = fmax(d / (side / 2.0) - r->sharp, 0.0);
    return 0.5 * r->halving / (r->halving + beyond);
}

/* The map laid over the picture: e_max_deg in the corner while its middle is in the picture's. */
static double map_frequency(const struct smooth_reference *ref, double x, double y)
{
    const struct fovea_paper *p = &ref->settings.paper;
    const double width = (double)ref->width;
    const double height = (double)ref->height;
    const double degrees = p->e_max_deg / (sqrt(width * width + height * height) / 2.0);
    const double cpd =
        reference_map_cpd(&ref->map, (x - ref->gaze_x) * degrees, (y - ref->gaze_y) * degrees);
    return 0.5 * fmin(cpd, p->f_max_cpd) / p->f_max_cpd;
}

/* Cycles a degree where the map is laid around the gaze: as far from its middle as the
 * eccentricity, in the direction in which the ray lies from the gaze's, whose right is level. */
static double viewed_map_cutoff(const struct smooth_reference *ref, struct direction pixel,
                                struct direction gaze)
{
    const double e = eccentricity(pixel, gaze);
    const double level = sqrt(gaze.x * gaze.x + gaze.z * gaze.z);
    const struct direction right = {gaze.z / level, 0.0, -gaze.x / level};
    const struct direction down = {gaze.y * right.z, gaze.z * right.x - gaze.x * right.z,
                                   -gaze.y * right.x};
    const double to_right = pixel.x * right.x + pixel.z * right.z;
    const double to_below = pixel.x * down.x + pixel.y * down.y + pixel.z * down.z;
    const double turn = atan2(to_below, to_right);
    return reference_map_cpd(&ref->map, e * cos(turn), e * sin(turn));
}

static double viewed_cutoff(const struct smooth_reference *ref, struct direction pixel,
                            struct direction gaze)
{
    const struct fovea_foveation *s = &ref->settings;
    switch (s->model) {
    case FOVEA_MODEL_CURVE:
        return curve_cutoff(&s->curve, eccentricity(pixel, gaze));
    case FOVEA_MODEL_MAP:
        return viewed_map_cutoff(ref, pixel, gaze);
    case FOVEA_MODEL_PHYSICAL:
    case FOVEA_MODEL_RELATIVE:
    case FOVEA_MODEL_PAPER:
        break;
    }
    return geisler_perry(s->physical.ct0, s->physical.alpha, s->physical.e2_deg,
                         eccentricity(pixel, gaze));
}

/* Cycles a pixel across the radius of a flat picture, where a pixel on the axis is tan_across wide,
 * by the longer of its sides: the most cycles a pixel of any direction. */
static double view_frequency(const struct smooth_reference *ref, double x, double y)
{
    const struct direction pixel = direction_of(ref, x, y);
    const double degrees_a_pixel = fmax(ref->tan_across, ref->tan_down) * pixel.z / DEGREE;
    return viewed_cutoff(ref, pixel, direction_of(ref, ref->gaze_x, ref->gaze_y)) * degrees_a_pixel;
}

static double frequency(const struct smooth_reference *ref, double x, double y)
{
    const struct fovea_foveation *s = &ref->settings;
    if (s->model == FOVEA_MODEL_PAPER) {
        return paper_frequency(ref, x, y);
    }
    if (s->model == FOVEA_MODEL_RELATIVE) {
        return relative_frequency(ref, x, y);
    }
    return s->model == FOVEA_MODEL_MAP && s->map.degrees == FOVEA_MAP_DEGREES_PAPER
               ? map_frequency(ref, x, y)
               : view_frequency(ref, x, y);
}

/* A cutoff at Nyquist or beyond asks for nothing; from there to half of it sigma catches up. */
static double sigma_by_gaze(const struct smooth_reference *ref, double x, double y)
{
    const struct fovea_foveation *s = &ref->settings;
    const double kappa = sqrt(-2.0 * log(s->cutoff_gain)) / (2.0 * acos(-1.0));
    const double f = frequency(ref, x, y);
    if (f >= 0.5) {
        return 0.0;
    }
    const double sigma = f > 0.25 ? 2.0 * (kappa / f - kappa / 0.5) : kappa / f;
    return s->strength * sigma;
}

/* A pixel is as sharp as the fovea that sees it best makes it. */
static double sigma_of(struct smooth_reference *ref, double x, double y)
{
    double least = INFINITY;
    for (uint32_t k = 0; k < ref->fovea_count; k++) {
        ref->gaze_x = ref->foveas[2 * k];
        ref->gaze_y = ref->foveas[2 * k + 1];
        least = fmin(least, sigma_by_gaze(ref, x, y));
    }
    return least;
}

/* ---- The picture */

static double cut_off_sigmas(const struct smooth_reference *ref)
{
    const bool as_srgb = ref->settings.transfer == FOVEA_TRANSFER_SRGB &&
                         ref->settings.light != FOVEA_LIGHT_GAMMA &&
                         ref->settings.light != FOVEA_LIGHT_TABLE;
    return as_srgb ? CUT_OFF_SIGMAS : CUT_OFF_SIGMAS_HDR;
}

double foveate_reference_sigma(const struct fovea_foveation *foveation, uint32_t width_px,
                               uint32_t height_px, struct foveate_reference_places places)
{
    struct smooth_reference ref = {
        .settings = *foveation,
        .width = (long)width_px,
        .height = (long)height_px,
        .gaze_x = places.gaze_x_px,
        .gaze_y = places.gaze_y_px,
    };
    set_view(&ref);
    return sigma_by_gaze(&ref, places.x_px, places.y_px);
}

enum fovea_result foveate_reference_smooth(const struct fovea_foveation *foveation,
                                           uint32_t width_px, uint32_t height_px, uint32_t channels,
                                           const double *src, double *dst, const double *foveas_px,
                                           uint32_t fovea_count)
{
    struct smooth_reference ref = {
        .settings = *foveation,
        .width = (long)width_px,
        .height = (long)height_px,
        .foveas = foveas_px,
        .fovea_count = fovea_count,
    };
    const bool keeps_alpha = foveation->alpha == FOVEA_ALPHA_KEEP && channels == 4;
    const struct gauss_reference wanted = {.width_px = width_px,
                                           .height_px = height_px,
                                           .channels = channels,
                                           .blurred = channels - (keeps_alpha ? 1 : 0),
                                           .cut_off_sigmas = cut_off_sigmas(&ref)};
    double *sigmas = calloc((size_t)width_px * height_px, sizeof *sigmas);
    FOVEA_TRY_MEMORY(sigmas);
    set_view(&ref);
    for (long i = 0; i < ref.width * ref.height; i++) {
        sigmas[i] = sigma_of(&ref, (double)(i % ref.width) + 0.5, (double)(i / ref.width) + 0.5);
    }
    const enum fovea_result result = gauss_reference(&wanted, sigmas, src, dst);
    free(sigmas);
    return result;
}
