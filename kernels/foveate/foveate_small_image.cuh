/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The shared memory of a block: the picture as it is stored, which becomes the result; levels 1 and 2 and what
 * is blurred of them, a plane a channel; what each 4 x 4 pixels are made from. And the way between the
 * picture and global memory. */
#ifndef FOVEA_KERNELS_FOVEATE_SMALL_IMAGE_CUH
#define FOVEA_KERNELS_FOVEATE_SMALL_IMAGE_CUH

#include "foveate_small_params.h"
#include "foveate_small_pixel.cuh"

/* Of this block, in shared memory. */
struct small_state {
    int32_t next; /* tasks that warps take */
    int32_t left, right, top, bottom; /* of the blocks of level 0 */
    uint32_t level_1[4]; /* bit x of [y]: tiles of level 1 that are needed */
    uint32_t far; /* some block is of level 2 */
    uint32_t tiles[64]; /* [8 y + x]: levels of the blocks of 16 x 16 pixels, bit k for level k */
};

struct small_memory {
    char *picture;
    int pitch;
    char *level[3]; /* [0]: finished pixels of level 0, over level 1 */
    char *blurred[3];
    float *corners; /* sigma at corners of blocks, over blurred[1] */
    uint8_t *blocks; /* the level of each */
    uint16_t *light; /* halves of bytes, or NULL */
    small_state *state;
};

static __device__ inline small_memory small_layout(char *shared, const foveate_small &small,
                                                   int channels, bool light)
{
    small_memory m;
    m.picture = shared;
    m.pitch = small.shared_pitch;
    m.level[1] = m.level[0] = shared + foveate_small_picture_bytes(&small);
    m.blurred[1] = m.level[1] + channels * FOVEATE_SMALL_LEVEL_1_BYTES;
    m.level[2] = m.blurred[1] + channels * FOVEATE_SMALL_LEVEL_1_BYTES;
    m.blurred[2] = m.level[2] + channels * FOVEATE_SMALL_LEVEL_2_BYTES;
    m.corners = (float *)m.blurred[1];
    m.blocks = (uint8_t *)(m.blurred[2] + channels * FOVEATE_SMALL_LEVEL_2_BYTES);
    uint16_t *table = (uint16_t *)(m.blocks + FOVEATE_SMALL_BLOCKS * FOVEATE_SMALL_BLOCKS);
    m.light = light ? table : nullptr;
    m.state = (small_state *)(table + 256);
    return m;
}

/* ---- Samples: eight a piece of 16 bytes, pieces of a row shuffled by the row so that eight rows lie in
 * different banks */

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

/* ---- Four pixels of the picture from (4 n, y) on; columns outside are the outermost ones */

template <int BYTES>
static __device__ inline void small_load_four(const small_memory &m, int width, int x,
                                              const char *row, uint32_t (&words)[BYTES])
{
    if (x >= 0 && x + 4 <= width) {
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
        return;
    }
#pragma unroll
    for (int w = 0; w < BYTES; w++) {
        words[w] = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int pixel = min(max(x + (4 * w + i) / BYTES, 0), width - 1);
            words[w] |= (uint32_t)(uint8_t)row[pixel * BYTES + (4 * w + i) % BYTES] << 8 * i;
        }
    }
}

template <int BYTES>
static __device__ __forceinline__ void small_store_four(char *row, int x,
                                                        const uint32_t (&words)[BYTES])
{
    uint32_t *to = (uint32_t *)(row + x * BYTES);
    if constexpr (BYTES == 4) {
        *(uint4 *)to = make_uint4(words[0], words[1], words[2], words[3]);
    } else {
#pragma unroll
        for (int w = 0; w < BYTES; w++) {
            to[w] = words[w];
        }
    }
}

/* ---- Global memory */

/* Pixels side by side, rows of whole and aligned sixteens. */
static __device__ inline bool small_is_plain(const foveate_cuda_linear &view, int width, int bytes)
{
    return view.pixel_stride_bytes == bytes && width * bytes % 16 == 0 && view.data % 16 == 0 &&
           view.row_stride_bytes % 16 == 0;
}

template <bool LOAD>
static __device__ inline void small_move(const small_memory &m, const foveate_cuda_linear &view,
                                         int width, int height, int bytes)
{
    const int thread = (int)threadIdx.x;
    if (small_is_plain(view, width, bytes)) {
        const int sixteens = width * bytes / 16;
        const int rows = FOVEATE_SMALL_THREADS / 8;
        /* eight lanes a row */
        for (int y = thread / 8; y < height; y += rows) {
            uint4 *far = (uint4 *)(view.data + y * view.row_stride_bytes);
            uint4 *near = (uint4 *)(m.picture + y * m.pitch);
#pragma unroll 4
            for (int i = thread % 8; i < sixteens; i += 8) {
                if (LOAD) {
                    near[i] = far[i];
                } else {
                    far[i] = near[i];
                }
            }
        }
        return;
    }
    for (int i = thread; i < width * height; i += FOVEATE_SMALL_THREADS) {
        const int y = i / width;
        const int x = i - y * width;
        char *far = (char *)(view.data + y * view.row_stride_bytes + x * view.pixel_stride_bytes);
        char *near = m.picture + y * m.pitch + x * bytes;
        for (int b = 0; b < bytes; b++) {
            if (LOAD) {
                near[b] = far[b];
            } else {
                far[b] = near[b];
            }
        }
    }
}

#endif
