/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The formulas of dof.h in distances, with Gaussians of a pixel by their definition. */

#include "kernels/gauss/reference/reference.h"
#include "discs.h"

#include <math.h>
#include <stdlib.h>

/* A value a pixel each, or a few of them. */
struct fields {
    double *offset, *reach, *near_sigma, *behind_sigma; /* s, d, t, u */
    double *near, *behind; /* w, b */
    double *layer, *means; /* channels and coverage */
    double *near_layer, *behind_layer;
};

static double px_per_rad(const struct fovea_geometry *view, uint32_t width_px)
{
    if (view->tan_left + view->tan_right > 0.0) {
        return width_px / (view->tan_left + view->tan_right);
    }
    return view->ppd > 0.0 ? view->ppd * 180.0 / acos(-1.0)
                           : width_px / (view->screen_width_m / view->distance_m);
}

double dof_reference_distance(const struct dof_reference *wanted, double value)
{
    double distance = wanted->zero_m + value * (wanted->one_m - wanted->zero_m);
    if (wanted->kind == FOVEA_DEPTH_PERSPECTIVE) {
        const double inverse =
            1.0 / wanted->zero_m + value * (1.0 / wanted->one_m - 1.0 / wanted->zero_m);
        distance = inverse > 0.0 ? 1.0 / inverse : isnan(inverse) ? inverse : (double)INFINITY;
    }
    return distance > 0.0 ? fmax(distance, 1e-4) : (double)NAN;
}

/* The diameter of the circle of confusion in pixels, negative before the focus; the lens's is
 * A f (z - z0) / (z (z0 - f)). */
static double circle_px(const struct dof_reference *wanted, uint32_t width_px, double distance)
{
    const struct fovea_operator_settings *own = &wanted->settings->own;
    const double defocus = 1.0 / fmax(wanted->focus_m, 1e-4) - 1.0 / distance;
    if (own->dof_lens == 1) {
        return own->dof_pupil_mm / 1000.0 * defocus *
               px_per_rad(&wanted->settings->foveation.geometry, width_px);
    }
    const double focal_mm = own->dof_focal_mm;
    const double focus_mm = fmax(1000.0 * wanted->focus_m, 2.0 * focal_mm);
    const double image_mm =
        isinf(focus_mm) ? focal_mm : focal_mm * focus_mm / (focus_mm - focal_mm);
    const double diameter_mm = focal_mm / own->dof_f_number * image_mm * defocus / 1000.0;
    return diameter_mm / own->dof_sensor_mm * width_px;
}

static double offset_of(const struct dof_reference *wanted, uint32_t width_px, double value)
{
    const double most = wanted->settings->own.dof_sigma_max_px;
    const double distance = dof_reference_distance(wanted, value);
    const double sigma = 0.25 * circle_px(wanted, width_px, distance);
    const bool in_focus = isnan(distance) || fabs(sigma) < 1.0 / 256.0;
    return in_focus ? 0.0 : fmax(fmin(sigma, most), -most);
}

/* ---- d */

static double near_of_tile(const double *offset, uint32_t width, uint32_t height, long column,
                           long row)
{
    double most = 0.0;
    for (long y = row * 8; y < row * 8 + 8 && y < (long)height; y++) {
        for (long x = column * 8; x < column * 8 + 8 && x < (long)width; x++) {
            most = fmax(most, -offset[y * (long)width + x]);
        }
    }
    return most;
}

static double linear(const double *of, long count, double place, long next)
{
    const double at = fmax(0.0, fmin(place, (double)(count - 1)));
    const long first = (long)floor(at);
    const long second = first + 1 < count ? first + 1 : first;
    return of[first * next] * (1.0 - (at - (double)first)) +
           of[second * next] * (at - (double)first);
}

