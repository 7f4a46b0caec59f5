/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Semaphores that can be given to a peer. */
#pragma once

#include "os_handle.h"
#include "vk_device.h"

/* The device can export semaphores of that kind. */
bool vk_semaphore_exportable(const struct vk_device *device, bool timeline);

FOVEA_MUST_CHECK enum fovea_result vk_semaphore_create(struct vk_device *device, bool timeline,
                                                       bool exported, VkSemaphore *out_semaphore);
FOVEA_MUST_CHECK enum fovea_result vk_semaphore_export(struct vk_device *device,
                                                       VkSemaphore semaphore,
                                                       struct os_handle *out_handle);
