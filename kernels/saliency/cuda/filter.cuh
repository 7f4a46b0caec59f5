/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Coarser levels, from planes to responses: a block has a strip of 16 x 64 of a level's samples,
 * and every n-th pair of planes that differ there. It copies both with what lies around the strip,
 * and a warp takes one of them through the kernel of a scale (walk.cuh): the Gaussian that is left
 * of it, g, and the Laplacian of nine samples, D g (x) (g + D g / 6) + g (x) D g with D the second
 * difference. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_FILTER_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_FILTER_CUH

#include "levels.cuh"

#define FILTER_PITCH SALIENCY_CUDA_STRIP_PITCH(true)
#define FILTER_PLANES 2
#define FILTER_CHUNK 8 /* samples that are copied at once */
static_assert(SALIENCY_CUDA_STRIP_WARPS == FILTER_PLANES * SALIENCY_PER_OCTAVE, "");

struct alignas(16) filter_memory {
    uint32_t planes[FILTER_PLANES][STRIP_ROWS * FILTER_PITCH];
    present_bins bins;
};

struct filter_strip {
    int level;
    int sample; /* the column of its first sample among the planes' */
    int x, y; /* its first place, counted from the response's first */
    int reach; /* of the level's scales */
};

/* Strips begin at every 16th sample of the planes, so that they are copied 16 bytes at a time; the
 * response begins some later. */
static __device__ __forceinline__ filter_strip strip_of_block(const saliency_cuda_frame &frame)
{
    int number = (int)blockIdx.x;
    int level = 0;
    while (number >= frame.levels[level].tile_end) {
        level++;
    }
    const saliency_cuda_level &at = frame.levels[level];
    number -= level > 0 ? frame.levels[level - 1].tile_end : 0;
    const int sample = number % at.tiles_across * STRIP_WIDTH;
    filter_strip strip = {level, sample, sample - (at.x.out_first - at.x.first),
                          number / at.tiles_across * STRIP_HEIGHT, 0};
    for (uint32_t i = at.scale_first; i < at.scale_end; i++) {
        strip.reach = max(strip.reach, frame.scales[i].reach);
    }
    return strip;
}

/* The row of the planes at a place that counts from the response's first; those beyond are like the
 * outermost. */
static __device__ __forceinline__ int row_at(const saliency_cuda_axis &axis, int place)
{
    return clamped(axis.out_first + place - axis.first, 0, axis.count - 1);
}

/* Which planes differ in the strip: bins of the samples that it reads. */
static __device__ __forceinline__ int find_planes(const saliency_cuda_frame &frame,
                                                  const filter_strip &strip, filter_memory &memory,
                                                  int thread)
{
    const saliency_cuda_level &level = frame.levels[strip.level];
    const int most = level.x.count - 1;
    const int left = clamped(strip.sample - strip.reach, 0, most) / SALIENCY_CUDA_SEGMENT;
    const int right =
        clamped(strip.sample + STRIP_WIDTH - 1 + strip.reach, 0, most) / SALIENCY_CUDA_SEGMENT;
    const int across = right - left + 1;
    const int top = row_at(level.y, strip.y - strip.reach);
    const int down = row_at(level.y, strip.y + STRIP_HEIGHT - 1 + strip.reach) - top + 1;
    const int word = thread % MASK_WORDS;
    uint32_t own = 0;
    if (thread < MASK_WORDS) {
        memory.bins.mask[thread] = 0;
    }
    __syncthreads();
    for (int i = thread / MASK_WORDS; i < across * down; i += STRIP_THREADS / MASK_WORDS) {
        const int segment = left + i % across;
        own |= mask_at(frame, level, segment * SALIENCY_CUDA_SEGMENT, top + i / across)[word];
    }
#pragma unroll
    for (int lanes = MASK_WORDS; lanes < 32; lanes *= 2) {
        own |= __shfl_xor_sync(~0u, own, lanes);
    }
    if (thread % 32 < MASK_WORDS) {
        atomicOr(&memory.bins.mask[word], own);
    }
    __syncthreads();
    const int count = rank_bins(memory.bins, thread);
    __syncthreads();
    return count;
}

/* Samples of a row from `column` on. */
static __device__ __forceinline__ uint4 load_chunk(const uint16_t *row, int column, int count)
{
    if (column >= 0 && column + FILTER_CHUNK <= count) {
        return *(const uint4 *)(row + column);
    }
    uint32_t two[FILTER_CHUNK / 2];
#pragma unroll
    for (int i = 0; i < FILTER_CHUNK / 2; i++) {
        two[i] = row[clamped(column + 2 * i, 0, count - 1)] |
                 (uint32_t)row[clamped(column + 2 * i + 1, 0, count - 1)] << 16;
    }
    return make_uint4(two[0], two[1], two[2], two[3]);
}

