/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parameters of foveate_small.cu: small pictures, one block each. C and CUDA C share them.
 *
 * Two coarser levels are sampled evenly: sample i of level k lies first_k + i spacing_k pixels from
 * the first pixel's centre, along either axis. On each of the three levels (0 is the picture) a few
 * Gaussians, the nodes, are blurred; a pixel or sample blends them with the weights that come
 * nearest to the Gaussian of its own sigma, from a table. Pixels are interpolated between samples.
 * All of this is products with matrices that the plan makes once, as operands of 16 x 16 halves in
 * a warp's lane order: 512 bytes each. The first product has weights on the left, the next has them
 * on the right, transposed, of the first one's result: so no register changes places. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_PARAMS_H
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_PARAMS_H

#include "kernels/foveate/cuda/common/params.h"

#define FOVEATE_SMALL_MOST_PX 128 /* along an axis */
#define FOVEATE_SMALL_LEAST_PX 24
#define FOVEATE_SMALL_THREADS 384
#define FOVEATE_SMALL_SAMPLES_1 64 /* of a level along an axis, at most */
#define FOVEATE_SMALL_SAMPLES_2 32
#define FOVEATE_SMALL_TILE 16 /* outputs of a product along an axis */
#define FOVEATE_SMALL_MAKE_1_PX 48 /* pixels along an axis under a tile of level 1 */
#define FOVEATE_SMALL_BLOCK_PX 4 /* pixels of one level, along an axis */
#define FOVEATE_SMALL_BLOCKS (FOVEATE_SMALL_MOST_PX / FOVEATE_SMALL_BLOCK_PX)
#define FOVEATE_SMALL_TILES (FOVEATE_SMALL_MOST_PX / FOVEATE_SMALL_TILE)
#define FOVEATE_SMALL_NEAR_TILES 32 /* tiles with level 0, at most */
#define FOVEATE_SMALL_OPERAND_BYTES 512

/* Nodes of a level. The first of level 0 is the picture itself. Level 1 has one more in light,
 * where errors show more. Level 2 has 4, or twice as many if its sigmas lie far apart. */
#define FOVEATE_SMALL_NODES_0 7
#define FOVEATE_SMALL_NODES_1(light) ((light) ? 5 : 4)
#define FOVEATE_SMALL_NODES_2 4
#define FOVEATE_SMALL_NODES 8 /* at most */

/* The table of blend weights: halves of an entry, for the nodes that are blurred in one go, and
 * entries. They are as few as are exact enough, so that what a warp loads lies in fewer cache
 * lines. */
#define FOVEATE_SMALL_ENTRY_HALVES(nodes) ((nodes) > 4 ? 8 : 4)
#define FOVEATE_SMALL_ENTRIES(level) ((level) == 0 ? 1024 : 512)
#define FOVEATE_SMALL_BLEND_HALVES 8192 /* of a level */

/* Stored bytes are multiplied as they are, in a half's lowest bits: 2^-24 each. The first product's
 * weights scale them by 2^15 to 2^-9, and its sums begin at -128 of those; the next one's scale by
 * 2^9 to 1. */
#define FOVEATE_SMALL_FIRST_SCALE 32768.0
#define FOVEATE_SMALL_NEXT_SCALE 512.0

/* One axis; operands are numbered from the first. */
struct foveate_small_axis {
    float first[3]; /* of level k; [0] is 0 */
    int32_t size_px;
    int32_t samples; /* of level 1: a multiple of 16 */
    int32_t start_1[FOVEATE_SMALL_SAMPLES_1 / FOVEATE_SMALL_TILE]; /* first of 48 pixels, 4 n */
    int32_t from[3]
                /* first of the 16 samples of level k for 16 pixels, even */
                [FOVEATE_SMALL_TILES];
    int32_t make_1; /* 3 operands a tile of level 1 */
    int32_t make_2; /* 3 operands a tile of level 2, from samples 0 and 16 on */
    int32_t blur_2; /* 2 x 2 a node; y: transposed */
    int32_t upsample[3]; /* of level k: an operand for 16 pixels; x: transposed */
};

