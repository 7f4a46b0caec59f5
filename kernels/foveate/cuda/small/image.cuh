/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The shared memory of a block: the picture as it is stored, levels 1 and 2 and their blurs (a
 * plane for each channel), and the level of each block of 4 x 4 pixels. It is loaded from and
 * stored to global memory here. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_IMAGE_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_IMAGE_CUH

#include "kernels/cuda/barrier.cuh"
#include "kernels/cuda/copy.cuh"
#include "params.h"
#include "pixel.cuh"

/* The block's state in shared memory. */
struct small_state {
    uint32_t rows[3][FOVEATE_SMALL_BLOCKS]; /* [k][y]: bit x says that block (x, y) takes level k;
                                               read by fours */
    float2 gaze; /* pixels */
    uint64_t made_2; /* mbarrier: a thread arrives when its part of level 2 is made */
    uint32_t next[2]; /* the next task of each phase that has a counter */
    uint32_t far; /* some block takes level 2 */
    uint32_t blur_count; /* tiles of level 1 that are needed */
    uint32_t near_count; /* tiles with blocks of level 0 */
    uint8_t
        /* bit k: tile 8 y + x has blocks of level k */
        levels[FOVEATE_SMALL_TILES * FOVEATE_SMALL_TILES];
    uint8_t near_tiles[FOVEATE_SMALL_NEAR_TILES]; /* tiles with level 0 */
    uint8_t blur_tiles[16]; /* 4 y + x */
};

struct small_memory {
    char *picture;
    int pitch;
    char *level[3]; /* [0]: a tile of finished pixels for each warp, over level 2 and its blur */
    char *blurred[3]; /* transposed: x down, y across; [1] lies over the picture */
    float *corners; /* sigma at corners of blocks, over level 1 */
    uint16_t *light; /* light of bytes as halves, or NULL */
    small_state *state;
};

static __device__ inline small_memory small_layout(char *shared, const foveate_small &small,
                                                   int channels, bool light)
{
    small_memory m;
    m.picture = shared;
    m.pitch = small.shared_pitch;
    m.blurred[1] = shared;
    m.level[1] = shared + foveate_small_picture_bytes(&small, channels);
    m.level[2] = m.level[0] = m.level[1] + channels * FOVEATE_SMALL_LEVEL_1_BYTES;
    m.blurred[2] = m.level[2] + channels * FOVEATE_SMALL_LEVEL_2_BYTES;
    m.corners = (float *)m.level[1];
    uint16_t *table = (uint16_t *)(m.blurred[2] + channels * FOVEATE_SMALL_LEVEL_2_BYTES);
    m.light = light ? table : nullptr;
    m.state = (small_state *)(table + 256);
    return m;
}

/* ---- Samples: eight to a unit of 16 bytes; the units of a row are permuted by the row so that
 * eight rows lie in different banks */

template <int LEVEL> static __device__ __forceinline__ int sample_at(int channel, int x, int y)
{
    if constexpr (LEVEL == 1) {
        return channel * FOVEATE_SMALL_LEVEL_1_BYTES + y * 128 + (((x >> 3) ^ (y & 7)) << 4) +
               (x & 7) * 2;
    } else {
        return channel * FOVEATE_SMALL_LEVEL_2_BYTES + y * 64 + (((x >> 3) ^ (y >> 1 & 3)) << 4) +
               (x & 7) * 2;
    }
}

/* ---- Four pixels of the picture from (4 n, y) on */

template <int BYTES>
static __device__ __forceinline__ void small_load_four(const char *row, int x,
                                                       uint32_t (&words)[BYTES])
{
    const uint32_t *from = (const uint32_t *)(row + x * BYTES);
    if constexpr (BYTES == 4) {
        const uint4 all = *(const uint4 *)from;
        words[0] = all.x;
        words[1] = all.y;
        words[2] = all.z;
        words[3] = all.w;
    } else {
#pragma unroll
        for (int w = 0; w < BYTES; w++) {
            words[w] = from[w];
        }
    }
}

/* ---- Global memory */

/* This block's picture in global memory. Plain means rows without gaps at multiples of 16 bytes;
 * spread, pixels of three bytes each in a word, four of them in 16 bytes. Addresses of 64 bits cost
 * more than the work there, unless the picture is known to be either. */
