/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Depths for operators that need them, as programs hand them over to their runtime
 * (XR_KHR_composition_layer_depth). Their swapchains are made such that they can be sampled, and
 * the release of an image is held back until xrEndFrame, as that of colours is. What the runtime
 * gets of them is what the program says.
 *
 * Both eyes have one focus, as a viewer has one accommodation: that of the frame's first view, the
 * left eye's. Two would see different depths at an edge, and one picture would be blurred where the
 * other is sharp. */

#include "plugin/openxr/xr_layer.h"

#include "kernels/chain/chain.h"
#include "plugin/context/context_depth.h"

#include <stdio.h>

enum wrong {
    WRONG_NOTHING,
    WRONG_NONE,
    WRONG_SWAPCHAIN,
    WRONG_OLD,
    WRONG_UNREAD, /* not the program's fault, and for one frame */
    WRONG_PLACE,
    WRONG_SIZE,
    WRONG_RANGE,
};

bool openxr_depth_needed(const struct fovea_settings *settings)
{
    return settings && chain_needs_depth(&settings->operators);
}

enum fovea_result openxr_depth_leave_out(struct fovea_settings *settings)
{
    struct fovea_operators kept = {.count = 0};
    for (uint32_t i = 0; i < settings->operators.count; i++) {
        const struct fovea_operators one = {.count = 1, .order = {settings->operators.order[i]}};
        if (!chain_needs_depth(&one)) {
            kept.order[kept.count++] = settings->operators.order[i];
        }
    }
    if (kept.count > 0) {
        settings->operators = kept;
        return FOVEA_OK;
    }
    settings->operators = config_settings_standard()->operators;
    return fovea_settings_set_double(settings, "foveation.strength", 0, openxr_log());
}

/* ---- Swapchains ---- */

static bool is_format(int64_t format)
{
    return format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_X8_D24_UNORM_PACK32 ||
           format == VK_FORMAT_D24_UNORM_S8_UINT || format == VK_FORMAT_D32_SFLOAT ||
           format == VK_FORMAT_D32_SFLOAT_S8_UINT;
}

/* Those that are made while no operator needs depths stay as the program wants them: an image that
 * can be sampled may cost the program's own drawing more. */
bool openxr_depth_can_read(struct openxr_session *session, const XrSwapchainCreateInfo *info)
{
    pthread_mutex_lock(&session->lock);
    const bool needed = openxr_depth_needed(session->settings);
    pthread_mutex_unlock(&session->lock);
    if (!needed || session->is_vulkan_1_0 || !session->queue) {
        return false;
    }
    const char *why = !is_format(info->format) ? "have a format that Fovea does not know"
                      : info->sampleCount != 1 || info->faceCount != 1 || info->mipCount != 1
                          ? "have samples, faces or mip levels"
                      : info->arraySize > OPENXR_ARRAY ? "have more than 4 layers"
                      : info->createFlags              ? "are static or protected"
                                                       : NULL;
    if (why) {
        openxr_say(FOVEA_LOG_WARNING, "depths of %ux%u (format %d) %s: they are not read",
                   info->width, info->height, (int)info->format, why);
    }
    return !why;
}

/* Only Fovea's layer for Vulkan knows; where it is not there, or has not seen the images, the
 * runtime is believed. */
static bool were_made_otherwise(const struct openxr_swapchain *swapchain)
{
    const struct openxr_session *session = swapchain->session;
    bool any = false;
    for (uint32_t i = 0; session->view_usage && i < swapchain->image_count; i++) {
        const VkImageUsageFlags usage =
            session->view_usage(session->binding.device, swapchain->program_images[i],
                                (VkFormat)swapchain->info.format);
        any = any || (usage && !(usage & VK_IMAGE_USAGE_SAMPLED_BIT));
    }
    return any;
}

