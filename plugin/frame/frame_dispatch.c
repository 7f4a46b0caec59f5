/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame.h"

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
    struct vk_dispatch dispatch = {.kind.which = SHADER_FOVEATE,
                                   .set = work->slot->sets[index],
                                   .constants = &view->constants,
                                   .constant_bytes = sizeof view->constants};
    shader_foveate_groups(&view->constants, dispatch.groups);
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

static void record_smooth(struct fovea_vk *fovea, const struct frame_work *work, uint32_t index,
                          VkCommandBuffer commands)
{
    const struct frame_view *view = &work->views[index];
    const struct foveate_plan *plan = view->plan->plan;
    struct smooth_constants constants = {.frame = view->constants,
                                         .level_count = (int32_t)plan->level_count};
    struct vk_dispatch dispatch = {.set = work->slot->sets[index],
                                   .constants = &constants,
                                   .constant_bytes = sizeof constants};
    for (uint32_t k = 0; k < plan->level_count; k++) {
        const struct foveate_level *level = &plan->levels[k];
        uint32_t margins = 2 * (uint32_t)foveate_level_margin((int32_t)k);
        constants.level = (int32_t)k;
        dispatch.kind.which = k == 0 ? SHADER_SMOOTH_LEVEL : SHADER_SMOOTH_DECIMATE;
        shader_pixel_groups((uint32_t)level->width + margins, (uint32_t)level->height + margins,
                            dispatch.groups);
        record_dispatch(fovea, work, commands, dispatch);
        frame_record_kernel_barrier(fovea, commands);
    }
    dispatch.kind.which = SHADER_SMOOTH_GATHER;
    shader_pixel_groups(plan->width_px, plan->height_px, dispatch.groups);
    record_dispatch(fovea, work, commands, dispatch);
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
        if (work->views[i].plan->plan->smooth) {
            record_smooth(fovea, work, i, commands);
        } else {
            record_blockwise(fovea, work, i, commands);
        }
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
        work->slot->timed_by_peer = false;
    }
}
