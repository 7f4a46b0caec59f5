/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blur_operator.h"

#include "kernels/blur/blur.h"
#include "kernels/blur/cpu/blur_cpu.h"

#include <stdio.h>

static enum fovea_result plan_create(const struct operator_plan_desc *desc,
                                     struct operator_plan **out_plan)
{
    struct blur_plan *plan = NULL;
    *out_plan = NULL;
    const enum fovea_result result = blur_plan_create(desc, &plan);
    if (result == FOVEA_OK) {
        plan->base.api = &blur_operator;
        plan->base.cuda_bytes = blur_sample_bytes(&plan->shape);
        *out_plan = &plan->base;
    }
    return result;
}

static void plan_destroy(struct operator_plan **plan)
{
    struct blur_plan *gone = (struct blur_plan *)*plan;
    blur_plan_destroy(&gone);
    *plan = NULL;
}

static bool plan_fits(const struct operator_plan *plan, const struct operator_plan_desc *desc)
{
    return blur_plan_fits(blur_plan_of(plan), desc);
}

static bool plan_describe(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct blur_plan *blur = blur_plan_of(plan);
    snprintf(out, bytes, "blur: a Gaussian of %.4g px, from samples %d px apart", blur->sigma_px,
             (int)blur->shape.step);
    return blur->shape.step > 0;
}

/* "blur  linear light  4.00 px" */
static void plan_summarize(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct blur_plan *blur = blur_plan_of(plan);
    snprintf(out, bytes, "blur  %s light  %.2f px",
             blur->light.kind == IMAGE_LIGHT_STORED ? "encoded" : "linear", blur->sigma_px);
}

const struct operator_api blur_operator = {
    .name = "blur",
    .plan_create = plan_create,
    .plan_destroy = plan_destroy,
    .plan_fits = plan_fits,
    .plan_describe = plan_describe,
    .plan_summarize = plan_summarize,
    .host = {.create = blur_cpu_create,
             .destroy = blur_cpu_destroy,
             .reserve = blur_cpu_reserve,
             .run = blur_cpu_run},
    .glsl = &blur_operator_glsl,
#if FOVEA_HAVE_CUDA
    .cuda = &blur_operator_cuda,
#endif
};
