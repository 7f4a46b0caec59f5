/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The region of fragments that a block of foveate_bands.cu makes, and the window of the picture
 * around it in shared memory, one word a pixel. In the window a byte that turns two bytes into
 * halves replaces alpha. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_BANDS_WINDOW_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_BANDS_WINDOW_CUH

#include "kernels/cuda/copy.cuh"
#include "kernels/foveate/cuda/common/vectors.cuh"
#include "kernels/foveate/grid.h"
#include "kernels/image/light.cuh"
#include "params.h"

const int BANDS_THREADS = 32 * FOVEATE_BANDS_WARPS;

/* A block's region. Pixels are the view's. */
struct bands_region {
    int first_x, first_y; /* fragments */
    int x, y; /* first pixel; may lie outside the picture */
    int fragments_x, fragments_y;
    int width, height;
    int radius; /* its largest filter's; 0: everything is copied */
    int lead; /* columns of the window left of the first pixel */
    int rows; /* of the window */
    int pitch_bytes;
};

/* Columns of alpha count from the window's last multiple of 4 at or before the region. */
const int ALPHA_PITCH = FOVEATE_BANDS_WIDTH_PX + 8;

struct bands_shared {
    int radii[FOVEATE_BANDS_WARPS];
    uint16_t rings_1[FOVEATE_BANDS_MAX_FRAGMENTS]; /* and 1: 0 is FOVEATE_RING_NONE */
    uint16_t light[256]; /* light of bytes as halves */
    uint8_t alpha[FOVEATE_BANDS_HEIGHT_PX * ALPHA_PITCH]; /* the region's */
};

/* ---- The region */

/* Divides small integers, in a quarter of the instructions. */
static __device__ __forceinline__ int quotient(int i, int d)
{
    return (int)__fdividef((float)i + 0.5f, (float)d);
}

/* Returns the i-th of `count` blocks along an axis, the farthest from `centre` first. */
static __device__ __forceinline__ int from_far_on(int i, int count, int centre)
{
    const int before = centre;
    const int after = count - 1 - centre;
    const int far = abs(before - after);
    if (i < far) {
        return before > after ? i : count - 1 - i;
    }
    const int distance = min(before, after) - (i - far) / 2;
    return (i - far) % 2 == 0 ? centre - distance : centre + distance;
}

/* Finds this block's first fragment along one axis, and its first pixel. Blocks of the smallest
 * filters start last, because short blocks fill the device best at the end. */
static __device__ __forceinline__ int2 block_along(int gaze_q8, int side, int fragments, int i,
                                                   int count)
{
    const int shift = foveate_grid_shift_px(gaze_q8, side);
    const int gaze = ((gaze_q8 >> 8) + shift) / (side * fragments);
    const int first = fragments * from_far_on(i, count, min(max(gaze, 0), count - 1));
    return make_int2(first, foveate_grid_start_px(first, side, shift));
}

/* Even lanes compute x, odd ones y, because a division is many instructions. */
static __device__ __forceinline__ bands_region region_of_block(const foveate_frame &frame,
                                                               const foveate_bands_shape &shape)
{
    bands_region region = {};
    const int side = frame.fragment_px;
    const bool down = threadIdx.x % 2 != 0;
    const int2 block =
        block_along(down ? frame.gaze_y_q8 : frame.gaze_x_q8, side,
                    down ? shape.fragments_y : shape.fragments_x,
                    (int)(down ? blockIdx.y : blockIdx.x), (int)(down ? gridDim.y : gridDim.x));
    region.first_x = __shfl_sync(~0u, block.x, 0);
    region.first_y = __shfl_sync(~0u, block.x, 1);
    region.x = __shfl_sync(~0u, block.y, 0);
    region.y = __shfl_sync(~0u, block.y, 1);
    region.fragments_x = shape.fragments_x;
    region.fragments_y = shape.fragments_y;
    region.width = shape.fragments_x * side;
    region.height = shape.fragments_y * side;
    region.pitch_bytes = shape.pitch_bytes;
    return region;
}

