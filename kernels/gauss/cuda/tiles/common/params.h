/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles (gauss_tiles.cu): shapes of tiles, the kernels' parameters, and how
 * much shared memory they take. C and CUDA C share this header. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_PARAMS_H
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_PARAMS_H

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

/* In the second kernel, where pixels are made by arithmetic, a thread makes four in a row at a
 * time. */
#define GAUSS_TILE_THREADS 128
#define GAUSS_TILE_GROUP 4

/* Gaussians are cut off at so many sigma. Linear light and floats take the method's own reach
 * (gauss/pyramid.h says why); where stored levels are averaged, the tail beyond 3.5 is a tenth of
 * a level. */
#define GAUSS_TILE_REACH_ENCODED 3.5f
#define GAUSS_TILE_REACH_LIGHT GAUSS_REACH
/* At the widest corner of the widest tile of the picture itself, where one more tap would cost
 * every block memory, so much of the reach is left; it shows by less than a level of 8 bits. */
#define GAUSS_TILE_SLACK_ENCODED 0.7f
#define GAUSS_TILE_SLACK_LIGHT 0.86f

/* The MMA path's window ends 8 pixels from a warp's outermost ones. In light Gaussians are cut off
 * later, and two pixels less are still three and a half sigma. */
#define GAUSS_TILE_MMA_RADIUS_ENCODED 8
#define GAUSS_TILE_MMA_RADIUS_LIGHT 10

/* Tests go up to this slope; beyond it too many tiles hold a range of sigma that no level
 * serves. */
#define GAUSS_TILE_SLOPE_FOR_TESTS 0.045

/* If some of a subtile of the picture must be averaged in two dimensions, all of it is; if none
 * must, all of it up to one less than this radius, which is as exact and as fast as products. It is
 * two blocks' work; in one block it would outlive all others. */
#define GAUSS_TILE_DIRECT_RADIUS 5
#define GAUSS_TILE_HALF_ROWS (GAUSS_TILE_SUBTILE_PX / 2)
/* If sigma grows faster, five variances are too few for a warp's pixels below 0.9 px: at 0.05
 * (strength 3 across 2,191 px) a checker of single pixels came out 3.5 levels off. */
#define GAUSS_TILE_NARROW_SLOPE 0.031f
/* Up to this sigma the MMA path makes all subtiles. */
#define GAUSS_TILE_NARROW_SIGMA (GAUSS_TILE_MMA_RADIUS_ENCODED / GAUSS_TILE_REACH_ENCODED)

#define GAUSS_TILE_WARPS (GAUSS_TILE_THREADS / 32)

/* ---- Shapes */

/* The extents of the window under rows of a subtile that are made from the picture by arithmetic.
 */
struct gauss_tile_shape {
    int32_t radius;
    int32_t aside; /* columns read on each side, in fours */
    int32_t rows;
    int32_t columns;
    int32_t pitch; /* odd, so that columns have no bank conflicts */
};

HOST_DEVICE struct gauss_tile_shape gauss_tile_shape_of(int32_t radius, int32_t rows)
{
    struct gauss_tile_shape shape;
    shape.radius = radius;
    shape.aside = (radius + 3) / 4 * 4;
    shape.rows = rows + 2 * radius;
    shape.columns = GAUSS_TILE_SUBTILE_PX + 2 * shape.aside;
    shape.pitch = shape.columns | 1;
    return shape;
}

/* Shared memory has the table of light (256 halves), what the MMA path has of each warp's sigmas,
 * the least sample of each warp, then the window. A sample has eight bytes. */
#define GAUSS_TILE_LIGHT_BYTES 512
#define GAUSS_TILE_NODES_BYTES (GAUSS_TILE_WARPS * 48)
#define GAUSS_TILE_FIXED_BYTES                                                                     \
    (GAUSS_TILE_LIGHT_BYTES + GAUSS_TILE_NODES_BYTES + GAUSS_TILE_WARPS * 8)
#define GAUSS_TILE_MMA_BYTES 20736 /* of the MMA path's planes */

HOST_DEVICE int32_t gauss_tile_bytes(int32_t radius)
{
    const struct gauss_tile_shape shape = gauss_tile_shape_of(radius, GAUSS_TILE_SUBTILE_PX);
    const int32_t window = 8 * shape.rows * shape.pitch;
    return GAUSS_TILE_FIXED_BYTES + (window > GAUSS_TILE_MMA_BYTES ? window : GAUSS_TILE_MMA_BYTES);
}

HOST_DEVICE float gauss_tile_sigma_from(int32_t level)
{
    return level > 0 ? (float)(1 << level) * (0.5f * GAUSS_TILE_SIGMA_1) : 0.0f;
}

/* ---- What the kernels are told */

/* The support that a subtile of the picture may have, and the shared memory of the second kernel's
 * blocks. */
struct gauss_tile_limits {
    float reach; /* in sigmas */
    float slack;
    int32_t radius;
    int32_t mma_radius; /* The MMA path reaches so far there. */
    int32_t shared_bytes;
};

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
    uint32_t parts; /* extra entries that subtiles asked for */
};

/* A launch's grid of tiles and the capacity of its list. */
struct gauss_tile_grid {
    int32_t columns; /* columns of tiles */
    int32_t rows;
    int32_t split_count; /* capacity for entries beyond one a tile */
    int32_t part_count; /* capacity for entries beyond one a subtile */
    int32_t entry_count;
    int32_t narrow; /* 1: the MMA path makes subtiles of small sigma, too */
};

/* An entry has a kind, flags, a radius, and the place of its first subtile. */
enum gauss_tile_kind {
    GAUSS_TILE_NONE = 0,
    GAUSS_TILE_LEVEL_0 = 1, /* plus the level, up to 2: a subtile */
    /* a subtile, of which each warp's part is made from the picture or from level 1 */
    GAUSS_TILE_MIXED = 5,
    GAUSS_TILE_COPIED = 6,
    GAUSS_TILE_GATHERED = 7, /* pixel by pixel: sigma changes too much for anything else */
    GAUSS_TILE_IN_SUBTILES =
        8, /* The block classifies the subtiles itself and makes them in turn. */
    GAUSS_TILE_DIRECT = 9, /* the picture's, averaged in two dimensions at once */
    /* Plus the level, from 1 on: a whole tile. Of level 1 it is a quadrant, whose number takes the
     * radius's place. */
    GAUSS_TILE_WHOLE_0 = 10,
    /* the picture's, by the MMA path, with a sigma for each pixel */
    GAUSS_TILE_NARROW = GAUSS_TILE_WHOLE_0,
};
#define GAUSS_TILE_SUBTILE_LEVELS 3
#define GAUSS_TILE_KIND_SHIFT 28
#define GAUSS_TILE_RADIUS_SHIFT 20
#define GAUSS_TILE_RADIUS_MASK 63
#define GAUSS_TILE_ROW_SHIFT 10
#define GAUSS_TILE_PLACE_MASK 511
/* The upper half of a DIRECT one, or with LOWER the lower half. */
#define GAUSS_TILE_HALF (1u << 26)
#define GAUSS_TILE_LOWER (1u << 19)

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
    float part_px; /* farther, no subtile is averaged in two dimensions */
    float fine_sigma; /* A subtile with less is averaged in two dimensions. */
    struct gauss_tile_grid grid;
    int32_t made_columns; /* blocks of the first kernel */
    int32_t made_rows;
    /* from an image's counts to its opaque flags, one for each block */
    int32_t flags_bytes;
    struct gauss_tile_limits limits;
    struct gauss_tile_limits float_limits; /* a launch for floats replaces them */
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

#endif
