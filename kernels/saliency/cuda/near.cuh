/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes of coarser levels up to step 8, by products of matrices: the whole numbers that levels.cuh
 * has by additions. A sample's weights along a row, and along a column, are whole numbers of two
 * bytes, and so are sums along a row. A block has a strip of 16 samples and 16 or 32 rows of them,
 * and the bins of the pixels that these have weights for; a warp has some of the planes that differ
 * there, and goes down the pixels' rows:
 *
 *     rows      8 samples, high and low bytes x 8 rows of pixels = weights (16 x 32 to 128) times
 *               pixels, bytes of 0 and -1 (32 to 128 x 8)
 *     columns   16 samples x 8 rows of samples = sums of rows (16 x 32 to 128) times weights (32 to
 *               128 x 8), a half of them at a time, as 8 rows of samples reach twice as far as
 *               they are apart
 *
 * D of rows is, packed, A of columns: nothing leaves registers. Planes between two bins of a strip
 * are the same, and are written so many times: 256 bytes a sample, which bounds it. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_NEAR_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_NEAR_CUH

#include "kernels/cuda/mma.cuh"
#include "kernels/cuda/ptx_bytes.cuh"
#include "levels.cuh"

#define NEAR_THREADS (32 * SALIENCY_CUDA_NEAR_WARPS)
#define NEAR_WIDTH SALIENCY_CUDA_NEAR_WIDTH

/* Words of a row that 16 samples have weights for; rows are so far apart that a warp's words are in
 * different banks. */
#define NEAR_WORDS(step) (6 * (step))
#define NEAR_PITCH(step) ((step) == 2 ? 12 : 6 * (step) + 4)
/* Rows of pixels of a strip: what its blocks of 8 rows of samples have weights for */
#define NEAR_ROWS(step) (8 * (step) * (SALIENCY_CUDA_NEAR_HEIGHT(step) / 8 + 1))

struct near_memory {
    present_bins bins;
    uint32_t region[NEAR_ROWS(8) * NEAR_PITCH(8)]; /* bins */
    uint32_t masks[NEAR_ROWS(8)][MASK_WORDS]; /* of the rows */
    int32_t taps[SALIENCY_CUDA_NEAR_WEIGHTS]; /* by distance */
};
static_assert(NEAR_ROWS(4) <= NEAR_ROWS(8) && NEAR_ROWS(2) <= NEAR_ROWS(8), "");
static_assert(NEAR_PITCH(4) <= NEAR_PITCH(8) && NEAR_PITCH(2) <= NEAR_PITCH(8), "");

struct near_place {
    int level;
    int i, j; /* the first number, and its row */
    int height; /* rows of samples that there are */
};

static __device__ __forceinline__ near_place near_place_of(const saliency_cuda_frame &frame)
{
    const sample_place at = place_of_block(frame, true);
    const saliency_cuda_level &level = frame.levels[at.level];
    const int across = (level.stored + NEAR_WIDTH - 1) / NEAR_WIDTH;
    const int tall = SALIENCY_CUDA_NEAR_HEIGHT(level.step_px);
    const int j = at.block / across * tall;
    return {at.level, at.block % across * NEAR_WIDTH, j, min(tall, level.y.count - j)};
}

/* ---- Bins */

static __device__ __forceinline__ void load_near(const saliency_cuda_frame &frame,
                                                 const saliency_cuda_level &level,
                                                 const near_place &place, near_memory &memory,
                                                 int thread)
{
    const unsigned char *bins = bins_of_layer(frame);
    const int words = NEAR_WORDS(level.step_px);
    const int pitch = NEAR_PITCH(level.step_px);
    const int x =
        (level.x.first + place.i - SALIENCY_CUDA_PLANE_BEFORE) * level.step_px - level.reach_px;
    const int y = (level.y.first + place.j) * level.step_px - level.reach_px;
    const int rows = 8 * level.step_px * ((place.height + 7) / 8 + 1);
#pragma unroll 4
    for (int i = thread; i < rows * words; i += NEAR_THREADS) {
        const int row = i / words;
        const int64_t line = clamped(y + row, 0, frame.height_px - 1);
        memory.region[row * pitch + i % words] =
            load_four(bins + line * frame.width_px, x + 4 * (i % words), frame.width_px);
    }
}

