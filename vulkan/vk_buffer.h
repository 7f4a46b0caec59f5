/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Storage buffers: small ones that the host writes, large ones that only kernels touch. */
#pragma once

#include "vk_device.h"

struct vk_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    VkDeviceSize bytes;
    void *mapped; /* coherent, for as long as the buffer lives; NULL for kernels' own */
};

FOVEA_MUST_CHECK enum fovea_result vk_buffer_init_mapped(struct vk_buffer *buffer,
                                                         struct vk_device *device,
                                                         VkDeviceSize bytes);
/* Mapped too, and where the device has such memory and some of it is left, near to who reads it. */
enum vk_buffer_reader { VK_BUFFER_READ_BY_HOST, VK_BUFFER_READ_BY_KERNELS };
FOVEA_MUST_CHECK enum fovea_result vk_buffer_init_shared(struct vk_buffer *buffer,
                                                         struct vk_device *device,
                                                         VkDeviceSize bytes,
                                                         enum vk_buffer_reader reader);
FOVEA_MUST_CHECK enum fovea_result vk_buffer_init_local(struct vk_buffer *buffer,
                                                        struct vk_device *device,
                                                        VkDeviceSize bytes);
void vk_buffer_finish(struct vk_buffer *buffer, struct vk_device *device);