static __device__ __forceinline__ bool is_seen(const foveate_frame &frame,
                                               const bands_region &region, int x, int y)
{
    const int side = frame.fragment_px;
    return region.x + x * side < frame.width_px && region.y + y * side < frame.height_px &&
           region.x + (x + 1) * side > 0 && region.y + (y + 1) * side > 0 &&
           frame.gaze_x_q8 != GAZE_NONE;
}

struct fragment_filter {
    int ring;
    int radius;
};

/* Does foveate_grid_ring: the bounds are F/2 + 1.4 F i, so a guess in floats is off by at most
 * one. */
static __device__ __forceinline__ fragment_filter ring_near(const foveate_ring *rings,
                                                            const foveate_frame &frame,
                                                            uint64_t distance_sq_q16)
{
    const float distance_px = sqrtf((float)distance_sq_q16) * (1.0f / 256);
    const float guess = floorf((distance_px / (float)frame.fragment_px - 0.5f) * (1.0f / 1.4f));
    const int first = (int)fminf(guess, (float)(frame.ring_count - 1)) - 1;
    uint4 heads[3]; /* bound, radius, first tap; loaded together */
#pragma unroll
    for (int i = 0; i < 3; i++) {
        heads[i] = __ldg((const uint4 *)(rings + min(max(first + i, 0), frame.ring_count - 1)));
    }
    fragment_filter filter = {FOVEATE_RING_NONE, 0};
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const uint64_t bound = (uint64_t)heads[i].y << 32 | heads[i].x;
        const bool exists = first + i >= 0 && first + i < frame.ring_count;
        if (exists && bound <= distance_sq_q16) {
            filter = {first + i, (int)heads[i].z};
        }
    }
    return filter;
}

/* Finds the filter among the paper's rings. */
static __device__ __forceinline__ fragment_filter find_ring(const foveate_frame &frame,
                                                            const foveate_bands &bands,
                                                            const bands_region &region, int x,
                                                            int y)
{
    const int side = frame.fragment_px; /* foveate/grid.h truncates centres toward zero */
    const uint64_t distance = foveate_grid_distance_sq_q16((2 * (region.x + x * side) + side) / 2,
                                                           (2 * (region.y + y * side) + side) / 2,
                                                           frame.gaze_x_q8, frame.gaze_y_q8);
    return ring_near((const foveate_ring *)bands.tables.rings, frame, distance);
}

/* Finds the filter in a law's bank. */
static __device__ __forceinline__ fragment_filter find_in_bank(const foveate_frame &frame,
                                                               const foveate_bands &bands,
                                                               const bands_region &region, int x,
                                                               int y)
{
    const foveate_cuda_tables &tables = bands.tables;
    const foveate_ring *rings = (const foveate_ring *)tables.rings;
    const foveate_grid_filters filters = {rings, &tables.law, (const float *)tables.law_table};
    const int ring =
        foveate_grid_law_ring(&filters, &frame, region.first_x + x, region.first_y + y);
    return {ring, ring == FOVEATE_RING_NONE ? 0 : (int)rings[ring].radius_px};
}

static __device__ __forceinline__ int largest_of_warp(int value)
{
#if __CUDA_ARCH__ >= 800 /* Older devices never run it. */
    value = __reduce_max_sync(~0u, value);
#endif
    return value;
}

/* Each thread finds a fragment's filter, and from them the window's size follows. It has a
 * barrier. */
static __device__ __forceinline__ void find_filters(const foveate_frame &frame,
                                                    const foveate_bands &bands,
                                                    bands_region &region, bands_shared &shared)
{
    const int i = (int)threadIdx.x;
    fragment_filter filter = {FOVEATE_RING_NONE, 0};
    if (i < region.fragments_x * region.fragments_y) {
        const int y = quotient(i, region.fragments_x);
        const int x = i - y * region.fragments_x;
        if (is_seen(frame, region, x, y)) {
            filter = bands.tables.law.bank_per_octave > 0.0f
                         ? find_in_bank(frame, bands, region, x, y)
                         : find_ring(frame, bands, region, x, y);
        }
        shared.rings_1[i] = (uint16_t)(filter.ring + 1);
    }
    const int largest = largest_of_warp(filter.radius);
    if (i % 32 == 0) {
        shared.radii[i / 32] = largest;
    }
    __syncthreads();
    int radius = 0;
#pragma unroll
    for (int w = 0; w < FOVEATE_BANDS_WARPS; w++) {
        radius = max(radius, shared.radii[w]);
    }
    region.radius = radius;
    region.lead = radius + ((region.x - radius) & 3);
    region.rows = region.height + 2 * radius;
}

