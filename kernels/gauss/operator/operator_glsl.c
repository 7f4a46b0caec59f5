/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The machine on Vulkan, as an operator: its shaders in their order. */

#include "gauss_operator.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "kernels/gauss/glsl/gauss_shaders.h"
#include "kernels/gauss/glsl/shader_tile_shape.h"
#include "kernels/gauss/grid.h"
#include "kernels/gauss/pyramid.h"
#include "kernels/image/pixel_light.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The buffer Law of law.glsl. */
_Static_assert(sizeof(struct gauss_law) == 48, "std430 has no other padding");
_Static_assert(sizeof(struct gauss_level) == 16, "std430 has no other padding");
_Static_assert(sizeof(struct gauss_frame) <= OPERATOR_CONSTANT_BYTES, "more than there is");
_Static_assert(sizeof(struct smooth_constants) <= OPERATOR_CONSTANT_BYTES, "more than there is");

struct gauss_glsl {
    struct operator_glsl base;
    struct gauss_shader_tiles tiles; /* used or not; workgroups may be too small for them */
    struct gauss_level levels[GAUSS_MAX_LEVELS]; /* of nodes; the picture's samples come last */
    uint32_t picture_samples;
};

static const struct gauss_plan *plan_of(const struct operator_glsl *glsl)
{
    return gauss_plan_of(glsl->plan);
}

static const struct gauss_shader_tiles *tiles_of(const struct operator_glsl *glsl)
{
    return &((const struct gauss_glsl *)glsl)->tiles;
}

static void lay_out(struct gauss_glsl *glsl)
{
    const struct gauss_plan *plan = plan_of(&glsl->base);
    const int32_t picture =
        plan->level_count > 1 ? plan->levels[1].first : (int32_t)plan->level_samples;
    memcpy(glsl->levels, plan->levels, sizeof glsl->levels);
    for (uint32_t k = 1; k < plan->level_count; k++) {
        glsl->levels[k].first -= picture;
    }
    glsl->levels[0].first = (int32_t)plan->level_samples - picture;
    glsl->picture_samples = (uint32_t)picture;
}

enum fovea_result gauss_glsl_create(const struct operator_plan *plan,
                                    const struct operator_glsl_limits *limits,
                                    struct operator_glsl **out_glsl)
{
    FOVEA_TRY(operator_glsl_make(plan, sizeof(struct gauss_glsl), out_glsl));
    struct gauss_glsl *own = (struct gauss_glsl *)*out_glsl;
    lay_out(own);
    if (limits->shared_bytes >= SHADER_TILE_SHARED_BYTES) {
        own->tiles = gauss_shader_tiles_of(gauss_plan_of(plan));
    }
    return FOVEA_OK;
}

/* ---- Memory */

static size_t law_table_bytes(const struct gauss_plan *plan)
{
    return (size_t)plan->law.table_count * sizeof plan->law_table[0];
}

uint64_t gauss_glsl_table_bytes(const struct operator_glsl *glsl)
{
    const struct gauss_plan *plan = plan_of(glsl);
    const size_t light_bytes = gauss_plan_light_samples(plan) * sizeof plan->law_table[0];
    return sizeof plan->law + sizeof plan->levels + law_table_bytes(plan) + light_bytes;
}

/* Nodes read samples of the picture from memory where they take long to make, else they make them
 * of its pixels. */
static bool stores_picture(const struct operator_glsl *glsl, enum fovea_format format)
{
    return !pixel_light_known(format) || image_light_is_wide(gauss_plan_light(plan_of(glsl)));
}

/* A level's sample is four halves. */
uint64_t gauss_glsl_scratch_bytes(const struct operator_glsl *glsl, enum fovea_format format)
{
    const uint32_t picture = ((const struct gauss_glsl *)glsl)->picture_samples;
    const uint32_t nodes =
        plan_of(glsl)->level_samples - (stores_picture(glsl, format) ? 0 : picture);
    return 8 * (uint64_t)(tiles_of(glsl)->used ? tiles_of(glsl)->sample_count : nodes);
}

/* The law, the levels, the law's table and the display's samples: the buffer Law of law.glsl. */
void gauss_glsl_fill(struct operator_glsl *glsl, void *tables)
{
    char *to = tables;
    const struct gauss_plan *plan = plan_of(glsl);
    const struct gauss_level *levels =
        tiles_of(glsl)->used ? tiles_of(glsl)->levels : ((struct gauss_glsl *)glsl)->levels;
    memcpy(to, &plan->law, sizeof plan->law);
    memcpy(to + sizeof plan->law, levels, sizeof plan->levels);
    to += sizeof plan->law + sizeof plan->levels;
    memcpy(to, plan->law_table, law_table_bytes(plan));
    if (gauss_plan_light_samples(plan) > 0) {
        gauss_plan_fill_light(plan, (float *)(void *)(to + law_table_bytes(plan)));
    }
}

/* ---- Passes */

static struct operator_shader specialize(const struct shader *shader,
                                         const struct operator_glsl *glsl,
                                         const struct gauss_frame *frame, enum fovea_format format)
{
    const bool unorm = format == FOVEA_FORMAT_RGBA8 || format == FOVEA_FORMAT_A2B10G10R10;
    const bool has_alpha = format != FOVEA_FORMAT_B10G11R11F;
    const bool makes_levels = shader == &gauss_shader_level || shader == &gauss_shader_levels;
    const int32_t law = makes_levels ? 0 : plan_of(glsl)->law.kind; /* levels know none */
    return (struct operator_shader){
        .shader = shader,
        .special = {unorm ? frame->light : 0, has_alpha && frame->blur_alpha, law}};
}

