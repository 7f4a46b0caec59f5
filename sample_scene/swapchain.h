/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The images of a window. */
#pragma once

#include "frames.h"
#include "pixels.h"

#define SWAPCHAIN_MAX_IMAGES 16

struct swapchain {
    const struct gpu *gpu;
    VkSurfaceKHR surface;
    VkSurfaceFormatKHR format;
    VkSwapchainKHR handle;
    struct fovea_present *present; /* says when its pictures are on the screen */
    VkExtent2D extent;
    VkImage images[SWAPCHAIN_MAX_IMAGES];
    uint32_t image_count;
    VkSemaphore finished[SWAPCHAIN_MAX_IMAGES]; /* of an image: it may be presented */
    VkSemaphore acquired[FRAMES_IN_FLIGHT]; /* of a frame */
};

/* The format that Fovea takes and this surface shows: `wanted`, or the best one where that is NULL.
 * False with a message. */
bool swapchain_choose_format(struct swapchain *swapchain, const struct pixels_format *wanted);
/* Makes it anew for the window's size. The GPU must be done with the old one. An extent of 0 says
 * that the window has no pixels now. */
bool swapchain_make(struct swapchain *swapchain, VkExtent2D window);
void swapchain_finish(struct swapchain *swapchain);

enum swapchain_outcome { SWAPCHAIN_FINE, SWAPCHAIN_STALE, SWAPCHAIN_FAILED };

/* The next image, for frame `number`. STALE: there is none until it is made anew. */
enum swapchain_outcome swapchain_acquire(struct swapchain *swapchain, uint64_t number,
                                         uint32_t *out_index);
/* Its present gets that number, where it is not 0 (foveation_present). */
enum swapchain_outcome swapchain_present(struct swapchain *swapchain, uint32_t index,
                                         uint64_t number);