/* ---- Rows of words, for images of 32 bits a pixel without gaps */

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

/* Returns where the view begins; surfaces have no such place. */
template <typename Pixel>
static __device__ __forceinline__ char *words_of_view(const linear_image<Pixel> &image)
{
    return image.at(0, 0);
}
template <typename Pixel>
static __device__ __forceinline__ char *words_of_view(const surface_image<Pixel> &)
{
    return nullptr;
}

/* Pictures take less than two gigabytes (OPERATOR_MAX_SIZE_PX), with ordinary strides. */
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

/* It replaces alpha: behind it, a byte is a half from 1024 on. */
static __device__ __forceinline__ uint32_t marked(uint32_t word)
{
    return (word & 0x00ffffffu) | 0x64000000u;
}

/* Returns channel c of two words of the window as halves: the byte + 1024, or its light. */
template <bool LIGHT>
static __device__ __forceinline__ uint32_t pair_of(uint32_t a, uint32_t b, uint32_t c,
                                                   const uint16_t *light)
{
    if (LIGHT) {
        return light[a >> 8 * c & 255u] | (uint32_t)light[b >> 8 * c & 255u] << 16;
    }
    return __byte_perm(a, b, 0x7430u | c | c << 8);
}

/* Half a warp loads a row of the window by fours. */
const int WINDOW_LANES = 16;
const int WINDOW_ROWS = BANDS_THREADS / WINDOW_LANES; /* rows at a time */

/* Reads rows of words, clamped to the picture. */
struct window_words {
    const char *first; /* of the view */
    int row_bytes;
    int last_x, last_y;
    int left, top;
    bool runs; /* whether four lie in the picture */

    __device__ __forceinline__ const char *row(int row) const
    {
        return first + min(max(top + row, 0), last_y) * row_bytes;
    }

    /* Loads the window's columns from 4 `four` on. */
    __device__ __forceinline__ void fill(int four, const bands_region &region, char *window) const
    {
        const int x = left + 4 * four;
        char *to = window + 16 * four;
        const int begin = (int)threadIdx.x / WINDOW_LANES;
        if (runs && x >= 0 && x + 3 <= last_x) {
#pragma unroll 4
            for (int i = begin; i < region.rows; i += WINDOW_ROWS) {
                copy_begin(to + i * region.pitch_bytes, row(i) + 4 * x);
            }
            return;
        }
        int at[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            at[k] = 4 * min(max(x + k, 0), last_x);
        }
#pragma unroll 4
        for (int i = begin; i < region.rows; i += WINDOW_ROWS) {
            const char *from = row(i);
            *(uint4 *)(to + i * region.pitch_bytes) = make_uint4(
                __ldg((const uint32_t *)(from + at[0])), __ldg((const uint32_t *)(from + at[1])),
                __ldg((const uint32_t *)(from + at[2])), __ldg((const uint32_t *)(from + at[3])));
        }
    }
};

