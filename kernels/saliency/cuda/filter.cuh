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
    add_word(bins, own, thread);
    __syncthreads();
    return list_bins(bins, present_of(frame, frame.layer_first + blockIdx.z), thread);
}

struct filter_memory {
    present_bins bins;
    uint4 totals[SALIENCY_CUDA_STRIP_WARPS][STRIP_BLOCKS][32];
};

/* Eight rows of samples. A plane is its first number. */
template <int COLUMNS> struct sample_places {
    typedef const char *plane;
    static constexpr float STEP = 1.0f / (SAMPLE_UNIT * (float)(1 << SALIENCY_COARSE_SHIFT));

    line_places<COLUMNS> next;
    uint32_t first[(COLUMNS + 1) / 2]; /* bytes before each sixteen, and before eight more */
    int row, last_row; /* the lane's first row of a plane, and the last that there is */
    int pitch; /* bytes */

    MEMBER void begin(const saliency_cuda_level &level, const filter_strip &strip, int reach)
    {
        const int lane = (int)threadIdx.x;
        const int left = strip.x - SALIENCY_CUDA_STRIP_LEFT(reach);
#pragma unroll
        for (int i = 0; i < COLUMNS; i += 2) {
            const int size = i + 1 < COLUMNS ? 4 : 2;
            const int number = number_at(level, left + 8 * i + lane % 4 * size);
            first[i / 2] = (uint32_t)(number / size * size) * (uint32_t)sizeof(uint16_t);
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
        for (int i = 0; i < COLUMNS; i += 2) {
            const char *at = own + (from + first[i / 2]);
            if (i + 1 < COLUMNS) {
                const uint2 four = __ldg((const uint2 *)at);
                next.of[i] = four.x;
                next.of[i + 1] = four.y;
            } else {
                next.of[i] = __ldg((const uint32_t *)at);
            }
        }
    }

    MEMBER void take(plane, line_places<COLUMNS> &in) const
    {
        in = next;
    }

    DEVICE float rounded(float sum)
    {
        return __fadd_rd(sum, 0.75f) - 0.75f;
    }

    /* Sums by p, up to 2^24, are rounded down from a half more. Those by q are less than 2^23: with
     * half a unit of theirs more none lies between two halves. Weights are 2^-13 of themselves. */
    DEVICE void sum(const line_weights<COLUMNS> &weights, const line_places<COLUMNS> &in, int line,
                    uint32_t (&sums)[2])
    {
        constexpr float ONE = SAMPLE_UNIT / (float)(1 << SALIENCY_ROW_SHIFT);
        const float half = line == 0 ? 0.5f * SAMPLE_UNIT : 0.5f * ONE;
        const auto &of = weights.of;
        const uint32_t a[4] = {of[0][0], of[0][1], of[1][0], of[1][1]};
        float all[4];
        mma_begin(all, a, in.of[0], in.of[1], half, half);
        add_places(all, weights, in);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            all[i] = line == 0 ? rounded(all[i]) : all[i];
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
    const char *planes = planes_of(frame, level);
    const int next = level.pitch * level.y.count * (int)sizeof(uint16_t);
    line_walk<COLUMNS, ROWS, sample_places<COLUMNS>> walk;
    walk.places.begin(level, strip, scale.reach);
    clear_totals(totals);
    walk.load((const uint32_t *)frame.kernels + scale.kernel);
    const uint32_t added = walk.add_share(
        memory.bins, share,
        [&](int i) { return ptx_mad_wide(memory.bins.planes[i], next, planes); },
        (strip.height + 7) / 8, totals);
    write_totals(response_of(frame, scale, frame.layer_first + blockIdx.z), scale, strip.x, strip.y,
                 totals, added);
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
        cost += cost_of(frame.scales[i].reach);
    }
    for (uint32_t i = level.scale_first; i < level.scale_end && warp >= end; i++) {
        before += cost_of(frame.scales[i].reach);
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
    const int warp = block_warp();
    const int last = find_strip_planes(frame, strip, memory.bins, warp * 32 + (int)threadIdx.x) - 1;
    plane_share own;
    const saliency_cuda_scale &scale =
        frame.scales[share_of_warp(frame, frame.levels[strip.level], warp, last, own)];
    if (own.first < last) {
        add_sized(
            [&](auto size, const plane_share &share) {
                add_scale<size.columns, size.rows>(frame, strip, scale, share, memory);
            },
            scale, own);
    }
}
