/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* dof on Vulkan: its own steps, and between them the machine on layers. */

#include "kernels/operator/operator_glsl.h"

#include "core/log.h"
#include "kernels/dof/discs.h"
#include "kernels/dof/dof.h"
#include "kernels/dof/glsl/dof_shaders.h"
#include "kernels/gauss/operator/gauss_operator.h"
#include "kernels/image/pixel_light.h"

#include <float.h>
#include <math.h>

_Static_assert(sizeof(struct dof_constants) <= OPERATOR_CONSTANT_BYTES, "more than there is");
_Static_assert(DOF_WORKS + DOF_DISC_WORKS + 5 * GAUSS_MAX_LAYER_PASSES <= OPERATOR_MAX_PASSES,
               "more than there is");

#define SAMPLE_BYTES 8

#define WANTED 2 /* samples behind those of the tiles */
/* Planes of a sample a pixel behind the machine's; dof.glsl has the same numbers. */
enum plane { FIELDS, NEAR, BEHIND, NEAR_ALPHA, BEHIND_ALPHA, PLANES };

struct dof_glsl {
    struct operator_glsl base;
    struct operator_glsl *machine;
};

static const struct dof_plan *plan_of(const struct operator_glsl *glsl)
{
    return dof_plan_of(glsl->plan);
}

static struct operator_glsl *machine_of(const struct operator_glsl *glsl)
{
    return ((const struct dof_glsl *)glsl)->machine;
}

/* ---- Memory */

static bool averages_alpha(const struct dof_plan *plan, enum fovea_format format)
{
    return plan->machine.foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED &&
           format != FOVEA_FORMAT_B10G11R11F;
}

static uint32_t pixels_of(const struct dof_plan *plan)
{
    return plan->machine.width_px * plan->machine.height_px;
}

static uint32_t plane_of(const struct dof_plan *plan, enum plane plane)
{
    return plan->machine.level_samples + (uint32_t)plane * pixels_of(plan);
}

static uint32_t tiles_along(uint32_t px)
{
    return shader_divide_up(px, DOF_SHADER_SIDE);
}

static uint32_t tile_count(const struct dof_plan *plan)
{
    return tiles_along(plan->machine.width_px) * tiles_along(plan->machine.height_px);
}

static uint64_t bytes_of(const struct dof_plan *plan, bool alpha)
{
    const uint64_t planes = alpha ? PLANES : NEAR_ALPHA;
    const uint64_t blocks = (uint64_t)shader_divide_up(plan->machine.width_px, DOF_SHADER_BLOCK) *
                            shader_divide_up(plan->machine.height_px, DOF_SHADER_BLOCK);
    const uint64_t discs = plan->optics.has_discs ? (1 + 2 * DOF_BLOCK_DISCS * 4) * blocks : 0;
    const uint64_t behind = tile_count(plan) + WANTED + blocks + discs;
    return SAMPLE_BYTES * (plan->machine.level_samples + planes * pixels_of(plan) + behind);
}

static uint64_t scratch_bytes(const struct operator_glsl *glsl, enum fovea_format format)
{
    return bytes_of(plan_of(glsl), averages_alpha(plan_of(glsl), format));
}

static void destroy(struct operator_glsl **glsl)
{
    struct dof_glsl *own = (struct dof_glsl *)*glsl;
    if (own) {
        gauss_machine_glsl.destroy(&own->machine);
    }
    operator_glsl_free(glsl);
}

static enum fovea_result create(const struct operator_plan *plan,
                                const struct operator_glsl_limits *limits,
                                struct operator_glsl **out_glsl)
{
    *out_glsl = NULL;
    if (bytes_of(dof_plan_of(plan), true) > limits->buffer_bytes) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    FOVEA_TRY(operator_glsl_make(plan, sizeof(struct dof_glsl), out_glsl));
    struct dof_glsl *own = (struct dof_glsl *)*out_glsl;
    const enum fovea_result result = gauss_machine_glsl.create(plan, limits, &own->machine);
    if (result < 0) {
        destroy(out_glsl);
    }
    return result;
}

