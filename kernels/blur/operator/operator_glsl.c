/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* blur on Vulkan: the machine's passes, or an engine's. An engine says how many samples lie between
 * its passes, and lists them. */

#include "kernels/operator/operator_glsl.h"

#include "core/log.h"
#include "kernels/blur/engine.h"
#include "kernels/blur/glsl/blur_shaders.h"
#include "kernels/foveate/operator/foveate_operator.h"
#include "kernels/image/pixel_light.h"

#include "blur_operator.h"

_Static_assert(sizeof(struct blur_line_constants) <= OPERATOR_CONSTANT_BYTES, "more than there is");
_Static_assert(sizeof(struct blur_level_constants) <= OPERATOR_CONSTANT_BYTES,
               "more than there is");

#define SAMPLE_BYTES 16

/* Passes as they are added. */
struct blur_passes {
    const struct blur_plan *plan;
    struct blur_shader_frame frame;
    int32_t light; /* of the format */
    bool averages_alpha;
    struct operator_pass *passes;
    uint32_t count;
};

static const struct blur_plan *plan_of(const struct operator_glsl *glsl)
{
    return blur_plan_of(glsl->plan);
}

static bool is_machine(const struct operator_glsl *glsl)
{
    return !plan_of(glsl)->engine;
}

/* ---- Passes */

/* What comes next reads what it writes. constants begin with the frame. */
static struct operator_pass *add(struct blur_passes *list, const struct shader *shader,
                                 int32_t kind, const void *constants, size_t bytes)
{
    struct operator_pass *pass = &list->passes[list->count++];
    *pass = (struct operator_pass){.shader = {shader, {list->light, list->averages_alpha, kind}},
                                   .barrier = (kind & BLUR_SHADER_TO_RESULT) == 0,
                                   .constant_bytes = (uint32_t)bytes};
    memcpy(pass->constants, constants, bytes);
    return pass;
}

static int32_t kind_of(bool first, bool last, int32_t work)
{
    return (first ? BLUR_SHADER_FROM_SOURCE : 0) | (last ? BLUR_SHADER_TO_RESULT : 0) |
           work * BLUR_SHADER_WORK;
}

/* ---- Along lines */

/* Of lines with so much on both sides, along either axis. */
static uint64_t line_samples(const struct blur_plan *plan, int32_t margin_px)
{
    const uint64_t width = plan->machine.width_px;
    const uint64_t height = plan->machine.height_px;
    const uint64_t longer = width > height ? width : height;
    return width * height + 2 * (uint64_t)margin_px * longer;
}

static void add_line(struct blur_passes *list, int32_t kind, uint32_t each,
                     const struct blur_line_constants *constants)
{
    const int32_t lines =
        constants->axis == 0 ? constants->frame.height_px : constants->frame.width_px;
    struct operator_pass *pass = add(list, &blur_shader_lines, kind, constants, sizeof *constants);
    pass->groups[0] = shader_divide_up((uint32_t)lines, BLUR_LINE_GROUP);
    pass->groups[1] = shader_divide_up((uint32_t)constants->out_count, each);
}

static int32_t box_reach(const struct blur_box *box)
{
    return box->half_px + (box->end > 0.0 ? 1 : 0);
}

/* Those between a line's boxes, which need no more than the boxes to come. */
static int32_t box_margin(const struct blur_plan *plan)
{
    return (int32_t)(plan->numbers.passes - 1) * box_reach(&plan->box);
}

static uint64_t box_samples(const struct blur_plan *plan)
{
    return 2 * line_samples(plan, box_margin(plan));
}

/* By turns in two halves of the samples. */
static void add_boxes(struct blur_passes *list)
{
    const struct blur_plan *plan = list->plan;
    const struct blur_box *box = &plan->box;
    const int32_t passes = (int32_t)plan->numbers.passes;
    const int32_t half = (int32_t)line_samples(plan, box_margin(plan));
    const uint32_t width = 2 * (uint32_t)box->half_px + 1;
    for (int32_t i = 0; i < 2 * passes; i++) {
        const int32_t axis = i / passes;
        const int32_t length = axis == 0 ? list->frame.width_px : list->frame.height_px;
        const int32_t left = passes - 1 - i % passes; /* boxes to come along the axis */
        const int32_t around = i % passes == 0 ? 0 : (left + 1) * box_reach(box);
        const int32_t kept = left * box_reach(box);
        struct blur_line_constants constants = {.frame = list->frame,
                                                .axis = axis,
                                                .in_first = -around,
                                                .in_count = length + 2 * around,
                                                .out_first = -kept,
                                                .out_count = length + 2 * kept,
                                                .reach_px = box->half_px,
                                                .end = (float)box->end,
                                                .scale = (float)box->scale};
        constants.frame.from = i % 2 == 0 ? half : 0;
        constants.frame.to = i % 2 == 0 ? 0 : half;
        add_line(list, kind_of(i == 0, i + 1 == 2 * passes, BLUR_LINE_BOX),
                 width < BLUR_LINE_EACH ? width : BLUR_LINE_EACH, &constants);
    }
}

