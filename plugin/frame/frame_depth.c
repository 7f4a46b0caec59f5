/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_depth.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "plugin/context/context_depth.h"

#include <string.h>

/* Offsets in buffers; more than any device asks for. */
#define PLACE_BYTES 256

_Static_assert(SHADER_FOCUS_BYTES <= PLACE_BYTES, "a place for each view");
_Static_assert(SHADER_FOCUS_BYTES == FOVEA_VK_FOCUS_BYTES, "fovea_vulkan.h says how much it is");

enum fovea_result frame_depth_init(struct fovea_vk *fovea)
{
    FOVEA_TRY(vk_buffer_init_shared(&fovea->focus, &fovea->device, PLACE_BYTES * FOVEA_VK_MAX_VIEWS,
                                    VK_BUFFER_READ_BY_KERNELS));
    memset(fovea->focus.mapped, 0, fovea->focus.bytes);
    return FOVEA_OK;
}

void frame_depth_finish(struct fovea_vk *fovea)
{
    vk_buffer_finish(&fovea->focus, &fovea->device);
}

/* ---- What may be handed over */

static bool is_format(VkFormat format)
{
    static const VkFormat formats[] = {VK_FORMAT_D16_UNORM,          VK_FORMAT_X8_D24_UNORM_PACK32,
                                       VK_FORMAT_D24_UNORM_S8_UINT,  VK_FORMAT_D32_SFLOAT,
                                       VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_R32_SFLOAT,
                                       VK_FORMAT_R16_SFLOAT};
    bool found = false;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        found = found || formats[i] == format;
    }
    return found;
}

static bool is_layout(VkImageLayout layout)
{
    return vk_image_layout_is_read(layout) ||
           layout == VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL ||
           layout == VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL ||
           layout == VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL;
}

/* Returns whether it is an attachment, which is brought to another layout and back. */
static bool is_attachment(const struct fovea_vk_depth *given)
{
    const bool is_color =
        given->format == VK_FORMAT_R32_SFLOAT || given->format == VK_FORMAT_R16_SFLOAT;
    return given->image && !is_color &&
           (given->layout == VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL ||
            given->layout == VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL);
}

static enum fovea_result check_focus(struct fovea_vk *fovea, const struct fovea_vk_depth *given,
                                     uint32_t index)
{
    if (!struct_bytes_are_0(given->reserved, sizeof given->reserved)) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "view %u: depth.reserved is not 0",
                            index);
    }
    return given->focus_offset % PLACE_BYTES == 0
               ? FOVEA_OK
               : frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                              "view %u: depth.focus_offset is %llu, which is no multiple of %d",
                              index, (unsigned long long)given->focus_offset, PLACE_BYTES);
}

static enum fovea_result check_picture(struct fovea_vk *fovea, const struct frame_work *work,
                                       const struct fovea_vk_depth *given, uint32_t index)
{
    if (!is_format(given->format)) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "view %u: depth.format is VkFormat %d, which is no format of depths",
                            index, (int)given->format);
    }
    if (!is_layout(given->layout) && !is_attachment(given)) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "view %u: depth.layout is %d, in which no shader reads depths", index,
                            (int)given->layout);
    }
    if (given->width_px != work->view_width_px || given->height_px != work->view_height_px) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "view %u: depth.width_px and depth.height_px are %ux%u, the view is"
                            " %ux%u; they must be the same",
                            index, given->width_px, given->height_px, work->view_width_px,
                            work->view_height_px);
    }
    if (given->x_px > OPERATOR_MAX_SIZE_PX || given->y_px > OPERATOR_MAX_SIZE_PX) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "view %u: depth.x_px and depth.y_px are %u, %u; at most %d", index,
                            given->x_px, given->y_px, OPERATOR_MAX_SIZE_PX);
    }
    return FOVEA_OK;
}

static enum fovea_result take_values(struct fovea_vk *fovea, const struct fovea_depth *given,
                                     uint32_t index, struct fovea_depth *out)
{
    char problem[CONTEXT_PROBLEM_BYTES];
    if (!given) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "view %u: depth.values is NULL",
                            index);
    }
    if (!struct_take(out, sizeof *out, given)) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "view %u: depth.values: %s", index,
                            struct_refusal(given));
    }
    return context_depth_check_values(out, problem)
               ? FOVEA_OK
               : frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "view %u: %s", index, problem);
}

static VkImageAspectFlags aspects_of(VkFormat format)
{
    const bool is_combined =
        format == VK_FORMAT_D24_UNORM_S8_UINT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
    return VK_IMAGE_ASPECT_DEPTH_BIT | (is_combined ? VK_IMAGE_ASPECT_STENCIL_BIT : 0);
}

