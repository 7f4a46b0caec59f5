/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur as an operator: foveate's machine with the same sigma for every pixel, or with pictures of
 * sigmas; or an engine of the table. */

#include "kernels/blur/engine.h"

#include "core/large_memory.h"
#include "kernels/blur/cpu/blur_cpu.h"
#include "kernels/gauss/gradient/gradient.h"
#include "kernels/gauss/operator/gauss_operator.h"

#include <stdio.h>
#include <stdlib.h>

static void plan_destroy(struct operator_plan **plan)
{
    struct blur_plan *gone = (struct blur_plan *)*plan;
    if (gone) {
        large_memory_free(gone->kernel.weights);
        shared_data_release(&gone->table);
        gauss_plan_finish(&gone->machine);
    }
    free(gone);
    *plan = NULL;
}

static bool same_numbers(const struct blur_numbers *a, const struct blur_numbers *b)
{
    return a->engine == b->engine && a->sigma_px == b->sigma_px && a->passes == b->passes &&
           a->edge == b->edge && a->shape == b->shape && a->table == b->table &&
           a->radius_px == b->radius_px;
}

/* An engine takes the machine's light and alpha, and the machine copies what nobody blurs. */
static enum fovea_result fill(const struct operator_plan_desc *desc, struct blur_plan *plan)
{
    const struct blur_engine *engine = blur_engine_at(plan->numbers.engine);
    const bool pictured = desc->has_sigmas && !engine;
    plan->engine = blur_copies(&plan->numbers) ? NULL : engine;
    plan->machine.levels_light = desc->levels;
    FOVEA_TRY((pictured ? gauss_plan_init_pictured : gauss_plan_init_even)(
        &plan->machine, &desc->settings->foveation, engine ? 0.0 : plan->numbers.sigma_px,
        desc->width_px, desc->height_px));
    return plan->engine ? plan->engine->fill(plan) : FOVEA_OK;
}

/* Fft takes planes of three channels and the kernel's, complex numbers of half of the picture. */
static uint64_t fft_cuda_bytes(const struct blur_plan *plan)
{
    const struct blur_kernel *kernel = &plan->kernel;
    return (uint64_t)4 * 2 * sizeof(float) *
           (plan->machine.width_px + 2 * (uint64_t)kernel->reach_x_px) *
           ((plan->machine.height_px + 1) / 2 + 2 * (uint64_t)kernel->reach_y_px);
}

/* Other engines take samples between passes, the view's, and what is made of them. */
static uint64_t cuda_bytes_of(const struct blur_plan *plan)
{
    const uint64_t pixels = (uint64_t)plan->machine.width_px * plan->machine.height_px;
    return plan->engine->passes ? 16 * (plan->engine->passes->samples(plan) + 2 * pixels)
                                : fft_cuda_bytes(plan);
}

static enum fovea_result plan_create(const struct operator_plan_desc *desc,
                                     struct operator_plan **out_plan)
{
    char problem[OPERATOR_PROBLEM_BYTES];
    *out_plan = NULL;
    if (blur_complain(desc, problem, sizeof problem)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct blur_plan *plan = calloc(1, sizeof *plan);
    FOVEA_TRY_MEMORY(plan);
    *out_plan = (struct operator_plan *)plan;
    plan->has_sigmas = desc->has_sigmas;
    plan->numbers = blur_numbers_of(desc);
    plan->table =
        shared_data_share(plan->numbers.table ? desc->settings->own.blur_file_data : NULL);
    const enum fovea_result result = fill(desc, plan);
    if (result < 0) {
        plan_destroy(out_plan);
        return result;
    }
    plan->machine.base.api = &blur_operator;
    plan->machine.base.host = plan->engine ? &blur_operator_host : NULL;
    plan->machine.base.lacks_gradient =
        plan->engine ? "this blur.engine has no gradient: gaussian has one" : NULL;
    plan->machine.base.cuda_bytes =
        plan->engine ? cuda_bytes_of(plan) : gauss_plan_cuda_bytes(&plan->machine);
    return FOVEA_OK;
}

static bool plan_fits(const struct operator_plan *plan, const struct operator_plan_desc *desc)
{
    const struct blur_numbers numbers = blur_numbers_of(desc);
    return blur_plan_of(plan)->has_sigmas == desc->has_sigmas &&
           same_numbers(&blur_plan_of(plan)->numbers, &numbers) &&
           gauss_plan_fits_even(&blur_plan_of(plan)->machine, &desc->settings->foveation,
                                desc->width_px, desc->height_px);
}

static bool plan_lacks(const struct operator_plan *plan, enum fovea_backend backend, char *out,
                       size_t bytes)
{
    const struct blur_plan *blur = blur_plan_of(plan);
    return blur_numbers_lack(&blur->numbers, blur->has_sigmas, backend, out, bytes);
}

static bool plan_describe(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct blur_plan *blur = blur_plan_of(plan);
    const struct blur_numbers *numbers = &blur->numbers;
    const char *engine =
        numbers->engine == BLUR_GAUSSIAN ? "a Gaussian" : blur_range_of(numbers->engine).name;
    if (numbers->radius_px > 0.0) {
        snprintf(out, bytes, "blur: %s of a radius of %.4g px", engine, numbers->radius_px);
    } else if (blur->has_sigmas) {
        snprintf(out, bytes, "blur: each pixel by its own sigma, up to %.4g px", numbers->sigma_px);
    } else {
        snprintf(out, bytes, "blur: %s of %.4g px", engine, numbers->sigma_px);
    }
    return !blur_copies(numbers);
}

/* "blur  linear light  4.00 px", "blur box  linear light  up to 64.00 px" */
static void plan_summarize(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct blur_plan *blur = blur_plan_of(plan);
    const struct blur_numbers *numbers = &blur->numbers;
    const bool has_radius = numbers->radius_px > 0.0;
    snprintf(out, bytes, "blur%s%s  %s light  %s%.2f px",
             numbers->engine == BLUR_GAUSSIAN ? "" : " ",
             numbers->engine == BLUR_GAUSSIAN ? "" : blur_range_of(numbers->engine).name,
             gauss_plan_light_told(&blur->machine) == IMAGE_LIGHT_STORED ? "encoded" : "linear",
             blur->has_sigmas ? "up to "
             : has_radius     ? "radius "
                              : "",
             has_radius ? numbers->radius_px : numbers->sigma_px);
}

const struct operator_api blur_operator = {
    .name = "blur",
    .takes_sigmas = true,
    .plan_create = plan_create,
    .plan_complain = blur_complain,
    .plan_lacks = plan_lacks,
    .plan_destroy = plan_destroy,
    .plan_fits = plan_fits,
    .plan_describe = plan_describe,
    .plan_summarize = plan_summarize,
    .host = &gauss_operator_host,
    .gradient = &gauss_gradient,
    .glsl = &blur_operator_glsl,
#if FOVEA_HAVE_CUDA
    .cuda = &blur_operator_cuda,
    .cuda_gradient = &gauss_operator_cuda_gradient,
#endif
};