static uint64_t tent_samples(const struct blur_plan *plan)
{
    return line_samples(plan, 0);
}

static void add_tents(struct blur_passes *list)
{
    const struct blur_tent *tent = &list->plan->tent;
    for (int32_t axis = 0; axis < 2; axis++) {
        const int32_t length = axis == 0 ? list->frame.width_px : list->frame.height_px;
        const struct blur_line_constants constants = {.frame = list->frame,
                                                      .axis = axis,
                                                      .in_count = length,
                                                      .out_count = length,
                                                      .reach_px = tent->reach_px,
                                                      .radius_px = (float)tent->radius_px,
                                                      .scale = (float)tent->scale};
        add_line(list, kind_of(axis == 0, axis == 1, BLUR_LINE_TENT), BLUR_LINE_EACH, &constants);
    }
}

/* ---- Levels */

static struct blur_shader_level level_of(const struct blur_plan *plan, int32_t number)
{
    const struct blur_level level = blur_level_of(plan, number);
    return (struct blur_shader_level){level.first, level.last_x, level.last_y,
                                      level.last_x - level.first + 1};
}

static int32_t level_samples(const struct blur_shader_level *level)
{
    return level->pitch * (level->last_y - level->first + 1);
}

/* Level 0 is the view's. */
static int32_t samples_before(const struct blur_plan *plan, int32_t number)
{
    int32_t count = 0;
    for (int32_t i = 1; i < number; i++) {
        const struct blur_shader_level level = level_of(plan, i);
        count += level_samples(&level);
    }
    return count;
}

/* Levels from 1 on; then the coarsest one, widened. */
static uint64_t pyramid_samples(const struct blur_plan *plan)
{
    const int32_t levels = plan->pyramid.levels;
    const struct blur_shader_level coarsest = level_of(plan, levels);
    return (uint64_t)samples_before(plan, levels + 1) + (uint64_t)level_samples(&coarsest);
}

static void add_level(struct blur_passes *list, int32_t work, int32_t read, int32_t made)
{
    const struct blur_plan *plan = list->plan;
    const int32_t levels = plan->pyramid.levels;
    const bool widened = work == BLUR_LEVEL_DOUBLE && read == levels;
    struct blur_level_constants constants = {
        .frame = list->frame, .fine = level_of(plan, read), .made = level_of(plan, made)};
    constants.frame.from = samples_before(plan, widened ? levels + 1 : read);
    constants.frame.to = samples_before(plan, work == BLUR_LEVEL_WIDEN ? levels + 1 : made);
    blur_pyramid_taps(&plan->pyramid, constants.taps);
    const bool first = read == 0;
    const bool last = made == 0;
    struct operator_pass *pass =
        add(list, &blur_shader_levels, kind_of(first, last, work), &constants, sizeof constants);
    shader_pixel_groups((uint32_t)constants.made.pitch,
                        (uint32_t)(constants.made.last_y - constants.made.first + 1), pass->groups);
}

static void add_pyramid(struct blur_passes *list)
{
    const int32_t levels = list->plan->pyramid.levels;
    for (int32_t i = 0; i < levels; i++) {
        add_level(list, BLUR_LEVEL_HALVE, i, i + 1);
    }
    add_level(list, BLUR_LEVEL_WIDEN, levels, levels);
    for (int32_t i = levels; i > 0; i--) {
        add_level(list, BLUR_LEVEL_DOUBLE, i, i - 1);
    }
}

/* ---- Heat */

static uint64_t heat_samples(const struct blur_plan *plan)
{
    return 2 * line_samples(plan, 0);
}

static void add_heat(struct blur_passes *list)
{
    const struct blur_heat *heat = &list->plan->heat;
    const int32_t half = (int32_t)line_samples(list->plan, 0);
    for (int32_t done = 0, i = 0; done < heat->steps; i++) {
        const int32_t left = heat->steps - done;
        struct blur_heat_constants constants = {.frame = list->frame,
                                                .steps =
                                                    left < BLUR_HEAT_STEPS ? left : BLUR_HEAT_STEPS,
                                                .rate = (float)heat->rate,
                                                .edge = (float)heat->edge};
        constants.frame.from = i % 2 == 0 ? half : 0;
        constants.frame.to = i % 2 == 0 ? 0 : half;
        done += constants.steps;
        struct operator_pass *pass =
            add(list, &blur_shader_heat,
                kind_of(i == 0, done == heat->steps,
                        heat->edge > 0.0 ? BLUR_HEAT_WITHIN_EDGES : BLUR_HEAT_EVERYWHERE),
                &constants, sizeof constants);
        pass->groups[0] = shader_divide_up((uint32_t)list->frame.width_px, BLUR_HEAT_MADE);
        pass->groups[1] = shader_divide_up((uint32_t)list->frame.height_px, BLUR_HEAT_MADE);
    }
}

