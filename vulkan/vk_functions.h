/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every Vulkan function that Fovea calls, looked up through the engine's vkGetInstanceProcAddr. The
 * library never links a loader: the engine, a layer or a test decides who answers. */
#pragma once

#include "fovea.h"

#include <vulkan/vulkan_core.h>

#define VK_INSTANCE_FUNCTIONS(X)                                                                   \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(GetDeviceProcAddr)                                                                           \
    X(GetPhysicalDeviceFeatures2)                                                                  \
    X(GetPhysicalDeviceFormatProperties)                                                           \
    X(GetPhysicalDeviceImageFormatProperties2)                                                     \
    X(GetPhysicalDeviceExternalSemaphoreProperties)                                                \
    X(GetPhysicalDeviceMemoryProperties)                                                           \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceQueueFamilyProperties)

/* NULL where the device has no such extension. */
#define VK_OPTIONAL_INSTANCE_FUNCTIONS(X) X(GetPhysicalDeviceCalibrateableTimeDomainsEXT)

#define VK_DEVICE_FUNCTIONS(X)                                                                     \
    X(AllocateCommandBuffers)                                                                      \
    X(AllocateDescriptorSets)                                                                      \
    X(AllocateMemory)                                                                              \
    X(BeginCommandBuffer)                                                                          \
    X(BindBufferMemory)                                                                            \
    X(BindImageMemory)                                                                             \
    X(CmdBindDescriptorSets)                                                                       \
    X(CmdBindPipeline)                                                                             \
    X(CmdClearColorImage)                                                                          \
    X(CmdCopyImage)                                                                                \
    X(CmdCopyQueryPoolResults)                                                                     \
    X(CmdDispatch)                                                                                 \
    X(CmdPipelineBarrier)                                                                          \
    X(CmdPushConstants)                                                                            \
    X(CmdResetQueryPool)                                                                           \
    X(CmdWriteTimestamp)                                                                           \
    X(CreateBuffer)                                                                                \
    X(CreateCommandPool)                                                                           \
    X(CreateComputePipelines)                                                                      \
    X(CreateDescriptorPool)                                                                        \
    X(CreateDescriptorSetLayout)                                                                   \
    X(CreateFence)                                                                                 \
    X(CreateImage)                                                                                 \
    X(CreateImageView)                                                                             \
    X(CreatePipelineLayout)                                                                        \
    X(CreateQueryPool)                                                                             \
    X(CreateSampler)                                                                               \
    X(CreateSemaphore)                                                                             \
    X(CreateShaderModule)                                                                          \
    X(DestroyBuffer)                                                                               \
    X(DestroyCommandPool)                                                                          \
    X(DestroyDescriptorPool)                                                                       \
    X(DestroyDescriptorSetLayout)                                                                  \
    X(DestroyFence)                                                                                \
    X(DestroyImage)                                                                                \
    X(DestroyImageView)                                                                            \
    X(DestroyPipeline)                                                                             \
    X(DestroyPipelineLayout)                                                                       \
    X(DestroyQueryPool)                                                                            \
    X(DestroySampler)                                                                              \
    X(DestroySemaphore)                                                                            \
    X(DestroyShaderModule)                                                                         \
    X(EndCommandBuffer)                                                                            \
    X(FreeMemory)                                                                                  \
    X(GetBufferMemoryRequirements)                                                                 \
    X(GetFenceStatus)                                                                              \
    X(GetImageMemoryRequirements)                                                                  \
    X(GetImageSubresourceLayout)                                                                   \
    X(GetQueryPoolResults)                                                                         \
    X(MapMemory)                                                                                   \
    X(QueueSubmit)                                                                                 \
    X(ResetCommandPool)                                                                            \
    X(ResetFences)                                                                                 \
    X(UpdateDescriptorSets)                                                                        \
    X(WaitForFences)

/* NULL where the extension is off or the version is older. The timeline functions are looked up by
 * their core name, then by their KHR name; calibrated timestamps by their EXT name, then by their
 * KHR name, which differ in nothing else. */
#define VK_OPTIONAL_DEVICE_FUNCTIONS(X)                                                            \
    X(GetCalibratedTimestampsEXT)                                                                  \
    X(GetMemoryFdKHR)                                                                              \
    X(GetSemaphoreFdKHR)                                                                           \
    X(GetSemaphoreCounterValue)                                                                    \
    X(SignalSemaphore)                                                                             \
    X(WaitSemaphores)

struct vk_functions {
#define VK_MEMBER(name) PFN_vk##name name;
    VK_INSTANCE_FUNCTIONS(VK_MEMBER)
    VK_OPTIONAL_INSTANCE_FUNCTIONS(VK_MEMBER)
    VK_DEVICE_FUNCTIONS(VK_MEMBER)
    VK_OPTIONAL_DEVICE_FUNCTIONS(VK_MEMBER)
#undef VK_MEMBER
};

/* FOVEA_ERROR_UNSUPPORTED names the first function that is missing: the instance is of Vulkan
 * 1.0. */
FOVEA_MUST_CHECK enum fovea_result vk_functions_load_instance(struct vk_functions *functions,
                                                              VkInstance instance,
                                                              PFN_vkGetInstanceProcAddr get,
                                                              struct fovea_log log);
FOVEA_MUST_CHECK enum fovea_result vk_functions_load_device(struct vk_functions *functions,
                                                            VkDevice device, struct fovea_log log);
