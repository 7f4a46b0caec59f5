/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* dof as an operator: its own steps around foveate's machine. */

#include "kernels/dof/cpu/steps.h"

#include <stdio.h>
#include <stdlib.h>

#define CUDA_PIXEL_BYTES 38 /* of pictures between the steps, in halves */

static void plan_destroy(struct operator_plan **plan)
{
    struct dof_plan *gone = (struct dof_plan *)*plan;
    if (gone) {
        gauss_plan_finish(&gone->machine);
    }
    free(gone);
    *plan = NULL;
}

static enum fovea_result plan_create(const struct operator_plan_desc *desc,
                                     struct operator_plan **out_plan)
{
    struct dof_plan *plan = calloc(1, sizeof *plan);
    *out_plan = (struct operator_plan *)plan;
    FOVEA_TRY_MEMORY(plan);
    plan->optics = dof_optics_of(desc->settings, desc->width_px);
    plan->machine.levels_light = desc->levels;
    const enum fovea_result result =
        gauss_plan_init_pictured(&plan->machine, &desc->settings->foveation,
                                 plan->optics.sigma_max_px, desc->width_px, desc->height_px);
    if (result < 0) {
        plan_destroy(out_plan);
        return result;
    }
    plan->machine.base.api = &dof_operator;
    plan->machine.base.cuda_bytes = gauss_plan_cuda_bytes(&plan->machine) +
                                    (CUDA_PIXEL_BYTES + (plan->optics.has_discs ? 2 : 0)) *
                                        (uint64_t)desc->width_px * desc->height_px;
    return FOVEA_OK;
}

static bool plan_fits(const struct operator_plan *plan, const struct operator_plan_desc *desc)
{
    const struct dof_plan *dof = dof_plan_of(plan);
    const struct dof_optics optics = dof_optics_of(desc->settings, desc->width_px);
    return dof_optics_same(&dof->optics, &optics) &&
           gauss_plan_fits_even(&dof->machine, &desc->settings->foveation, desc->width_px,
                                desc->height_px);
}

static bool plan_describe(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct dof_optics *optics = &dof_plan_of(plan)->optics;
    const double sigma_px = dof_optics_sigma_px(optics, 1.0 / optics->focus_m);
    if (optics->is_fixed) {
        snprintf(out, bytes, "dof: focused at %.4g m; a diopter beside it is a Gaussian of %.4g px",
                 optics->focus_m, sigma_px);
    } else {
        snprintf(
            out, bytes,
            "dof: the focus follows the gaze (without one: %.4g m); a diopter beside %.4g m is "
            "a Gaussian of %.4g px",
            optics->focus_m, optics->focus_m, sigma_px);
    }
    return true;
}

/* "dof  linear light  eye  focus gaze" */
static void plan_summarize(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct dof_plan *dof = dof_plan_of(plan);
    snprintf(out, bytes, "dof  %s light  %s  focus %s",
             gauss_plan_light_told(&dof->machine) == IMAGE_LIGHT_STORED ? "encoded" : "linear",
             dof->optics.is_eye ? "eye" : "camera",
             dof->optics.is_fixed         ? "fixed"
             : dof->optics.takes_vergence ? "vergence"
                                          : "gaze");
}

const struct operator_api dof_operator = {
    .name = "dof",
    .follows_gaze = true,
    .needs_depth = true,
    .plan_create = plan_create,
    .plan_destroy = plan_destroy,
    .plan_fits = plan_fits,
    .plan_describe = plan_describe,
    .plan_summarize = plan_summarize,
    .host = &dof_operator_host,
#if FOVEA_HAVE_CUDA
    .cuda = &dof_operator_cuda,
#endif
    .glsl = &dof_operator_glsl,
};
