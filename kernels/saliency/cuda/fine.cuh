/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Level 0: the processor's whole numbers, by products of matrices. A kernel is p(x) q(y) +
 * q(x) p(y); weights, and sums of p and of q along a row, are whole numbers of two bytes. A block
 * has a strip of 16 x 64 pixels and the bins around them; a warp has some planes that differ there,
 * of a scale or two, and goes down the strip's rows, eight at a time:
 *
 *     rows      8 columns, p and q x 8 rows = lines (16 x 32 or 48) times pixels, bytes of 0 and -1
 *               (32 or 48 x 8); the other 8 columns have the same lines, 8 pixels on
 *     columns   16 columns x 8 rows that are wanted = sums of rows (16 x 32 or 48) times a line
 *               (32 or 48 x 8)
 *
 * D of rows is, packed, A of columns: nothing leaves registers. Sums of rows stay where they are:
 * weights' registers begin with each block of them in turn. What lanes ask whether to do is in
 * registers of the whole warp. Instructions bound it, 70 to 95 for 16 x 8 pixels, a plane and a
 * scale, of which 12 to 24 are products. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_FINE_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_FINE_CUH

#include "kernels/cuda/ptx_bytes.cuh"
#include "present.cuh"

#define STRIP_THREADS (32 * SALIENCY_CUDA_STRIP_WARPS)
#define STRIP_WIDTH SALIENCY_CUDA_STRIP_WIDTH
#define STRIP_HEIGHT SALIENCY_CUDA_STRIP_HEIGHT
/* The most that lies around a strip, and what a block has of them in memory */
#define STRIP_ABOVE SALIENCY_CUDA_STRIP_ABOVE(SALIENCY_FINE_REACH)
#define STRIP_LEFT 24 /* so that a row's words are sixteen */
#define STRIP_ROWS (STRIP_HEIGHT + 2 * STRIP_ABOVE)
#define STRIP_WORDS ((STRIP_WIDTH + 2 * STRIP_LEFT) / 4) /* of a row */
#define STRIP_PITCH 20 /* words: what a warp reads at once is in different banks */
#define STRIP_BLOCKS (STRIP_HEIGHT / 8) /* of rows that are wanted */

struct fine_memory {
    present_bins bins;
    /* Bins of the pixels and of those around them, and rows whose sums nobody wants */
    uint32_t region[(STRIP_ROWS + 8) * STRIP_PITCH];
    uint4 totals[SALIENCY_CUDA_STRIP_WARPS][STRIP_BLOCKS][32];
};

struct fine_place {
    int x, y; /* the block's first pixel */
    int layer;
};

/* ---- Bins */

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
            add_bits(four[i], 4 * word - STRIP_LEFT, -reach, STRIP_WIDTH + reach, own);
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
    const int count = __shfl_sync(~0u, rank_bins(memory.bins, thread), 0);
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

/* ROWS: sixteens of pixels that 8 rows have weights for along a column, and 8 columns along a row
 */
