/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles (gauss_tiles.cu): shapes of tiles, the kernels' parameters, and how
 * much shared memory they take. C and CUDA C share this header. */
#pragma once

#include "kernels/gauss/cuda/common/params.h"
#include "kernels/gauss/pyramid.h"

/* Levels that tiles are made from: the picture, and up to 32 pixels a sample. */
#define GAUSS_TILE_LEVELS 6

/* A tile is this many subtiles wide and high. It is made whole, in quadrants, or in subtiles. 16
 * outputs either way, the size of one mma, are 12 cells of the spline, and with them a warp makes a
 * quadrant of the tile. Tiles count from the view's corner, so that a view gets the same bits
 * wherever it lies. */
#define GAUSS_TILE_ACROSS 3
#define GAUSS_TILE_SUBTILES (GAUSS_TILE_ACROSS * GAUSS_TILE_ACROSS)
#define GAUSS_TILE_SUBTILE_PX 32
#define GAUSS_TILE_PX (GAUSS_TILE_ACROSS * GAUSS_TILE_SUBTILE_PX)
#define GAUSS_TILE_QUADRANT_PX (GAUSS_TILE_PX / 2)
/* The MMA path's weights go up to this variance, in samples squared. Its window ends 8 samples from
 * a warp's outermost outputs, which weigh at most a hundredth in any pixel, and 9 from the next
 * ones: at three sigma. */
#define GAUSS_TILE_MOST_VARIANCE 9.0f

/* A block of the first kernel makes so many samples of level 2 along either axis. One more warp is
 * the classifier. */
#define GAUSS_TILE_MADE 16
#define GAUSS_TILE_MADE_PX (4 * GAUSS_TILE_MADE)
#define GAUSS_TILE_WORKERS 128
#define GAUSS_TILE_MAKERS (GAUSS_TILE_WORKERS + 32)

#define GAUSS_TILE_THREADS 128
#define GAUSS_TILE_WARPS (GAUSS_TILE_THREADS / 32)

/* Up to these sigmas, where stored levels are averaged and where light is, a window of the picture
 * reaches far enough around all pixels of a subtile. It ends eight pixels from a warp's outermost
 * ones, at 2.5 and 2.9 sigma; that is the widest corner of the widest subtile, where it shows by
 * less than a level of 8 bits. */
#define GAUSS_TILE_NEAR_SIGMA 3.25f
#define GAUSS_TILE_NEAR_SIGMA_LIGHT 2.75f
/* And up to this one where each pixel evaluates sigma: its variance is GAUSS_TILE_MOST_VARIANCE.
 * Beyond their last node polynomials of up to seven variances would multiply what rounds. */
#define GAUSS_TILE_NEAR_SIGMA_FINE 3.0f

/* Tests go up to this slope; beyond it too many tiles hold a range of sigma that no level
 * serves. */
#define GAUSS_TILE_SLOPE_FOR_TESTS 0.045

/* Shared memory has each warp's variances and their polynomials, which lie where the sigmas are
 * that they are made from, the least sample of each warp, then a window's planes, one for each
 * colour. */
#define GAUSS_TILE_VARIANCES 7 /* of a warp, at most */
#define GAUSS_TILE_SHARES_BYTES (GAUSS_TILE_WARPS * GAUSS_TILE_VARIANCES * 32)
#define GAUSS_TILE_FIXED_BYTES (GAUSS_TILE_SHARES_BYTES + GAUSS_TILE_WARPS * 8)
#define GAUSS_TILE_PLANES_BYTES 20736
#define GAUSS_TILE_SHARED_BYTES (GAUSS_TILE_FIXED_BYTES + GAUSS_TILE_PLANES_BYTES)

HOST_DEVICE float gauss_tile_sigma_from(int32_t level)
{
    return level > 0 ? (float)(1 << level) * (0.5f * GAUSS_TILE_SIGMA_1) : 0.0f;
}

/* ---- What the kernels are told */

