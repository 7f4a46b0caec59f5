/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's rendering.
 *
 *     base     Algorithm 1: an output pixel a thread
 *     sync     a line of 55 threads reads micro-images from left to right, each thread the same
 *              pixel of each; sums lie in shared memory, and the group whose micro-image is the
 *              last of an output pixel writes it
 *     nosync   the same, and a thread keeps its output pixel and moves its place in the
 *              micro-images instead; all write together after five of them
 *
 * With the corrected sign of Algorithm 1 the group that writes is the first and not the fifth.
 * copy and transpose are what the paper compares bandwidths with. Bound by memory, and by the
 * instructions for positions. */

#include "lightfield_pixels.cuh"

namespace {

/* ---- Samples and their weights */

template <int kLoad>
__device__ void add_sample(const lightfield_paper_params &p, place x, place y, int i, int j,
                           int4 &sum)
{
    const float middle = (PITCH - PATCH) / 2;
    const int at_x = x.q + i * PATCH;
    const int at_y = y.q + j * PATCH;
    const uint32_t pixel = raw_at<kLoad>(p, (int)((float)(x.lens - i) * PITCH + middle + at_x),
                                         (int)((float)(y.lens - j) * PITCH + middle + at_y));
    const int weight = __ldg((const int *)p.weights +
                             (at_y + (int)middle) * LIGHTFIELD_PAPER_MAP_PX + at_x + (int)middle);
    sum.x += weight * (int)(pixel & 255);
    sum.y += weight * (int)(pixel >> 8 & 255);
    sum.z += weight * (int)(pixel >> 16 & 255);
    sum.w += weight;
}

template <bool kDivAsMul> __device__ uint32_t mean(const lightfield_paper_params &p, int4 sum)
{
    if (kDivAsMul) {
        const float part = __ldg((const float *)p.parts + sum.w);
        return (uint32_t)((float)sum.x * part) | (uint32_t)((float)sum.y * part) << 8 |
               (uint32_t)((float)sum.z * part) << 16;
    }
    return (uint32_t)(sum.x / sum.w) | (uint32_t)(sum.y / sum.w) << 8 |
           (uint32_t)(sum.z / sum.w) << 16;
}

template <int kLoad, bool kResVect, bool kDivAsMul, bool kSyncAtEnd, bool kUnrolled>
__device__ void base(const lightfield_paper_params &p)
{
    const int out_x = blockIdx.x * blockDim.x + threadIdx.x;
    const bool inside = out_x < p.columns * PATCH;
    const place x = place_of(out_x);
    const place y = place_of(blockIdx.y);
    int4 sum = {0, 0, 0, 0};
#pragma unroll(kUnrolled ? GROUPS : 1)
    for (int j = -RANGE; j <= RANGE; j++) {
#pragma unroll(kUnrolled ? GROUPS : 1)
        for (int i = -RANGE; i <= RANGE; i++) {
            if (inside && exists(p, x.lens - i, y.lens - j)) {
                add_sample<kLoad>(p, x, y, i, j, sum);
            }
            if (kSyncAtEnd) {
                __syncthreads();
            }
        }
    }
    if (inside) {
        store<kResVect>(p, out_x, blockIdx.y, mean<kDivAsMul>(p, sum));
    }
}

/* ---- Lines: of five micro-images above each other, what they add to one output pixel */

template <int kLoad, bool kUnrolled>
__device__ int4 column(const lightfield_paper_params &p, place x, place y, int i)
{
    int4 sum = {0, 0, 0, 0};
#pragma unroll(kUnrolled ? GROUPS : 1)
    for (int j = -RANGE; j <= RANGE; j++) {
        if (exists(p, x.lens - i, y.lens - j)) {
            add_sample<kLoad>(p, x, y, i, j, sum);
        }
    }
    return sum;
}

/* Sums of a line, as int4[55] or int[4][55]; behind them, of NOSYNC, what is finished. */
template <int kLayout> struct sums {
    int *memory;
    int4 registers;

    __device__ int4 at(int i) const
    {
        return kLayout == REGISTERS ? registers
               : kLayout == AOS
                   ? ((const int4 *)memory)[i]
                   : int4{memory[i], memory[LINE + i], memory[2 * LINE + i], memory[3 * LINE + i]};
    }
    __device__ void set(int i, int4 sum)
    {
        if (kLayout == REGISTERS) {
            registers = sum;
        } else if (kLayout == AOS) {
            ((int4 *)memory)[i] = sum;
        } else {
            memory[i] = sum.x;
            memory[LINE + i] = sum.y;
            memory[2 * LINE + i] = sum.z;
            memory[3 * LINE + i] = sum.w;
        }
        keep_in_memory();
    }
    __device__ void add(int i, int4 more)
    {
        const int4 sum = at(i);
        set(i, {sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w});
    }
};

__device__ int *own_line(int number, int lines)
{
    return (int *)shared_memory + (threadIdx.y * lines + number) * 4 * LINE;
}

/* A step: the micro-image whose own output pixels are `of`. */
template <int kLoad, bool kResVect, bool kDivAsMul, int kLayout, bool kUnrolled, bool kEnds>
__device__ void sync_step(const lightfield_paper_params &p, part own, int out_y, int of, int &slot,
                          sums<kLayout> &line)
{
    const int group = threadIdx.x / PATCH;
    const place x = {of + group - RANGE, (int)threadIdx.x % PATCH};
    if (x.lens >= own.first && x.lens < own.end) {
        const int at = slot * PATCH + x.q;
        line.add(at, column<kLoad, kUnrolled>(p, x, place_of(out_y), group - RANGE));
        if (kEnds && group == 0) {
            store<kResVect>(p, x.lens * PATCH + x.q, out_y, mean<kDivAsMul>(p, line.at(at)));
            line.set(at, {0, 0, 0, 0});
        }
    }
    slot = slot == GROUPS - 1 ? 0 : slot + 1;
    __syncthreads();
}

template <int kLoad, bool kResVect, bool kDivAsMul, int kLayout, bool kUnrolled, int kBeginning>
__device__ void sync(const lightfield_paper_params &p)
{
    const part own = own_part(p);
    const int out_y = blockIdx.y * blockDim.y + threadIdx.y;
    const int begin = kBeginning == ONE_LOOP ? own.first - RANGE : own.first + RANGE;
    int slot = (threadIdx.x / PATCH + 1) % GROUPS;
    sums<kLayout> line = {own_line(0, 1)};
    line.set(threadIdx.x, {0, 0, 0, 0});
    __syncthreads();
#pragma unroll 1
    for (int of = own.first - RANGE; of < begin; of++) {
        sync_step<kLoad, kResVect, kDivAsMul, kLayout, kUnrolled, false>(p, own, out_y, of, slot,
                                                                         line);
    }
#pragma unroll 1
    for (int of = begin; of < own.end + RANGE; of++) {
        sync_step<kLoad, kResVect, kDivAsMul, kLayout, kUnrolled, true>(p, own, out_y, of, slot,
                                                                        line);
    }
}

template <int kLoad, bool kResVect, bool kDivAsMul, int kLayout, int kUnrolled, int kBeginning>
__device__ void nosync(const lightfield_paper_params &p)
{
    const part own = own_part(p);
    const int out_y = blockIdx.y * blockDim.y + threadIdx.y;
    const place y = place_of(out_y);
    const int thread = threadIdx.x;
    place x = {own.first + thread / PATCH, thread % PATCH};
    sums<kLayout> line = {own_line(0, 2)};
    sums<kLayout> finished = {own_line(1, 2)};
    line.set(thread, {0, 0, 0, 0});
    if (kBeginning != ONE_LOOP) {
#pragma unroll(kUnrolled > 1 ? 2 * RANGE : 1)
        for (int of = own.first - RANGE; of < own.first + RANGE; of++) {
            if (x.lens < own.end && x.lens <= of + RANGE) {
                line.add(thread, column<kLoad, (kUnrolled > 0)>(p, x, y, x.lens - of));
            }
        }
    }
    if (kBeginning == APART_SYNC) {
        __syncthreads();
    }
    /* In one loop, the first round has the steps of the beginning and ends none but the first. */
    const int before = kBeginning == ONE_LOOP ? GROUPS : 0;
#pragma unroll 1
    for (int round = own.first - before; round < own.end; round += GROUPS) {
#pragma unroll(kUnrolled > 1 ? GROUPS : 1)
        for (int step = 0; step < GROUPS; step++) {
            const int of = round + step + RANGE;
            if (x.lens < own.end && x.lens <= of + RANGE) {
                line.add(thread, column<kLoad, (kUnrolled > 0)>(p, x, y, x.lens - of));
            }
            if (x.lens == of - RANGE) {
                finished.set(thread, line.at(thread));
                line.set(thread, {0, 0, 0, 0});
                x.lens += GROUPS;
            }
        }
        const int out_lens = round + thread / PATCH;
        if (out_lens >= own.first && out_lens < own.end) {
            store<kResVect>(p, out_lens * PATCH + x.q, out_y,
                            mean<kDivAsMul>(p, finished.at(thread)));
        }
    }
}

/* ---- What bandwidths are compared with: a raw picture as it is, and turned over */

__device__ void copy(const lightfield_paper_params &p)
{
    const size_t words = (size_t)p.row_bytes / 16 * p.raw_height_px;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words) {
        ((uint4 *)p.dst)[i] = __ldg((const uint4 *)p.raw + i);
    }
}