static uint64_t table_bytes(const struct operator_glsl *glsl)
{
    return gauss_machine_glsl.table_bytes(machine_of(glsl));
}

static void fill(struct operator_glsl *glsl, void *tables)
{
    gauss_machine_glsl.fill(machine_of(glsl), tables);
}

/* ---- Passes */

static int32_t light_of(const struct gauss_frame *frame, enum fovea_format format)
{
    return pixel_light_known(format) ? frame->light : IMAGE_LIGHT_STORED;
}

static struct operator_shader shader_of(const struct dof_plan *plan,
                                        const struct gauss_frame *frame, enum fovea_format format,
                                        enum dof_work work)
{
    return (struct operator_shader){
        .shader = &dof_shader,
        .special = {light_of(frame, format), averages_alpha(plan, format), (int32_t)work}};
}

static struct operator_shader disc_shader_of(const struct dof_plan *plan,
                                             const struct gauss_frame *frame,
                                             enum fovea_format format, enum dof_disc_work work)
{
    struct operator_shader shader = shader_of(plan, frame, format, DOF_WORK_FOCUS);
    shader.shader = &dof_discs_shader;
    shader.special[2] = (int32_t)work;
    return shader;
}

/* Takes what the program says of depths and of the focus; dof_focus. */
static void set_depths(const struct dof_optics *optics, const struct operator_depths *depths,
                       struct dof_constants *out)
{
    const struct fovea_depth *values = &depths->values;
    const struct dof_scale scale = dof_scale_of(values);
    const bool is_given = dof_focus_is_given(optics, values);
    const bool is_known = is_given || dof_knows_vergence(optics, values);
    const double known_m = is_given ? dof_given_m(optics, values) : values->vergence_m;
    const bool stays = depths->focus_stays;
    const bool follows = !is_given && (stays || values->elapsed_s > 0.0);
    out->depth_x_px = depths->x_px;
    out->depth_y_px = depths->y_px;
    out->flags |= scale.is_distance ? DOF_CONSTANT_DISTANCE : 0;
    out->start = (float)scale.start;
    out->step = (float)scale.step;
    out->flags |= is_given ? DOF_CONSTANT_BLIND : 0;
    out->flags |= follows ? DOF_CONSTANT_FOLLOWS : 0;
    out->flags |= is_known ? DOF_CONSTANT_KNOWN : 0;
    out->first_diopters = (float)(is_known ? dof_diopters_at(known_m) : 1.0 / optics->focus_m);
    out->left = stays ? 1.0f : (float)operator_left_after(values->elapsed_s, optics->focus_time_s);
    out->hysteresis_diopters = stays ? FLT_MAX : (float)optics->focus_hysteresis_diopters;
}

static void set_optics(const struct dof_optics *optics, struct dof_constants *out)
{
    out->most_px = (float)optics->sigma_max_px;
    out->focal_m = (float)optics->focal_m;
    out->sigma_scale = (float)dof_optics_sigma_px(optics, 0.0);
}

static struct dof_constants constants_of(const struct dof_plan *plan,
                                         const struct operator_frame *view, bool alpha)
{
    struct dof_constants constants = {
        .frame = gauss_frame_of(&plan->machine, view),
        .fields = (int32_t)plane_of(plan, FIELDS),
        .tiles = (int32_t)plane_of(plan, alpha ? PLANES : NEAR_ALPHA),
        .flags = view->blind ? DOF_CONSTANT_BLIND : 0,
    };
    constants.frame.gaze_x_q8 = view->gaze_x_q8; /* foveate's laws have no gaze here */
    constants.frame.gaze_y_q8 = view->gaze_y_q8;
    constants.frame.late = view->late;
    set_depths(&plan->optics, view->depths, &constants);
    set_optics(&plan->optics, &constants);
    return constants;
}

/* Passes as they are added, all of one frame. */
struct list {
    const struct dof_plan *plan;
    enum fovea_format format;
    struct dof_constants constants;
    struct operator_pass *passes;
    uint32_t count;
};