static enum fovea_result fill_reach(const double *offset, uint32_t width, uint32_t height,
                                    double *reach)
{
    const long columns = ((long)width + 7) / 8;
    const long rows = ((long)height + 7) / 8;
    double *tiles = malloc(2 * (size_t)(columns * rows) * sizeof *tiles);
    FOVEA_TRY_MEMORY(tiles);
    double *reached = tiles + columns * rows;
    for (long i = 0; i < columns * rows; i++) {
        tiles[i] = near_of_tile(offset, width, height, i % columns, i / columns);
    }
    for (long i = 0; i < columns * rows; i++) {
        reached[i] = 0.0;
        for (long j = 0; j < columns * rows; j++) {
            const double apart =
                hypot((double)(i % columns - j % columns), (double)(i / columns - j / columns));
            const double left = 4.0 * tiles[j] - 8.0 * fmax(apart - 1.5, 0.0);
            reached[i] = fmax(reached[i], fmin(left, tiles[j]));
        }
    }
    for (long i = 0; i < (long)width * height; i++) {
        const double x = ((double)(i % width) + 0.5) / 8.0 - 0.5;
        const double y = ((double)(i / width) + 0.5) / 8.0 - 0.5;
        const double at = fmax(0.0, fmin(y, (double)(rows - 1)));
        const long row = (long)floor(at);
        const long next = row + 1 < rows ? row + 1 : row;
        reach[i] = linear(reached + row * columns, columns, x, 1) * (1.0 - (at - (double)row)) +
                   linear(reached + next * columns, columns, x, 1) * (at - (double)row);
    }
    free(tiles);
    return FOVEA_OK;
}

/* ---- Gaussians, as far as they are more than 1e-17 of their peak */

#define CUT_OFF_SIGMAS 9.0

struct layer {
    const double *src;
    uint32_t width, height, channels;
};

/* G: each pixel by the Gaussian of its own sigma. */
static enum fovea_result blur(const struct layer *layer, const double *sigmas, double *dst)
{
    const struct gauss_reference wanted = {.width_px = layer->width,
                                           .height_px = layer->height,
                                           .channels = layer->channels,
                                           .blurred = layer->channels,
                                           .cut_off_sigmas = CUT_OFF_SIGMAS};
    return gauss_reference(&wanted, sigmas, layer->src, dst);
}

/* ---- Layers */

/* The fourth one is alpha. */
static uint32_t color_channels(const struct layer *picture)
{
    return picture->channels > 3 ? 3 : picture->channels;
}

/* Multiplies values with their weights, and puts these beside them. */
static void weigh(const struct layer *picture, const double *weight, double *out)
{
    const uint32_t all = picture->channels + 1;
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++) {
        for (uint32_t c = 0; c < picture->channels; c++) {
            out[i * all + c] =
                weight[i] > 0.0 ? weight[i] * picture->src[i * picture->channels + c] : 0.0;
        }
        out[i * all + picture->channels] = weight[i];
    }
}

static enum fovea_result find_near(const struct layer *picture, const struct fields *f)
{
    const struct layer sigmas = {f->near_sigma, picture->width, picture->height, 1};
    const size_t pixels = (size_t)picture->width * picture->height;
    for (size_t i = 0; i < pixels; i++) {
        f->near_sigma[i] = fmax(-f->offset[i], 0.0);
        f->near[i] = fmin(f->near_sigma[i], 1.0);
    }
    weigh(&sigmas, f->near, f->layer);
    FOVEA_TRY(fill_reach(f->offset, picture->width, picture->height, f->reach));
    const struct layer of_means = {f->layer, picture->width, picture->height, 2};
    FOVEA_TRY(blur(&of_means, f->reach, f->means));
    for (size_t i = 0; i < pixels; i++) {
        const double mean = f->means[2 * i] / fmax(f->means[2 * i + 1], 1e-4);
        f->near_sigma[i] =
            (1.0 - f->near[i]) * fmin(mean, f->reach[i]) + f->near[i] * f->near_sigma[i];
    }
    return FOVEA_OK;
}

static void find_behind(size_t pixels, const struct fields *f)
{
    for (size_t i = 0; i < pixels; i++) {
        const double far = fmax(f->offset[i], 0.0);
        f->behind[i] = (1.0 - f->near[i]) * fmax(fmin(far, 1.0), 1.0 / 32.0);
        f->behind_sigma[i] = (1.0 - f->near[i]) * far + f->near[i] * f->near_sigma[i];
    }
}

/* Leaves out of a layer what is spread by discs, if any. */
static void leave_discs(const struct layer *picture, const struct dof_reference_discs *discs,
                        double *layer)
{
    const uint32_t colors = color_channels(picture);
    for (size_t i = 0; discs->kept && i < (size_t)picture->width * picture->height; i++) {
        for (uint32_t c = 0; discs->kept[i] < 1.0 && c < colors; c++) {
            layer[i * (picture->channels + 1) + c] *= discs->kept[i];
        }
    }
}

