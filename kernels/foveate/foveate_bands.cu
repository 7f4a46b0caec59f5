/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Block-wise foveation on tensor cores: what foveate_cuda.cu does pixel by pixel, for formats of 8 bits
 * and filters of up to 36 px on a side (foveate_cuda_bands.h).
 *
 * A separable filter is two products with banded matrices, whose row for an output holds the taps at
 * that output's place. A block stages the window of some 64 x 32 pixels of whole fragments as halves; a
 * warp makes a unit of 16 rows by 16 columns of one fragment at a time,
 *
 *     D = V W H,    V: 16 x rows, W: the window, rows x columns, H: columns x 8, twice,
 *
 * 16 columns of W after the other: V W in float, rounded to halves, is at once the left operand of the
 * products with H (foveate_mma.cuh). V lives in registers; H is read from the filter's table. Fragments of
 * at most 8 px are made two at a time, one above the other: each half of V's rows has its own filter, and
 * each of the two H, of which either serves one half.
 *
 * Halves hold levels less 128 exactly, taps to 1/4096 of themselves (a filter's taps sum to 1), and V W to
 * 1/32 of a level: together less than a tenth of a level. All sums are made in float.
 *
 * Grid: regions of fragments across and down for the worst gaze, images. Bound by instruction issue: by
 * staging, some 130 x 75 pixels for 64 x 32, as much as by the products.
 *
 *     foveate_bands_window.cuh   the region and the window
 *     foveate_bands_unit.cuh     units of it
 *     foveate_bands_filter.cuh   the filters' tables
 *     foveate_bands_store.cuh    results into the picture */

#include "foveate_bands_filter.cuh"
#include "foveate_bands_store.cuh"
#include "foveate_bands_unit.cuh"
#include "foveate_mma.cuh"

namespace {

/* ---- Products */

struct operands {
    const filter_table *first; /* of V's upper half, and of the first H */
    const filter_table *second;
    int right; /* columns from the first H's outputs to the second's */
    int radius;
    int row; /* of the block's window, where the unit's begins */
    int column; /* likewise; a multiple of 8 */
    int across; /* products */
    int start; /* from the unit's first pixel to that column */
};

__device__ __forceinline__ int depth_of(const unit &u, int radius)
{
    return (u.lower + HALF_ROWS + 2 * radius + 15) / 16;
}

__device__ __forceinline__ operands operands_of(const bands_region &region, const unit &u,
                                                const filter_table *tables, bool pair, int radius)
{
    operands o = {};
    o.first = tables;
    o.second = tables + pair;
    o.right = pair ? 0 : HALF_COLUMNS;
    o.radius = radius;
    o.row = region.radius + u.y - radius;
    const int left = region.lead + u.x - radius;
    o.column = left & ~7;
    o.across = (left - o.column + 2 * radius + o.right + HALF_COLUMNS + 15) / 16;
    o.start = o.column - region.lead - u.x;
    return o;
}

/* V: the taps of an output are centred `radius` rows below its own place in the window. */
template <int DEPTH>
__device__ __forceinline__ void make_vertical(uint32_t (&v)[DEPTH][4], const operands &o, int lower)
{
    const int lane = (int)threadIdx.x % 32;
    const int tap = 2 * (lane % 4) - o.radius - lane / 4;
    const uint32_t *first = o.first->at(tap);
    const uint32_t *second = o.second->at(tap - lower);
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        v[k][0] = first[8 * k];
        v[k][1] = second[8 * k];
        v[k][2] = first[8 * k + 4];
        v[k][3] = second[8 * k + 4];
    }
}

__device__ __forceinline__ uint32_t rounded(float first, float second)
{
    const __half2 pair = __floats2half2_rn(first, second);
    return *(const uint32_t *)&pair;
}

/* V times 16 columns of the window, as the left operand of the next product. `rows` says where this lane's
 * row of each product lies, in bytes; the columns are `along` bytes on. */
template <int DEPTH>
__device__ __forceinline__ void filter_down(uint32_t (&out)[4], const uint32_t (&v)[DEPTH][4],
                                            const mma_place (&rows)[DEPTH], int along)
{
    float left[4] = {};
    float right[4] = {};
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        uint32_t w[4];
        mma_load_turned(w, rows[k] + along);
        mma_add(left, v[k], w[0], w[1]);
        mma_add(right, v[k], w[2], w[3]);
    }
    out[0] = rounded(left[0], left[1]);
    out[1] = rounded(left[2], left[3]);
    out[2] = rounded(right[0], right[1]);
    out[3] = rounded(right[2], right[3]);
}

/* sums[c][j]: of channel c, the product with H of number j. */
template <int CHANNELS, int DEPTH>
__device__ __forceinline__ void filter_unit(float (&sums)[CHANNELS][2][4],
                                            const bands_region &region, const __half *window,
                                            const operands &o, int lower)
{
    const int lane = (int)threadIdx.x % 32;
    uint32_t v[DEPTH][4];
    make_vertical<DEPTH>(v, o, lower);
    mma_place rows[DEPTH];
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        const int row = min(o.row + 16 * k + lane % 16, region.rows - 1);
        rows[k] = mma_place_of(window + row * CHANNELS * BANDS_COLUMNS + o.column + lane / 16 * 8);
    }
    const int tap = o.start + 2 * (lane % 4) - lane / 4;
    const uint32_t *h[2] = {o.first->at(tap), o.second->at(tap - o.right)};