template <int ROWS> struct plane_walk {
    static constexpr int BLOCKS = 2 * ROWS; /* of rows that 8 rows have weights for */

    uint32_t across[2][BLOCKS]; /* high bytes and low ones, of p and of q */
    uint32_t down[FINE_KINDS][ROWS][2];
    /* Sums of p and q, of the lane's two columns: low bytes and then high ones of two rows; and, of
     * two blocks of rows behind each other, low bytes and high ones */
    uint32_t last[2][2];
    uint32_t pairs[2][2][2][BLOCKS];

    __device__ __forceinline__ void load(const uint32_t *weights)
    {
#pragma unroll
        for (int i = 0; i < 2 * BLOCKS; i++) {
            across[i / BLOCKS][i % BLOCKS] = weights[i * 32];
        }
#pragma unroll
        for (int i = 0; i < FINE_KINDS * BLOCKS; i++) {
            down[i / BLOCKS][i % BLOCKS / 2][i % 2] = weights[(2 * BLOCKS + i) * 32];
        }
    }

    __device__ __forceinline__ void multiply_row(int bytes, const uint32_t (&in)[ROWS],
                                                 int32_t (&out)[4])
    {
        const auto &a = across[bytes];
        ptx_mma_16832_signed(out, a[0], a[1], a[2], a[3], in[0], in[1], 0);
        if (ROWS == 3) {
            ptx_mma_16816_signed(out, a[BLOCKS - 2], a[BLOCKS - 1], in[ROWS - 1]);
        }
    }

    /* Eight rows of pixels: bytes of -1 where a bin is not above the plane's. `v`: four bytes of
     * that, and 128. */
    __device__ __forceinline__ void load_rows(const uint32_t *words, uint32_t v,
                                              uint32_t (&in)[2][ROWS])
    {
#pragma unroll
        for (int i = 0; i < 2 * ROWS; i++) {
            in[i % 2][i / 2] = ptx_signs_of_bytes(v - words[2 * i]);
        }
    }

    /* A sum is two bytes, of which the low one has no sign. `block` is a number among those that 8
     * rows have weights for. */
    __device__ __forceinline__ void add_rows(const uint32_t (&in)[2][ROWS], int block)
    {
#pragma unroll
        for (int side = 0; side < 2; side++) {
            int32_t high[4];
            int32_t low[4];
            multiply_row(0, in[side], high);
            multiply_row(1, in[side], low);
#pragma unroll
            for (int line = 0; line < 2; line++) {
                const uint32_t first = (uint32_t)(high[2 * line] * 256 + low[2 * line]);
                const uint32_t second = (uint32_t)(high[2 * line + 1] * 256 + low[2 * line + 1]);
                const uint32_t next = __byte_perm(first, second, 0x5140);
                const int at = 2 * (block / 2 % ROWS) + side;
                pairs[block % 2][line][0][at] = __byte_perm(last[line][side], next, 0x5410);
                pairs[block % 2][line][1][at] = __byte_perm(last[line][side], next, 0x7632);
                last[line][side] = next;
            }
        }
    }

    /* Adds products of a line's high bytes with weights, or of its low ones. `first` is that of
     * the blocks of rows. */
    __device__ __forceinline__ void multiply_column(int kind, int line, int bytes, int first,
                                                    int32_t (&out)[4])
    {
        const int turn = (first + 1) / 2 % ROWS;
        const auto &a = pairs[(first + 1) % 2][line][bytes];
        const auto &w = down[kind][turn];
        if (bytes == 1) {
            ptx_mma_16832_signed(out, a[0], a[1], a[2], a[3], w[0], w[1]);
        } else {
            ptx_mma_16832_mixed(out, a[0], a[1], a[2], a[3], w[0], w[1]);
        }
        if (ROWS == 3) {
            const uint32_t third = down[kind][(turn + 1) % ROWS][0];
            if (bytes == 1) {
                ptx_mma_16816_signed(out, a[BLOCKS - 2], a[BLOCKS - 1], third);
            } else {
                ptx_mma_16816_mixed(out, a[BLOCKS - 2], a[BLOCKS - 1], third);
            }
        }
    }

    /* Adds eight rows' |F - G|; high bytes are worth 256. */
    __device__ __forceinline__ void add_columns(int block, int32_t planes, uint32_t (&total)[4])
    {
        int32_t high[4] = {};
        int32_t middle[4] = {};
        int32_t low[4] = {};
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
            total[i] += (uint32_t)(planes * (size >> SALIENCY_FINE_SHIFT));
        }
    }

    /* The columns of a block, and the rows of the one that they do not reach yet: neither waits
     * for the other, and what both read is asked for first. */
    __device__ __forceinline__ void add_step(const uint32_t *words, uint32_t v, int32_t planes,
                                             int block, uint4 &place)
    {
        uint32_t in[2][ROWS];
        load_rows(words, v, in);
        const uint4 before = place;
        uint32_t total[4] = {before.x, before.y, before.z, before.w};
        add_columns(block, planes, total);
        add_rows(in, block);
        place = make_uint4(total[0], total[1], total[2], total[3]);
    }

    /* blocks: of rows that are wanted; the rows of the last step are not. The loop is unrolled as
     * far as places in `pairs` ask for it: more code than caches hold is waited for. */
    __device__ __forceinline__ void add_plane(const uint32_t *words, uint32_t v, int32_t planes,
                                              int blocks, uint4 *totals)
    {
        constexpr int NEXT = 8 * STRIP_PITCH;
#pragma unroll
        for (int i = 0; i < BLOCKS; i++) {
            uint32_t in[2][ROWS];
            load_rows(words + i * NEXT, v, in);
            add_rows(in, i);
        }
#pragma unroll 1
        for (int first = 0; first < blocks; first += BLOCKS) {
#pragma unroll
            for (int i = 0; i < BLOCKS; i++) {
                if (i == 2 && BLOCKS > 4 && first + i >= blocks) {
                    break;
                }
                add_step(words + (BLOCKS + first + i) * NEXT, v, planes, i,
                         totals[(first + i) * 32]);
            }
        }
    }
};

