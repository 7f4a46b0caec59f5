/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Block-wise foveation on tensor cores: what foveate_cuda.cu does pixel by pixel, for formats of 8 bits
 * and filters of up to 36 px on a side (foveate_cuda_bands.h).
 *
 * A separable filter is two products with banded matrices, whose row for an output holds the taps at
 * that output's place. A block stages the window of some 64 x 32 pixels of whole fragments as halves; a
 * warp makes 16 rows by up to 32 columns of one fragment at a time,
 *
 *     D = V W H,    V: 16 x rows, W: the window, rows x columns, H: columns x 8,
 *
 * 16 columns of W after the other: V W in float, rounded to halves, is at once the left operand of the
 * product with H (foveate_mma.cuh). V lives in registers; H is read from the filter's table. Fragments of
 * at most 8 px are made two at a time, one above the other, with a filter for each half of the rows of V
 * and two matrices H.
 *
 * Halves hold levels less 128 exactly, taps to 1/4096 of themselves (a filter's taps sum to 1), and V W to
 * 1/32 of a level: together less than a tenth of a level. All sums are made in float.
 *
 * Grid: regions of fragments across and down for the worst gaze, images. Bound by the tensor cores' issue
 * and by staging, (64 + 2 r)(32 + 2 r) pixels for 64 x 32. */

#include "foveate_bands_window.cuh"
#include "foveate_mma.cuh"

namespace {

const int ROWS = FOVEATE_BANDS_ROWS;
const int COLUMNS = FOVEATE_BANDS_COLUMNS;
const int SLICES = FOVEATE_BANDS_SLICES;
const int DEPTH = FOVEATE_BANDS_MAX_DEPTH;
const int HALF_ROWS = ROWS / 2;

/* ---- Filters */

/* The taps from FIRST_TAP from the centre on, zeros where there are none, as pairs of neighbours: those that
 * begin at even places, and those that begin at odd ones, so that any two neighbours are one word. */
const int FIRST_TAP = -60;
const int PAIRS = 64;

struct filter_table {
    uint32_t pairs[2][PAIRS];

    __device__ __forceinline__ uint32_t at(int tap) const
    {
        const int place = tap - FIRST_TAP;
        return pairs[place & 1][place >> 1];
    }
};

struct filter {
    const __half *taps; /* centre first */
    int radius;

    __device__ __forceinline__ __half at(int tap) const
    {
        const int distance = abs(tap);
        return distance <= radius ? taps[distance] : __ushort_as_half(0);
    }
};

__device__ __forceinline__ filter filter_of(const foveate_bands &bands, int ring)
{
    const foveate_ring *entry = (const foveate_ring *)bands.tables.rings + ring;
    return {(const __half *)bands.half_taps + entry->first_tap, (int)entry->radius_px};
}

__device__ __forceinline__ void fill_table(const filter &f, filter_table &table)
{
    const int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2 * PAIRS; i += 32) {
        const int odd = i / PAIRS;
        const int word = i % PAIRS + lane;
        const int tap = FIRST_TAP + 2 * word + odd;
        table.pairs[odd][word] = pair_of(f.at(tap), f.at(tap + 1));
    }
}

/* ---- Units */

/* What a warp makes at a time: 16 rows, in two halves that are fragments of their own where those have at
 * most 8 px, and up to four slices of 8 columns. */
struct unit {
    int x, y; /* the first pixel, from the region's on */
    int columns; /* that are the fragment's */
    int rows[2]; /* of each half likewise */
    int lower; /* where the second half begins */
    int ring[2];
    int slices;
    bool pair; /* two filters */
};

__device__ __forceinline__ unit pair_of_fragments(const bands_region &region, const int *rings,
                                                  int side, int index)
{
    unit u = {};
    const int column = index % region.fragments_x;
    const int row = 2 * (index / region.fragments_x);
    const bool second = row + 1 < region.fragments_y;
    u.x = column * side;
    u.y = row * side;
    u.columns = u.rows[0] = u.lower = side;
    u.rows[1] = second ? side : 0;
    u.slices = 1;
    u.ring[0] = rings[row * region.fragments_x + column];
    u.ring[1] = second ? rings[(row + 1) * region.fragments_x + column] : u.ring[0];
    u.pair = u.ring[0] != u.ring[1];
    return u;
}

__device__ __forceinline__ int parts_down(int side)
{
    return (side + ROWS - 1) / ROWS;
}

__device__ __forceinline__ int parts_across(int side)
{
    return (side + SLICES * COLUMNS - 1) / (SLICES * COLUMNS);
}

__device__ __forceinline__ unit part_of_fragment(const bands_region &region, const int *rings,
                                                 int side, int index)
{
    unit u = {};
    const int across = region.fragments_x * parts_across(side);
    const int fragment_x = index % across / parts_across(side);
    const int fragment_y = index / across / parts_down(side);
    const int part_x = index % across % parts_across(side) * SLICES * COLUMNS;
    const int part_y = index / across % parts_down(side) * ROWS;
    u.x = fragment_x * side + part_x;
    u.y = fragment_y * side + part_y;
    u.columns = min(side - part_x, SLICES * COLUMNS);
    u.rows[0] = min(side - part_y, HALF_ROWS);
    u.rows[1] = min(side - part_y - HALF_ROWS, HALF_ROWS);
    u.lower = HALF_ROWS;
    u.slices = (u.columns + COLUMNS - 1) / COLUMNS;
    u.ring[0] = u.ring[1] = rings[fragment_y * region.fragments_x + fragment_x];
    return u;
}

__device__ __forceinline__ int count_units(const bands_region &region, int side)
{
    if (side <= HALF_ROWS) {
        return region.fragments_x * ((region.fragments_y + 1) / 2);
    }
    return region.fragments_x * region.fragments_y * parts_across(side) * parts_down(side);
}

__device__ __forceinline__ unit unit_at(const bands_region &region, const int *rings, int side,
                                        int index)
{
    return side <= HALF_ROWS ? pair_of_fragments(region, rings, side, index)
                             : part_of_fragment(region, rings, side, index);
}

/* ---- Products */

/* Where a unit's window begins, and how many products go down and across it. */
struct reach {
    int radius;
    int row; /* of the block's window */
    int column; /* likewise; a multiple of 8 */
    int depth;
    int across;
};

__device__ __forceinline__ reach reach_of(const bands_region &region, const unit &u, int radius)
{
    reach r;
    r.radius = radius;
    r.row = region.radius + u.y - radius;
    r.depth = (u.lower + HALF_ROWS + 2 * radius + 15) / 16;
    const int left = region.margin + u.x - radius;
    const int right = region.margin + u.x + COLUMNS * u.slices + radius;
    r.column = left / 8 * 8;
    r.across = (right - r.column + 15) / 16;
    return r;
}

/* V: output m's taps are centred on row m's place, which is `radius` rows below the window's. */
__device__ __forceinline__ void make_vertical(uint32_t (&v)[DEPTH][4], const filter_table *tables,
                                              const unit &u, const reach &r)
{
    const int lane = (int)threadIdx.x % 32;
    const int upper = 2 * (lane % 4) - r.radius - lane / 4;
    const int lower = upper - u.lower;
    const filter_table &second = tables[u.pair];
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        if (k < r.depth) {
            v[k][0] = tables[0].at(16 * k + upper);
            v[k][1] = second.at(16 * k + lower);
            v[k][2] = tables[0].at(16 * k + 8 + upper);
            v[k][3] = second.at(16 * k + 8 + lower);
        }
    }
}

