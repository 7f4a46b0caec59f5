/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0: the processor's whole numbers, by products of matrices. A kernel is p(x) q(y) +
 * q(x) p(y); weights, and sums of p and of q along a row, are whole numbers of two bytes. A block
 * has a strip of 16 x 64 pixels and the bins around them; a warp has some planes that differ there,
 * of a scale or two, and goes down the strip's rows, eight at a time:
 *
 *     rows      16 columns x 8 rows = a line (16 x 48) times pixels, bytes of 0 and 1 (48 x 8)
 *     columns   16 columns x 8 rows that are wanted = sums of rows (16 x 32 or 48) times a line
 *               (32 or 48 x 8)
 *
 * D of rows is, packed, A of columns: nothing leaves registers. Matrix instructions bound it, of
 * 16 x 8 x 32: 92 for 16 x 16 pixels, a plane and three scales from 2 px on, 108 with those of the
 * rows around a strip. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_FINE_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_FINE_CUH

#include "kernels/cuda/ptx_bytes.cuh"
#include "present.cuh"

#define STRIP_THREADS (32 * SALIENCY_CUDA_STRIP_WARPS)
#define STRIP_WIDTH SALIENCY_CUDA_STRIP_WIDTH
#define STRIP_HEIGHT SALIENCY_CUDA_STRIP_HEIGHT
/* The most that lies around a strip, and what a block has of them in memory */
#define STRIP_ABOVE SALIENCY_CUDA_STRIP_ABOVE(SALIENCY_FINE_REACH)
#define STRIP_LEFT SALIENCY_CUDA_STRIP_LEFT(SALIENCY_FINE_REACH)
#define STRIP_ROWS (STRIP_HEIGHT + 2 * STRIP_ABOVE)
#define STRIP_WORDS ((STRIP_WIDTH + 2 * STRIP_LEFT) / 4) /* of a row */
#define STRIP_PITCH 20 /* words: what a warp reads at once is in different banks */
#define STRIP_BLOCKS (STRIP_HEIGHT / 8) /* of rows that are wanted */

struct fine_memory {
    present_bins bins;
    uint32_t region[STRIP_ROWS * STRIP_PITCH]; /* bins of the pixels and of those around them */
    uint4 totals[SALIENCY_CUDA_STRIP_WARPS][STRIP_BLOCKS][32];
};

struct fine_place {
    int x, y; /* the block's first pixel */
    int layer;
};

/* ---- Bins */

/* Returns four bins of a row that begin at x. */
static __device__ __forceinline__ uint32_t load_four(const unsigned char *row, int x, int width)
{
    uint32_t four = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        four |= (uint32_t)row[clamped(x + k, 0, width - 1)] << 8 * k;
    }
    return four;
}

/* Counts bins of four pixels within reach, from column `x` of the block on. */
static __device__ __forceinline__ void add_bits(uint32_t four, int x, int reach,
                                                uint32_t (&mask)[MASK_WORDS])
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const uint32_t bin = four >> 8 * k & 255u;
        const uint32_t bit = x + k >= -reach && x + k < STRIP_WIDTH + reach ? 1u << bin % 32 : 0u;
#pragma unroll
        for (uint32_t word = 0; word < MASK_WORDS; word++) {
            mask[word] |= bin / 32 == word ? bit : 0u;
        }
    }
}

/* Rows of a thread's column of words, which are under way at once */
#define STRIP_ROUND (STRIP_THREADS / STRIP_WORDS)
#define STRIP_ROUNDS ((STRIP_ROWS + STRIP_ROUND - 1) / STRIP_ROUND)
static_assert(STRIP_THREADS % STRIP_WORDS == 0, "a thread has a column of words");

static __device__ __forceinline__ void load_words(const saliency_cuda_frame &frame,
                                                  const fine_place &place, int thread,
                                                  uint32_t (&four)[STRIP_ROUNDS])
{
    const unsigned char *bins =
        (const unsigned char *)frame.bins + (int64_t)place.layer * frame.width_px * frame.height_px;
    const int x = place.x + 4 * (thread % STRIP_WORDS) - STRIP_LEFT;
    const int y = place.y + thread / STRIP_WORDS - STRIP_ABOVE;
#pragma unroll
    for (int i = 0; i < STRIP_ROUNDS; i++) {
        const int64_t line = clamped(y + i * STRIP_ROUND, 0, frame.height_px - 1);
        four[i] = load_four(bins + line * frame.width_px, x, frame.width_px);
    }
}

