/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lens.h"

#include "core/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The settings as a polynomial */

struct model {
    double terms[LENS_COLORS][LENS_POWERS]; /* red, green, blue */
    double center_x_px;
    double center_y_px;
    double unit_px;
    double farthest; /* r of the corner that is farthest from the centre */
};

static void set_terms(const struct fovea_operator_settings *own, struct model *model)
{
    const double axis[LENS_POWERS] = {own->lens_r0, own->lens_r1, own->lens_r2, own->lens_r3,
                                      own->lens_r4};
    const double red[LENS_POWERS] = {own->lens_red_r0, own->lens_red_r1, own->lens_red_r2,
                                     own->lens_red_r3, own->lens_red_r4};
    const double blue[LENS_POWERS] = {own->lens_blue_r0, own->lens_blue_r1, own->lens_blue_r2,
                                      own->lens_blue_r3, own->lens_blue_r4};
    for (int i = 0; i < LENS_POWERS; i++) {
        model->terms[0][i] = axis[i] + red[i];
        model->terms[1][i] = axis[i];
        model->terms[2][i] = axis[i] + blue[i];
    }
}

/* The part of the picture that lies before the frustum's axis. */
static double part_before(double tan_before, double tan_after)
{
    return tan_before == 0.0 && tan_after == 0.0 ? 0.5 : tan_before / (tan_before + tan_after);
}

static struct model model_of(const struct operator_plan_desc *desc)
{
    const struct fovea_operator_settings *own = &desc->settings->own;
    const double width = desc->width_px;
    const double height = desc->height_px;
    const double units[] = {width / 2, height / 2, hypot(width, height) / 2,
                            fmin(width, height) / 2};
    const struct fovea_geometry *view = &desc->settings->foveation.geometry;
    const double axis_x = part_before(view->tan_left, view->tan_right) + own->lens_shift_x;
    const double axis_y = part_before(view->tan_up, view->tan_down) + own->lens_shift_y;
    struct model model = {.center_x_px = axis_x * width,
                          .center_y_px = axis_y * height,
                          .unit_px = units[own->lens_unit]};
    const double far_x = fmax(fabs(model.center_x_px), fabs(width - model.center_x_px));
    const double far_y = fmax(fabs(model.center_y_px), fabs(height - model.center_y_px));
    model.farthest = hypot(far_x, far_y) / model.unit_px;
    set_terms(own, &model);
    return model;
}

/* ---- Maps that fold */

/* Where the source comes nearer to the centre again as r grows, the picture is seen twice. Returns
 * the r from which on it does; one beyond the farthest corner: it does not. */
static double fold_of(const double terms[LENS_POWERS], double farthest)
{
    const int steps = 4096;
    for (int i = 0; i <= steps; i++) {
        const double r = farthest * i / steps;
        double slope = 0.0;
        for (int power = LENS_POWERS - 1; power >= 0; power--) {
            slope = slope * r + (power + 1) * terms[power];
        }
        if (!(slope > 0.0)) {
            return r;
        }
    }
    return 2.0 * farthest;
}

bool lens_complain(const struct operator_plan_desc *desc, char *out, size_t bytes)
{
    static const char *const names[] = {"red", "green", "blue"};
    const struct model model = model_of(desc);
    for (int color = 0; color < LENS_COLORS; color++) {
        const double fold = fold_of(model.terms[color], model.farthest);
        if (fold <= model.farthest) {
            snprintf(
                out, bytes,
                "lens: from r = %.4g on %s folds back: its r0 + 2 r1 r + 3 r2 r^2 + 4 r3 r^3 + "
                "5 r4 r^4 must be above 0 up to the picture's farthest corner, r = %.4g",
                fold, names[color], model.farthest);
            return true;
        }
    }
    return false;
}

/* ---- Plans */

static struct lens_light light_of(const struct fovea_settings *settings)
{
    const struct fovea_foveation *foveation = &settings->foveation;
    struct lens_light light = {.kind = IMAGE_LIGHT_STORED};
    if (settings->own.lens_filter != LENS_NEAREST) {
        light.kind = pixel_light_of(foveation->light, foveation->transfer);
        light.value = pixel_light_value(light.kind, &foveation->display);
        light.sample_count = pixel_light_samples(light.kind, &foveation->display);
        pixel_light_fill_samples(light.kind, &foveation->display, light.samples);
    }
    return light;
}

