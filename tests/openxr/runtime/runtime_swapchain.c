/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Swapchains, whose images go round in one order, and what was released last, read back. */

#include "runtime.h"

#include "tests/support/vulkan_parts.h"

#include <stdio.h>
#include <stdlib.h>

static struct swapchain *swapchains;

static const int64_t formats[] = {VK_FORMAT_R8G8B8A8_SRGB,
                                  VK_FORMAT_B8G8R8A8_SRGB,
                                  VK_FORMAT_R8G8B8A8_UNORM,
                                  VK_FORMAT_R16G16B16A16_SFLOAT,
                                  VK_FORMAT_R16G16B16A16_UNORM,
                                  VK_FORMAT_D32_SFLOAT,
                                  VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                  VK_FORMAT_D16_UNORM,
                                  VK_FORMAT_D24_UNORM_S8_UINT,
                                  VK_FORMAT_D32_SFLOAT_S8_UINT};

struct swapchain *runtime_swapchain_of(XrSwapchain handle)
{
    struct swapchain *found = swapchains;
    while (found && found != (struct swapchain *)handle) {
        found = found->next;
    }
    return found;
}

RUNTIME_CALL(xrEnumerateSwapchainFormats, XrSession session, uint32_t capacity, uint32_t *count,
             int64_t *out_formats)
{
    RUNTIME_LOCKED;
    RUNTIME_REFUSE_IF(!runtime_is_session(session), XR_ERROR_HANDLE_INVALID, "no session");
    *count = ((const struct session *)session)->device ? sizeof formats / sizeof formats[0] : 0;
    for (uint32_t i = 0; i < *count && capacity >= *count; i++) {
        out_formats[i] = formats[i];
    }
    return capacity == 0 || capacity >= *count ? XR_SUCCESS : XR_ERROR_SIZE_INSUFFICIENT;
}

static bool is_depth(const struct swapchain *chain)
{
    return chain->info.usageFlags & XR_SWAPCHAIN_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
}

bool runtime_has_depths(const XrSwapchainSubImage *image)
{
    return is_depth(runtime_swapchain_of(image->swapchain));
}

static VkImageAspectFlags aspects_of(const struct swapchain *chain)
{
    const bool stencil = chain->info.format == VK_FORMAT_D24_UNORM_S8_UINT ||
                         chain->info.format == VK_FORMAT_D32_SFLOAT_S8_UINT;
    return !is_depth(chain)
               ? VK_IMAGE_ASPECT_COLOR_BIT
               : VK_IMAGE_ASPECT_DEPTH_BIT | (stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0);
}

static VkImageLayout layout_of(const struct swapchain *chain)
{
    return is_depth(chain) ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
                           : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
}

static VkImageUsageFlags usage_of(XrSwapchainUsageFlags flags)
{
    static const struct {
        XrSwapchainUsageFlags xr;
        VkImageUsageFlags vk;
    } usages[] = {
        {XR_SWAPCHAIN_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT},
        {XR_SWAPCHAIN_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
         VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT},
        {XR_SWAPCHAIN_USAGE_UNORDERED_ACCESS_BIT, VK_IMAGE_USAGE_STORAGE_BIT},
        {XR_SWAPCHAIN_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_USAGE_TRANSFER_SRC_BIT},
        {XR_SWAPCHAIN_USAGE_TRANSFER_DST_BIT, VK_IMAGE_USAGE_TRANSFER_DST_BIT},
        {XR_SWAPCHAIN_USAGE_SAMPLED_BIT, VK_IMAGE_USAGE_SAMPLED_BIT},
    };
    VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT; /* its own, to read it back */
    for (size_t i = 0; i < sizeof usages / sizeof usages[0]; i++) {
        usage |= flags & usages[i].xr ? usages[i].vk : 0;
    }
    return usage;
}

/* Commands of the runtime's on the program's queue, which it waits for. */
static VkCommandBuffer begin(const struct session *session)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo info = vulkan_commands_info(session->pool, 1);
    const VkCommandBufferBeginInfo once = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (vkAllocateCommandBuffers(session->device, &info, &commands) != VK_SUCCESS ||
        vkBeginCommandBuffer(commands, &once) != VK_SUCCESS) {
        abort();
    }
    return commands;
}

static void end(const struct session *session, VkCommandBuffer commands)
{
    const VkSubmitInfo info = vulkan_submit_info(&commands);
    if (vkEndCommandBuffer(commands) != VK_SUCCESS ||
        vkQueueSubmit(session->queue, 1, &info, VK_NULL_HANDLE) != VK_SUCCESS ||
        vkQueueWaitIdle(session->queue) != VK_SUCCESS) {
        abort();
    }
    vkFreeCommandBuffers(session->device, session->pool, 1, &commands);
}

