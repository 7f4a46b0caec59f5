/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What a block of foveate_bands.cu works on: its fragments and their filters, the window of the picture
 * around them as planes of halves in shared memory, and the pixels that come out.
 *
 * Levels of 8 bits are held less 128, which halves do exactly; light as it is. */
#ifndef FOVEA_KERNELS_FOVEATE_BANDS_WINDOW_CUH
#define FOVEA_KERNELS_FOVEATE_BANDS_WINDOW_CUH

#include "foveate_bands_params.h"
#include "foveate_grid.h"
#include "foveate_image.cuh"
#include "foveate_light.cuh"

const int BANDS_THREADS = 32 * FOVEATE_BANDS_WARPS;

/* What every thread of a block knows. Places are relative to the view, and to the region's first pixel. */
struct bands_region {
    int first_x, first_y; /* fragments */
    int x, y; /* its first pixel; may lie outside the picture */
    int fragments_x, fragments_y;
    int width, height;
    int radius; /* of its largest filter; -1: everything is copied */
    int margin; /* columns of the window left of the first pixel */
    int rows; /* of the window */
    int pitch;
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
    region.pitch = shape.pitch;
    return region;
}

/* Every fragment's filter, and from them what the window needs. A barrier is in it. */
static __device__ __forceinline__ void find_filters(const foveate_frame &frame,
                                                    const foveate_bands &bands,
                                                    bands_region &region, bands_shared &shared)
{
    const foveate_cuda_tables &tables = bands.tables;
    const foveate_ring *rings = (const foveate_ring *)tables.rings;
    const foveate_grid_filters filters = {rings, &tables.law, (const float *)tables.law_table};
    const int i = (int)threadIdx.x;
    if (i == 0) {
        shared.radius = -1;
    }
    __syncthreads();
    if (i < region.fragments_x * region.fragments_y) {
        const int x = i % region.fragments_x;
        const int y = i / region.fragments_x;
        const bool seen = region.x + x * frame.fragment_px < frame.width_px &&
                          region.y + y * frame.fragment_px < frame.height_px &&
                          region.x + (x + 1) * frame.fragment_px > 0 &&
                          region.y + (y + 1) * frame.fragment_px > 0;
        const int ring =
            seen && frame.gaze_x_q8 != FOVEATE_GAZE_NONE
                ? foveate_grid_filter(&filters, &frame, region.first_x + x, region.first_y + y)
                : FOVEATE_RING_NONE;
        shared.rings[i] = ring;
        if (ring != FOVEATE_RING_NONE) {
            atomicMax(&shared.radius, (int)rings[ring].radius_px);
        }
    }
    __syncthreads();
    region.radius = shared.radius;
    region.margin = (max(region.radius, 0) + 7) / 8 * 8;
    region.rows = region.height + 2 * max(region.radius, 0);
}

/* ---- The window */

static __device__ __forceinline__ int clamped(int value, int count)
{
    return min(max(value, 0), count - 1);
}

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

static __device__ __forceinline__ uint32_t halves_of(uint32_t bytes, bool light,
                                                     const __half *table)
{
    return light ? pair_of(table[bytes & 255u], table[bytes >> 16]) : centred(bytes);
}

/* Two neighbours of the window at a time, a block's threads in a row after the other. */
struct window_walk {
    int pairs; /* of a row */
    int row, pair;

    __device__ __forceinline__ explicit window_walk(int columns)
        : pairs((columns + 1) / 2), row((int)threadIdx.x / pairs), pair((int)threadIdx.x % pairs)
    {
    }
    __device__ __forceinline__ void step(int rows_on, int pairs_on)
    {
        row += rows_on;
        pair += pairs_on;
        if (pair >= pairs) {
            pair -= pairs;
            row++;
        }
    }
};

/* So many loads are under way in a thread before the first is used. */
const int WINDOW_BATCH = 6;

/* Everything that a product may read, the columns beyond its outputs' reach too: weights of 0 make
 * nothing of them, unless they are NaN. Edges are replicated. */
template <int CHANNELS, typename Image>
static __device__ __forceinline__ void fill_window(const foveate_frame &frame,
                                                   const bands_region &region, const Image &src,
                                                   const __half *light, __half *window)
{
    window_walk walk(region.width + 2 * region.margin + 22);
    const int rows_on = BANDS_THREADS / walk.pairs;
    const int pairs_on = BANDS_THREADS % walk.pairs;
    const int plane_words = region.rows * region.pitch / 2;
    while (walk.row < region.rows) {
        uint32_t a[WINDOW_BATCH];
        uint32_t b[WINDOW_BATCH];
        uint32_t *to[WINDOW_BATCH];
#pragma unroll
        for (int i = 0; i < WINDOW_BATCH; i++) {
            const int x = region.x - region.margin + 2 * walk.pair;
            const int y = clamped(region.y - region.radius + walk.row, frame.height_px);
            a[i] = src.load(clamped(x, frame.width_px), y);
            b[i] = src.load(clamped(x + 1, frame.width_px), y);
            to[i] = walk.row < region.rows
                        ? (uint32_t *)window + walk.row * region.pitch / 2 + walk.pair
                        : nullptr;
            walk.step(rows_on, pairs_on);
        }
#pragma unroll
        for (int i = 0; i < WINDOW_BATCH; i++) {
            if (to[i]) {
#pragma unroll
                for (int c = 0; c < CHANNELS; c++) {
                    to[i][c * plane_words] =
                        halves_of(bytes_of(a[i], b[i], c), frame.light && c < 3, light);
                }
            }
        }
    }
}

/* ---- Pixels */

/* The level nearest to v, halves up, in the lowest byte; v holds 1/2048 more than the level. Behind the
 * exponent of 1.5 * 2^23 the steps of floats are whole numbers, and what is averaged stays in range. */
static __device__ __forceinline__ uint32_t level_bits(float v)
{
    return __float_as_uint(v + 12582912.0f);
}

/* What the sums of a channel begin with. */
static __device__ __forceinline__ float sums_begin(bool light, int c)
{
    return light && c < 3 ? 0.0f : 128.0f + 1.0f / 2048;
}

static __device__ __forceinline__ uint32_t byte_of(float sum, bool light, int c)
{
    if (light && c < 3) {
        sum = light_to_srgb(fminf(fmaxf(sum, 0.0f), 1.0f)) * 255.0f + 1.0f / 2048;
    }
    return level_bits(sum);
}

/* `own` is the picture's word there: for its alpha, and for bytes that the format lacks. */
template <int CHANNELS>
static __device__ __forceinline__ uint32_t word_of(const float (&sums)[CHANNELS], bool light,
                                                   uint32_t own)
{
    if constexpr (CHANNELS == 1) {
        return byte_of(sums[0], light, 0);
    } else {
        const uint32_t low =
            __byte_perm(byte_of(sums[0], light, 0), byte_of(sums[1], light, 1), 0x0040u);
        const uint32_t blue = byte_of(sums[2], light, 2);
        const uint32_t high =
            CHANNELS == 4 ? __byte_perm(blue, byte_of(sums[CHANNELS - 1], light, 3), 0x0040u)
                          : __byte_perm(blue, own, 0x0070u);
        return __byte_perm(low, high, 0x5410u);
    }
}

#endif
