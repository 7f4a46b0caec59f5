/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0, as lines.cuh has it. A block has a strip of 16 x 64 pixels and the bins around them; a
 * warp has some planes that differ there, of a scale or two. Instructions bound it, 36 to 40 for
 * 16 x 8 pixels, a plane and a scale, of which 10 to 12 are products and 6 make pixels of bins. */
#pragma once

#include "lines.cuh"

#define STRIP_LEFT 24 /* the most that lies beside a strip */
#define STRIP_ABOVE SALIENCY_CUDA_STRIP_ABOVE(SALIENCY_FINE_REACH) /* and above it, and below */
#define STRIP_ROWS (STRIP_HEIGHT + 2 * STRIP_ABOVE)
#define STRIP_WORDS ((STRIP_WIDTH + 2 * STRIP_LEFT) / 4) /* of four bins, of a row */

struct fine_memory {
    present_bins bins;
    uint2 region[STRIP_ROWS * STRIP_WORDS]; /* bins of the pixels and of those around them */
    uint4 totals[SALIENCY_CUDA_STRIP_WARPS][STRIP_BLOCKS][32];
};

struct fine_place {
    int x, y; /* the block's first pixel */
    int layer;
};

/* ---- Bins */

/* Rows of a thread's column of words, which are under way at once */
#define STRIP_ROUND (STRIP_THREADS / STRIP_WORDS)
#define STRIP_ROUNDS ((STRIP_ROWS + STRIP_ROUND - 1) / STRIP_ROUND)
static_assert(STRIP_THREADS % STRIP_WORDS == 0, "a thread has a column of words");

DEVICE void load_words(const saliency_cuda_frame &frame, const fine_place &place, int thread,
                       uint32_t (&four)[STRIP_ROUNDS])
{
    const unsigned char *bins =
        (const unsigned char *)frame.bins + (int64_t)place.layer * frame.width_px * frame.height_px;
    const int x = place.x + 4 * (thread % STRIP_WORDS) - STRIP_LEFT;
    const int y = place.y + thread / STRIP_WORDS - STRIP_ABOVE;
#pragma unroll
    for (int i = 0; i < STRIP_ROUNDS; i++) {
        const int64_t line = clamped(y + i * STRIP_ROUND, 0, frame.height_px - 1);
        four[i] = load_four(bins + line * frame.width_px, x, frame.width_px);
    }
}

/* A row's fours begin four further on than the one's before it and go round: what half a warp reads
 * at once is in different banks. */
DEVICE int region_at(int row, int four)
{
    return row * STRIP_WORDS + (four + 4 * row) % STRIP_WORDS;
}

/* Halves of four bins */
DEVICE uint2 halves_of(uint32_t four)
{
    return make_uint2(mma_rounded((float)(four & 255u), (float)(four >> 8 & 255u)),
                      mma_rounded((float)(four >> 16 & 255u), (float)(four >> 24)));
}

/* The bins of the block's pixels and of those around them, and which of them kernels reach. How
 * many these are: the result. */
DEVICE int load_region(const saliency_cuda_frame &frame, const fine_place &place,
                       fine_memory &memory, int thread)
{
    const int reach = frame.fine_reach;
    const int word = thread % STRIP_WORDS;
    uint32_t four[STRIP_ROUNDS];
    uint32_t own[MASK_WORDS] = {};
    load_words(frame, place, thread, four);
    clear_bins(memory.bins, thread);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < STRIP_ROUNDS; i++) {
        const int row = thread / STRIP_WORDS + i * STRIP_ROUND;
        const int y = row - STRIP_ABOVE;
        if (row < STRIP_ROWS) {
            memory.region[region_at(row, word)] = halves_of(four[i]);
        }
        if (y >= -reach && y < STRIP_HEIGHT + reach) {
            add_bits(four[i], 4 * word - STRIP_LEFT, -reach, STRIP_WIDTH + reach, own);
        }
    }
    add_mask(memory.bins, own, thread);
    __syncthreads();
    return list_bins(memory.bins, memory.bins.mask, thread);
}

/* ---- Planes */

/* Whole numbers, of which two are a word: 1 where one is above the other, else 0. */
DEVICE uint32_t bins_above(uint32_t bins, __half2 bin)
{
    const __half2 above = __hsub2_sat(*(const __half2 *)&bins, bin);
    return *(const uint32_t *)&above;
}