static void set_groups(const struct dof_plan *plan, enum dof_work work, uint32_t groups[2])
{
    const bool of_tiles = work == DOF_WORK_SPREAD;
    const uint32_t width = plan->machine.width_px;
    const uint32_t height = plan->machine.height_px;
    groups[0] = groups[1] = 1;
    if (work != DOF_WORK_FOCUS) {
        groups[0] = shader_divide_up(of_tiles ? tiles_along(width) : width, DOF_SHADER_BLOCK);
        groups[1] = of_tiles ? shader_divide_up(tiles_along(height), DOF_SHADER_ROWS)
                             : shader_divide_up(height, DOF_SHADER_BLOCK);
    }
}

static void add_pass(struct list *list, struct operator_shader shader, enum dof_work like)
{
    struct operator_pass *pass = &list->passes[list->count++];
    *pass = operator_pass_of(shader, &list->constants, sizeof list->constants);
    pass->barrier = like != DOF_WORK_COMPOSE;
    set_groups(list->plan, like, pass->groups);
}

static void add(struct list *list, enum dof_work work)
{
    add_pass(list, shader_of(list->plan, &list->constants.frame, list->format, work), work);
}

static void add_discs(struct list *list, enum dof_disc_work work)
{
    if (list->plan->optics.has_discs) {
        add_pass(list, disc_shader_of(list->plan, &list->constants.frame, list->format, work),
                 DOF_WORK_OFFSETS);
    }
}

/* A step that writes a layer, and the machine. */
static void add_layer(struct list *list, enum dof_work work, enum plane made)
{
    const bool is_near = made == NEAR || made == NEAR_ALPHA;
    const struct gauss_layer layer = {
        .sigmas = plane_of(list->plan, FIELDS),
        .made = plane_of(list->plan, made),
        .wanted = (uint32_t)list->constants.tiles + tile_count(list->plan) + (is_near ? 0 : 1),
        .wide = image_light_is_wide(light_of(&list->constants.frame, list->format))};
    add(list, work);
    if (work == DOF_WORK_NEAR || work == DOF_WORK_BEHIND) {
        add_discs(list, is_near ? DOF_DISCS_TAKE_NEAR : DOF_DISCS_TAKE_BEHIND);
    }
    list->count += gauss_layer_passes(&list->plan->machine, &layer, list->passes + list->count);
}

static uint32_t passes(const struct operator_glsl *glsl, const struct operator_frame *view,
                       enum fovea_format format, struct operator_pass *out_passes)
{
    const struct dof_plan *plan = plan_of(glsl);
    const bool alpha = averages_alpha(plan, format);
    if (plan->machine.level_count == 0) { /* nothing may be blurred */
        operator_pass_copies(view, out_passes);
        return 1;
    }
    struct list list = {.plan = plan,
                        .format = format,
                        .constants = constants_of(plan, view, alpha),
                        .passes = out_passes};
    add(&list, DOF_WORK_FOCUS);
    add(&list, DOF_WORK_OFFSETS);
    add_discs(&list, DOF_DISCS_SUM);
    add(&list, DOF_WORK_SPREAD);
    add_layer(&list, DOF_WORK_MEANS, NEAR);
    add_layer(&list, DOF_WORK_NEAR, NEAR);
    if (alpha) {
        add_layer(&list, DOF_WORK_NEAR_ALPHA, NEAR_ALPHA);
    }
    add_layer(&list, DOF_WORK_BEHIND, BEHIND);
    if (alpha) {
        add_layer(&list, DOF_WORK_BEHIND_ALPHA, BEHIND_ALPHA);
    }
    add_discs(&list, DOF_DISCS_ADD);
    add(&list, DOF_WORK_COMPOSE);
    return list.count;
}

const struct operator_glsl_api dof_operator_glsl = {.create = create,
                                                    .destroy = destroy,
                                                    .table_bytes = table_bytes,
                                                    .fill = fill,
                                                    .scratch_bytes = scratch_bytes,
                                                    .passes = passes};
