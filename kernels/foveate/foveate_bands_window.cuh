/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What a block of foveate_bands.cu works on: the region of its fragments, and the window of the picture
 * around it in shared memory as halves, the channels of a row one after the other. Levels of 8 bits are held
 * less 128, which halves do exactly; light as it is. */
#ifndef FOVEA_KERNELS_FOVEATE_BANDS_WINDOW_CUH
#define FOVEA_KERNELS_FOVEATE_BANDS_WINDOW_CUH

#include "foveate_bands_params.h"
#include "foveate_grid.h"
#include "foveate_light.cuh"
#include "foveate_tile_image.cuh"

const int BANDS_THREADS = 32 * FOVEATE_BANDS_WARPS;
const int BANDS_COLUMNS = FOVEATE_BANDS_WINDOW_COLUMNS;

/* What every thread of a block knows. Pixels are the view's. */
struct bands_region {
    int first_x, first_y; /* fragments */
    int x, y; /* its first pixel; may lie outside the picture */
    int fragments_x, fragments_y;
    int width, height;
    int radius; /* of its largest filter; -1: everything is copied */
    int lead; /* columns of the window left of the first pixel */
    int rows; /* of the window */
};

struct bands_shared {
    int rings[FOVEATE_BANDS_MAX_FRAGMENTS];
    int radius;
    __half light[256];
};

/* ---- The region */

static __device__ __forceinline__ bands_region region_of_block(const foveate_frame &frame,
                                                               const foveate_bands_shape &shape)
{
    bands_region region = {};
    const int side = frame.fragment_px;
    const int shift_x = foveate_grid_shift_px(frame.gaze_x_q8, side);
    const int shift_y = foveate_grid_shift_px(frame.gaze_y_q8, side);
    region.first_x = (int)blockIdx.x * shape.fragments_x;
    region.first_y = (int)blockIdx.y * shape.fragments_y;
    region.x = foveate_grid_start_px(region.first_x, side, shift_x);
    region.y = foveate_grid_start_px(region.first_y, side, shift_y);
    region.fragments_x = shape.fragments_x;
    region.fragments_y = shape.fragments_y;
    region.width = shape.fragments_x * side;
    region.height = shape.fragments_y * side;
    return region;
}

static __device__ __forceinline__ bool is_seen(const foveate_frame &frame,
                                               const bands_region &region, int x, int y)
{
    const int side = frame.fragment_px;
    return region.x + x * side < frame.width_px && region.y + y * side < frame.height_px &&
           region.x + (x + 1) * side > 0 && region.y + (y + 1) * side > 0 &&
           frame.gaze_x_q8 != FOVEATE_GAZE_NONE;
}

/* foveate_grid_ring by a warp: the bounds rise, so those that are not beyond the distance are counted, all
 * at once, where a search would wait for one load after the other. */
static __device__ __forceinline__ int ring_by_warp(const foveate_ring *rings, int ring_count,
                                                   uint64_t distance_sq_q16)
{
    int count = 0;
    for (int i = (int)threadIdx.x % 32; i - (int)threadIdx.x % 32 < ring_count; i += 32) {
        const bool within =
            i < ring_count && foveate_ring_bound_sq_q16(rings + i) <= distance_sq_q16;
        count += __popc(__ballot_sync(~0u, within));
    }
    return count - 1;
}

/* The filters of the paper's rings, a warp a fragment. */
static __device__ __forceinline__ void find_rings(const foveate_frame &frame,
                                                  const foveate_bands &bands,
                                                  const bands_region &region, int *out)
{
    const foveate_ring *rings = (const foveate_ring *)bands.tables.rings;
    const int half = frame.fragment_px; /* centres are truncated toward zero, in foveate_grid.h */
    for (int i = (int)threadIdx.x / 32; i < region.fragments_x * region.fragments_y;
         i += FOVEATE_BANDS_WARPS) {
        const int x = i % region.fragments_x;
        const int y = i / region.fragments_x;
        const uint64_t distance = foveate_grid_distance_sq_q16(
            (2 * (region.x + x * frame.fragment_px) + half) / 2,
            (2 * (region.y + y * frame.fragment_px) + half) / 2, frame.gaze_x_q8, frame.gaze_y_q8);
        const int ring = is_seen(frame, region, x, y)
                             ? ring_by_warp(rings, frame.ring_count, distance)
                             : FOVEATE_RING_NONE;
        out[i] = ring;
    }
}

