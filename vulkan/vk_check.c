/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "vk_check.h"

#include "core/log.h"

#include <string.h>

const char *vk_result_name(VkResult result)
{
    switch (result) {
#define NAME(value)                                                                                \
    case value:                                                                                    \
        return #value
        NAME(VK_SUCCESS);
        NAME(VK_NOT_READY);
        NAME(VK_TIMEOUT);
        NAME(VK_ERROR_OUT_OF_HOST_MEMORY);
        NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY);
        NAME(VK_ERROR_INITIALIZATION_FAILED);
        NAME(VK_ERROR_DEVICE_LOST);
        NAME(VK_ERROR_MEMORY_MAP_FAILED);
        NAME(VK_ERROR_EXTENSION_NOT_PRESENT);
        NAME(VK_ERROR_FEATURE_NOT_PRESENT);
        NAME(VK_ERROR_TOO_MANY_OBJECTS);
        NAME(VK_ERROR_FORMAT_NOT_SUPPORTED);
        NAME(VK_ERROR_OUT_OF_POOL_MEMORY);
        NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE);
#undef NAME
    default:
        return "VkResult";
    }
}

static enum fovea_result from_vk(VkResult result)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
        return FOVEA_ERROR_OUT_OF_MEMORY;
    case VK_ERROR_DEVICE_LOST:
        return FOVEA_ERROR_DEVICE_LOST;
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
        return FOVEA_ERROR_UNSUPPORTED;
    default:
        return FOVEA_ERROR_INTERNAL;
    }
}

enum fovea_result vk_checked(struct fovea_log log, VkResult result, const char *call,
                             const char *file, int line)
{
    if (result >= 0) {
        return FOVEA_OK;
    }
    const char *slash = strrchr(file, '/');
    log_error(log, "vulkan: %s (%d) from %s at %s:%d", vk_result_name(result), (int)result, call,
              slash ? slash + 1 : file, line);
    return from_vk(result);
}
