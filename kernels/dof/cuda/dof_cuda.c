/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* dof as an operator on CUDA: its kernels, and plans. */

#include "dof_cuda.h"

#include "core/log.h"
#include "kernels/gauss/cuda/gauss_cuda.h"
#include "kernels/image/pixel.h"
#include "kernels/image/pixel_light.h"

#include <stdlib.h>

extern const unsigned char dof_fatbin[];

_Static_assert(sizeof(struct dof_cuda_focus_params) <= 4096, "more than a launch carries");
_Static_assert(sizeof(struct dof_cuda_nodes_params) <= 4096, "more than a launch carries");

/* ---- Kernels */

/* Level 1 may take more shared memory than a block has unasked. */
static enum fovea_result get_kernels(struct dof_cuda *dof)
{
    const struct cuda_device *device = dof->base.device;
    const struct cuda_named_kernel kernels[] = {
        {"dof_focus_of", &dof->focus, 0},
        {"dof_offsets", &dof->offsets, 0},
        {"dof_spread", &dof->spread, 0},
        {"dof_means", &dof->means, 0},
        {"dof_level_1", &dof->level_1, 4 * GAUSS_NODES_STAGE_BYTES},
        {"dof_levels", &dof->levels, 0},
        {"dof_picture_means", &dof->picture_of_means, 0},
        {"dof_picture_bytes", &dof->picture_of_bytes, 0},
        {"dof_picture_light", &dof->picture_of_light, 0},
        {"dof_picture_floats", &dof->picture_of_floats, 0}};
    FOVEA_TRY(
        cuda_kernels_get_named(device, dof->module, kernels, sizeof kernels / sizeof *kernels));
    FOVEA_TRY(cuda_kernels_get(device, dof->module, "dof_layers", CUDA_EVERY_FORMAT, &dof->layers));
    return cuda_kernels_get(device, dof->module, "dof_compose", CUDA_EVERY_FORMAT, &dof->compose);
}

static enum fovea_result load(struct operator_cuda *cuda)
{
    struct dof_cuda *dof = dof_cuda_of(cuda);
    const struct cuda_device *device = cuda->device;
    FOVEA_TRY(operator_cuda_make_inner(cuda, OPERATOR_CUDA_MACHINE, &gauss_operator_cuda.kind));
    FOVEA_TRY(cuda_module_load(device, dof_fatbin, &dof->module));
    FOVEA_TRY(get_kernels(dof));
    FOVEA_TRY(dof_cuda_load_discs(dof));
    FOVEA_TRY(gaze_cuda_load(device, &dof->gaze));
    return operator_cuda_make_upload(cuda);
}

static void unload(struct operator_cuda *cuda)
{
    struct dof_cuda *dof = dof_cuda_of(cuda);
    gaze_cuda_unload(cuda->device, &dof->gaze);
    cuda_module_unload(cuda->device, &dof->module);
    cuda_module_unload(cuda->device, &dof->discs_module);
}

/* ---- Pictures between the steps */

bool dof_cuda_takes_floats(const struct dof_plan *plan, enum fovea_format format)
{
    const bool is_wide = image_light_is_wide(gauss_plan_light(&plan->machine));
    return pixel_has_32_bit_floats(format) || (is_wide && pixel_light_known(format));
}

static bool averages_alpha(const struct dof_plan *plan)
{
    return plan->machine.foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED;
}

static void put_part(uint64_t *end, uint64_t bytes, uint64_t *out_at)
{
    *out_at = bytes > 0 ? *end : 0;
    *end += (bytes + 255) / 256 * 256;
}

static void set_sizes(const struct dof_plan *plan, struct dof_cuda_frame *frame)
{
    frame->width_px = (int32_t)plan->machine.width_px;
    frame->height_px = (int32_t)plan->machine.height_px;
    frame->pitch_px = (frame->width_px + 7) / 8 * 8;
    frame->columns = (int32_t)cuda_parts(frame->width_px, DOF_CUDA_TILE_PX);
    frame->rows = (int32_t)cuda_parts(frame->height_px, DOF_CUDA_TILE_PX);
    frame->group_columns = (int32_t)cuda_parts(frame->columns, DOF_CUDA_GROUP_TILES);
    frame->group_rows = (int32_t)cuda_parts(frame->rows, DOF_CUDA_GROUP_TILES);
    frame->sigma_max_px = (float)plan->optics.sigma_max_px;
}

