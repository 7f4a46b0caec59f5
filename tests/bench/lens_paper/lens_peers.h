/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* lens_peers.cu's kernels are given these: ways that others warp by, with texture units for what
 * lies between pixels. C and CUDA include this. */
#pragma once

#include <stdint.h>

#define LENS_PEERS_GRID 128 /* points of a grid along each axis, as Monado has */
#define LENS_PEERS_COLORS 3
#define LENS_PEERS_SIDE 8 /* threads of a block along each axis */

struct lens_peers_params {
    uint64_t src; /* a texture: RGBA8 from 0 to 1, pixels between pixels; red's */
    uint64_t grids[LENS_PEERS_COLORS]; /* textures: where in the source, from 0 to 1 */
    uint64_t map; /* float2[]: where in the source, in pixels, for each pixel */
    uint64_t dst; /* uint32_t[]: RGBA8, rows without gaps */
    int32_t width_px;
    int32_t height_px;
};
