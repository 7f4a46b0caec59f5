/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveate as an operator: what operator.h asks for in the words of foveate.h. */

#include "foveate_operator.h"

#include "core/log.h"
#include "kernels/foveate/model/model.h"
#include "kernels/gauss/gradient/gradient.h"
#include "kernels/gauss/operator/gauss_operator.h"

#include <stdio.h>

/* ---- Plans */

static enum fovea_result make_even(const struct gauss_plan *plan, struct gauss_plan **out_even)
{
    FOVEA_TRY(foveate_plan_create(&plan->foveation, plan->width_px, plan->height_px, out_even));
    (*out_even)->base.api = &foveate_operator;
    return FOVEA_OK;
}

static enum fovea_result plan_create(const struct operator_plan_desc *desc,
                                     struct operator_plan **out_plan)
{
    struct gauss_plan *plan = NULL;
    *out_plan = NULL;
    FOVEA_TRY(foveate_plan_create_of_levels(&desc->settings->foveation, desc->levels,
                                            desc->width_px, desc->height_px, &plan));
    plan->base.api = &foveate_operator;
    plan->make_even = make_even;
    plan->base.cuda_bytes = gauss_plan_cuda_bytes(plan);
    *out_plan = &plan->base;
    return FOVEA_OK;
}

static void plan_destroy(struct operator_plan **plan)
{
    struct gauss_plan *gone = (struct gauss_plan *)*plan;
    foveate_plan_destroy(&gone);
    *plan = NULL;
}

static bool plan_fits(const struct operator_plan *plan, const struct operator_plan_desc *desc)
{
    return foveate_plan_fits(gauss_plan_of(plan), &desc->settings->foveation, desc->width_px,
                             desc->height_px);
}

/* True for a real view, which looks mild: the paper's is what the settings say. */
static bool plan_describe(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct gauss_plan *foveate = gauss_plan_of(plan);
    snprintf(out, bytes, "%s", foveate->description);
    return foveate->foveation.model != FOVEA_MODEL_PAPER;
}

/* "smooth paper  linear light  strength 1.00" */
static void plan_summarize(const struct operator_plan *operator_plan, char *out, size_t bytes)
{
    static const char *const lights[] = {
        [IMAGE_LIGHT_STORED] = "encoded", [IMAGE_LIGHT_SRGB] = "linear",
        [IMAGE_LIGHT_PQ] = "linear PQ",   [IMAGE_LIGHT_HLG] = "linear HLG",
        [IMAGE_LIGHT_GAMMA] = "gamma",    [IMAGE_LIGHT_TABLE] = "table"};
    const struct gauss_plan *plan = gauss_plan_of(operator_plan);
    const char *model = foveate_model_names[plan->foveation.model];
    const double strength = plan->foveation.strength;
    if (plan->fragment_px == 0) {
        snprintf(out, bytes, "smooth %s  %s light  strength %.2f", model,
                 lights[gauss_plan_light_told(plan)], strength);
    } else {
        snprintf(out, bytes, "blockwise %s  %u px  strength %.2f", model, plan->fragment_px,
                 strength);
    }
}

const struct operator_api foveate_operator = {
    .name = "foveate",
    .looks_at_gaze = true,
    .plan_create = plan_create,
    .plan_destroy = plan_destroy,
    .plan_fits = plan_fits,
    .plan_describe = plan_describe,
    .plan_summarize = plan_summarize,
    .settings = &foveate_settings,
    .maps = &foveate_maps,
    .host = &gauss_operator_host,
    .gradient = &gauss_gradient,
    .glsl = &foveate_operator_glsl,
#if FOVEA_HAVE_CUDA
    .cuda = &gauss_operator_cuda,
    .cuda_gradient = &gauss_operator_cuda_gradient,
#endif
};