/* Those of a law's bank, a thread a fragment. */
static __device__ __forceinline__ void find_in_bank(const foveate_frame &frame,
                                                    const foveate_bands &bands,
                                                    const bands_region &region, int *out)
{
    const foveate_cuda_tables &tables = bands.tables;
    const foveate_grid_filters filters = {(const foveate_ring *)tables.rings, &tables.law,
                                          (const float *)tables.law_table};
    const int i = (int)threadIdx.x;
    if (i < region.fragments_x * region.fragments_y) {
        const int x = i % region.fragments_x;
        const int y = i / region.fragments_x;
        out[i] =
            is_seen(frame, region, x, y)
                ? foveate_grid_law_ring(&filters, &frame, region.first_x + x, region.first_y + y)
                : FOVEATE_RING_NONE;
    }
}

/* Every fragment's filter, and from them what the window needs. Barriers are in it. */
static __device__ __forceinline__ void find_filters(const foveate_frame &frame,
                                                    const foveate_bands &bands,
                                                    bands_region &region, bands_shared &shared)
{
    if (threadIdx.x == 0) {
        shared.radius = -1;
    }
    if (bands.tables.law.bank_per_octave > 0.0f) {
        find_in_bank(frame, bands, region, shared.rings);
    } else {
        find_rings(frame, bands, region, shared.rings);
    }
    __syncthreads();
    const int i = (int)threadIdx.x;
    if (i < region.fragments_x * region.fragments_y && shared.rings[i] != FOVEATE_RING_NONE) {
        const foveate_ring *rings = (const foveate_ring *)bands.tables.rings;
        atomicMax(&shared.radius, (int)rings[shared.rings[i]].radius_px);
    }
    __syncthreads();
    const int radius = shared.radius;
    region.radius = radius;
    region.lead = radius + ((region.x - radius) & 3);
    region.rows = region.height + 2 * radius;
}

/* ---- Rows of words, where an image has them: pixels of 32 bits without gaps */

template <typename Pixel>
static __device__ __forceinline__ bool has_words(const linear_image<Pixel> &image)
{
    return linear_image<Pixel>::has_whole && image.view.whole_pixels &&
           image.view.pixel_stride_bytes == 4;
}
template <typename Pixel>
static __device__ __forceinline__ bool has_words(const surface_image<Pixel> &)
{
    return false;
}

/* Pictures take less than two gigabytes (FOVEATE_MAX_SIZE_PX), with strides of a sane size. */
template <typename Pixel>
static __device__ __forceinline__ int row_bytes_of(const linear_image<Pixel> &image)
{
    return (int)image.view.row_stride_bytes;
}
template <typename Pixel>
static __device__ __forceinline__ int row_bytes_of(const surface_image<Pixel> &)
{
    return 0;
}

/* ---- The window */

static __device__ __forceinline__ uint32_t pair_of(__half first, __half second)
{
    const __half2 pair = __halves2half2(first, second);
    return *(const uint32_t *)&pair;
}

/* Channel c of two words of bytes, in the first byte and in the third. */
static __device__ __forceinline__ uint32_t bytes_of(uint32_t a, uint32_t b, uint32_t c)
{
    return __byte_perm(a, b, c | (4u + c) << 8) & 0x00ff00ffu;
}

/* Bytes behind the exponent of 1024, where the steps of halves are whole numbers; less 1024 + 128. */
static __device__ __forceinline__ uint32_t centred(uint32_t bytes)
{
    const uint32_t words = bytes | 0x64006400u;
    const __half2 pair = __hsub2(*(const __half2 *)&words, __float2half2_rn(1152.0f));
    return *(const uint32_t *)&pair;
}

template <bool LIGHT>
static __device__ __forceinline__ uint32_t halves_of(uint32_t bytes, const __half *table)
{
    return LIGHT ? pair_of(table[bytes & 255u], table[bytes >> 16]) : centred(bytes);
}

template <int CHANNELS, bool LIGHT>
static __device__ __forceinline__ void stage_four(const uint4 &words, const __half *table,
                                                  __half *to)
{
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        *(uint2 *)(to + c * BANDS_COLUMNS) =
            make_uint2(halves_of<LIGHT>(bytes_of(words.x, words.y, c), table),
                       halves_of<LIGHT>(bytes_of(words.z, words.w, c), table));
    }
}

/* Four neighbours of the window at a time, a block's threads one after the other. */
struct window_walk {
    int fours; /* of a row */
    int row, four;

