/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's depths: of eight patch sizes the one whose pixels differ least from those of the
 * micro-image itself; of equal ones the larger.
 *
 *     base           an output pixel a thread, a patch size after the other
 *     sync, nosync   lines of 55 threads, as they render (lightfield_render.cu), and all patch
 *                    sizes, from the largest on, before the next micro-image below
 *
 * Bound by instructions for positions and by reads. */

#include "lightfield_pixels.cuh"

namespace {

__device__ constexpr int size_of(int k)
{
    return LIGHTFIELD_PAPER_FIRST_PX + k;
}

/* Returns the distance from the micro-image's edge to the pixel. */
__device__ float within(int q, int size)
{
    return ((float)q + 0.5f) * ((float)size * (1.0f / PATCH)) + (PITCH - (float)size) / 2;
}

template <int kLoad>
__device__ uint32_t sample(const lightfield_paper_params &p, place x, place y, int i, int j,
                           int size)
{
    return raw_at<kLoad>(
        p, (int)((float)(x.lens - i) * PITCH + within(x.q, size) + (float)(i * size)),
        (int)((float)(y.lens - j) * PITCH + within(y.q, size) + (float)(j * size)));
}

template <bool kVideo> __device__ int differ(uint32_t a, uint32_t b, int sum)
{
    if (kVideo) {
        return (int)ptx_sad4(a, b, (uint32_t)sum);
    }
    return sum + abs((int)(a & 255) - (int)(b & 255)) +
           abs((int)(a >> 8 & 255) - (int)(b >> 8 & 255)) +
           abs((int)(a >> 16 & 255) - (int)(b >> 16 & 255));
}

template <bool kResVect>
__device__ void store_size(const lightfield_paper_params &p, int x, int y, int size)
{
    store<kResVect>(p, x, y, (uint32_t)size * 0x10101u);
}

template <int kLoad, bool kResVect, bool kSyncAtEnd, bool kVideo>
__device__ void base(const lightfield_paper_params &p)
{
    const int out_x = blockIdx.x * blockDim.x + threadIdx.x;
    const bool inside = out_x < p.columns * PATCH;
    const place x = place_of(out_x);
    const place y = place_of(blockIdx.y);
    int least = INT32_MAX;
    int found = 0;
#pragma unroll 1
    for (int k = 0; k < SIZES; k++) {
        const uint32_t own = inside ? sample<kLoad>(p, x, y, 0, 0, size_of(k)) : 0;
        int sad = 0;
#pragma unroll 1
        for (int j = -RANGE; j <= RANGE; j++) {
#pragma unroll 1
            for (int i = -RANGE; i <= RANGE; i++) {
                if (inside && exists(p, x.lens - i, y.lens - j)) {
                    sad = differ<kVideo>(sample<kLoad>(p, x, y, i, j, size_of(k)), own, sad);
                }
                if (kSyncAtEnd) {
                    __syncthreads();
                }
            }
        }
        if (sad <= least) {
            least = sad;
            found = size_of(k);
        }
    }
    if (inside) {
        store_size<kResVect>(p, out_x, blockIdx.y, found);
    }
}

/* ---- Lines */

/* Adds what five micro-images above each other differ by; sums of a size are a line apart. */
template <int kLoad, typename Sad, bool kUnrolled>
__device__ void add_column(const lightfield_paper_params &p, place x, place y, int i, Sad *sums)
{
    uint32_t own[SIZES];
    int sad[SIZES];
    if (x.lens - i < 0 || x.lens - i >= p.columns) {
        return;
    }
#pragma unroll
    for (int k = 0; k < SIZES; k++) {
        own[k] = sample<kLoad>(p, x, y, 0, 0, size_of(k));
        sad[k] = 0;
    }
#pragma unroll(kUnrolled ? GROUPS : 1)
    for (int j = -RANGE; j <= RANGE; j++) {
        if (exists(p, x.lens - i, y.lens - j)) {
#pragma unroll
            for (int k = SIZES - 1; k >= 0; k--) {
                sad[k] = differ<true>(sample<kLoad>(p, x, y, i, j, size_of(k)), own[k], sad[k]);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < SIZES; k++) {
        sums[k * LINE] = (Sad)(sums[k * LINE] + sad[k]);
    }
    keep_in_memory();
}

template <typename Sad> __device__ void clear(Sad *sums)
{
#pragma unroll
    for (int k = 0; k < SIZES; k++) {
        sums[k * LINE] = 0;
    }
    keep_in_memory();
}

template <typename Sad> __device__ int least_of(const Sad *sums)
{
    int least = sums[0];
    int found = size_of(0);
#pragma unroll
    for (int k = 1; k < SIZES; k++) {
        const int sad = sums[k * LINE];
        found = sad <= least ? size_of(k) : found;
        least = sad <= least ? sad : least;
    }
    return found;
}

template <typename Sad> __device__ Sad *own_sums(int number, int lines)
{
    return (Sad *)shared_memory + (threadIdx.y * lines + number) * SIZES * LINE;
}

template <int kLoad, bool kResVect, typename Sad, bool kUnrolled, bool kEnds>
__device__ void sync_step(const lightfield_paper_params &p, part own, int out_y, int of, int &slot)
{
    const int group = threadIdx.x / PATCH;
    const place x = {of + group - RANGE, (int)threadIdx.x % PATCH};
    if (x.lens >= own.first && x.lens < own.end) {
        Sad *sums = own_sums<Sad>(0, 1) + slot * PATCH + x.q;
        add_column<kLoad, Sad, kUnrolled>(p, x, place_of(out_y), group - RANGE, sums);
        if (kEnds && group == 0) {
            store_size<kResVect>(p, x.lens * PATCH + x.q, out_y, least_of(sums));
            clear(sums);
        }
    }
    slot = slot == GROUPS - 1 ? 0 : slot + 1;
    __syncthreads();
}

template <int kLoad, bool kResVect, typename Sad, bool kUnrolled, int kBeginning>
__device__ void sync(const lightfield_paper_params &p)
{
    const part own = own_part(p);
    const int out_y = blockIdx.y * blockDim.y + threadIdx.y;
    const int begin = kBeginning == ONE_LOOP ? own.first - RANGE : own.first + RANGE;
    int slot = (threadIdx.x / PATCH + 1) % GROUPS;
    clear(own_sums<Sad>(0, 1) + threadIdx.x);
    __syncthreads();
#pragma unroll 1
    for (int of = own.first - RANGE; of < begin; of++) {
        sync_step<kLoad, kResVect, Sad, kUnrolled, false>(p, own, out_y, of, slot);
    }
#pragma unroll 1
    for (int of = begin; of < own.end + RANGE; of++) {
        sync_step<kLoad, kResVect, Sad, kUnrolled, true>(p, own, out_y, of, slot);
    }
}

template <typename Sad> __device__ void finish(Sad *sums, Sad *finished)
{
#pragma unroll
    for (int k = 0; k < SIZES; k++) {
        finished[k * LINE] = sums[k * LINE];
    }
    clear(sums);
}

template <int kLoad, bool kResVect, typename Sad, bool kUnrolled, int kBeginning>
__device__ void nosync(const lightfield_paper_params &p)
{
    const part own = own_part(p);
    const int out_y = blockIdx.y * blockDim.y + threadIdx.y;
    const place y = place_of(out_y);
    place x = {own.first + (int)threadIdx.x / PATCH, (int)threadIdx.x % PATCH};
    Sad *sums = own_sums<Sad>(0, 2) + threadIdx.x;
    Sad *finished = own_sums<Sad>(1, 2) + threadIdx.x;
    clear(sums);
#pragma unroll 1
    for (int of = own.first - RANGE; of < own.first + RANGE; of++) {
        if (x.lens < own.end && x.lens <= of + RANGE) {
            add_column<kLoad, Sad, kUnrolled>(p, x, y, x.lens - of, sums);
        }
    }
    if (kBeginning == APART_SYNC) {
        __syncthreads();
    }
#pragma unroll 1
    for (int round = own.first; round < own.end; round += GROUPS) {
#pragma unroll 1
        for (int step = 0; step < GROUPS; step++) {
            const int of = round + step + RANGE;
            if (x.lens < own.end && x.lens <= of + RANGE) {
                add_column<kLoad, Sad, kUnrolled>(p, x, y, x.lens - of, sums);
            }
            if (x.lens == of - RANGE) {
                finish(sums, finished);
                x.lens += GROUPS;
            }
        }
        const int out_lens = round + threadIdx.x / PATCH;
        if (out_lens < own.end) {
            store_size<kResVect>(p, out_lens * PATCH + x.q, out_y, least_of(finished));
        }
    }
}

} // namespace

#define BASE(name, load, resvect, syncatend, video)                                                \
    KERNEL(depth, name, BASE_THREADS, base<load, resvect, syncatend, video>)
#define SYNC(name, load, resvect, sad, unrolled, beginning)                                        \
    KERNEL(depth, name, LINE_THREADS, sync<load, resvect, sad, unrolled, beginning>)
#define NOSYNC(name, load, resvect, sad, unrolled, beginning)                                      \
    KERNEL(depth, name, LINE_THREADS, nosync<load, resvect, sad, unrolled, beginning>)
LIGHTFIELD_PAPER_DEPTH_BASE(BASE)
LIGHTFIELD_PAPER_DEPTH_SYNC(SYNC)
LIGHTFIELD_PAPER_DEPTH_NOSYNC(NOSYNC)
