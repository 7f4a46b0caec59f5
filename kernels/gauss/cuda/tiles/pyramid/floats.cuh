/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The first kernel of the tiles for RGBA16F, sm_80 and later (gauss_tiles_levels.cu draws its
 * block): it makes levels 1 and 2 where tiles need them by matrix products, each straight from the
 * picture.
 *
 * A block copies the pixels under its samples to shared memory at once, before it knows which
 * levels it makes; the classifier warp finds that out meanwhile. Each of the four workers' warps
 * takes a quarter of the samples' columns. It filters down columns by products of the taps with the
 * pixels as they lie; the sums, as halves, are the left operand of the product along rows, whose
 * right operand keeps channels apart.
 *
 * NaN or infinity times a tap of 0 is NaN: a warp that finds one in its samples sums the taps one
 * by one. The kernel is bound by waiting for the picture. */
#pragma once

#include "block.cuh"
#include "kernels/cuda/mma.cuh"
#include "kernels/gauss/cuda/common/gaussian.cuh"

/* A block reads pixels from level 2's first tap on. */
#define TILE_FLOATS_BEFORE 6
#define TILE_FLOATS_ROWS 76
#define TILE_FLOATS_PAIRS 38
/* odd, so that eight rows of a pair have no bank conflicts */
#define TILE_FLOATS_PITCH 39
#define TILE_FLOATS_ROW_BYTES (16 * TILE_FLOATS_PITCH)
/* The products take sixteen rows at a time; the window has only a part of the last sixteen, from
 * this row on. */
#define TILE_FLOATS_LAST_ROWS 64

struct tile_floats_memory {
    uint4 window[TILE_FLOATS_ROWS][TILE_FLOATS_PITCH];
    tile_needs needs;
    uint32_t warps_done; /* as in tile_bytes_memory */
};

/* ---- The window: a thread fills a column of two pixels, in every third row */

typedef tile_column<2, TILE_FLOATS_PAIRS, TILE_FLOATS_PITCH, TILE_FLOATS_ROWS> tile_floats_column;

template <typename Image> struct tile_floats_filler {
    const gauss_frame &frame;
    const Image &image;
    const tile_floats_column column;
    const int y0;

    /* (x, y) is the block's first sample of level 2. */
    MEMBER tile_floats_filler(const gauss_frame &of_frame, const Image &of_image, int x, int y)
        : frame(of_frame), image(of_image), column(of_frame, of_image, 4 * x - TILE_FLOATS_BEFORE),
          y0(4 * y - TILE_FLOATS_BEFORE)
    {
    }
    MEMBER void begin(tile_floats_memory &memory)
    {
        column.begin(frame, image, memory.window[0], y0);
    }
    MEMBER void end(tile_floats_memory &memory)
    {
        column.end(frame, memory.window[0]);
        workers_sync();
    }
    /* Floats have no opaque flag. */
    MEMBER void tell(const gauss_tiles &tiles, tile_floats_memory &) const
    {
        if (threadIdx.x == 0) {
            *opaque_flag(tiles, (int)blockIdx.x, (int)blockIdx.y) = 0;
        }
    }
};

/* ---- The taps [1 5 10 10 5 1]/32, and that filter twice, as matrix operands of halves that the
 * compiler computes. A lane loads its own before it waits for pixels. g = lane / 4, t = lane % 4 */

template <int LEVEL> struct floats_filter {
    static const int step_px = 1 << LEVEL;
    static const int taps = LEVEL == 1 ? 6 : 16;
    /* Pixels from the window's first row or column to the first tap of the block's first sample. */
    static const int first_px = LEVEL == 1 ? 4 : 0;

    /* Returns a tap, or 0 beyond them. Halves hold all taps exactly. */
    static constexpr double tap(int i)
    {
        constexpr double of_1[6] = {1, 5, 10, 10, 5, 1};
        constexpr double of_2[16] = {1,   5,   15,  35, 65, 101, 135, 155,
                                     155, 135, 101, 65, 35, 15,  5,   1};
        return i < 0 || i >= taps ? 0.0 : LEVEL == 1 ? of_1[i % 6] / 32 : of_2[i % 16] / 1024;
    }
};

