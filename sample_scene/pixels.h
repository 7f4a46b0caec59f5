/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pixels of the formats that the engine can draw in, as sRGB bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

struct pixels_format {
    const char *name; /* as --format has it */
    VkFormat format;
    const char *words;
};

/* NULL: there is no such name or format. */
const struct pixels_format *pixels_find_name(const char *name);
const struct pixels_format *pixels_find(VkFormat format);
/* All of them, in order; NULL at the end. */
const struct pixels_format *pixels_format_at(size_t index);

size_t pixels_bytes(VkFormat format);
/* Float formats hold light itself. */
bool pixels_hold_light(VkFormat format);
/* rgba: four bytes a pixel, alpha 255. */
void pixels_to_rgba8(VkFormat format, const void *pixels, size_t count, uint8_t *out_rgba);
