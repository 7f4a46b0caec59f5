/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The plain first kernel: it makes levels 1 and 2 where tiles need them, and the list of tiles
 * (kernels.cuh draws its block). Rows are filtered down in registers, twelve pixels to four sums,
 * then across in shared memory; level 2 is made from level 1 in the same way. The picture is read
 * once and level 0 is never stored. The kernel is bound by reading the picture, and at small sizes
 * by latency. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_LEVELS_CUH
#define FOVEA_KERNELS_GAUSS_CUDA_TILES_COMMON_LEVELS_CUH

#include "classify.cuh"
#include "kernels/gauss/cuda/common/vectors.cuh"
#include "sample.cuh"
#include "sigma.cuh"

/* Sides of level 1 and of the picture, with the samples around that the next level's taps reach. */
#define TILE_MADE_1 (2 * GAUSS_TILE_MADE + 4)
#define TILE_READ_ROWS (2 * TILE_MADE_1 + 4)
#define TILE_READ_COLUMNS 80 /* 2 TILE_MADE_1 + 4, rounded up to a multiple of 16 */
/* A thread filters two columns of pixels down to so many rows of level 1. */
#define TILE_DOWN_ROWS 4
#define TILE_DOWN_TAPS (2 * TILE_DOWN_ROWS + 4)

struct tile_maker_memory {
    union {
        uint2 down[TILE_MADE_1]
                  [TILE_READ_COLUMNS]; /* the picture, filtered down to level 1's rows */
        /* level 1, filtered down to level 2's rows */
        uint2 down_2[GAUSS_TILE_MADE][TILE_MADE_1];
    };
    uint2 level_1[TILE_MADE_1][TILE_MADE_1 + 2];
    tile_needs needs;
};

/* ---- [1 5 10 10 5 1]/32 */

template <typename Sample>
static __device__ __forceinline__ Sample six_taps(const Sample &a, const Sample &b, const Sample &c,
                                                  const Sample &d, const Sample &e, const Sample &f)
{
    typedef tile_kind<Sample> kind;
    const typename kind::weight outer = kind::weight_of(1.0f / 32);
    const typename kind::weight inner = kind::weight_of(5.0f / 32);
    return add_scaled(add_scaled(outer * (a + f), inner, b + e), kind::weight_of(10.0f / 32),
                      c + d);
}

/* Filters six neighbours along a row. The first has an even index, so that two are read at a
 * time. */
template <typename Sample> static __device__ __forceinline__ Sample six_along(const uint2 *row)
{
    typedef tile_kind<Sample> kind;
    const uint4 *pairs = (const uint4 *)row;
    const uint4 a = pairs[0];
    const uint4 b = pairs[1];
    const uint4 c = pairs[2];
    return six_taps(kind::of_bits(a.x, a.y), kind::of_bits(a.z, a.w), kind::of_bits(b.x, b.y),
                    kind::of_bits(b.z, b.w), kind::of_bits(c.x, c.y), kind::of_bits(c.z, c.w));
}

/* ---- The picture */

/* Reads two columns of pixels from (x, y) down. `runs` means has_runs, and that they lie in the
 * picture. */
template <typename Image>
static __device__ __forceinline__ void read_columns(
    const clamped_image<Image> &clamped, bool runs, int x, int y,
    tile_words<typename Image::word, 2> (&words)[TILE_DOWN_TAPS])
{
    if (runs) {
#pragma unroll
        for (int i = 0; i < TILE_DOWN_TAPS; i++) {
            words[i] = read_run<typename Image::word, 2>(run_at(clamped.image, x, y + i));
        }
    } else if (is_plain(clamped.image)) {
#pragma unroll
        for (int i = 0; i < TILE_DOWN_TAPS; i++) {
            words[i].of[0] = clamped.load_plainly(x, y + i);
            words[i].of[1] = clamped.load_plainly(x + 1, y + i);
        }
    } else {
#pragma unroll 1
        for (int row = 0; row < TILE_DOWN_TAPS; row++) {
            const tile_words<typename Image::word, 2> two = {
                {clamped.load(x, y + row), clamped.load(x + 1, y + row)}};
#pragma unroll
            for (int i = 0; i < TILE_DOWN_TAPS; i++) {
                words[i] = i == row ? two : words[i];
            }
        }
    }
}

