/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blockwise foveation on tensor cores does what foveate_cuda.cu does pixel by pixel, for formats of
 * 8 bits and filters of up to 36 px on a side (foveate/cuda/bands/bands.h).
 *
 * A separable filter is two products with banded matrices, whose row for an output holds the taps
 * at that output's place. A block loads the window of some 64 x 64 pixels of whole fragments,
 * unchanged; a warp makes a unit of it at a time, fragments or parts of one. Bytes become halves
 * without conversion: behind the byte 0x64 a byte is exactly 1024 and itself.
 *
 * Halves hold taps to 1/4096 of themselves (a filter's sum is known and corrected for), lines to
 * 1/32 of a level, and each of the up to six sums of a column likewise: together below half a
 * level, and some 0.02 as a rule. Lines are summed in float.
 *
 * bands_*: block of 8 warps; grid x, y: regions of whole fragments for the worst gaze, z: images
 *     shared      filters[8]: by warp, of the unit's quarters (unit.cuh)
 *                 region: radii by warp, rings by fragment, light[256], alpha[64][72]
 *                 window[rows][pitch_bytes]: dynamic, a word for each pixel
 *     threads     a filter of a fragment each; -- barrier --; half a warp a row of the window
 *                 -- barriers: window loaded, alpha kept, alpha replaced by 0x64 --
 *     warp        a unit at a time, alone: two quarters by 32 rows, or four by 16 (product.cuh)
 *     lane 4g+t   outputs of rows g and g + 8, columns 2t and 2t + 1 of each quarter
 *
 * The kernel is bound by latency: two blocks share a multiprocessor, and half of their time passes
 * before the first product. store.cuh writes results into the picture. */

#include "store.cuh"

namespace {

struct block_memory {
    unit_filters filters[FOVEATE_BANDS_WARPS];
    bands_shared region;
};

/* Makes units of COUNT quarters by TILES tiles of 16 rows. */
template <int COUNT, int TILES, bool LIGHT, enum fovea_format FORMAT, typename Image>
__device__ __forceinline__ void make_units(const foveate_bands &bands,
                                           const target<FORMAT, Image> &to, block_memory &memory,
                                           const char *window)
{
    const int CHANNELS = FORMAT == FOVEA_FORMAT_R8 ? 1 : 3;
    const bool SMALL = TILES == 1;
    const int side = to.frame.fragment_px;
    const int count = count_units<SMALL>(to.region, side);
    const int steps = SMALL && side <= QUARTER_PX ? 2 * count : count;
    unit_filters &filters = memory.filters[threadIdx.x / 32];
#pragma unroll 1
    for (int i = (int)threadIdx.x / 32; i < steps; i += FOVEATE_BANDS_WARPS) {
        unit u;
        const uint16_t *rings = memory.region.rings_1;
        const bool exists =
            SMALL ? small_unit(to.region, rings, side, i < count ? i : i - count, i >= count, u)
                  : large_unit(to.region, rings, side, i, u);
        if (!exists) {
            continue;
        }
        unit_sums<CHANNELS, COUNT, TILES> sums;
        uint32_t slots;
        const int radius = load_filters<COUNT>(bands, u, filters, slots);
        __syncwarp();
        begin_sums<LIGHT>(sums);
        if (radius >= 0) {
            filter_unit<LIGHT>(sums, to.region, u, side, window, filters, slots, radius,
                               memory.region.light);
        }
        __syncwarp();
        to.template store<LIGHT>(u, sums);
    }
}

template <enum fovea_format FORMAT, bool LIGHT, typename Image>
__device__ __forceinline__ void make_region(const foveate_frame &frame, const foveate_bands &bands,
                                            const Image &src, const Image &dst,
                                            block_memory &memory, char *window)
{
    const int side = frame.fragment_px;
    bands_region region = region_of_block(frame, bands.shape);
    if (region.x >= frame.width_px || region.y >= frame.height_px) {
        return;
    }
    if (LIGHT) {
        for (int i = (int)threadIdx.x; i < 256; i += BANDS_THREADS) {
            memory.region.light[i] =
                __half_as_ushort(__float2half_rn(srgb_to_light((float)i * (1.0f / 255.0f))));
        }
    }
    find_filters(frame, bands, region, memory.region);
    fill_window<FORMAT == FOVEA_FORMAT_RGBA8>(frame, region, src, memory.region.alpha, window);
    const target<FORMAT, Image> to = {frame, region, dst, {region, window, memory.region.alpha}};
    if (side > 2 * QUARTER_PX) {
        make_units<QUARTERS / 2, 2, LIGHT>(bands, to, memory, window);
    } else {
        make_units<QUARTERS, 1, LIGHT>(bands, to, memory, window);
    }
}

template <enum fovea_format FORMAT, typename Image>
__device__ __forceinline__ void make_blocks(const foveate_frame &frame, const foveate_bands &bands,
                                            const Image &src, const Image &dst, char *shared)
{
    __shared__ __align__(16) block_memory memory;
    if (frame.light) {
        make_region<FORMAT, true>(frame, bands, src, dst, memory, shared);
    } else {
        make_region<FORMAT, false>(frame, bands, src, dst, memory, shared);
    }
}

} // namespace

extern __shared__ __align__(16) char bands_shared_memory[];

#define KERNEL(kind, suffix, format)                                                               \
    extern "C" __global__ void __launch_bounds__(BANDS_THREADS, 2)                                 \
        bands_##kind##_##suffix(const __grid_constant__ foveate_bands_##kind##_params params)      \
    {                                                                                              \
        const foveate_frame frame = frame_of_image(params.frame, params.batch);                    \
        make_blocks<format>(frame, params.bands, kind##_src<pixel<format>>(params, frame),         \
                            kind##_dst<pixel<format>>(params, frame), bands_shared_memory);        \
    }

KERNEL(linear, rgba8, FOVEA_FORMAT_RGBA8)
KERNEL(linear, rgb8, FOVEA_FORMAT_RGB8)
KERNEL(linear, r8, FOVEA_FORMAT_R8)
KERNEL(surface, rgba8, FOVEA_FORMAT_RGBA8)
