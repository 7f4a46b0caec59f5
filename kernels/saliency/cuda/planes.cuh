/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes of coarser levels: halves of whole numbers, the processor's. A level is made from the next
 * finer one, step 2 from bins, by products of matrices. A block has a strip of 32 samples and 16
 * rows of them, and the bins that these reach; a warp has a half of it, of some of the planes that
 * differ there:
 *
 *     rows      16 samples x 8 finer rows = weights (16 x 48) times what they read (48 x 8), five
 *               times; of step 2 bytes of 0 and -1, whose sums need no rounding, as pixels are all
 *               2048 on both sides of 0 and the weights come to 2^8
 *     columns   16 rows x 8 samples = weights (16 x 40) times sums of rows (40 x 8), twice
 *
 * D of rows is, as halves, B of columns: nothing leaves registers. Rows of weights are in an order
 * that gives a lane four samples behind each other.
 *
 * A layer's bins have planes: 2 bytes a sample each, 256 at most. Those between two bins of a strip
 * are the same, and are written so many times. Coarser levels wait for the planes that they read.
 */
#pragma once

#include "plane_rows.cuh"

DEVICE plane_place plane_place_of(const saliency_cuda_level &level)
{
    const int across = level.pitch / PLANE_WIDTH;
    const int j = (int)blockIdx.x / across * PLANE_HEIGHT;
    return {(int)blockIdx.x % across * PLANE_WIDTH, j, min(PLANE_HEIGHT, level.y.count - j)};
}

DEVICE const unsigned char *bins_of_layer(const saliency_cuda_frame &frame)
{
    return (const unsigned char *)frame.bins +
           (int64_t)(frame.layer_first + blockIdx.z) * frame.width_px * frame.height_px;
}

/* The mask of a row's segment. */
DEVICE uint32_t *mask_at(const saliency_cuda_frame &frame, const saliency_cuda_level &level, int i,
                         int j)
{
    const int segment = j * (level.pitch / SALIENCY_CUDA_MASK_WIDTH) + i / SALIENCY_CUDA_MASK_WIDTH;
    return (uint32_t *)frame.masks_at +
           ((int64_t)blockIdx.z * frame.masks + level.mask + segment) * MASK_WORDS;
}

/* ---- Bins */

/* Loads the pixels that the strip reads. */
DEVICE void load_pixels(const saliency_cuda_frame &frame, const saliency_cuda_level &level,
                        const plane_place &place, plane_memory &memory, int thread)
{
    const unsigned char *bins = bins_of_layer(frame);
    const int x = (level.x.first + place.i - SALIENCY_CUDA_PLANE_BEFORE) * 2 - SALIENCY_HALF_REACH;
    const int y = (level.y.first + place.j) * 2 - SALIENCY_HALF_REACH;
#pragma unroll 4
    for (int i = thread; i < PLANE_ROWS * PLANE_WORDS; i += STRIP_THREADS) {
        const int64_t line = clamped(y + i / PLANE_WORDS, 0, frame.height_px - 1);
        memory.region[i / PLANE_WORDS][i % PLANE_WORDS] =
            load_four(bins + line * frame.width_px, x + 4 * (i % PLANE_WORDS), frame.width_px);
    }
}

/* A thread finds the bins of half a row of pixels. */
DEVICE void mask_pixels(plane_memory &memory, int thread)
{
    for (int i = thread; i < PLANE_ROWS * PLANE_HALVES; i += STRIP_THREADS) {
        const int row = i / PLANE_HALVES;
        const int first = i % PLANE_HALVES * (SALIENCY_CUDA_MASK_WIDTH / 2);
        uint32_t own[MASK_WORDS] = {};
        for (int word = first; word < first + SALIENCY_CUDA_MASK_WIDTH / 2 + 2; word++) {
            add_bits(memory.region[row][word], 0, 0, 4, own);
        }
#pragma unroll
        for (int k = 0; k < MASK_WORDS; k++) {
            memory.masks[row][i % PLANE_HALVES][k] = own[k];
        }
    }
}

