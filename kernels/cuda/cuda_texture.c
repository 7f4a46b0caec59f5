/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_texture.h"

enum fovea_result cuda_texture_of_light(const struct cuda_device *device,
                                        const CUDA_RESOURCE_DESC *image, CUtexObject *out_texture)
{
    const CUDA_TEXTURE_DESC how = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP,
                                                   CU_TR_ADDRESS_MODE_CLAMP,
                                                   CU_TR_ADDRESS_MODE_CLAMP},
                                   .filterMode = CU_TR_FILTER_MODE_LINEAR,
                                   .flags = CU_TRSF_SRGB};
    const enum fovea_result result = CU_CHECK(
        device->log, device->cu, device->cu->TexObjectCreate(out_texture, image, &how, NULL));
    if (result == FOVEA_OK) {
        return FOVEA_OK;
    }
    *out_texture = 0;
    return result == FOVEA_ERROR_DEVICE_LOST ? result : FOVEA_OK;
}
