/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles (foveate_tiles.cu): the shapes of tiles, what their kernels are told,
 * and how much shared memory they take. Shared by C and CUDA C. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_TILES_COMMON_PARAMS_H
#define FOVEA_KERNELS_FOVEATE_CUDA_TILES_COMMON_PARAMS_H

#include "kernels/foveate/cuda/common/params.h"

/* Levels that tiles are made from: the picture, and up to 16 pixels a sample. */
#define FOVEATE_TILE_LEVELS 5

/* A tile is this wide and high where it is made from level 2 and up, else a subtile of one. Tiles
 * count from the view's corner, so that a view gets the same bits wherever it lies. */
#define FOVEATE_TILE_PX 64
#define FOVEATE_TILE_SUBTILE_PX 32

/* Products make wide tiles, of nine subtiles: 16 outputs either way, the size of a product, are 12
 * cells of the spline, and a quadrant of the tile. */
#define FOVEATE_TILE_ACROSS 2 /* subtiles */
#define FOVEATE_TILE_WIDE_ACROSS 3
#define FOVEATE_TILE_WIDE_PX (FOVEATE_TILE_WIDE_ACROSS * FOVEATE_TILE_SUBTILE_PX)
#define FOVEATE_TILE_QUADRANT_PX (FOVEATE_TILE_WIDE_PX / 2)
/* In samples squared: products have weights up to it. Their window ends 8 samples from a warp's
 * outermost outputs, of which no pixel has more than a hundredth, and 9 from the next ones: at
 * three sigma. */
#define FOVEATE_TILE_WIDE_VARIANCE 9.0f

/* The first kernel: a block makes so many samples of level 2 along either axis, 64 pixels; one warp
 * more says what tiles the second kernel shall make. */
#define FOVEATE_TILE_MADE 16
#define FOVEATE_TILE_WORKERS 192
#define FOVEATE_TILE_MAKERS (FOVEATE_TILE_WORKERS + 32)
/* The same of foveate/cuda/tiles/pyramid/bytes.cuh. */
#define FOVEATE_TILE_BYTES_WORKERS 128
#define FOVEATE_TILE_BYTES_MAKERS (FOVEATE_TILE_BYTES_WORKERS + 32)

/* The second kernel: a thread filters four outputs in a row at a time. */
#define FOVEATE_TILE_THREADS 128
#define FOVEATE_TILE_GROUP 4

/* sigma from which level 1 is fine enough, and level 2; twice that for each level on. Of a texture
 * of f cycles a sample the spline leaves an image at 1 - f, (f / (1 - f))^4 as high: at sigma of
 * one sample up to 0.7 levels of 8 bits (columns of 5 px: worst window 0.9928), at 1.1 half of that
 * (0.9958). */
#define FOVEATE_TILE_SIGMA_1 2.2f
#define FOVEATE_TILE_SIGMA_2 4.4f

/* Gaussians are cut off at so many sigma. In linear light and for floats at the method's own reach
 * (foveate/smooth.h says why); where levels are averaged as they are, what lies beyond 3.5 is a
 * tenth of a level. */
#define FOVEATE_TILE_REACH_ENCODED 3.5f
#define FOVEATE_TILE_REACH_LIGHT FOVEATE_REACH
/* What is left of that at the widest corner of the widest tile of the picture itself, where a tap
 * more would cost every block memory; it shows by less than a level of 8 bits. */
#define FOVEATE_TILE_SLACK_ENCODED 0.7f
#define FOVEATE_TILE_SLACK_LIGHT 0.86f

/* Below this sigma a pixel of the picture's own tiles is averaged in two dimensions at once: the
 * weights of a narrow Gaussian change so fast with sigma that rows with the sigma of another row
 * would show. And below the end of the law's ramp where that is steeper than this. */
#define FOVEATE_TILE_SIGMA_FINE 0.9f
#define FOVEATE_TILE_RAMP_SLOPE 0.03f