    __device__ __forceinline__ explicit window_walk(int columns)
        : fours((columns + 3) / 4), row((int)threadIdx.x / fours), four((int)threadIdx.x % fours)
    {
    }
    __device__ __forceinline__ void step(int rows_on, int fours_on)
    {
        row += rows_on;
        four += fours_on;
        if (four >= fours) {
            four -= fours;
            row++;
        }
    }
};

/* So many loads of 16 bytes are under way in a thread before the first is used. */
const int WINDOW_BATCH = 4;

/* Where the window's fours come from: runs of a linear image, or pixels one by one, clamped to it. */
struct window_runs {
    const char *first;
    int row_bytes;

    __device__ __forceinline__ uint4 load(const window_walk &walk) const
    {
        return __ldg((const uint4 *)(first + walk.row * row_bytes + 16 * walk.four));
    }
};

/* Of an image with rows of words. */
struct window_words {
    const char *first; /* of the view */
    int row_bytes;
    int last_x, last_y;
    int left, top;

    __device__ __forceinline__ uint32_t word(int x, int row) const
    {
        return __ldg((const uint32_t *)(first + row + 4 * min(max(x, 0), last_x)));
    }
    __device__ __forceinline__ uint4 load(const window_walk &walk) const
    {
        const int x = left + 4 * walk.four;
        const int row = min(max(top + walk.row, 0), last_y) * row_bytes;
        return make_uint4(word(x, row), word(x + 1, row), word(x + 2, row), word(x + 3, row));
    }
};

template <typename Image> struct window_pixels {
    endless_image<Image> endless;
    int left, top;

    __device__ __forceinline__ uint4 load(const window_walk &walk) const
    {
        return load_four(endless, false, left + 4 * walk.four, top + walk.row);
    }
};

template <int CHANNELS, bool LIGHT, typename Source>
static __device__ __forceinline__ void fill_window_from(const Source &source, int columns, int rows,
                                                        const __half *light, __half *window)
{
    window_walk walk(columns);
    const int rows_on = BANDS_THREADS / walk.fours;
    const int fours_on = BANDS_THREADS % walk.fours;
    while (walk.row < rows) {
        uint4 words[WINDOW_BATCH] = {};
        int at[WINDOW_BATCH];
#pragma unroll
        for (int i = 0; i < WINDOW_BATCH; i++) {
            at[i] = -1;
            if (walk.row < rows) {
                at[i] = walk.row * CHANNELS * BANDS_COLUMNS + 4 * walk.four;
                words[i] = source.load(walk);
            }
            walk.step(rows_on, fours_on);
        }
#pragma unroll
        for (int i = 0; i < WINDOW_BATCH; i++) {
            if (at[i] >= 0) {
                stage_four<CHANNELS, LIGHT>(words[i], light, window + at[i]);
            }
        }
    }
}

/* Everything that a product may read, the columns beyond its outputs' reach too: taps of 0 make nothing of
 * them, unless they are NaN. Edges are replicated. */
template <int CHANNELS, bool LIGHT, typename Image>
static __device__ __forceinline__ void fill_window(const foveate_frame &frame,
                                                   const bands_region &region, const Image &src,
                                                   const __half *light, __half *window)
{
    const int left = region.x - region.lead;
    const int top = region.y - region.radius;
    const int columns = region.lead + region.width + region.radius + FOVEATE_BANDS_COLUMNS_BEYOND;
    const bool inside = left >= 0 && top >= 0 && left + (columns + 3) / 4 * 4 <= frame.width_px &&
                        top + region.rows <= frame.height_px;
    if (inside && has_runs(src, 4)) {
        const window_runs runs = {run_at(src, left, top), row_bytes_of(src)};
        fill_window_from<CHANNELS, LIGHT>(runs, columns, region.rows, light, window);
    } else if (has_words(src)) {
        const window_words words = {run_at(src, 0, 0),
                                    row_bytes_of(src),
                                    frame.width_px - 1,
                                    frame.height_px - 1,
                                    left,
                                    top};
        fill_window_from<CHANNELS, LIGHT>(words, columns, region.rows, light, window);
    } else {
        const window_pixels<Image> pixels = {
            {src, frame.width_px - 1, frame.height_px - 1}, left, top};
        fill_window_from<CHANNELS, LIGHT>(pixels, columns, region.rows, light, window);
    }
}

#endif