/* Returns the shader that blends nodes. */
static const struct shader *nodes_of(const struct operator_glsl *glsl)
{
    return plan_of(glsl)->law.kind == GAUSS_LAW_PICTURE ? &gauss_shader_nodes_pictured
                                                        : &gauss_shader_nodes;
}

/* Passes as they are added, all of one frame. */
struct list {
    const struct operator_glsl *glsl;
    enum fovea_format format;
    struct smooth_constants constants;
    struct operator_pass *passes;
    uint32_t count;
};

static struct operator_pass *add(struct list *list, const struct shader *shader)
{
    struct operator_pass *pass = &list->passes[list->count++];
    *pass = operator_pass_of(specialize(shader, list->glsl, &list->constants.frame, list->format),
                             &list->constants, sizeof list->constants);
    return pass;
}

/* Makes levels from 1 on, two at a time, or the first alone if their number is odd: its samples are
 * made once then. The next pass may read them. */
static void add_levels(struct list *list)
{
    struct smooth_constants *constants = &list->constants;
    const int32_t count = constants->level_count;
    int32_t made = count % 2 == 0 ? 1 : 2;
    for (constants->level = 1; constants->level < count; constants->level += made, made = 2) {
        constants->level_count = constants->level + made;
        struct operator_pass *pass = add(list, &gauss_shader_levels);
        gauss_shader_levels_groups(&constants->frame, constants->level, made == 1, pass->groups);
        pass->barrier = true;
    }
}

static void add_nodes(struct list *list)
{
    const uint32_t width = plan_of(list->glsl)->width_px;
    const uint32_t height = plan_of(list->glsl)->height_px;
    if (stores_picture(list->glsl, list->format)) {
        struct operator_pass *level = add(list, &gauss_shader_level);
        shader_pixel_groups(width, height, level->groups);
        level->barrier = true;
    }
    add_levels(list);
    /* Tiles of fragments begin where fragments do, up to 15 px before the picture. */
    const uint32_t before = list->constants.frame.fragment_px > 0 ? SHADER_NODE_TILE_PX - 1 : 0;
    shader_pixel_groups(width + before, height + before, add(list, nodes_of(list->glsl))->groups);
}

static struct operator_pass *add_tile(struct list *list, const struct shader *shader)
{
    struct operator_pass *pass = add(list, shader);
    gauss_shader_tile_groups(shader, &list->constants.frame, pass->groups);
    return pass;
}

/* Kinds and levels do not read each other: one barrier ends both. */
static void add_tiles(struct list *list)
{
    struct operator_pass *kinds = add_tile(list, &gauss_shader_tile_kinds);
    const bool has_levels = list->constants.level_count > 1;
    kinds->barrier = !has_levels;
    add_levels(list);
    add_tile(list, &gauss_shader_tile_near);
    if (has_levels) {
        add_tile(list, &gauss_shader_tile_far);
    }
}

/* Those that a sigma in the picture asks for; nodes beyond them take the coarsest. */
static int32_t count_levels(const struct gauss_plan *plan, const struct gauss_frame *frame)
{
    const int32_t count = (int32_t)plan->level_count;
    if (frame->late || !gauss_frame_gaze_is_inside(frame)) {
        return count;
    }
    const float residual = gauss_light_residual(gauss_plan_light(plan));
    return gauss_level_with(plan->sigma_max_px, residual, count) + 1;
}

/* A copy, tiles of one level, or tiles blended from nodes. */
uint32_t gauss_glsl_passes(const struct operator_glsl *glsl, const struct operator_frame *view,
                           enum fovea_format format, struct operator_pass *out_passes)
{
    if (plan_of(glsl)->level_count == 0) { /* that passes could write to: nothing is blurred */
        operator_pass_copies(view, out_passes);
        return 1;
    }
    const struct gauss_shader_tiles *tiles = tiles_of(glsl);
    const struct gauss_frame frame = gauss_frame_of(plan_of(glsl), view);
    struct list list = {
        .glsl = glsl,
        .format = format,
        .constants = {.frame = frame,
                      .level_count =
                          tiles->used ? gauss_shader_tiles_level_count(tiles, plan_of(glsl), &frame)
                                      : count_levels(plan_of(glsl), &frame),
                      .slope = tiles->slope,
                      .fine_sigma_px = tiles->fine_sigma_px,
                      .kinds = tiles->kinds,
                      .places_each = gauss_shader_places_each(&frame)},
        .passes = out_passes};
    if (frame.fragment_px > 0) {
        list.constants.shift_px[0] = gauss_grid_shift_px(frame.gaze_x_q8, frame.fragment_px);
        list.constants.shift_px[1] = gauss_grid_shift_px(frame.gaze_y_q8, frame.fragment_px);
    }
    if (tiles->used) {
        add_tiles(&list);
    } else {
        add_nodes(&list);
    }
    return list.count;
}

const struct operator_glsl_api gauss_machine_glsl = {GAUSS_MACHINE_GLSL};
