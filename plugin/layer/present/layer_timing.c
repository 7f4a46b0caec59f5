/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* When frames are on the screen, for the record: what the device is made with for that, and the
 * numbers that presents get. Without "record.file" nothing of it happens. */
#include "plugin/layer/layer.h"
#include "plugin/layer/session/layer_session.h"

#include "core/log.h"

#include <string.h>

#define PRESENT_ID_2 "VK_KHR_present_id2" /* which older headers do not have */

/* ---- The device ------------------------------------------------------------------------------ */

static bool enables(const VkDeviceCreateInfo *info, const char *name)
{
    return layer_lists(info->ppEnabledExtensionNames, info->enabledExtensionCount, name);
}

static bool offers(const struct layer_instance *instance, VkPhysicalDevice physical,
                   enum fovea_present_way way)
{
    return fovea_present_offers(instance->handle, physical, layer_proc_addr_for_fovea, way);
}

/* Times are given out once: those of a program that asks for them are the program's. Numbers that
 * it gives by VK_KHR_present_id2 are not read, and ours between them would not grow. */
void layer_timing_choose(const struct layer_instance *instance, VkPhysicalDevice physical,
                         const VkDeviceCreateInfo *info, struct layer_timing *out_timing)
{
    *out_timing = (struct layer_timing){.way = FOVEA_PRESENT_UNKNOWN};
    const bool theirs = enables(info, VK_GOOGLE_DISPLAY_TIMING_EXTENSION_NAME);
    const bool timing = !theirs && offers(instance, physical, FOVEA_PRESENT_DISPLAY_TIMING);
    const bool waits =
        !timing && !enables(info, PRESENT_ID_2) && offers(instance, physical, FOVEA_PRESENT_WAIT);
    if ((!timing && !waits) || !layer_session_records()) {
        return;
    }
    out_timing->way = timing ? FOVEA_PRESENT_DISPLAY_TIMING : FOVEA_PRESENT_WAIT;
    out_timing->has_ids = enables(info, VK_KHR_PRESENT_ID_EXTENSION_NAME);
    out_timing->has_waits = enables(info, VK_KHR_PRESENT_WAIT_EXTENSION_NAME);
}

uint32_t layer_timing_names(const struct layer_timing *timing,
                            const char *out_names[LAYER_MAX_TIMING_NAMES])
{
    uint32_t count = 0;
    if (timing->way == FOVEA_PRESENT_DISPLAY_TIMING) {
        out_names[count++] = VK_GOOGLE_DISPLAY_TIMING_EXTENSION_NAME;
    } else if (timing->way == FOVEA_PRESENT_WAIT) {
        out_names[count++] = VK_KHR_PRESENT_ID_EXTENSION_NAME;
        out_names[count++] = VK_KHR_PRESENT_WAIT_EXTENSION_NAME;
    }
    return count;
}

bool layer_timing_hides(const struct layer_device *device, const char *name)
{
    const struct layer_timing *timing = &device->timing;
    return (timing->way == FOVEA_PRESENT_DISPLAY_TIMING &&
            (strcmp(name, "vkGetPastPresentationTimingGOOGLE") == 0 ||
             strcmp(name, "vkGetRefreshCycleDurationGOOGLE") == 0)) ||
           (timing->way == FOVEA_PRESENT_WAIT && !timing->has_waits &&
            strcmp(name, "vkWaitForPresentKHR") == 0);
}

/* ---- Swapchains ------------------------------------------------------------------------------ */

/* One that is retired may not be waited for. */
static struct fovea_present *find(struct layer_swapchain *swapchain)
{
    struct layer_device *device = swapchain->device;
    if (swapchain->present || swapchain->present_over || swapchain->retired) {
        return swapchain->present;
    }
    swapchain->present_over = true;
    struct fovea_present_desc desc;
    fovea_present_desc_init(&desc);
    desc.device = device->handle;
    desc.get_device_proc_addr = device->vk.GetDeviceProcAddr;
    desc.swapchain = swapchain->handle;
    desc.mode = swapchain->present_mode;
    desc.way = device->timing.way;
    desc.log = layer_log();
    if (fovea_present_create(&desc, &swapchain->present) < 0) {
        log_warning(layer_log(), "record: when frames are on the screen is not known");
    }
    return swapchain->present;
}

void layer_timing_leave(struct layer_swapchain *swapchain)
{
    fovea_present_destroy(&swapchain->present);
    swapchain->present_over = true;
}

/* ---- Presents -------------------------------------------------------------------------------- */

static uint32_t place_of(const VkPresentInfoKHR *info, const struct layer_swapchain *swapchain)
{
    uint32_t i = 0;
    while (i < info->swapchainCount && info->pSwapchains[i] != swapchain->handle) {
        i++;
    }
    return i;
}

/* The program's numbers grow by its own rule, and ours between them could not. */
static void begin(const struct layer_taken *taken, const VkPresentInfoKHR *info, bool has_ids,
                  struct layer_timing_chain *chain)
{
    const VkPresentIdKHR *theirs = layer_find(info->pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
    const uint32_t place = place_of(info, taken->swapchain);
    const uint64_t own = theirs && theirs->pPresentIds && place < theirs->swapchainCount
                             ? theirs->pPresentIds[place]
                             : 0;
    struct fovea_present *present = find(taken->swapchain);
    if (place >= LAYER_MAX_PRESENTED || (has_ids && own == 0)) {
        return;
    }
    chain->ids[place] = fovea_present_begin(present, taken->made_by->fovea, has_ids ? own : 0);
    chain->any = chain->any || chain->ids[place] != 0;
}

void layer_timing_begin(const struct layer_presentation *p, VkPresentInfoKHR *info,
                        struct layer_timing_chain *out_chain)
{
    const struct layer_timing *timing = &p->device->timing;
    const bool waits = timing->way == FOVEA_PRESENT_WAIT;
    *out_chain = (struct layer_timing_chain){.any = false};
    for (uint32_t i = 0; i < p->taken_count; i++) {
        if (p->taken[i].made_by && fovea_present_frame(p->taken[i].made_by->fovea) != 0) {
            begin(&p->taken[i], info, waits && timing->has_ids, out_chain);
        }
    }
    if (!out_chain->any || (waits && timing->has_ids) ||
        info->swapchainCount > LAYER_MAX_PRESENTED) {
        return;
    }
    for (uint32_t i = 0; i < info->swapchainCount; i++) {
        out_chain->times[i].presentID = (uint32_t)out_chain->ids[i];
    }
    out_chain->id = (VkPresentIdKHR){.sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR,
                                     .pNext = info->pNext,
                                     .swapchainCount = info->swapchainCount,
                                     .pPresentIds = out_chain->ids};
    out_chain->time =
        (VkPresentTimesInfoGOOGLE){.sType = VK_STRUCTURE_TYPE_PRESENT_TIMES_INFO_GOOGLE,
                                   .pNext = info->pNext,
                                   .swapchainCount = info->swapchainCount,
                                   .pTimes = out_chain->times};
    info->pNext = waits ? (const void *)&out_chain->id : &out_chain->time;
}

/* Counts pictures without a frame, too: then other pictures come between frames. */
void layer_timing_end(const struct layer_presentation *p, VkResult result)
{
    if (p->device->timing.way == FOVEA_PRESENT_UNKNOWN) {
        return;
    }
    for (uint32_t i = 0; i < p->info->swapchainCount; i++) {
        struct layer_swapchain *swapchain =
            layer_registry_swapchain(p->device, p->info->pSwapchains[i]);
        if (swapchain) {
            fovea_present_end(swapchain->present, result);
        }
    }
}
