/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* When the frames of a Vulkan program were on the screen: for the record ("record.file",
 * docs/experiments.md), whose lines wait for it, half a second at most.
 *
 * It presents nothing and paces nothing, and no frame waits. Without a record it does nothing. A
 * program that learns the time by itself, as by the flip of an experiment's window, says it with
 * fovea_present_tell and needs nothing else of this.
 *
 *     // once, before vkCreateDevice
 *     enum fovea_present_way way = FOVEA_PRESENT_UNKNOWN;
 *     if (fovea_present_offers(instance, physical_device, vkGetInstanceProcAddr,
 *                              FOVEA_PRESENT_DISPLAY_TIMING)) {
 *         way = FOVEA_PRESENT_DISPLAY_TIMING;  ... add what its line below says ...
 *     }
 *
 *     // for each swapchain
 *     struct fovea_present_desc desc;
 *     fovea_present_desc_init(&desc);
 *     desc.device = device;  desc.get_device_proc_addr = vkGetDeviceProcAddr;
 *     desc.swapchain = swapchain;  desc.mode = VK_PRESENT_MODE_FIFO_KHR;  desc.way = way;
 *     fovea_present_create(&desc, &present);
 *
 *     // each frame, after fovea_vk_foveate
 *     VkPresentTimeGOOGLE time = {.presentID = (uint32_t)fovea_present_begin(present, fovea, 0)};
 *     ... time.presentID is not 0: chain VkPresentTimesInfoGOOGLE to VkPresentInfoKHR ...
 *     result = vkQueuePresentKHR(queue, &info);
 *     fovea_present_end(present, result);
 *
 *     // before the swapchain is destroyed, and before it is another one's oldSwapchain
 *     fovea_present_destroy(&present);
 *
 * Threads: all calls for a swapchain are made where the program may use that swapchain
 * (vkQueuePresentKHR wants that, too). With FOVEA_PRESENT_WAIT a thread of Fovea's calls
 * vkWaitForPresentKHR beside them, which Vulkan's registry asks to be synchronised with other uses
 * of the swapchain; drivers do it themselves, since a program could otherwise not present while it
 * waits. fork: in the child nothing is asked and no thread is waited for. */
#ifndef FOVEA_PRESENT_H
#define FOVEA_PRESENT_H

#include "fovea_vulkan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Frames ---------------------------------------------------------------------------------- */

/* When a frame was on the screen. */
struct fovea_present_shown {
    size_t struct_bytes; /* fovea_present_shown_init */
    int64_t t_ns; /* of fovea_time_ns, CLOCK_MONOTONIC; 0: nobody will know */
    int64_t refresh_ns; /* what the display takes for a picture; 0: not known */
    bool dropped; /* it never was: another took its place; t_ns is 0 */
    uint8_t reserved[7]; /* 0 */
};

static inline void fovea_present_shown_init(struct fovea_present_shown *shown)
{
    memset(shown, 0, sizeof *shown);
    shown->struct_bytes = sizeof *shown;
}

/* The number in the record of the newest frame of fovea_vk_foveate or fovea_vk_record; 0: there is
 * no record. On the thread that makes frames. */
FOVEA_API uint64_t fovea_present_frame(const struct fovea_vk *fovea);

/* For programs that know by themselves when the frame of that number was on the screen, within half
 * a second; lines wait from the first call on. Takes no lock. Any thread, one at a time; before
 * fovea_vk_destroy. Without a record nothing happens. FOVEA_ERROR_INVALID_ARGUMENT: frame is 0, a
 * time is below 0, or a frame that was dropped has one. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_present_tell(
    struct fovea_vk *fovea, uint64_t frame, const struct fovea_present_shown *shown);

/* ---- Swapchains ------------------------------------------------------------------------------ */

/* How a driver says it. */
enum fovea_present_way {
    FOVEA_PRESENT_UNKNOWN, /* it does not; the record says so */
    /* VK_GOOGLE_display_timing: the driver's own times, and the display's refreshes, from which
     * repeated pictures are counted, and with VK_PRESENT_MODE_MAILBOX_KHR dropped ones */
    FOVEA_PRESENT_DISPLAY_TIMING,
    /* VK_KHR_present_id and VK_KHR_present_wait with their features presentId and presentWait: when
     * a thread woke that waits for the frame, so later than the screen by what that takes. In modes
     * that replace pictures, as VK_PRESENT_MODE_MAILBOX_KHR, nothing is said of a frame after which
     * another picture was presented before the thread woke. */
    FOVEA_PRESENT_WAIT,
};

/* Whether the device has its extensions and features. */
FOVEA_API bool fovea_present_offers(VkInstance instance, VkPhysicalDevice physical_device,
                                    PFN_vkGetInstanceProcAddr get_instance_proc_addr,
                                    enum fovea_present_way way);

struct fovea_present_desc {
    size_t struct_bytes; /* fovea_present_desc_init */
    VkDevice device; /* made with what `way` needs */
    PFN_vkGetDeviceProcAddr get_device_proc_addr;
    VkSwapchainKHR swapchain;
    VkPresentModeKHR mode; /* of the swapchain */
    enum fovea_present_way way;
    struct fovea_log log; /* may come from Fovea's thread */
};

static inline void fovea_present_desc_init(struct fovea_present_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

struct fovea_present;

/* Allocates; with FOVEA_PRESENT_WAIT starts a thread. FOVEA_ERROR_UNSUPPORTED: the device has none
 * of the functions. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_present_create(
    const struct fovea_present_desc *desc, struct fovea_present **out_present);

/* Pictures that were not seen on the screen by now will not be known. Waits up to 10 ms for the
 * thread. NULL twice over. The contexts of its frames are there still. */
FOVEA_API void fovea_present_destroy(struct fovea_present **present);

/* The newest frame of that context is about to be presented. -> the number that
 * VkPresentTimesInfoGOOGLE or VkPresentIdKHR has to give this present; 0: it is not watched, since
 * there is no record, or 64 frames are waited for, or no frame was made since the last begin.
 * `own_id` is a number that the program gives it anyway; 0: none. Takes no lock, waits for nothing.
 * NULL: 0. */
FOVEA_API uint64_t fovea_present_begin(struct fovea_present *present, struct fovea_vk *fovea,
                                       uint64_t own_id);
/* Takes the result of vkQueuePresentKHR. Without a begin that gave a number, the picture was no
 * frame: how often the frame before was repeated is not known then. */
FOVEA_API void fovea_present_end(struct fovea_present *present, VkResult result);

#ifdef __cplusplus
}
#endif

#endif