#pragma unroll 1
    for (int q = 0; q < o.across; q++) {
        const uint32_t taps[2][2] = {{h[0][8 * q], h[0][8 * q + 4]},
                                     {h[1][8 * q], h[1][8 * q + 4]}};
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            uint32_t down[4];
            filter_down<DEPTH>(down, v, rows, c * BANDS_COLUMNS * 2);
            mma_add(sums[c][0], down, taps[0][0], taps[0][1]);
            mma_add(sums[c][1], down, taps[1][0], taps[1][1]);
        }
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            rows[k] += COLUMNS * 2;
        }
    }
}

template <int CHANNELS>
__device__ __forceinline__ void filter_unit_by_depth(float (&sums)[CHANNELS][2][4],
                                                     const bands_region &region,
                                                     const __half *window, const operands &o,
                                                     const unit &u)
{
    switch (depth_of(u, o.radius)) {
    case 1:
    case 2:
        filter_unit<CHANNELS, 2>(sums, region, window, o, u.lower);
        break;
    case 3:
        filter_unit<CHANNELS, 3>(sums, region, window, o, u.lower);
        break;
    case 4:
        filter_unit<CHANNELS, 4>(sums, region, window, o, u.lower);
        break;
    case 5:
        filter_unit<CHANNELS, 5>(sums, region, window, o, u.lower);
        break;
    default:
        filter_unit<CHANNELS, FOVEATE_BANDS_MAX_DEPTH>(sums, region, window, o, u.lower);
        break;
    }
}

/* ---- A block */

struct warp_memory {
    union {
        filter_table tables[2];
        unit_words words;
    };
};

template <int CHANNELS, bool LIGHT>
__device__ __forceinline__ void make_unit(const foveate_bands &bands, const bands_region &region,
                                          const unit &u, const __half *window, warp_memory &memory)
{
    const bool upper_copied = u.upper_ring == FOVEATE_RING_NONE;
    const bool lower_copied = u.lower_ring == FOVEATE_RING_NONE;
    if (upper_copied && lower_copied) {
        return;
    }
    const int upper_ring = upper_copied ? u.lower_ring : u.upper_ring;
    const int lower_ring = lower_copied ? u.upper_ring : u.lower_ring;
    const bool pair = u.lower != HALF_ROWS || upper_ring != lower_ring;
    const filter upper = filter_of_ring(bands, upper_ring);
    int radius = upper.radius;
    fill_table(upper, memory.tables[0]);
    if (pair) {
        const filter lower = filter_of_ring(bands, lower_ring);
        fill_table(lower, memory.tables[1]);
        radius = max(radius, lower.radius);
    }
    __syncwarp();
    float sums[CHANNELS][2][4];
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            sums[c][i / 4][i % 4] = sums_begin<LIGHT>();
        }
    }
    filter_unit_by_depth<CHANNELS>(sums, region, window,
                                   operands_of(region, u, memory.tables, pair, radius), u);
    __syncwarp();
    write_words<CHANNELS, LIGHT>(sums, pair, memory.words);
}

struct block_memory {
    warp_memory warps[FOVEATE_BANDS_WARPS];
    unit units[MOST_UNITS];
    bands_shared region;
};

template <enum fovea_format FORMAT, bool LIGHT, typename Image>
__device__ __forceinline__ void make_region(const foveate_frame &frame, const foveate_bands &bands,
                                            const Image &src, const Image &dst,
                                            block_memory &memory, __half *window)
{
    const int CHANNELS = FORMAT == FOVEA_FORMAT_R8 ? 1 : 3;
    const int side = frame.fragment_px;
    bands_region region =
        region_of_block(frame, foveate_bands_shape_of(side, bands.height_px, bands.radius_px));
    if (region.x >= frame.width_px || region.y >= frame.height_px) {
        return;
    }
    if (LIGHT) {
        for (int i = (int)threadIdx.x; i < 256; i += BANDS_THREADS) {
            memory.region.light[i] = __float2half_rn(srgb_to_light((float)i * (1.0f / 255.0f)));
        }
    }
    find_filters(frame, bands, region, memory.region);
    list_units(region, memory.region.rings, side, memory.units);
    if (region.radius >= 0) {
        fill_window<CHANNELS, LIGHT>(frame, region, src, memory.region.light, window);
    }
    __syncthreads();
    const target<FORMAT, Image> to = {frame, region, src, dst, has_words(src) && has_words(dst)};
    const int warp = (int)threadIdx.x / 32;
    const int count = count_units(region, side);
#pragma unroll 1
    for (int i = warp; i < count; i += FOVEATE_BANDS_WARPS) {
        const unit u = memory.units[i];
        make_unit<CHANNELS, LIGHT>(bands, region, u, window, memory.warps[warp]);
        __syncwarp();
        to.store(u, memory.warps[warp].words);
        __syncwarp();
    }
}

template <enum fovea_format FORMAT, typename Image>
__device__ __forceinline__ void make_blocks(const foveate_frame &frame, const foveate_bands &bands,
                                            const Image &src, const Image &dst, char *shared)
{
    __shared__ __align__(16) block_memory memory;
    if (frame.light) {
        make_region<FORMAT, true>(frame, bands, src, dst, memory, (__half *)shared);
    } else {
        make_region<FORMAT, false>(frame, bands, src, dst, memory, (__half *)shared);
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
