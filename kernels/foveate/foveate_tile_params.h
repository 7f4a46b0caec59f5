/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method in tiles (foveate_tiles.cu): the shapes of tiles, what their kernels are told, and
 * how much shared memory they take. Shared by C and CUDA C. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_PARAMS_H
#define FOVEA_KERNELS_FOVEATE_TILE_PARAMS_H

#include "foveate_cuda_params.h"

/* Levels that tiles are made from: the picture, and up to 16 pixels a sample. */
#define FOVEATE_TILE_LEVELS 5

/* The picture in squares, each made from one level from the second on, or in quarters: from level 1, or from the
 * picture itself. They count from the view's corner, so that a view gets the same bits wherever it lies.
 * On level 2 a square is 12 samples wide, and so is a quarter on level 1: with what the spline reaches
 * for, 16, the rows of a tensor product. */
#define FOVEATE_TILE_PX 48
#define FOVEATE_TILE_QUARTER_PX 24

/* Levels keep four samples of a row together: a quad, the four of red first, then those of green, of blue and of alpha.
 * Quad q holds samples 4q - 2 to 4q + 1, so that a far tile's window begins with one. What lies beyond
 * the picture is constant from the third sample on: quads from -1 on and rows from -4 on say all. */
#define FOVEATE_TILE_QUAD 4
#define FOVEATE_TILE_QUAD_BYTES 32
#define FOVEATE_TILE_ROWS_BEFORE 4

/* A far tile: samples of its level that it makes along either axis, and reads, and what lies between. */
#define FOVEATE_TILE_OUTPUTS 16
#define FOVEATE_TILE_WINDOW 32
#define FOVEATE_TILE_RADIUS 8

/* The first kernel: so many threads a block; each of its warps makes rows of level 1 or 2, four quads wide. One
 * thread a quarter in the blocks that list tiles. */
#define FOVEATE_TILE_MAKERS 256
#define FOVEATE_TILE_MADE_ROWS 16
#define FOVEATE_TILE_MADE_QUADS 4

/* The second kernel. */
#define FOVEATE_TILE_THREADS 128

/* sigma from which level 1 is fine enough, and level 2: a zone plate's worst window tells. Twice that
 * for each level on. */
#define FOVEATE_TILE_SIGMA_1 2.0f
#define FOVEATE_TILE_SIGMA_2 4.0f

/* Gaussians are cut off at so many sigma. In linear light at the method's own reach (foveate_smooth.h
 * says why); where levels are averaged as they are, what lies beyond 3.5 is a tenth of a level. */
#define FOVEATE_TILE_REACH_ENCODED 3.5f
#define FOVEATE_TILE_REACH_LIGHT FOVEATE_REACH
/* What is left of that at the widest corner of the widest tile of the picture itself, where a tap more
 * would cost every block memory; it shows by less than a level of 8 bits. */
#define FOVEATE_TILE_SLACK_ENCODED 0.7f
#define FOVEATE_TILE_SLACK_LIGHT 0.86f

/* How fast sigma may grow, in pixels a pixel, before its change within a Gaussian shows: at 0.029, the
 * paper's law at 640x360, the worst windows of a star and of a checker fell below an SSIM of 0.995. Steeper
 * laws, which are those of small pictures, are for the plain kernels (foveate_smooth.cu). */
#define FOVEATE_TILE_MAX_SLOPE 0.02
/* Before too many tiles hold a range of sigma that no level serves; for tests. */
#define FOVEATE_TILE_STEEPEST 0.03

/* A far tile is blurred with a few variances for all its samples, each sample then mixed from the two around
 * its own. The kernel is wrong by 0.16 (step / variance)^2 of what it is, in the mean of its absolute: by
 * less than two levels at worst of any picture. */
#define FOVEATE_TILE_BLURS 4
#define FOVEATE_TILE_VARIANCE_STEP 0.33f
/* Gaussians on a level end at so many sigmas at least. Prefilter and spline go on beyond. */
#define FOVEATE_TILE_REACH_FAR 3.05f

#define FOVEATE_TILE_WARPS (FOVEATE_TILE_THREADS / 32)

/* ---- Shapes */

/* A tile from the picture itself is a square or a quarter, blurred in patches so wide and high, by weights in
 * pairs, from its window in a plane of halves for each channel: `halo` samples more on every side. */