static bool averages_alpha(const struct fovea_settings *settings)
{
    return settings->foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED &&
           settings->own.lens_filter != LENS_NEAREST;
}

static void set_shape(const struct operator_plan_desc *desc, struct lens_plan *plan)
{
    const struct fovea_operator_settings *own = &desc->settings->own;
    const struct model model = model_of(desc);
    struct lens_shape *shape = &plan->shape;
    *shape = (struct lens_shape){.width_px = (int32_t)desc->width_px,
                                 .height_px = (int32_t)desc->height_px,
                                 .center_x_px = (float)model.center_x_px,
                                 .center_y_px = (float)model.center_y_px,
                                 .per_px = (float)(1.0 / model.unit_px),
                                 .blank = {(float)own->lens_blank_red, (float)own->lens_blank_green,
                                           (float)own->lens_blank_blue}};
    plan->copies = true;
    for (int color = 0; color < LENS_COLORS; color++) {
        for (int power = 0; power < LENS_POWERS; power++) {
            const double term = model.terms[color][power] - (power == 0 ? 1.0 : 0.0);
            shape->terms[color * LENS_POWERS + power] = (float)term;
            plan->copies = plan->copies && (float)term == 0.0f;
            plan->colored =
                plan->colored || model.terms[color][power] != model.terms[LENS_AXIS][power];
        }
    }
}

enum fovea_result lens_plan_create(const struct operator_plan_desc *desc,
                                   struct lens_plan **out_plan)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    *out_plan = NULL;
    if (lens_complain(desc, words, sizeof words)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct lens_plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    plan->filter = (int32_t)desc->settings->own.lens_filter;
    plan->averages_alpha = averages_alpha(desc->settings);
    plan->light = light_of(desc->settings);
    set_shape(desc, plan);
    *out_plan = plan;
    return FOVEA_OK;
}

void lens_plan_destroy(struct lens_plan **plan)
{
    free(*plan);
    *plan = NULL;
}

bool lens_plan_fits(const struct lens_plan *plan, const struct operator_plan_desc *desc)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    const struct lens_light light = light_of(desc->settings);
    struct lens_plan other = {0};
    if (lens_complain(desc, words, sizeof words)) {
        return false;
    }
    set_shape(desc, &other);
    return plan->filter == (int32_t)desc->settings->own.lens_filter &&
           memcmp(&plan->shape, &other.shape, sizeof other.shape) == 0 &&
           plan->averages_alpha == averages_alpha(desc->settings) &&
           plan->light.kind == light.kind && plan->light.value == light.value &&
           plan->light.sample_count == light.sample_count &&
           memcmp(plan->light.samples, light.samples, light.sample_count * sizeof(float)) == 0;
}

/* ---- Formats */

static float white_of(enum fovea_format format)
{
    switch (format) {
    case FOVEA_FORMAT_RGBA8:
    case FOVEA_FORMAT_RGB8:
    case FOVEA_FORMAT_R8:
        return 255.0f;
    case FOVEA_FORMAT_A2B10G10R10:
        return 1023.0f;
    default:
        return 1.0f;
    }
}

static bool is_grey(enum fovea_format format)
{
    return pixel_codec_of(format)->color_channels == 1;
}

static void exchange(float *a, float *b)
{
    const float other = *a;
    *a = *b;
    *b = other;
}

struct lens_shape lens_shape_of(const struct lens_plan *plan, enum fovea_format format,
                                bool blue_first)
{
    struct lens_shape shape = plan->shape;
    for (int i = 0; i < LENS_COLORS; i++) {
        shape.blank[i] *= white_of(format);
        if (white_of(format) > 1.0f) {
            shape.blank[i] = floorf(shape.blank[i] + 0.5f);
        }
    }
    if (is_grey(format)) { /* its one channel comes first */
        memcpy(shape.terms, plan->shape.terms + (size_t)LENS_AXIS * LENS_POWERS,
               LENS_POWERS * sizeof shape.terms[0]);
        shape.blank[0] = shape.blank[LENS_AXIS];
    } else if (blue_first) {
        exchange(&shape.blank[0], &shape.blank[2]);
        for (size_t i = 0; i < LENS_POWERS; i++) {
            exchange(&shape.terms[i], &shape.terms[2 * LENS_POWERS + i]);
        }
    }
    return shape;
}