/* How fast sigma may grow, in pixels a pixel, before its change within a Gaussian shows: at 0.029,
 * the paper's law at 640x360, the worst windows of a star and of a checker fell below an SSIM of
 * 0.995. Steeper laws, which are those of small pictures, are blended from nodes. */
#define FOVEATE_TILE_MAX_SLOPE 0.02
/* Before too many tiles hold a range of sigma that no level serves; for tests. */
#define FOVEATE_TILE_SLOPE_FOR_TESTS 0.045

/* Up to this radius a tile of the picture is averaged in two dimensions and nothing else where some
 * of it must be, up to one less where none must: four taps either side cost no more than two passes
 * with their weights. Such a tile is two blocks' work, and that of a tile whose narrow pixels only
 * are averaged so another two's, or its block would outlive all others. */
#define FOVEATE_TILE_DIRECT_RADIUS 5
#define FOVEATE_TILE_HALF_ROWS (FOVEATE_TILE_SUBTILE_PX / 2)
/* Where sigma grows faster, five variances are too few for what a warp's pixels have below 0.9 px:
 * at 0.05, of strength 3 across 2,191 px, a checker of single pixels came out 3.5 levels off. */
#define FOVEATE_TILE_NARROW_SLOPE 0.031f
/* Products make all subtiles with no more: their window ends 8 pixels from a warp's outermost
 * ones. */
#define FOVEATE_TILE_NARROW_SIGMA (8.0f / FOVEATE_TILE_REACH_ENCODED)

/* The law's sigma is taken at every fourth sample of a tile and of what it reads above and
 * below. */
#define FOVEATE_TILE_GRID 144
#define FOVEATE_TILE_WARPS (FOVEATE_TILE_THREADS / 32)

/* ---- Shapes */

/* What a tile reads and holds; counts are in samples of its level. */
struct foveate_tile_shape {
    int32_t side_px;
    int32_t before; /* samples left of and above the first pixel's, for the spline */
    int32_t outputs; /* along either axis; a multiple of the group */
    int32_t radius;
    int32_t above; /* rows of the grid above the first output, times four */
    int32_t
        aside; /* columns that are read left and right; even, or groups of four of the picture */
    int32_t rows;
    int32_t columns;
    int32_t pitch; /* odd, so that columns meet no conflicts of banks */
    int32_t line; /* outputs, odd likewise */
};

HOST_DEVICE int32_t foveate_tile_side_px(int32_t level)
{
    return level < 2 ? FOVEATE_TILE_SUBTILE_PX : FOVEATE_TILE_PX;
}

HOST_DEVICE struct foveate_tile_shape foveate_tile_shape_of(int32_t side_px, int32_t level,
                                                            int32_t radius)
{
    struct foveate_tile_shape shape;
    shape.side_px = side_px;
    shape.before = level > 0 ? 2 : 0;
    shape.outputs = ((shape.side_px >> level) + 2 * shape.before + FOVEATE_TILE_GROUP - 1) /
                    FOVEATE_TILE_GROUP * FOVEATE_TILE_GROUP;
    shape.radius = radius;
    shape.above = (radius + 3) / 4 * 4;
    shape.aside = level > 0 ? (radius + 1) / 2 * 2 : shape.above;
    shape.rows = shape.outputs + 2 * radius;
    shape.columns = shape.outputs + 2 * shape.aside;
    shape.pitch = shape.columns | 1;
    shape.line = shape.outputs | 1;
    return shape;
}

/* In shared memory: the table of light (of 8 bits, halves), the grid of sigma, the least sample of
 * each warp, then the window, and what was filtered along rows, whose place the first half of the
 * up-sampling takes; eight bytes a sample. */
#define FOVEATE_TILE_LIGHT_BYTES 512
#define FOVEATE_TILE_FIXED_BYTES                                                                   \
    (FOVEATE_TILE_LIGHT_BYTES + FOVEATE_TILE_GRID * 4 + FOVEATE_TILE_WARPS * 8)

