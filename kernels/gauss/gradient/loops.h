/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The inner loops of gradients on the cpu, compiled as gauss/cpu/common/lanes.h says.
 *
 * Planes lie in blocks: 16 neighbours of a row, one channel after the other, and then the next 16.
 * So a row of blocks is made of others without a look at what is in it, and 16 x 16 neighbours are
 * transposed channel by channel. */
#pragma once

#include "kernels/gauss/cpu/common/picture.h"
#include "tables.h"

#define GAUSS_GRADIENT_BLOCK 16

/* Marks of the blocks of rows that hold anything for a sum that reads them. */
struct gauss_gradient_marks {
    const uint8_t *of; /* of the first row; NULL: all do */
    ptrdiff_t pitch;
    int32_t rows_log2; /* rows that share a mark */
};

/* One block of a row of a band. */
struct gauss_gradient_sum {
    const struct gauss_gradient_row *row;
    const float *weights; /* the tables' */
    const float *in; /* the block of row 0 */
    ptrdiff_t pitch; /* floats to the next row */
    struct gauss_gradient_marks marks;
    int32_t channels; /* 1, 3 or 4 */
    bool adds; /* to what is in out */
};

/* Row y of an image: where its pixels look, and how. */
struct gauss_gradient_view {
    const struct gauss_plan *plan;
    struct gauss_frame frame; /* size, fragments, gaze and others */
    struct fovea_image sigmas; /* of a plan of pictures of sigmas */
    int32_t y;
    int32_t count; /* pixels, a multiple of the block */
};

struct gauss_gradient_node_at {
    int32_t node;
    int32_t node_count;
};

struct gauss_gradient_loops {
    void (*places)(const struct gauss_gradient_view *view, float *out_places);
    void (*sum)(const struct gauss_gradient_sum *sum, float *out);
    /* out = in times the node's weight at each of a block's places; 0 where that is 0. */
    void (*weigh)(const struct gauss_gradient_node_at *at, const float *places, const float *in,
                  int32_t channels, float *out);
    /* out += the weight's slope times the sum over channels of a b; likewise. */
    void (*dot)(const struct gauss_gradient_node_at *at, const float *places, const float *a,
                const float *b, int32_t channels, float *out);
    /* x and y of each fovea's out += the sum over those of `count` pixels that are its own of dots
     * times what a pixel of gaze does to their places. `scratch` has memory for six rows. */
    void (*gaze)(const struct gauss_gradient_view *view, const float *dots, int32_t count,
                 float *scratch, double (*out)[2]);
    /* Writes dots times what a sigma does to the place of each of a row's `count` pixels; 0 where
     * another number counts instead of the sigma. `scratch` has memory for a row. */
    void (*sigmas)(const struct gauss_gradient_view *view, const float *dots, int32_t count,
                   float *scratch, float *out);
};

/* Transposes a picture of blocks: out's row x, place y, is in's row y, place x. What is beyond the
 * rows is 0. */
struct gauss_gradient_transpose {
    int32_t rows, columns; /* of in */
    int32_t channels;
    bool adds; /* to out */
};
void gauss_gradient_transpose(const struct gauss_gradient_transpose *transpose, const float *in,
                              float *out);
/* One tile of 16 x 16; in and out are blocks. */
void gauss_gradient_transpose_tile(const float *in, ptrdiff_t in_pitch, int32_t channels,
                                   float *out, ptrdiff_t out_pitch);

static inline int32_t gauss_gradient_blocks(int32_t size)
{
    return (size + GAUSS_GRADIENT_BLOCK - 1) / GAUSS_GRADIENT_BLOCK;
}

extern const struct gauss_gradient_loops gauss_gradient_loops_base;
#ifdef GAUSS_CPU_HAVE_AVX2
extern const struct gauss_gradient_loops gauss_gradient_loops_avx2;
extern const struct gauss_gradient_loops gauss_gradient_loops_avx512;
#endif