/* The bins of the block's pixels and of those around them, and which of them kernels reach. How
 * many these are: the result. */
static __device__ __forceinline__ int load_region(const saliency_cuda_frame &frame,
                                                  const fine_place &place, fine_memory &memory,
                                                  int thread)
{
    const int reach = frame.fine_reach;
    const int word = thread % STRIP_WORDS;
    uint32_t four[STRIP_ROUNDS];
    uint32_t own[MASK_WORDS] = {};
    if (thread < MASK_WORDS) {
        memory.bins.mask[thread] = 0;
    }
    load_words(frame, place, thread, four);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < STRIP_ROUNDS; i++) {
        const int row = thread / STRIP_WORDS + i * STRIP_ROUND;
        const int y = row - STRIP_ABOVE;
        if (row < STRIP_ROWS) {
            memory.region[row * STRIP_PITCH + word] = four[i];
        }
        if (y >= -reach && y < STRIP_HEIGHT + reach) {
            add_bits(four[i], 4 * word - STRIP_LEFT, reach, own);
        }
    }
#pragma unroll
    for (int i = 0; i < MASK_WORDS; i++) {
        const uint32_t warps = bits_of_warp(own[i]);
        if (thread % 32 == 0) {
            atomicOr(&memory.bins.mask[i], warps);
        }
    }
    __syncthreads();
    const int count = rank_bins(memory.bins, thread);
    __syncthreads();
    return count;
}

/* ---- Responses: a lane has totals, of the places of each eight rows of a strip, 32 apart */

/* Adds the sums of a lane's places to a response, each less `extra`; x, y: of the strip's first. */
static __device__ __forceinline__ void write_totals(int32_t *response,
                                                    const saliency_cuda_scale &scale, int x, int y,
                                                    const uint4 *totals, uint32_t extra)
{
    const int lane = (int)threadIdx.x;
    for (int block = 0; block < STRIP_BLOCKS; block++) {
        const uint4 all = totals[block * 32];
        const uint32_t total[4] = {all.x, all.y, all.z, all.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int column = x + lane / 4 + i / 2 * 8;
            const int row = y + block * 8 + lane % 4 * 2 + i % 2;
            if (column < scale.width && row < scale.height) {
                atomicAdd(&response[(int64_t)row * scale.width + column],
                          (int32_t)(total[i] - extra));
            }
        }
    }
}

/* A strip's places: those of its columns g and g + 8, two rows each, of eight rows */
static __device__ __forceinline__ void add_to(uint4 &total, const uint32_t (&more)[4])
{
    const uint4 before = total;
    total =
        make_uint4(before.x + more[0], before.y + more[1], before.z + more[2], before.w + more[3]);
}

static __device__ __forceinline__ void clear_totals(uint4 *totals)
{
    for (int i = 0; i < STRIP_BLOCKS; i++) {
        totals[i * 32] = make_uint4(0, 0, 0, 0);
    }
}

static __device__ __forceinline__ int32_t *response_of(const saliency_cuda_frame &frame,
                                                       const saliency_cuda_scale &scale,
                                                       uint32_t layer)
{
    return (int32_t *)frame.responses +
           (uint64_t)(layer / (uint32_t)frame.channels) * frame.response_count + scale.offset;
}

/* ---- Planes */

enum fine_kind { P_HIGH, P_LOW, Q_HIGH, Q_LOW, FINE_KINDS };
static_assert(FINE_KINDS == SALIENCY_CUDA_FINE_KINDS, "");

/* COLUMNS, ROWS: sixteens of pixels along a row that 16 columns have weights for, and along a
 * column that 8 rows have */
