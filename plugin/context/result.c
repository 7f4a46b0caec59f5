/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fovea.h"

uint32_t fovea_version(void)
{
    return FOVEA_VERSION_MAJOR * 1000000u + FOVEA_VERSION_MINOR * 1000u + FOVEA_VERSION_PATCH;
}

const char *fovea_result_name(enum fovea_result result)
{
    switch (result) {
    case FOVEA_OK:
        return "FOVEA_OK";
    case FOVEA_NOT_READY:
        return "FOVEA_NOT_READY";
    case FOVEA_PASSED_THROUGH:
        return "FOVEA_PASSED_THROUGH";
    case FOVEA_ERROR_INVALID_ARGUMENT:
        return "FOVEA_ERROR_INVALID_ARGUMENT";
    case FOVEA_ERROR_INVALID_STATE:
        return "FOVEA_ERROR_INVALID_STATE";
    case FOVEA_ERROR_UNSUPPORTED:
        return "FOVEA_ERROR_UNSUPPORTED";
    case FOVEA_ERROR_OUT_OF_MEMORY:
        return "FOVEA_ERROR_OUT_OF_MEMORY";
    case FOVEA_ERROR_DEVICE_LOST:
        return "FOVEA_ERROR_DEVICE_LOST";
    case FOVEA_ERROR_CONFIG:
        return "FOVEA_ERROR_CONFIG";
    case FOVEA_ERROR_IO:
        return "FOVEA_ERROR_IO";
    case FOVEA_ERROR_INTERNAL:
        return "FOVEA_ERROR_INTERNAL";
    case FOVEA_ERROR_FRAME_LOST:
        return "FOVEA_ERROR_FRAME_LOST";
    }
    return "unknown result";
}