struct small_view {
    uint64_t data;
    int64_t row_bytes, pixel_bytes;
    bool plain;
    bool spread;

    __device__ __forceinline__ char *at(int x, int y) const
    {
        return (char *)(data + y * row_bytes + x * pixel_bytes);
    }
    /* Returns byte x of row y of a plain or spread picture. */
    __device__ __forceinline__ char *plain_at(int x, int y) const
    {
        return (char *)(ptx_mad_wide(y, (int)row_bytes, data) + x);
    }
};

/* Views are made anew at each use: kept while others blur, they would take too many registers. */
static __device__ __forceinline__ small_view small_view_of(const image_linear &image,
                                                           const foveate_frame &frame,
                                                           int64_t next_bytes,
                                                           enum foveate_small_way way)
{
    const int picture = (int)ptx_block_z();
    return {image.data + picture * next_bytes + frame.origin_y_px * image.row_stride_bytes +
                frame.origin_x_px * image.pixel_stride_bytes,
            image.row_stride_bytes, image.pixel_stride_bytes, way == FOVEATE_SMALL_PLAIN,
            way == FOVEATE_SMALL_SPREAD};
}

static __device__ __forceinline__ small_view small_src(const foveate_small_linear_params &params)
{
    return small_view_of(params.src, params.frame, params.batch.src_next_bytes, params.src_way);
}

static __device__ __forceinline__ small_view small_dst(const foveate_small_linear_params &params)
{
    return small_view_of(params.dst, params.frame, params.batch.dst_next_bytes, params.dst_way);
}

/* Loads four pixels of three bytes. What is between the last pixel of the picture's memory and the
 * end of its word may be anybody's, and is not read. */
static __device__ __forceinline__ uint4 small_load_spread(const char *far, bool last)
{
    const uint32_t *words = (const uint32_t *)far;
    if (!last) {
        return *(const uint4 *)words;
    }
    const uint32_t end =
        (uint8_t)far[12] | (uint32_t)(uint8_t)far[13] << 8 | (uint32_t)(uint8_t)far[14] << 16;
    return make_uint4(words[0], words[1], words[2], end);
}

/* A warp loads a row, a lane four pixels of it, and closes their gaps. */
static __device__ __forceinline__ void small_load_rows_of_spread(const small_memory &m,
                                                                 const small_view &view, int width,
                                                                 int height)
{
    const int x = 4 * (int)(threadIdx.x % 32);
    const int last_row = view.row_bytes < 0 ? 0 : height - 1;
    if (x >= width) {
        return;
    }
#pragma unroll 4
    for (int y = (int)(threadIdx.x / 32); y < height; y += FOVEATE_SMALL_THREADS / 32) {
        const bool last = y == last_row && x + 4 == width;
        const uint4 far = small_load_spread(view.plain_at(4 * x, y), last);
        uint32_t *near = (uint32_t *)(m.picture + y * m.pitch + 3 * x);
        near[0] = __byte_perm(far.x, far.y, 0x4210);
        near[1] = __byte_perm(far.y, far.z, 0x5421);
        near[2] = __byte_perm(far.z, far.w, 0x6542);
    }
}

/* Loads the picture into shared memory, repeating the last pixel up to a multiple of four. Copies
 * of plain ones arrive later. */
static __device__ inline void small_begin_load(const small_memory &m, const small_view &view,
                                               int width, int height, int bytes)
{
    if (view.plain) {
        const int sixteens = width * bytes / 16;
        const int first = (int)(threadIdx.x % 8); /* eight lanes for a row */
        const int most = FOVEATE_SMALL_MOST_PX * 4 / 16 / 8;
        for (int y = (int)(threadIdx.x / 8); y < height; y += FOVEATE_SMALL_THREADS / 8) {
            const char *far = view.plain_at(16 * first, y);
            char *near = m.picture + y * m.pitch + 16 * first;
#pragma unroll
            for (int i = 0; i < most; i++) {
                if (first + 8 * i < sixteens) {
                    copy_begin(near + 128 * i, far + 128 * i);
                }
            }
        }
        return;
    }
    if (bytes == 3 && view.spread) {
        small_load_rows_of_spread(m, view, width, height);
        return;
    }
    const int columns = (width + 3) / 4 * 4;
    for (int i = (int)threadIdx.x; i < columns * height; i += FOVEATE_SMALL_THREADS) {
        const int y = i / columns;
        const int x = i - y * columns;
        const char *far = view.at(min(x, width - 1), y);
        char *near = m.picture + y * m.pitch + x * bytes;
        for (int b = 0; b < bytes; b++) {
            near[b] = far[b];
        }
    }
}