/* A lane's operands. */
template <int LEVEL> struct floats_table {
    typedef floats_filter<LEVEL> filter;
    static const int downs = LEVEL == 1 ? 3 : 6;
    static const int fours = LEVEL == 1 ? 2 : 5; /* groups of four pixels under two samples */
    static const int words = (downs + 2 * fours + 3) / 4 * 4;
    uint32_t of[words / 4][32][4];
    float taps[filter::taps];

    constexpr floats_table() : of(), taps()
    {
        for (int lane = 0; lane < 32; lane++) {
            for (int i = 0; i < downs; i++) {
                const int tap =
                    8 * i + lane % 4 * 2 - lane / 4 * filter::step_px - filter::first_px;
                of[i / 4][lane][i % 4] = half_bits(tap) | half_bits(tap + 1) << 16;
            }
            for (int i = 0; i < 2 * fours; i++) {
                set_across(lane, i);
            }
        }
        for (int i = 0; i < filter::taps; i++) {
            taps[i] = (float)filter::tap(i);
        }
    }

  private:
    static constexpr uint32_t half_bits(int tap)
    {
        const double own = filter::tap(tap);
        return own > 0.0 ? tile_half_bits(own) : 0u;
    }
    /* Operand rows are four pixels' channels, of which a lane has two; columns are two samples'
     * channels. */
    constexpr void set_across(int lane, int i)
    {
        const int t = lane % 4;
        const int sample = lane / 16;
        const int channel = lane / 4 % 4;
        const uint32_t tap = half_bits(2 * i + t / 2 - sample * filter::step_px);
        const int at = downs + i;
        of[at / 4][lane][at % 4] = channel / 2 == t % 2 ? tap << channel % 2 * 16 : 0u;
    }
};

static __device__ const floats_table<1> floats_table_1;
static __device__ const floats_table<2> floats_table_2;

template <int LEVEL> struct floats_taps {
    typedef floats_table<LEVEL> table;
    static const int steps = LEVEL == 1 ? 3 : 5; /* from 16 rows of pixels to 16 of samples */
    uint32_t of[table::words];

    DEVICE const table &all()
    {
        if constexpr (LEVEL == 1) {
            return floats_table_1;
        } else {
            return floats_table_2;
        }
    }
    MEMBER void load(int lane)
    {
#pragma unroll
        for (int i = 0; i < table::words / 4; i++) {
            const uint4 four = __ldg((const uint4 *)all().of[i][lane]);
            of[4 * i] = four.x;
            of[4 * i + 1] = four.y;
            of[4 * i + 2] = four.z;
            of[4 * i + 3] = four.w;
        }
    }
    DEVICE float one(int i)
    {
        return __ldg(all().taps + i);
    }
    /* Returns the left operand of a step; rows 8 on have the same taps 8 samples later. */
    MEMBER void down(int step, uint32_t (&a)[4]) const
    {
        const int later = 1 << LEVEL;
        a[0] = down_from(2 * step);
        a[1] = down_from(2 * step - later);
        a[2] = down_from(2 * step + 1);
        a[3] = down_from(2 * step + 1 - later);
    }
    /* Returns the right operand of four pixels; number 0 has the first tap. */
    MEMBER uint32_t across(int four, int i) const
    {
        return of[table::downs + 2 * four + i];
    }

  private:
    MEMBER uint32_t down_from(int i) const
    {
        return i >= 0 && i < table::downs ? of[i] : 0u;
    }
};

/* ---- Products */

/* A lane's rows of the window begin here: of sixteen at a time, and of the last sixteen, in which
 * the window's last row stands in for rows without taps. */
struct tile_floats_place {
    mma_place rows;
    mma_place last;

    MEMBER tile_floats_place(const tile_floats_memory &memory, int warp, int lane)
    {
        const int first = lane % 16;
        const int clamped = min(TILE_FLOATS_LAST_ROWS + first, TILE_FLOATS_ROWS - 1);
        const mma_place column =
            mma_place_of(memory.window) + (mma_place)(16 * (8 * warp + lane / 16));
        rows = column + (mma_place)(first * TILE_FLOATS_ROW_BYTES);
        last = column + (mma_place)(clamped * TILE_FLOATS_ROW_BYTES);
    }
};

/* Filters four pixels' columns down to sixteen rows of samples, as a left operand. `window` has the
 * first sixteen rows and `last` the last. */
