/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Loaded before libfovea.so into the demo: the frame whose number FOVEA_TEST_LOSES names, from 0,
 * is lost. Its waits are taken, nothing is signalled, and no frame is taken after it. */
#include "fovea_vulkan.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

static VkQueue queue;
static unsigned frames;
static bool lost;

enum fovea_result fovea_vk_create(const struct fovea_vk_desc *desc, struct fovea_vk **out_fovea)
{
    enum fovea_result (*real)(const struct fovea_vk_desc *, struct fovea_vk **) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "fovea_vk_create");
    queue = desc->queue;
    return real(desc, out_fovea);
}

static bool take_waits(const struct fovea_vk_frame *frame)
{
    PFN_vkQueueSubmit submit = NULL;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = frame->wait_count > 0,
                               .pWaitSemaphores =
                                   frame->wait_count > 0 ? &frame->waits->semaphore : NULL,
                               .pWaitDstStageMask = &stage};
    *(void **)&submit = dlsym(RTLD_DEFAULT, "vkQueueSubmit");
    return submit(queue, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS;
}

enum fovea_result fovea_vk_foveate(struct fovea_vk *fovea, const struct fovea_vk_frame *frame)
{
    const char *number = getenv("FOVEA_TEST_LOSES");
    enum fovea_result (*real)(struct fovea_vk *, const struct fovea_vk_frame *) = NULL;
    if (lost) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    if (number && frames++ == strtoul(number, NULL, 10)) {
        lost = true;
        return take_waits(frame) ? FOVEA_ERROR_FRAME_LOST : FOVEA_ERROR_INTERNAL;
    }
    *(void **)&real = dlsym(RTLD_NEXT, "fovea_vk_foveate");
    return real(fovea, frame);
}