uint64_t dof_cuda_level_bytes(const struct dof_cuda_plan *own)
{
    return gauss_nodes_level_bytes(&gauss_cuda_plan_of(dof_cuda_machine(own)->plan)->nodes);
}

uint64_t dof_cuda_lay_out(const struct dof_cuda_plan *own, bool are_floats, uint32_t count,
                          struct dof_cuda_scratch scratch, struct dof_cuda_frame *out_frame)
{
    const struct dof_plan *plan = own->source;
    struct dof_cuda_memory *parts = &out_frame->memory;
    uint64_t end = scratch.memory;
    set_sizes(plan, out_frame);
    out_frame->are_floats = are_floats;
    out_frame->whole = are_floats || averages_alpha(plan);
    const uint64_t pixels = (uint64_t)out_frame->pitch_px * (uint64_t)out_frame->height_px;
    const uint64_t values = count * pixels * (are_floats ? 4 : 2);
    const uint64_t tiles = (uint64_t)out_frame->columns * (uint64_t)out_frame->rows;
    const uint64_t groups = (uint64_t)out_frame->group_columns * (uint64_t)out_frame->group_rows;
    /* Parts that are no halves are as long as the memory needs for all of its images, so that
     * halves begin at the same place whatever comes: in what it leaves out, a batch finds those of
     * another. */
    const uint64_t most = scratch.images;
    end += dof_cuda_disc_bytes(plan, most, groups);
    put_part(&end, most * sizeof(struct dof_cuda_focus), &parts->focuses);
    put_part(&end, most * 2 * sizeof(uint32_t), &parts->wanted);
    put_part(&end, most * sizeof(uint32_t), &parts->wanted_means);
    put_part(&end, most * tiles * sizeof(float), &parts->tiles);
    put_part(&end, most * tiles * sizeof(float), &parts->reaches);
    put_part(&end, most * groups * sizeof(float), &parts->groups);
    put_part(&end, most * groups * DOF_CUDA_QUARTERS * sizeof(float), &parts->farthest);
    put_part(&end, most * groups, &parts->quarters);
    put_part(&end, 2 * most * groups, &parts->reads);
    put_part(&end, 2 * most * sizeof(uint32_t), &parts->largest);
    put_part(&end, 2 * most * sizeof(uint32_t), &parts->listed);
    put_part(&end, 2 * most * groups * DOF_CUDA_QUARTERS * sizeof(uint32_t), &parts->lists);
    put_part(&end, most * (uint64_t)GAZE_CUDA_BYTES, &parts->gazes);
    put_part(&end, values, &parts->offsets);
    put_part(&end, 2 * values, &parts->sigmas);
    put_part(&end, (are_floats ? 8 : 4) * values, &parts->layers);
    put_part(&end, 8 * values, &parts->made);
    put_part(&end, averages_alpha(plan) ? 2 * values : 0, &parts->alpha_layers);
    put_part(&end, averages_alpha(plan) ? 2 * values : 0, &parts->alpha_made);
    put_part(&end, are_floats ? 0 : 3 * count * dof_cuda_level_bytes(own), &parts->levels);
    return end - scratch.memory;
}

static struct fovea_image layer_like(const struct dof_plan *plan, enum fovea_format format)
{
    return (struct fovea_image){.width_px = plan->machine.width_px,
                                .height_px = plan->machine.height_px,
                                .format = format,
                                .memory = FOVEA_MEMORY_CUDA};
}

enum fovea_result dof_cuda_reserve_machine(const struct dof_cuda_plan *own, bool are_floats,
                                           uint32_t count)
{
    const struct dof_plan *plan = own->source;
    const struct operator_cuda_inner_plan *machine = dof_cuda_machine(own);
    const struct fovea_image layer = layer_like(plan, FOVEA_FORMAT_RGBA32F);
    const struct fovea_image alpha =
        layer_like(plan, are_floats ? FOVEA_FORMAT_R32F : FOVEA_FORMAT_R16F);
    struct operator_images pairs = {
        .count = 2 * count, .src = &layer, .dst = &layer, .src_next_bytes = 1};
    if (are_floats) {
        FOVEA_TRY(gauss_operator_cuda.reserve(machine->kernels, machine->plan, &pairs));
    }
    pairs.src = pairs.dst = &alpha;
    return averages_alpha(plan)
               ? gauss_operator_cuda.reserve(machine->kernels, machine->plan, &pairs)
               : FOVEA_OK;
}

