/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Coarser levels, from planes to responses, as lines.cuh has it. A block has a strip of 16 x 64
 * samples and every n-th plane of those that differ there; its warps share scales and planes.
 * Instructions bound it, 60 to 80 for 16 x 8 samples, a plane and a scale, of which 8 to 14 are
 * products and 20 make halves of sums. */
#pragma once

#include "lines.cuh"
#include "planes.cuh"

struct filter_strip {
    int level;
    int x, y; /* first sample that is written, counted from the response's first */
    int height; /* samples that are written */
};

DEVICE filter_strip strip_of_block(const saliency_cuda_frame &frame)
{
    int number = (int)blockIdx.x;
    int level = 0;
    while (number >= frame.levels[level].strip_end) {
        level++;
    }
    const saliency_cuda_level &at = frame.levels[level];
    number -= level > 0 ? frame.levels[level - 1].strip_end : 0;
    const int y = number / at.strips_across * STRIP_HEIGHT;
    return {level, number % at.strips_across * STRIP_WIDTH, y,
            min(STRIP_HEIGHT, at.y.out_count - y)};
}

/* A plane's number of a row, or its row, at a place that counts from the response's first; those
 * beyond are like the outermost. */
DEVICE int number_at(const saliency_cuda_level &level, int place)
{
    return clamped(level.x.out_first + place - level.x.first + SALIENCY_CUDA_PLANE_BEFORE, 0,
                   level.stored - 1);
}

DEVICE int row_at(const saliency_cuda_level &level, int place)
{
    return clamped(level.y.out_first + place - level.y.first, 0, level.y.count - 1);
}

/* Returns how many planes differ in the strip, by bins of the samples that it reads. */
DEVICE int find_strip_planes(const saliency_cuda_frame &frame, const filter_strip &strip,
                             present_bins &bins, int thread)
{
    const saliency_cuda_level &level = frame.levels[strip.level];
    int reach = 0;
    for (uint32_t i = level.scale_first; i < level.scale_end; i++) {
        reach = max(reach, frame.scales[i].reach);
    }
    const int left = number_at(level, strip.x - reach) / SALIENCY_CUDA_MASK_WIDTH;
    const int across =
        number_at(level, strip.x + STRIP_WIDTH - 1 + reach) / SALIENCY_CUDA_MASK_WIDTH - left + 1;
    const int top = row_at(level, strip.y - reach);
    const int down = row_at(level, strip.y + strip.height - 1 + reach) - top + 1;
    const int word = thread % MASK_WORDS;
    uint32_t own = 0;
    clear_bins(bins, thread);
    __syncthreads();
    for (int i = thread / MASK_WORDS; i < across * down; i += STRIP_THREADS / MASK_WORDS) {
        const int segment = left + i % across;
        own |= mask_at(frame, level, segment * SALIENCY_CUDA_MASK_WIDTH, top + i / across)[word];
    }
    atomicOr(&bins.mask[word], own);
    __syncthreads();
    return list_bins(bins, thread);
}

struct filter_memory {
    present_bins bins;
    uint4 totals[SALIENCY_CUDA_STRIP_WARPS][STRIP_BLOCKS][32];
};

/* Eight rows of samples. A plane is its first four numbers. */
template <int COLUMNS> struct sample_places {
    typedef const char *plane;
    static constexpr float STEP = 1.0f / (SAMPLE_UNIT * (float)(1 << SALIENCY_COARSE_SHIFT));

    uint2 next[COLUMNS];
    uint32_t fours[COLUMNS]; /* of a row: bytes */
    int row, last_row; /* the lane's first row of a plane, and the last that there is */
    int pitch; /* bytes */

    MEMBER void begin(const saliency_cuda_level &level, const filter_strip &strip, int reach)
    {
        const int lane = (int)threadIdx.x;
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            const int number = number_at(level, strip.x - 8 * COLUMNS + 8 + 16 * i + lane % 4 * 4);
            fours[i] = (uint32_t)(number / 4) * (uint32_t)sizeof(uint2);
        }
        row = level.y.out_first - level.y.first + strip.y - SALIENCY_CUDA_STRIP_ABOVE(reach) +
              lane / 4;
        last_row = level.y.count - 1;
        pitch = level.pitch * (int)sizeof(uint16_t);
    }

    MEMBER void fetch(plane own, int block)
    {
        const uint32_t from = (uint32_t)(clamped(row + 8 * block, 0, last_row) * pitch);
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            next[i] = __ldg((const uint2 *)(own + (from + fours[i])));
        }
    }

    MEMBER void take(plane, uint2 (&in)[COLUMNS]) const
    {
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            in[i] = next[i];
        }
    }

    DEVICE float rounded(float sum)
    {
        return __fadd_rd(sum, 0.75f) - 0.75f;
    }

    /* Sums by p, up to 2^24, are rounded down from a half more. Those by q are less than 2^23: with
     * half a unit of theirs more none lies between two halves. Weights are 2^-13 of themselves. */
    DEVICE void sum(const uint32_t (&weights)[COLUMNS][4], const uint2 (&in)[COLUMNS], int line,
                    uint32_t (&sums)[2])
    {
        constexpr float ONE = SAMPLE_UNIT / (float)(1 << SALIENCY_ROW_SHIFT);
        const float half = line == 0 ? 0.5f * SAMPLE_UNIT : 0.5f * ONE;
        float all[4];
        mma_begin(all, weights[0], in[0].x, in[0].y, half, half);
#pragma unroll
        for (int i = 1; i < COLUMNS; i++) {
            mma_add(all, weights[i], in[i].x, in[i].y);
        }
        for (int i = 0; i < 4 && line == 0; i++) {
            all[i] = rounded(all[i]);
        }
        sums[0] = mma_rounded(all[0], all[1]);
        sums[1] = mma_rounded(all[2], all[3]);
    }
};

