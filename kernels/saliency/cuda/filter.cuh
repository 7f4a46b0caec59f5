/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Coarser levels, from planes to responses, as level 0 (fine.cuh): a kernel is p(x) q(y) +
 * q(x) p(y). Samples, weights, and what comes between rows and columns are whole numbers of 12
 * bits, and so halves, whose products floats add exactly. A block has a strip of 16 x 64 samples
 * and every n-th plane of those that differ there; its warps share scales and planes, and a warp
 * goes down the strip's rows, eight at a time:
 *
 *     rows      16 columns x 8 rows = a line (16 x 32 to 64) times samples (32 to 64 x 8)
 *     columns   16 columns x 8 rows that are wanted = sums of rows (16 x 32 or 48) times a line
 *               (32 or 48 x 8)
 *
 * D of rows is, as halves, A of columns: nothing leaves registers. The eight rows after these are
 * on their way meanwhile. Instructions bound it, 60 to 80 for 16 x 8 samples, a plane and a scale,
 * of which 8 to 14 are products and 20 make halves of sums. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_FILTER_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_FILTER_CUH

#include "fine.cuh"
#include "kernels/cuda/mma.cuh"
#include "levels.cuh"

#define FILTER_THREADS (32 * SALIENCY_CUDA_FILTER_WARPS)

struct filter_strip {
    int level;
    int x, y; /* first sample that is written, counted from the response's first */
    int height; /* samples that are written */
};

static __device__ __forceinline__ filter_strip strip_of_block(const saliency_cuda_frame &frame)
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
static __device__ __forceinline__ int number_at(const saliency_cuda_level &level, int place)
{
    return clamped(level.x.out_first + place - level.x.first + SALIENCY_CUDA_PLANE_BEFORE, 0,
                   level.stored - 1);
}

static __device__ __forceinline__ int row_at(const saliency_cuda_level &level, int place)
{
    return clamped(level.y.out_first + place - level.y.first, 0, level.y.count - 1);
}

/* Returns which planes differ in the strip, by bins of the samples that it reads. */
static __device__ __forceinline__ int find_planes(const saliency_cuda_frame &frame,
                                                  const filter_strip &strip, present_bins &bins,
                                                  int thread)
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
    if (thread < MASK_WORDS) {
        bins.mask[thread] = 0;
    }
    __syncthreads();
    for (int i = thread / MASK_WORDS; i < across * down; i += FILTER_THREADS / MASK_WORDS) {
        const int segment = left + i % across;
        own |= mask_at(frame, level, segment * SALIENCY_CUDA_MASK_WIDTH, top + i / across)[word];
    }
    atomicOr(&bins.mask[word], own);
    __syncthreads();
    const int count = __shfl_sync(~0u, rank_bins(bins, thread), 0);
    __syncthreads();
    return count;
}

/* A float as large as its whole part, and this one more, has that part in its low bits. */
#define WHOLE 8388608.0f
#define WHOLE_BITS 0x4b000000u

struct filter_memory {
    present_bins bins;
    uint4 totals[SALIENCY_CUDA_FILTER_WARPS][STRIP_BLOCKS][32]; /* with WHOLE_BITS for each plane */
};

/* COLUMNS, ROWS: sixteens of samples along a row that 16 columns have weights for, and along a
 * column that 8 rows have */
