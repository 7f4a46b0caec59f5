/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0, as lines.cuh has it. A block has a strip of 16 x 64 pixels and the bins around them; a
 * warp has some planes that differ there, of a scale or two. Instructions bound it, 45 to 50 for
 * 16 x 8 pixels, a plane and a scale, of which 10 to 12 are products and 15 make halves of bins. */
#pragma once

#include "lines.cuh"

#define STRIP_LEFT 24 /* the most that lies beside a strip */
#define STRIP_ABOVE SALIENCY_CUDA_STRIP_ABOVE(SALIENCY_FINE_REACH) /* and above it, and below */
#define STRIP_ROWS (STRIP_HEIGHT + 2 * STRIP_ABOVE)
#define STRIP_WORDS ((STRIP_WIDTH + 2 * STRIP_LEFT) / 4) /* of a row */
#define STRIP_PITCH 20 /* words: what a warp reads at once is in different banks */

struct fine_memory {
    present_bins bins;
    /* Bins of the pixels and of those around them, and rows whose sums nobody wants */
    uint32_t region[(STRIP_ROWS + 8) * STRIP_PITCH];
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
            memory.region[row * STRIP_PITCH + word] = four[i];
        }
        if (y >= -reach && y < STRIP_HEIGHT + reach) {
            add_bits(four[i], 4 * word - STRIP_LEFT, -reach, STRIP_WIDTH + reach, own);
        }
    }
    add_mask(memory.bins, own, thread);
    __syncthreads();
    return list_bins(memory.bins, thread);
}

/* ---- Planes */

/* Eight rows of pixels. A plane is four bytes of its bin, and 128. */
template <int COLUMNS> struct pixel_places {
    typedef uint32_t plane;
    static constexpr float BEGIN = 0.0f;

    const uint32_t *words; /* the lane's first one */
    uint32_t next[COLUMNS];

    MEMBER void fetch(plane, int block)
    {
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            next[i] = words[block * 8 * STRIP_PITCH + 4 * i];
        }
    }

    /* Halves of -1/2 where a bin is not above the plane's, else of 1/2. */
    MEMBER void take(plane own, uint2 (&in)[COLUMNS]) const
    {
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            const uint32_t signs = own - next[i];
            in[i].x = (__byte_perm(signs, 0, 0x1000) & 0x80008000u) | 0x38003800u;
            in[i].y = (__byte_perm(signs, 0, 0x3222) & 0x80008000u) | 0x38003800u;
        }
    }

    DEVICE float rounded(float sum)
    {
        return sum;
    }
};

template <int COLUMNS, int ROWS>
DEVICE void add_fine(const saliency_cuda_frame &frame, const fine_place &place,
                     const saliency_cuda_scale &scale, fine_memory &memory, int first, int end)
{
    const int lane = (int)threadIdx.x;
    const int above = SALIENCY_CUDA_STRIP_ABOVE(scale.reach);
    const int left = SALIENCY_CUDA_STRIP_LEFT(scale.reach);
    const int blocks = (min(STRIP_HEIGHT, frame.height_px - place.y) + 7) / 8;
    uint4 *totals = &memory.totals[threadIdx.y][0][lane];
    line_walk<COLUMNS, ROWS, pixel_places<COLUMNS>> walk;
    walk.places.words = memory.region + (STRIP_ABOVE - above + lane / 4) * STRIP_PITCH +
                        (STRIP_LEFT - left) / 4 + lane % 4;
    clear_totals(totals);
    walk.load((const uint32_t *)frame.kernels + scale.kernel);
    const uint32_t added = walk.add_share(
        memory.bins, {first, 1, end}, [](int bin) { return (uint32_t)(bin | 128) * 0x01010101u; },
        blocks, totals);
    write_totals(response_of(frame, scale, (uint32_t)place.layer), scale, place.x, place.y, totals,
                 added);
}

/* Returns what a plane takes, in units of ten cycles: a product takes as long as six other
 * instructions. */
DEVICE int cost_of(int reach)
{
    return 6 * SALIENCY_CUDA_STRIP_COLUMNS(reach) + 4 * SALIENCY_CUDA_STRIP_ROWS(reach);
}

/* The planes of all scales behind each other are shared out among warps by what they cost. */
DEVICE void make_fine(const saliency_cuda_frame &frame, fine_memory &memory)
{
    const fine_place place = {(int)blockIdx.x * STRIP_WIDTH, (int)blockIdx.y * STRIP_HEIGHT,
                              (int)blockIdx.z};
    const int last = load_region(frame, place, memory, (int)(threadIdx.y * 32 + threadIdx.x)) - 1;
    const uint32_t scales = frame.levels[0].scale_end;
    const int warp = __shfl_sync(~0u, (int)threadIdx.y, 0); /* as all lanes have it */
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
        if (first >= stop) {
            continue;
        }
        const int columns = SALIENCY_CUDA_STRIP_COLUMNS(scale.reach);
        if (columns == 2) {
            add_fine<2, 2>(frame, place, scale, memory, first, stop);
        } else if (columns == 3 && SALIENCY_CUDA_STRIP_ROWS(scale.reach) == 2) {
            add_fine<3, 2>(frame, place, scale, memory, first, stop);
        } else if (columns == 3) {
            add_fine<3, 3>(frame, place, scale, memory, first, stop);
        } else {
            add_fine<4, 3>(frame, place, scale, memory, first, stop);
        }
    }
}