#define TURN 32
#define TURN_ROWS 8 /* of threads */

__device__ void transpose(const lightfield_paper_params &p)
{
    uint32_t *tile = (uint32_t *)shared_memory;
    const int width = p.row_bytes / 4;
    const int from_x = blockIdx.x * TURN + threadIdx.x;
    for (int y = threadIdx.y; y < TURN; y += TURN_ROWS) {
        const int from_y = blockIdx.y * TURN + y;
        if (from_x < width && from_y < p.raw_height_px) {
            tile[y * (TURN + 1) + threadIdx.x] =
                __ldg((const uint32_t *)p.raw + (size_t)from_y * width + from_x);
        }
    }
    __syncthreads();
    const int to_x = blockIdx.y * TURN + threadIdx.x;
    for (int y = threadIdx.y; y < TURN; y += TURN_ROWS) {
        const int to_y = blockIdx.x * TURN + y;
        if (to_x < p.raw_height_px && to_y < width) {
            ((uint32_t *)p.dst)[(size_t)to_y * p.raw_height_px + to_x] =
                tile[threadIdx.x * (TURN + 1) + y];
        }
    }
}

} // namespace

#define BASE(name, load, resvect, divasmul, syncatend, unrolled)                                   \
    KERNEL(render, name, BASE_THREADS, base<load, resvect, divasmul, syncatend, unrolled>)
#define SYNC(name, load, resvect, divasmul, layout, unrolled, beginning)                           \
    KERNEL(render, name, LINE_THREADS, sync<load, resvect, divasmul, layout, unrolled, beginning>)
#define NOSYNC(name, load, resvect, divasmul, layout, unrolled, beginning)                         \
    KERNEL(render, name, LINE_THREADS, nosync<load, resvect, divasmul, layout, unrolled, beginning>)
LIGHTFIELD_PAPER_RENDER_BASE(BASE)
LIGHTFIELD_PAPER_RENDER_SYNC(SYNC)
LIGHTFIELD_PAPER_RENDER_NOSYNC(NOSYNC)
KERNEL(raw, copy, 256, copy)
KERNEL(raw, transpose, TURN *TURN_ROWS, transpose)