/* The finer level's pair of numbers that number i of this one begins at, and its row. */
DEVICE int finer_pair(const saliency_cuda_level &level, int i)
{
    constexpr int BEFORE = SALIENCY_CUDA_PLANE_BEFORE / 2 + SALIENCY_HALF_REACH;
    return clamped(i - BEFORE, 0, level.stored / 2 - 1);
}

DEVICE int finer_row(const saliency_cuda_level &level, int row)
{
    return clamped(row - 2 * SALIENCY_HALF_REACH, 0, level.y.count - 1);
}

/* Finds the bins of the finer level's rows, by its masks. */
DEVICE void mask_samples(const saliency_cuda_frame &frame, const saliency_cuda_level &finer,
                         const plane_place &place, plane_memory &memory, int thread)
{
    for (int i = thread; i < PLANE_ROWS * PLANE_HALVES * MASK_WORDS; i += STRIP_THREADS) {
        const int row = i / (PLANE_HALVES * MASK_WORDS);
        const int half = i / MASK_WORDS % PLANE_HALVES;
        const int first = place.i + half * SALIENCY_CUDA_MASK_WIDTH;
        const int last = first + SALIENCY_CUDA_MASK_WIDTH + PLANE_PAIRS - 2;
        uint32_t own = 0;
        for (int segment = finer_pair(finer, first) / (SALIENCY_CUDA_MASK_WIDTH / 2);
             segment <= finer_pair(finer, last) / (SALIENCY_CUDA_MASK_WIDTH / 2); segment++) {
            own |= mask_at(frame, finer, segment * SALIENCY_CUDA_MASK_WIDTH,
                           finer_row(finer, 2 * place.j + row))[i % MASK_WORDS];
        }
        memory.masks[row][half][i % MASK_WORDS] = own;
    }
}

/* Writes which bins each half of a row of samples reads. The result is how many the strip has. */
DEVICE int find_planes(const saliency_cuda_frame &frame, const saliency_cuda_level &level,
                       const plane_place &place, plane_memory &memory, int thread)
{
    const int word = thread % MASK_WORDS;
    const int half = thread / MASK_WORDS % PLANE_HALVES;
    uint32_t all = 0;
    for (int j = thread / (MASK_WORDS * PLANE_HALVES); j < place.height;
         j += STRIP_THREADS / (MASK_WORDS * PLANE_HALVES)) {
        uint32_t own = 0;
#pragma unroll
        for (int row = 0; row < PLANE_TAPS; row++) {
            own |= memory.masks[2 * j + row][half][word];
        }
        if (blockIdx.y == 0) {
            mask_at(frame, level, place.i + half * SALIENCY_CUDA_MASK_WIDTH, place.j + j)[word] =
                own;
        }
        all |= own;
    }
    add_word(memory.bins, all, thread);
    __syncthreads();
    return list_bins(memory.bins, present_of(frame, frame.layer_first + blockIdx.z), thread);
}

/* ---- Planes */

/* Writes four samples of so many planes, which are the same, from `plane` on. */
DEVICE void write_four(uint16_t *plane, int64_t next, int planes, uint2 four)
{
    for (int i = 0; i < planes; i++) {
        *(uint2 *)(plane + i * next) = four;
    }
}

/* The lane's samples of a plane, and of those that are like it: four of two rows, 8 rows apart */
template <typename Rows>
DEVICE void make_plane(Rows &rows, const plane_columns &columns, int height, uint16_t *plane,
                       int pitch, int64_t next, int planes)
{
    uint32_t sums[2][PLANE_BLOCKS];
    float made[2][4];
#pragma unroll
    for (int block = 0; block < PLANE_BLOCKS; block++) {
        rows.add(block, sums[0][block], sums[1][block]);
    }
#pragma unroll
    for (int eight = 0; eight < 2; eight++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            made[eight][i] = Rows::BEGIN;
        }
        columns.add(sums[eight], made[eight]);
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const uint2 four = {mma_rounded(made[0][2 * i], made[0][2 * i + 1]),
                            mma_rounded(made[1][2 * i], made[1][2 * i + 1])};
        if ((int)threadIdx.x / 4 + 8 * i < height) {
            write_four(plane + 8 * i * pitch, next, planes, four);
        }
    }
}