/* ---- The engines: up to what fits in OPERATOR_MAX_PASSES */

const struct blur_glsl_engine blur_glsl_quasi = {198.0, pyramid_samples, add_pyramid};
const struct blur_glsl_engine blur_glsl_box = {256.0, box_samples, add_boxes};
const struct blur_glsl_engine blur_glsl_diffusion = {8.0, heat_samples, add_heat};
const struct blur_glsl_engine blur_glsl_spread = {256.0, tent_samples, add_tents};

/* ---- What kernels/operator/ asks for */

static uint64_t sample_bytes(const struct operator_glsl *glsl)
{
    return SAMPLE_BYTES * plan_of(glsl)->engine->glsl->samples(plan_of(glsl));
}

static enum fovea_result create(const struct operator_plan *plan,
                                const struct operator_glsl_limits *limits,
                                struct operator_glsl **out_glsl)
{
    char words[OPERATOR_PROBLEM_BYTES];
    const struct blur_plan *blur = blur_plan_of(plan);
    *out_glsl = NULL;
    if (!blur->engine) {
        return foveate_machine_glsl.create(plan, limits, out_glsl);
    }
    if (blur_operator.plan_lacks(plan, FOVEA_BACKEND_VULKAN, words, sizeof words) ||
        SAMPLE_BYTES * blur->engine->glsl->samples(blur) > limits->buffer_bytes) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return operator_glsl_make(plan, sizeof **out_glsl, out_glsl);
}

static void destroy(struct operator_glsl **glsl)
{
    if (*glsl && is_machine(*glsl)) {
        foveate_machine_glsl.destroy(glsl);
    } else {
        operator_glsl_free(glsl);
    }
}

/* One sample at least, since a buffer of no bytes cannot be made. */
static uint64_t table_bytes(const struct operator_glsl *glsl)
{
    const uint64_t samples = foveate_plan_light_samples(&plan_of(glsl)->machine);
    return is_machine(glsl) ? foveate_machine_glsl.table_bytes(glsl)
                            : (samples > 0 ? samples : 1) * sizeof(float);
}

static void fill(struct operator_glsl *glsl, void *tables)
{
    if (is_machine(glsl)) {
        foveate_machine_glsl.fill(glsl, tables);
    } else {
        memset(tables, 0, sizeof(float));
        foveate_plan_fill_light(&plan_of(glsl)->machine, tables);
    }
}

static uint64_t scratch_bytes(const struct operator_glsl *glsl, enum fovea_format format)
{
    return is_machine(glsl) ? foveate_machine_glsl.scratch_bytes(glsl, format) : sample_bytes(glsl);
}

static uint32_t passes(const struct operator_glsl *glsl, const struct operator_frame *frame,
                       enum fovea_format format, struct operator_pass *out_passes)
{
    if (is_machine(glsl)) {
        return foveate_machine_glsl.passes(glsl, frame, format, out_passes);
    }
    const struct foveate_plan *machine = &plan_of(glsl)->machine;
    const int32_t light = image_light_in_order(foveate_plan_light(machine), frame->blue_first);
    struct blur_passes list = {.plan = plan_of(glsl),
                               .frame = {.width_px = frame->width_px,
                                         .height_px = frame->height_px,
                                         .origin_x_px = frame->origin_x_px,
                                         .origin_y_px = frame->origin_y_px,
                                         .light_value = foveate_plan_light_value(machine)},
                               .light = pixel_light_known(format) ? light : IMAGE_LIGHT_STORED,
                               .averages_alpha = format != FOVEA_FORMAT_B10G11R11F &&
                                                 machine->foveation.alpha != FOVEA_ALPHA_KEEP,
                               .passes = out_passes};
    plan_of(glsl)->engine->glsl->add(&list);
    return list.count;
}

/* Those of the passes, each once. */
static uint32_t shaders(const struct operator_glsl *glsl, const struct operator_frame *frame,
                        enum fovea_format format, struct operator_shader *out_shaders)
{
    if (is_machine(glsl)) {
        return foveate_machine_glsl.shaders(glsl, frame, format, out_shaders);
    }
    struct operator_pass list[OPERATOR_MAX_PASSES];
    const uint32_t passes_count = passes(glsl, frame, format, list);
    uint32_t count = 0;
    for (uint32_t i = 0; i < passes_count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < count; k++) {
            known = known || (out_shaders[k].shader == list[i].shader.shader &&
                              memcmp(out_shaders[k].special, list[i].shader.special,
                                     sizeof out_shaders[k].special) == 0);
        }
        if (!known) {
            out_shaders[count++] = list[i].shader;
        }
    }
    return count;
}

const struct operator_glsl_api blur_operator_glsl = {.create = create,
                                                     .destroy = destroy,
                                                     .table_bytes = table_bytes,
                                                     .fill = fill,
                                                     .scratch_bytes = scratch_bytes,
                                                     .shaders = shaders,
                                                     .passes = passes};