/* ---- Plans */

static void plan_finish(struct operator_cuda_plan *plan)
{
    gauss_plan_finish(&dof_cuda_plan_of(plan)->machine);
}

/* The machine blurs all channels of layers. */
static enum fovea_result make_machine(const struct operator_cuda *cuda, const struct dof_plan *plan,
                                      struct dof_cuda_plan *own)
{
    own->machine.levels_light = plan->machine.levels_light;
    FOVEA_TRY(gauss_plan_init_pictured(&own->machine, &plan->machine.foveation,
                                       plan->optics.sigma_max_px, plan->machine.width_px,
                                       plan->machine.height_px));
    own->machine.foveation.alpha = FOVEA_ALPHA_PREMULTIPLIED;
    own->machine.base.api = &dof_operator;
    return operator_cuda_plan_make_inner(cuda, OPERATOR_CUDA_MACHINE, &own->machine.base,
                                         own->has_floats ? FOVEA_FORMAT_RGBA32F
                                                         : FOVEA_FORMAT_RGBA16F,
                                         &own->base.inner[OPERATOR_CUDA_MACHINE]);
}

enum fovea_result dof_cuda_clear(struct operator_cuda *cuda, uint64_t memory, uint64_t bytes)
{
    const struct cuda_device *device = cuda->device;
    CU_TRY(device->log, device->cu, device->cu->MemsetD8Async(memory, 0, bytes, cuda->upload));
    CU_TRY(device->log, device->cu, device->cu->StreamSynchronize(cuda->upload));
    return FOVEA_OK;
}

static enum fovea_result fill_tables(struct operator_cuda *cuda, const struct dof_plan *plan,
                                     struct dof_cuda_plan *own)
{
    struct dof_cuda_frame frame;
    const struct dof_cuda_scratch one = {0, 1};
    const size_t count = gauss_plan_light_samples(&plan->machine);
    float *light = calloc(count + 1, sizeof *light);
    FOVEA_TRY_MEMORY(light);
    gauss_plan_fill_light(&plan->machine, light);
    const uint64_t of_halves = dof_cuda_lay_out(own, false, 1, one, &frame);
    const uint64_t of_floats = own->has_floats ? dof_cuda_lay_out(own, true, 1, one, &frame) : 0;
    const uint64_t bytes = of_halves > of_floats ? of_halves : of_floats;
    const struct operator_cuda_part parts[] = {{&own->light_samples, light, count * sizeof *light},
                                               {&own->memory, NULL, bytes}};
    const enum fovea_result result =
        operator_cuda_plan_fill(cuda, &own->base, parts, sizeof parts / sizeof *parts);
    free(light);
    return result < 0 ? result : dof_cuda_clear(cuda, own->memory, bytes);
}

/* A plan of small pixels takes wide light's layers in floats and those of half floats as halves. */
static enum fovea_result plan_fill(struct operator_cuda *cuda, const struct operator_plan *source,
                                   enum fovea_format format, struct operator_cuda_plan *plan)
{
    const struct dof_plan *dof = dof_plan_of(source);
    struct dof_cuda_plan *own = dof_cuda_plan_of(plan);
    own->source = dof;
    own->has_floats =
        pixel_has_32_bit_floats(format) || image_light_is_wide(gauss_plan_light(&dof->machine));
    FOVEA_TRY(make_machine(cuda, dof, own));
    if (own->has_floats) {
        FOVEA_TRY(dof_cuda_reserve_machine(own, true, 1));
    }
    FOVEA_TRY(dof_cuda_reserve_machine(own, false, 1));
    return fill_tables(cuda, dof, own);
}

const struct operator_cuda_api dof_operator_cuda = {
    .kind = {.bytes = sizeof(struct dof_cuda),
             .plan_bytes = sizeof(struct dof_cuda_plan),
             .load = load,
             .unload = unload,
             .plan_fill = plan_fill,
             .plan_finish = plan_finish},
    .reserve = dof_cuda_reserve,
    .run_linear = dof_cuda_run_linear,
    .run_surface = dof_cuda_run_surface,
};