__device__ __forceinline__ uint32_t rounded(float first, float second)
{
    const __half2 pair = __floats2half2_rn(first, second);
    return *(const uint32_t *)&pair;
}

/* V times 16 columns of the window, as the left operand of the next product. `rows` says where this lane's
 * row of each product lies. */
__device__ __forceinline__ void filter_down(uint32_t (&out)[4], const uint32_t (&v)[DEPTH][4],
                                            const int (&rows)[DEPTH], int depth,
                                            const __half *columns)
{
    float left[4] = {};
    float right[4] = {};
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        if (k < depth) {
            uint32_t w[4];
            mma_load_turned(w, columns + rows[k]);
            mma_add(left, v[k], w[0], w[1]);
            mma_add(right, v[k], w[2], w[3]);
        }
    }
    out[0] = rounded(left[0], left[1]);
    out[1] = rounded(left[2], left[3]);
    out[2] = rounded(right[0], right[1]);
    out[3] = rounded(right[2], right[3]);
}

/* H for 16 columns of the window and one slice; false: no tap of it is among them. */
struct horizontal {
    uint32_t low, high;
    bool any;
};

__device__ __forceinline__ horizontal make_horizontal(const filter_table &table, int first,
                                                      int radius)
{
    /* `first`: from the slice's first output to the first of the columns. */
    horizontal h = {};
    h.any = first + 15 >= -radius && first <= COLUMNS - 1 + radius;
    if (h.any) {
        const int lane = (int)threadIdx.x % 32;
        const int tap = first + 2 * (lane % 4) - lane / 4;
        h.low = table.at(tap);
        h.high = table.at(tap + 8);
    }
    return h;
}

