/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes of coarser levels: halves of whole numbers, the processor's. A level is made from the next
 * finer one, step 2 from bins. A block has a strip of 32 samples and 16 rows of them, and the bins
 * that these reach; a warp has some of the planes that differ there, a lane a column of samples. It
 * goes down the rows: two sums along rows of the finer level for each sample, which is the sum of
 * the last nine.
 *
 * Step 2 sums the weights of pixels that are in the plane, four bytes at once. The sums need no
 * rounding along rows, as pixels are all 2048 on both sides of 0 and the weights come to 2^8.
 *
 * Planes between two bins of a strip are the same, and are written so many times: 256 bytes a
 * sample, which bounds step 2. Coarser levels wait for the planes that they read. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_PLANES_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_PLANES_CUH

#include "present.cuh"

#include <cuda_fp16.h>

#define PLANE_THREADS (32 * SALIENCY_CUDA_STRIP_WARPS)
#define PLANE_WIDTH SALIENCY_CUDA_SEGMENT
#define PLANE_HEIGHT SALIENCY_CUDA_PLANE_HEIGHT
#define PLANE_HALVES (PLANE_WIDTH / SALIENCY_CUDA_MASK_WIDTH) /* of a row: each has a mask */
#define PLANE_TAPS (2 * SALIENCY_HALF_REACH + 1)
#define PLANE_ROWS (2 * (PLANE_HEIGHT - 1) + PLANE_TAPS) /* of the finer level */
#define PLANE_WORDS (PLANE_WIDTH / 2 + 2) /* of four bins of a row */
#define PLANE_PAIRS (SALIENCY_HALF_REACH + 1) /* words of two samples that one reads of a row */
#define PLANE_WHOLE 12582912.0f /* 3 * 2^22: floats around it are whole numbers */

struct plane_memory {
    present_bins bins;
    uint32_t region[PLANE_ROWS][PLANE_WORDS];
    uint32_t masks[PLANE_ROWS][PLANE_HALVES][MASK_WORDS];
};

struct plane_place {
    int i, j; /* the first number, and its row */
    int height; /* rows of samples that there are */
};

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

/* The first plane's number i of row j, and the mask of its segment. */
DEVICE uint16_t *plane_at(const saliency_cuda_frame &frame, const saliency_cuda_level &level, int i,
                          int j)
{
    return (uint16_t *)frame.planes + blockIdx.z * frame.plane_samples + level.plane +
           (int64_t)j * level.pitch + i;
}

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
    for (int i = thread; i < PLANE_ROWS * PLANE_WORDS; i += PLANE_THREADS) {
        const int64_t line = clamped(y + i / PLANE_WORDS, 0, frame.height_px - 1);
        memory.region[i / PLANE_WORDS][i % PLANE_WORDS] =
            load_four(bins + line * frame.width_px, x + 4 * (i % PLANE_WORDS), frame.width_px);
    }
}

