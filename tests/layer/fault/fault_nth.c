/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The n-th of all calls that Fovea makes to create, bind, record or submit something fails, and so
 * many after it. */

#include "fault.h"
#include "tests/vulkan/calls.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plan {
    unsigned first; /* counted from 1; 0: none fails */
    unsigned count;
    int code;
};

static atomic_uint calls, failed_submits;
static atomic_int objects; /* made by Fovea and not destroyed; not what goes with a pool */

/* FOVEA_FAULT=nth:FIRST:COUNT:CODE */
static struct plan find_plan(void)
{
    const char *wanted = getenv("FOVEA_FAULT");
    struct plan plan = {0};
    if (!wanted || sscanf(wanted, "nth:%u:%u:%d", &plan.first, &plan.count, &plan.code) != 3) {
        plan.first = 0;
    }
    return plan;
}

VkResult fault_nth(const void *return_address, const char *name)
{
    if (!fault_is_foveas(return_address)) {
        return VK_SUCCESS;
    }
    const struct plan plan = find_plan();
    const unsigned call = atomic_fetch_add(&calls, 1) + 1;
    if (fault_is("names")) {
        fprintf(stderr, "fault: call %u, vk%s\n", call, name);
    }
    if (plan.first == 0 || call < plan.first || call - plan.first >= plan.count) {
        return VK_SUCCESS;
    }
    fprintf(stderr, "fault: call %u, vk%s, fails\n", call, name);
    if (strcmp(name, "QueueSubmit") == 0) {
        atomic_fetch_add(&failed_submits, 1);
    }
    return (VkResult)plan.code;
}

void fault_made(const void *return_address, const char *name, VkResult result)
{
    const bool counts = strncmp(name, "Create", 6) == 0 || strcmp(name, "AllocateMemory") == 0;
    if (counts && result == VK_SUCCESS && fault_is_foveas(return_address)) {
        atomic_fetch_add(&objects, 1);
    }
}

void fault_nth_report(void)
{
    fprintf(stderr,
            "fault: %u calls of Fovea, %u of its submits failed, %d of its objects are left\n",
            calls, failed_submits, objects);
}

/* Results and parameters are Vulkan's: name, parameters, arguments. */
#define EACH(X)                                                                                    \
    CALLS_THAT_MAKE(X)                                                                             \
    CALLS_THAT_FAIL_TOO(X)                                                                         \
    X(AllocateCommandBuffers,                                                                      \
      (VkDevice d, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out), (d, info, out)) \
    X(AllocateDescriptorSets,                                                                      \
      (VkDevice d, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out), (d, info, out)) \
    X(BindBufferMemory, (VkDevice d, VkBuffer b, VkDeviceMemory m, VkDeviceSize at),               \
      (d, b, m, at))                                                                               \
    X(BindImageMemory, (VkDevice d, VkImage i, VkDeviceMemory m, VkDeviceSize at), (d, i, m, at))  \
    X(CreateDescriptorSetLayout,                                                                   \
      (VkDevice d, const VkDescriptorSetLayoutCreateInfo *info, const VkAllocationCallbacks *a,    \
       VkDescriptorSetLayout *out),                                                                \
      (d, info, a, out))                                                                           \
    X(GetSwapchainImagesKHR, (VkDevice d, VkSwapchainKHR s, uint32_t * count, VkImage * out),      \
      (d, s, count, out))                                                                          \
    X(ResetFences, (VkDevice d, uint32_t count, const VkFence *fences), (d, count, fences))

#define DEFINE(name, parameters, arguments)                                                        \
    static PFN_vk##name next_##name;                                                               \
    static VKAPI_ATTR VkResult VKAPI_CALL fail_##name parameters                                   \
    {                                                                                              \
        const VkResult fault = fault_nth(__builtin_return_address(0), #name);                      \
        const VkResult result = fault == VK_SUCCESS ? next_##name arguments : fault;               \
        fault_made(__builtin_return_address(0), #name, result);                                    \
        return result;                                                                             \
    }
EACH(DEFINE)

#define EACH_END(X)                                                                                \
    X(DestroyBuffer, VkBuffer)                                                                     \
    X(DestroyCommandPool, VkCommandPool)                                                           \
    X(DestroyDescriptorPool, VkDescriptorPool)                                                     \
    X(DestroyDescriptorSetLayout, VkDescriptorSetLayout)                                           \
    X(DestroyFence, VkFence)                                                                       \
    X(DestroyImage, VkImage)                                                                       \
    X(DestroyPipeline, VkPipeline)                                                                 \
    X(DestroyPipelineLayout, VkPipelineLayout)                                                     \
    X(DestroyQueryPool, VkQueryPool)                                                               \
    X(DestroySampler, VkSampler)                                                                   \
    X(DestroySemaphore, VkSemaphore)                                                               \
    X(DestroyShaderModule, VkShaderModule)                                                         \
    X(FreeMemory, VkDeviceMemory)

#define DEFINE_END(name, type)                                                                     \
    static PFN_vk##name next_##name;                                                               \
    static VKAPI_ATTR void VKAPI_CALL count_##name(VkDevice d, type object,                        \
                                                   const VkAllocationCallbacks *a)                 \
    {                                                                                              \
        if (object && fault_is_foveas(__builtin_return_address(0))) {                              \
            atomic_fetch_sub(&objects, 1);                                                         \
        }                                                                                          \
        next_##name(d, object, a);                                                                 \
    }
EACH_END(DEFINE_END)

void fault_nth_load(VkDevice device)
{
#define LOAD(name, parameters, arguments)                                                          \
    next_##name = (PFN_vk##name)fault_next.GetDeviceProcAddr(device, "vk" #name);
    EACH(LOAD)
#undef LOAD
#define LOAD(name, type)                                                                           \
    next_##name = (PFN_vk##name)fault_next.GetDeviceProcAddr(device, "vk" #name);
    EACH_END(LOAD)
#undef LOAD
}

PFN_vkVoidFunction fault_nth_find(const char *name)
{
#define FIND(known, parameters, arguments)                                                         \
    if (strcmp(name, "vk" #known) == 0) {                                                          \
        return (PFN_vkVoidFunction)fail_##known;                                                   \
    }
    EACH(FIND)
#undef FIND
#define FIND(known, type)                                                                          \
    if (strcmp(name, "vk" #known) == 0) {                                                          \
        return (PFN_vkVoidFunction)count_##known;                                                  \
    }
    EACH_END(FIND)
#undef FIND
    return NULL;
}
