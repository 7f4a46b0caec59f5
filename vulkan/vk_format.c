/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "vk_format.h"

static const struct vk_format formats[] = {
    {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32_UINT, FOVEA_FORMAT_RGBA8, false, false},
    {VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R32_UINT, FOVEA_FORMAT_RGBA8, false, true},
    {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R32_UINT, FOVEA_FORMAT_RGBA8, true, false},
    {VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R32_UINT, FOVEA_FORMAT_RGBA8, true, true},
    {VK_FORMAT_A8B8G8R8_UNORM_PACK32, VK_FORMAT_R32_UINT, FOVEA_FORMAT_RGBA8, false, false},
    {VK_FORMAT_A8B8G8R8_SRGB_PACK32, VK_FORMAT_R32_UINT, FOVEA_FORMAT_RGBA8, false, true},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_R32_UINT, FOVEA_FORMAT_A2B10G10R10, false,
     false},
    {VK_FORMAT_A2R10G10B10_UNORM_PACK32, VK_FORMAT_R32_UINT, FOVEA_FORMAT_A2B10G10R10, true, false},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_R32_UINT, FOVEA_FORMAT_B10G11R11F, false, false},
    {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R16G16B16A16_UINT, FOVEA_FORMAT_RGBA16F, false,
     false},
};

const struct vk_format *vk_format_find(VkFormat format)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].format == format) {
            return &formats[i];
        }
    }
    return NULL;
}

bool vk_format_same_words(const struct vk_format *a, const struct vk_format *b)
{
    return a->pixel == b->pixel && a->swap_red_blue == b->swap_red_blue;
}