/* sums[c][j]: of channel c, slice j; of a pair, half j. */
template <int CHANNELS>
__device__ __forceinline__ void filter_unit(float (&sums)[CHANNELS][SLICES][4],
                                            const bands_region &region, const __half *window,
                                            const filter_table *tables, const unit &u,
                                            const reach &r)
{
    uint32_t v[DEPTH][4] = {};
    int rows[DEPTH] = {};
    make_vertical(v, tables, u, r);
    const int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        const int row = min(r.row + 16 * k + lane % 16, region.rows - 1);
        rows[k] = row * region.pitch + r.column + lane / 16 * 8;
    }
    const int plane = region.rows * region.pitch;
    const int products = u.pair ? 2 : u.slices;
    const int start = r.column - region.margin - u.x;
#pragma unroll 1
    for (int q = 0; q < r.across; q++) {
        horizontal h[SLICES];
#pragma unroll
        for (int j = 0; j < SLICES; j++) {
            const int first = start + 16 * q - (u.pair ? 0 : COLUMNS * j);
            h[j] = make_horizontal(tables[u.pair && j == 1], first, j < products ? r.radius : -99);
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            uint32_t down[4];
            filter_down(down, v, rows, r.depth, window + c * plane + 16 * q);
#pragma unroll
            for (int j = 0; j < SLICES; j++) {
                if (h[j].any) {
                    mma_add(sums[c][j], down, h[j].low, h[j].high);
                }
            }
        }
    }
}

/* ---- Results */

template <enum fovea_format FORMAT, int CHANNELS, typename Image> struct work {
    const foveate_frame &frame;
    const foveate_bands &bands;
    const bands_region &region;
    const Image &src;
    const Image &dst;

    __device__ __forceinline__ void store(int x, int y, const float (&sums)[CHANNELS]) const
    {
        const uint32_t own = FORMAT == FOVEA_FORMAT_RGBA8 ? src.load(x, y) : 0;
        dst.store(x, y, word_of<CHANNELS>(sums, frame.light != 0, own));
    }

    __device__ __forceinline__ bool inside(int x, int y) const
    {
        return x >= 0 && y >= 0 && x < frame.width_px && y < frame.height_px;
    }
};

