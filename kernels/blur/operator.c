/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur as an operator: foveate's machine with the same sigma for every pixel, or with pictures of
 * sigmas. */

#include "blur.h"

#include "kernels/foveate/operator/foveate_operator.h"

#include <stdio.h>
#include <stdlib.h>

struct blur_plan {
    struct foveate_plan machine; /* begins with the operator's plan */
    bool has_sigmas;
    double sigma_px; /* of every pixel, or the largest that counts */
};

static const struct blur_plan *plan_of(const struct operator_plan *plan)
{
    return (const struct blur_plan *)plan;
}

static void plan_destroy(struct operator_plan **plan)
{
    struct blur_plan *gone = (struct blur_plan *)*plan;
    if (gone) {
        foveate_plan_finish(&gone->machine);
    }
    free(gone);
    *plan = NULL;
}

static double sigma_of(const struct operator_plan_desc *desc)
{
    const struct fovea_operator_settings *own = &desc->settings->own;
    return desc->has_sigmas ? own->blur_sigma_max_px : own->blur_sigma_px;
}

static enum fovea_result plan_create(const struct operator_plan_desc *desc,
                                     struct operator_plan **out_plan)
{
    struct blur_plan *plan = calloc(1, sizeof *plan);
    *out_plan = (struct operator_plan *)plan;
    if (!plan) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    plan->has_sigmas = desc->has_sigmas;
    plan->sigma_px = sigma_of(desc);
    const enum fovea_result result =
        (desc->has_sigmas ? foveate_plan_init_pictured : foveate_plan_init_even)(
            &plan->machine, &desc->settings->foveation, plan->sigma_px, desc->width_px,
            desc->height_px);
    if (result < 0) {
        plan_destroy(out_plan);
        return result;
    }
    plan->machine.base.api = &blur_operator;
    plan->machine.base.cuda_bytes = foveate_plan_cuda_bytes(&plan->machine);
    return FOVEA_OK;
}

static bool plan_fits(const struct operator_plan *plan, const struct operator_plan_desc *desc)
{
    return plan_of(plan)->has_sigmas == desc->has_sigmas &&
           plan_of(plan)->sigma_px == sigma_of(desc) &&
           foveate_plan_fits_even(&plan_of(plan)->machine, &desc->settings->foveation,
                                  desc->width_px, desc->height_px);
}

static bool plan_describe(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct blur_plan *blur = plan_of(plan);
    snprintf(out, bytes,
             blur->has_sigmas ? "blur: each pixel by its own sigma, up to %.4g px"
                              : "blur: a Gaussian of %.4g px",
             blur->sigma_px);
    return blur->sigma_px > 0.0;
}

/* "blur  linear light  4.00 px", "blur  linear light  up to 64.00 px" */
static void plan_summarize(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct blur_plan *blur = plan_of(plan);
    snprintf(out, bytes, "blur  %s light  %s%.2f px",
             foveate_plan_light(&blur->machine) == IMAGE_LIGHT_STORED ? "encoded" : "linear",
             blur->has_sigmas ? "up to " : "", blur->sigma_px);
}

const struct operator_api blur_operator = {
    .name = "blur",
    .takes_sigmas = true,
    .plan_create = plan_create,
    .plan_destroy = plan_destroy,
    .plan_fits = plan_fits,
    .plan_describe = plan_describe,
    .plan_summarize = plan_summarize,
    .host = {.create = foveate_host_create,
             .destroy = foveate_host_destroy,
             .reserve = foveate_host_reserve,
             .run = foveate_host_run},
    .glsl = &foveate_machine_glsl,
#if FOVEA_HAVE_CUDA
    .cuda = &foveate_operator_cuda,
#endif
};
