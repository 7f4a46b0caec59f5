/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "screenless.h"

#include <stdlib.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const VkResult tried = (call);                                                             \
        if (tried != VK_SUCCESS) {                                                                 \
            return tried;                                                                          \
        }                                                                                          \
    } while (0)

/* ---- Memory ---------------------------------------------------------------------------------- */

static VkResult allocate(VkMemoryRequirements needs, VkMemoryPropertyFlags wanted, VkImage image,
                         VkDeviceMemory *out_memory)
{
    VkPhysicalDeviceMemoryProperties memory;
    screenless.vk.GetPhysicalDeviceMemoryProperties(screenless.physical, &memory);
    const uint32_t type = vulkan_memory_type(&memory, needs.memoryTypeBits, wanted);
    if (type == memory.memoryTypeCount) {
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    const VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .image = image};
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .pNext = image ? &dedicated : NULL,
                                       .allocationSize = needs.size,
                                       .memoryTypeIndex = type};
    return screenless.vk.AllocateMemory(screenless.device, &info, NULL, out_memory);
}

static VkDeviceSize pixel_bytes(VkFormat format)
{
    return format == VK_FORMAT_R16G16B16A16_SFLOAT   ? 8
           : format == VK_FORMAT_R5G6B5_UNORM_PACK16 ? 2
                                                     : 4;
}

/* Cached, where there is such memory: the program reads all of it. */
static VkResult make_buffer(const VkSwapchainCreateInfoKHR *info, struct screenless_image *image)
{
    const VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = pixel_bytes(info->imageFormat) *
                                               info->imageExtent.width * info->imageExtent.height,
                                       .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    const VkMemoryPropertyFlags seen =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    TRY(screenless.vk.CreateBuffer(screenless.device, &buffer, NULL, &image->buffer));
    VkMemoryRequirements needs;
    screenless.vk.GetBufferMemoryRequirements(screenless.device, image->buffer, &needs);
    if (allocate(needs, seen | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, VK_NULL_HANDLE,
                 &image->buffer_memory) != VK_SUCCESS) {
        TRY(allocate(needs, seen, VK_NULL_HANDLE, &image->buffer_memory));
    }
    TRY(screenless.vk.BindBufferMemory(screenless.device, image->buffer, image->buffer_memory, 0));
    return screenless.vk.MapMemory(screenless.device, image->buffer_memory, 0, VK_WHOLE_SIZE, 0,
                                   (void **)&image->pixels);
}

/* ---- Images ---------------------------------------------------------------------------------- */

static const void *find_format_list(const VkSwapchainCreateInfoKHR *info)
{
    const VkBaseInStructure *s = info->pNext;
    while (s && s->sType != VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO) {
        s = s->pNext;
    }
    return s;
}

static VkImageCreateInfo image_info(const VkSwapchainCreateInfoKHR *info,
                                    VkImageFormatListCreateInfo *list)
{
    const bool is_mutable = info->flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
    const VkImageFormatListCreateInfo *theirs = find_format_list(info);
    if (theirs) {
        *list = *theirs;
        list->pNext = NULL;
    }
    VkImageCreateInfo image =
        vulkan_image_info(info->imageFormat, info->imageExtent.width, info->imageExtent.height,
                          info->imageUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    image.pNext = is_mutable && theirs ? list : NULL;
    image.flags =
        is_mutable ? VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT : 0;
    image.sharingMode = info->imageSharingMode;
    image.queueFamilyIndexCount = info->queueFamilyIndexCount;
    image.pQueueFamilyIndices = info->pQueueFamilyIndices;
    return image;
}

static VkResult make_image(const VkSwapchainCreateInfoKHR *info, struct screenless_image *image)
{
    VkImageFormatListCreateInfo list;
    const VkImageCreateInfo own = image_info(info, &list);
    VkMemoryRequirements needs;
    TRY(screenless.vk.CreateImage(screenless.device, &own, NULL, &image->handle));
    screenless.vk.GetImageMemoryRequirements(screenless.device, image->handle, &needs);
    TRY(allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, image->handle, &image->memory));
    TRY(screenless.vk.BindImageMemory(screenless.device, image->handle, image->memory, 0));
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    TRY(screenless.vk.CreateFence(screenless.device, &fence, NULL, &image->fence));
    if (screenless.times) {
        const VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                               .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                               .queryCount = SCREENLESS_COMMANDS};
        TRY(screenless.vk.CreateQueryPool(screenless.device, &queries, NULL, &image->queries));
    }
    return make_buffer(info, image);
}

