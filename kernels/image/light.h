/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The kinds of light in which UNORM pixels are averaged. C and CUDA include it;
 * kernels/image/pixel.glsl says the same. */
#pragma once

#include "kernels/cuda/host_device.h"

#include <stdbool.h>
#include <stdint.h>

#define IMAGE_LIGHT_STORED 0
#define IMAGE_LIGHT_SRGB 1 /* 1 + enum fovea_transfer */
#define IMAGE_LIGHT_PQ 2
#define IMAGE_LIGHT_HLG 3
#define IMAGE_LIGHT_HLG_BLUE_FIRST 4 /* for images whose first colour is blue */
#define IMAGE_LIGHT_GAMMA 5 /* a power of the display's */
#define IMAGE_LIGHT_TABLE 6 /* samples of the display's light, from 0 to 1 */
#define IMAGE_LIGHT_COUNT 7

/* All light but sRGB's is wide: from 1 to below 2^-30, since what is darkest falls to nothing.
 * Levels are stored as halves, whose steps are relative down to 2^-14 only: it is stored so many
 * times as large. HLG's goes up to 1.6, blue on a display of 100 cd/m^2. */
#define IMAGE_LIGHT_SCALE 32768

/* The weights of colours in luminance (ITU-R BT.2020, table 4), which HLG's OOTF needs. */
#define IMAGE_LIGHT_RED 0.2627f
#define IMAGE_LIGHT_GREEN 0.6780f
#define IMAGE_LIGHT_BLUE 0.0593f

HOST_DEVICE bool image_light_is_wide(int32_t light)
{
    return light > IMAGE_LIGHT_SRGB;
}

HOST_DEVICE bool image_light_is_hlg(int32_t light)
{
    return light == IMAGE_LIGHT_HLG || light == IMAGE_LIGHT_HLG_BLUE_FIRST;
}

/* Returns a frame's light for images that have red and blue exchanged, or not. */
HOST_DEVICE int32_t image_light_in_order(int32_t light, bool blue_first)
{
    return light == IMAGE_LIGHT_HLG && blue_first ? IMAGE_LIGHT_HLG_BLUE_FIRST : light;
}