/* A thread finds the bins of a row of pixels. */
static __device__ __forceinline__ void mask_rows(const saliency_cuda_level &level, int rows,
                                                 near_memory &memory, int thread)
{
    const int pitch = NEAR_PITCH(level.step_px);
    const int last = (NEAR_WIDTH - 1) * level.step_px + 2 * level.reach_px;
    for (int row = thread; row < rows; row += NEAR_THREADS) {
        uint32_t own[MASK_WORDS] = {};
        for (int word = 0; word <= last / 4; word++) {
            add_bits(memory.region[row * pitch + word], 4 * word, 0, last + 1, own);
        }
#pragma unroll
        for (int i = 0; i < MASK_WORDS; i++) {
            memory.masks[row][i] = own[i];
        }
    }
}

/* Writes which bins a row of samples has weights for. The result is how many the strip has. */
static __device__ __forceinline__ int find_near(const saliency_cuda_frame &frame,
                                                const saliency_cuda_level &level,
                                                const near_place &place, near_memory &memory,
                                                int thread)
{
    const int word = thread % MASK_WORDS;
    uint32_t all = 0;
    for (int j = thread / MASK_WORDS; j < place.height; j += NEAR_THREADS / MASK_WORDS) {
        uint32_t own = 0;
        for (int row = 0; row <= 2 * level.reach_px; row++) {
            own |= memory.masks[j * level.step_px + row][word];
        }
        mask_at(frame, level, place.i, place.j + j)[word] = own;
        all |= own;
    }
    atomicOr(&memory.bins.mask[word], all);
    __syncthreads();
    return list_bins(memory.bins, thread);
}

/* ---- Planes */

/* The high byte of a weight, rounded, or the low one, which has a sign, too; `sign`: 1, or -1 */
static __device__ __forceinline__ uint32_t tap_byte(const near_memory &memory, int most, int at,
                                                    int sign, bool high)
{
    const int32_t tap = at >= 0 && at <= most ? sign * memory.taps[at] : 0;
    const int32_t above = (tap + 128) >> 8;
    return (uint32_t)(high ? above : tap - 256 * above) & 255u;
}