/* A thread finds the bins of half a row of pixels. */
DEVICE void mask_pixels(plane_memory &memory, int thread)
{
    for (int i = thread; i < PLANE_ROWS * PLANE_HALVES; i += PLANE_THREADS) {
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
    for (int i = thread; i < PLANE_ROWS * PLANE_HALVES * MASK_WORDS; i += PLANE_THREADS) {
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
         j += PLANE_THREADS / (MASK_WORDS * PLANE_HALVES)) {
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
    atomicOr(&memory.bins.mask[word], all);
    __syncthreads();
    return list_bins(memory.bins, thread);
}

/* ---- Planes */

/* Returns the sum of nine numbers, each times its weight. */
template <typename Number> DEVICE Number weighted(const Number (&of)[PLANE_TAPS], Number begin)
{
    Number sum = begin;
#pragma unroll
    for (int i = 0; i < PLANE_TAPS; i++) {
        const int distance =
            i < SALIENCY_HALF_REACH ? SALIENCY_HALF_REACH - i : i - SALIENCY_HALF_REACH;
        sum += (Number)saliency_half_weight(distance) * of[i];
    }
    return sum;
}

/* A lane's column of pixels, of which it has two more rows for each sample. */
struct pixel_column {
    typedef uint32_t number;
    static constexpr uint32_t TOP = 0x80808080u; /* of bytes */

    const uint32_t *words;
    uint32_t weights[3]; /* of twelve pixels; odd samples begin two on */
    uint32_t v; /* four bytes of the plane's bin, and 128 */

    __device__ __forceinline__ void begin(const plane_memory &memory)
    {
        const bool odd = threadIdx.x % 2 != 0;
        words = memory.region[0] + threadIdx.x / 2;
        weights[0] = odd ? 0x08010000u : 0x381c0801u;
        weights[1] = odd ? 0x3846381cu : 0x081c3846u;
        weights[2] = odd ? 0x0001081cu : 0x00000001u;
    }

    __device__ __forceinline__ void choose(int bin)
    {
        v = (uint32_t)(bin | 128) * 0x01010101u;
    }

    /* The result: 128 times the weights of pixels that are in the plane. */
    __device__ __forceinline__ uint32_t row(int number) const
    {
        uint32_t sum = 0;
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const uint32_t in = (v - words[number * PLANE_WORDS + i]) & TOP;
            sum = __dp4a(in, weights[i], sum);
        }
        return sum;
    }

    DEVICE float sample(const uint32_t (&rows)[PLANE_TAPS])
    {
        const uint32_t large = 0x4b400000u + (weighted(rows, 1u << 10) >> 11);
        return __int_as_float((int)large) - (PLANE_WHOLE + SALIENCY_SAMPLE_MIDDLE);
    }
};

/* A lane's column of a finer level's samples. Words of two beyond those stored are like the
 * outermost. */
struct sample_column {
    typedef float number;

    const uint32_t *planes, *own;
    int64_t next;
    int pairs[PLANE_PAIRS];
    int first, last, pitch; /* rows, which are words */

    __device__ __forceinline__ void begin(const saliency_cuda_frame &frame,
                                          const saliency_cuda_level &finer,
                                          const plane_place &place)
    {
        planes = (const uint32_t *)plane_at(frame, finer, 0, 0);
        pitch = finer.pitch / 2;
        next = (int64_t)pitch * finer.y.count;
        first = 2 * (place.j - SALIENCY_HALF_REACH);
        last = finer.y.count - 1;
#pragma unroll
        for (int i = 0; i < PLANE_PAIRS; i++) {
            pairs[i] = finer_pair(finer, place.i + (int)threadIdx.x + i);
        }
    }

    __device__ __forceinline__ void choose(int bin)
    {
        own = planes + bin * next;
    }

    DEVICE float rounded(float sum)
    {
        constexpr float PART = 1.0f / (float)(1 << SALIENCY_HALF_SHIFT);
        return __fmaf_rd(sum, PART, PLANE_WHOLE) - PLANE_WHOLE;
    }

    DEVICE float sample(const float (&rows)[PLANE_TAPS])
    {
        return rounded(weighted(rows, (float)(1 << (SALIENCY_HALF_SHIFT - 1))));
    }

    __device__ __forceinline__ float row(int number) const
    {
        const uint32_t *from = own + clamped(first + number, 0, last) * pitch;
        float samples[PLANE_TAPS];
#pragma unroll
        for (int i = 0; i < PLANE_PAIRS; i++) {
            const uint32_t pair = from[pairs[i]];
            samples[2 * i] = __half2float(__ushort_as_half((unsigned short)(pair & 0xffffu)));
            if (2 * i + 1 < PLANE_TAPS) {
                samples[2 * i + 1] = __half2float(__ushort_as_half((unsigned short)(pair >> 16)));
            }
        }
        return sample(samples);
    }
};

/* Writes a sample of so many planes, which are the same, from `plane` on. */
DEVICE void write_sample(uint16_t *plane, int64_t next, int planes, float sample)
{
    const uint16_t half = __half_as_ushort(__float2half_rn(sample));
    for (int i = 0; i < planes; i++) {
        plane[i * next] = half;
    }
}

/* A plane's samples of the lane, and of the planes that are like it. */
template <typename Column>
DEVICE void make_plane(const Column &column, int height, uint16_t *plane, int pitch, int64_t next,
                       int planes)
{
    typename Column::number rows[PLANE_TAPS];
#pragma unroll
    for (int i = 2; i < PLANE_TAPS; i++) {
        rows[i] = column.row(i - 2);
    }
#pragma unroll 2
    for (int j = 0; j < height; j++) {
#pragma unroll
        for (int i = 0; i + 2 < PLANE_TAPS; i++) {
            rows[i] = rows[i + 2];
        }
        rows[PLANE_TAPS - 2] = column.row(2 * j + PLANE_TAPS - 2);
        rows[PLANE_TAPS - 1] = column.row(2 * j + PLANE_TAPS - 1);
        write_sample(plane + j * pitch, next, planes, Column::sample(rows));
    }
}

/* Each warp has every n-th plane. The last bin's has all pixels, and nothing reads it. */
template <typename Column>
DEVICE void make_planes(const saliency_cuda_frame &frame, const saliency_cuda_level &level,
                        const plane_place &place, const int *list, int count, Column &column)
{
    const int warp = __shfl_sync(~0u, (int)threadIdx.y, 0); /* as all lanes have it */
    const int64_t next = (int64_t)level.pitch * level.y.count;
    uint16_t *to = plane_at(frame, level, place.i + (int)threadIdx.x, place.j);
    if (blockIdx.y == 0) { /* planes below the first bin have no pixel */
        for (int j = warp; j < place.height; j += SALIENCY_CUDA_STRIP_WARPS) {
            write_sample(to + j * level.pitch, next, list[0], -SALIENCY_SAMPLE_MIDDLE);
        }
    }
#pragma unroll 1
    for (int i = warp + (int)blockIdx.y * SALIENCY_CUDA_STRIP_WARPS;
         i < count && list[i] < SALIENCY_BINS - 1;
         i += SALIENCY_CUDA_STRIP_WARPS * (int)gridDim.y) {
        column.choose(list[i]);
        make_plane(column, place.height, to + list[i] * next, level.pitch, next,
                   list[i + 1] - list[i]);
    }
}

/* The first is step 2. */
DEVICE void make_first_planes(const saliency_cuda_frame &frame, plane_memory &memory)
{
    const saliency_cuda_level &level = frame.levels[frame.level];
    const plane_place place = plane_place_of(level);
    const int thread = (int)(threadIdx.y * 32 + threadIdx.x);
    pixel_column column;
    clear_bins(memory.bins, thread);
    load_pixels(frame, level, place, memory, thread);
    __syncthreads();
    mask_pixels(memory, thread);
    __syncthreads();
    const int count = find_planes(frame, level, place, memory, thread);
    column.begin(memory);
    make_planes(frame, level, place, memory.bins.list, count, column);
}

DEVICE void make_next_planes(const saliency_cuda_frame &frame, plane_memory &memory)
{
    const saliency_cuda_level &level = frame.levels[frame.level];
    const saliency_cuda_level &finer = frame.levels[frame.level - 1];
    const plane_place place = plane_place_of(level);
    const int thread = (int)(threadIdx.y * 32 + threadIdx.x);
    sample_column column;
    clear_bins(memory.bins, thread);
    mask_samples(frame, finer, place, memory, thread);
    __syncthreads();
    const int count = find_planes(frame, level, place, memory, thread);
    column.begin(frame, finer, place);
    make_planes(frame, level, place, memory.bins.list, count, column);
}

#endif
