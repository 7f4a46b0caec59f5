/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The formats of frames. Kernels read and write raw words: every format has an unsigned integer
 * format of the same size that all Vulkan devices can store to, and a pixel format for decoding. */
#pragma once

#include "fovea.h"

#include <vulkan/vulkan_core.h>

struct vk_format {
    VkFormat format;
    VkFormat raw; /* R32_UINT or R16G16B16A16_UINT */
    enum fovea_format pixel;
    bool swap_red_blue; /* red is where the pixel format has blue */
    bool srgb; /* the stored values are encoded and Vulkan converts */
};

/* NULL for formats that are no frame's. */
const struct vk_format *vk_format_find(VkFormat format);

/* Raw words of one may be copied into the other: the same channels in the same places. */
bool vk_format_same_words(const struct vk_format *a, const struct vk_format *b);
