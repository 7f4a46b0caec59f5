/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameters of foveate_small.cu: small pictures, a block each. Shared by C and CUDA C.
 *
 * Two coarser levels, sampled evenly: sample i of level k lies first_k + i spacing_k pixels from the first
 * pixel's centre, along either axis. On each of the three levels (0 is the picture) a fixed set of
 * sigmas is blurred, each pixel or sample takes the two beside its own in the parts that
 * foveate_small_place says, and pixels are interpolated between samples. All of this is products with
 * matrices that the plan makes once, cut into pieces of 16 x 16 halves in the order in which the lanes
 * of a warp hold them: 512 bytes each. */
#ifndef FOVEA_KERNELS_FOVEATE_SMALL_PARAMS_H
#define FOVEA_KERNELS_FOVEATE_SMALL_PARAMS_H

#include "foveate_cuda_params.h"

#define FOVEATE_SMALL_MOST_PX 128 /* along an axis */
#define FOVEATE_SMALL_LEAST_PX 24
#define FOVEATE_SMALL_THREADS 512
#define FOVEATE_SMALL_SAMPLES_1 64 /* of a level along an axis, at most */
#define FOVEATE_SMALL_SAMPLES_2 32
#define FOVEATE_SMALL_TILE 16 /* outputs of a product along an axis */
#define FOVEATE_SMALL_BLOCK_PX 4 /* pixels of one level, along an axis */
#define FOVEATE_SMALL_BLOCKS (FOVEATE_SMALL_MOST_PX / FOVEATE_SMALL_BLOCK_PX)
/* Tiles of level 0 that wait, as pixels, until all have read the picture. */
#define FOVEATE_SMALL_NEAR_TILES 24
#define FOVEATE_SMALL_SETS 40 /* sigmas of a level at most */
#define FOVEATE_SMALL_PLACES 2048 /* entries of the table that finds a sigma among them */
#define FOVEATE_SMALL_PIECE_BYTES 512

/* Of one axis; pieces by their number from the first. */
struct foveate_small_axis {
    float first[3]; /* of level k; [0] is 0 */
    int32_t size_px;
    int32_t samples; /* of level 1: a multiple of 16 */
    int32_t start_1[FOVEATE_SMALL_SAMPLES_1 / FOVEATE_SMALL_TILE]; /* first of 48 pixels, 4 n */
    int32_t from_1[FOVEATE_SMALL_MOST_PX / FOVEATE_SMALL_TILE]; /* first of 16 samples, even */
    int32_t make_1; /* 3 pieces a tile of level 1 */
    int32_t make_2; /* 3 pieces a tile of level 2, from samples 0 and 16 on */
    int32_t blur_0; /* 2 pieces a sigma */
    int32_t blur_2; /* 2 x 2 a sigma */
    int32_t show_1; /* a piece for 16 pixels */
    int32_t show_2; /* 2 pieces */
};

struct foveate_small {
    struct foveate_law law;
    uint64_t table; /* float[law.table_count] */
    uint64_t pieces;
    /* half[4][FOVEATE_SMALL_PLACES]: where a sigma lies in the set of level k. Laws by distance: where the
     * sigma at a distance lies, and in [3] that sigma. */
    uint64_t places;
    struct foveate_small_axis x;
    struct foveate_small_axis y;
    float spacing[3];
    float places_per_px[3]; /* entries of places[k] a pixel of sigma or of distance */
    float from_sigma[3]; /* level k is for blocks of at least that */
    int32_t sets[3];
    int32_t blur_1; /* 2 pieces a sigma; both axes */
    int32_t shared_pitch; /* bytes of a row of the picture in shared memory */
    int32_t by_distance;
};

struct foveate_small_linear_params {
    struct foveate_frame frame;
    struct foveate_small small;
    struct foveate_cuda_batch batch;
    struct foveate_cuda_linear src;
    struct foveate_cuda_linear dst;
};

/* Bytes of shared memory, for so many channels that are blurred. */
FOVEATE_BOTH int32_t foveate_small_picture_bytes(const struct foveate_small *small)
{
    return (small->shared_pitch * small->y.size_px + 127) / 128 * 128;
}

#define FOVEATE_SMALL_LEVEL_1_BYTES (FOVEATE_SMALL_SAMPLES_1 * FOVEATE_SMALL_SAMPLES_1 * 2)
#define FOVEATE_SMALL_LEVEL_2_BYTES (FOVEATE_SMALL_SAMPLES_2 * FOVEATE_SMALL_SAMPLES_2 * 2)
#define FOVEATE_SMALL_STATE_BYTES (FOVEATE_SMALL_BLOCKS * FOVEATE_SMALL_BLOCKS + 512 + 384)

FOVEATE_BOTH int32_t foveate_small_shared_bytes(const struct foveate_small *small, int32_t channels)
{
    return foveate_small_picture_bytes(small) +
           channels * 2 * (FOVEATE_SMALL_LEVEL_1_BYTES + FOVEATE_SMALL_LEVEL_2_BYTES) +
           FOVEATE_SMALL_STATE_BYTES;
}

#endif
