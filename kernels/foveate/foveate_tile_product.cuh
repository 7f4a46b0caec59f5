/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Wide tiles, all of them, and quarters of level 1, and of the picture where stored values are averaged, as products of
 * matrices: RGBA8, sigma from 0.9 px on. Everything else is foveate_tile_blur.cuh's, which says the same in plain
 * arithmetic.
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
 * weights, the same for every output; U the cubic B-spline's, or the identity where outputs are pixels.
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

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void write_products(
    const tile_work<FORMAT, Image> &work, const product_shape &shape, const product_levels &levels,
    const uint32_t (&z)[PRODUCT_COLORS][4], bool opaque, int x0, int y0, int first_x, int first_y)
{
    const int lane = product_lane();
    const int side_px = shape.warp_px();
    const product_writer<FORMAT, Image> writer(work, opaque, side_px, x0, y0, lane % 4 * 4,
                                               lane / 4);
    const int rows = min(side_px, work.frame.height_px - y0);
    const uint32_t *spline = spline_of_level(shape.level);
    const uint32_t *across = spline + 8 * first_x;
    const uint32_t *down = spline + 8 * first_y;
    if (work.frame.light) {
        if (writer.is_plain()) {
            write_upsampled<true, true>(writer, levels, z, across, down, side_px, side_px);
        } else {
            write_upsampled<false, true>(writer, levels, z, across, down, side_px, rows);
        }
    } else if (writer.is_plain()) {
        write_upsampled<true, false>(writer, levels, z, across, down, side_px, side_px);
    } else {
        write_upsampled<false, false>(writer, levels, z, across, down, side_px, rows);
    }
}

/* A block's window, and meanwhile the variances of the warp's outputs, whose first is (x, y). -> the tile's base. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ tile_sample load_products(const tile_work<FORMAT, Image> &work,
                                                            const product_shape &shape,
                                                            const product_memory &memory, int x0,
                                                            int y0, int x, int y, bool &opaque,
                                                            product_variances &variances)
{
    const int left = (x0 >> shape.level) - shape.spline - PRODUCT_BEFORE;
    const int top = (y0 >> shape.level) - shape.spline - PRODUCT_BEFORE;
    opaque = !needs_alpha<FORMAT>(work.frame);
    if (shape.level == 0) {
        product_picture_window<FORMAT, Image> window;
        window.ask(work, x0, y0, left, top);
        variances.find(work.law, shape, x, y, memory);
        opaque = window.put(work, left, top, memory.planes) || opaque;
        return window.base();
    }
    product_level_window window;
    window.ask(work.frame, work.tiles, shape, x0, y0, left, top);
    const int half = shape.warp_px();
    opaque = opaque ||
             is_opaque(work.tiles, x0 + product_warp() % 2 * half, y0 + product_warp() / 2 * half);
    variances.find(work.law, shape, x, y, memory);
    window.put(shape.own, memory.planes);
    return window.base();
}

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_by_products(const tile_work<FORMAT, Image> &work,
                                                        const product_shape &shape, int x0, int y0)
{
    const product_memory memory(work.shared);
    const int right = product_warp() % 2;
    const int below = product_warp() / 2;
    const int own_x0 = x0 + right * shape.warp_px();
    const int own_y0 = y0 + below * shape.warp_px();
    bool opaque;
    product_variances variances;
    const tile_sample base = load_products(
        work, shape, memory, x0, y0, (x0 >> shape.level) - shape.spline + right * shape.own,
        (y0 >> shape.level) - shape.spline + below * shape.own, opaque, variances);
    opaque = __syncthreads_and(opaque) != 0;
    if (own_x0 >= work.frame.width_px || own_y0 >= work.frame.height_px) {
        return;
    }
    const int lane = product_lane();
    const int row = below * shape.own + lane % 16;
    const mma_place window = mma_place_of(memory.planes) +
                             2 * (row * PRODUCT_PITCH + right * shape.right() + lane / 16 * 8);
    product_sums sums;
    blur_outputs(variances, memory.shares, window, sums);
    product_levels levels;
    levels.set<FORMAT>(base, work.frame.light != 0);
    uint32_t z[PRODUCT_COLORS][4];
    limit_outputs(sums, levels.low, levels.high, z);
    const int first = shape.level < 3 ? 0 : shape.warp_px(); /* all have made the same outputs */
    write_products(work, shape, levels, z, opaque, own_x0, own_y0, right * first, below * first);
}

#endif
