/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Planes through a kernel that is a sum of two products of lines, by products of matrices; a line's
 * weights are whole numbers of two bytes, and so is what comes between rows and columns. A warp has
 * 16 columns of 64 places, and goes down the places around them, eight rows at a time:
 *
 *     rows      16 columns x 8 rows = a line (16 x 48) times places (48 x 8)
 *     columns   16 columns x 8 rows that are wanted = what rows gave (16 x 32 or 48) times a line
 *               (32 or 48 x 8)
 *
 * What rows give as D is, packed, what columns take as A: nothing leaves registers. Of the products
 * of two bytes those of the low ones are left out, some 1e-5 of F - G in a plane. Places are
 * pixels, bytes of 0 and 1, or samples of 16 bits. Matrix instructions bound it, of 16 x 8 x 32:
 * for 16 x 16 places, a plane and three scales 93 of pixels, 120 of samples. */
#ifndef FOVEA_KERNELS_SALIENCY_CUDA_WALK_CUH
#define FOVEA_KERNELS_SALIENCY_CUDA_WALK_CUH

#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/ptx_bytes.cuh"
#include "present.cuh"

#define STRIP_THREADS (32 * SALIENCY_CUDA_STRIP_WARPS)
#define STRIP_WIDTH SALIENCY_CUDA_STRIP_WIDTH
#define STRIP_HEIGHT SALIENCY_CUDA_STRIP_HEIGHT
/* The most that lies around a strip, and what a block has of them in memory. */
#define STRIP_ABOVE SALIENCY_CUDA_STRIP_ABOVE(SALIENCY_CUDA_REACH_MOST)
#define STRIP_LEFT SALIENCY_CUDA_STRIP_LEFT(SALIENCY_CUDA_REACH_MOST)
#define STRIP_ROWS (STRIP_HEIGHT + 2 * STRIP_ABOVE)
#define STRIP_COLUMNS (STRIP_WIDTH + 2 * STRIP_LEFT)

static __device__ __forceinline__ int clamped(int value, int low, int high)
{
    return min(max(value, low), high);
}

enum walk_kind { P_HIGH, P_LOW, Q_HIGH, Q_LOW, WALK_KINDS };

/* COLUMNS, ROWS: sixteens of places along a row that 16 columns have weights for, and along a
 * column that 8 rows have. WIDE: places are samples. */