template <int STEP> struct near_walk {
    static constexpr int PARTS = STEP / 2; /* thirty-twos of pixels that 8 samples have weights for,
                                              and sixteens of rows that are 8 samples apart */
    uint32_t across[PARTS][4];
    uint32_t down[2][2][PARTS]; /* the first half and the second; high bytes and low ones */
    uint32_t pairs[2][2 * PARTS]; /* low bytes and high ones: of two sides */
    int32_t high[4], middle[4], low[4];

    __device__ __forceinline__ void load(const near_memory &memory, int most)
    {
        const int g = (int)threadIdx.x / 4;
        const int t = (int)threadIdx.x % 4;
#pragma unroll
        for (int i = 0; i < PARTS * 4; i++) {
            uint32_t word = 0;
            for (int k = 0; k < 4; k++) {
                const int at = i / 2 * 16 + 4 * t + k - g * STEP;
                word |= tap_byte(memory, most, at, -1, i % 2 == 0) << 8 * k;
            }
            across[i / 4][i % 4] = word;
        }
#pragma unroll
        for (int i = 0; i < 4 * PARTS; i++) {
            uint32_t word = 0;
            for (int k = 0; k < 4; k++) {
                const int row =
                    i / (2 * PARTS) * 8 * STEP + i % PARTS * 16 + k / 2 * 8 + 2 * t + k % 2;
                word |= tap_byte(memory, most, row - g * STEP, 1, i / PARTS % 2 == 0) << 8 * k;
            }
            down[i / (2 * PARTS)][i / PARTS % 2][i % PARTS] = word;
        }
    }

    /* Eight rows of pixels: four bytes of two rows and each side. `v`: four bytes of the plane's
     * bin, and 128. */
    __device__ __forceinline__ void add_rows(const uint32_t *words, uint32_t v, uint32_t (&out)[2])
    {
        uint32_t in[3 * PARTS]; /* of which the sides share a third */
#pragma unroll
        for (int i = 0; i < 3 * PARTS; i++) {
            in[i] = ptx_signs_of_bytes(v - words[4 * i]);
        }
#pragma unroll
        for (int side = 0; side < 2; side++) {
            int32_t sum[4];
#pragma unroll
            for (int i = 0; i < PARTS; i++) {
                const uint32_t *of = &in[side * PARTS + 2 * i];
                const auto &a = across[i];
                if (i == 0) {
                    ptx_mma_16832_signed(sum, a[0], a[1], a[2], a[3], of[0], of[1], 0);
                } else {
                    ptx_mma_16832_signed(sum, a[0], a[1], a[2], a[3], of[0], of[1]);
                }
            }
            out[side] = __byte_perm((uint32_t)(sum[0] * 256 + sum[2]),
                                    (uint32_t)(sum[1] * 256 + sum[3]), 0x5140);
        }
    }

    /* Rows that are as many as those that 8 rows of samples are apart */
    __device__ __forceinline__ void load_rows(const uint32_t *words, uint32_t v)
    {
#pragma unroll
        for (int i = 0; i < PARTS; i++) {
            uint32_t first[2];
            uint32_t second[2];
            add_rows(words + 2 * i * 8 * NEAR_PITCH(STEP), v, first);
            add_rows(words + (2 * i + 1) * 8 * NEAR_PITCH(STEP), v, second);
#pragma unroll
            for (int side = 0; side < 2; side++) {
                pairs[0][2 * i + side] = __byte_perm(first[side], second[side], 0x5410);
                pairs[1][2 * i + side] = __byte_perm(first[side], second[side], 0x7632);
            }
        }
    }

    __device__ __forceinline__ void multiply(int bytes, const uint32_t (&weights)[PARTS],
                                             int32_t (&out)[4])
    {
        const auto &a = pairs[bytes];
        if (PARTS == 1) {
            ptx_mma_16816_mixed(out, a[0], a[1], weights[0]);
        }
#pragma unroll
        for (int i = 0; i + 1 < PARTS; i += 2) {
            ptx_mma_16832_mixed(out, a[2 * i], a[2 * i + 1], a[2 * i + 2], a[2 * i + 3], weights[i],
                                weights[i + 1]);
        }
    }

    __device__ __forceinline__ void add_columns(int half)
    {
        multiply(1, down[half][0], high);
        multiply(1, down[half][1], middle);
        multiply(0, down[half][0], middle);
        multiply(0, down[half][1], low);
    }

    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            high[i] = middle[i] = low[i] = 0;
        }
        add_columns(0);
    }

    /* Returns four samples of a row: those that begin at four times lane % 4, of row lane / 4. */
    __device__ __forceinline__ uint2 samples() const
    {
        const int t = (int)threadIdx.x % 4;
        const int from = (int)threadIdx.x - t + 2 * (t % 2);
        uint32_t side[2];
        uint32_t four[2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint32_t first = half_of((high[2 * i] * 256 + middle[2 * i]) * 256 + low[2 * i]);
            const uint32_t second =
                half_of((high[2 * i + 1] * 256 + middle[2 * i + 1]) * 256 + low[2 * i + 1]);
            side[i] = mma_transposed(first | second << 16);
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint32_t left = __shfl_sync(~0u, side[0], from + i);
            const uint32_t right = __shfl_sync(~0u, side[1], from + i);
            four[i] = t < 2 ? left : right;
        }
        return make_uint2(four[0], four[1]);
    }
};

