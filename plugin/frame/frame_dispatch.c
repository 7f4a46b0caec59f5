/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_depth.h"
#include "frame_late.h"
#include "frame_record.h"

#include <string.h>

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

static void record_view(struct fovea_vk *fovea, const struct frame_work *work, uint32_t index,
                        VkCommandBuffer commands)
{
    const struct frame_view *view = &work->views[index];
    const enum fovea_format format = work->src.format->pixel;
    struct operator_pass *passes = fovea->scratch_passes;
    const uint32_t count =
        chain_operator.glsl->passes(view->plan->glsl, &view->frame, format, passes);
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_dispatch dispatch = {.kind = vk_compute_kind_of(&passes[i].shader, format),
                                             .set = work->slot->sets[index][passes[i].step],
                                             .constants = passes[i].constants,
                                             .constant_bytes = passes[i].constant_bytes,
                                             .groups = {passes[i].groups[0], passes[i].groups[1]}};
        vk_compute_record(&fovea->compute, &fovea->device, commands, &dispatch);
        if (passes[i].barrier) {
            frame_record_kernel_barrier(fovea, commands);
        }
    }
}

static void record_views(struct fovea_vk *fovea, const struct frame_work *work,
                         VkCommandBuffer commands)
{
    for (uint32_t i = 0; i < work->view_count; i++) {
        if (!work->views[i].runs) {
            continue;
        }
        /* All plans share what passes leave for each other, also with the frame before. */
        frame_record_kernel_barrier(fovea, commands);
        record_view(fovea, work, i, commands);
    }
}

/* An engine may drop what was recorded: queries that never ran must not be asked, and so commands
 * write what they say to memory that the host has cleared. */
static void record_ticks(struct fovea_vk *fovea, const struct frame_work *work,
                         VkCommandBuffer commands)
{
    const struct vk_functions *vk = &fovea->device.vk;
    const VkDeviceSize bytes = 2 * sizeof(uint64_t);
    const VkMemoryBarrier written = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    memset((char *)fovea->ticks.mapped + work->slot_index * bytes, 0, bytes);
    vk->CmdCopyQueryPoolResults(commands, fovea->queries, 2 * work->slot_index, 2,
                                fovea->ticks.handle, work->slot_index * bytes, sizeof(uint64_t),
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    vk->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0,
                           1, &written, 0, NULL, 0, NULL);
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
    frame_record_between(fovea, work, commands);
    frame_depth_record(fovea, work, commands);
    record_views(fovea, work, commands);
    frame_depth_record_back(fovea, work, commands);
    if (fovea->queries) {
        vk->CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, fovea->queries,
                              query + 1);
        work->slot->timed = true;
        if (work->recording) {
            record_ticks(fovea, work, commands);
        }
    }
}
