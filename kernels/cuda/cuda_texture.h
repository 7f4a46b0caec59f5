/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Textures of images of RGBA8 that the device interpolates as sRGB's light. */
#ifndef FOVEA_KERNELS_CUDA_TEXTURE_H
#define FOVEA_KERNELS_CUDA_TEXTURE_H

#include "cuda_device.h"

/* Coordinates are pixels from the image's upper left corner; beyond its edges the outermost pixels
 * go on. The caller destroys it, before the memory. Where there is none to be had, the log says so
 * and it is 0: whoever reads textures can do without. FOVEA_ERROR_DEVICE_LOST. */
FOVEA_MUST_CHECK enum fovea_result cuda_texture_of_light(const struct cuda_device *device,
                                                         const CUDA_RESOURCE_DESC *image,
                                                         CUtexObject *out_texture);

#endif