void openxr_depth_open(struct openxr_swapchain *swapchain)
{
    swapchain->direct = swapchain->image_count > 0 && !were_made_otherwise(swapchain);
    if (swapchain->direct &&
        !openxr_direct_make_views(swapchain, swapchain->program_images, swapchain->image_count,
                                  VK_IMAGE_USAGE_SAMPLED_BIT, swapchain->program_views)) {
        openxr_direct_close(swapchain);
    }
    if (!swapchain->direct) {
        openxr_say(FOVEA_LOG_WARNING,
                   "the runtime made depths of %ux%u that cannot be sampled, or does not name "
                   "their images: they are not read",
                   swapchain->info.width, swapchain->info.height);
    }
}

bool openxr_depth_holds(const struct openxr_swapchain *swapchain)
{
    return swapchain->depths && swapchain->direct &&
           openxr_depth_needed(swapchain->session->settings);
}

void openxr_depth_wait(struct openxr_session *session)
{
    pthread_mutex_lock(&session->frame_lock);
    pthread_mutex_lock(&session->lock);
    for (struct openxr_swapchain *at = session->swapchains; at; at = at->next) {
        if (at->fovea) {
            fovea_vk_wait(at->fovea);
        }
    }
    pthread_mutex_unlock(&session->lock);
    pthread_mutex_unlock(&session->frame_lock);
}

/* ---- What a program says of them ---- */

const XrCompositionLayerDepthInfoKHR *openxr_depth_info(
    const XrCompositionLayerProjectionView *view)
{
    const XrBaseInStructure *next = view->next;
    while (next && next->type != XR_TYPE_COMPOSITION_LAYER_DEPTH_INFO_KHR) {
        next = next->next;
    }
    return (const XrCompositionLayerDepthInfoKHR *)next;
}

/* The distance of a stored value: 1 / distance goes linearly from nearZ at minDepth to farZ at
 * maxDepth. Below 0: it lies beyond infinity, and no pixel has it. */
static double distance_at(const XrCompositionLayerDepthInfoKHR *info, double value)
{
    const double from = (double)info->minDepth;
    const double part = (value - from) / ((double)info->maxDepth - from);
    const double near_diopters = 1.0 / (double)info->nearZ;
    return 1.0 / (near_diopters + part * (1.0 / (double)info->farZ - near_diopters));
}

static struct fovea_depth values_of(const struct openxr_session *session,
                                    const XrCompositionLayerDepthInfoKHR *info)
{
    struct fovea_depth values;
    fovea_depth_init(&values);
    values.kind = FOVEA_DEPTH_PERSPECTIVE;
    values.zero_m = distance_at(info, 0);
    values.one_m = distance_at(info, 1);
    values.elapsed_s = session->elapsed_s;
    return values;
}

/* A frame would be refused for what its check of values refuses. */
static bool is_range(const struct openxr_session *session,
                     const XrCompositionLayerDepthInfoKHR *info)
{
    const struct fovea_depth values = values_of(session, info);
    char problem[CONTEXT_PROBLEM_BYTES];
    return info->minDepth >= 0 && info->minDepth < info->maxDepth && info->maxDepth <= 1 &&
           info->nearZ > 0 && info->farZ > 0 && context_depth_check_values(&values, problem);
}

static enum wrong look_at(const struct openxr_session *session,
                          const XrCompositionLayerProjectionView *view)
{
    const XrCompositionLayerDepthInfoKHR *info = openxr_depth_info(view);
    if (!info) {
        return WRONG_NONE;
    }
    const struct openxr_swapchain *swapchain =
        openxr_swapchain_of(session, info->subImage.swapchain);
    const XrExtent2Di *size = &info->subImage.imageRect.extent;
    const XrExtent2Di *colours = &view->subImage.imageRect.extent;
    if (!swapchain || !swapchain->depths || !swapchain->direct) {
        return WRONG_SWAPCHAIN;
    }
    if (!swapchain->held) {
        return swapchain->unread ? WRONG_UNREAD : WRONG_OLD;
    }
    if (swapchain->acquired[swapchain->acquired_first] >= swapchain->image_count) {
        return WRONG_SWAPCHAIN; /* the runtime names an image that it has not */
    }
    if (!openxr_swapchain_has(swapchain, &info->subImage)) {
        return WRONG_PLACE;
    }
    if (size->width != colours->width || size->height != colours->height) {
        return WRONG_SIZE;
    }
    return is_range(session, info) ? WRONG_NOTHING : WRONG_RANGE;
}

