/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Weights and rows that planes.cuh multiplies, as registers of matrices (cuda/mma.cuh) have them.
 * Rows of a first product have an order that gives a lane four samples behind each other in the
 * end; its sums are the second one's B. */
#pragma once

#include "kernels/cuda/mma.cuh"
#include "kernels/cuda/ptx_bytes.cuh"
#include "present.cuh"

#define PLANE_WIDTH SALIENCY_CUDA_SEGMENT
#define PLANE_HEIGHT SALIENCY_CUDA_PLANE_HEIGHT
#define PLANE_HALVES (PLANE_WIDTH / SALIENCY_CUDA_MASK_WIDTH) /* of a row: each has a mask */
#define PLANE_TAPS (2 * SALIENCY_HALF_REACH + 1)
#define PLANE_BLOCKS 5 /* eight rows of the finer level each, that 16 rows of samples read */
#define PLANE_ROWS (8 * PLANE_BLOCKS)
#define PLANE_WORDS 20 /* of four bins of a row: a warp reads from different banks */
#define PLANE_SIXTEENS 3 /* of the finer level's columns, that 16 samples read */
#define PLANE_PAIRS (SALIENCY_HALF_REACH + 1) /* words of two samples that one reads of a row */
static_assert(PLANE_ROWS >= 2 * (PLANE_HEIGHT - 1) + PLANE_TAPS && PLANE_HEIGHT == 16, "");

struct plane_memory {
    present_bins bins;
    uint32_t region[PLANE_ROWS][PLANE_WORDS];
    uint32_t masks[PLANE_ROWS][PLANE_HALVES][MASK_WORDS];
};

struct plane_place {
    int i, j; /* the first number, and its row */
    int height; /* rows of samples that there are */
};

DEVICE char *planes_of(const saliency_cuda_frame &frame, const saliency_cuda_level &level)
{
    return (char *)((uint16_t *)frame.planes + blockIdx.z * frame.plane_samples + level.plane);
}

/* The first plane's number i of row j. */
DEVICE uint16_t *plane_at(const saliency_cuda_frame &frame, const saliency_cuda_level &level, int i,
                          int j)
{
    return (uint16_t *)planes_of(frame, level) + (int64_t)j * level.pitch + i;
}

/* A weight by the distance of what it is for */
DEVICE int weight_at(int distance)
{
    return abs(distance) > SALIENCY_HALF_REACH ? 0 : saliency_half_weight(abs(distance));
}

/* Two neighbours' weights, as halves */
DEVICE uint32_t weights_at(int distance, float unit)
{
    return mma_rounded((float)weight_at(distance) * unit, (float)weight_at(distance + 1) * unit);
}

/* The sample that a row of A stands for, the lane's first or its second: so columns 2t and 2t + 1
 * of both products are four samples behind each other. */
DEVICE int sample_of_row(int second)
{
    const int row = (int)threadIdx.x / 4;
    return row / 2 * 4 + row % 2 + 2 * second;
}

/* Sums of rows, of eight samples and of the eight after them, become samples of sixteen rows. */
struct plane_columns {
    uint32_t weights[PLANE_BLOCKS / 2][4];
    uint2 last; /* of the fifth eight rows */

    MEMBER void load(float unit)
    {
        const int row = (int)threadIdx.x / 4;
        const int place = (int)threadIdx.x % 4 * 2 - SALIENCY_HALF_REACH;
#pragma unroll
        for (int i = 0; i < 2 * PLANE_BLOCKS; i++) {
            const uint32_t pair = weights_at(place + i / 2 * 8 - 2 * (row + i % 2 * 8), unit);
            if (i < 8) {
                weights[i / 4][i % 4] = pair;
            } else {
                (i % 2 == 0 ? last.x : last.y) = pair;
            }
        }
    }

    MEMBER void add(const uint32_t (&rows)[PLANE_BLOCKS], float (&sum)[4]) const
    {
#pragma unroll
        for (int i = 0; i < PLANE_BLOCKS / 2; i++) {
            mma_add(sum, weights[i], rows[2 * i], rows[2 * i + 1]);
        }
        mma_add_of_8(sum, last, rows[PLANE_BLOCKS - 1]);
    }
};

/* Rows of pixels. Sums are whole numbers, whose bits are those of so many SAMPLE_UNIT. The middle
 * of samples is 0. */
struct pixel_rows {
    static constexpr float UNIT = 1.0f / 16.0f; /* of columns */
    static constexpr float BEGIN = (0.5f * UNIT - SALIENCY_SAMPLE_MIDDLE) * SAMPLE_UNIT;

    const uint32_t *words;
    uint32_t weights[PLANE_SIXTEENS][2]; /* of bytes of -1 */
    uint32_t v; /* four bytes of the plane's bin, and 128 */