HOST_DEVICE int32_t foveate_tile_bytes(int32_t level, int32_t radius)
{
    const struct foveate_tile_shape shape =
        foveate_tile_shape_of(foveate_tile_side_px(level), level, radius);
    const int32_t upsampled = level > 0 ? shape.side_px : 0;
    const int32_t lines = shape.rows > upsampled ? shape.rows : upsampled;
    return FOVEATE_TILE_FIXED_BYTES + 8 * (shape.rows * shape.pitch + lines * shape.line);
}

/* ---- Variances. The blur at a level, the decimation before it and the spline after it add up. */

/* Of decimation and up-sampling with the cubic B-spline, in pixels squared. */
HOST_DEVICE float foveate_tile_variance(int32_t level)
{
    const float step_px = (float)(1 << level);
    return level > 0 ? foveate_level_variance(level) + step_px * step_px * (1.0f / 3.0f) : 0.0f;
}

/* What is left of sigma_px to blur at a level, in samples squared. */
HOST_DEVICE float foveate_tile_residual(float sigma_px, int32_t level)
{
    const float residual = sigma_px * sigma_px - foveate_tile_variance(level);
    return fmaxf(residual, 0.0f) / (float)(1 << 2 * level);
}

HOST_DEVICE float foveate_tile_sigma_from(int32_t level)
{
    return level > 0 ? (float)(1 << level) * (0.5f * FOVEATE_TILE_SIGMA_1) : 0.0f;
}

/* ---- What the kernels are told */

/* How far a tile of each level may reach, and what the second kernel's blocks hold. */
struct foveate_tile_limits {
    float reach; /* sigmas */
    float slack; /* of the picture's tiles */
    int32_t radius[FOVEATE_TILE_LEVELS];
    int32_t shared_bytes;
};

/* The radius that a sigma asks for in a tile of that level; 0: more than it has. */
HOST_DEVICE int32_t foveate_tile_radius(const struct foveate_tile_limits *limits, int32_t level,
                                        float sigma_px)
{
    const float wanted = fmaxf(limits->reach * sqrtf(foveate_tile_residual(sigma_px, level)), 1.0f);
    const int32_t most = limits->radius[level];
    if (wanted * (level > 0 ? 1.0f : limits->slack) > (float)most) {
        return 0;
    }
    return (int32_t)ceilf(fminf(wanted, (float)most));
}

/* Whether products make a wide tile, or a quadrant of one, from that level. */
HOST_DEVICE int32_t foveate_tile_is_wide(int32_t level, float sigma_px)
{
    return foveate_tile_residual(sigma_px, level) <= FOVEATE_TILE_WIDE_VARIANCE;
}

/* The second kernel's work: entries from both ends, small tiles first. Zero between frames. */
struct foveate_tile_counts {
    uint32_t subtiles; /* entries from the first on */
    uint32_t tiles; /* entries from the last on */
    uint32_t split; /* entries beyond one that tiles asked for, refused ones too */
    uint32_t parts; /* and subtiles likewise */
};

/* A launch's tiles, and what its list has room for. */
struct foveate_tile_grid {
    int32_t across; /* subtiles along a tile's side */
    int32_t columns; /* of tiles */
    int32_t rows;
    int32_t split_count; /* entries beyond one a tile */
    int32_t part_count; /* entries beyond one a subtile */
    int32_t entry_count;
    int32_t narrow; /* 1: products make also subtiles whose sigma is small */
};

