/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "core/log.h"
#include "kernels/lens/calibration.h"
#include "kernels/lens/lens.h"

#include <stdio.h>

static const char *const filter_names[] = {"nearest", "bilinear", "bicubic"};

static enum fovea_result plan_create(const struct operator_plan_desc *desc,
                                     struct operator_plan **out_plan)
{
    FOVEA_TRY(lens_plan_create(desc, out_plan));
    (*out_plan)->api = &lens_operator;
    return FOVEA_OK;
}

/* The nearest pixel is then the pixel. */
static bool is_straight(const struct lens_plan *lens)
{
    bool is_moved = lens->moves != NULL;
    for (int i = 0; !is_moved && i < LENS_COLORS * LENS_POWERS; i++) {
        is_moved = lens->shape.terms[i] != 0.0f;
    }
    return !is_moved;
}

static bool plan_describe(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct lens_plan *lens = lens_plan_of(plan);
    const struct lens_grid *grid = &lens->shape.grid;
    char points[64] = "";
    if (lens->moves) {
        snprintf(points, sizeof points, ", %d x %d points", grid->columns, grid->rows);
    }
    snprintf(out, bytes, "lens: %s, %s%s", filter_names[lens->filter],
             lens->colored ? "a place for each colour" : "one place for all colours", points);
    return !is_straight(lens);
}

/* "lens  bilinear" */
static void plan_summarize(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct lens_plan *lens = lens_plan_of(plan);
    snprintf(out, bytes, "lens  %s", is_straight(lens) ? "straight" : filter_names[lens->filter]);
}

const struct operator_api lens_operator = {
    .name = "lens",
    .plan_create = plan_create,
    .plan_complain = lens_complain,
    .plan_destroy = lens_plan_destroy,
    .plan_fits = lens_plan_fits,
    .plan_describe = plan_describe,
    .place_before = lens_place_before,
    .plan_summarize = plan_summarize,
    .read_field = lens_calibration_of_field,
    .host = &lens_operator_host,
    .glsl = &lens_operator_glsl,
#if FOVEA_HAVE_CUDA
    .cuda = &lens_operator_cuda,
#endif
};