#define FOVEATE_TILE_PATCH_PX 16
#define FOVEATE_TILE_PAIRS 64
#define FOVEATE_TILE_MOST_HALO 12
#define FOVEATE_TILE_LIGHT_BYTES 512
#define FOVEATE_TILE_NEAR_SIGMA_BYTES 240
#define FOVEATE_TILE_NEAR_WARP_BYTES (2 * FOVEATE_TILE_PAIRS * 4 + 48)
/* Odd multiples of eight halves: eight rows meet no conflicts of banks. */
#define FOVEATE_TILE_NEAR_PITCH(halo) (((FOVEATE_TILE_PX + 2 * (halo)) / 8 | 1) * 8)

FOVEATE_BOTH int32_t foveate_tile_halo(int32_t radius)
{
    return radius <= 4 ? 4 : radius <= 8 ? 8 : FOVEATE_TILE_MOST_HALO;
}

/* Of a channel, in halves. */
FOVEATE_BOTH int32_t foveate_tile_plane(int32_t halo)
{
    return (FOVEATE_TILE_PX + 2 * halo) * FOVEATE_TILE_NEAR_PITCH(halo);
}

/* In shared memory: the table of light (of 8 bits, halves), the least samples of warps, sigmas, weights,
 * planes, and what is read beyond them for nothing. */
FOVEATE_BOTH int32_t foveate_tile_bytes(int32_t radius, int32_t channels)
{
    return FOVEATE_TILE_LIGHT_BYTES + FOVEATE_TILE_NEAR_SIGMA_BYTES +
           FOVEATE_TILE_WARPS * (8 + FOVEATE_TILE_NEAR_WARP_BYTES) +
           channels * 2 * foveate_tile_plane(foveate_tile_halo(radius)) + 32;
}

/* Far tiles keep weights there: eight words a thread and variance. */
#define FOVEATE_TILE_FAR_BYTES (FOVEATE_TILE_THREADS * FOVEATE_TILE_BLURS * 32)

/* ---- Variances. The blur at a level, the decimation before it and the spline after it add up. */

/* Of decimation and up-sampling with the cubic B-spline, in pixels squared. */
FOVEATE_BOTH float foveate_tile_variance(int32_t level)
{
    const float step_px = (float)(1 << level);
    return level > 0 ? foveate_level_variance(level) + step_px * step_px * (1.0f / 3.0f) : 0.0f;
}

/* What is left of sigma_px to blur at a level, in samples squared. */
FOVEATE_BOTH float foveate_tile_rest(float sigma_px, int32_t level)
{
    const float rest = sigma_px * sigma_px - foveate_tile_variance(level);
    return fmaxf(rest, 0.0f) / (float)(1 << 2 * level);
}

FOVEATE_BOTH float foveate_tile_sigma_from(int32_t level)
{
    return level > 0 ? (float)(1 << level) * (0.5f * FOVEATE_TILE_SIGMA_1) : 0.0f;
}

/* ---- What the kernels are told */

/* How far a tile of the picture may reach, and what the second kernel's blocks hold. */
struct foveate_tile_limits {
    float reach; /* sigmas */
    float slack;
    int32_t radius;
    int32_t shared_bytes;
};

/* The radius that a sigma asks for in a tile of the picture; 0: more than it has. */
FOVEATE_BOTH int32_t foveate_tile_radius(const struct foveate_tile_limits *limits, float sigma_px)
{
    const float wanted = fmaxf(limits->reach * sigma_px, 1.0f);
    if (wanted * limits->slack > (float)limits->radius) {
        return 0;
    }
    return (int32_t)ceilf(fminf(wanted, (float)limits->radius));
}

/* Whether a far tile of a level, from 1 on, reaches as far as a sigma asks for. */
FOVEATE_BOTH int32_t foveate_tile_reaches(int32_t level, float sigma_px)
{
    const float most = FOVEATE_TILE_RADIUS / FOVEATE_TILE_REACH_FAR;
    return foveate_tile_rest(sigma_px, level) <= most * most;
}

/* How far from what it makes a tile of level 1 or 2 reads: samples around it, and the square that a quarter
 * lies in. */
FOVEATE_BOTH float foveate_tile_margin(int32_t level)
{
    return (float)(20 << level) + 34.0f;
}

/* Weights of one variance at a distance of d samples: 2^(d^2 power + first), rounded to a half, and in the middle
 * what is left to 1. */
struct foveate_tile_blur {
    float power;
    float first;
    float middle;
};