    MEMBER void begin(const plane_memory &memory, int half)
    {
        const int t = (int)threadIdx.x % 4;
        words = &memory.region[threadIdx.x / 4][half * (SALIENCY_CUDA_MASK_WIDTH / 2) + t];
#pragma unroll
        for (int i = 0; i < 2 * PLANE_SIXTEENS; i++) {
            uint32_t four = 0;
            for (int k = 0; k < 4; k++) {
                const int place = i / 2 * 16 + 4 * t + k - SALIENCY_HALF_REACH;
                const int weight = weight_at(place - 2 * sample_of_row(i % 2));
                four |= ((uint32_t)-weight & 255u) << 8 * k;
            }
            weights[i / 2][i % 2] = four;
        }
    }

    MEMBER void ask(const present_bins &, int)
    {
    }

    MEMBER void choose(const present_bins &bins, int i, int)
    {
        v = (uint32_t)(bins.list[i] | 128) * 0x01010101u;
    }

    /* Makes sums of two finer rows, for eight samples and for the eight after them. */
    MEMBER void add(int block, uint32_t &first, uint32_t &second) const
    {
        const uint32_t *from = words + block * 8 * PLANE_WORDS;
        uint32_t in[PLANE_SIXTEENS];
        int32_t sum[4];
#pragma unroll
        for (int i = 0; i < PLANE_SIXTEENS; i++) {
            in[i] = ptx_signs_of_bytes(v - from[4 * i]);
        }
        ptx_mma_16832_signed(sum, weights[0][0], weights[0][1], weights[1][0], weights[1][1], in[0],
                             in[1], 0);
        ptx_mma_16816_signed(sum, weights[2][0], weights[2][1], in[2]);
        first = __byte_perm((uint32_t)sum[0], (uint32_t)sum[1], 0x5410);
        second = __byte_perm((uint32_t)sum[2], (uint32_t)sum[3], 0x5410);
    }
};

/* Rows of a finer level's samples. Fours beyond those stored are like the outermost. All of a plane
 * are under way at once, and the next plane's behind each eight rows that have been multiplied. */
struct sample_rows {
    static constexpr float UNIT = 1.0f / (float)(1 << SALIENCY_HALF_SHIFT); /* of weights */
    static constexpr float BEGIN = 0.5f * UNIT * SAMPLE_UNIT; /* so none lies between two halves */
    /* Numbers that a window begins before its first sample's own, which is a whole four */
    static constexpr int BEFORE = SALIENCY_CUDA_PLANE_BEFORE;

    uint32_t weights[PLANE_SIXTEENS][4];
    const char *planes, *asked;
    uint2 in[PLANE_BLOCKS][PLANE_SIXTEENS];
    uint32_t fours[PLANE_SIXTEENS]; /* bytes before them */
    int row, last; /* the lane's first row, which may be beyond the level's */
    int pitch, next; /* bytes of a row, and of a plane */

    MEMBER void begin(const saliency_cuda_frame &frame, const saliency_cuda_level &finer,
                      const plane_place &place, int half)
    {
        const int t = (int)threadIdx.x % 4;
        const int i0 = place.i + half * SALIENCY_CUDA_MASK_WIDTH;
        planes = planes_of(frame, finer);
        pitch = finer.pitch * (int)sizeof(uint16_t);
        next = pitch * finer.y.count;
        row = 2 * (place.j - SALIENCY_HALF_REACH) + (int)threadIdx.x / 4;
        last = finer.y.count - 1;
#pragma unroll
        for (int i = 0; i < PLANE_SIXTEENS; i++) {
            const int four = i0 / 2 - (2 * SALIENCY_HALF_REACH + 2 * BEFORE - 4) / 4 + 4 * i + t;
            fours[i] = (uint32_t)clamped(four, 0, finer.stored / 4 - 1) * (uint32_t)sizeof(uint2);
        }
#pragma unroll
        for (int i = 0; i < 4 * PLANE_SIXTEENS; i++) {
            const int at = i / 4 * 16 + 4 * t + i / 2 % 2 * 2 - BEFORE;
            weights[i / 4][i % 4] = weights_at(at - 2 * sample_of_row(i % 2), UNIT);
        }
    }

    MEMBER void fetch(int block)
    {
        const uint32_t from = (uint32_t)(clamped(row + 8 * block, 0, last) * pitch);
#pragma unroll
        for (int i = 0; i < PLANE_SIXTEENS; i++) {
            in[block][i] = __ldg((const uint2 *)(asked + (from + fours[i])));
        }
    }

    MEMBER void ask(const present_bins &bins, int i)
    {
        asked = ptx_mad_wide(bins.planes[i], next, planes);
#pragma unroll
        for (int block = 0; block < PLANE_BLOCKS; block++) {
            fetch(block);
        }
    }

    MEMBER void choose(const present_bins &bins, int, int after)
    {
        asked = ptx_mad_wide(bins.planes[after], next, planes);
    }

    MEMBER void add(int block, uint32_t &first, uint32_t &second)
    {
        float sum[4];
#pragma unroll
        for (int i = 0; i < PLANE_SIXTEENS; i++) {
            const uint2 four = in[block][i];
            if (i == 0) {
                mma_begin(sum, weights[i], four.x, four.y, BEGIN, BEGIN);
            } else {
                mma_add(sum, weights[i], four.x, four.y);
            }
        }
        fetch(block);
        first = mma_rounded(sum[0], sum[1]);
        second = mma_rounded(sum[2], sum[3]);
    }
};