template <int ROWS>
static __device__ __forceinline__ void add_fine(const saliency_cuda_frame &frame,
                                                const fine_place &place,
                                                const saliency_cuda_scale &scale,
                                                fine_memory &memory, int first, int end)
{
    const int *list = memory.bins.list;
    const int lane = (int)threadIdx.x;
    const int around = SALIENCY_CUDA_STRIP_ABOVE(scale.reach);
    const uint32_t *words = memory.region + (STRIP_ABOVE - around + lane / 4) * STRIP_PITCH +
                            (STRIP_LEFT - around) / 4 + lane % 4;
    const int blocks = (min(STRIP_HEIGHT, frame.height_px - place.y) + 7) / 8;
    uint4 *totals = &memory.totals[threadIdx.y][0][lane];
    plane_walk<ROWS> walk = {};
    clear_totals(totals);
    walk.load((const uint32_t *)frame.kernels + scale.kernel + lane);
#pragma unroll 1
    for (int i = first; i < end; i++) {
        walk.add_plane(words, (uint32_t)(list[i] | 128) * 0x01010101u, list[i + 1] - list[i],
                       blocks, totals);
    }
    write_totals(response_of(frame, scale, (uint32_t)place.layer), scale, place.x, place.y, totals,
                 0);
}

/* Returns what a plane takes, in 140 cycles: a product takes as long as six other instructions. */
static __device__ __forceinline__ int cost_of(int reach)
{
    return SALIENCY_CUDA_STRIP_ROWS(reach) == 2 ? 10 : 16;
}

/* The planes of all scales behind each other are shared out among warps by what they cost. */
static __device__ __forceinline__ void make_fine(const saliency_cuda_frame &frame,
                                                 fine_memory &memory)
{
    const fine_place place = {(int)blockIdx.x * STRIP_WIDTH, (int)blockIdx.y * STRIP_HEIGHT,
                              (int)blockIdx.z};
    const int last = load_region(frame, place, memory, (int)(threadIdx.y * 32 + threadIdx.x)) - 1;
    const uint32_t scales = frame.levels[0].scale_end;
    const int warp = __shfl_sync(~0u, (int)threadIdx.y, 0); /* as all lanes have it */
    int cost = 0;
    for (uint32_t i = 0; i < scales; i++) {
        cost += cost_of(frame.scales[i].reach) * last;
    }
    int begin = cost * warp / SALIENCY_CUDA_STRIP_WARPS;
    int end = cost * (warp + 1) / SALIENCY_CUDA_STRIP_WARPS;
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
            add_fine<2>(frame, place, scale, memory, first, stop);
        } else {
            add_fine<3>(frame, place, scale, memory, first, stop);
        }
    }
}

#endif