/* An image that may lie anywhere would lie in the CPU's memory, which NVIDIA's driver lists first.
 */
static uint32_t memory_type(const struct session *session, uint32_t bits, bool mappable)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(session->physical_device, &memory);
    return vulkan_memory_type(&memory, bits,
                              mappable ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                                       : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

/* Images that are seen in other formats may have usages that their own lacks: no device stores to
 * sRGB. */
static VkImageCreateFlags flags_of(XrSwapchainUsageFlags flags)
{
    return flags & XR_SWAPCHAIN_USAGE_MUTABLE_FORMAT_BIT
               ? VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT
               : 0;
}

static bool make_image(struct swapchain *chain, uint32_t i)
{
    const struct session *session = chain->session;
    const XrSwapchainCreateInfo *info = &chain->info;
    const XrSwapchainUsageFlags made_for =
        info->usageFlags & ~(XrSwapchainUsageFlags)runtime_number("FOVEA_TEST_XR_IGNORES", 0);
    VkImageCreateInfo image =
        vulkan_image_info((VkFormat)info->format, info->width, info->height, usage_of(made_for));
    image.flags = flags_of(made_for);
    image.mipLevels = info->mipCount;
    image.arrayLayers = info->arraySize;
    VkMemoryRequirements needs;
    if (vkCreateImage(session->device, &image, NULL, &chain->images[i]) != VK_SUCCESS) {
        return false;
    }
    vkGetImageMemoryRequirements(session->device, chain->images[i], &needs);
    const VkMemoryAllocateInfo memory =
        vulkan_memory_info(needs.size, memory_type(session, needs.memoryTypeBits, false));
    return vkAllocateMemory(session->device, &memory, NULL, &chain->memory[i]) == VK_SUCCESS &&
           vkBindImageMemory(session->device, chain->images[i], chain->memory[i], 0) == VK_SUCCESS;
}

/* The queue is the runtime's in no call that makes a swapchain: an image gets its layout when it is
 * acquired for the first time. They are so in their order. */
static void lay_out(struct swapchain *chain, uint32_t i)
{
    if (i == chain->laid_out) {
        VkCommandBuffer commands = begin(chain->session);
        vulkan_record_layout(commands, chain->images[i], aspects_of(chain),
                             VK_IMAGE_LAYOUT_UNDEFINED, layout_of(chain));
        end(chain->session, commands);
        chain->laid_out++;
    }
}

static void drop(struct swapchain *chain)
{
    for (struct swapchain **at = &swapchains; *at; at = &(*at)->next) {
        if (*at == chain) {
            *at = chain->next;
            break;
        }
    }
    for (uint32_t i = 0; i < chain->image_count; i++) {
        vkDestroyImage(chain->session->device, chain->images[i], NULL);
        vkFreeMemory(chain->session->device, chain->memory[i], NULL);
    }
    free(chain);
}

void runtime_swapchains_gone(struct session *session)
{
    for (struct swapchain *chain = swapchains, *next; chain; chain = next) {
        next = chain->next;
        if (chain->session == session) {
            drop(chain);
        }
    }
}

RUNTIME_CALL(xrCreateSwapchain, XrSession session, const XrSwapchainCreateInfo *info,
             XrSwapchain *out)
{
    RUNTIME_LOCKED;
    const XrResult scripted = runtime_scripted(__func__);
    RUNTIME_TRY(scripted);
    RUNTIME_REFUSE_IF(!info, XR_ERROR_VALIDATION_FAILURE, "nothing");
    bool known = false;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        known |= formats[i] == info->format;
    }
    RUNTIME_REFUSE_IF(!runtime_is_session(session), XR_ERROR_HANDLE_INVALID, "no session");
    known &= ((const struct session *)session)->device != VK_NULL_HANDLE;
    RUNTIME_REFUSE_IF(!known, XR_ERROR_SWAPCHAIN_FORMAT_UNSUPPORTED, "format");
    RUNTIME_REFUSE_IF(info->faceCount != 1 || info->sampleCount != 1 || info->width == 0 ||
                          info->height == 0 || info->arraySize == 0 || info->mipCount == 0,
                      XR_ERROR_FEATURE_UNSUPPORTED, "shape");
    if (info->usageFlags & runtime_number("FOVEA_TEST_XR_USAGE", 0)) {
        runtime_say("no usage %#x", (unsigned)info->usageFlags);
        return XR_ERROR_FEATURE_UNSUPPORTED;
    }
    struct swapchain *chain = calloc(1, sizeof *chain);
    if (!chain) {
        return XR_ERROR_OUT_OF_MEMORY;
    }
    chain->session = (struct session *)session;
    chain->info = *info;
    chain->foveated = false;
    for (const XrBaseInStructure *next = info->next; next; next = next->next) {
        chain->foveated |= next->type == XR_TYPE_SWAPCHAIN_CREATE_INFO_FOVEATION_FB;
    }
    chain->info.next = NULL;
    chain->released = -1;
    chain->next = swapchains;
    swapchains = chain;
    const uint32_t count = info->createFlags & XR_SWAPCHAIN_CREATE_STATIC_IMAGE_BIT
                               ? 1
                               : runtime_number("FOVEA_TEST_XR_IMAGES", RUNTIME_IMAGES);
    while (chain->image_count < count && make_image(chain, chain->image_count++)) {
    }
    if (chain->memory[count - 1] == VK_NULL_HANDLE) {
        drop(chain);
        return runtime_refuse(XR_ERROR_RUNTIME_FAILURE, __func__, "no image");
    }
    runtime_say("swapchain %p %ux%ux%u usage %#x", (void *)chain, info->width, info->height,
                info->arraySize, (unsigned)info->usageFlags);
    *out = (XrSwapchain)chain;
    return scripted;
}

