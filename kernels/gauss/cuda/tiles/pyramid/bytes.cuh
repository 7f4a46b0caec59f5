/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The first kernel of the tiles for stored RGBA8, sm_80 and later (gauss_tiles_levels.cu draws its
 * block): it makes levels 1 and 2 where tiles need them by matrix products, each straight from the
 * picture.
 *
 * A block copies the pixels under its samples to shared memory at once, before it knows which
 * levels it makes; the classifier warp finds that out meanwhile. Each of the four workers' warps
 * takes a quarter of the columns. It filters along rows by integer products on the bytes as they
 * lie, which is exact and unpacks nothing; the sums, as halves, are the left operand of the product
 * down columns. Workers have one barrier among them, when the pixels are there. The kernel is bound
 * by waiting for the picture. */
#pragma once

#include "block.cuh"
#include "kernels/cuda/mma.cuh"

/* A block reads rows from level 2's first tap on, and columns from two before it, at a multiple of
 * four. Eight lanes that read four pixels each, in two rows, have no bank conflicts. */
#define TILE_BYTES_BEFORE_X 8
#define TILE_BYTES_BEFORE_Y 6
#define TILE_BYTES_FOURS 20 /* groups of four pixels across */
#define TILE_BYTES_READ_ROWS 76
#define TILE_BYTES_ROWS 80 /* with four rows without taps: a multiple of 16 */

struct tile_bytes_memory {
    uint4 window[TILE_BYTES_ROWS][TILE_BYTES_FOURS];
    tile_needs needs;
    uint32_t warps_done; /* bits 0 to 15: warps; from bit 16 on: those that have seen a pixel that
                            is not opaque */
};

/* ---- The window: a thread fills a column of four pixels, in every sixth row */

typedef tile_column<4, TILE_BYTES_FOURS, TILE_BYTES_FOURS, TILE_BYTES_READ_ROWS> tile_bytes_column;

/* Starts to fill the window from row y0 on; column.end follows. Rows without taps are filled with
 * opaque words. */
template <typename Image>
DEVICE void begin_window(const gauss_frame &frame, const Image &image, tile_bytes_memory &memory,
                         const tile_bytes_column &column, int y0)
{
    column.begin(frame, image, memory.window[0], y0);
    if (column.fills && column.first < TILE_BYTES_ROWS - TILE_BYTES_READ_ROWS) {
        memory.window[TILE_BYTES_READ_ROWS + column.first][column.index] =
            make_uint4(~0u, ~0u, ~0u, ~0u);
    }
}

/* ---- The taps [1 5 10 10 5 1]/32, and that filter twice, which is one of sixteen taps, as matrix
 * operands (cuda/mma.cuh): each lane computes its own, in registers, and before it waits for pixels
 * (ptx_keep). g = lane / 4, t = lane % 4 */

/* The sum of a level's taps is a power of two, with this exponent. */
static __host__ __device__ constexpr int tap_bits(int level)
{
    return 5 * level;
}

/* mma steps of eight pixels that four samples take, along a row. */
static __host__ __device__ constexpr int tap_steps(int level)
{
    return 2 * level;
}

/* Along rows. */

/* Taps by four bytes, the first two before the first tap; 0 beyond them. */
template <int LEVEL> DEVICE uint32_t four_taps(int i)
{
    uint32_t taps = i == 0 ? 0x05010000u : 0u;
    if (LEVEL == 1) {
        /* every second word of a row of words that overlap by half */
        taps = i == 1 ? 0x0a0a0501u : taps;
        taps = i == 2 ? 0x01050a0au : taps;
        return i == 3 ? 0x00000105u : taps;
    }
    taps = i == 1 ? 0x6541230fu : taps;
    taps = i == 2 ? 0x879b9b87u : taps;
    taps = i == 3 ? 0x0f234165u : taps;
    return i == 4 ? 0x00000105u : taps;
}

/* Left operands of four samples' four channels, for pixels whose bytes stay interleaved: the
 * taps of a row's other three channels are 0. Row g is channel g % 2 of sample g / 2, row g + 8
 * channel 2 + g % 2. A lane has read four pixels in a row, from 4t on; each of two steps takes
 * two of them. */
template <int LEVEL> struct taps_along {
    uint32_t a[tap_steps(LEVEL)][4];

    MEMBER void find(int lane)
    {
        const int sample = lane / 8;
        const int t = lane % 4;
        const int channel = lane / 4 % 2;
#pragma unroll
        for (int step = 0; step < tap_steps(LEVEL); step++) {
            const int place = LEVEL == 1 ? 2 * t - sample : t - sample + step / 2 * 4;
            const uint32_t taps = four_taps<LEVEL>(place) >> step % 2 * 16;
            a[step][0] = (taps & 0xffu) << 8 * channel;
            a[step][2] = (taps >> 8 & 0xffu) << 8 * channel;
            a[step][1] = a[step][0] << 16;
            a[step][3] = a[step][2] << 16;
#pragma unroll
            for (uint32_t &taps_of_two : a[step]) {
                ptx_keep(taps_of_two);
            }
        }
    }
};

/* Down columns. */

