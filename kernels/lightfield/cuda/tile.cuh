/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Raw pixels of bytes in shared memory: which a block's pixels need, and how they come there. */
#pragma once

#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/ptx.cuh"
#include "sample.cuh"
#include "tile.h"

/* The raw pixels of a row that are read: of each lens from the first to the last that any pixel of
 * the block needs, in whole chunks, one behind the other. */
struct tile_slots {
    int base; /* lens of the first one */
    int low[LIGHTFIELD_TILE_SLOTS];
    int high[LIGHTFIELD_TILE_SLOTS];
    int start[LIGHTFIELD_TILE_SLOTS]; /* where pixel 0 of the row would be */
    int chunks; /* of all */
    unsigned short chunk_x[LIGHTFIELD_TILE_CHUNKS]; /* the first pixel of each */
};

/* base: that of the first thread. A barrier follows. */
DEVICE void tile_clear(int thread, int base, tile_slots &slots)
{
    if (thread < LIGHTFIELD_TILE_SLOTS) {
        slots.low[thread] = INT32_MAX;
        slots.high[thread] = -1;
    }
    if (thread == 0) {
        slots.base = base;
    }
}

DEVICE void tile_want(tile_slots &slots, int lens, int first, int last)
{
    atomicMin(&slots.low[lens - slots.base], first);
    atomicMax(&slots.high[lens - slots.base], last);
}

/* Sums up a warp's lanes up to each. */
DEVICE int tile_sum_to(int lane, int value)
{
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
        const int before = __shfl_up_sync(~0u, value, by);
        value += lane >= by ? before : 0;
    }
    return value;
}

/* A warp does it, after all have said what they want. */
DEVICE void tile_order(int slot, tile_slots &slots)
{
    const int first = slots.low[slot] / LIGHTFIELD_TILE_CHUNK;
    const int count =
        slots.high[slot] < 0 ? 0 : slots.high[slot] / LIGHTFIELD_TILE_CHUNK - first + 1;
    const int end = tile_sum_to(slot, count);
    for (int i = 0; i < count; i++) {
        slots.chunk_x[end - count + i] = (unsigned short)((first + i) * LIGHTFIELD_TILE_CHUNK);
    }
    slots.start[slot] = (end - count - first) * LIGHTFIELD_TILE_CHUNK;
    if (slot == LIGHTFIELD_TILE_SLOTS - 1) {
        slots.chunks = end;
    }
}

/* ---- Formats: how a chunk comes into registers and into shared memory, and as what. Texels have
 * no alpha. Each byte of a chunk has a sum, and each of its four pixels `sum_of` them. */

/* Copies wait in no register where the device can do that, and all of a thread are on their way at
 * once. */
DEVICE void tile_copy_chunk(uint4 *to, const uint4 *from)
{
#if __CUDA_ARCH__ >= 800
    copy_begin(to, from);
#else
    *to = __ldg(from);
#endif
}

DEVICE void tile_copy_chunk(uint32_t *to, const uint32_t *from)
{
#if __CUDA_ARCH__ >= 800
    copy_word_begin(to, from);
#else
    *to = __ldg(from);
#endif
}

struct tile_rgba8 {
    typedef uint32_t texel;
    static const int bytes = 4;
    DEVICE uint32_t texel_at(uint32_t address)
    {
        return ptx_load_shared(address) & 0xffffffu; /* copies keep alpha */
    }
    static constexpr float colors = 1.0f; /* that a difference of texels counts for */
    static const int words = 4; /* of a chunk */
    DEVICE color3 color_of(color3 sum)
    {
        return sum;
    }
    typedef float4 sum;
    static const int beside = LIGHTFIELD_TILE_BESIDE;
    DEVICE uint32_t pixel(const char *at)
    {
        return __ldg((const uint32_t *)at);
    }
    DEVICE void load(const char *from, uint32_t *to)
    {
        const uint4 four = __ldg((const uint4 *)from);
        to[0] = four.x;
        to[1] = four.y;
        to[2] = four.z;
        to[3] = four.w;
    }
    DEVICE float4 sum_of(const uint32_t *bytes, int texel)
    {
        return make_float4((float)bytes[4 * texel], (float)bytes[4 * texel + 1],
                           (float)bytes[4 * texel + 2], 0.0f);
    }
    DEVICE void copy(const char *from, texel *to)
    {
        tile_copy_chunk((uint4 *)to, (const uint4 *)from);
    }
};