static enum fovea_result blur_layers(const struct layer *picture, const struct fields *f,
                                     const struct dof_reference_discs *discs)
{
    const struct layer layer = {f->layer, picture->width, picture->height, picture->channels + 1};
    weigh(picture, f->near, f->layer);
    leave_discs(picture, discs, f->layer);
    FOVEA_TRY(blur(&layer, f->near_sigma, f->near_layer));
    weigh(picture, f->behind, f->layer);
    leave_discs(picture, discs, f->layer);
    return blur(&layer, f->behind_sigma, f->behind_layer);
}

static void add_discs(const struct layer *picture, const struct dof_reference_discs *discs,
                      size_t at, double behind_px, double *near, double *behind)
{
    const uint32_t x = (uint32_t)(at % picture->width);
    const uint32_t y = (uint32_t)(at / picture->width);
    const uint32_t colors = color_channels(picture);
    dof_reference_add_discs(discs, true, x, y, behind_px, colors, near);
    dof_reference_add_discs(discs, false, x, y, behind_px, colors, behind);
}

static void compose(const struct layer *picture, const struct fields *f,
                    const struct dof_reference_discs *discs, double *dst)
{
    const uint32_t channels = picture->channels;
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++) {
        double of_near[4] = {0.0};
        double of_behind[4] = {0.0};
        add_discs(picture, discs, i, f->behind_sigma[i], of_near, of_behind);
        const double *near = f->near_layer + i * (channels + 1);
        const double *behind = f->behind_layer + i * (channels + 1);
        const double lacking = fmax(1.0 / 1024.0 - behind[channels], 0.0);
        for (uint32_t c = 0; c < channels; c++) {
            const double own = lacking > 0.0 ? lacking * picture->src[i * channels + c] : 0.0;
            const double mean = (behind[c] + own) / (behind[channels] + lacking);
            dst[i * channels + c] =
                near[c] + of_near[c] + (1.0 - near[channels]) * (mean + of_behind[c]);
        }
    }
}

static enum fovea_result run(const struct dof_reference *wanted, const struct layer *picture,
                             const struct fields *f, struct dof_reference_discs *discs, double *dst)
{
    const size_t pixels = (size_t)picture->width * picture->height;
    for (size_t i = 0; i < pixels; i++) {
        f->offset[i] = offset_of(wanted, picture->width, wanted->depths[i]);
    }
    FOVEA_TRY(find_near(picture, f));
    find_behind(pixels, f);
    if (wanted->settings->own.dof_bokeh == DOF_BOKEH_DISC) {
        FOVEA_TRY(dof_reference_find_discs(
            &(struct dof_reference_picture){picture->src, f->offset, picture->width,
                                            picture->height, picture->channels,
                                            color_channels(picture)},
            discs));
    }
    FOVEA_TRY(blur_layers(picture, f, discs));
    compose(picture, f, discs, dst);
    return FOVEA_OK;
}

enum fovea_result dof_reference(const struct dof_reference *wanted, uint32_t width_px,
                                uint32_t height_px, uint32_t channels, const double *src,
                                double *dst)
{
    const struct layer picture = {src, width_px, height_px, channels};
    const size_t pixels = (size_t)width_px * height_px;
    const size_t layer = pixels * (channels + 1);
    double *memory = malloc((8 * pixels + 3 * layer) * sizeof *memory);
    FOVEA_TRY_MEMORY(memory);
    double *layers = memory + 8 * pixels;
    const struct fields fields = {
        .offset = memory,
        .reach = memory + pixels,
        .near_sigma = memory + 2 * pixels,
        .behind_sigma = memory + 3 * pixels,
        .near = memory + 4 * pixels,
        .behind = memory + 5 * pixels,
        .means = memory + 6 * pixels,
        .layer = layers,
        .near_layer = layers + layer,
        .behind_layer = layers + 2 * layer,
    };
    struct dof_reference_discs discs = {0};
    const enum fovea_result result = run(wanted, &picture, &fields, &discs, dst);
    dof_reference_free_discs(&discs);
    free(memory);
    return result;
}
