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

/* Of a warp's lanes up to each. */
static __device__ __forceinline__ int tile_sum_to(int lane, int value)
{
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        const int before = __shfl_up_sync(~0u, value, by);
        value += lane >= by ? before : 0;
    }
    return value;
}

/* After all have said what they want. */
static __device__ __forceinline__ void tile_order(int thread, tile_slots &slots)
{
    __syncthreads();
    if (thread < LIGHTFIELD_TILE_SLOTS) {
        const int count = tile_chunks_of(slots, thread);
        const int end = tile_sum_to(thread, count);
        const int first = slots.low[thread] / LIGHTFIELD_TILE_CHUNK;
        for (int i = 0; i < count; i++) {
            slots.chunk_x[end - count + i] = (unsigned short)((first + i) * LIGHTFIELD_TILE_CHUNK);
        }
        slots.start[thread] = (end - count - first) * LIGHTFIELD_TILE_CHUNK;
        if (thread == LIGHTFIELD_TILE_SLOTS - 1) {
            slots.chunks = end;
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

/* Rows of the raw picture from `first` on. A thread has chunks of some columns; of several threads
 * of a column each has some rows. */
template <typename Raw, int THREADS>
static __device__ __forceinline__ void tile_copy(const lightfield_cuda_raw &raw,
                                                 const tile_slots &slots, int first, int rows,
                                                 typename Raw::texel *tile)
{
    const int groups = THREADS / LIGHTFIELD_TILE_COLUMNS;
    const int chunks = slots.chunks;
    const int group = groups > 1 ? (int)threadIdx.y : 0;
    const int64_t stride = groups * raw.row_stride_bytes;
    const char *begin = (const char *)raw.data + (first + group) * raw.row_stride_bytes;
    for (int chunk = (int)threadIdx.x; chunk < chunks; chunk += LIGHTFIELD_TILE_COLUMNS) {
        const char *from = begin + slots.chunk_x[chunk] * Raw::bytes;
        typename Raw::texel *to = tile + (group * chunks + chunk) * LIGHTFIELD_TILE_CHUNK;
#pragma unroll 4
        for (int row = group; row < rows; row += groups) {
            Raw::copy(from, to);
            from += stride;
            to += groups * chunks * LIGHTFIELD_TILE_CHUNK;
        }
    }
    tile_wait();
}

/* ---- Rows of the picture with the same nearest row of lenses */

/* The first row of the picture whose lenses are these or later ones. */
static __device__ int tile_first_row(const lightfield_cuda_array &array, int height_px,
                                     int array_row)
{
    int y = (int)((int64_t)array_row * height_px / array.rows);
    while (y > 0 && place_nearest(place_at(y - 1, height_px, array.rows)) >= array_row) {
        y--;
    }
    while (y < height_px && place_nearest(place_at(y, height_px, array.rows)) < array_row) {
        y++;
    }
    return y;
}

struct tile_rows {
    int first, count;
};

/* Part blockIdx.y of all parts of all rows of lenses. `ends` is shared memory. */
static __device__ __forceinline__ tile_rows tile_rows_of_block(const lightfield_cuda_array &array,
                                                               int height_px, int parts, int thread,
                                                               int ends[2])
{
    if (thread < 2) {
        ends[thread] = tile_first_row(array, height_px, (int)blockIdx.y / parts + thread);
    }
    __syncthreads();
    const int each = (ends[1] - ends[0] + parts - 1) / parts;
    const int own = ends[0] + ((int)blockIdx.y % parts) * each;
    return {own, max(min(each, ends[1] - own), 0)};
}

#endif