static void take_picture(const struct fovea_vk_depth *given, struct frame_view *view)
{
    const bool attachment = is_attachment(given);
    view->depths.x_px = (int32_t)given->x_px;
    view->depths.y_px = (int32_t)given->y_px;
    view->depths.focus_stays = given->focus_stays;
    view->depth = given->view;
    view->depth_layout =
        attachment ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL : given->layout;
    view->depth_attachment = attachment ? given->image : VK_NULL_HANDLE;
    view->depth_attachment_layout = given->layout;
    view->depth_layer = given->layer;
    view->depth_aspects = aspects_of(given->format);
    view->focus = given->focus;
    view->focus_offset = given->focus_offset;
}

enum fovea_result frame_depth_check(struct fovea_vk *fovea, const struct frame_work *work,
                                    const struct fovea_vk_depth *given, uint32_t index,
                                    struct frame_view *view)
{
    if (!chain_needs_depth(&fovea->settings.operators)) {
        return FOVEA_OK;
    }
    if (!given->view) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "operators: one of them needs a picture of depths, and view %u has"
                            " none (depth.view); frames stay as they were drawn",
                            index);
    }
    FOVEA_TRY(check_picture(fovea, work, given, index));
    FOVEA_TRY(check_focus(fovea, given, index));
    FOVEA_TRY(take_values(fovea, given->values, index, &view->depths.values));
    if (view->depths.values.vergence_m == 0.0) {
        view->depths.values.vergence_m = work->desc->vergence_m;
    }
    take_picture(given, view);
    return FOVEA_OK;
}

/* ---- A frame */

bool frame_depth_needed(struct fovea_vk *fovea)
{
    const bool needed = chain_needs_depth(&fovea->settings.operators);
    if (needed && fovea->peer && !fovea->depth_said) {
        log_info(fovea->log, "frame: compute shaders make frames with depths; %s has no part",
                 fovea->peer->api->name);
        fovea->depth_said = true;
    }
    return needed;
}

void frame_depth_bind(const struct fovea_vk *fovea, const struct frame_work *work, uint32_t index,
                      const struct operator_step *step, struct vk_compute_bindings *bindings)
{
    const struct frame_view *view = &work->views[index];
    const VkDeviceSize own = view->depths.focus_stays ? 0 : (VkDeviceSize)PLACE_BYTES * index;
    bindings->focus = view->focus ? view->focus : fovea->focus.handle;
    bindings->focus_offset = view->focus ? view->focus_offset : own;
    bindings->picture = step->reads_depths ? view->depth : view->sigmas.view;
    bindings->picture_layout = step->reads_depths ? view->depth_layout : view->sigmas.layout;
}

/* Views may have parts of one picture. */
static bool is_met_before(const struct frame_work *work, uint32_t index)
{
    bool found = false;
    for (uint32_t i = 0; i < index; i++) {
        found = found || (work->views[i].depth_attachment == work->views[index].depth_attachment &&
                          work->views[i].depth_layer == work->views[index].depth_layer);
    }
    return found;
}

static const VkAccessFlags as_attachment =
    VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;

static VkImageMemoryBarrier barrier_of(const struct frame_view *view, bool to_shaders)
{
    const VkImageLayout attachment = view->depth_attachment_layout;
    return (VkImageMemoryBarrier){
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = to_shaders ? as_attachment | VK_ACCESS_MEMORY_WRITE_BIT : 0,
        .dstAccessMask =
            to_shaders ? VK_ACCESS_SHADER_READ_BIT
                       : as_attachment | VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = to_shaders ? attachment : view->depth_layout,
        .newLayout = to_shaders ? view->depth_layout : attachment,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = view->depth_attachment,
        .subresourceRange = {view->depth_aspects, 0, 1, view->depth_layer, 1}};
}

static void change_layouts(struct fovea_vk *fovea, const struct frame_work *work,
                           VkCommandBuffer commands, bool to_shaders)
{
    const VkPipelineStageFlags others = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkPipelineStageFlags shaders = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    VkImageMemoryBarrier barriers[FOVEA_VK_MAX_VIEWS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->view_count; i++) {
        if (work->views[i].depth_attachment && !is_met_before(work, i)) {
            barriers[count++] = barrier_of(&work->views[i], to_shaders);
        }
    }
    if (count > 0) {
        fovea->device.vk.CmdPipelineBarrier(commands, to_shaders ? others : shaders,
                                            to_shaders ? shaders : others, 0, 0, NULL, 0, NULL,
                                            count, barriers);
    }
}

void frame_depth_record(struct fovea_vk *fovea, const struct frame_work *work,
                        VkCommandBuffer commands)
{
    const VkMemoryBarrier drawn = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_SHADER_READ_BIT};
    if (work->views[0].depth) {
        fovea->device.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &drawn, 0,
                                            NULL, 0, NULL);
    }
    change_layouts(fovea, work, commands, true);
}

void frame_depth_record_back(struct fovea_vk *fovea, const struct frame_work *work,
                             VkCommandBuffer commands)
{
    change_layouts(fovea, work, commands, false);
}
