/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images that Fovea makes: for the engine to draw into, or as scratch between an engine's image and
 * the kernels. Each has a dedicated allocation and a view of raw words for the kernels. */
#pragma once

#include "os_handle.h"
#include "vk_device.h"
#include "vk_format.h"

enum vk_image_sharing {
    VK_IMAGE_PRIVATE,
    VK_IMAGE_EXPORTED, /* optimal tiling; vk_image_export gives the memory's handle */
    VK_IMAGE_MAPPED, /* linear tiling in memory of the host, mapped for as long as it lives */
};

struct vk_image_desc {
    const struct vk_format *format;
    bool raw; /* made in the raw format: cheaper for scratch, no use to an engine */
    uint32_t width_px;
    uint32_t height_px;
    VkImageUsageFlags usage; /* beyond SAMPLED, STORAGE, TRANSFER_SRC and TRANSFER_DST */
    enum vk_image_sharing sharing;
};

struct vk_image {
    VkImage handle;
    VkDeviceMemory memory;
    VkImageView raw_view;
    VkImageView view; /* in its own format, for the engine's usage; none for raw images */
    struct vk_image_desc desc;
    uint64_t allocation_bytes;
    void *mapped;
    ptrdiff_t row_stride_bytes;
};

/* Whether shaders may sample an image of colours that stays in it. The last one is of engines with
 * synchronization2. */
static inline bool vk_image_layout_is_read(VkImageLayout layout)
{
    return layout == VK_IMAGE_LAYOUT_GENERAL ||
           layout == VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL ||
           layout == VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
}

/* FOVEA_ERROR_UNSUPPORTED where the device cannot make such an image; said in the log at
 * `level`. */
FOVEA_MUST_CHECK enum fovea_result vk_image_supported(const struct vk_device *device,
                                                      const struct vk_image_desc *desc,
                                                      enum fovea_log_level level);
FOVEA_MUST_CHECK enum fovea_result vk_image_init(struct vk_image *image, struct vk_device *device,
                                                 const struct vk_image_desc *desc);
/* Accepts a half-built or zeroed one; the GPU is done with it. */
void vk_image_finish(struct vk_image *image, struct vk_device *device);

/* A new handle of the memory, the caller's. */
FOVEA_MUST_CHECK enum fovea_result vk_image_export(const struct vk_image *image,
                                                   struct vk_device *device,
                                                   struct os_handle *out_handle);
