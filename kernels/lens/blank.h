/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of the picture that are shown which have no source anywhere: nothing is worked out there.
 */
#ifndef FOVEA_KERNELS_LENS_BLANK_H
#define FOVEA_KERNELS_LENS_BLANK_H

#include "kernels/cuda/host_device.h"

#include <stdbool.h>
#include <stdint.h>

#define LENS_TILE_PX 32 /* each way */

HOST_DEVICE int32_t lens_tiles(int32_t size_px)
{
    return (size_px + LENS_TILE_PX - 1) / LENS_TILE_PX;
}

/* Words of 32 tiles each, by rows of tiles. */
HOST_DEVICE bool lens_tile_is_blank(const uint32_t *words, int32_t columns, int32_t x, int32_t y)
{
    const int32_t tile = y * columns + x;
    return words[tile >> 5] >> (tile & 31) & 1;
}

#endif
