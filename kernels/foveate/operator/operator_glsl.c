/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveate as an operator on Vulkan: the machine, and what is drawn over its picture. */

#include "foveate_operator.h"

#include "kernels/foveate/overlay/overlay.h"
#include "kernels/gauss/operator/gauss_operator.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(struct overlay_constants) <= OPERATOR_CONSTANT_BYTES, "more than there is");
_Static_assert(offsetof(struct overlay_constants, rings) % 16 == 0, "where std430 has a vec4");

/* The radii at which all, a half, a quarter and an eighth of the resolution are left. */
static void set_relative_rings(const struct gauss_plan *plan, float *out_rings_px)
{
    const struct fovea_relative *relative = &plan->foveation.relative;
    const double unit_px = 0.5 * fmin(plan->width_px, plan->height_px);
    for (int i = 0; i < 4; i++) {
        const int halvings = (1 << i) - 1;
        out_rings_px[i] = (float)(unit_px * (relative->sharp + halvings * relative->halving));
    }
}

/* The shader goes by the angle between rays where the law does so: the gaze may yet move. */
static void set_rings(const struct gauss_plan *plan, struct overlay_constants *constants)
{
    if (plan->foveation.model == FOVEA_MODEL_RELATIVE) {
        set_relative_rings(plan, constants->rings);
        return;
    }
    static const double rings_deg[4] = {2, 5, 10, 20};
    const bool by_angle =
        plan->law.kind == GAUSS_LAW_PROJECTED || plan->law.kind == GAUSS_LAW_MAP_PROJECTED;
    const double half_diagonal_px = 0.5 * hypot(plan->width_px, plan->height_px);
    const double per_deg = by_angle ? 1.0 : half_diagonal_px / plan->foveation.paper.e_max_deg;
    constants->flags |= by_angle ? OVERLAY_RINGS_BY_ANGLE : 0;
    for (int i = 0; i < 4; i++) {
        constants->rings[i] = (float)(rings_deg[i] * per_deg);
    }
}

static void draw(const struct operator_glsl *glsl, const struct operator_frame *frame,
                 const struct operator_marks *marks, struct operator_pass *out_pass)
{
    const struct gauss_plan *plan = gauss_plan_of(glsl->plan);
    struct overlay_constants constants = {
        .frame = gauss_frame_of(plan, frame),
        .sigma_max_px = plan->sigma_max_px > 0 ? plan->sigma_max_px : 1.0f,
        .wipe_px = marks->wipe_px,
        .flags = (frame->blue_first ? OVERLAY_SWAP_RED_BLUE : 0) |
                 (marks->marker ? OVERLAY_MARKER : 0) | (marks->heatmap ? OVERLAY_HEATMAP : 0) |
                 (marks->seen ? OVERLAY_SEEN : 0) | (marks->patch_white ? OVERLAY_PATCH_WHITE : 0) |
                 (marks->patch_by_gaze ? OVERLAY_PATCH_BY_GAZE : 0) |
                 marks->patch_px << OVERLAY_PATCH_SHIFT,
        .text_columns = marks->text_columns,
        .text_rows = marks->text_rows,
        .text_scale = marks->text_scale};
    if (marks->rings) {
        set_rings(plan, &constants);
    }
    *out_pass = operator_pass_of((struct operator_shader){.shader = &foveate_shader_overlay},
                                 &constants, sizeof constants);
    shader_pixel_groups(plan->width_px, plan->height_px, out_pass->groups);
}

static const struct shader *draws(const struct operator_glsl *glsl)
{
    (void)glsl;
    return &foveate_shader_overlay;
}

const struct operator_glsl_api foveate_operator_glsl = {GAUSS_MACHINE_GLSL, .draw = draw,
                                                        .draws = draws};