/* Stores it back. */
static __device__ inline void small_store(const small_memory &m, const small_view &view, int width,
                                          int height, int bytes)
{
    if (view.plain) {
        const int sixteens = width * bytes / 16;
        const int first = (int)(threadIdx.x % 8);
        const int most = FOVEATE_SMALL_MOST_PX * 4 / 16 / 8;
        for (int y = (int)(threadIdx.x / 8); y < height; y += FOVEATE_SMALL_THREADS / 8) {
            uint4 *far = (uint4 *)view.plain_at(16 * first, y);
            const uint4 *near = (const uint4 *)(m.picture + y * m.pitch) + first;
#pragma unroll
            for (int i = 0; i < most; i++) {
                if (first + 8 * i < sixteens) {
                    far[8 * i] = near[8 * i];
                }
            }
        }
        return;
    }
    for (int i = (int)threadIdx.x; i < width * height; i += FOVEATE_SMALL_THREADS) {
        const int y = i / width;
        const int x = i - y * width;
        char *far = view.at(x, y);
        const char *near = m.picture + y * m.pitch + x * bytes;
        for (int b = 0; b < bytes; b++) {
            far[b] = near[b];
        }
    }
}

/* Loads four pixels from (4 n, y) on; beside the picture they are 0. */
template <int BYTES>
static __device__ __forceinline__ void small_read_four(const small_view &view, int x, int y,
                                                       int width, uint32_t (&words)[BYTES])
{
    if (view.plain) {
        small_load_four<BYTES>(view.plain_at(x * BYTES, y), 0, words);
        return;
    }
#pragma unroll
    for (int i = 0; i < 4 * BYTES; i++) {
        const bool there = x + i / BYTES < width;
        const uint32_t byte = there ? (uint8_t)view.at(x + i / BYTES, y)[i % BYTES] : 0u;
        words[i / 4] = i % 4 ? words[i / 4] | byte << i % 4 * 8 : byte;
    }
}

/* Stores those of four pixels that are in the picture. */
template <int BYTES>
static __device__ __forceinline__ void small_write_four(const small_view &view, int x, int y,
                                                        int width, const uint32_t (&words)[BYTES])
{
    if (view.plain) {
        uint32_t *to = (uint32_t *)view.plain_at(x * BYTES, y);
        if constexpr (BYTES == 4) {
            *(uint4 *)to = make_uint4(words[0], words[1], words[2], words[3]);
        } else {
#pragma unroll
            for (int w = 0; w < BYTES; w++) {
                to[w] = words[w];
            }
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < 4 * BYTES; i++) {
        if (x + i / BYTES < width) {
            view.at(x + i / BYTES, y)[i % BYTES] = (char)(words[i / 4] >> i % 4 * 8);
        }
    }
}

/* Stores sixteen pixels of three bytes from x on; each of four neighbouring lanes has four, and
 * three of them write. All lanes must call it. */
static __device__ __forceinline__ void small_write_sixteen(const small_view &view, int x, int y,
                                                           bool there, const uint32_t (&words)[3])
{
    const int t = (int)(threadIdx.x % 4);
    uint32_t of[6] = {words[0], words[1], words[2]};
#pragma unroll
    for (int i = 0; i < 3; i++) {
        of[3 + i] = __shfl_down_sync(~0u, words[i], 1, 4);
    }
    uint32_t four[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        four[i] = t == 0 ? of[i] : t == 1 ? of[i + 1] : of[i + 2 < 6 ? i + 2 : 5];
    }
    if (there && t < 3) {
        *(uint4 *)view.plain_at(x * 3 + 16 * t, y) = make_uint4(four[0], four[1], four[2], four[3]);
    }
}

#endif
