/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Says what a block of threads has of a shifted sum of views, on CUDA and on Vulkan. Its pixels lie
 * between some lenses, and what these have of a view is sampled once for all of them. CUDA includes
 * it, too. */
#pragma once

#include <stdint.h>

#define LIGHTFIELD_SUM_THREADS 256
#define LIGHTFIELD_SUM_SAMPLES 1024 /* that are in shared memory at once */
#define LIGHTFIELD_SUM_VIEWS 32 /* of which they are, at most */

struct lightfield_sum_block {
    int32_t columns, rows; /* pixels of the picture */
    int32_t array_columns, array_rows; /* of lenses that these lie between, in any view */
    int32_t views; /* at once, at most: an odd number, as the steps between lenses are */
    int32_t reserved;
};

#ifndef __cplusplus
#define LIGHTFIELD_SUM_BLOCKS_LEAST 192 /* more than an H200 has multiprocessors */
#define LIGHTFIELD_SUM_PIXELS_LEAST 64 /* of smaller blocks each sample would serve few pixels */

/* Counts the lenses that so many pixels lie between, wherever the first one is. */
static inline int32_t lightfield_sum_lenses(int32_t pixels, int32_t lenses, int32_t picture_px)
{
    return (int32_t)((double)(pixels - 1) * lenses / picture_px + 1e-3) + 3;
}

/* Blocks are as large as shared memory and their number allow. One pixel fits always. */
static inline struct lightfield_sum_block lightfield_sum_block_of(const int32_t size_px[2],
                                                                  const int32_t lenses[2])
{
    struct lightfield_sum_block block = {.columns = 32, .rows = 8};
    for (;;) {
        const int64_t blocks = (int64_t)((size_px[0] + block.columns - 1) / block.columns) *
                               ((size_px[1] + block.rows - 1) / block.rows);
        block.array_columns = lightfield_sum_lenses(block.columns, lenses[0], size_px[0]);
        block.array_rows = lightfield_sum_lenses(block.rows, lenses[1], size_px[1]);
        block.views = LIGHTFIELD_SUM_SAMPLES / block.array_columns / block.array_rows;
        if (block.views >= 1 && (blocks >= LIGHTFIELD_SUM_BLOCKS_LEAST ||
                                 block.columns * block.rows <= LIGHTFIELD_SUM_PIXELS_LEAST)) {
            break;
        }
        if (block.columns >= 4 * block.rows || block.rows == 1) {
            block.columns /= 2;
        } else {
            block.rows /= 2;
        }
    }
    block.views =
        block.views < LIGHTFIELD_SUM_VIEWS ? (block.views - 1) | 1 : LIGHTFIELD_SUM_VIEWS - 1;
    return block;
}
#endif
