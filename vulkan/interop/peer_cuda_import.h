/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Vulkan's images and semaphores as CUDA sees them. Every call pushes the device. */
#pragma once

#include "kernels/cuda/cuda_device.h"
#include "peer.h"

struct peer_image {
    CUexternalMemory
        memory; /* lives for as long as this does, whether Vulkan still has it or not */
    CUmipmappedArray levels;
    CUarray array; /* of an image that is no import */
    CUsurfObject surface;
    enum fovea_format format;
    uint32_t width_px;
    uint32_t height_px;
    struct peer_image *next; /* of those that are forgotten */
};

/* A plain array with surfaces, for images of that format and size. */
CUDA_ARRAY3D_DESCRIPTOR peer_cuda_array_desc(const struct peer_image_desc *desc);

/* The descriptor stays the caller's. On failure what was made of it is the caller's to unmap. */
FOVEA_MUST_CHECK enum fovea_result peer_cuda_map_image(const struct cuda_device *device,
                                                       const struct peer_image_desc *desc,
                                                       struct peer_image *image);
void peer_cuda_unmap_image(const struct cuda_device *device, struct peer_image *image);

/* The descriptor is CUDA's on success. */
FOVEA_MUST_CHECK enum fovea_result peer_cuda_import_semaphore(
    const struct cuda_device *device, const struct peer_semaphore_desc *desc,
    CUexternalSemaphore *out_handle);
