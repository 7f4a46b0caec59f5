/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fault.h"

#include <alloca.h>
#include <stdio.h>
#include <string.h>

static unsigned presents, submits; /* of the program; of Fovea */
static unsigned with_regions;
static unsigned stuck_submits; /* of Fovea, that will fail */

#define FOVEAS fault_is_foveas(__builtin_return_address(0))

/* ---- Submits --------------------------------------------------------------------------------- */

/* Only what others wait for or have signalled: Fovea's own timeline goes on. */
static bool is_binary(const uint64_t *values, uint32_t value_count, uint32_t i)
{
    return !values || i >= value_count || values[i] == 0;
}

static const VkTimelineSemaphoreSubmitInfo *values_of(const VkSubmitInfo *info)
{
    const VkBaseInStructure *s = info->pNext;
    while (s && s->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO) {
        s = s->pNext;
    }
    return (const VkTimelineSemaphoreSubmitInfo *)s;
}

/* A frame of Fovea's has few: the binary ones come first or last, so dropping some
 * keeps the order of the values where all that is left is the one timeline. */
static uint32_t keep_timelines(VkSemaphore *kept, uint64_t *kept_values, const VkSemaphore *all,
                               uint32_t count, const uint64_t *values, uint32_t value_count)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_binary(values, value_count, i)) {
            kept[left] = all[i];
            kept_values[left++] = values[i];
        }
    }
    return left;
}

