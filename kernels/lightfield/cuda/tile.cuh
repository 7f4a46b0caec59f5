/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Raw pixels of bytes in shared memory: which a block's pixels need, and how they come there. */
#ifndef FOVEA_KERNELS_LIGHTFIELD_CUDA_TILE_CUH
#define FOVEA_KERNELS_LIGHTFIELD_CUDA_TILE_CUH

#include "kernels/cuda/copy.cuh"
#include "sample.cuh"
#include "tile.h"

/* The raw pixels of a row that are copied: of each lens from the first to the last that any pixel
 * of the block needs, in whole chunks, one lens behind the other. */
struct tile_slots {
    int base; /* lens of the first one */
    int low[LIGHTFIELD_TILE_SLOTS], high[LIGHTFIELD_TILE_SLOTS];
    int start[LIGHTFIELD_TILE_SLOTS]; /* where pixel 0 of the raw row would be */
    int chunks; /* of all */
    unsigned short chunk_x[LIGHTFIELD_TILE_CHUNKS]; /* the first pixel of each */
};

static __device__ void tile_clear(int thread, int base, tile_slots &slots)
{
    if (thread < LIGHTFIELD_TILE_SLOTS) {
        slots.low[thread] = INT32_MAX;
        slots.high[thread] = -1;
    }
    if (thread == 0) {
        slots.base = base;
    }
    __syncthreads();
}

static __device__ __forceinline__ void tile_want(tile_slots &slots, int lens, int first, int last)
{
    atomicMin(&slots.low[lens - slots.base], first);
    atomicMax(&slots.high[lens - slots.base], last);
}

static __device__ __forceinline__ int tile_chunks_of(const tile_slots &slots, int slot)
{
    return slots.high[slot] < 0 ? 0
                                : slots.high[slot] / LIGHTFIELD_TILE_CHUNK -
                                      slots.low[slot] / LIGHTFIELD_TILE_CHUNK + 1;
}

/* After all have said what they want. */
static __device__ void tile_order(int thread, tile_slots &slots)
{
    __syncthreads();
    if (thread < LIGHTFIELD_TILE_SLOTS) {
        int before = 0;
        for (int i = 0; i < thread; i++) {
            before += tile_chunks_of(slots, i);
        }
        const int count = tile_chunks_of(slots, thread);
        const int first = slots.low[thread] / LIGHTFIELD_TILE_CHUNK;
        for (int i = 0; i < count; i++) {
            slots.chunk_x[before + i] = (unsigned short)((first + i) * LIGHTFIELD_TILE_CHUNK);
        }
        slots.start[thread] = (before - first) * LIGHTFIELD_TILE_CHUNK;
        if (thread == LIGHTFIELD_TILE_SLOTS - 1) {
            slots.chunks = before + count;
        }
    }
    __syncthreads();
}

/* ---- Formats: how a chunk comes into shared memory, and as what. Copies end with tile_wait. */

static __device__ __forceinline__ void tile_wait()
{
#if __CUDA_ARCH__ >= 800
    copy_wait();
#endif
    __syncthreads();
}

struct tile_rgba8 {
    typedef uint32_t texel;
    static const int bytes = 4;
    static constexpr float colors = 1.0f; /* that a difference of texels counts for */
    static __device__ __forceinline__ void copy(const char *from, texel *to)
    {
#if __CUDA_ARCH__ >= 800
        copy_begin(to, from);
#else
        *(uint4 *)to = __ldg((const uint4 *)from);
#endif
    }
};

/* As words, too, whose last byte is no colour. */
struct tile_rgb8 {
    typedef uint32_t texel;
    static const int bytes = 3;
    static constexpr float colors = 1.0f;
    static __device__ __forceinline__ void copy(const char *from, texel *to)
    {
        const uint32_t *words = (const uint32_t *)from;
        const uint32_t a = __ldg(words);
        const uint32_t b = __ldg(words + 1);
        const uint32_t c = __ldg(words + 2);
        *(uint4 *)to = make_uint4(a & 0xffffffu, __funnelshift_r(a, b, 24) & 0xffffffu,
                                  __funnelshift_r(b, c, 16) & 0xffffffu, c >> 8);
    }
};

struct tile_r8 {
    typedef unsigned char texel;
    static const int bytes = 1;
    static constexpr float colors = 3.0f;
    static __device__ __forceinline__ void copy(const char *from, texel *to)
    {
#if __CUDA_ARCH__ >= 800
        copy_word_begin(to, from);
#else
        *(uint32_t *)to = __ldg((const uint32_t *)from);
#endif
    }
};

/* Rows of the raw picture from `first` on. */
template <typename Raw, int THREADS>
static __device__ __forceinline__ void tile_copy(const lightfield_cuda_raw &raw,
                                                 const tile_slots &slots, int thread, int first,
                                                 int rows, typename Raw::texel *tile)
{
    const int chunks = slots.chunks;
    const int step_rows = THREADS / chunks;
    const int step = THREADS - step_rows * chunks;
    int row = thread / chunks;
    int chunk = thread - row * chunks;
#pragma unroll 4
    while (row < rows) {
        const char *from = (const char *)raw.data + (first + row) * raw.row_stride_bytes +
                           slots.chunk_x[chunk] * Raw::bytes;
        Raw::copy(from, tile + (row * chunks + chunk) * LIGHTFIELD_TILE_CHUNK);
        row += step_rows;
        chunk += step;
        if (chunk >= chunks) {
            chunk -= chunks;
            row++;
        }
    }
    tile_wait();
}

/* ---- Rows of the picture with the same nearest row of lenses */

static __device__ __forceinline__ int tile_lens_row(const lightfield_cuda_array &array,
                                                    const lightfield_cuda_picture &picture, int y)
{
    return place_nearest(place_at(y, picture.height_px, array.rows));
}

/* The first row of the picture whose lenses are these or later ones. */
static __device__ int tile_first_row(const lightfield_cuda_array &array,
                                     const lightfield_cuda_picture &picture, int array_row)
{
    int y = (int)((int64_t)array_row * picture.height_px / array.rows);
    while (y > 0 && tile_lens_row(array, picture, y - 1) >= array_row) {
        y--;
    }
    while (y < picture.height_px && tile_lens_row(array, picture, y) < array_row) {
        y++;
    }
    return y;
}

struct tile_rows {
    int first, count;
};

/* Part blockIdx.y of all parts of all rows of lenses. */
static __device__ tile_rows tile_rows_of_block(const lightfield_cuda_array &array,
                                               const lightfield_cuda_picture &picture, int parts,
                                               int array_row)
{
    const int first = tile_first_row(array, picture, array_row);
    const int end = tile_first_row(array, picture, array_row + 1);
    const int each = (end - first + parts - 1) / parts;
    const int own = first + ((int)blockIdx.y % parts) * each;
    return {own, max(min(each, end - own), 0)};
}

#endif