/* Filters two columns down to rows of level 1. */
template <enum fovea_format FORMAT, bool LIGHT>
static __device__ __forceinline__ void filter_columns_down(
    const tile_words<typename pixel<FORMAT>::word, 2> (&words)[TILE_DOWN_TAPS],
    tile_maker_memory &memory, int row, int column)
{
    typedef typename tile_pixel<FORMAT>::sample Sample;
    const tile_decoder<FORMAT> decode(LIGHT, nullptr);
    Sample a[TILE_DOWN_TAPS];
    Sample b[TILE_DOWN_TAPS];
#pragma unroll
    for (int k = 0; k < TILE_DOWN_TAPS; k++) {
        if constexpr (LIGHT) {
            decode.light_of_two(words[k].of[0], words[k].of[1], a[k], b[k]);
        } else {
            a[k] = decode(words[k].of[0]);
            b[k] = decode(words[k].of[1]);
        }
    }
#pragma unroll
    for (int k = 0; k < 2 * TILE_DOWN_ROWS; k += 2) {
        const Sample u = six_taps(a[k], a[k + 1], a[k + 2], a[k + 3], a[k + 4], a[k + 5]);
        const Sample v = six_taps(b[k], b[k + 1], b[k + 2], b[k + 3], b[k + 4], b[k + 5]);
        *(uint4 *)&memory.down[row + k / 2][column] = bits_of(u, v);
    }
}

/* Returns the AND of the words, of which opaque pixels have all alpha bits; floats return nothing
 * useful. */
template <enum fovea_format FORMAT, typename Word>
static __device__ __forceinline__ uint32_t
and_of(const tile_words<Word, 2> (&words)[TILE_DOWN_TAPS])
{
    uint32_t all = ~0u;
    if constexpr (pixel<FORMAT>::white > 0) {
#pragma unroll
        for (int k = 0; k < TILE_DOWN_TAPS; k++) {
            all &= words[k].of[0] & words[k].of[1];
        }
    }
    return all;
}

template <enum fovea_format FORMAT> static __device__ __forceinline__ bool are_opaque(uint32_t all)
{
    if constexpr (pixel<FORMAT>::white > 0) {
        return all >= tile_pixel<FORMAT>::opaque;
    } else {
        return false;
    }
}

/* Filters the picture from (x0, y0) on down into memory.down. Returns the AND of all words that
 * this thread has read. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ uint32_t filter_picture_down(const gauss_frame &frame,
                                                               const Image &image,
                                                               tile_maker_memory &memory, int x0,
                                                               int y0)
{
    const clamped_image<Image> clamped = {image, frame.width_px - 1, frame.height_px - 1};
    const bool inside = x0 >= 0 && y0 >= 0 && x0 + TILE_READ_COLUMNS <= frame.width_px &&
                        y0 + TILE_READ_ROWS <= frame.height_px;
    const bool runs = inside && has_runs(image, 2);
    const int pairs = TILE_READ_COLUMNS / 2;
    uint32_t all = ~0u;
    for (int i = (int)threadIdx.x; i < pairs * (TILE_MADE_1 / TILE_DOWN_ROWS);
         i += GAUSS_TILE_WORKERS) {
        const int row = i / pairs * TILE_DOWN_ROWS;
        const int column = i % pairs * 2;
        tile_words<typename Image::word, 2> words[TILE_DOWN_TAPS] = {};
        read_columns(clamped, runs, x0 + column, y0 + 2 * row, words);
        all &= and_of<FORMAT>(words);
        if constexpr (pixel<FORMAT>::white > 0) {
            if (frame.light) {
                filter_columns_down<FORMAT, true>(words, memory, row, column);
                continue;
            }
        }
        filter_columns_down<FORMAT, false>(words, memory, row, column);
    }
    return all;
}

/* ---- Level 1 */

template <typename Sample>
static __device__ __forceinline__ void filter_level_1_across(tile_maker_memory &memory)
{
    for (int i = (int)threadIdx.x; i < TILE_MADE_1 * TILE_MADE_1; i += GAUSS_TILE_WORKERS) {
        const int row = i / TILE_MADE_1;
        const int column = i % TILE_MADE_1;
        memory.level_1[row][column] = bits_of(six_along<Sample>(&memory.down[row][2 * column]));
    }
}

/* Returns the place of sample (x, y) of a level in global memory. */
static __device__ __forceinline__ uint2 *sample_at(const gauss_tiles &tiles,
                                                   const gauss_level &level, int x, int y)
{
    return (uint2 *)tiles.samples + blockIdx.z * tiles.next_samples + level.first +
           (y + GAUSS_MARGIN) * level.pitch + x + GAUSS_MARGIN;
}

static __device__ __forceinline__ bool has_sample(const gauss_level &level, int x, int y)
{
    return x >= -GAUSS_MARGIN && y >= -GAUSS_MARGIN && x < level.width + GAUSS_MARGIN &&
           y < level.height + GAUSS_MARGIN;
}

