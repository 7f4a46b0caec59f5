/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Small storage buffers that the host writes and kernels read. */
#ifndef FOVEA_VULKAN_BUFFER_H
#define FOVEA_VULKAN_BUFFER_H

#include "vk_device.h"

struct vk_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    VkDeviceSize bytes;
    void *mapped; /* coherent, for as long as the buffer lives */
};

FOVEA_MUST_CHECK enum fovea_result vk_buffer_init(struct vk_buffer *buffer,
                                                  struct vk_device *device, VkDeviceSize bytes);
void vk_buffer_finish(struct vk_buffer *buffer, struct vk_device *device);

#endif