/* A far tile. Its samples' variance, over output (i, j), with x = i - 7.5 and y = j - 7.5, from 0 for the first
 * blur to blurs - 1 for the last: c0 + cx x + cy y + cxx x^2 + cyy y^2 + cxy x y. */
struct foveate_tile_task {
    uint32_t place; /* as in an entry; the kind says the level, the radius how many blurs */
    float c0, cx, cy, cxx, cyy, cxy;
    struct foveate_tile_blur blur[FOVEATE_TILE_BLURS];
    uint32_t reserved;
};

/* The second kernel's work. Zero between frames. */
struct foveate_tile_counts {
    uint32_t near; /* entries */
    uint32_t far; /* tasks */
    uint32_t done; /* blocks of the second kernel */
    uint32_t reserved;
};

/* An entry: kind, whether it is of a whole square, radius, and where in quarters. */
enum foveate_tile_kind {
    FOVEATE_TILE_NONE = 0,
    FOVEATE_TILE_LEVEL_0 = 1, /* made from that level, and so on */
    FOVEATE_TILE_COPIED = 6,
    FOVEATE_TILE_GATHERED = 7, /* pixel by pixel: sigma changes too much for anything else */
};
#define FOVEATE_TILE_KIND_SHIFT 28
#define FOVEATE_TILE_SQUARE_BIT 27
#define FOVEATE_TILE_RADIUS_SHIFT 20
#define FOVEATE_TILE_RADIUS_MASK 63
#define FOVEATE_TILE_ROW_SHIFT 10
#define FOVEATE_TILE_PLACE_MASK 1023

/* How the first kernel makes level 1 or 2. */
struct foveate_tile_making {
    int32_t first_column; /* blocks */
    int32_t first_row;
    int32_t columns;
    int32_t blocks;
    int32_t
        first_flag; /* its flags: whether all pixels that a warp read are opaque, for each quad */
    /* Where the law only rises: a level is read by tiles no nearer to the gaze than this, and no farther. */
    float from_px;
    float to_px;
};

/* The plan of the tiles on the device. */
struct foveate_tiles {
    struct foveate_law law;
    /* From 1 on. `first` and `pitch` count quads, from the one before the picture's first. */
    struct foveate_level levels[FOVEATE_TILE_LEVELS];
    struct foveate_tile_making making[3];
    int32_t level_count; /* the picture included; of any gaze */
    int32_t near_level_count; /* while the gaze lies in the picture */
    int32_t level_samples; /* of all levels; even */
    int32_t radial; /* 1: RADIAL, and sigma never falls with the distance */
    float slope; /* sigma changes by no more a pixel */
    float most_sigma_1; /* from there on no tile is made from level 1 */
    int32_t columns; /* of quarters; even */
    int32_t rows;
    int32_t listing_blocks; /* of the first kernel */
    int32_t near_blocks; /* of the second, and far_blocks after them */
    int32_t far_blocks;
    int32_t entry_bytes; /* from an image's state to its entries; tasks come between */
    int32_t flag_bytes; /* to its flags */
    struct foveate_tile_limits limits;
    uint64_t table; /* float[law.table_count] */
    uint64_t samples; /* of all levels, four halves each */
    int64_t next_samples; /* from an image's to the next image's; 0: one picture for all */
    uint64_t state; /* counts, tasks, entries, flags; of an image */
    int64_t state_bytes; /* to the next image's */
};

/* Levels that a frame's gaze may need; the same for a frame alone and in a batch. */
FOVEATE_BOTH int32_t foveate_tile_level_count(const struct foveate_tiles *tiles,
                                              const struct foveate_frame *frame)
{
    const int32_t inside = frame->gaze_x_q8 >= 0 && frame->gaze_x_q8 <= 256 * frame->width_px &&
                           frame->gaze_y_q8 >= 0 && frame->gaze_y_q8 <= 256 * frame->height_px;
    return inside ? tiles->near_level_count : tiles->level_count;
}

struct foveate_tiles_decimate_params {
    struct foveate_tiles tiles;
    int32_t level; /* the one that is written, from the one below */
    int32_t reserved;
};

struct foveate_tiles_linear_params {
    struct foveate_frame frame;
    struct foveate_tiles tiles;
    struct foveate_cuda_batch batch;
    struct foveate_cuda_linear src;
    struct foveate_cuda_linear dst;
};

struct foveate_tiles_surface_params {
    struct foveate_frame frame;
    struct foveate_tiles tiles;
    struct foveate_cuda_batch batch;
    uint64_t src;
    uint64_t dst;
};

#endif