template <enum fovea_format FORMAT, int CHANNELS, typename Image>
__device__ __forceinline__ void store_unit(const work<FORMAT, CHANNELS, Image> &w, const unit &u,
                                           const float (&sums)[CHANNELS][SLICES][4])
{
    const int row = (int)threadIdx.x % 32 / 4;
    const int first = (int)threadIdx.x % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int y = w.region.y + u.y + (half ? u.lower : 0) + row;
#pragma unroll
        for (int i = 0; i < 2 * SLICES; i++) {
            const int j = i / 2;
            const int column = COLUMNS * j + first + i % 2;
            const int x = w.region.x + u.x + column;
            if (j >= u.slices || column >= u.columns || row >= u.rows[half] || !w.inside(x, y)) {
                continue;
            }
            if (u.ring[half] == FOVEATE_RING_NONE) {
                w.dst.store(x, y, w.src.load(x, y));
                continue;
            }
            float own[CHANNELS];
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                const float other = j == 0 && half == 1 && u.pair ? sums[c][1][2 + i % 2]
                                                                  : sums[c][j][2 * half + i % 2];
                own[c] = other;
            }
            w.store(x, y, own);
        }
    }
}

/* ---- A block */

template <enum fovea_format FORMAT, int CHANNELS, typename Image>
__device__ __forceinline__ void make_unit(const work<FORMAT, CHANNELS, Image> &w, unit u,
                                          const __half *window, filter_table *tables)
{
    float sums[CHANNELS][SLICES][4];
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
#pragma unroll
        for (int j = 0; j < SLICES; j++) {
            sums[c][j][0] = sums[c][j][1] = sums[c][j][2] = sums[c][j][3] =
                sums_begin(w.frame.light != 0, c);
        }
    }
    const int ring = max(u.ring[0], u.ring[1]);
    if (ring != FOVEATE_RING_NONE) {
        u.pair = u.pair && min(u.ring[0], u.ring[1]) != FOVEATE_RING_NONE;
        const filter upper = filter_of(w.bands, u.pair ? u.ring[0] : ring);
        int radius = upper.radius;
        __syncwarp();
        fill_table(upper, tables[0]);
        if (u.pair) {
            const filter lower = filter_of(w.bands, u.ring[1]);
            fill_table(lower, tables[1]);
            radius = max(radius, lower.radius);
        }
        __syncwarp();
        filter_unit<CHANNELS>(sums, w.region, window, tables, u, reach_of(w.region, u, radius));
    }
    store_unit(w, u, sums);
}

template <enum fovea_format FORMAT, int CHANNELS, typename Image>
__device__ __forceinline__ void make_region(const foveate_frame &frame, const foveate_bands &bands,
                                            const Image &src, const Image &dst, __half *window)
{
    __shared__ bands_shared shared;
    __shared__ filter_table tables[FOVEATE_BANDS_WARPS][2];
    bands_region region = region_of_block(
        frame, foveate_bands_shape_of(frame.fragment_px, bands.height_px, bands.radius_px));
    if (region.x >= frame.width_px || region.y >= frame.height_px) {
        return;
    }
    if (frame.light) {
        for (int i = (int)threadIdx.x; i < 256; i += BANDS_THREADS) {
            shared.light[i] = __float2half_rn(srgb_to_light((float)i * (1.0f / 255.0f)));
        }
    }
    find_filters(frame, bands, region, shared);
    if (region.radius >= 0) {
        fill_window<CHANNELS>(frame, region, src, shared.light, window);
        __syncthreads();
    }
    const work<FORMAT, CHANNELS, Image> w = {frame, bands, region, src, dst};
    const int warp = (int)threadIdx.x / 32;
    const int count = count_units(region, frame.fragment_px);
#pragma unroll 1
    for (int i = warp; i < count; i += FOVEATE_BANDS_WARPS) {
        make_unit(w, unit_at(region, shared.rings, frame.fragment_px, i), window, tables[warp]);
    }
}

template <enum fovea_format FORMAT, typename Image>
__device__ __forceinline__ void make_blocks(const foveate_frame &frame, const foveate_bands &bands,
                                            const Image &src, const Image &dst, char *shared)
{
#if __CUDA_ARCH__ >= 800
    __half *window = (__half *)shared;
    if constexpr (FORMAT == FOVEA_FORMAT_R8) {
        make_region<FORMAT, 1>(frame, bands, src, dst, window);
    } else {
        make_region<FORMAT, 3>(frame, bands, src, dst, window);
    }
#endif
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