struct foveate_small {
    struct foveate_law law;
    uint64_t table; /* float[law.table_count] */
    uint64_t operands;
    /* half[3][FOVEATE_SMALL_BLEND_HALVES]: weights of level k's nodes by sigma in pixels, or by
     * distance if sigma depends on it alone */
    uint64_t blend_weights;
    struct foveate_small_axis x;
    struct foveate_small_axis y;
    float spacing[3];
    float entries_per[3]; /* entries of blend_weights[k] a pixel */
    float from_sigma[3]; /* Level k serves blocks of at least that sigma. */
    float from_square[3]; /* by distance: the square of the distance from which on sigma is so large
                           */
    int32_t nodes_2;
    int32_t blur_0; /* 3 operands a node from the second on: 2 for x and a band for y */
    int32_t blur_1; /* 2 operands a node; both axes */
    int32_t shared_pitch; /* bytes of a row of the picture in shared memory */
    int32_t by_distance;
    /* 0, which compilers do not know: weights loaded in a loop would otherwise be hoisted into
     * registers that do not exist. */
    int32_t opaque_zero;
};

/* How a picture lies, and so how it is read and written. */
enum foveate_small_way {
    FOVEATE_SMALL_ANY,
    /* rows without gaps at multiples of 16 bytes, which span less than 2^31 bytes */
    FOVEATE_SMALL_PLAIN,
    /* likewise rows of RGB8 pixels four bytes apart, as views of RGBA8 have; none overlap */
    FOVEATE_SMALL_SPREAD
};

struct foveate_small_linear_params {
    struct foveate_frame frame;
    struct foveate_small small;
    struct foveate_cuda_batch batch;
    struct image_linear src;
    struct image_linear dst;
    enum foveate_small_way src_way;
    enum foveate_small_way dst_way; /* SPREAD is as any */
};

HOST_DEVICE enum foveate_small_way foveate_small_way_of(const struct foveate_frame *frame,
                                                        const struct image_linear *view,
                                                        int64_t next_bytes, int32_t pixel_bytes)
{
    const int64_t first = (int64_t)view->data + frame->origin_y_px * view->row_stride_bytes +
                          frame->origin_x_px * view->pixel_stride_bytes;
    const int64_t row_bytes = frame->width_px * view->pixel_stride_bytes;
    const int64_t row_stride =
        view->row_stride_bytes < 0 ? -view->row_stride_bytes : view->row_stride_bytes;
    if (row_bytes % 16 != 0 || first % 16 != 0 || row_stride % 16 != 0 || next_bytes % 16 != 0 ||
        view->row_stride_bytes != (int32_t)view->row_stride_bytes) {
        return FOVEATE_SMALL_ANY;
    }
    if (view->pixel_stride_bytes == pixel_bytes) {
        return FOVEATE_SMALL_PLAIN;
    }
    return pixel_bytes == 3 && view->pixel_stride_bytes == 4 && row_stride >= row_bytes
               ? FOVEATE_SMALL_SPREAD
               : FOVEATE_SMALL_ANY;
}

/* Returns the pixels of an axis in shared memory: tiles of level 1 read the last ones with weight
 * 0. */
HOST_DEVICE int32_t foveate_small_capacity_px(int32_t size_px)
{
    const int32_t fours = (size_px + 3) / 4 * 4;
    return fours > FOVEATE_SMALL_MAKE_1_PX ? fours : FOVEATE_SMALL_MAKE_1_PX;
}

#define FOVEATE_SMALL_LEVEL_1_BYTES (FOVEATE_SMALL_SAMPLES_1 * FOVEATE_SMALL_SAMPLES_1 * 2)
#define FOVEATE_SMALL_LEVEL_2_BYTES (FOVEATE_SMALL_SAMPLES_2 * FOVEATE_SMALL_SAMPLES_2 * 2)

/* The picture's place, which level 1's blur takes afterwards, a plane for each channel. */
HOST_DEVICE int32_t foveate_small_picture_bytes(const struct foveate_small *small, int32_t channels)
{
    const int32_t rows = foveate_small_capacity_px(small->y.size_px);
    const int32_t picture = (small->shared_pitch * rows + 127) / 128 * 128;
    const int32_t planes = channels * FOVEATE_SMALL_LEVEL_1_BYTES;
    return picture > planes ? picture : planes;
}

#define FOVEATE_SMALL_STATE_BYTES (512 + 640)

/* Returns the shared memory in bytes for so many blurred channels. */
HOST_DEVICE int32_t foveate_small_shared_bytes(const struct foveate_small *small, int32_t channels)
{
    return foveate_small_picture_bytes(small, channels) +
           channels * (FOVEATE_SMALL_LEVEL_1_BYTES + 2 * FOVEATE_SMALL_LEVEL_2_BYTES) +
           FOVEATE_SMALL_STATE_BYTES;
}

#endif