/* Writes four samples of so many planes, which are the same, from `plane` on. */
static __device__ __forceinline__ void write_four(uint16_t *plane, int64_t next, int planes,
                                                  bool wanted, uint2 four)
{
    for (int i = 0; i < planes && wanted; i++) {
        *(uint2 *)(plane + i * next) = four;
    }
}

template <int STEP>
static __device__ __forceinline__ void make_near(const saliency_cuda_frame &frame,
                                                 const saliency_cuda_level &level,
                                                 const near_place &place, near_memory &memory,
                                                 int first, int end)
{
    const int row = (int)threadIdx.x / 4;
    const int64_t next = (int64_t)level.pitch * level.y.count;
    const uint32_t *words = memory.region + row * NEAR_PITCH(STEP) + (int)threadIdx.x % 4;
    uint16_t *to = plane_at(frame, level, place.i + (int)threadIdx.x % 4 * 4, place.j + row);
    const int blocks = (place.height + 7) / 8;
    const int *list = memory.bins.list;
    near_walk<STEP> walk;
    walk.load(memory, 2 * level.reach_px);
#pragma unroll 1
    for (int i = first; i < end; i++) {
        const uint32_t v = (uint32_t)(list[i] | 128) * 0x01010101u;
        const int planes = list[i + 1] - list[i];
        uint16_t *plane = to + list[i] * next;
        walk.load_rows(words, v);
        walk.begin();
#pragma unroll 1
        for (int block = 0; block < blocks; block++) {
            walk.load_rows(words + (block + 1) * 8 * STEP * NEAR_PITCH(STEP), v);
            walk.add_columns(1);
            write_four(plane + block * 8 * level.pitch, next, planes,
                       block * 8 + row < place.height, walk.samples());
            walk.begin();
        }
    }
}

/* Planes below the first bin have no pixel. */
static __device__ __forceinline__ void clear_near(const saliency_cuda_frame &frame,
                                                  const saliency_cuda_level &level,
                                                  const near_place &place, int planes, int thread)
{
    const int64_t next = (int64_t)level.pitch * level.y.count;
    const uint32_t pair = half_of(0) * 0x10001u;
    for (int i = thread; i < place.height * (NEAR_WIDTH / 4); i += NEAR_THREADS) {
        write_four(plane_at(frame, level, place.i + i % (NEAR_WIDTH / 4) * 4,
                            place.j + i / (NEAR_WIDTH / 4)),
                   next, planes, true, make_uint2(pair, pair));
    }
}

static __device__ __forceinline__ void make_near(const saliency_cuda_frame &frame,
                                                 near_memory &memory)
{
    const near_place place = near_place_of(frame);
    const saliency_cuda_level &level = frame.levels[place.level];
    const int thread = (int)(threadIdx.y * 32 + threadIdx.x);
    const int warp = __shfl_sync(~0u, (int)threadIdx.y, 0); /* as all lanes have it */
    clear_bins(memory.bins, thread);
    if (thread <= 2 * level.reach_px) {
        memory.taps[thread] = taps_of(frame, level)[thread];
    }
    load_near(frame, level, place, memory, thread);
    __syncthreads();
    mask_rows(level, (place.height - 1) * level.step_px + 2 * level.reach_px + 1, memory, thread);
    __syncthreads();
    const int count = find_near(frame, level, place, memory, thread);
    const int first = count * warp / SALIENCY_CUDA_NEAR_WARPS;
    const int end = count * (warp + 1) / SALIENCY_CUDA_NEAR_WARPS;
    clear_near(frame, level, place, memory.bins.list[0], thread);
    if (first >= end) {
        return;
    }
    if (level.step_px == 2) {
        make_near<2>(frame, level, place, memory, first, end);
    } else if (level.step_px == 4) {
        make_near<4>(frame, level, place, memory, first, end);
    } else {
        make_near<8>(frame, level, place, memory, first, end);
    }
}

#endif