template <int COLUMNS, int ROWS> struct sample_walk {
    static constexpr int BLOCKS = 2 * ROWS; /* of rows that 8 rows have weights for */
    static constexpr int LEFT = 8 * COLUMNS - 8;
    static constexpr int ABOVE = 8 * ROWS - 4;

    uint32_t across[2][COLUMNS][4];
    uint32_t down[2][BLOCKS][2]; /* of two blocks behind each other, beginning with each of them */
    uint32_t sums[2][2 * BLOCKS]; /* by p and q: of blocks of rows, of the lane's two columns */
    uint2 next[COLUMNS]; /* samples of the eight rows after these */
    int numbers[COLUMNS]; /* fours of a row */
    int row, last_row, pitch; /* the lane's first row of a plane, and the last that there is */

    __device__ __forceinline__ void load(const uint32_t *weights, const saliency_cuda_level &level,
                                         const filter_strip &strip)
    {
        const int lane = (int)threadIdx.x;
#pragma unroll
        for (int i = 0; i < 2 * COLUMNS * 4; i++) {
            across[i / (4 * COLUMNS)][i / 4 % COLUMNS][i % 4] = weights[i * 32 + lane];
        }
#pragma unroll
        for (int i = 0; i < 4 * BLOCKS; i++) {
            down[i / (2 * BLOCKS)][i / 2 % BLOCKS][i % 2] =
                weights[(2 * COLUMNS * 4 + i) * 32 + lane];
        }
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            numbers[i] = number_at(level, strip.x - LEFT + 16 * i + lane % 4 * 4) / 4;
        }
        row = level.y.out_first - level.y.first + strip.y - ABOVE + lane / 4;
        last_row = level.y.count - 1;
        pitch = level.pitch / 4;
    }

    __device__ __forceinline__ void fetch(const uint2 *plane, int block)
    {
        const uint32_t from = (uint32_t)(clamped(row + 8 * block, 0, last_row) * pitch);
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            next[i] = plane[from + (uint32_t)numbers[i]];
        }
    }

    /* Eight rows of samples */
    __device__ __forceinline__ void add_rows(const uint2 (&in)[COLUMNS], int block)
    {
        constexpr float HALF = (float)(1 << (SALIENCY_ROW_SHIFT - 1));
        constexpr float STEP = 1.0f / (float)(1 << SALIENCY_ROW_SHIFT);
#pragma unroll
        for (int line = 0; line < 2; line++) {
            float sum[4];
            mma_begin(sum, across[line][0], in[0].x, in[0].y, HALF, HALF);
#pragma unroll
            for (int i = 1; i < COLUMNS; i++) {
                mma_add(sum, across[line][i], in[i].x, in[i].y);
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
                sum[i] = __fmaf_rd(sum[i], STEP, 1.5f * WHOLE) - 1.5f * WHOLE;
            }
#pragma unroll
            for (int side = 0; side < 2; side++) {
                sums[line][2 * block + side] =
                    bits_of(__floats2half2_rn(sum[2 * side], sum[2 * side + 1]));
            }
        }
    }

    /* Adds eight rows' |F - G|; `first`: the number of the first block that they have weights for
     */
    __device__ __forceinline__ void add_columns(int first, uint32_t planes, uint32_t (&total)[4])
    {
        constexpr float STEP = 1.0f / (float)(1 << SALIENCY_COARSE_SHIFT);
        float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
        for (int line = 0; line < 2; line++) { /* p takes q's weights */
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                const uint32_t *of = &sums[line][4 * i];
                const uint32_t a[4] = {of[0], of[1], of[2], of[3]};
                const auto &weights = down[1 - line][(2 * i + BLOCKS - first) % BLOCKS];
                mma_add(sum, a, weights[0], weights[1]);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            total[i] += planes * __float_as_uint(__fmaf_rd(fabsf(sum[i]), STEP, WHOLE));
        }
    }

    /* Rows alone, or the columns of a block, too, and the rows of the one that they do not reach
     * yet: neither waits for the other, and what both read is asked for first. */
    __device__ __forceinline__ void add_step(const uint2 *plane, int after, int block,
                                             uint32_t planes, uint4 *place)
    {
        uint2 in[COLUMNS];
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            in[i] = next[i];
        }
        fetch(plane, after);
        if (place) {
            const uint4 before = *place;
            uint32_t total[4] = {before.x, before.y, before.z, before.w};
            add_columns(block, planes, total);
            add_rows(in, block);
            *place = make_uint4(total[0], total[1], total[2], total[3]);
        } else {
            add_rows(in, block);
        }
    }

    /* blocks: of rows that are wanted, two at once; `after`: the plane whose first rows are asked
     * for behind its last ones, of which the last are not wanted. The loop is unrolled as far as
     * places in `sums` ask for it: more code than caches hold is waited for. */
    __device__ __forceinline__ void add_plane(const uint2 *plane, const uint2 *after, int blocks,
                                              uint32_t planes, uint4 *totals)
    {
#pragma unroll
        for (int i = 0; i < BLOCKS; i++) {
            add_step(plane, i + 1, i, planes, nullptr);
        }
#pragma unroll 1
        for (int first = 0; first < blocks; first += BLOCKS) {
#pragma unroll
            for (int i = 0; i < BLOCKS; i++) {
                if (i > 0 && i % 2 == 0 && first + i >= blocks) {
                    break;
                }
                const bool ends = i % 2 == 1 && first + i + 1 >= blocks;
                add_step(ends ? after : plane, ends ? 0 : BLOCKS + first + i + 1, i, planes,
                         &totals[(first + i) * 32]);
            }
        }
    }
};