/* rows: of the strip and of what lies around it. */
static __device__ __forceinline__ void copy_plane(const saliency_cuda_frame &frame,
                                                  const filter_strip &strip, int bin, int rows,
                                                  uint32_t *out, int thread)
{
    const saliency_cuda_level &level = frame.levels[strip.level];
    const uint16_t *plane =
        plane_at(frame, level, 0, 0) + (int64_t)bin * level.pitch * level.y.count;
    constexpr int CHUNKS = STRIP_COLUMNS / FILTER_CHUNK;
    static_assert(STRIP_THREADS % CHUNKS == 0, "a thread has a column of chunks");
    const int chunk = thread % CHUNKS;
    const int column = strip.sample - STRIP_LEFT + chunk * FILTER_CHUNK;
    for (int row = thread / CHUNKS; row < rows; row += STRIP_THREADS / CHUNKS) {
        const uint16_t *from =
            plane + (int64_t)row_at(level.y, strip.y - STRIP_ABOVE + row) * level.pitch;
        *(uint4 *)(out + row * FILTER_PITCH + chunk * FILTER_CHUNK / 2) =
            load_chunk(from, column, level.x.count);
    }
}

/* Warps of all scales go through planes together, each in a code of its own. */
static __device__ __forceinline__ void wait_for_block()
{
    ptx_barrier_sync<1, STRIP_THREADS>();
}

struct filter_share {
    filter_strip strip;
    int height; /* rows of the strip that the response has */
    int last; /* of the planes, behind those that count */
    bool works; /* the warp has a scale, and helps to copy otherwise */
};

/* The warp's one of each pair of planes. */
template <int COLUMNS, int ROWS>
static __device__ __forceinline__ void filter_scale(const saliency_cuda_frame &frame,
                                                    const filter_share &share,
                                                    const saliency_cuda_scale &scale,
                                                    filter_memory &memory)
{
    typedef plane_walk<COLUMNS, ROWS, true> walk_of;
    const int thread = (int)(threadIdx.y * 32 + threadIdx.x);
    const int own = (int)threadIdx.y / SALIENCY_PER_OCTAVE;
    const int rows = share.height + 2 * STRIP_ABOVE;
    const int *bins = memory.bins.list;
    walk_of walk;
    walk.load((const uint32_t *)frame.kernels + scale.kernel + threadIdx.x);
    const uint32_t *words = walk_of::words_of(memory.planes[own], scale.reach);
#pragma unroll 1
    for (int i = FILTER_PLANES * (int)blockIdx.y; i < share.last;
         i += FILTER_PLANES * (int)gridDim.y) {
        wait_for_block();
        for (int k = 0; k < FILTER_PLANES && i + k < share.last; k++) {
            copy_plane(frame, share.strip, bins[i + k], rows, memory.planes[k], thread);
        }
        wait_for_block();
        if (share.works && i + own < share.last) {
            walk.add_plane(words, 0, bins[i + own + 1] - bins[i + own], share.height);
        }
    }
    if (share.works) {
        const uint32_t image = (frame.layer_first + blockIdx.z) / (uint32_t)frame.channels;
        walk.write((int32_t *)frame.responses + image * frame.response_count + scale.offset, scale,
                   scale.width, scale.height, share.strip.x, share.strip.y);
    }
}

/* Behind the last bin of all a plane is one value, and its d is 0. */
static __device__ __forceinline__ void make_filtered(const saliency_cuda_frame &frame,
                                                     filter_memory &memory)
{
    const int thread = (int)(threadIdx.y * 32 + threadIdx.x);
    filter_share share;
    share.strip = strip_of_block(frame);
    const saliency_cuda_level &level = frame.levels[share.strip.level];
    const uint32_t number = level.scale_first + threadIdx.y % SALIENCY_PER_OCTAVE;
    share.height = min(STRIP_HEIGHT, level.y.out_count - share.strip.y);
    share.last = find_planes(frame, share.strip, memory, thread) - 1;
    share.works = number < level.scale_end;
    const saliency_cuda_scale &scale = frame.scales[share.works ? number : level.scale_first];
    if (FILTER_PLANES * (int)blockIdx.y < share.last) {
        OF_REACH(scale.reach, filter_scale, frame, share, scale, memory)
    }
}

#endif