static void describe(enum wrong wrong, const XrCompositionLayerDepthInfoKHR *info, char *out,
                     size_t bytes)
{
    const XrRect2Di *rect = &info->subImage.imageRect;
    switch (wrong) {
    case WRONG_SWAPCHAIN:
        snprintf(out, bytes, "of the depths' swapchain Fovea reads no images");
        break;
    case WRONG_OLD:
        snprintf(out, bytes, "no image of depths was released for the frame, or too early");
        break;
    case WRONG_PLACE:
        snprintf(out, bytes, "depths of %dx%d at %d, %d of layer %u are not inside their image",
                 rect->extent.width, rect->extent.height, rect->offset.x, rect->offset.y,
                 info->subImage.imageArrayIndex);
        break;
    case WRONG_SIZE:
        snprintf(out, bytes, "depths are %dx%d, which is not the view's size", rect->extent.width,
                 rect->extent.height);
        break;
    case WRONG_RANGE:
        snprintf(out, bytes, "depths from %g to %g say %g m to %g m, which is no perspective",
                 (double)info->minDepth, (double)info->maxDepth, (double)info->nearZ,
                 (double)info->farZ);
        break;
    default:
        snprintf(out, bytes, "the program gives no depths (XR_KHR_composition_layer_depth)");
    }
}

static void tell(struct openxr_session *session, enum wrong wrong,
                 const XrCompositionLayerDepthInfoKHR *info)
{
    static const XrCompositionLayerDepthInfoKHR none = {.type = XR_TYPE_UNKNOWN};
    char text[256];
    if (wrong != WRONG_UNREAD && !(session->warned_depths & 1u << wrong)) {
        session->warned_depths |= 1u << wrong;
        describe(wrong, info ? info : &none, text, sizeof text);
        openxr_say(FOVEA_LOG_WARNING,
                   "%s: the views of such layers are shown without the operators that need them",
                   text);
    }
}

bool openxr_depth_all(struct openxr_session *session, const XrCompositionLayerProjection *layer)
{
    for (uint32_t i = 0; i < layer->viewCount; i++) {
        const enum wrong wrong = look_at(session, &layer->views[i]);
        if (wrong != WRONG_NOTHING) {
            tell(session, wrong, openxr_depth_info(&layer->views[i]));
            return false;
        }
    }
    return true;
}

struct fovea_vk_depth openxr_depth_any(const XrSwapchainCreateInfo *colours,
                                       const struct fovea_depth *values)
{
    return (struct fovea_vk_depth){.view = (VkImageView)(uintptr_t)1, /* that there is one counts */
                                   .format = VK_FORMAT_D32_SFLOAT,
                                   .layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
                                   .width_px = colours->width,
                                   .height_px = colours->height,
                                   .values = values};
}

/* ---- One focus ---- */

void openxr_depth_begin(struct openxr_session *session, XrTime time)
{
    const bool goes_on = session->depth_time > 0 && time > session->depth_time;
    session->elapsed_s = goes_on ? 1e-9 * (double)(time - session->depth_time) : 0;
    session->depth_time = time;
    session->leader = NULL;
}

static VkResult make_memory(struct openxr_session *session)
{
    const XrGraphicsBindingVulkanKHR *binding = &session->binding;
    PFN_vkGetBufferMemoryRequirements needs_of =
        (PFN_vkGetBufferMemoryRequirements)openxr_of_device(binding,
                                                            "vkGetBufferMemoryRequirements");
    PFN_vkGetPhysicalDeviceMemoryProperties properties_of =
        (PFN_vkGetPhysicalDeviceMemoryProperties)openxr_instance_get()(
            binding->instance, "vkGetPhysicalDeviceMemoryProperties");
    PFN_vkAllocateMemory allocate =
        (PFN_vkAllocateMemory)openxr_of_device(binding, "vkAllocateMemory");
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties properties;
    VkMemoryRequirements needs;
    uint32_t type = 0;
    needs_of(binding->device, session->focus, &needs);
    properties_of(binding->physicalDevice, &properties);
    while (type < properties.memoryTypeCount &&
           (!(needs.memoryTypeBits & 1u << type) ||
            (properties.memoryTypes[type].propertyFlags & wanted) != wanted)) {
        type++;
    }
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = needs.size,
                                       .memoryTypeIndex = type};
    return allocate(binding->device, &info, NULL, &session->focus_memory);
}