/* Reads any image: runs of surfaces, else pixel by pixel. */
template <typename Image> struct window_pixels {
    clamped_image<Image> clamped;
    int left, top;

    template <typename Pixel>
    static __device__ __forceinline__ bool reads_runs(const surface_image<Pixel> &image)
    {
        return has_runs(image, 4);
    }
    template <typename Pixel>
    static __device__ __forceinline__ bool reads_runs(const linear_image<Pixel> &)
    {
        return false;
    }

    __device__ __forceinline__ void fill_runs(int four, const bands_region &region,
                                              char *window) const
    {
#pragma unroll 4
        for (int i = (int)threadIdx.x / WINDOW_LANES; i < region.rows; i += WINDOW_ROWS) {
            *(uint4 *)(window + i * region.pitch_bytes + 16 * four) = read_run<uint32_t, 4>(
                run_at(clamped.image, left + 4 * four, min(max(top + i, 0), clamped.last_y)));
        }
    }

    __device__ __forceinline__ void fill(int four, const bands_region &region, char *window) const
    {
        const int x = left + 4 * four;
        if (reads_runs(clamped.image) && x >= 0 && x + 3 <= clamped.last_x) {
            fill_runs(four, region, window);
            return;
        }
#pragma unroll 1
        for (int i = (int)threadIdx.x / WINDOW_LANES; i < region.rows; i += WINDOW_ROWS) {
            *(uint4 *)(window + i * region.pitch_bytes + 16 * four) =
                load_four(clamped, false, left + 4 * four, top + i);
        }
    }
};

template <typename Source>
static __device__ __forceinline__ void fill_from(const Source &source, const bands_region &region,
                                                 char *window)
{
    const int columns = region.lead + region.width + region.radius;
#pragma unroll 1
    for (int four = (int)threadIdx.x % WINDOW_LANES; 4 * four < columns; four += WINDOW_LANES) {
        source.fill(four, region, window);
    }
}

/* Keeps the fourth bytes of the region's pixels, a warp a row. */
static __device__ __forceinline__ void keep_alpha(const bands_region &region, const char *window,
                                                  uint8_t *alpha)
{
    const int lane = (int)threadIdx.x % 32;
    if (lane < ALPHA_PITCH / 4) {
        const char *from = window + region.radius * region.pitch_bytes + region.lead / 4 * 16;
#pragma unroll 4
        for (int y = (int)threadIdx.x / 32; y < region.height; y += FOVEATE_BANDS_WARPS) {
            const uint4 words = *(const uint4 *)(from + y * region.pitch_bytes + 16 * lane);
            *(uint32_t *)(alpha + y * ALPHA_PITCH + 4 * lane) =
                __byte_perm(__byte_perm(words.x, words.y, 0x0073u),
                            __byte_perm(words.z, words.w, 0x0073u), 0x5410u);
        }
    }
}

/* Marks all of the window's memory: products also read beyond the columns that were filled. Taps of
 * 0 cancel any value there but NaN, and marked words are not NaN. */
static __device__ __forceinline__ void mark_window(const bands_region &region, char *window)
{
    const int end = region.rows * region.pitch_bytes + FOVEATE_BANDS_BYTES_BEYOND;
#pragma unroll 4
    for (int at = 16 * (int)threadIdx.x; at < end; at += 16 * BANDS_THREADS) {
        uint4 &words = *(uint4 *)(window + at);
        words = make_uint4(marked(words.x), marked(words.y), marked(words.z), marked(words.w));
    }
}

/* Fills every pixel that a tap other than 0 may reach. Edges are replicated. It has barriers, the
 * last one at its end. */
template <bool ALPHA, typename Image>
static __device__ __forceinline__ void fill_window(const foveate_frame &frame,
                                                   const bands_region &region, const Image &src,
                                                   uint8_t *alpha, char *window)
{
    const int left = region.x - region.lead;
    const int top = region.y - region.radius;
    const int last_x = frame.width_px - 1;
    const int last_y = frame.height_px - 1;
    if (has_words(src)) {
        const window_words words = {
            words_of_view(src), row_bytes_of(src), last_x, last_y, left, top, has_runs(src, 4)};
        fill_from(words, region, window);
        copy_wait();
    } else {
        const window_pixels<Image> pixels = {{src, last_x, last_y}, left, top};
        fill_from(pixels, region, window);
    }
    __syncthreads();
    if (ALPHA) {
        keep_alpha(region, window, alpha);
        __syncthreads();
    }
    mark_window(region, window);
    __syncthreads();
}

#endif