template <int COLUMNS, int ROWS, bool WIDE> struct plane_walk {
    static constexpr int BLOCKS = STRIP_HEIGHT / 8; /* of rows that are wanted */
    static constexpr int BEFORE = 2 * ROWS - 1; /* blocks of rows that come before the first */

    uint32_t across[WALK_KINDS][COLUMNS][2];
    uint32_t down[WALK_KINDS][ROWS];
    int32_t total[BLOCKS][4];
    /* p's and q's, of the lane's two columns: low bytes and then high ones of two rows; and, of two
     * blocks of rows behind each other, low bytes and high ones */
    uint32_t last[2][2];
    uint32_t pairs[BEFORE][2][2][2];

    __device__ __forceinline__ void load(const uint32_t *weights)
    {
#pragma unroll
        for (int kind = 0; kind < WALK_KINDS; kind++) {
#pragma unroll
            for (int i = 0; i < COLUMNS * 2; i++) {
                across[kind][i / 2][i % 2] = weights[(kind * COLUMNS * 2 + i) * 32];
            }
        }
        weights += WALK_KINDS * COLUMNS * 2 * 32;
#pragma unroll
        for (int kind = 0; kind < WALK_KINDS; kind++) {
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                down[kind][i] = weights[(kind * ROWS + i) * 32];
            }
        }
#pragma unroll
        for (int i = 0; i < BLOCKS; i++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                total[i][k] = 0;
            }
        }
    }

    static constexpr int PITCH = SALIENCY_CUDA_STRIP_PITCH(WIDE); /* words of a row of places */
    static constexpr int BYTES = WIDE ? 2 : 1; /* of a place */

    /* A line's weights times bytes of places; `begin` is what its sums begin with. */
    __device__ __forceinline__ void multiply_row(int kind, const uint32_t in[COLUMNS], bool begins,
                                                 int32_t begin, int32_t (&out)[4])
    {
        const auto &a = across[kind];
        if (begins) {
            ptx_mma_16832_signed(out, a[0][0], a[0][1], a[1][0], a[1][1], in[0], in[1], begin);
        } else {
            ptx_mma_16832_signed(out, a[0][0], a[0][1], a[1][0], a[1][1], in[0], in[1]);
        }
        if (COLUMNS == 3) {
            ptx_mma_16816_signed(out, a[2][0], a[2][1], in[2]);
        } else {
            ptx_mma_16832_signed(out, a[2][0], a[2][1], a[COLUMNS - 1][0], a[COLUMNS - 1][1], in[2],
                                 in[COLUMNS - 1]);
        }
    }

    /* Bytes of a row's places: pixels' are 1 up to bin v - 128 of all bytes of v, samples' are high
     * ones and low ones. */
    __device__ __forceinline__ void get_places(const uint32_t *words, uint32_t v, int block,
                                               uint32_t (&in)[BYTES][COLUMNS])
    {
        const uint32_t *row = words + block * 8 * PITCH;
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            if (WIDE) {
                const uint2 four = *(const uint2 *)(row + 8 * i);
                in[0][i] = __byte_perm(four.x, four.y, 0x7531);
                in[BYTES - 1][i] = __byte_perm(four.x, four.y, 0x6420);
            } else {
                in[0][i] = (v - row[4 * i]) >> 7 & 0x01010101u;
            }
        }
    }

    /* In the unit of what comes between, and 128, so that the upper byte is rounded. */
    __device__ __forceinline__ void weigh_row(int line, const uint32_t (&in)[BYTES][COLUMNS],
                                              uint32_t (&out)[4])
    {
        constexpr int SHIFT = WIDE ? SALIENCY_CUDA_WIDE_SHIFT : 0;
        int32_t high[4];
        int32_t low[4];
        multiply_row(2 * line, in[0], true, 0, high);
        multiply_row(2 * line + 1, in[0], true, (128 << SHIFT) + (1 << SHIFT) / 2, low);
        if (WIDE) {
            multiply_row(2 * line, in[BYTES - 1], false, 0, low);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            out[i] = (uint32_t)((high[i] * 256 + low[i]) >> SHIFT);
        }
    }

    /* Eight rows of places. */
    __device__ __forceinline__ void add_rows(const uint32_t *words, uint32_t v, int block)
    {
        uint32_t in[BYTES][COLUMNS];
        get_places(words, v, block, in);
#pragma unroll
        for (int line = 0; line < 2; line++) {
            uint32_t weighed[4];
            weigh_row(line, in, weighed);
#pragma unroll
            for (int side = 0; side < 2; side++) {
                const uint32_t next =
                    __byte_perm(weighed[2 * side], weighed[2 * side + 1], 0x5140) ^ 0x8080u;
                if (block > 0) {
                    uint32_t *pair = pairs[(block - 1) % BEFORE][line][side];
                    pair[0] = __byte_perm(last[line][side], next, 0x5410);
                    pair[1] = __byte_perm(last[line][side], next, 0x7632);
                }
                last[line][side] = next;
            }
        }
    }

    /* Products of a line's high bytes, or low ones, with weights; `first`: of blocks of rows. */
    __device__ __forceinline__ void multiply_column(int kind, int line, int bytes, int first,
                                                    bool begins, int32_t (&out)[4])
    {
        const auto &a = pairs[first % BEFORE][line];
        const auto &b = pairs[(first + 2) % BEFORE][line];
        if (begins) {
            ptx_mma_16832_signed(out, a[0][bytes], a[1][bytes], b[0][bytes], b[1][bytes],
                                 down[kind][0], down[kind][1], 0);
        } else {
            ptx_mma_16832_signed(out, a[0][bytes], a[1][bytes], b[0][bytes], b[1][bytes],
                                 down[kind][0], down[kind][1]);
        }
        if (ROWS == 3) {
            const auto &c = pairs[(first + 4) % BEFORE][line];
            ptx_mma_16816_signed(out, c[0][bytes], c[1][bytes], down[kind][ROWS - 1]);
        }
    }

    /* Eight rows' |F - G|, in units of 256. */
    __device__ __forceinline__ void add_columns(int block, int32_t planes)
    {
        int32_t high[4];
        int32_t middle[2][4];
#pragma unroll
        for (int line = 0; line < 2; line++) { /* p takes q's weights */
            multiply_column(Q_HIGH - 2 * line, line, 1, block, line == 0, high);
            multiply_column(Q_LOW - 2 * line, line, 1, block, true, middle[line]);
            multiply_column(Q_HIGH - 2 * line, line, 0, block, false, middle[line]);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            total[block][i] += planes * abs(high[i] * 256 + (middle[0][i] + middle[1][i]));
        }
    }

    /* height: rows that are wanted */
    __device__ __forceinline__ void add_plane(const uint32_t *words, uint32_t v, int32_t planes,
                                              int height)
    {
#pragma unroll
        for (int block = 0; block < BLOCKS + BEFORE; block++) {
            if (block > BEFORE && 8 * (block - BEFORE) >= height) {
                break;
            }
            add_rows(words, v, block);
            if (block >= BEFORE) {
                add_columns(block - BEFORE, planes);
            }
        }
    }

    /* Adds the sums to a response; x, y: of the strip's first place. */
    __device__ __forceinline__ void write(int32_t *response, const saliency_cuda_scale &scale,
                                          int width, int height, int x, int y)
    {
        const int lane = (int)threadIdx.x;
#pragma unroll
        for (int block = 0; block < BLOCKS; block++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const int column = x + lane / 4 + k / 2 * 8;
                const int row = y + 8 * block + lane % 4 * 2 + k % 2;
                if (column >= 0 && column < width && row < height) {
                    atomicAdd(&response[(int64_t)row * width + column],
                              (int)((float)total[block][k] * scale.gain + 0.5f));
                }
            }
        }
    }

    /* The lane's first word of the places in a block's memory. */
    static __device__ __forceinline__ const uint32_t *words_of(const uint32_t *places, int reach)
    {
        const int lane = (int)threadIdx.x;
        const int above = STRIP_ABOVE - SALIENCY_CUDA_STRIP_ABOVE(reach) + lane / 4;
        const int left = STRIP_LEFT - SALIENCY_CUDA_STRIP_LEFT(reach) + lane % 4 * 4;
        return places + above * PITCH + left * BYTES / 4;
    }
};

/* Calls what<COLUMNS, ROWS>(...) of a reach. */
#define OF_REACH(reach, what, ...)                                                                 \
    if (SALIENCY_CUDA_STRIP_ROWS(reach) == 2) {                                                    \
        what<3, 2>(__VA_ARGS__);                                                                   \
    } else if (SALIENCY_CUDA_STRIP_COLUMNS(reach) == 3) {                                          \
        what<3, 3>(__VA_ARGS__);                                                                   \
    } else {                                                                                       \
        what<4, 3>(__VA_ARGS__);                                                                   \
    }

#endif
