/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Checking VkResults. */
#pragma once

#include "fovea.h"

#include <vulkan/vulkan_core.h>

const char *vk_result_name(VkResult result);

/* VK_SUCCESS and positive codes become FOVEA_OK; errors are logged with the call and its place. */
enum fovea_result vk_checked(struct fovea_log log, VkResult result, const char *call,
                             const char *file, int line);

/* Returns from the calling function when a Vulkan call fails. */
#define VK_TRY(log, call)                                                                          \
    do {                                                                                           \
        enum fovea_result vk_try_ = vk_checked((log), (call), #call, __FILE__, __LINE__);          \
        if (vk_try_ < 0) {                                                                         \
            return vk_try_;                                                                        \
        }                                                                                          \
    } while (0)