/* Returns whether the MMA path reaches far enough from a level on, from 1 on. */
HOST_DEVICE int32_t gauss_tile_reaches(int32_t level, float sigma_px)
{
    return gauss_tile_residual(sigma_px, level) <= GAUSS_TILE_MOST_VARIANCE;
}

/* The second kernel's work list fills from both ends: subtiles from the first entry on, tiles from
 * the last. All counts are zero between frames. */
struct gauss_tile_counts {
    uint32_t subtiles; /* entries from the first on */
    uint32_t tiles; /* entries from the last on */
    uint32_t split; /* extra entries that tiles asked for, refused ones too */
    uint32_t reserved;
};

/* A launch's grid of tiles and the capacity of its list. */
struct gauss_tile_grid {
    int32_t columns; /* columns of tiles */
    int32_t rows;
    int32_t split_count; /* capacity for entries beyond one a tile */
    int32_t entry_count;
};

/* An entry has a kind, the place of its first subtile, and a part. */
enum gauss_tile_kind {
    GAUSS_TILE_NONE = 0,
    GAUSS_TILE_LEVEL_0 = 1, /* plus the level, up to 2: a subtile */
    /* a subtile, of which each warp's part is made from the picture or from level 1 */
    GAUSS_TILE_MIXED = 5,
    GAUSS_TILE_COPIED = 6,
    GAUSS_TILE_GATHERED = 7, /* pixel by pixel: sigma changes too much for anything else */
    GAUSS_TILE_IN_SUBTILES =
        8, /* The block classifies the subtiles itself and makes them in turn. */
    /* plus the level, from 1 on: a whole tile; of level 1 it is the quadrant that is the part */
    GAUSS_TILE_WHOLE_0 = 10,
};
#define GAUSS_TILE_SUBTILE_LEVELS 3
#define GAUSS_TILE_KIND_SHIFT 28
#define GAUSS_TILE_PART_SHIFT 20
#define GAUSS_TILE_ROW_SHIFT 10
#define GAUSS_TILE_PLACE_MASK 511
/* The part of what is made from the picture, if some of its sigma is small. */
#define GAUSS_TILE_FINE 1

/* The plan of the tiles, as the device has it. */
struct gauss_tiles {
    struct gauss_law law;
    struct gauss_level levels[GAUSS_TILE_LEVELS]; /* from 1 on; rows start at even samples */
    int32_t level_count; /* with the picture, for any gaze */
    int32_t near_level_count; /* while the gaze lies in the picture */
    int32_t level_samples; /* of all levels together; even */
    int32_t radial; /* 1: RADIAL, and sigma never falls with the distance */
    float slope; /* Sigma changes by at most so much a pixel. */
    float split_px; /* RADIAL: farther from the gaze all tiles are made from level 2 and up */
    float near_px; /* farther, from level 1 and up, as a whole */
    float near_sigma; /* a launch's: up to it subtiles come from the picture as a whole */
    float fine_sigma; /* in a subtile with less each pixel evaluates sigma */
    struct gauss_tile_grid grid;
    int32_t made_columns; /* blocks of the first kernel */
    int32_t made_rows;
    /* from an image's counts to its opaque flags, one for each block */
    int32_t flags_bytes;
    uint64_t table; /* float[law.table_count] */
    uint64_t samples; /* all levels, four halves a sample */
    int64_t next_samples; /* bytes to the next image's; 0: one picture for all */
    uint64_t state; /* counts, entries, flags of an image */
    int64_t state_bytes; /* bytes to the next image's */
    struct gauss_cuda_others others; /* a run's */
};

/* Returns how many levels a frame's gaze may need; it is the same for a single frame and in a
 * batch. */
HOST_DEVICE int32_t gauss_tile_level_count(const struct gauss_tiles *tiles,
                                           const struct gauss_frame *frame)
{
    return gauss_frame_gaze_is_inside(frame) ? tiles->near_level_count : tiles->level_count;
}

struct gauss_tiles_params {
    struct gauss_frame frame;
    struct gauss_tiles tiles;
    struct gauss_cuda_batch batch;
    struct image_linear src; /* of a surface, `data` is its object */
    struct image_linear dst;
};
