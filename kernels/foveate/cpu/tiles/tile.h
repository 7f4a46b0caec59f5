/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method on the cpu, fast: a square of pixels at a time, from one level.
 *
 * foveate/smooth.h takes each pixel's square of weights from the level that is right for its sigma.
 * Here all pixels of a square take the level of the smallest sigma among them, k, and it is blurred
 * there: for the level's samples, which are 4^k times fewer than pixels, along x and then along y,
 * each sample by its own sigma. The square of weights falls apart into two rows because sigma is
 * nearly the same where one sample's weights count: that is why a picture must not be too steep.
 * Cubic B-splines then make pixels. Variances add:
 *
 *     sigma^2 = v_k + 4^k v + 4^k / 3,    v_k = 5/12 (4^k - 1)
 *
 * of decimation, of the blur, v level samples squared, and of the spline. A level is taken from
 * sigma 2^k on, where v is 1/4: fewer, and what decimation folded down would be seen. On level 0
 * there is no spline.
 *
 * This is compiled several times, as foveate/cpu/common/lanes.h says. */
#ifndef FOVEA_KERNELS_FOVEATE_CPU_TILES_TILE_H
#define FOVEA_KERNELS_FOVEATE_CPU_TILES_TILE_H

#include "kernels/foveate/cpu/common/picture.h"

/* The largest square. */
#define FOVEATE_CPU_TILE_PX 128
/* The steepest pictures that squares are made of; others are blended from nodes. At 0.058 (the
 * paper's settings at 640x360) the worst window of a star of rays is 0.993 like the true picture,
 * at 0.029 (1280x720) 0.998. */
#define FOVEATE_CPU_TILE_MAX_SLOPE 0.04f
/* The largest sigma that the blur of the coarsest level reaches: more is blended from nodes,
 * too. */
#define FOVEATE_CPU_TILE_SIGMA_PX 256.0f

/* The scratch memory of a worker for pictures of that width; it begins with a line of the cache. */
#define FOVEATE_CPU_TILE_LINE 16 /* floats */
size_t foveate_cpu_tile_floats(uint32_t width_px);

struct foveate_cpu_tiles {
    /* Rows of level 1 from the image, of others from the level below. */
    void (*level_rows)(const struct foveate_cpu_picture *picture, float *scratch, int32_t k,
                       int32_t first_row, int32_t end_row);
    /* The square's pixels, as far as it lies in the picture. */
    void (*make)(const struct foveate_cpu_picture *picture, float *scratch, int32_t x_px,
                 int32_t y_px);
};

extern const struct foveate_cpu_tiles foveate_cpu_tiles_base;
#ifdef FOVEATE_CPU_HAVE_AVX2
extern const struct foveate_cpu_tiles foveate_cpu_tiles_avx2;
extern const struct foveate_cpu_tiles foveate_cpu_tiles_avx512;
#endif

#endif