template <int COLUMNS, int ROWS>
DEVICE void add_scale(const saliency_cuda_frame &frame, const filter_strip &strip,
                      const saliency_cuda_scale &scale, const plane_share &share,
                      filter_memory &memory)
{
    uint4 *totals = &memory.totals[threadIdx.y][0][threadIdx.x];
    const saliency_cuda_level &level = frame.levels[strip.level];
    const char *planes = (const char *)plane_at(frame, level, 0, 0);
    const int next = level.pitch * level.y.count * (int)sizeof(uint16_t);
    line_walk<COLUMNS, ROWS, sample_places<COLUMNS>> walk;
    walk.places.begin(level, strip, scale.reach);
    clear_totals(totals);
    walk.load((const uint32_t *)frame.kernels + scale.kernel);
    const uint32_t added = walk.add_share(
        memory.bins, share, [=](int bin) { return ptx_mad_wide(bin, next, planes); },
        (strip.height + 7) / 8, totals);
    write_totals(response_of(frame, scale, frame.layer_first + blockIdx.z), scale, strip.x, strip.y,
                 totals, added);
}

/* Matrix instructions of a plane */
DEVICE int filter_cost(int reach)
{
    const int rows = SALIENCY_CUDA_STRIP_ROWS(reach);
    return (STRIP_BLOCKS + 2 * rows - 1) * 2 * SALIENCY_CUDA_STRIP_COLUMNS(reach) +
           STRIP_BLOCKS * 2 * rows;
}

/* Each warp has a scale, about as many of them as it costs, and every n-th of its planes. All go
 * through the planes side by side, so that one finds in the cache what another has read. The result
 * is the scale. */
DEVICE uint32_t share_of_warp(const saliency_cuda_frame &frame, const saliency_cuda_level &level,
                              int warp, int last, plane_share &share)
{
    uint32_t scale = level.scale_first;
    int cost = 0;
    int before = 0;
    int first = 0; /* warp of the scale */
    int end = 0;
    for (uint32_t i = level.scale_first; i < level.scale_end; i++) {
        cost += filter_cost(frame.scales[i].reach);
    }
    for (uint32_t i = level.scale_first; i < level.scale_end && warp >= end; i++) {
        before += filter_cost(frame.scales[i].reach);
        first = end;
        end = (before * SALIENCY_CUDA_STRIP_WARPS + cost / 2) / cost;
        scale = i;
    }
    share = {(int)blockIdx.y + (warp - first) * (int)gridDim.y, (end - first) * (int)gridDim.y,
             last};
    return scale;
}

DEVICE void make_filtered(const saliency_cuda_frame &frame, filter_memory &memory)
{
    const filter_strip strip = strip_of_block(frame);
    const int warp = __shfl_sync(~0u, (int)threadIdx.y, 0); /* as all lanes have it */
    const int last = find_strip_planes(frame, strip, memory.bins, warp * 32 + (int)threadIdx.x) - 1;
    plane_share share;
    const saliency_cuda_scale &scale =
        frame.scales[share_of_warp(frame, frame.levels[strip.level], warp, last, share)];
    const int columns = SALIENCY_CUDA_STRIP_COLUMNS(scale.reach);
    if (share.first >= last) {
        return;
    }
    if (columns == 2) {
        add_scale<2, 2>(frame, strip, scale, share, memory);
    } else if (columns == 3 && SALIENCY_CUDA_STRIP_ROWS(scale.reach) == 2) {
        add_scale<3, 2>(frame, strip, scale, share, memory);
    } else if (columns == 3) {
        add_scale<3, 3>(frame, strip, scale, share, memory);
    } else {
        add_scale<4, 3>(frame, strip, scale, share, memory);
    }
}