RUNTIME_CALL(xrDestroySwapchain, XrSwapchain handle)
{
    RUNTIME_LOCKED;
    struct swapchain *chain = runtime_swapchain_of(handle);
    RUNTIME_REFUSE_IF(!chain, XR_ERROR_HANDLE_INVALID, "no swapchain");
    runtime_say("gone %p", (void *)chain);
    drop(chain);
    return XR_SUCCESS;
}

RUNTIME_CALL(xrEnumerateSwapchainImages, XrSwapchain handle, uint32_t capacity, uint32_t *count,
             XrSwapchainImageBaseHeader *images)
{
    RUNTIME_LOCKED;
    RUNTIME_TRY(runtime_scripted(__func__));
    const struct swapchain *chain = runtime_swapchain_of(handle);
    RUNTIME_REFUSE_IF(!chain, XR_ERROR_HANDLE_INVALID, "no swapchain");
    *count = chain->image_count;
    const char *answer = runtime_answer(__func__);
    const bool none = answer && *answer == 'n';
    for (uint32_t i = 0; i < *count && capacity >= *count; i++) {
        ((XrSwapchainImageVulkanKHR *)images)[i].image = none ? VK_NULL_HANDLE : chain->images[i];
    }
    if (answer && !none) {
        *count = (uint32_t)strtoul(answer, NULL, 10);
        return XR_SUCCESS;
    }
    return capacity == 0 || capacity >= *count ? XR_SUCCESS : XR_ERROR_SIZE_INSUFFICIENT;
}

RUNTIME_CALL(xrAcquireSwapchainImage, XrSwapchain handle, const XrSwapchainImageAcquireInfo *info,
             uint32_t *index)
{
    RUNTIME_LOCKED;
    const XrResult scripted = runtime_scripted(__func__);
    RUNTIME_TRY(scripted);
    struct swapchain *chain = runtime_swapchain_of(handle);
    RUNTIME_REFUSE_IF(!chain, XR_ERROR_HANDLE_INVALID, "no swapchain");
    RUNTIME_REFUSE_IF(chain->acquired_count == chain->image_count || chain->static_taken,
                      XR_ERROR_CALL_ORDER_INVALID, "no image is left");
    *index = (chain->acquired_from + chain->acquired_count++) % chain->image_count;
    chain->static_taken = chain->info.createFlags & XR_SWAPCHAIN_CREATE_STATIC_IMAGE_BIT;
    lay_out(chain, *index);
    const char *answer = runtime_answer(__func__);
    *index = answer ? (uint32_t)strtoul(answer, NULL, 10) : *index;
    return scripted;
}

RUNTIME_CALL(xrWaitSwapchainImage, XrSwapchain handle, const XrSwapchainImageWaitInfo *info)
{
    RUNTIME_LOCKED;
    const XrResult scripted = runtime_scripted(__func__);
    if (scripted < 0 || scripted == XR_TIMEOUT_EXPIRED) {
        return scripted;
    }
    struct swapchain *chain = runtime_swapchain_of(handle);
    RUNTIME_REFUSE_IF(!chain, XR_ERROR_HANDLE_INVALID, "no swapchain");
    RUNTIME_REFUSE_IF(chain->acquired_count == 0 || chain->waited, XR_ERROR_CALL_ORDER_INVALID,
                      "not acquired, or waited for");
    chain->waited = true;
    return scripted;
}

