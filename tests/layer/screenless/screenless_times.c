/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "screenless.h"

#include <dlfcn.h>
#include <string.h>

#define MAX_COMMANDS 8

/* ---- Commands that end with a timestamp ------------------------------------------------------ */

VkCommandBuffer screenless_begin(struct screenless_image *image, uint32_t queue,
                                 enum screenless_commands which)
{
    const VkCommandBuffer commands = image->commands[queue][which];
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    screenless.vk.BeginCommandBuffer(commands, &info);
    if (screenless.times && which == SCREENLESS_ACQUIRED) {
        screenless.vk.CmdResetQueryPool(commands, image->queries, 0, SCREENLESS_COMMANDS);
    } else if (screenless.times && which == SCREENLESS_SHOWN) {
        screenless.vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                        image->queries, which);
    }
    return commands;
}

void screenless_end(const struct screenless_image *image, VkCommandBuffer commands,
                    enum screenless_commands which)
{
    if (screenless.times && which != SCREENLESS_ACQUIRED && which != SCREENLESS_SHOWN) {
        screenless.vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                        image->queries, which);
    }
    screenless.vk.EndCommandBuffer(commands);
}

/* ---- What others submit ---------------------------------------------------------------------- */

static bool is_foveas(const void *return_address)
{
    Dl_info info;
    return dladdr(return_address, &info) && info.dli_fname &&
           strstr(info.dli_fname, "libVkLayer_fovea.so");
}

static VkCommandBuffer stamp(VkQueue queue, enum screenless_commands which)
{
    const VkCommandBuffer commands =
        screenless_begin(screenless.current, screenless_queue(queue), which);
    screenless_end(screenless.current, commands, which);
    return commands;
}

static VkResult submit_stamped(VkQueue queue, const VkSubmitInfo *info, VkFence fence, bool foveas)
{
    VkCommandBuffer commands[MAX_COMMANDS + 2];
    uint32_t count = 0;
    const uint32_t turn = screenless.current->fovea_submits;
    if (foveas) {
        commands[count++] = stamp(queue, SCREENLESS_BEGUN + turn);
        screenless.current->fovea_submits++;
    }
    memcpy(commands + count, info->pCommandBuffers, info->commandBufferCount * sizeof *commands);
    count += info->commandBufferCount;
    commands[count++] = stamp(queue, foveas ? SCREENLESS_ENDED + turn : SCREENLESS_DRAWN);
    VkSubmitInfo own = *info;
    own.pCommandBuffers = commands;
    own.commandBufferCount = count;
    return screenless.vk.QueueSubmit(queue, 1, &own, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count,
                                             const VkSubmitInfo *infos, VkFence fence)
{
    const bool foveas = is_foveas(__builtin_return_address(0));
    pthread_mutex_lock(&screenless.lock);
    const bool stamped = screenless.times && screenless.current && count == 1 &&
                         infos->commandBufferCount <= MAX_COMMANDS && screenless.current->taken &&
                         (!foveas || screenless.current->fovea_submits < 2);
    const VkResult result = stamped ? submit_stamped(queue, infos, fence, foveas)
                                    : screenless.vk.QueueSubmit(queue, count, infos, fence);
    pthread_mutex_unlock(&screenless.lock);
    return result;
}

PFN_vkVoidFunction screenless_times_hook(const char *name)
{
    return strcmp(name, "vkQueueSubmit") == 0 ? (PFN_vkVoidFunction)submit : NULL;
}

/* ---- For the program ------------------------------------------------------------------------- */

__attribute__((visibility("default"))) bool screenless_times(uint32_t index,
                                                             struct screenless_times *out_times);

static uint64_t read_ns(const struct screenless_image *image, int which)
{
    VkPhysicalDeviceProperties properties;
    screenless.vk.GetPhysicalDeviceProperties(screenless.physical, &properties);
    uint64_t ticks = 0;
    return screenless.vk.GetQueryPoolResults(screenless.device, image->queries, (uint32_t)which, 1,
                                             sizeof ticks, &ticks, sizeof ticks,
                                             VK_QUERY_RESULT_64_BIT) == VK_SUCCESS
               ? (uint64_t)((long double)ticks * (long double)properties.limits.timestampPeriod)
               : 0;
}

bool screenless_times(uint32_t index, struct screenless_times *out_times)
{
    struct screenless_image *image = &screenless.swapchain->images[index];
    *out_times = (struct screenless_times){0};
    if (!screenless.times) {
        return false;
    }
    screenless_wait(image);
    out_times->drawn = read_ns(image, SCREENLESS_DRAWN);
    out_times->shown = read_ns(image, SCREENLESS_SHOWN);
    for (uint32_t i = 0; i < image->fovea_submits; i++) {
        out_times->begun[i] = read_ns(image, SCREENLESS_BEGUN + (int)i);
        out_times->ended[i] = read_ns(image, SCREENLESS_ENDED + (int)i);
    }
    return true;
}