static VkResult clear_focus(const struct openxr_session *session)
{
    const XrGraphicsBindingVulkanKHR *binding = &session->binding;
    PFN_vkBindBufferMemory bind =
        (PFN_vkBindBufferMemory)openxr_of_device(binding, "vkBindBufferMemory");
    PFN_vkMapMemory map = (PFN_vkMapMemory)openxr_of_device(binding, "vkMapMemory");
    PFN_vkUnmapMemory unmap = (PFN_vkUnmapMemory)openxr_of_device(binding, "vkUnmapMemory");
    void *mapped = NULL;
    VkResult result = bind(binding->device, session->focus, session->focus_memory, 0);
    if (result == VK_SUCCESS) {
        result = map(binding->device, session->focus_memory, 0, FOVEA_VK_FOCUS_BYTES, 0, &mapped);
    }
    if (result == VK_SUCCESS) {
        memset(mapped, 0, FOVEA_VK_FOCUS_BYTES);
        unmap(binding->device, session->focus_memory);
    }
    return result;
}

/* Contexts of several swapchains share it. Without it each has its own focus. */
static void make_focus(struct openxr_session *session)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = FOVEA_VK_FOCUS_BYTES,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    PFN_vkCreateBuffer create =
        (PFN_vkCreateBuffer)openxr_of_device(&session->binding, "vkCreateBuffer");
    session->focus_tried = true;
    if (create(session->binding.device, &info, NULL, &session->focus) != VK_SUCCESS) {
        session->focus = VK_NULL_HANDLE;
    } else if (make_memory(session) != VK_SUCCESS || clear_focus(session) != VK_SUCCESS) {
        openxr_depth_end(session);
    }
    if (!session->focus) {
        openxr_say(FOVEA_LOG_WARNING, "no memory for what both eyes focus on: each has its own");
    }
}

void openxr_depth_end(struct openxr_session *session)
{
    const XrGraphicsBindingVulkanKHR *binding = &session->binding;
    if (session->focus) {
        ((PFN_vkDestroyBuffer)openxr_of_device(binding, "vkDestroyBuffer"))(binding->device,
                                                                            session->focus, NULL);
        ((PFN_vkFreeMemory)openxr_of_device(binding, "vkFreeMemory"))(binding->device,
                                                                      session->focus_memory, NULL);
    }
    session->focus = VK_NULL_HANDLE;
    session->focus_memory = VK_NULL_HANDLE;
}

void openxr_depth_take(struct openxr_session *session, struct openxr_swapchain *colours,
                       const XrCompositionLayerProjectionView *seen, struct openxr_view *view)
{
    const XrCompositionLayerDepthInfoKHR *info = openxr_depth_info(seen);
    const struct openxr_swapchain *swapchain =
        openxr_swapchain_of(session, info->subImage.swapchain);
    const uint32_t image = swapchain->acquired[swapchain->acquired_first];
    const uint32_t layer = info->subImage.imageArrayIndex;
    const XrRect2Di *rect = &info->subImage.imageRect;
    if (!session->focus_tried) {
        make_focus(session);
    }
    view->depth_values = values_of(session, info);
    view->depth =
        (struct fovea_vk_depth){.view = swapchain->program_views[image][layer],
                                .format = (VkFormat)swapchain->info.format,
                                .layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                .x_px = (uint32_t)rect->offset.x,
                                .y_px = (uint32_t)rect->offset.y,
                                .width_px = (uint32_t)rect->extent.width,
                                .height_px = (uint32_t)rect->extent.height,
                                .image = swapchain->program_images[image],
                                .layer = layer,
                                .focus = session->focus,
                                .focus_stays = session->leader && session->focus};
    session->leader = session->leader ? session->leader : colours;
}