/* Returns two taps of a word as halves over the taps' sum. */
template <int LEVEL> DEVICE uint32_t two_taps(uint32_t low, uint32_t high, int pair)
{
    const uint32_t bytes = __byte_perm(low, high, 0x10u + 0x22u * (uint32_t)pair);
    const __half2 biased = half2_of(__byte_perm(bytes, 0x64646464u, 0x4140));
    const float scale = 1.0f / (1 << tap_bits(LEVEL));
    return bits_of(__hfma2(biased, __float2half2_rn(scale), __float2half2_rn(-1024.0f * scale)));
}

/* Right operands of eight samples down. A lane's column has at most four pairs of taps in a row,
 * two in each eight rows: so two of all its registers, one after the other, are not 0. */
template <int LEVEL> struct taps_down {
    uint32_t low;
    uint32_t high;
    int begins;

    MEMBER void find(int lane)
    {
        /* The first register's two rows less the column's first tap's, divided by two; each
         * register on is eight rows later. */
        const int first = LEVEL == 1 ? lane % 4 - 2 - lane / 4 : lane % 4 - 2 * (lane / 4);
        begins = -(first >> 2);
        low = LEVEL == 1 ? two_taps<1>(0x0a0a0501u, 0x00000105u, first & 3)
                         : two_taps<2>(0x230f0501u, 0x9b876541u, first & 3);
        high = LEVEL == 1 ? 0u : two_taps<2>(0x4165879bu, 0x01050f23u, first & 3);
        ptx_keep(low);
        ptx_keep(high);
    }
    /* Returns the operand of the rows from 8 i on. */
    MEMBER uint32_t from(int i) const
    {
        return i == begins ? low : i == begins + 1 ? high : 0u;
    }
};

/* ---- Products */

/* Sums over all taps count up from a float whose last bit is worth one of them. Read as a float, a
 * sum needs no conversion, and a subtraction leaves the level less the middle. */
template <int LEVEL> DEVICE float start_of_sums()
{
    return (float)(1 << (23 - tap_bits(LEVEL)));
}

/* This lane's four pixels of each of eight rows. */
struct tile_pixels {
    uint4 words;

    MEMBER uint32_t all() const
    {
        return words.x & words.y & words.z & words.w;
    }
};

/* Filters eight rows along: operand rows are four samples' channels (taps_along), columns are rows
 * of pixels. */
template <int LEVEL>
DEVICE void sum_along(const taps_along<LEVEL> &taps, const tile_pixels (&pixels)[LEVEL],
                      uint32_t &low, uint32_t &high)
{
    const float start = start_of_sums<LEVEL>();
    mma_int_sums sums;
    mma_begin_bytes(sums, taps.a[0], pixels[0].words.x, pixels[0].words.y,
                    (int32_t)__float_as_uint(start));
#pragma unroll
    for (int step = 1; step < tap_steps(LEVEL); step++) {
        const uint4 &words = pixels[step / 2].words;
        mma_add_bytes(sums, taps.a[step], step % 2 ? words.z : words.x,
                      step % 2 ? words.w : words.y);
    }
    float levels[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        levels[i] = __uint_as_float((uint32_t)sums.of[i]) - (start + 128.0f);
    }
    low = mma_rounded(levels[0], levels[1]);
    high = mma_rounded(levels[2], levels[3]);
}

/* A warp's part of a level: four columns of samples at a time. */
template <int LEVEL> struct tile_bytes_part {
    taps_along<LEVEL> along;
    taps_down<LEVEL> down;

    MEMBER void begin(int lane)
    {
        along.find(lane);
        down.find(lane);
    }
};

/* This lane's pixels of sixteen rows: those of eight, and of the eight after. */
template <int LEVEL> struct tile_bytes_rows {
    tile_pixels pixels[2][LEVEL];

    MEMBER void load(const uint4 *from)
    {
#pragma unroll
        for (int i = 0; i < 2 * LEVEL; i++) {
            pixels[i / LEVEL][i % LEVEL].words =
                from[i / LEVEL * 8 * TILE_BYTES_FOURS + i % LEVEL * 4];
        }
    }
    MEMBER uint32_t all() const
    {
        uint32_t all = ~0u;
#pragma unroll
        for (int i = 0; i < 2 * LEVEL; i++) {
            all &= pixels[i / LEVEL][i % LEVEL].all();
        }
        return all;
    }
    MEMBER void filter_along(const taps_along<LEVEL> &taps, uint32_t (&sums)[4]) const
    {
        sum_along<LEVEL>(taps, pixels[0], sums[0], sums[1]);
        sum_along<LEVEL>(taps, pixels[1], sums[2], sums[3]);
    }
};

/* Writes eight rows of four samples; (x, y) is this lane's. */
template <int LEVEL>
DEVICE void write_samples(const gauss_tiles &tiles, const float (&made)[4], int x, int y)
{
    const gauss_level &level = tiles.levels[LEVEL];
    const uint32_t xy = mma_transposed(mma_rounded(made[0], made[1]));
    const uint32_t zw = mma_transposed(mma_rounded(made[2], made[3]));
    if (has_sample(level, x, y)) {
        *sample_at(tiles, level, x, y) = make_uint2(xy, zw);
    }
}