/* Eight rows of pixels. A plane is its bin, as two halves. */
template <int COLUMNS> struct pixel_places {
    typedef __half2 plane;
    static constexpr float STEP = 1.0f / (float)(1 << SALIENCY_FINE_SHIFT);

    const uint32_t *first[(COLUMNS + 1) / 2]; /* the lane's, of each sixteen, and of eight more */
    uint32_t begin; /* of sums by p: these lie on both sides of 0 and have 12 bits */
    line_places<COLUMNS> next;

    MEMBER void place(const fine_memory &memory, int row, int four)
    {
        const int t = (int)threadIdx.x % 4;
#pragma unroll
        for (int i = 0; i < COLUMNS; i += 2) {
            const bool alone = i + 1 == COLUMNS;
            const int at = region_at(row, four + 2 * i + (alone ? t / 2 : t));
            first[i / 2] = &memory.region[at].x + (alone ? t % 2 : 0);
        }
    }

    MEMBER void fetch(plane, int block)
    {
#pragma unroll
        for (int i = 0; i < COLUMNS; i += 2) {
            const uint32_t *from = first[i / 2] + block * 16 * STRIP_WORDS;
            if (i + 1 < COLUMNS) {
                const uint2 four = *(const uint2 *)from;
                next.of[i] = four.x;
                next.of[i + 1] = four.y;
            } else {
                next.of[i] = *from;
            }
        }
    }

    /* 1 where a bin is above the plane's, else 0 */
    MEMBER void take(plane own, line_places<COLUMNS> &in) const
    {
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            in.of[i] = bins_above(next.of[i], own);
        }
    }

    /* Sums are whole numbers that halves have, whatever a sum begins with. */
    MEMBER void sum(const line_weights<COLUMNS> &weights, const line_places<COLUMNS> &in, int line,
                    uint32_t (&sums)[2]) const
    {
        const auto &of = weights.of;
        const uint32_t a[4] = {of[0][0], of[0][1], of[1][0], of[1][1]};
        const uint32_t c = line == 0 ? begin : 0;
        mma_halves all;
        mma_begin_halves(all, a, in.of[0], in.of[1], make_uint2(c, c));
        add_places(all, weights, in);
        sums[0] = all.x;
        sums[1] = all.y;
    }
};

template <int COLUMNS, int ROWS>
DEVICE void add_fine(const saliency_cuda_frame &frame, const fine_place &place,
                     const saliency_cuda_scale &scale, fine_memory &memory,
                     const plane_share &share)
{
    const int lane = (int)threadIdx.x;
    const int above = SALIENCY_CUDA_STRIP_ABOVE(scale.reach);
    const int left = SALIENCY_CUDA_STRIP_LEFT(scale.reach);
    const int blocks = (min(STRIP_HEIGHT, frame.height_px - place.y) + 7) / 8;
    uint4 *totals = &memory.totals[threadIdx.y][0][lane];
    line_walk<COLUMNS, ROWS, pixel_places<COLUMNS>> walk;
    walk.places.place(memory, STRIP_ABOVE - above + lane / 4, (STRIP_LEFT - left) / 4);
    walk.places.begin = mma_rounded(-0.5f * (float)scale.p_sum, -0.5f * (float)scale.p_sum);
    clear_totals(totals);
    walk.load((const uint32_t *)frame.kernels + scale.kernel);
    const uint32_t added = walk.add_share(
        memory.bins, share, [&](int i) { return __float2half2_rn((float)memory.bins.list[i]); },
        blocks, totals);
    write_totals(response_of(frame, scale, (uint32_t)place.layer), scale, place.x, place.y, totals,
                 added);
}

/* The planes of all scales behind each other are shared out among warps by what they cost. */
DEVICE void make_fine(const saliency_cuda_frame &frame, fine_memory &memory)
{
    const fine_place place = {(int)blockIdx.x * STRIP_WIDTH, (int)blockIdx.y * STRIP_HEIGHT,
                              (int)blockIdx.z};
    const int last = load_region(frame, place, memory, block_thread()) - 1;
    const uint32_t scales = frame.levels[0].scale_end;
    const int warp = block_warp();
    int cost = 0;
    for (uint32_t i = 0; i < scales; i++) {
        cost += cost_of(frame.scales[i].reach) * last;
    }
    int begin = cost * warp / SALIENCY_CUDA_STRIP_WARPS;
    int end = cost * (warp + 1) / SALIENCY_CUDA_STRIP_WARPS;
    for (uint32_t i = 0; i < scales; i++) {
        const saliency_cuda_scale &scale = frame.scales[i];
        const int plane = cost_of(scale.reach);
        const int first = (max(begin, 0) + plane - 1) / plane;
        const int stop = min((max(end, 0) + plane - 1) / plane, last);
        begin -= plane * last;
        end -= plane * last;
        if (first < stop) {
            add_sized(
                [&](auto size, const plane_share &share) {
                    add_fine<size.columns, size.rows>(frame, place, scale, memory, share);
                },
                scale, {first, 1, stop});
        }
    }
}
