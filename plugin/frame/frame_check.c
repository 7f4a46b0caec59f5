/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_work.h"

#include "core/log.h"

VkFormat fovea_vk_raw_format(VkFormat format)
{
    const struct vk_format *found = vk_format_find(format);
    return found ? found->raw : VK_FORMAT_UNDEFINED;
}

static enum fovea_result resolve_made(struct fovea_vk *fovea, const char *name,
                                      const struct fovea_vk_frame_target *given,
                                      struct frame_end *end)
{
    struct fovea_vk_image *made = given->made;
    if (made->fovea != fovea) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "%s was made by another context",
                            name);
    }
    const struct vk_image_desc *desc = &made->shared.image.desc;
    *end = (struct frame_end){.image = made->shared.image.handle,
                              .raw_view = made->shared.image.raw_view,
                              .made = made,
                              .format = desc->format,
                              .width_px = desc->width_px,
                              .height_px = desc->height_px};
    return FOVEA_OK;
}

static enum fovea_result resolve_engines(struct fovea_vk *fovea, const char *name,
                                         const struct fovea_vk_frame_target *given, bool in_advance,
                                         struct frame_end *end)
{
    const struct vk_format *format = vk_format_find(given->format);
    if (!given->image && !in_advance) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "%s has no image", name);
    }
    if (!format) {
        return frame_refuse(fovea, FOVEA_ERROR_UNSUPPORTED,
                            given->format ? "VkFormat %d of %s is not supported; fovea_vulkan.h "
                                            "lists the formats"
                                          : "format is not set (VkFormat %d of %s)",
                            (int)given->format, name);
    }
    if (given->width_px == 0 || given->height_px == 0 || given->width_px > OPERATOR_MAX_SIZE_PX ||
        given->height_px > OPERATOR_MAX_SIZE_PX) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "%s is %ux%u; 1x1 to %dx%d is possible", name, given->width_px,
                            given->height_px, OPERATOR_MAX_SIZE_PX, OPERATOR_MAX_SIZE_PX);
    }
    *end = (struct frame_end){.image = given->image,
                              .raw_view = given->raw_view,
                              .format = format,
                              .width_px = given->width_px,
                              .height_px = given->height_px};
    return FOVEA_OK;
}

/* Whether an image can belong to it. */
static bool is_family(const struct fovea_vk *fovea, uint32_t family)
{
    return family < fovea->device.queue_family_count || family == VK_QUEUE_FAMILY_EXTERNAL ||
           family == VK_QUEUE_FAMILY_FOREIGN_EXT;
}

static enum fovea_result resolve(struct fovea_vk *fovea, const char *name,
                                 const struct fovea_vk_frame_target *given, bool in_advance,
                                 struct frame_end *end)
{
    FOVEA_TRY(given->made ? resolve_made(fovea, name, given, end)
                          : resolve_engines(fovea, name, given, in_advance, end));
    if (given->layout_after == VK_IMAGE_LAYOUT_UNDEFINED ||
        given->layout_after == VK_IMAGE_LAYOUT_PREINITIALIZED) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "layout_after of %s is %s; an image cannot be left in that", name,
                            given->layout_after ? "PREINITIALIZED" : "UNDEFINED, or not set");
    }
    if (given->made && given->layer_count > 1) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "%s is said to have %u layers; images that Fovea made have one", name,
                            given->layer_count);
    }
    if (given->transfer_ownership && !is_family(fovea, given->queue_family)) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "%s is said to belong to queue family %u; the device has %u", name,
                            given->queue_family, fovea->device.queue_family_count);
    }
    end->layer_count = given->layer_count > 0 ? given->layer_count : 1;
    end->layout_before = given->layout_before;
    end->layout_after = given->layout_after;
    bool foreign = given->transfer_ownership && given->queue_family != fovea->device.queue_family;
    end->family = foreign ? given->queue_family : VK_QUEUE_FAMILY_IGNORED;
    return FOVEA_OK;
}

static enum fovea_result check_holders(struct fovea_vk *fovea, const struct frame_work *work)
{
    const struct fovea_vk_image *src = work->src.made;
    const struct fovea_vk_image *dst = work->dst.made;
    if (src && src->holder != FRAME_HELD_BY_ENGINE) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_STATE, "src was not acquired");
    }
    if (dst && dst != src && dst->holder != FRAME_HELD_BY_FOVEA) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_STATE,
                            "dst is still the engine's; release it first");
    }
    return FOVEA_OK;
}

static enum fovea_result check_pair(struct fovea_vk *fovea, const struct frame_work *work)
{
    const struct frame_end *src = &work->src;
    const struct frame_end *dst = &work->dst;
    if (src->width_px != dst->width_px || src->height_px != dst->height_px) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "src is %ux%u, dst %ux%u; they must be the same size", src->width_px,
                            src->height_px, dst->width_px, dst->height_px);
    }
    if (!vk_format_same_words(src->format, dst->format)) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "src has VkFormat %d, dst %d; channels and bits must be the same",
                            (int)src->format->format, (int)dst->format->format);
    }
    if (src->layout_before == VK_IMAGE_LAYOUT_UNDEFINED) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "src comes in layout UNDEFINED and so without contents");
    }
    if (work->in_place && src->layer_count != dst->layer_count) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "src and dst are one image, but src has %u layers, dst %u",
                            src->layer_count, dst->layer_count);
    }
    return work->in_advance ? FOVEA_OK : check_holders(fovea, work);
}

static enum fovea_result check_semaphores(struct fovea_vk *fovea, const char *name,
                                          const struct fovea_vk_semaphore *semaphores,
                                          uint32_t count)
{
    if (count > FOVEA_VK_MAX_SEMAPHORES || (count > 0 && !semaphores)) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "%u %s; at most %d, and not NULL",
                            count, name, FOVEA_VK_MAX_SEMAPHORES);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!semaphores[i].semaphore) {
            return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "semaphore %u of %s is NULL",
                                i, name);
        }
    }
    return FOVEA_OK;
}

enum fovea_result frame_check(struct fovea_vk *fovea, struct frame_work *work)
{
    const struct fovea_vk_frame *desc = work->desc;
    FOVEA_TRY(resolve(fovea, "src", &desc->src, work->in_advance, &work->src));
    FOVEA_TRY(resolve(fovea, "dst", &desc->dst, work->in_advance, &work->dst));
    work->in_place = work->src.image && work->src.image == work->dst.image;
    FOVEA_TRY(check_pair(fovea, work));
    FOVEA_TRY(check_semaphores(fovea, "waits", desc->waits, desc->wait_count));
    FOVEA_TRY(check_semaphores(fovea, "signals", desc->signals, desc->signal_count));
    return frame_views_check(fovea, work);
}
