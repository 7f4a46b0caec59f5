/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Presents that run out of memory. Vulkan promises that such a call has changed nothing, so the
 * program may present the same image again, with the same semaphores. By then Fovea's frame is in
 * the image and has taken these: they are given back, and the image is not foveated again where the
 * program presents it as it was.
 *
 * No other error is like that. With VK_ERROR_OUT_OF_DATE_KHR, VK_ERROR_SURFACE_LOST_KHR and
 * VK_ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT the present was queued: its waits are executed, its
 * images released. */
#include "plugin/layer/layer.h"

static bool is_out_of_memory(VkResult result)
{
    return result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* FNV-1a over the semaphores. A program that has drawn another picture into the image has waited
 * for them in between, and signals others as a rule; nothing else tells. */
static uint64_t hash_of_waits(const VkPresentInfoKHR *info)
{
    uint64_t hash = 14695981039346656037u;
    for (uint32_t i = 0; i < info->waitSemaphoreCount; i++) {
        hash = (hash ^ (uint64_t)info->pWaitSemaphores[i]) * 1099511628211u;
    }
    return hash;
}

/* ---- After a present ------------------------------------------------------------------------- */

/* Signals the program's semaphores that were taken when all is done that the present would have
 * waited for. A submit that has found no memory has changed nothing and is tried once more; without
 * a context there is none. */
static bool give_back(const struct layer_presentation *p)
{
    VkSemaphore made[LAYER_MAX_PRESENTED];
    for (uint32_t i = 0; i < p->taken_count; i++) {
        made[i] = p->taken[i].swapchain->presentable[p->taken[i].image];
    }
    const struct layer_batch batch = {.wait_count = p->taken_count,
                                      .waits = made,
                                      .signal_count = p->info->waitSemaphoreCount,
                                      .signals = p->info->pWaitSemaphores};
    bool given = batch.signal_count + batch.wait_count == 0;
    for (int tries = 0; !given && p->context && tries < 2; tries++) {
        given = layer_gather_submit(p->device, p->context, &batch) == VK_SUCCESS;
    }
    return given;
}

static void remember(const struct layer_presentation *p)
{
    const bool given_back = give_back(p);
    for (uint32_t i = 0; i < p->taken_count; i++) {
        const struct layer_taken *taken = &p->taken[i];
        taken->swapchain->unpresented[taken->image] =
            (struct layer_unpresented){.is_made = taken->is_made,
                                       .waits_for_frame = !given_back,
                                       .waits = hash_of_waits(p->info)};
    }
    atomic_store(&p->device->has_unpresented, true);
}

static void forget(struct layer_device *device, VkSwapchainKHR handle, uint32_t index)
{
    struct layer_swapchain *swapchain = layer_registry_swapchain(device, handle);
    if (swapchain && index < swapchain->image_count) {
        swapchain->unpresented[index] = (struct layer_unpresented){.is_made = false};
    }
}

void layer_retry_note(const struct layer_presentation *p, VkResult result)
{
    if (is_out_of_memory(result)) {
        if (p->waits_taken) {
            remember(p);
        }
    } else if (atomic_load(&p->device->has_unpresented)) {
        for (uint32_t i = 0; i < p->info->swapchainCount; i++) {
            forget(p->device, p->info->pSwapchains[i], p->info->pImageIndices[i]);
        }
    }
}

/* ---- Before the next one --------------------------------------------------------------------- */

enum layer_retry layer_retry_of(struct layer_swapchain *swapchain, uint32_t index,
                                const VkPresentInfoKHR *info)
{
    const struct layer_unpresented *unpresented = &swapchain->unpresented[index];
    /* If several presents follow one for several swapchains, only the first waits. */
    const bool is_same = info->waitSemaphoreCount == 0 || unpresented->waits == hash_of_waits(info);
    if (unpresented->waits_for_frame && !is_same) {
        swapchain->failed = true; /* its semaphore is signalled and cannot be signalled again */
    }
    if (!is_same || !(unpresented->is_made || unpresented->waits_for_frame)) {
        return LAYER_RETRY_NONE;
    }
    return unpresented->waits_for_frame ? LAYER_RETRY_FOR_FRAME : LAYER_RETRY_MADE;
}

#ifdef VK_EXT_swapchain_maintenance1
/* Images that go back without being presented come back with other pictures. */
VKAPI_ATTR VkResult VKAPI_CALL
layer_ReleaseSwapchainImages(VkDevice handle, const VkReleaseSwapchainImagesInfoEXT *info)
{
    struct layer_device *device = layer_registry_device(handle);
    const VkResult result = device->vk.ReleaseSwapchainImages(handle, info);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->imageIndexCount; i++) {
        forget(device, info->swapchain, info->pImageIndices[i]);
    }
    return result;
}
#endif