/* The loops below are not unrolled, which is no slower and has a third of the instructions to
 * fetch. The next rows are loaded before the sums of these are used. */

/* Makes sixteen rows of level 2 from eighty of pixels, as eight and eight. Returns the AND of all
 * words. */
DEVICE uint32_t make_level_2(const tile_bytes_part<2> &part, const uint4 *from, float (&made)[2][4])
{
    uint32_t all = ~0u;
    tile_bytes_rows<2> rows;
    rows.load(from);
#pragma unroll 1
    for (int i = 0; i < TILE_BYTES_ROWS / 8; i += 2) {
        uint32_t sums[4];
        rows.filter_along(part.along, sums);
        all &= rows.all();
        if (i + 2 < TILE_BYTES_ROWS / 8) {
            rows.load(from + 8 * (i + 2) * TILE_BYTES_FOURS);
        }
        mma_add(made[0], sums, part.down.from(i), part.down.from(i + 1));
        mma_add(made[1], sums, part.down.from(i - 4), part.down.from(i - 3));
    }
    return all;
}

/* Makes eight columns and thirty-two rows of level 1 from seventy-two rows of pixels; (x, y) is
 * this lane's first. In sixteen rows of pixels eight rows of samples begin, and the eight before
 * end. */
DEVICE void make_level_1(const tile_bytes_part<1> &part, const uint4 *from,
                         const gauss_tiles &tiles, int x, int y)
{
    const uint32_t first = part.down.from(0);
    const uint32_t second = part.down.from(1);
    const uint32_t last = part.down.from(2);
    float made[2][4] = {};
    tile_bytes_rows<1> rows[2];
    rows[0].load(from);
    rows[1].load(from + 2);
#pragma unroll 1
    for (int i = 0; i < TILE_BYTES_ROWS; i += 16) {
        uint32_t sums[2][4];
        rows[0].filter_along(part.along, sums[0]);
        rows[1].filter_along(part.along, sums[1]);
        if (i + 16 < TILE_BYTES_ROWS) {
            rows[0].load(from + (i + 16) * TILE_BYTES_FOURS);
            rows[1].load(from + (i + 16) * TILE_BYTES_FOURS + 2);
        }
#pragma unroll
        for (int k = 0; k < 2; k++) {
            mma_add(made[k], sums[k], last, 0);
            if (i > 0) {
                write_samples<1>(tiles, made[k], x + 4 * k, y + i / 2 - 8);
            }
            mma_begin(made[k], sums[k], first, second, 0.0f, 0.0f);
        }
    }
}

/* ---- A block */

/* A worker's part. Level 2 is made before it is known whether it is needed. (x0, y0) is the block's
 * first sample of it. */
template <typename Image>
DEVICE void work_on_bytes(const gauss_frame &frame, const gauss_tiles &tiles, const Image &src,
                          tile_bytes_memory &memory, int x0, int y0)
{
    const int lane = (int)threadIdx.x % 32;
    const int warp = (int)threadIdx.x / 32;
    const int x = lane % 4;
    const int y = lane / 4;
    const uint4 *const from = &memory.window[y][x];
    const tile_bytes_column column(frame, src, 4 * x0 - TILE_BYTES_BEFORE_X);
    begin_window(frame, src, memory, column, 4 * y0 - TILE_BYTES_BEFORE_Y);
    memory.warps_done = 0;
    tile_bytes_part<2> part_2;
    part_2.begin(lane);
    column.end(frame, memory.window[0]);
    workers_sync();
    float made[2][4] = {};
    const uint32_t all = make_level_2(part_2, from + 4 * warp, made);
    wait_for_classifier();
    const tile_needs needs = memory.needs;
    if (needs.level_2) {
        write_samples<2>(tiles, made[0], x0 + 4 * warp + x, y0 + y);
        write_samples<2>(tiles, made[1], x0 + 4 * warp + x, y0 + y + 8);
    }
    if (needs.level_1) {
        tile_bytes_part<1> part;
        part.begin(lane);
        make_level_1(part, from + 1 + 4 * warp, tiles, 2 * x0 + 8 * warp + x, 2 * y0 + y);
    }
    if (needs.level_1 || needs.level_2) {
        end_warp(tiles, memory, all);
    }
}

template <typename Image>
DEVICE void make_levels_of_bytes(const gauss_frame &frame, const gauss_tiles &tiles,
                                 const Image &src)
{
    __shared__ __align__(16) tile_bytes_memory memory;
    const int x0 = (int)blockIdx.x * GAUSS_TILE_MADE - GAUSS_MARGIN;
    const int y0 = (int)blockIdx.y * GAUSS_TILE_MADE - GAUSS_MARGIN;
    const tile_law law(tiles, frame);
    if (threadIdx.x >= GAUSS_TILE_WORKERS) {
        classifier_for_workers(law, frame, memory.needs);
    } else if (may_need_levels(law)) {
        work_on_bytes(frame, tiles, src, memory, x0, y0);
    }
}
