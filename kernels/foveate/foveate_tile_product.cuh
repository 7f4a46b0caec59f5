/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tiles of levels 1 and 2, and of the picture where stored values are averaged, as products of matrices: RGBA8, sigma
 * from 0.9 px on. Everything else is foveate_tile_blur.cuh's, which says the same in plain arithmetic.
 *
 * The block loads its window into shared memory, a plane for each channel. From there each of its four warps
 * goes alone: 16 x 16 outputs from 32 x 32 samples, in registers from the first product to the last,
 *
 *     Y = W S         blurred down     16 x 32 times 32 x 32
 *     Z = Y W'        and across       16 x 32 times 32 x 16
 *     X = Z U'        up-sampled across and, its squares turned,
 *     P = U X         down             the pixels
 *
 * since what one product gives is the left factor of the next as it is (foveate_mma.cuh). W has the Gaussian's
 * weights, the same for every output; U the cubic B-spline's.
 *
 * sigma grows across a warp's outputs, and W cannot. So they are blurred with two variances that lie in
 * their range, or three, and each is the polynomial through these at its own variance. Of a texture of w
 * cycles that leaves, with x = (2 pi w)^2 / 2 and h the range's half, h^2 x^2 exp(-x sigma^2) / 4 with two at
 * Chebyshev's places: less than 0.135 (h / sigma^2)^2. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_PRODUCT_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_PRODUCT_CUH

#include "foveate_product_write.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define TILE_HAS_PRODUCTS 1
#else
#define TILE_HAS_PRODUCTS 0
#endif

/* ---- A tile */

template <int STEP, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_upsampled(const tile_work<FORMAT, Image> &work,
                                                       const product_levels &levels,
                                                       const uint32_t (&z)[PRODUCT_COLORS][4],
                                                       bool opaque, int x0, int y0)
{
    const int lane = product_thread() % 32;
    product_writer<FORMAT, Image> writer(work, opaque, 8 * STEP, 4, x0, y0);
    writer.start(x0 + lane % 4 * 4, y0 + lane / 4);
    uint2 across[PRODUCT_COLORS][STEP];
    upsample_across<STEP>(z, across);
    if (work.frame.light) {
        if (writer.plain) {
            upsample_down<STEP, true, true>(writer, levels, across);
        } else {
            upsample_down<STEP, false, true>(writer, levels, across);
        }
    } else if (writer.plain) {
        upsample_down<STEP, true, false>(writer, levels, across);
    } else {
        upsample_down<STEP, false, false>(writer, levels, across);
    }
}

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_share(const tile_work<FORMAT, Image> &work, int level,
                                                   const product_levels &levels,
                                                   const uint32_t (&z)[PRODUCT_COLORS][4],
                                                   bool opaque, int x0, int y0)
{
    if (level == 2) {
        write_upsampled<4>(work, levels, z, opaque, x0, y0);
    } else if (level == 1) {
        write_upsampled<2>(work, levels, z, opaque, x0, y0);
    } else {
        const int lane = product_thread() % 32;
        product_writer<FORMAT, Image> writer(work, opaque, 16, 2, x0, y0);
        writer.start(x0 + lane % 4 * 2, y0 + lane / 4);
        if (writer.plain) {
            write_outputs<true>(writer, levels, z);
        } else {
            write_outputs<false>(writer, levels, z);
        }
    }
}

/* All that is asked for is on its way before the first of it is waited for. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_by_products(const tile_work<FORMAT, Image> &work,
                                                        int level, int x0, int y0)
{
    const product_memory memory(work.shared);
    const product_shape shape(level == 0);
    const int warp = product_thread() / 32;
    const int right = warp % 2;
    const int below = warp / 2;
    const int first_x = (x0 >> level) - shape.spline;
    const int first_y = (y0 >> level) - shape.spline;
    bool opaque = !needs_alpha<FORMAT>(work.frame);
    tile_sample base;
    if (level == 0) {
        base = load_planes(work, memory.planes, x0, y0, first_x - shape.before,
                           first_y - shape.before);
    } else {
        level_window window;
        window.ask(work.frame, work.tiles, level, x0, y0, first_x - shape.before,
                   first_y - shape.before);
        opaque = opaque || is_opaque(work.tiles, x0, y0);
        window.put(memory.planes);
        base = window.base();
    }
    product_variances variances;
    variances.find(work.law, level, first_x + right * shape.own, first_y + below * shape.own,
                   memory);
    __syncthreads();
    const int lane = product_thread() % 32;
    const mma_place window =
        mma_place_of(memory.planes) +
        2 * ((below * shape.own + lane % 16) * PRODUCT_PITCH + right * shape.own + lane / 16 * 8);
    product_sums sums;
    blur_outputs(variances, memory.shares, shape.before, window, sums);
    product_levels levels;
    levels.set<FORMAT>(base, work.frame.light != 0);
    uint32_t z[PRODUCT_COLORS][4];
    limit_outputs(sums, levels.low, levels.high, z);
    const int warp_px = shape.own << level;
    write_share(work, level, levels, z, opaque, x0 + right * warp_px, y0 + below * warp_px);
}

#endif
