/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Says what the kernels with tiles take. C and CUDA include it. A block has neighbouring columns of
 * the picture, in rows that have the same nearest row of lenses, and reads what its pixels need of
 * each row of lenses around, lens by lens. Arrays are rectangular and not turned, and raw pictures
 * have bytes. */
#pragma once

#include "params.h"

#define LIGHTFIELD_TILE_COLUMNS 96 /* of the picture: a block's */
#define LIGHTFIELD_TILE_ROWS 12 /* at most */
/* Blocks under a gaze are smaller: fewer threads wait at once for places and weights. */
#define LIGHTFIELD_RINGS_ROWS (LIGHTFIELD_TILE_ROWS / 2)
#define LIGHTFIELD_RINGS_COLUMNS 64
#define LIGHTFIELD_RINGS_THREADS 128
#define LIGHTFIELD_RINGS_BLOCKS 6 /* of a multiprocessor */
#define LIGHTFIELD_TILE_RANGE 2 /* lenses to each side, at most */
#define LIGHTFIELD_TILE_LENSES (2 * LIGHTFIELD_TILE_RANGE + 1)
#define LIGHTFIELD_TILE_SLOTS 32 /* lenses of a row that a block's pixels take samples from */
#define LIGHTFIELD_TILE_CHUNK 4 /* raw pixels that are copied at once */
#define LIGHTFIELD_TILE_CHUNKS 384 /* of a row, at most */
#define LIGHTFIELD_TILE_TEXELS 65535 /* places of depths are 16 bits, and the last is none */

struct lightfield_tile {
    int32_t columns; /* of the picture: a block's */
    int32_t parts; /* blocks of a row of lenses */
    int32_t threads; /* of a block that renders */
    int32_t nearest; /* row of blocks at a gaze; without one 0: blocks go from the first row on */
};

#define LIGHTFIELD_TILE_THREADS 192 /* of a block that renders, at most: one for each chunk */
#define LIGHTFIELD_TILE_BLOCKS 4 /* of such threads, of a multiprocessor */
#define LIGHTFIELD_TILE_BATCH 2 /* rows of the picture whose sums are in shared memory at once */
/* Sums beside those of a block's threads, so that neighbours in a row lie in different banks. */
#define LIGHTFIELD_TILE_BESIDE 2
#define LIGHTFIELD_TILE_BESIDE_GRAY 8

#define LIGHTFIELD_TILE_SIZES 8 /* patch sizes that are matched at once */
#define LIGHTFIELD_TILE_GROUP 3 /* pixels of a thread that matches */
#define LIGHTFIELD_TILE_DEPTH_THREADS                                                              \
    (LIGHTFIELD_TILE_COLUMNS * LIGHTFIELD_TILE_ROWS / LIGHTFIELD_TILE_GROUP)

struct lightfield_tile_rendering {
    struct lightfield_cuda_rendering of;
    struct lightfield_tile tile;
};

struct lightfield_tile_matching {
    struct lightfield_cuda_matching of;
    struct lightfield_tile tile;
    int32_t size_first, size_count; /* of all of them */
    int32_t is_all; /* 1: these are all, and the least is chosen at once */
    int32_t apart; /* sizes that are so many steps apart, or more, differ by a pixel */
};