struct tile_rgb8 {
    typedef uint32_t texel;
    static const int bytes = 3;
    DEVICE uint32_t texel_at(uint32_t address)
    {
        return ptx_load_shared(address);
    }
    static constexpr float colors = 1.0f;
    static const int words = 3;
    DEVICE color3 color_of(color3 sum)
    {
        return sum;
    }
    typedef float4 sum;
    static const int beside = LIGHTFIELD_TILE_BESIDE;
    DEVICE uint32_t pixel(const char *at)
    {
        const unsigned char *from = (const unsigned char *)at;
        return __ldg(from) | __ldg(from + 1) << 8 | __ldg(from + 2) << 16;
    }
    DEVICE void load(const char *from, uint32_t *to)
    {
        to[0] = __ldg((const uint32_t *)from);
        to[1] = __ldg((const uint32_t *)from + 1);
        to[2] = __ldg((const uint32_t *)from + 2);
    }
    DEVICE float4 sum_of(const uint32_t *bytes, int texel)
    {
        return make_float4((float)bytes[3 * texel], (float)bytes[3 * texel + 1],
                           (float)bytes[3 * texel + 2], 0.0f);
    }
    DEVICE void copy(const char *from, texel *to)
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
    DEVICE uint32_t texel_at(uint32_t address)
    {
        return ptx_load_shared_byte(address);
    }
    static const int words = 1;
    DEVICE color3 color_of(color3 sum)
    {
        return {sum.r, sum.r, sum.r};
    }
    typedef float sum;
    static const int beside = LIGHTFIELD_TILE_BESIDE_GRAY;
    DEVICE uint32_t pixel(const char *at)
    {
        return __ldg((const unsigned char *)at);
    }
    DEVICE void load(const char *from, uint32_t *to)
    {
        to[0] = __ldg((const uint32_t *)from);
    }
    DEVICE float sum_of(const uint32_t *bytes, int texel)
    {
        return (float)bytes[texel];
    }
    DEVICE void copy(const char *from, texel *to)
    {
        tile_copy_chunk((uint32_t *)to, (const uint32_t *)from);
    }
};

/* Rows of the raw picture from `first` on. A thread has chunks of some columns; of several threads
 * of a column each has some rows. */
template <typename Raw, int THREADS>
DEVICE void tile_copy(const lightfield_cuda_raw &raw, const tile_slots &slots, int first, int rows,
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
    copy_wait();
    __syncthreads();
}

/* ---- Rows of the picture with the same nearest row of lenses */

/* The first row of the picture whose lenses are these or later ones. */
static __device__ int tile_first_row(const lightfield_cuda_axis &down, int array_row)
{
    if (down.each > 0) {
        return array_row * down.each;
    }
    int y = (int)((int64_t)array_row * down.pixels / down.lenses);
    while (y > 0 && place_nearest(place_at(down, y - 1)) >= array_row) {
        y--;
    }
    while (y < down.pixels && place_nearest(place_at(down, y)) < array_row) {
        y++;
    }
    return y;
}

struct tile_rows {
    int first, count;
};

/* Blocks at a gaze take longest, and those that begin first: rows of blocks go from there to both
 * sides. Returns the block's, of all parts of all rows of lenses. */
DEVICE int tile_part_of_block(const lightfield_tile &tile)
{
    const int turn = (int)blockIdx.y;
    const int behind = (int)gridDim.y - 1 - tile.nearest;
    if (turn <= 2 * min(tile.nearest, behind)) {
        return tile.nearest + (turn % 2 ? (turn + 1) / 2 : -turn / 2);
    }
    return tile.nearest < behind ? turn : (int)gridDim.y - 1 - turn;
}

/* Finds where the rows begin and end that a block has a part of. A barrier follows. */
DEVICE void tile_find_ends(const lightfield_cuda_array &array, int array_row, int thread,
                           int ends[2])
{
    if (thread < 2) {
        ends[thread] = tile_first_row(array.down, array_row + thread);
    }
}

/* A part of all parts of all rows of lenses. */
DEVICE tile_rows tile_rows_of(int part, int parts, const int ends[2])
{
    const int each = (ends[1] - ends[0] + parts - 1) / parts;
    const int own = ends[0] + part % parts * each;
    return {own, max(min(each, ends[1] - own), 0)};
}
