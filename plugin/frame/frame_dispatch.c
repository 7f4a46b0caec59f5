/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame.h"

#include "kernels/foveate/cuda/tiles/common/params.h"
#include "kernels/foveate/foveate_operator.h"
#include "kernels/image/pixel_light.h"

#include <string.h>

static void record_dispatch(struct fovea_vk *fovea, const struct frame_work *work,
                            VkCommandBuffer commands, struct vk_dispatch dispatch)
{
    dispatch.kind = frame_compute_kind(work, dispatch.kind.which);
    vk_compute_record(&fovea->compute, &fovea->device, commands, &dispatch);
}

static void record_blockwise(struct fovea_vk *fovea, const struct frame_work *work, uint32_t index,
                             VkCommandBuffer commands)
{
    const struct frame_view *view = &work->views[index];
    const struct foveate_frame frame =
        foveate_frame_of(foveate_plan_of(view->plan->plan), &view->frame);
    struct vk_dispatch dispatch = {.kind.which = SHADER_FOVEATE,
                                   .set = work->slot->sets[index],
                                   .constants = &frame,
                                   .constant_bytes = sizeof frame};
    shader_foveate_groups(&frame, dispatch.groups);
    record_dispatch(fovea, work, commands, dispatch);
}

void frame_record_kernel_barrier(struct fovea_vk *fovea, VkCommandBuffer commands)
{
    VkMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                            .dstAccessMask =
                                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    fovea->device.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &info, 0, NULL,
                                        0, NULL);
}

/* Of one view, from levels. */
struct smooth_pass {
    struct fovea_vk *fovea;
    const struct frame_work *work;
    VkCommandBuffer commands;
    struct smooth_constants constants;
    struct vk_dispatch dispatch; /* its constants are those above */
};

static void record_pass(struct smooth_pass *pass, enum shader_operator which)
{
    pass->dispatch.kind.which = which;
    record_dispatch(pass->fovea, pass->work, pass->commands, pass->dispatch);
}

/* From 1 on, two at a time. What comes next may read them. */
static void record_levels(struct smooth_pass *pass)
{
    struct smooth_constants *constants = &pass->constants;
    for (constants->level = 1; constants->level < constants->level_count; constants->level += 2) {
        shader_levels_groups(&constants->frame, constants->level, pass->dispatch.groups);
        record_pass(pass, SHADER_SMOOTH_LEVELS);
        frame_record_kernel_barrier(pass->fovea, pass->commands);
    }
}

static void record_nodes(struct smooth_pass *pass, const struct foveate_plan *plan)
{
    const struct vk_compute_kind kind = frame_compute_kind(pass->work, SHADER_SMOOTH_NODES);
    uint32_t groups[2];
    shader_pixel_groups(plan->width_px, plan->height_px, groups);
    if (foveate_light_is_wide(kind.light) || !pixel_light_known(kind.format)) {
        memcpy(pass->dispatch.groups, groups, sizeof groups);
        record_pass(pass, SHADER_SMOOTH_LEVEL);
        frame_record_kernel_barrier(pass->fovea, pass->commands);
    }
    record_levels(pass);
    memcpy(pass->dispatch.groups, groups, sizeof groups);
    record_pass(pass, SHADER_SMOOTH_NODES);
}

static void record_fragments(struct smooth_pass *pass, const struct frame_plan *plan)
{
    const struct foveate_shader_need need =
        foveate_shader_fragments_need(&plan->fragments, &pass->constants.frame);
    const int depth = pass->work->src.format->pixel == FOVEA_FORMAT_A2B10G10R10 ? 1 : 0;
    pass->constants.filters_at = plan->fragments.filters_at[depth];
    pass->constants.weights_at = plan->fragments.weights_at[depth];
    pass->constants.level_count = need.level_count;
    shader_pixel_groups((uint32_t)pass->constants.frame.width_px,
                        (uint32_t)pass->constants.frame.height_px, pass->dispatch.groups);
    record_pass(pass, SHADER_SMOOTH_LEVEL);
    record_levels(pass);
    if (need.level_count < 2) {
        frame_record_kernel_barrier(pass->fovea, pass->commands);
    }
    pass->constants.frame.ring_count = need.ring_count;
    shader_blockwise_groups(&pass->constants.frame, pass->dispatch.groups);
    record_pass(pass, SHADER_BLOCKWISE_LEVELS);
}

static void record_tile_pass(struct smooth_pass *pass, enum shader_operator which)
{
    shader_tile_groups(which, &pass->constants.frame, pass->dispatch.groups);
    record_pass(pass, which);
}

static void record_tiles(struct smooth_pass *pass)
{
    record_tile_pass(pass, SHADER_TILE_KINDS);
    record_levels(pass);
    if (pass->constants.level_count < 2) {
        frame_record_kernel_barrier(pass->fovea, pass->commands);
    }
    record_tile_pass(pass, SHADER_TILE_NEAR);
    if (pass->constants.level_count > 1) {
        record_tile_pass(pass, SHADER_TILE_FAR);
    }
}

/* Those that a sigma in the picture asks for; nodes beyond them take the coarsest. */
static int32_t count_levels(const struct foveate_plan *plan, const struct foveate_frame *frame)
{
    const int32_t count = (int32_t)plan->level_count;
    if (count == 0 || frame->late || !foveate_frame_gaze_is_inside(frame)) {
        return count;
    }
    const float rest = foveate_light_rest(foveate_plan_light(plan));
    return foveate_level_with(plan->sigma_max_px, rest, count) + 1;
}

static void record_view(struct fovea_vk *fovea, const struct frame_work *work, uint32_t index,
                        VkCommandBuffer commands)
{
    const struct frame_view *view = &work->views[index];
    const struct foveate_plan *plan = foveate_plan_of(view->plan->plan);
    const struct foveate_frame frame = foveate_frame_of(plan, &view->frame);
    const struct foveate_shader_tiles *tiles = &view->plan->tiles;
    struct smooth_pass pass = {
        fovea,
        work,
        commands,
        {.frame = frame,
         .level_count = tiles->used ? foveate_shader_tiles_level_count(tiles, &frame)
                                    : count_levels(plan, &frame),
         .slope = tiles->slope,
         .fine_sigma_px = tiles->fine_sigma_px,
         .kinds = tiles->kinds,
         .places_each = shader_tile_places_each(&frame)},
        {.set = work->slot->sets[index], .constant_bytes = sizeof pass.constants}};
    pass.dispatch.constants = &pass.constants;
    if (tiles->used) {
        record_tiles(&pass);
    } else if (plan->smooth) {
        record_nodes(&pass, plan);
    } else if (frame_plan_in_fragments(view->plan, work->src.format->pixel)) {
        record_fragments(&pass, view->plan);
    } else {
        record_blockwise(fovea, work, index, commands);
    }
}

static void record_views(struct fovea_vk *fovea, const struct frame_work *work,
                         VkCommandBuffer commands)
{
    for (uint32_t i = 0; i < work->view_count; i++) {
        if (!work->views[i].foveated) {
            continue;
        }
        /* A plan's levels are shared by its views and with the frame before. */
        frame_record_kernel_barrier(fovea, commands);
        record_view(fovea, work, i, commands);
    }
}

void frame_record_foveate(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands)
{
    struct vk_functions *vk = &fovea->device.vk;
    uint32_t query = 2 * work->slot_index;
    frame_late_record(fovea, work, commands);
    if (fovea->queries) {
        vk->CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, fovea->queries,
                              query);
    }
    record_views(fovea, work, commands);
    if (fovea->queries) {
        vk->CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, fovea->queries,
                              query + 1);
        work->slot->timed = true;
    }
}