/* The planes from the first-th on, each so many behind the one before. */
struct filter_share {
    int first, next, end;
};

template <int COLUMNS, int ROWS>
static __device__ __forceinline__ void add_scale(const saliency_cuda_frame &frame,
                                                 const filter_strip &strip,
                                                 const saliency_cuda_scale &scale,
                                                 const filter_share &share, filter_memory &memory)
{
    const int *bins = memory.bins.list;
    uint4 *totals = &memory.totals[threadIdx.y][0][threadIdx.x];
    const saliency_cuda_level &level = frame.levels[strip.level];
    const uint2 *planes = (const uint2 *)plane_at(frame, level, 0, 0);
    const int next = level.pitch / 4 * level.y.count;
    uint32_t added = 0;
    sample_walk<COLUMNS, ROWS> walk;
    clear_totals(totals);
    walk.load((const uint32_t *)frame.kernels + scale.kernel, level, strip);
    walk.fetch(planes + (int64_t)bins[share.first] * next, 0);
#pragma unroll 1
    for (int i = share.first; i < share.end; i += share.next) {
        const int after = i + share.next < share.end ? i + share.next : i;
        const uint32_t like = (uint32_t)(bins[i + 1] - bins[i]);
        walk.add_plane(planes + (int64_t)bins[i] * next, planes + (int64_t)bins[after] * next,
                       (strip.height + 7) / 8, like, totals);
        added += like;
    }
    write_totals(response_of(frame, scale, frame.layer_first + blockIdx.z), scale, strip.x, strip.y,
                 totals, added * WHOLE_BITS);
}

/* Matrix instructions of a plane */
static __device__ __forceinline__ int filter_cost(int reach)
{
    const int rows = SALIENCY_CUDA_STRIP_ROWS(reach);
    return (STRIP_BLOCKS + 2 * rows - 1) * 2 * SALIENCY_CUDA_FILTER_COLUMNS(reach) +
           STRIP_BLOCKS * 2 * rows;
}

/* Each warp has a scale, about as many of them as it costs, and every n-th of its planes. All go
 * through the planes side by side, so that one finds in the cache what another has read. The result
 * is the scale. */
static __device__ __forceinline__ uint32_t share_of_warp(const saliency_cuda_frame &frame,
                                                         const saliency_cuda_level &level, int warp,
                                                         int last, filter_share &share)
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
        end = (before * SALIENCY_CUDA_FILTER_WARPS + cost / 2) / cost;
        scale = i;
    }
    share = {(int)blockIdx.y + (warp - first) * (int)gridDim.y, (end - first) * (int)gridDim.y,
             last};
    return scale;
}

static __device__ __forceinline__ void make_filtered(const saliency_cuda_frame &frame,
                                                     filter_memory &memory)
{
    const filter_strip strip = strip_of_block(frame);
    const int warp = __shfl_sync(~0u, (int)threadIdx.y, 0); /* as all lanes have it */
    const int last = find_planes(frame, strip, memory.bins, warp * 32 + (int)threadIdx.x) - 1;
    filter_share share;
    const saliency_cuda_scale &scale =
        frame.scales[share_of_warp(frame, frame.levels[strip.level], warp, last, share)];
    const int columns = SALIENCY_CUDA_FILTER_COLUMNS(scale.reach);
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

#endif
