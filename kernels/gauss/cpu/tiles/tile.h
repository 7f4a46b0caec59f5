/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The fast smooth method on the cpu makes a tile of pixels at a time, from one level.
 *
 * gauss/pyramid.h takes each pixel's square of weights from the level that is right for its sigma.
 * Here all pixels of a tile take the level of the smallest sigma among them, k. It is blurred at
 * the level's samples, which are 4^k times fewer than pixels, along x and then along y, each sample
 * by its own sigma. The square of weights separates into two rows because sigma is nearly the same
 * where one sample's weights count: that is why the law's slope is limited. Cubic B-splines then
 * make pixels. Variances add:
 *
 *     sigma^2 = v_k + 4^k v + 4^k / 3,    v_k = 5/12 (4^k - 1)
 *
 * for decimation, for the blur (v level samples squared) and for the spline. A level serves from
 * sigma 2^k on, where v is 1/4: below, the aliases of decimation would be seen. Level 0 has no
 * spline.
 *
 * This file is compiled several times, as gauss/cpu/common/lanes.h says. */
#pragma once

#include "kernels/gauss/cpu/common/picture.h"

/* The largest tile. */
#define GAUSS_CPU_TILE_PX 128
/* Laws of a larger slope are blended from nodes. At 0.058 (the paper's settings at 640x360) the
 * worst window of a star of rays has an SSIM of 0.993 to the true picture, at 0.029 (1280x720) of
 * 0.998. */
#define GAUSS_CPU_TILE_MAX_SLOPE 0.04f
/* The blur of the coarsest level reaches this sigma; larger ones are blended from nodes, too. */
#define GAUSS_CPU_TILE_SIGMA_PX 256.0f

/* The scratch memory of a worker for pictures of that width begins at a cache line. */
#define GAUSS_CPU_TILE_LINE 16 /* floats */
size_t gauss_cpu_tile_floats(uint32_t width_px);

struct gauss_cpu_tiles {
    /* Makes rows of level 1 from the image, of others from the level below. */
    void (*level_rows)(const struct gauss_cpu_picture *picture, float *scratch, int32_t k,
                       int32_t first_row, int32_t end_row);
    /* Makes the tile's pixels that lie in the picture. */
    void (*make)(const struct gauss_cpu_picture *picture, float *scratch, int32_t x_px,
                 int32_t y_px);
};

extern const struct gauss_cpu_tiles gauss_cpu_tiles_base;
#ifdef GAUSS_CPU_HAVE_AVX2
extern const struct gauss_cpu_tiles gauss_cpu_tiles_avx2;
extern const struct gauss_cpu_tiles gauss_cpu_tiles_avx512;
#endif
