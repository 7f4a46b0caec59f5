/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Calls of Vulkan that tests put themselves before. */
#pragma once

#include <vulkan/vulkan.h>

/* A function of the test's, called shim_<name>; the name is NULL behind the last one of a table. */
struct shim {
    const char *name;
    PFN_vkVoidFunction function;
};

#define SHIM(name)                                                                                 \
    {                                                                                              \
        "vk" #name, (PFN_vkVoidFunction)shim_##name                                                \
    }
#define NO_MORE_SHIMS                                                                              \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }

/* Returns a function for struct fovea_vk_desc: from now on these come before Vulkan's own. The
 * table stays. */
PFN_vkGetInstanceProcAddr shims_first(const struct shim *shims);

/* ---- Lists: X(name, parameters, arguments) for each. SHIM_OF makes a table of one ---- */

#define SHIM_OF(name, parameters, arguments) SHIM(name),

/* Those that make what a frame's pictures and kernels need. */
#define CALLS_THAT_MAKE(X)                                                                         \
    X(AllocateMemory,                                                                              \
      (VkDevice d, const VkMemoryAllocateInfo *i, const VkAllocationCallbacks *a,                  \
       VkDeviceMemory *o),                                                                         \
      (d, i, a, o))                                                                                \
    X(CreateImage,                                                                                 \
      (VkDevice d, const VkImageCreateInfo *i, const VkAllocationCallbacks *a, VkImage *o),        \
      (d, i, a, o))                                                                                \
    X(CreateBuffer,                                                                                \
      (VkDevice d, const VkBufferCreateInfo *i, const VkAllocationCallbacks *a, VkBuffer *o),      \
      (d, i, a, o))                                                                                \
    X(CreateComputePipelines,                                                                      \
      (VkDevice d, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo *i,            \
       const VkAllocationCallbacks *a, VkPipeline *o),                                             \
      (d, c, n, i, a, o))

#define CALLS_THAT_MAKE_VIEWS(X)                                                                   \
    X(CreateImageView,                                                                             \
      (VkDevice d, const VkImageViewCreateInfo *i, const VkAllocationCallbacks *a,                 \
       VkImageView *o),                                                                            \
      (d, i, a, o))

/* The others of Fovea's that give a VkResult and may be out of memory. */
#define CALLS_THAT_FAIL_TOO(X)                                                                     \
    X(CreateFence,                                                                                 \
      (VkDevice d, const VkFenceCreateInfo *i, const VkAllocationCallbacks *a, VkFence *o),        \
      (d, i, a, o))                                                                                \
    X(CreateCommandPool,                                                                           \
      (VkDevice d, const VkCommandPoolCreateInfo *i, const VkAllocationCallbacks *a,               \
       VkCommandPool *o),                                                                          \
      (d, i, a, o))                                                                                \
    X(CreateDescriptorPool,                                                                        \
      (VkDevice d, const VkDescriptorPoolCreateInfo *i, const VkAllocationCallbacks *a,            \
       VkDescriptorPool *o),                                                                       \
      (d, i, a, o))                                                                                \
    X(CreateSampler,                                                                               \
      (VkDevice d, const VkSamplerCreateInfo *i, const VkAllocationCallbacks *a, VkSampler *o),    \
      (d, i, a, o))                                                                                \
    X(CreateQueryPool,                                                                             \
      (VkDevice d, const VkQueryPoolCreateInfo *i, const VkAllocationCallbacks *a,                 \
       VkQueryPool *o),                                                                            \
      (d, i, a, o))                                                                                \
    X(CreatePipelineLayout,                                                                        \
      (VkDevice d, const VkPipelineLayoutCreateInfo *i, const VkAllocationCallbacks *a,            \
       VkPipelineLayout *o),                                                                       \
      (d, i, a, o))                                                                                \
    X(CreateShaderModule,                                                                          \
      (VkDevice d, const VkShaderModuleCreateInfo *i, const VkAllocationCallbacks *a,              \
       VkShaderModule *o),                                                                         \
      (d, i, a, o))                                                                                \
    X(MapMemory,                                                                                   \
      (VkDevice d, VkDeviceMemory m, VkDeviceSize f, VkDeviceSize s, VkMemoryMapFlags g,           \
       void **o),                                                                                  \
      (d, m, f, s, g, o))                                                                          \
    X(BeginCommandBuffer, (VkCommandBuffer c, const VkCommandBufferBeginInfo *i), (c, i))          \
    X(EndCommandBuffer, (VkCommandBuffer c), (c))                                                  \
    X(ResetCommandPool, (VkDevice d, VkCommandPool p, VkCommandPoolResetFlags f), (d, p, f))

#define CALLS_THAT_MAKE_SEMAPHORES(X)                                                              \
    X(CreateSemaphore,                                                                             \
      (VkDevice d, const VkSemaphoreCreateInfo *i, const VkAllocationCallbacks *a,                 \
       VkSemaphore *o),                                                                            \
      (d, i, a, o))
