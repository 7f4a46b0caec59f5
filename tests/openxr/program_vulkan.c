/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "program.h"

#include "tests/support/vulkan_parts.h"

static void make_instance(XrInstance instance, XrSystemId system, struct gpu *gpu)
{
    VkApplicationInfo program = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                 .apiVersion = gpu->version};
    const VkInstanceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                         .pApplicationInfo = &program};
    XrGraphicsRequirementsVulkanKHR needs = {.type = XR_TYPE_GRAPHICS_REQUIREMENTS_VULKAN_KHR};
    VkResult result = VK_SUCCESS;
    if (gpu->old) {
        MUST(((PFN_xrGetVulkanGraphicsRequirementsKHR)function_of(
            instance, "xrGetVulkanGraphicsRequirementsKHR"))(instance, system, &needs));
        if (gpu->least) {
            program.apiVersion =
                VK_MAKE_API_VERSION(0, XR_VERSION_MAJOR(needs.minApiVersionSupported),
                                    XR_VERSION_MINOR(needs.minApiVersionSupported), 0);
        }
        MUST(vkCreateInstance(&create, NULL, &gpu->instance));
        MUST(((PFN_xrGetVulkanGraphicsDeviceKHR)function_of(
            instance, "xrGetVulkanGraphicsDeviceKHR"))(instance, system, gpu->instance,
                                                       &gpu->physical_device));
        return;
    }
    const XrVulkanInstanceCreateInfoKHR info = {.type = XR_TYPE_VULKAN_INSTANCE_CREATE_INFO_KHR,
                                                .systemId = system,
                                                .pfnGetInstanceProcAddr = vkGetInstanceProcAddr,
                                                .vulkanCreateInfo = &create};
    MUST(((PFN_xrGetVulkanGraphicsRequirements2KHR)function_of(
        instance, "xrGetVulkanGraphicsRequirements2KHR"))(instance, system, &needs));
    MUST(((PFN_xrCreateVulkanInstanceKHR)function_of(instance, "xrCreateVulkanInstanceKHR"))(
        instance, &info, &gpu->instance, &result));
    MUST(result);
    const XrVulkanGraphicsDeviceGetInfoKHR get = {.type =
                                                      XR_TYPE_VULKAN_GRAPHICS_DEVICE_GET_INFO_KHR,
                                                  .systemId = system,
                                                  .vulkanInstance = gpu->instance};
    MUST(((PFN_xrGetVulkanGraphicsDevice2KHR)function_of(
        instance, "xrGetVulkanGraphicsDevice2KHR"))(instance, &get, &gpu->physical_device));
}

static void make_device(XrInstance instance, XrSystemId system, struct gpu *gpu)
{
    const VkDeviceQueueCreateInfo queue = vulkan_queue_info(0);
    const VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    const XrVulkanDeviceCreateInfoKHR info = {.type = XR_TYPE_VULKAN_DEVICE_CREATE_INFO_KHR,
                                              .systemId = system,
                                              .pfnGetInstanceProcAddr = vkGetInstanceProcAddr,
                                              .vulkanPhysicalDevice = gpu->physical_device,
                                              .vulkanCreateInfo = &create};
    VkResult result = VK_SUCCESS;
    if (gpu->old) {
        result = vkCreateDevice(gpu->physical_device, &create, NULL, &gpu->device);
    } else {
        MUST(((PFN_xrCreateVulkanDeviceKHR)function_of(instance, "xrCreateVulkanDeviceKHR"))(
            instance, &info, &gpu->device, &result));
    }
    MUST(result);
    vkGetDeviceQueue(gpu->device, 0, 0, &gpu->queue);
}

static uint32_t memory_type(const struct gpu *gpu, uint32_t bits)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(gpu->physical_device, &memory);
    return vulkan_memory_type(
        &memory, bits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

static void make_buffer(struct gpu *gpu)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = PROGRAM_BYTES,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
    VkMemoryRequirements needs;
    MUST(vkCreateBuffer(gpu->device, &info, NULL, &gpu->buffer));
    vkGetBufferMemoryRequirements(gpu->device, gpu->buffer, &needs);
    const VkMemoryAllocateInfo memory =
        vulkan_memory_info(needs.size, memory_type(gpu, needs.memoryTypeBits));
    MUST(vkAllocateMemory(gpu->device, &memory, NULL, &gpu->memory));
    MUST(vkBindBufferMemory(gpu->device, gpu->buffer, gpu->memory, 0));
    MUST(vkMapMemory(gpu->device, gpu->memory, 0, VK_WHOLE_SIZE, 0, (void **)&gpu->texels));
}

void gpu_make(XrInstance instance, XrSystemId system, struct gpu *gpu)
{
    make_instance(instance, system, gpu);
    make_device(instance, system, gpu);
    make_buffer(gpu);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    MUST(vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool));
    const VkCommandBufferAllocateInfo info = vulkan_commands_info(gpu->pool, 1);
    MUST(vkAllocateCommandBuffers(gpu->device, &info, &gpu->commands));
}

void gpu_drop(const struct gpu *gpu)
{
    vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
    vkDestroyBuffer(gpu->device, gpu->buffer, NULL);
    vkFreeMemory(gpu->device, gpu->memory, NULL);
    vkDestroyDevice(gpu->device, NULL);
    vkDestroyInstance(gpu->instance, NULL);
}

/* A swapchain's images are these, and this part of them is drawn. */
struct drawn {
    VkImageLayout layout;
    VkImageAspectFlags all;
    VkImageAspectFlags part;
};

static void draw(const struct gpu *gpu, VkImage image, const struct drawn *drawn,
                 const XrRect2Di *rect, uint32_t layer)
{
    const VkCommandBufferBeginInfo once = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkBufferImageCopy region = {
        .imageSubresource = {drawn->part, 0, layer, 1},
        .imageOffset = {rect->offset.x, rect->offset.y, 0},
        .imageExtent = {(uint32_t)rect->extent.width, (uint32_t)rect->extent.height, 1}};
    const VkSubmitInfo submit = vulkan_submit_info(&gpu->commands);
    MUST(vkBeginCommandBuffer(gpu->commands, &once));
    vulkan_record_layout(gpu->commands, image, drawn->all, drawn->layout,
                         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(gpu->commands, gpu->buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                           1, &region);
    vulkan_record_layout(gpu->commands, image, drawn->all, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         drawn->layout);
    MUST(vkEndCommandBuffer(gpu->commands));
    MUST(vkQueueSubmit(gpu->queue, 1, &submit, VK_NULL_HANDLE));
    MUST(vkQueueWaitIdle(gpu->queue));
}

void gpu_draw(const struct gpu *gpu, VkImage image, const XrRect2Di *rect, uint32_t layer)
{
    const struct drawn colours = {VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                  VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_COLOR_BIT};
    draw(gpu, image, &colours, rect, layer);
}

void gpu_draw_depths(const struct gpu *gpu, VkImage image, const XrRect2Di *rect, uint32_t layer,
                     int64_t format)
{
    const bool combined =
        format == VK_FORMAT_D24_UNORM_S8_UINT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
    const VkImageAspectFlags stencil = combined ? VK_IMAGE_ASPECT_STENCIL_BIT : 0;
    const struct drawn depths = {VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                 VK_IMAGE_ASPECT_DEPTH_BIT | stencil, VK_IMAGE_ASPECT_DEPTH_BIT};
    draw(gpu, image, &depths, rect, layer);
}
