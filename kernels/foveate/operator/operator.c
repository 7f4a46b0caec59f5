/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveate as an operator: what operator.h asks for in the words of foveate.h. */

#include "foveate_operator.h"

#include "core/log.h"
#include "kernels/foveate/gradient/gradient.h"
#include "kernels/foveate/plan/smooth.h"

#include <stdio.h>

/* ---- Plans */

static enum fovea_result plan_create(const struct operator_plan_desc *desc,
                                     struct operator_plan **out_plan)
{
    struct foveate_plan *plan = NULL;
    *out_plan = NULL;
    FOVEA_TRY(
        foveate_plan_create(&desc->settings->foveation, desc->width_px, desc->height_px, &plan));
    plan->base.api = &foveate_operator;
    plan->base.cuda_bytes = foveate_plan_cuda_bytes(plan);
    *out_plan = &plan->base;
    return FOVEA_OK;
}

static void plan_destroy(struct operator_plan **plan)
{
    struct foveate_plan *gone = (struct foveate_plan *)*plan;
    foveate_plan_destroy(&gone);
    *plan = NULL;
}

static bool plan_fits(const struct operator_plan *plan, const struct operator_plan_desc *desc)
{
    return foveate_plan_fits(foveate_plan_of(plan), &desc->settings->foveation, desc->width_px,
                             desc->height_px);
}

/* Of a real view, which looks mild: the paper's is what the settings say. */
static bool plan_describe(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct foveate_plan *foveate = foveate_plan_of(plan);
    snprintf(out, bytes, "%s", foveate->description);
    return foveate->foveation.model != FOVEA_MODEL_PAPER;
}

/* "smooth paper  linear light  strength 1.00" */
static void plan_summarize(const struct operator_plan *operator_plan, char *out, size_t bytes)
{
    static const char *const models[] = {[FOVEA_MODEL_PAPER] = "paper",
                                         [FOVEA_MODEL_PHYSICAL] = "physical",
                                         [FOVEA_MODEL_CURVE] = "curve",
                                         [FOVEA_MODEL_MAP] = "map",
                                         [FOVEA_MODEL_RELATIVE] = "relative"};
    static const char *const lights[] = {
        [IMAGE_LIGHT_STORED] = "encoded", [IMAGE_LIGHT_SRGB] = "linear",
        [IMAGE_LIGHT_PQ] = "linear PQ",   [IMAGE_LIGHT_HLG] = "linear HLG",
        [IMAGE_LIGHT_GAMMA] = "gamma",    [IMAGE_LIGHT_TABLE] = "table"};
    const struct foveate_plan *plan = foveate_plan_of(operator_plan);
    const char *model = models[plan->foveation.model];
    const double strength = plan->foveation.strength;
    if (plan->fragment_px == 0) {
        snprintf(out, bytes, "smooth %s  %s light  strength %.2f", model,
                 lights[foveate_plan_light(plan)], strength);
    } else {
        snprintf(out, bytes, "blockwise %s  %u px  strength %.2f", model, plan->fragment_px,
                 strength);
    }
}

/* ---- The processor */

static struct foveate_cpu *cpu(struct operator_host *host)
{
    return (struct foveate_cpu *)host;
}

enum fovea_result foveate_host_create(struct thread_pool *pool, const struct operator_plan *plan,
                                      struct operator_host **out_host)
{
    struct foveate_cpu *made = NULL;
    const enum fovea_result result = foveate_cpu_create_in(pool, foveate_plan_of(plan), &made);
    *out_host = (struct operator_host *)made;
    return result;
}

void foveate_host_destroy(struct operator_host **host)
{
    struct foveate_cpu *gone = cpu(*host);
    foveate_cpu_destroy(&gone);
    *host = NULL;
}

enum fovea_result foveate_host_reserve(struct operator_host *host,
                                       const struct operator_images *images)
{
    return foveate_cpu_reserve(cpu(host), images);
}

/* An operator that looks at no gaze takes the frame's, which foveate_frame_of sets. */
void foveate_host_run(struct operator_host *host, const struct operator_images *images,
                      const struct operator_frame *frame)
{
    const struct foveate_plan *plan = foveate_cpu_plan(cpu(host));
    const struct foveate_frame constants = foveate_frame_of(plan, frame);
    struct operator_images seen = *images;
    seen.gazes_uv = plan->base.api->looks_at_gaze ? images->gazes_uv : NULL;
    foveate_cpu_run_batch(cpu(host), &seen, &constants);
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
    .host = {.create = foveate_host_create,
             .destroy = foveate_host_destroy,
             .reserve = foveate_host_reserve,
             .run = foveate_host_run},
    .gradient = &foveate_gradient,
    .glsl = &foveate_operator_glsl,
#if FOVEA_HAVE_CUDA
    .cuda = &foveate_operator_cuda,
    .cuda_gradient = &foveate_cuda_gradient,
#endif
};
