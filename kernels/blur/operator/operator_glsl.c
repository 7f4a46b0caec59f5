/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur on Vulkan: the machine's passes, or an engine's as dispatches. */

#include "kernels/operator/operator_glsl.h"

#include "core/log.h"
#include "kernels/blur/engine.h"
#include "kernels/blur/glsl/blur_shaders.h"
#include "kernels/gauss/operator/gauss_operator.h"
#include "kernels/image/pixel_light.h"

_Static_assert(sizeof(union blur_constants) <= OPERATOR_CONSTANT_BYTES, "more than there is");
_Static_assert(BLUR_MOST_PASSES <= OPERATOR_MAX_PASSES, "more than an operator may have");

#define SAMPLE_BYTES 16

struct dispatches {
    struct blur_passes passes;
    int32_t light; /* of the format */
    bool averages_alpha;
    struct operator_pass *out;
    uint32_t count;
};

static const struct blur_plan *plan_of(const struct operator_glsl *glsl)
{
    return blur_plan_of(glsl->plan);
}

/* ---- Memory */

static enum fovea_result create(const struct operator_plan *plan,
                                const struct operator_glsl_limits *limits,
                                struct operator_glsl **out_glsl)
{
    char words[OPERATOR_PROBLEM_BYTES];
    const struct blur_plan *blur = blur_plan_of(plan);
    *out_glsl = NULL;
    if (!blur->engine) {
        FOVEA_TRY(gauss_machine_glsl.create(plan, limits, out_glsl));
        (*out_glsl)->api = &gauss_machine_glsl;
        return FOVEA_OK;
    }
    if (blur_operator.plan_lacks(plan, FOVEA_BACKEND_VULKAN, words, sizeof words) ||
        SAMPLE_BYTES * blur->engine->passes->samples(blur) > limits->buffer_bytes) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return operator_glsl_make(plan, sizeof **out_glsl, out_glsl);
}

/* One sample of a display's at least, since a buffer of no bytes cannot be made. */
static uint64_t table_bytes(const struct operator_glsl *glsl)
{
    const uint64_t samples = gauss_plan_light_samples(&plan_of(glsl)->machine);
    return (samples > 0 ? samples : 1) * sizeof(float);
}

static void fill(struct operator_glsl *glsl, void *tables)
{
    memset(tables, 0, sizeof(float));
    gauss_plan_fill_light(&plan_of(glsl)->machine, tables);
}

static uint64_t scratch_bytes(const struct operator_glsl *glsl, enum fovea_format format)
{
    (void)format;
    return SAMPLE_BYTES * plan_of(glsl)->engine->passes->samples(plan_of(glsl));
}

/* ---- Passes */

/* The shader, and the first of what it does. */
static const struct shader *shader_of(enum blur_work work, enum blur_work *out_first)
{
    if (work >= BLUR_HEAT_EVERYWHERE) {
        *out_first = BLUR_HEAT_EVERYWHERE;
        return &blur_shader_heat;
    }
    *out_first = work >= BLUR_LEVEL_HALVE ? BLUR_LEVEL_HALVE : work;
    return work >= BLUR_LEVEL_HALVE ? &blur_shader_levels
           : work == BLUR_LINE_TENT ? &blur_shader_lines
                                    : &blur_shader_boxes;
}

static struct operator_shader specialized(const struct dispatches *list,
                                          const struct blur_pass *pass)
{
    enum blur_work first;
    const struct shader *shader = shader_of(pass->work, &first);
    const int32_t kind = (pass->from_source ? BLUR_SHADER_FROM_SOURCE : 0) |
                         (pass->to_result ? BLUR_SHADER_TO_RESULT : 0) |
                         (int32_t)(pass->work - first) * BLUR_SHADER_WORK;
    return (struct operator_shader){.shader = shader,
                                    .special = {list->light, list->averages_alpha, kind}};
}

static void add_dispatch(struct blur_passes *passes, const struct blur_pass *pass)
{
    struct dispatches *list = (struct dispatches *)passes;
    struct operator_pass *out = &list->out[list->count++];
    *out = operator_pass_of(specialized(list, pass), &pass->constants, pass->constant_bytes);
    out->groups[0] = pass->groups[0];
    out->groups[1] = pass->groups[1];
    out->barrier = !pass->to_result;
}

static uint32_t passes(const struct operator_glsl *glsl, const struct operator_frame *frame,
                       enum fovea_format format, struct operator_pass *out_passes)
{
    const struct blur_plan *plan = plan_of(glsl);
    const struct gauss_plan *machine = &plan->machine;
    const int32_t light = image_light_in_order(gauss_plan_light(machine), frame->blue_first);
    struct dispatches list = {.passes = {.plan = plan,
                                         .frame = {.width_px = frame->width_px,
                                                   .height_px = frame->height_px,
                                                   .origin_x_px = frame->origin_x_px,
                                                   .origin_y_px = frame->origin_y_px,
                                                   .light_value = gauss_plan_light_value(machine)},
                                         .white = blur_passes_white(light, format),
                                         .colors = 3,
                                         .emit = add_dispatch},
                              .light = pixel_light_known(format) ? light : IMAGE_LIGHT_STORED,
                              .averages_alpha = format != FOVEA_FORMAT_B10G11R11F &&
                                                machine->foveation.alpha != FOVEA_ALPHA_KEEP,
                              .out = out_passes};
    plan->engine->passes->add(&list.passes);
    return list.count;
}

const struct operator_glsl_api blur_operator_glsl = {.create = create,
                                                     .destroy = operator_glsl_free,
                                                     .table_bytes = table_bytes,
                                                     .fill = fill,
                                                     .scratch_bytes = scratch_bytes,
                                                     .passes = passes};