template <int COLUMNS, int ROWS> struct plane_walk {
    static constexpr int BEFORE = 2 * ROWS - 1; /* blocks of rows that come before the first */

    uint32_t across[FINE_KINDS][COLUMNS][2];
    uint32_t down[FINE_KINDS][ROWS];
    /* Sums of p and q, of the lane's two columns: low bytes and then high ones of two rows; and, of
     * two blocks of rows behind each other, low bytes and high ones */
    uint32_t last[2][2];
    uint32_t pairs[BEFORE][2][2][2];

    __device__ __forceinline__ void load(const uint32_t *weights)
    {
#pragma unroll
        for (int i = 0; i < FINE_KINDS * COLUMNS * 2; i++) {
            across[i / (2 * COLUMNS)][i / 2 % COLUMNS][i % 2] = weights[i * 32];
        }
#pragma unroll
        for (int i = 0; i < FINE_KINDS * ROWS; i++) {
            down[i / ROWS][i % ROWS] = weights[(FINE_KINDS * COLUMNS * 2 + i) * 32];
        }
    }

    __device__ __forceinline__ void multiply_row(int kind, const uint32_t (&in)[COLUMNS],
                                                 int32_t begin, int32_t (&out)[4])
    {
        const auto &a = across[kind];
        ptx_mma_16832_signed(out, a[0][0], a[0][1], a[1][0], a[1][1], in[0], in[1], begin);
        if (COLUMNS == 3) {
            ptx_mma_16816_signed(out, a[2][0], a[2][1], in[2]);
        } else {
            ptx_mma_16832_signed(out, a[2][0], a[2][1], a[COLUMNS - 1][0], a[COLUMNS - 1][1], in[2],
                                 in[COLUMNS - 1]);
        }
    }

    /* Eight rows of pixels; `v`: four bytes of the plane's bin, and 128. A sum, with 128 added, is
     * its high byte, rounded, and its low one with another sign bit. `block` is a number among as
     * many as come before the first. */
    __device__ __forceinline__ void add_rows(const uint32_t *words, uint32_t v, int block)
    {
        uint32_t in[COLUMNS];
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            in[i] = (v - words[4 * i]) >> 7 & 0x01010101u;
        }
#pragma unroll
        for (int line = 0; line < 2; line++) {
            int32_t high[4];
            int32_t low[4];
            multiply_row(2 * line, in, 0, high);
            multiply_row(2 * line + 1, in, 128, low);
#pragma unroll
            for (int side = 0; side < 2; side++) {
                const uint32_t first = (uint32_t)(high[2 * side] * 256 + low[2 * side]);
                const uint32_t second = (uint32_t)(high[2 * side + 1] * 256 + low[2 * side + 1]);
                const uint32_t next = __byte_perm(first, second, 0x5140) ^ 0x8080u;
                uint32_t *pair = pairs[(block + BEFORE - 1) % BEFORE][line][side];
                pair[0] = __byte_perm(last[line][side], next, 0x5410);
                pair[1] = __byte_perm(last[line][side], next, 0x7632);
                last[line][side] = next;
            }
        }
    }

    /* Adds products of a line's high bytes, or low ones, with weights. `first` is that of blocks
     * of rows. */
    __device__ __forceinline__ void multiply_column(int kind, int line, int bytes, int first,
                                                    int32_t (&out)[4])
    {
        const auto &a = pairs[first % BEFORE][line];
        const auto &b = pairs[(first + 2) % BEFORE][line];
        ptx_mma_16832_signed(out, a[0][bytes], a[1][bytes], b[0][bytes], b[1][bytes], down[kind][0],
                             down[kind][1]);
        if (ROWS == 3) {
            const auto &c = pairs[(first + 4) % BEFORE][line];
            ptx_mma_16816_signed(out, c[0][bytes], c[1][bytes], down[kind][ROWS - 1]);
        }
    }

    /* Eight rows' |F - G|; high bytes are worth 256. */
    __device__ __forceinline__ void add_columns(int block, int32_t planes, uint4 &total)
    {
        int32_t high[4] = {};
        int32_t middle[4] = {};
        int32_t low[4] = {};
        uint32_t sizes[4];
#pragma unroll
        for (int line = 0; line < 2; line++) { /* p takes q's weights */
            const int kind = Q_HIGH - 2 * line;
            multiply_column(kind, line, 1, block, high);
            multiply_column(kind + 1, line, 1, block, middle);
            multiply_column(kind, line, 0, block, middle);
            multiply_column(kind + 1, line, 0, block, low);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int32_t size = abs((high[i] * 256 + middle[i]) * 256 + low[i]);
            sizes[i] = (uint32_t)(planes * (size >> SALIENCY_FINE_SHIFT));
        }
        add_to(total, sizes);
    }

    /* height: rows that are wanted. The loop is unrolled as far as places in `pairs` ask for it:
     * more code than caches hold is waited for. */
    __device__ __forceinline__ void add_plane(const uint32_t *words, uint32_t v, int32_t planes,
                                              int height, uint4 *totals)
    {
        const int end = BEFORE + (height + 7) / 8;
#pragma unroll 1
        for (int first = 0; first < end; first += BEFORE) {
#pragma unroll
            for (int i = 0; i < BEFORE; i++) {
                if (first + i >= end) {
                    break;
                }
                add_rows(words + (first + i) * 8 * STRIP_PITCH, v, i);
                if (first > 0) {
                    add_columns(i, planes, totals[(first + i - BEFORE) * 32]);
                }
            }
        }
    }
};