RUNTIME_CALL(xrReleaseSwapchainImage, XrSwapchain handle, const XrSwapchainImageReleaseInfo *info)
{
    RUNTIME_LOCKED;
    const XrResult scripted = runtime_scripted(__func__);
    RUNTIME_TRY(scripted);
    struct swapchain *chain = runtime_swapchain_of(handle);
    RUNTIME_REFUSE_IF(!chain, XR_ERROR_HANDLE_INVALID, "no swapchain");
    RUNTIME_REFUSE_IF(!chain->waited, XR_ERROR_CALL_ORDER_INVALID, "not waited for");
    if (chain->acquired_count > 1) {
        runtime_say("release of %p with the next image acquired", (void *)chain);
    }
    chain->released = (int32_t)chain->acquired_from;
    chain->acquired_from = (chain->acquired_from + 1) % chain->image_count;
    chain->acquired_count--;
    chain->waited = false;
    runtime_say("released %p", (void *)chain);
    return scripted;
}

static VkBuffer make_buffer(const struct session *session, VkDeviceSize bytes,
                            VkDeviceMemory *out_memory)
{
    VkBuffer buffer = VK_NULL_HANDLE;
    VkMemoryRequirements needs;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = bytes,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    if (vkCreateBuffer(session->device, &info, NULL, &buffer) != VK_SUCCESS) {
        abort();
    }
    vkGetBufferMemoryRequirements(session->device, buffer, &needs);
    const VkMemoryAllocateInfo memory =
        vulkan_memory_info(needs.size, memory_type(session, needs.memoryTypeBits, true));
    if (vkAllocateMemory(session->device, &memory, NULL, out_memory) != VK_SUCCESS ||
        vkBindBufferMemory(session->device, buffer, *out_memory, 0) != VK_SUCCESS) {
        abort();
    }
    return buffer;
}

static uint32_t texel_bytes_of(int64_t format)
{
    return format == VK_FORMAT_R16G16B16A16_SFLOAT || format == VK_FORMAT_R16G16B16A16_UNORM ? 8
           : format == VK_FORMAT_D16_UNORM                                                   ? 2
                                                                                             : 4;
}

void runtime_write(struct session *session, const XrSwapchainSubImage *image, const XrView *view,
                   uint32_t layer, uint32_t index)
{
    const struct swapchain *chain = runtime_swapchain_of(image->swapchain);
    const uint32_t width = (uint32_t)image->imageRect.extent.width;
    const uint32_t height = (uint32_t)image->imageRect.extent.height;
    const size_t bytes = (size_t)width * height * texel_bytes_of(chain->info.format);
    const VkBufferImageCopy region = {
        .imageSubresource = {is_depth(chain) ? VK_IMAGE_ASPECT_DEPTH_BIT
                                             : VK_IMAGE_ASPECT_COLOR_BIT,
                             0, image->imageArrayIndex, 1},
        .imageOffset = {image->imageRect.offset.x, image->imageRect.offset.y, 0},
        .imageExtent = {width, height, 1}};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkBuffer buffer = make_buffer(session, bytes, &memory);
    VkImage source = chain->images[chain->released];
    VkCommandBuffer commands = begin(session);
    vulkan_record_layout(commands, source, aspects_of(chain), layout_of(chain),
                         VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(commands, source, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1,
                           &region);
    vulkan_record_layout(commands, source, aspects_of(chain), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                         layout_of(chain));
    end(session, commands);

    char path[1024];
    void *texels = NULL;
    snprintf(path, sizeof path, "%s/frame%u-layer%u-%s%u.raw", runtime_out(), session->frames,
             layer, is_depth(chain) ? "depth" : "view", index);
    FILE *file = fopen(path, "wb");
    if (file && vkMapMemory(session->device, memory, 0, bytes, 0, &texels) == VK_SUCCESS) {
        fwrite(texels, 1, bytes, file);
    }
    if (texels && view) {
        runtime_say("view frame %u layer %u view %u swapchain %p %ux%u format %d fov %.6f %.6f "
                    "%.6f %.6f",
                    session->frames, layer, index, (const void *)chain, width, height,
                    (int)chain->info.format, (double)view->fov.angleLeft,
                    (double)view->fov.angleRight, (double)view->fov.angleUp,
                    (double)view->fov.angleDown);
    }
    if (file) {
        fclose(file);
    }
    vkDestroyBuffer(session->device, buffer, NULL);
    vkFreeMemory(session->device, memory, NULL);
}
