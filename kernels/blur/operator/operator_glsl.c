/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur as an operator on Vulkan: its shaders in their order. */

#include "kernels/operator/operator_glsl.h"

#include "blur_operator.h"
#include "kernels/blur/blur.h"
#include "kernels/blur/glsl/blur_shaders.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct blur_constants) <= OPERATOR_CONSTANT_BYTES, "more than there is");

static const struct blur_plan *plan_of(const struct operator_glsl *glsl)
{
    return *(const struct blur_plan *const *)glsl;
}

/* Pictures that need a larger buffer than the device binds are of sigmas below 3, on devices with
 * the least that Vulkan asks for: beyond 4K. */
static enum fovea_result create(const struct operator_plan *plan,
                                const struct operator_glsl_limits *limits,
                                struct operator_glsl **out_glsl)
{
    *out_glsl = NULL;
    if (blur_sample_bytes(&blur_plan_of(plan)->shape) > limits->buffer_bytes) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    const struct blur_plan **own = malloc(sizeof *own);
    if (!own) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    *own = blur_plan_of(plan);
    *out_glsl = (struct operator_glsl *)own;
    return FOVEA_OK;
}

static void destroy(struct operator_glsl **glsl)
{
    free(*glsl);
    *glsl = NULL;
}

/* ---- Memory */

static size_t weight_count(const struct blur_plan *plan)
{
    return (size_t)plan->decimate_count + plan->upsample_count;
}

/* One number more, since a buffer of no bytes cannot be made. */
static struct operator_glsl_memory memory(const struct operator_glsl *glsl)
{
    const struct blur_plan *plan = plan_of(glsl);
    const size_t count = plan->light.sample_count + weight_count(plan) + 1;
    return (struct operator_glsl_memory){.table_bytes = count * sizeof *plan->weights};
}

static void fill(struct operator_glsl *glsl, void *tables, void *values)
{
    const struct blur_plan *plan = plan_of(glsl);
    const size_t light_bytes = plan->light.sample_count * sizeof plan->light.samples[0];
    (void)values;
    memcpy(tables, plan->light.samples, light_bytes);
    memcpy((char *)tables + light_bytes, plan->weights,
           (weight_count(plan) + 1) * sizeof *plan->weights);
}

static uint64_t scratch_bytes(const struct operator_glsl *glsl, enum fovea_format format)
{
    (void)format;
    return blur_sample_bytes(&plan_of(glsl)->shape);
}

/* ---- Passes */

static struct operator_shader specialize(const struct blur_plan *plan, const struct shader *shader,
                                         const struct operator_frame *frame,
                                         enum fovea_format format)
{
    const int32_t light = image_light_in_order(plan->light.kind, frame->blue_first);
    const bool has_alpha = format != FOVEA_FORMAT_B10G11R11F;
    return (struct operator_shader){shader,
                                    {pixel_light_known(format) ? light : IMAGE_LIGHT_STORED,
                                     has_alpha && plan->averages_alpha, plan->shape.step > 1}};
}

static void set_filter(const struct blur_plan *plan, const struct operator_frame *frame,
                       struct operator_pass *pass)
{
    const struct blur_shape *shape = &plan->shape;
    const int32_t decimate_at = (int32_t)plan->light.sample_count;
    const struct blur_constants constants = {.shape = *shape,
                                             .origin_x_px = frame->origin_x_px,
                                             .origin_y_px = frame->origin_y_px,
                                             .light_value = plan->light.value,
                                             .decimate_at = decimate_at,
                                             .upsample_at =
                                                 decimate_at + (int32_t)plan->decimate_count};
    memcpy(pass->constants, &constants, sizeof constants);
    pass->constant_bytes = sizeof constants;
    pass->barrier = pass->shader.shader != &blur_shader_picture;
    if (pass->shader.shader == &blur_shader_rows) {
        pass->groups[0] = shader_divide_up((uint32_t)shape->columns, BLUR_SHADER_COLUMNS);
        pass->groups[1] = (uint32_t)shape->height_px;
    } else if (pass->shader.shader == &blur_shader_columns) {
        shader_pixel_groups((uint32_t)shape->columns, (uint32_t)shape->rows, pass->groups);
    } else {
        shader_pixel_groups((uint32_t)shape->width_px, (uint32_t)shape->height_px, pass->groups);
    }
}

static uint32_t shaders(const struct operator_glsl *glsl, const struct operator_frame *frame,
                        enum fovea_format format, struct operator_shader *out_shaders)
{
    const struct blur_plan *plan = plan_of(glsl);
    uint32_t count = 0;
    if (plan->shape.step == 0) {
        out_shaders[count++] = (struct operator_shader){.shader = &shader_copy};
        return count;
    }
    out_shaders[count++] = specialize(plan, &blur_shader_rows, frame, format);
    if (plan->shape.step > 1) {
        out_shaders[count++] = specialize(plan, &blur_shader_columns, frame, format);
    }
    out_shaders[count++] = specialize(plan, &blur_shader_picture, frame, format);
    return count;
}

static uint32_t passes(const struct operator_glsl *glsl, const struct operator_frame *frame,
                       enum fovea_format format, struct operator_pass *out_passes)
{
    struct operator_shader list[OPERATOR_MAX_PASSES];
    const uint32_t count = shaders(glsl, frame, format, list);
    for (uint32_t i = 0; i < count; i++) {
        out_passes[i] = (struct operator_pass){.shader = list[i]};
        if (list[i].shader == &shader_copy) {
            operator_pass_copies(frame, &out_passes[i]);
        } else {
            set_filter(plan_of(glsl), frame, &out_passes[i]);
        }
    }
    return count;
}

const struct operator_glsl_api blur_operator_glsl = {.create = create,
                                                     .destroy = destroy,
                                                     .memory = memory,
                                                     .fill = fill,
                                                     .scratch_bytes = scratch_bytes,
                                                     .shaders = shaders,
                                                     .passes = passes};
