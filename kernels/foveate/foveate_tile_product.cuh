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

template <int LEVEL, bool WIDE, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void
write_upsampled(const tile_work<FORMAT, Image> &work, const product_levels &levels,
                const uint32_t (&z)[PRODUCT_COLORS][4], bool opaque, int x0, int y0, int first_x,
                int first_y)
{
    const int step = 1 << LEVEL;
    const int side = product_shape<LEVEL, WIDE>::warp_px;
    product_writer<FORMAT, Image> writer(work, opaque, side, 4, x0, y0);
    if (work.frame.light) {
        if (writer.is_plain()) {
            upsample<step, side, true, true>(writer, levels, z, x0, y0, first_x, first_y);
        } else {
            upsample<step, side, false, true>(writer, levels, z, x0, y0, first_x, first_y);
        }
    } else if (writer.is_plain()) {
        upsample<step, side, true, false>(writer, levels, z, x0, y0, first_x, first_y);
    } else {
        upsample<step, side, false, false>(writer, levels, z, x0, y0, first_x, first_y);
    }
}

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void
write_pixels(const tile_work<FORMAT, Image> &work, const product_levels &levels,
             const uint32_t (&z)[PRODUCT_COLORS][4], bool opaque, int x0, int y0)
{
    const int lane = product_lane();
    product_writer<FORMAT, Image> writer(work, opaque, 16, 2, x0, y0);
    writer.start(x0 + lane % 4 * 2, y0 + lane / 4);
    if (writer.is_plain()) {
        write_outputs<true>(writer, levels, z);
    } else {
        write_outputs<false>(writer, levels, z);
    }
}

/* All that is asked for is on its way before the first of it is waited for. */
template <int LEVEL, bool WIDE, enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_by_products(const tile_work<FORMAT, Image> &work,
                                                        int x0, int y0)
{
    typedef product_shape<LEVEL, WIDE> shape;
    const product_memory memory(work.shared);
    const int warp = product_warp();
    const int right = warp % 2;
    const int below = warp / 2;
    const int first_x = (x0 >> LEVEL) - shape::spline;
    const int first_y = (y0 >> LEVEL) - shape::spline;
    const int own_x0 = x0 + right * shape::warp_px;
    const int own_y0 = y0 + below * shape::warp_px;
    bool opaque = !needs_alpha<FORMAT>(work.frame);
    tile_sample base;
    if constexpr (LEVEL == 0) {
        base = load_planes(work, memory.planes, x0, y0, first_x - shape::before,
                           first_y - shape::before);
    } else {
        level_window<LEVEL, WIDE> window;
        window.ask(work.frame, work.tiles, x0, y0, first_x - shape::before,
                   first_y - shape::before);
        opaque = opaque || is_opaque(work.tiles, own_x0, own_y0);
        window.put(memory.planes);
        base = window.base();
    }
    product_variances variances;
    variances.find(work.law, LEVEL, shape::last_node, first_x + right * shape::own,
                   first_y + below * shape::own, memory);
    __syncthreads();
    if (own_x0 >= work.frame.width_px || own_y0 >= work.frame.height_px) {
        return;
    }
    const int lane = product_lane();
    const int row = below * shape::own + lane % 16;
    const mma_place window = mma_place_of(memory.planes) +
                             2 * (row * shape::pitch + right * shape::right + lane / 16 * 8);
    product_sums sums;
    blur_outputs<shape::pitch, shape::plane>(variances, memory.shares, window, sums);
    product_levels levels;
    levels.set<FORMAT>(base, work.frame.light != 0);
    uint32_t z[PRODUCT_COLORS][4];
    limit_outputs(sums, levels.low, levels.high, z);
    if constexpr (LEVEL == 0) {
        write_pixels(work, levels, z, opaque, own_x0, own_y0);
    } else {
        const int first = LEVEL < 3 ? 0 : shape::warp_px; /* all have made the same outputs */
        write_upsampled<LEVEL, WIDE>(work, levels, z, opaque, own_x0, own_y0, right * first,
                                     below * first);
    }
}

#endif
