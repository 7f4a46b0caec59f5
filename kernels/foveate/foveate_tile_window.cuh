/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the second kernel of the tiles reads: a tile's window of samples into shared memory, relative to the
 * tile's base (foveate_tile_picture.cuh says why), and the pixels that keep their alpha. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_WINDOW_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_WINDOW_CUH

#include "foveate_tile_levels.cuh"

/* All that a block is about. */
template <enum fovea_format FORMAT, typename Image> struct tile_work {
    const foveate_frame &frame;
    const foveate_tiles &tiles;
    const tile_law law;
    const Image src;
    const Image dst;
    char *shared;
};

/* ---- Windows */

/* Rounded to whole levels, which halves hold exactly. */
static __device__ __forceinline__ tile_sample whole_levels(const tile_sample &sample)
{
    return {h2rint(sample.xy), h2rint(sample.zw)};
}

static __device__ __forceinline__ tile_sample largest_sample()
{
    return {both_halves(65504.0f, 65504.0f), both_halves(65504.0f, 65504.0f)};
}

static __device__ __forceinline__ tile_sample zero_sample()
{
    return {both_halves(0.0f, 0.0f), both_halves(0.0f, 0.0f)};
}

/* Each warp's least, for least_of_block after a barrier. */
static __device__ __forceinline__ void keep_least(tile_sample least, uint2 *of_warps)
{
#pragma unroll
    for (int i = 16; i > 0; i >>= 1) {
        const uint2 bits = bits_of(least);
        least = least_of(least, sample_of_bits(__shfl_xor_sync(~0u, bits.x, i),
                                               __shfl_xor_sync(~0u, bits.y, i)));
    }
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = bits_of(least);
    }
}

static __device__ __forceinline__ tile_sample least_of_block(const uint2 *of_warps)
{
    tile_sample least = load_sample(of_warps);
#pragma unroll
    for (int i = 1; i < FOVEATE_TILE_WARPS; i++) {
        least = least_of(least, load_sample(of_warps + i));
    }
    return least;
}

/* ---- Words */

template <enum fovea_format FORMAT>
static __device__ __forceinline__ bool needs_alpha(const foveate_frame &frame)
{
    return tile_pixel<FORMAT>::has_alpha && !frame.blur_alpha;
}

/* Four words of the picture, where they lie in it and where they stick out. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ uint4 load_own(const tile_work<FORMAT, Image> &work, int x, int y)
{
    const foveate_frame &frame = work.frame;
    const endless_image<Image> endless = {work.src, frame.width_px - 1, frame.height_px - 1};
    return load_four(endless, x + 4 <= frame.width_px && has_runs(work.src, 4), x, y);
}

template <enum fovea_format FORMAT>
static __device__ __forceinline__ uint4 keep_alphas(const uint4 &colors, const uint4 &own)
{
    typedef pixel<FORMAT> Pixel;
    return make_uint4(Pixel::keep_alpha(colors.x, own.x), Pixel::keep_alpha(colors.y, own.y),
                      Pixel::keep_alpha(colors.z, own.z), Pixel::keep_alpha(colors.w, own.w));
}

#endif