template <int LEVEL>
DEVICE void sum_down(const floats_taps<LEVEL> &taps, mma_place window, mma_place last,
                     uint32_t (&sums)[4])
{
    const int steps = floats_taps<LEVEL>::steps;
    float left[4];
    float right[4];
#pragma unroll
    for (int s = 0; s < steps; s++) {
        uint32_t a[4];
        uint32_t pixels[4];
        taps.down(s, a);
        mma_load_transposed(
            pixels, s == steps - 1 ? last : window + (mma_place)(16 * s * TILE_FLOATS_ROW_BYTES));
        if (s == 0) {
            mma_begin(left, a, pixels[0], pixels[1], 0.0f, 0.0f);
            mma_begin(right, a, pixels[2], pixels[3], 0.0f, 0.0f);
        } else {
            mma_add(left, a, pixels[0], pixels[1]);
            mma_add(right, a, pixels[2], pixels[3]);
        }
    }
    sums[0] = mma_rounded(left[0], left[1]);
    sums[1] = mma_rounded(left[2], left[3]);
    sums[2] = mma_rounded(right[0], right[1]);
    sums[3] = mma_rounded(right[2], right[3]);
}

/* Sixteen rows of PAIRS pairs of samples, as mma gives them: a lane has two channels of one of the
 * two, and of the row 8 on. */
template <int PAIRS> struct tile_floats_made {
    float of[PAIRS][4];

    /* Returns whether a NaN or an infinity is among the warp's samples. */
    MEMBER bool is_bad() const
    {
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < 4 * PAIRS; i++) {
            sum = fmaf(of[i / 4][i % 4], 0.0f, sum);
        }
        return __any_sync(~0u, isnan(sum));
    }
};

/* A warp's samples: four columns of level 2, or eight of level 1. */
template <int LEVEL> struct tile_floats_part {
    static const int pairs = LEVEL == 1 ? 4 : 2;
    static const int fours = floats_table<LEVEL>::fours;
    static const int apart =
        LEVEL == 1 ? 1 : 2; /* groups of four pixels from one pair's to the next one's */
    static const int first = floats_filter<LEVEL>::first_px / 4;

    DEVICE void make(const floats_taps<LEVEL> &taps, mma_place window, mma_place last,
                     tile_floats_made<pairs> &made)
    {
#pragma unroll
        for (int q = 0; q < apart * (pairs - 1) + fours; q++) {
            const mma_place column = (mma_place)(32 * (first + q));
            uint32_t sums[4];
            sum_down<LEVEL>(taps, window + column, last + column, sums);
#pragma unroll
            for (int i = 0; i < pairs; i++) {
                const int own = q - apart * i;
                if (own == 0) {
                    mma_begin(made.of[i], sums, taps.across(0, 0), taps.across(0, 1), 0.0f, 0.0f);
                } else if (own > 0 && own < fours) {
                    mma_add(made.of[i], sums, taps.across(own, 0), taps.across(own, 1));
                }
            }
        }
    }
};

/* ---- Samples written */

/* Lanes swap the two channels that they lack, and write a sample each; (x, y) is the warp's
 * first. */
template <int LEVEL, int PAIRS>
DEVICE void write_mma_tile(const gauss_tiles &tiles, const tile_floats_made<PAIRS> &made, int x,
                           int y)
{
    const gauss_level &level = tiles.levels[LEVEL];
    const int lane = (int)threadIdx.x % 32;
    const bool later = lane % 2 != 0;
    const int own_x = x + lane % 4 / 2;
    const int own_y = y + lane / 4 + (later ? 8 : 0);
    uint2 *const to = sample_at(tiles, level, own_x, own_y);
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        const uint32_t above = mma_rounded(made.of[i][0], made.of[i][1]);
        const uint32_t below = mma_rounded(made.of[i][2], made.of[i][3]);
        const uint32_t got = __shfl_xor_sync(~0u, later ? above : below, 1);
        if (has_sample(level, own_x + 2 * i, own_y)) {
            to[2 * i] = later ? make_uint2(got, below) : make_uint2(above, got);
        }
    }
}

/* Sums the taps of one sample, whose first tap is at that place of the window. */
template <int LEVEL> DEVICE uint2 sum_taps(const tile_floats_memory &memory, int column, int row)
{
    const int taps = floats_filter<LEVEL>::taps;
    float4 sum = {};
#pragma unroll 1
    for (int i = 0; i < taps * taps; i++) {
        const int y = i / taps;
        const int x = i - y * taps;
        const uint2 *const pixels = (const uint2 *)memory.window[row + y];
        sum = gaussian_add(sum, floats_taps<LEVEL>::one(x) * floats_taps<LEVEL>::one(y),
                           floats_of(pixels[column + x]));
    }
    return make_uint2(bits_of(__floats2half2_rn(sum.x, sum.y)),
                      bits_of(__floats2half2_rn(sum.z, sum.w)));
}