static VkResult make_commands(struct screenless_image *image, uint32_t queue)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = screenless.families[queue]};
    TRY(screenless.vk.CreateCommandPool(screenless.device, &pool, NULL, &image->pools[queue]));
    const VkCommandBufferAllocateInfo info =
        vulkan_commands_info(image->pools[queue], SCREENLESS_COMMANDS);
    TRY(screenless.vk.AllocateCommandBuffers(screenless.device, &info, image->commands[queue]));
    for (int i = 0; i < SCREENLESS_COMMANDS; i++) {
        TRY(screenless.set_loader_data(screenless.device, image->commands[queue][i]));
    }
    return VK_SUCCESS;
}

void screenless_wait(struct screenless_image *image)
{
    if (image->presented) {
        screenless.vk.WaitForFences(screenless.device, 1, &image->fence, VK_TRUE, UINT64_MAX);
    }
}

static void destroy_image(struct screenless_image *image)
{
    screenless_wait(image);
    for (uint32_t i = 0; i < SCREENLESS_QUEUES; i++) {
        screenless.vk.DestroyCommandPool(screenless.device, image->pools[i], NULL);
    }
    screenless.vk.DestroyQueryPool(screenless.device, image->queries, NULL);
    screenless.vk.DestroyFence(screenless.device, image->fence, NULL);
    screenless.vk.DestroyBuffer(screenless.device, image->buffer, NULL);
    screenless.vk.FreeMemory(screenless.device, image->buffer_memory, NULL);
    screenless.vk.DestroyImage(screenless.device, image->handle, NULL);
    screenless.vk.FreeMemory(screenless.device, image->memory, NULL);
}

/* ---- Swapchains ------------------------------------------------------------------------------ */

static VKAPI_ATTR void VKAPI_CALL destroy(VkDevice device, VkSwapchainKHR handle,
                                          const VkAllocationCallbacks *allocator)
{
    struct screenless_swapchain *swapchain = (struct screenless_swapchain *)handle;
    if (!swapchain) {
        return;
    }
    for (uint32_t i = 0; i < swapchain->count; i++) {
        destroy_image(&swapchain->images[i]);
    }
    screenless_clock_end();
    if (screenless.swapchain == swapchain) {
        screenless.swapchain = NULL;
        screenless.current = NULL;
    }
    free(swapchain);
}

static VkResult make_all(struct screenless_swapchain *swapchain)
{
    for (uint32_t i = 0; i < swapchain->count; i++) {
        TRY(make_image(&swapchain->info, &swapchain->images[i]));
        for (uint32_t queue = 0; queue < screenless.queue_count; queue++) {
            TRY(make_commands(&swapchain->images[i], queue));
        }
    }
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice device, const VkSwapchainCreateInfoKHR *info,
                                             const VkAllocationCallbacks *allocator,
                                             VkSwapchainKHR *out_swapchain)
{
    VkImageFormatListCreateInfo list;
    const VkImageCreateInfo image = image_info(info, &list);
    VkImageFormatProperties properties;
    if (!screenless_surface_takes(info->imageFormat, info->imageColorSpace) ||
        screenless.vk.GetPhysicalDeviceImageFormatProperties(
            screenless.physical, image.format, image.imageType, image.tiling, image.usage,
            image.flags, &properties) != VK_SUCCESS) {
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    }
    struct screenless_swapchain *swapchain = calloc(1, sizeof *swapchain);
    if (!swapchain) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    screenless_clock_begin(info->presentMode);
    swapchain->info = *info;
    swapchain->count = info->minImageCount;
    const VkResult result = make_all(swapchain);
    if (result != VK_SUCCESS) {
        destroy(device, (VkSwapchainKHR)swapchain, allocator);
        return result;
    }
    screenless.swapchain = swapchain;
    *out_swapchain = (VkSwapchainKHR)swapchain;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_images(VkDevice device, VkSwapchainKHR handle,
                                                 uint32_t *count, VkImage *out_images)
{
    const struct screenless_swapchain *swapchain = (const struct screenless_swapchain *)handle;
    if (!out_images) {
        *count = swapchain->count;
        return VK_SUCCESS;
    }
    const bool all = *count >= swapchain->count;
    *count = all ? swapchain->count : *count;
    for (uint32_t i = 0; i < *count; i++) {
        out_images[i] = swapchain->images[i].handle;
    }
    return all ? VK_SUCCESS : VK_INCOMPLETE;
}

PFN_vkVoidFunction screenless_swapchain_hook(const char *name)
{
    static const struct named_function hooks[] = {
        {"vkCreateSwapchainKHR", (PFN_vkVoidFunction)create},
        {"vkDestroySwapchainKHR", (PFN_vkVoidFunction)destroy},
        {"vkGetSwapchainImagesKHR", (PFN_vkVoidFunction)get_images},
    };
    return NAMED(hooks, name);
}
