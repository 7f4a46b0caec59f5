/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blur.h"

#include "core/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two Gaussians of sigma / sqrt(2), one to the level and one from it, make one of sigma. Sampled so
 * that sigma is at least 1.5 steps, every weight of theirs together is within 2 exp(-pi^2 sigma^2 /
 * (2 step^2)), 3e-5, of the Gaussian's: of itself, so that no light far away is missed. */
#define SIGMA_PER_STEP 1.5

/* Gaussians end there, in sigmas of their own: beyond it lies 6e-7 of a mean, less than 0.01 levels
 * of ten bits of sRGB; of PQ and other wide light, 1e-10, since a millionth of white is a tenth of
 * PQ's range. */
#define REACH 5.0
#define WIDE_REACH 6.5

/* ---- Light */

static struct blur_light light_of(const struct fovea_foveation *settings)
{
    struct blur_light light = {.kind = pixel_light_of(settings->light, settings->transfer)};
    light.value = pixel_light_value(light.kind, &settings->display);
    light.sample_count = pixel_light_samples(light.kind, &settings->display);
    pixel_light_fill_samples(light.kind, &settings->display, light.samples);
    return light;
}

/* ---- The level and its weights */

static int32_t divide_up(int32_t a, int32_t b)
{
    return (a + b - 1) / b;
}

static void set_shape(struct blur_plan *plan)
{
    struct blur_shape *shape = &plan->shape;
    const double sigma = plan->sigma_px;
    const double reach = image_light_is_wide(plan->light.kind) ? WIDE_REACH : REACH;
    shape->columns = shape->width_px;
    shape->rows = shape->height_px;
    shape->step = sigma > 0.0 ? (int32_t)fmax(floor(sigma / SIGMA_PER_STEP), 1.0) : 0;
    if (shape->step == 1) {
        shape->decimate_radius = (int32_t)ceil(reach * sigma);
        shape->before = shape->decimate_radius;
        shape->taps = 2 * shape->decimate_radius + 1;
    } else if (shape->step > 1) {
        const double reach_px = reach * sigma * sqrt(0.5);
        const int32_t after = (int32_t)(reach_px / shape->step) + 1;
        shape->decimate_radius = (int32_t)ceil(reach_px);
        shape->taps = 2 * after;
        shape->margin = after - 1;
        shape->columns = divide_up(shape->width_px, shape->step) - 1 + shape->taps;
        shape->rows = divide_up(shape->height_px, shape->step) - 1 + shape->taps;
    }
}

/* `count` weights of places 1 or `step` pixels apart, the first at `first_px` from the centre. */
static void fill_weights(float *out, double sigma, int32_t count, int32_t first_px, int32_t step)
{
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        const double distance = (double)(first_px + i * step) / sigma;
        sum += exp(-0.5 * distance * distance);
    }
    for (int32_t i = 0; i < count; i++) {
        const double distance = (double)(first_px + i * step) / sigma;
        out[i] = (float)(exp(-0.5 * distance * distance) / sum);
    }
}

static void set_weights(struct blur_plan *plan)
{
    const struct blur_shape *shape = &plan->shape;
    const double sigma = shape->step == 1 ? plan->sigma_px : plan->sigma_px * sqrt(0.5);
    float *upsample = plan->weights + plan->decimate_count;
    if (shape->step == 0) {
        return;
    }
    fill_weights(plan->weights, sigma, 2 * shape->decimate_radius + 1, -shape->decimate_radius, 1);
    for (int32_t place = 0; place < shape->step; place++) {
        const int32_t first_px =
            shape->step == 1 ? -shape->before : -shape->margin * shape->step - place;
        fill_weights(upsample + (ptrdiff_t)place * shape->taps, sigma, shape->taps, first_px,
                     shape->step);
    }
}

/* ---- Plans */

enum fovea_result blur_plan_create(const struct operator_plan_desc *desc,
                                   struct blur_plan **out_plan)
{
    *out_plan = NULL;
    struct blur_plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    plan->sigma_px = desc->settings->own.blur_sigma_px;
    plan->averages_alpha = desc->settings->foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED;
    plan->light = light_of(&desc->settings->foveation);
    plan->shape.width_px = (int32_t)desc->width_px;
    plan->shape.height_px = (int32_t)desc->height_px;
    set_shape(plan);
    plan->decimate_count = plan->shape.step > 0 ? 2 * (uint32_t)plan->shape.decimate_radius + 1 : 0;
    plan->upsample_count = (uint32_t)(plan->shape.step * plan->shape.taps);
    plan->weights =
        calloc((size_t)plan->decimate_count + plan->upsample_count + 1, sizeof *plan->weights);
    if (!plan->weights) {
        blur_plan_destroy(&plan);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    set_weights(plan);
    *out_plan = plan;
    return FOVEA_OK;
}

void blur_plan_destroy(struct blur_plan **plan)
{
    if (*plan) {
        free((*plan)->weights);
    }
    free(*plan);
    *plan = NULL;
}

bool blur_plan_fits(const struct blur_plan *plan, const struct operator_plan_desc *desc)
{
    const struct fovea_foveation *settings = &desc->settings->foveation;
    const struct blur_light light = light_of(settings);
    return plan->shape.width_px == (int32_t)desc->width_px &&
           plan->shape.height_px == (int32_t)desc->height_px &&
           plan->sigma_px == desc->settings->own.blur_sigma_px &&
           plan->averages_alpha == (settings->alpha == FOVEA_ALPHA_PREMULTIPLIED) &&
           plan->light.kind == light.kind && plan->light.value == light.value &&
           plan->light.sample_count == light.sample_count &&
           memcmp(plan->light.samples, light.samples, light.sample_count * sizeof(float)) == 0;
}