/* Writes level 1 without the two samples around it. */
static __device__ __forceinline__ void write_level_1(const gauss_tiles &tiles,
                                                     const tile_maker_memory &memory, int x0,
                                                     int y0)
{
    const gauss_level &level = tiles.levels[1];
    const int side = 2 * GAUSS_TILE_MADE;
    for (int i = (int)threadIdx.x; i < side * side; i += GAUSS_TILE_WORKERS) {
        const int row = i / side;
        const int column = i % side;
        if (has_sample(level, x0 + column, y0 + row)) {
            *sample_at(tiles, level, x0 + column, y0 + row) = memory.level_1[row + 2][column + 2];
        }
    }
}

/* ---- Level 2 */

template <typename Sample>
static __device__ __forceinline__ void filter_level_1_down(tile_maker_memory &memory)
{
    const int pairs = TILE_MADE_1 / 2;
    for (int i = (int)threadIdx.x; i < GAUSS_TILE_MADE * pairs; i += GAUSS_TILE_WORKERS) {
        const int row = i / pairs;
        const int column = i % pairs * 2;
        Sample a[6];
        Sample b[6];
#pragma unroll
        for (int k = 0; k < 6; k++) {
            const uint4 two = *(const uint4 *)&memory.level_1[2 * row + k][column];
            a[k] = tile_kind<Sample>::of_bits(two.x, two.y);
            b[k] = tile_kind<Sample>::of_bits(two.z, two.w);
        }
        const Sample u = six_taps(a[0], a[1], a[2], a[3], a[4], a[5]);
        const Sample v = six_taps(b[0], b[1], b[2], b[3], b[4], b[5]);
        *(uint4 *)&memory.down_2[row][column] = bits_of(u, v);
    }
}

template <typename Sample>
static __device__ __forceinline__ void write_level_2(const gauss_tiles &tiles,
                                                     const tile_maker_memory &memory, int x0,
                                                     int y0)
{
    const gauss_level &level = tiles.levels[2];
    const int side = GAUSS_TILE_MADE;
    for (int i = (int)threadIdx.x; i < side * side; i += GAUSS_TILE_WORKERS) {
        const int row = i / side;
        const int column = i % side;
        if (has_sample(level, x0 + column, y0 + row)) {
            *sample_at(tiles, level, x0 + column, y0 + row) =
                bits_of(six_along<Sample>(&memory.down_2[row][2 * column]));
        }
    }
}

/* ---- A block */

/* Returns the block's flag, which says that all pixels it has read are opaque: tiles then need not
 * read their alpha. */
static __device__ __forceinline__ uint8_t *opaque_flag(const gauss_tiles &tiles, int x, int y)
{
    const int64_t image = tiles.next_samples == 0 ? 0 : blockIdx.z;
    return (uint8_t *)(tiles.state + image * tiles.state_bytes + tiles.flags_bytes) +
           y * tiles.made_columns + x;
}

/* After the classifier warp has listed its tile, it only takes part in barriers. */
template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_levels(const gauss_frame &frame,
                                                   const gauss_tiles &tiles, const Image &src)
{
    typedef typename tile_pixel<FORMAT>::sample Sample;
    __shared__ __align__(16) tile_maker_memory memory;
    const int x0 = (int)blockIdx.x * GAUSS_TILE_MADE - GAUSS_MARGIN;
    const int y0 = (int)blockIdx.y * GAUSS_TILE_MADE - GAUSS_MARGIN;
    const bool works = threadIdx.x < GAUSS_TILE_WORKERS;
    const tile_law law(tiles, frame);
    tile_classified found;
    const tile_index tile(tiles.grid);
    if (!works) {
        found = classify_around(law, tile);
        memory.needs = found.needs;
    }
    __syncthreads();
    if (!works) {
        list_tile(law, frame, found.tile, tile);
    }
    if (!memory.needs.level_1 && !memory.needs.level_2) {
        return;
    }
    uint32_t all = ~0u;
    if (works) {
        all = filter_picture_down<FORMAT>(frame, src, memory, 4 * x0 - 6, 4 * y0 - 6);
    }
    const int opaque = __syncthreads_and(are_opaque<FORMAT>(all));
    if (works) {
        filter_level_1_across<Sample>(memory);
    } else if (threadIdx.x == GAUSS_TILE_WORKERS) {
        *opaque_flag(tiles, (int)blockIdx.x, (int)blockIdx.y) = (uint8_t)opaque;
    }
    __syncthreads();
    if (works && memory.needs.level_1) {
        write_level_1(tiles, memory, 2 * x0, 2 * y0);
    }
    if (!memory.needs.level_2) {
        return;
    }
    if (works) {
        filter_level_1_down<Sample>(memory);
    }
    __syncthreads();
    if (works) {
        write_level_2<Sample>(tiles, memory, x0, y0);
    }
}

#endif
