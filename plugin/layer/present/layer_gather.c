/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Batches of the layer's own, with nothing but semaphores: presents that wait for more of them than
 * a frame of Fovea's takes are gathered in one, and presents that fail get theirs back
 * (layer_retry.c). */
#include "plugin/layer/layer.h"

#include "core/log.h"
#include "plugin/layer/session/layer_session.h"

#include <alloca.h>

#define MAX_WAITS 1024 /* on the stack; nobody has that many */

/* Nothing to do, again and again: a batch without commands hangs some drivers. */
static bool record(const struct layer_device *device, VkCommandBuffer commands)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
    return device->set_loader_data(device->handle, commands) == VK_SUCCESS &&
           device->vk.BeginCommandBuffer(commands, &info) == VK_SUCCESS &&
           device->vk.EndCommandBuffer(commands) == VK_SUCCESS;
}

/* Makes it once a context. */
static bool make(const struct layer_device *device, struct layer_context *context)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = context->queue_family};
    if (device->vk.CreateCommandPool(device->handle, &pool, NULL, &context->gather_pool) !=
        VK_SUCCESS) {
        context->gather_pool = VK_NULL_HANDLE;
        return false;
    }
    const VkCommandBufferAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = context->gather_pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
    if (device->vk.AllocateCommandBuffers(device->handle, &info, &context->gather_commands) !=
            VK_SUCCESS ||
        !record(device, context->gather_commands)) {
        layer_gather_finish(device, context);
        return false;
    }
    return true;
}

void layer_gather_finish(const struct layer_device *device, struct layer_context *context)
{
    if (context->gather_pool) {
        device->vk.DestroyCommandPool(device->handle, context->gather_pool, NULL);
        context->gather_pool = VK_NULL_HANDLE;
    }
}

VkResult layer_gather_submit(const struct layer_device *device, struct layer_context *context,
                             const struct layer_batch *batch)
{
    const uint32_t count = batch->wait_count;
    if (count > MAX_WAITS || (!context->gather_pool && !make(device, context))) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    VkPipelineStageFlags *stages = alloca((count + 1) * sizeof *stages);
    for (uint32_t i = 0; i < count; i++) {
        stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    }
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = count,
                               .pWaitSemaphores = batch->waits,
                               .pWaitDstStageMask = stages,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &context->gather_commands,
                               .signalSemaphoreCount = batch->signal_count,
                               .pSignalSemaphores = batch->signals};
    return device->vk.QueueSubmit(context->queue, 1, &info, VK_NULL_HANDLE);
}