/* An entry: kind, flags, radius, and where in subtiles of tiles. */
enum foveate_tile_kind {
    FOVEATE_TILE_NONE = 0,
    FOVEATE_TILE_LEVEL_0 = 1, /* made from that level, and so on */
    FOVEATE_TILE_COPIED = 6,
    FOVEATE_TILE_GATHERED = 7, /* pixel by pixel: sigma changes too much for anything else */
    FOVEATE_TILE_IN_SUBTILES = 8, /* the block finds out itself, one after another */
    FOVEATE_TILE_DIRECT = 9, /* the picture's, in two dimensions at once */
    /* And the level, from 1 on: a wide tile, of level 1 a quadrant of one whose number is where
       others have a radius. */
    FOVEATE_TILE_WIDE_0 = 10,
    /* the picture's, by products, sigma at each pixel */
    FOVEATE_TILE_NARROW = FOVEATE_TILE_WIDE_0,
};
#define FOVEATE_TILE_KIND_SHIFT 28
#define FOVEATE_TILE_RADIUS_SHIFT 20
#define FOVEATE_TILE_RADIUS_MASK 63
#define FOVEATE_TILE_ROW_SHIFT 10
#define FOVEATE_TILE_PLACE_MASK 511
/* Some of its sigma is below fine_sigma. DIRECT makes just those pixels, LEVEL_0 all others. */
#define FOVEATE_TILE_FINE (1u << 27)
/* A half of a DIRECT one: the upper, or the lower. */
#define FOVEATE_TILE_HALF (1u << 26)
#define FOVEATE_TILE_LOWER (1u << 19)
/* Of a FINE one: what is DIRECT has its own entries. Else the block makes both. */
#define FOVEATE_TILE_PARTED (1u << 9)

/* The plan of the tiles on the device. */
struct foveate_tiles {
    struct foveate_law law;
    struct foveate_level levels[FOVEATE_TILE_LEVELS]; /* from 1 on; rows start at even samples */
    int32_t level_count; /* the picture included; of any gaze */
    int32_t near_level_count; /* while the gaze lies in the picture */
    int32_t level_samples; /* of all levels; even */
    int32_t radial; /* 1: RADIAL, and sigma never falls with the distance */
    int32_t curved; /* 1: sigma of narrow Gaussians is not taken between nodes */
    float slope; /* sigma changes by no more a pixel */
    float split_px; /* RADIAL: farther from the gaze tiles are made from level 2 and up */
    float near_px; /* and from level 1 and up, a wide one whole */
    float part_px; /* and no subtile is averaged in two dimensions */
    float fine_sigma; /* below it, two dimensions at once */
    int32_t fine_radius; /* that takes; within limits.radius[0] */
    struct foveate_tile_grid grid;
    struct foveate_tile_grid wide_grid; /* the same for launches of wide tiles */
    int32_t made_columns; /* blocks of the first kernel */
    int32_t made_rows;
    /* from an image's counts to its flags of opaqueness, one for each block */
    int32_t flags_bytes;
    struct foveate_tile_limits limits;
    struct foveate_tile_limits float_limits; /* a launch for floats puts these in their place */
    uint64_t table; /* float[law.table_count] */
    uint64_t samples; /* of all levels, four halves each */
    int64_t next_samples; /* from an image's to the next image's; 0: one picture for all */
    uint64_t state; /* counts, entries, flags; of an image */
    int64_t state_bytes; /* to the next image's */
};

HOST_DEVICE int32_t foveate_frame_gaze_is_inside(const struct foveate_frame *frame)
{
    return frame->gaze_x_q8 >= 0 && frame->gaze_x_q8 <= 256 * frame->width_px &&
           frame->gaze_y_q8 >= 0 && frame->gaze_y_q8 <= 256 * frame->height_px;
}

/* Levels that a frame's gaze may need; the same for a frame alone and in a batch. */
HOST_DEVICE int32_t foveate_tile_level_count(const struct foveate_tiles *tiles,
                                             const struct foveate_frame *frame)
{
    return foveate_frame_gaze_is_inside(frame) ? tiles->near_level_count : tiles->level_count;
}

struct foveate_tiles_linear_params {
    struct foveate_frame frame;
    struct foveate_tiles tiles;
    struct foveate_cuda_batch batch;
    struct image_linear src;
    struct image_linear dst;
};

struct foveate_tiles_surface_params {
    struct foveate_frame frame;
    struct foveate_tiles tiles;
    struct foveate_cuda_batch batch;
    uint64_t src;
    uint64_t dst;
};

#endif
