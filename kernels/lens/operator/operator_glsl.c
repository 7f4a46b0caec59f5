/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens as an operator on Vulkan: one pass. */

#include "kernels/operator/operator_glsl.h"

#include "kernels/lens/glsl/lens_shaders.h"
#include "kernels/lens/lens.h"

#include <string.h>

_Static_assert(sizeof(struct lens_constants) <= OPERATOR_CONSTANT_BYTES, "more than there is");

static const struct lens_plan *plan_of(const struct operator_glsl *glsl)
{
    return lens_plan_of(glsl->plan);
}

/* Samples of light, of which there is one at least, since a buffer of no bytes cannot be made; then
 * the grid. */
static size_t sample_count(const struct lens_plan *plan)
{
    return plan->sample_count > 0 ? plan->sample_count : 1;
}

static size_t table_floats(const struct lens_plan *plan)
{
    return sample_count(plan) + plan->move_count;
}

static enum fovea_result create(const struct operator_plan *plan,
                                const struct operator_glsl_limits *limits,
                                struct operator_glsl **out_glsl)
{
    *out_glsl = NULL;
    if (table_floats(lens_plan_of(plan)) * sizeof(float) > limits->buffer_bytes) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return operator_glsl_make(plan, sizeof **out_glsl, out_glsl);
}

/* ---- Memory */

static uint64_t table_bytes(const struct operator_glsl *glsl)
{
    return table_floats(plan_of(glsl)) * sizeof(float);
}

static void fill(struct operator_glsl *glsl, void *tables)
{
    const struct lens_plan *plan = plan_of(glsl);
    const size_t count = sample_count(plan);
    memcpy(tables, plan->samples, count * sizeof plan->samples[0]);
    if (plan->moves) {
        memcpy((float *)tables + count, plan->moves, plan->move_count * sizeof plan->moves[0]);
    }
}

static uint64_t scratch_bytes(const struct operator_glsl *glsl, enum fovea_format format)
{
    (void)glsl;
    (void)format;
    return 0;
}

/* ---- The pass */

static struct operator_shader shader_of(const struct lens_plan *plan,
                                        const struct operator_frame *frame,
                                        enum fovea_format format)
{
    const int32_t light = image_light_in_order(plan->light, frame->blue_first);
    const bool has_alpha = format != FOVEA_FORMAT_B10G11R11F;
    return (struct operator_shader){
        .shader = &lens_shader,
        .special = {pixel_light_known(format) ? light : IMAGE_LIGHT_STORED,
                    has_alpha && plan->averages_alpha,
                    plan->filter + (plan->colored ? LENS_SHADER_COLORED : 0) +
                        (plan->moves ? LENS_SHADER_GRID : 0) +
                        (plan->samples_across - 1) * LENS_SHADER_SAMPLES}};
}

static uint32_t passes(const struct operator_glsl *glsl, const struct operator_frame *frame,
                       enum fovea_format format, struct operator_pass *out_passes)
{
    const struct lens_plan *plan = plan_of(glsl);
    const struct lens_constants constants = {.shape =
                                                 lens_shape_of(plan, format, frame->blue_first),
                                             .origin_x_px = frame->origin_x_px,
                                             .origin_y_px = frame->origin_y_px,
                                             .light_value = plan->light_value,
                                             .moves_from = (int32_t)sample_count(plan)};
    *out_passes = operator_pass_of(shader_of(plan, frame, format), &constants, sizeof constants);
    shader_pixel_groups((uint32_t)frame->width_px, (uint32_t)frame->height_px, out_passes->groups);
    return 1;
}

const struct operator_glsl_api lens_operator_glsl = {.create = create,
                                                     .destroy = operator_glsl_free,
                                                     .table_bytes = table_bytes,
                                                     .fill = fill,
                                                     .scratch_bytes = scratch_bytes,
                                                     .passes = passes};