template <int COLUMNS, int ROWS>
static __device__ __forceinline__ void add_fine(const saliency_cuda_frame &frame,
                                                const fine_place &place,
                                                const saliency_cuda_scale &scale,
                                                fine_memory &memory, int first, int end)
{
    const int *list = memory.bins.list;
    const int lane = (int)threadIdx.x;
    const int above = STRIP_ABOVE - SALIENCY_CUDA_STRIP_ABOVE(scale.reach) + lane / 4;
    const int left = STRIP_LEFT - SALIENCY_CUDA_STRIP_LEFT(scale.reach) + lane % 4 * 4;
    const uint32_t *words = memory.region + above * STRIP_PITCH + left / 4;
    const int height = min(STRIP_HEIGHT, frame.height_px - place.y);
    uint4 *totals = &memory.totals[threadIdx.y][0][lane];
    plane_walk<COLUMNS, ROWS> walk = {};
    clear_totals(totals);
    walk.load((const uint32_t *)frame.kernels + scale.kernel + lane);
#pragma unroll 1
    for (int i = first; i < end; i++) {
        walk.add_plane(words, (uint32_t)(list[i] | 128) * 0x01010101u, list[i + 1] - list[i],
                       height, totals);
    }
    write_totals(response_of(frame, scale, (uint32_t)place.layer), scale, place.x, place.y, totals,
                 0);
}

/* Returns half as many matrix instructions as a plane takes. */
static __device__ __forceinline__ int cost_of(int reach)
{
    const int rows = SALIENCY_CUDA_STRIP_ROWS(reach);
    return (STRIP_BLOCKS + 2 * rows - 1) * 4 * SALIENCY_CUDA_STRIP_COLUMNS(reach) +
           STRIP_BLOCKS * 8 * rows;
}

/* The planes of all scales behind each other are shared out among warps by what they cost. */
static __device__ __forceinline__ void make_fine(const saliency_cuda_frame &frame,
                                                 fine_memory &memory)
{
    const fine_place place = {(int)blockIdx.x * STRIP_WIDTH, (int)blockIdx.y * STRIP_HEIGHT,
                              (int)blockIdx.z};
    const int last = load_region(frame, place, memory, (int)(threadIdx.y * 32 + threadIdx.x)) - 1;
    const uint32_t scales = frame.levels[0].scale_end;
    int cost = 0;
    for (uint32_t i = 0; i < scales; i++) {
        cost += cost_of(frame.scales[i].reach) * last;
    }
    int begin = cost * (int)threadIdx.y / SALIENCY_CUDA_STRIP_WARPS;
    int end = cost * ((int)threadIdx.y + 1) / SALIENCY_CUDA_STRIP_WARPS;
    for (uint32_t i = 0; i < scales; i++) {
        const saliency_cuda_scale &scale = frame.scales[i];
        const int plane = cost_of(scale.reach);
        const int first = (max(begin, 0) + plane - 1) / plane;
        const int stop = min((max(end, 0) + plane - 1) / plane, last);
        begin -= plane * last;
        end -= plane * last;
        if (first >= stop) {
            continue;
        }
        if (SALIENCY_CUDA_STRIP_ROWS(scale.reach) == 2) {
            add_fine<3, 2>(frame, place, scale, memory, first, stop);
        } else if (SALIENCY_CUDA_STRIP_COLUMNS(scale.reach) == 3) {
            add_fine<3, 3>(frame, place, scale, memory, first, stop);
        } else {
            add_fine<4, 3>(frame, place, scale, memory, first, stop);
        }
    }
}

#endif