/* Writes sixteen rows of a warp's samples from the window's row `row` on; (x, y) is the first of
 * them. */
template <int LEVEL>
DEVICE void write_one_by_one(const gauss_tiles &tiles, const tile_floats_memory &memory, int row,
                             int x, int y)
{
    typedef floats_filter<LEVEL> filter;
    const int columns = 2 * tile_floats_part<LEVEL>::pairs;
    const int column = (int)threadIdx.x / 32 * 16 + filter::first_px;
#pragma unroll 1
    for (int i = (int)threadIdx.x % 32; i < 16 * columns; i += 32) {
        const int own_x = i % columns;
        const int own_y = i / columns;
        if (has_sample(tiles.levels[LEVEL], x + own_x, y + own_y)) {
            *sample_at(tiles, tiles.levels[LEVEL], x + own_x, y + own_y) =
                sum_taps<LEVEL>(memory, column + own_x * filter::step_px,
                                row + filter::first_px + own_y * filter::step_px);
        }
    }
}

template <int LEVEL, int PAIRS>
DEVICE void write_samples(const gauss_tiles &tiles, const tile_floats_memory &memory,
                          const tile_floats_made<PAIRS> &made, int row, int x, int y)
{
    if (made.is_bad()) {
        write_one_by_one<LEVEL>(tiles, memory, row, x, y);
    } else {
        write_mma_tile<LEVEL>(tiles, made, x, y);
    }
}

/* ---- A block */

/* Makes a warp's 8 columns and 32 rows of level 1, from (x, y) on. */
DEVICE void make_level_1(const gauss_tiles &tiles, const tile_floats_memory &memory,
                         const tile_floats_place &place, int x, int y)
{
    typedef tile_floats_part<1> part;
    floats_taps<1> taps;
    taps.load((int)threadIdx.x % 32);
#pragma unroll 1
    for (int half = 0; half < 2; half++) {
        const int row = 32 * half;
        const mma_place window = place.rows + (mma_place)(row * TILE_FLOATS_ROW_BYTES);
        tile_floats_made<part::pairs> made;
        part::make(taps, window,
                   half == 0 ? window + (mma_place)(32 * TILE_FLOATS_ROW_BYTES) : place.last, made);
        write_samples<1>(tiles, memory, made, row, x, y + 16 * half);
    }
}

/* A worker's part. Level 2 is made before it is known whether it is needed. (x0, y0) is the block's
 * first sample of it. */
template <typename Filler, typename Image>
DEVICE void work_on_floats(const gauss_frame &frame, const gauss_tiles &tiles, const Image &src,
                           tile_floats_memory &memory, int x0, int y0)
{
    typedef tile_floats_part<2> part;
    const int lane = (int)threadIdx.x % 32;
    const int warp = (int)threadIdx.x / 32;
    Filler filler(frame, src, x0, y0);
    filler.begin(memory);
    floats_taps<2> taps;
    taps.load(lane);
    filler.end(memory);
    const tile_floats_place place(memory, warp, lane);
    tile_floats_made<part::pairs> made;
    part::make(taps, place.rows, place.last, made);
    wait_for_classifier();
    const tile_needs needs = memory.needs;
    if (needs.level_2) {
        write_samples<2>(tiles, memory, made, 0, x0 + 4 * warp, y0);
    }
    if (needs.level_1) {
        make_level_1(tiles, memory, place, 2 * x0 + 8 * warp, 2 * y0);
    }
    if (needs.level_1 || needs.level_2) {
        filler.tell(tiles, memory);
    }
}

template <template <typename> class Filler, typename Image>
DEVICE void make_levels_of_floats(const gauss_frame &frame, const gauss_tiles &tiles,
                                  const Image &src)
{
    __shared__ __align__(16) tile_floats_memory memory;
    const int x0 = (int)blockIdx.x * GAUSS_TILE_MADE - GAUSS_MARGIN;
    const int y0 = (int)blockIdx.y * GAUSS_TILE_MADE - GAUSS_MARGIN;
    const tile_law law(tiles, frame);
    if (threadIdx.x >= GAUSS_TILE_WORKERS) {
        classifier_for_workers(law, frame, memory.needs);
    } else if (may_need_levels(law)) {
        work_on_floats<Filler<Image>>(frame, tiles, src, memory, x0, y0);
    }
}
