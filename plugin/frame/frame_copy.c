/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_record.h"

bool frame_in_layer_0(const struct frame_work *work)
{
    for (uint32_t i = 0; i < work->view_count; i++) {
        if (work->views[i].layer != 0) {
            return false;
        }
    }
    return true;
}

bool frame_sees(const struct frame_work *work, const struct frame_end *end)
{
    bool all = !work->copy_by_command;
    for (uint32_t i = 0; i < work->view_count; i++) {
        const struct frame_view *view = &work->views[i];
        all = all && (end == &work->src ? view->src_raw_view : view->dst_raw_view);
    }
    return all;
}

enum frame_copy frame_copy_by(const struct frame_work *work, const struct frame_end *end)
{
    return frame_in_layer_0(work) && end->raw_view && !work->copy_by_command ? FRAME_COPY_KERNEL
                                                                             : FRAME_COPY_COMMAND;
}

void frame_copy_write_sets(struct fovea_vk *fovea, const struct frame_work *work)
{
    struct vk_device *device = &fovea->device;
    if (work->copy_in == FRAME_COPY_KERNEL) {
        vk_compute_write_copy_set(device, work->slot->copy_in_set, work->src.raw_view,
                                  work->read.raw_view);
    }
    if (work->copy_out == FRAME_COPY_KERNEL) {
        vk_compute_write_copy_set(device, work->slot->copy_out_set, work->write.raw_view,
                                  work->dst.raw_view);
    }
}

/* It copies words, whatever they mean. */
struct vk_compute_kind frame_copy_kind(const struct frame_work *work)
{
    const bool wide = work->src.format->pixel == FOVEA_FORMAT_RGBA16F;
    return (struct vk_compute_kind){.shader.shader = &shader_copy,
                                    .format = wide ? FOVEA_FORMAT_RGBA16F : FOVEA_FORMAT_RGBA8};
}

void frame_copy_record(struct fovea_vk *fovea, const struct frame_work *work,
                       VkCommandBuffer commands, enum frame_way way)
{
    for (uint32_t i = 0; i < work->view_count; i++) {
        const struct frame_view *view = &work->views[i];
        const int32_t engines[2] = {(int32_t)view->x_px, (int32_t)view->y_px};
        const int32_t kernels[2] = {(int32_t)view->kernel_x_px, (int32_t)view->kernel_y_px};
        const int32_t *from = way == FRAME_IN ? engines : kernels;
        const int32_t *to = way == FRAME_IN ? kernels : engines;
        const struct shader_copy constants = {
            .from_px = {from[0], from[1]},
            .to_px = {to[0], to[1]},
            .size_px = {(int32_t)work->view_width_px, (int32_t)work->view_height_px}};
        struct vk_dispatch dispatch = {.kind = frame_copy_kind(work),
                                       .set = way == FRAME_IN ? work->slot->copy_in_set
                                                              : work->slot->copy_out_set,
                                       .constants = &constants,
                                       .constant_bytes = sizeof constants};
        shader_copy_groups(work->view_width_px, work->view_height_px, dispatch.groups);
        vk_compute_record(&fovea->compute, &fovea->device, commands, &dispatch);
    }
}