/* Planes below the first bin have no pixel. */
DEVICE void clear_planes(const saliency_cuda_frame &frame, const saliency_cuda_level &level,
                         const plane_place &place, int planes)
{
    const int64_t next = (int64_t)level.pitch * level.y.count;
    const float none = -SALIENCY_SAMPLE_MIDDLE * SAMPLE_UNIT;
    const uint32_t pair = mma_rounded(none, none);
    const int thread = block_thread();
    const int fours = PLANE_WIDTH / 4;
    for (int i = thread; i < place.height * fours; i += STRIP_THREADS) {
        write_four(plane_at(frame, level, place.i + i % fours * 4, place.j + i / fours), next,
                   planes, make_uint2(pair, pair));
    }
}

/* A warp has every n-th plane. The last bin's has all pixels, and nothing reads it. Rows of a plane
 * are asked for while the one before it is made. */
template <typename Rows>
DEVICE void make_planes(const saliency_cuda_frame &frame, const saliency_cuda_level &level,
                        const plane_place &place, const present_bins &bins, int count, int warp,
                        Rows &rows)
{
    constexpr int WARPS = SALIENCY_CUDA_STRIP_WARPS / PLANE_HALVES; /* that share planes */
    const int lane = (int)threadIdx.x;
    const int64_t next = (int64_t)level.pitch * level.y.count;
    const int i0 = place.i + warp % PLANE_HALVES * SALIENCY_CUDA_MASK_WIDTH + lane % 4 * 4;
    uint16_t *to = plane_at(frame, level, i0, place.j + lane / 4);
    plane_columns columns;
    columns.load(Rows::UNIT);
    if (blockIdx.y == 0) {
        clear_planes(frame, level, place, bins.planes[0]);
    }
    const int step = WARPS * (int)gridDim.y;
    const int first = warp / PLANE_HALVES + (int)blockIdx.y * WARPS;
    const int end = count > 0 && bins.list[count - 1] == SALIENCY_BINS - 1 ? count - 1 : count;
    if (first < end) {
        rows.ask(bins, first);
    }
#pragma unroll 1
    for (int i = first; i < end; i += step) {
        const int plane = bins.planes[i];
        rows.choose(bins, i, i + step < end ? i + step : i);
        make_plane(rows, columns, place.height, to + plane * next, level.pitch, next,
                   bins.planes[i + 1] - plane);
    }
}

/* The first is step 2. */
DEVICE void make_first_planes(const saliency_cuda_frame &frame, plane_memory &memory)
{
    const saliency_cuda_level &level = frame.levels[frame.level];
    const plane_place place = plane_place_of(level);
    const int thread = block_thread();
    const int warp = block_warp();
    pixel_rows rows;
    clear_bins(memory.bins, thread);
    load_pixels(frame, level, place, memory, thread);
    __syncthreads();
    mask_pixels(memory, thread);
    __syncthreads();
    const int count = find_planes(frame, level, place, memory, thread);
    rows.begin(memory, warp % PLANE_HALVES);
    make_planes(frame, level, place, memory.bins, count, warp, rows);
}

DEVICE void make_next_planes(const saliency_cuda_frame &frame, plane_memory &memory)
{
    const saliency_cuda_level &level = frame.levels[frame.level];
    const saliency_cuda_level &finer = frame.levels[frame.level - 1];
    const plane_place place = plane_place_of(level);
    const int thread = block_thread();
    const int warp = block_warp();
    sample_rows rows;
    clear_bins(memory.bins, thread);
    mask_samples(frame, finer, place, memory, thread);
    __syncthreads();
    const int count = find_planes(frame, level, place, memory, thread);
    rows.begin(frame, finer, place, warp % PLANE_HALVES);
    make_planes(frame, level, place, memory.bins, count, warp, rows);
}
