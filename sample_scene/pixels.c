/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "pixels.h"

#include <math.h>
#include <string.h>

static const struct pixels_format formats[] = {
    {"bgra8-srgb", VK_FORMAT_B8G8R8A8_SRGB, "BGRA8 sRGB"},
    {"rgba8-srgb", VK_FORMAT_R8G8B8A8_SRGB, "RGBA8 sRGB"},
    {"bgra8", VK_FORMAT_B8G8R8A8_UNORM, "BGRA8"},
    {"rgba8", VK_FORMAT_R8G8B8A8_UNORM, "RGBA8"},
    {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT, "RGBA16F"},
    {"rgb10a2", VK_FORMAT_A2B10G10R10_UNORM_PACK32, "A2B10G10R10"},
    {"bgr10a2", VK_FORMAT_A2R10G10B10_UNORM_PACK32, "A2R10G10B10"},
    {"rg11b10f", VK_FORMAT_B10G11R11_UFLOAT_PACK32, "B10G11R11F"},
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

const struct pixels_format *pixels_format_at(size_t index)
{
    return index < FORMAT_COUNT ? &formats[index] : NULL;
}

const struct pixels_format *pixels_find_name(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

const struct pixels_format *pixels_find(VkFormat format)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i].format == format) {
            return &formats[i];
        }
    }
    return NULL;
}

size_t pixels_bytes(VkFormat format)
{
    return format == VK_FORMAT_R16G16B16A16_SFLOAT ? 8 : 4;
}

bool pixels_hold_light(VkFormat format)
{
    return format == VK_FORMAT_R16G16B16A16_SFLOAT || format == VK_FORMAT_B10G11R11_UFLOAT_PACK32;
}

static uint8_t to_srgb8(float linear)
{
    if (!(linear > 0.0f)) {
        return 0;
    }
    linear = linear > 1.0f ? 1.0f : linear;
    float encoded =
        linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
    return (uint8_t)(encoded * 255.0f + 0.5f);
}

/* An unsigned float with a five-bit exponent, as in both packed formats and in half floats. */
static float small_float(uint32_t bits, int mantissa_bits)
{
    uint32_t exponent = bits >> mantissa_bits & 0x1f;
    float mantissa = (float)(bits & ((1u << mantissa_bits) - 1u)) / (float)(1u << mantissa_bits);
    return exponent == 0 ? ldexpf(mantissa, -14) : ldexpf(1.0f + mantissa, (int)exponent - 15);
}

static void from_half(const uint16_t half[4], uint8_t *rgba)
{
    for (int c = 0; c < 3; c++) {
        rgba[c] = half[c] & 0x8000 ? 0 : to_srgb8(small_float(half[c] & 0x7fff, 10));
    }
}

static void from_word(VkFormat format, uint32_t word, uint8_t *rgba)
{
    switch (format) {
    case VK_FORMAT_B8G8R8A8_SRGB:
    case VK_FORMAT_B8G8R8A8_UNORM:
        rgba[0] = (uint8_t)(word >> 16);
        rgba[1] = (uint8_t)(word >> 8);
        rgba[2] = (uint8_t)word;
        break;
    case VK_FORMAT_A2B10G10R10_UNORM_PACK32:
    case VK_FORMAT_A2R10G10B10_UNORM_PACK32:
        for (int c = 0; c < 3; c++) {
            int at = format == VK_FORMAT_A2B10G10R10_UNORM_PACK32 ? c : 2 - c;
            rgba[c] = (uint8_t)(((word >> (10 * at) & 1023u) * 255u + 511u) / 1023u);
        }
        break;
    case VK_FORMAT_B10G11R11_UFLOAT_PACK32:
        rgba[0] = to_srgb8(small_float(word & 0x7ff, 6));
        rgba[1] = to_srgb8(small_float(word >> 11 & 0x7ff, 6));
        rgba[2] = to_srgb8(small_float(word >> 22, 5));
        break;
    default:
        rgba[0] = (uint8_t)word;
        rgba[1] = (uint8_t)(word >> 8);
        rgba[2] = (uint8_t)(word >> 16);
        break;
    }
}

void pixels_to_rgba8(VkFormat format, const void *pixels, size_t count, uint8_t *out_rgba)
{
    const uint8_t *bytes = pixels;
    size_t step = pixels_bytes(format);
    for (size_t i = 0; i < count; i++) {
        uint8_t *rgba = out_rgba + i * 4;
        if (step == 8) {
            uint16_t half[4];
            memcpy(half, bytes + i * step, sizeof half);
            from_half(half, rgba);
        } else {
            uint32_t word;
            memcpy(&word, bytes + i * step, sizeof word);
            from_word(format, word, rgba);
        }
        rgba[3] = 255;
    }
}