static VkResult submit_without(VkQueue queue, const VkSubmitInfo *info, VkFence fence)
{
    VkSubmitInfo own = *info;
    VkTimelineSemaphoreSubmitInfo values = {.sType =
                                                VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    if (values_of(info)) {
        values = *values_of(info);
        own.pNext = &values;
    }
    const uint32_t most = info->waitSemaphoreCount + info->signalSemaphoreCount + 1;
    VkSemaphore *semaphores = alloca(most * sizeof *semaphores);
    uint64_t *numbers = alloca(most * sizeof *numbers);
    if (fault_is("signal")) {
        own.signalSemaphoreCount =
            keep_timelines(semaphores, numbers, info->pSignalSemaphores, info->signalSemaphoreCount,
                           values.pSignalSemaphoreValues, values.signalSemaphoreValueCount);
        own.pSignalSemaphores = semaphores;
        values.pSignalSemaphoreValues = numbers;
        values.signalSemaphoreValueCount = own.signalSemaphoreCount;
    } else {
        own.waitSemaphoreCount =
            keep_timelines(semaphores, numbers, info->pWaitSemaphores, info->waitSemaphoreCount,
                           values.pWaitSemaphoreValues, values.waitSemaphoreValueCount);
        own.pWaitSemaphores = semaphores;
        values.pWaitSemaphoreValues = numbers;
        values.waitSemaphoreValueCount = own.waitSemaphoreCount;
    }
    return fault_next.QueueSubmit(queue, 1, &own, fence);
}

/* When each fence of Fovea's was submitted last: by the number of presents then. */
#define MAX_FENCES 64
#define LATE_PRESENTS 11
static struct {
    VkFence fence;
    unsigned presents;
} fences[MAX_FENCES];

static void note_fence(VkFence fence)
{
    uint32_t i = 0;
    while (i < MAX_FENCES - 1 && fences[i].fence && fences[i].fence != fence) {
        i++;
    }
    fences[i].fence = fence;
    fences[i].presents = presents;
}

static VKAPI_ATTR VkResult VKAPI_CALL fence_status(VkDevice device, VkFence fence)
{
    for (uint32_t i = 0; i < MAX_FENCES && fault_is("late-fences"); i++) {
        if (fences[i].fence == fence && presents < fences[i].presents + LATE_PRESENTS) {
            return VK_NOT_READY;
        }
    }
    return fault_next.GetFenceStatus(device, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_submit(VkQueue queue, uint32_t count,
                                                   const VkSubmitInfo *infos, VkFence fence)
{
    if (!FOVEAS) {
        return fault_next.QueueSubmit(queue, count, infos, fence);
    }
    submits++;
    note_fence(fence);
    if (stuck_submits > 0) {
        stuck_submits--;
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    const VkResult nth = fault_nth(__builtin_return_address(0), "QueueSubmit");
    if (nth != VK_SUCCESS) {
        return nth;
    }
    if (fault_is("submit") && submits >= 3 && submits <= 5) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (fault_is("fourth") && submits == 4) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (fault_is("lost-half") && submits == 4) {
        return VK_ERROR_DEVICE_LOST;
    }
    if ((fault_is("fifth") || fault_is("fifth-present")) && (submits == 4 || submits == 5)) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (fault_is("lost") && submits >= 3) {
        return VK_ERROR_DEVICE_LOST;
    }
    return count == 1 && (fault_is("signal") || fault_is("wait"))
               ? submit_without(queue, infos, fence)
               : fault_next.QueueSubmit(queue, count, infos, fence);
}

/* ---- The others ------------------------------------------------------------------------------ */

/* Its parameters are Vulkan's. NOLINTNEXTLINE(readability-function-size) */
static VKAPI_ATTR void VKAPI_CALL cmd_pipeline_barrier(
    VkCommandBuffer commands, VkPipelineStageFlags src, VkPipelineStageFlags dst,
    VkDependencyFlags flags, uint32_t memory_count, const VkMemoryBarrier *memories,
    uint32_t buffer_count, const VkBufferMemoryBarrier *buffers, uint32_t image_count,
    const VkImageMemoryBarrier *images)
{
    VkImageMemoryBarrier own;
    if (image_count == 1 && FOVEAS && fault_is("layout") &&
        images[0].oldLayout != VK_IMAGE_LAYOUT_UNDEFINED) {
        own = images[0];
        own.oldLayout = images[0].newLayout;
        own.newLayout = images[0].oldLayout;
        images = &own;
    }
    fault_next.CmdPipelineBarrier(commands, src, dst, flags, memory_count, memories, buffer_count,
                                  buffers, image_count, images);
}

static VKAPI_ATTR VkResult VKAPI_CALL surface_capabilities(VkPhysicalDevice physical,
                                                           VkSurfaceKHR surface,
                                                           VkSurfaceCapabilitiesKHR *out)
{
    const VkResult result =
        fault_next.GetPhysicalDeviceSurfaceCapabilitiesKHR(physical, surface, out);
    if (fault_is("usage")) {
        out->supportedUsageFlags &= ~(VkImageUsageFlags)VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    }
    if (fault_is("storage")) {
        out->supportedUsageFlags &= ~(VkImageUsageFlags)VK_IMAGE_USAGE_STORAGE_BIT;
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL image_format(VkPhysicalDevice physical,
                                                   const VkPhysicalDeviceImageFormatInfo2 *info,
                                                   VkImageFormatProperties2 *out)
{
    const bool extended = info->flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
    const bool mapped = info->tiling == VK_IMAGE_TILING_LINEAR;
    return FOVEAS && ((fault_is("format") && extended) || (fault_is("mapped") && mapped))
               ? VK_ERROR_FORMAT_NOT_SUPPORTED
               : fault_next.GetPhysicalDeviceImageFormatProperties2(physical, info, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL device_extensions(VkPhysicalDevice physical,
                                                        const char *layer, uint32_t *count,
                                                        VkExtensionProperties *out)
{
    const uint32_t room = *count;
    const VkResult result =
        fault_next.EnumerateDeviceExtensionProperties(physical, layer, count, out);
    if (result == VK_SUCCESS && fault_is("sharing") && FOVEAS && (!out || *count < room)) {
        if (out) {
            strcpy(out[*count].extensionName, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
        }
        ++*count;
    }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_swapchain(VkDevice device,
                                                       const VkSwapchainCreateInfoKHR *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkSwapchainKHR *out_swapchain)
{
    const bool copied = info->imageUsage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    const bool several = info->flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
    return (fault_is("swapchain") && copied) || (fault_is("mutable") && several)
               ? VK_ERROR_INITIALIZATION_FAILED
               : fault_next.CreateSwapchainKHR(device, info, allocator, out_swapchain);
}

/* Fovea hands the program's views on, too; its own see pixels as whole words. */
static bool is_own_view(const VkImageViewCreateInfo *info)
{
    return info->format == VK_FORMAT_R32_UINT || info->format == VK_FORMAT_R16G16B16A16_UINT;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_image_view(VkDevice device,
                                                        const VkImageViewCreateInfo *info,
                                                        const VkAllocationCallbacks *allocator,
                                                        VkImageView *out_view)
{
    static uint32_t views;
    const VkResult nth =
        is_own_view(info) ? fault_nth(__builtin_return_address(0), "CreateImageView") : VK_SUCCESS;
    if (nth != VK_SUCCESS) {
        return nth;
    }
    return FOVEAS && ++views == 2 && fault_is("view")
               ? VK_ERROR_OUT_OF_HOST_MEMORY
               : fault_next.CreateImageView(device, info, allocator, out_view);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice device,
                                                       const VkSemaphoreCreateInfo *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkSemaphore *out_semaphore)
{
    const VkResult nth = fault_nth(__builtin_return_address(0), "CreateSemaphore");
    if (nth != VK_SUCCESS) {
        return nth;
    }
    if (fault_is("semaphore") && FOVEAS) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    const VkResult result = fault_next.CreateSemaphore(device, info, allocator, out_semaphore);
    fault_made(__builtin_return_address(0), "CreateSemaphore", result);
    return result;
}

static bool has_regions(const VkPresentInfoKHR *info)
{
    const VkBaseInStructure *s = info->pNext;
    while (s && s->sType != VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR) {
        s = s->pNext;
    }
    return s != NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_present(VkQueue queue, const VkPresentInfoKHR *info)
{
    presents++;
    with_regions += has_regions(info);
    if (presents == 2 && fault_is("fifth-present")) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (presents == 3 && (fault_is("present-khr") || fault_is("present-ext"))) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (presents == 3 && fault_is("present-device")) {
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    if ((presents == 3 && (fault_is("present") || fault_is("present-stuck"))) ||
        ((presents == 3 || presents == 4) && fault_is("present-twice"))) {
        stuck_submits = fault_is("present-stuck") ? 2 : 0;
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    const VkResult result = fault_next.QueuePresentKHR(queue, info);
    return presents != 3                  ? result
           : fault_is("present-outdated") ? VK_ERROR_OUT_OF_DATE_KHR
           : fault_is("present-surface")  ? VK_ERROR_SURFACE_LOST_KHR
                                          : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL release_images(VkDevice device, const void *info)
{
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device,
                                                 const VkAllocationCallbacks *allocator)
{
    fprintf(stderr, "fault: %u presents, %u submits of Fovea\n", presents, submits);
    fprintf(stderr, "fault: %u presents with regions\n", with_regions);
    fault_nth_report();
    presents = submits = with_regions = 0;
    fault_next.DestroyDevice(device, allocator);
}

#define CALL(name, function)                                                                       \
    {                                                                                              \
        name, (PFN_vkVoidFunction)function                                                         \
    }
static const struct named_function calls[] = {
    CALL("vkCmdPipelineBarrier", cmd_pipeline_barrier),
    CALL("vkCreateImageView", create_image_view),
    CALL("vkCreateSemaphore", create_semaphore),
    CALL("vkCreateSwapchainKHR", create_swapchain),
    CALL("vkDestroyDevice", destroy_device),
    CALL("vkEnumerateDeviceExtensionProperties", device_extensions),
    CALL("vkGetFenceStatus", fence_status),
    CALL("vkGetPhysicalDeviceImageFormatProperties2", image_format),
    CALL("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", surface_capabilities),
    CALL("vkQueuePresentKHR", queue_present),
    CALL("vkQueueSubmit", queue_submit),
};

PFN_vkVoidFunction fault_find_more(const char *name)
{
    const bool is_there =
        (strcmp(name, "vkReleaseSwapchainImagesKHR") == 0 && fault_is("present-khr")) ||
        (strcmp(name, "vkReleaseSwapchainImagesEXT") == 0 && fault_is("present-ext"));
    return is_there ? (PFN_vkVoidFunction)release_images : NULL;
}

PFN_vkVoidFunction fault_find_call(const char *name)
{
    const PFN_vkVoidFunction found = NAMED(calls, name);
    return found ? found : fault_nth_find(name);
}
