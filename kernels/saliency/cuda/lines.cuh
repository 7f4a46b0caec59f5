/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Makes responses of planes by products of matrices: a kernel is p(x) q(y) + q(x) p(y). Pixels or
 * samples, weights, and what comes between rows and columns are whole numbers of 12 bits, and so
 * halves, whose products floats add exactly. A warp goes down a strip of 16 x 64 places, eight rows
 * at a time:
 *
 *     rows      16 columns x 8 rows = a line (16 x 32 to 64) times places (32 to 64 x 8)
 *     columns   16 columns x 8 rows that are wanted = sums of rows (16 x 24 to 48) times a line
 *               (24 to 48 x 8)
 *
 * D of rows is, as halves, A of columns: nothing leaves registers. The eight rows after these are
 * on their way meanwhile, and behind a plane's last ones the next plane's. Conditions are the same
 * in all lanes, and lie in registers of the whole warp. */
#pragma once

#include "kernels/cuda/mma.cuh"
#include "present.cuh"

/* ---- Responses: a lane has totals, of the places of each eight rows of a strip, 32 apart */

/* A float as large as its whole part, and this one more, has that part in its low bits. */
#define WHOLE 8388608.0f
#define WHOLE_BITS 0x4b000000u

DEVICE void clear_totals(uint4 *totals)
{
    for (int i = 0; i < STRIP_BLOCKS; i++) {
        totals[i * 32] = make_uint4(0, 0, 0, 0);
    }
}

/* Adds the sums of a lane's places, of so many planes, to a response; x, y: of the strip's first.
 */
DEVICE void write_totals(int32_t *response, const saliency_cuda_scale &scale, int x, int y,
                         const uint4 *totals, uint32_t planes)
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
                          (int32_t)(total[i] - planes * WHOLE_BITS));
            }
        }
    }
}

DEVICE int32_t *response_of(const saliency_cuda_frame &frame, const saliency_cuda_scale &scale,
                            uint32_t layer)
{
    return (int32_t *)frame.responses +
           (uint64_t)(layer / (uint32_t)frame.channels) * frame.response_count + scale.offset;
}

/* ---- Who has which planes */

/* The planes from the first-th on, each so many behind the one before. */
struct plane_share {
    int first, next, end;
};

template <int COLUMNS, int ROWS> struct line_size {
    static constexpr int columns = COLUMNS;
    static constexpr int rows = ROWS;
};

template <typename Add>
DEVICE void add_sized(Add add, const saliency_cuda_scale &scale, const plane_share &share)
{
    const int columns = SALIENCY_CUDA_STRIP_COLUMNS(scale.reach);
    if (columns == 4) {
        add(line_size<4, 3>(), share);
    } else if (columns == 5) {
        add(line_size<5, 4>(), share);
    } else if (columns == 6) {
        add(line_size<6, 5>(), share);
    } else {
        add(line_size<8, 6>(), share);
    }
}

/* Returns what a plane takes, in units of ten cycles, as measured. */
DEVICE int cost_of(int reach)
{
    return 3 * SALIENCY_CUDA_STRIP_COLUMNS(reach) + 2 * SALIENCY_CUDA_STRIP_ROWS(reach);
}

/* ---- Planes */

/* The places of eight rows that a lane has: two of each of COLUMNS eights. Of sixteens four of them
 * are neighbours. */
template <int COLUMNS> struct line_places {
    uint32_t of[COLUMNS];
};
template <int COLUMNS> struct line_weights {
    uint32_t of[COLUMNS][2];
};

/* Adds products, but for the first sixteen. */
template <int COLUMNS, typename Sum>
DEVICE void add_places(Sum &sum, const line_weights<COLUMNS> &weights,
                       const line_places<COLUMNS> &in)
{
#pragma unroll
    for (int i = 2; i < COLUMNS; i += 2) {
        const auto &of = weights.of;
        if (i + 1 < COLUMNS) {
            const uint32_t a[4] = {of[i][0], of[i][1], of[i + 1][0], of[i + 1][1]};
            mma_add(sum, a, in.of[i], in.of[i + 1]);
        } else {
            mma_add_of_8(sum, make_uint2(of[i][0], of[i][1]), in.of[i]);
        }
    }
}

/* COLUMNS, ROWS: eights of places along a row that 16 columns have weights for, and along a column
 * that 8 rows have. Places: has those of eight rows of a plane. */
template <int COLUMNS, int ROWS, typename Places> struct line_walk {
    typedef typename Places::plane plane;
    static constexpr int TURN = ROWS % 2 == 0 ? ROWS : 2 * ROWS; /* steps of a loop, two at once */

    line_weights<COLUMNS> across[2];
    uint32_t down[2][ROWS][2]; /* of two eights behind each other, beginning with each of them */
    uint32_t sums[2][2 * ROWS]; /* by p and q: of eights of rows, of the lane's two columns */
    Places places;

    MEMBER void load(const uint32_t *weights)
    {
        const int lane = (int)threadIdx.x;
#pragma unroll
        for (int i = 0; i < 4 * COLUMNS; i++) {
            across[i / (2 * COLUMNS)].of[i / 2 % COLUMNS][i % 2] = weights[i * 32 + lane];
        }
#pragma unroll
        for (int i = 0; i < 4 * ROWS; i++) {
            down[i / (2 * ROWS)][i / 2 % ROWS][i % 2] = weights[(4 * COLUMNS + i) * 32 + lane];
        }
    }

    /* Eight rows of places */
    MEMBER void add_rows(const line_places<COLUMNS> &in, int eight)
    {
#pragma unroll
        for (int line = 0; line < 2; line++) {
            uint32_t made[2];
            places.sum(across[line], in, line, made);
            sums[line][2 * eight] = made[0];
            sums[line][2 * eight + 1] = made[1];
        }
    }

    /* Adds eight rows' |F - G|; `first`: the number of the first eight that they have weights for
     */
    MEMBER void add_columns(int first, uint32_t planes, uint32_t (&total)[4])
    {
        float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
        for (int line = 0; line < 2; line++) { /* p takes q's weights */
#pragma unroll
            for (int i = 0; i < ROWS; i += 2) {
                const uint32_t *of = &sums[line][2 * i];
                const auto &weights = down[1 - line][(i + ROWS - first) % ROWS];
                if (i + 1 < ROWS) {
                    const uint32_t a[4] = {of[0], of[1], of[2], of[3]};
                    mma_add(sum, a, weights[0], weights[1]);
                } else {
                    mma_add_of_8(sum, make_uint2(of[0], of[1]), weights[0]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            total[i] += planes * __float_as_uint(__fmaf_rd(fabsf(sum[i]), Places::STEP, WHOLE));
        }
    }

    /* The next eight rows of `own`; those behind them, which are eight `next` of `after`, are asked
     * for. */
    MEMBER void begin_step(plane own, plane after, int next, int eight)
    {
        line_places<COLUMNS> in;
        places.take(own, in);
        places.fetch(after, next);
        add_rows(in, eight);
    }

    /* The same, and the columns that do not reach these rows yet: neither waits for the other, and
     * what both read is asked for first. */
    MEMBER void add_step(plane own, plane after, int next, int eight, uint32_t planes, uint4 *place)
    {
        line_places<COLUMNS> in;
        const uint4 before = *place;
        uint32_t total[4] = {before.x, before.y, before.z, before.w};
        places.take(own, in);
        places.fetch(after, next);
        add_columns(eight, planes, total);
        add_rows(in, eight);
        *place = make_uint4(total[0], total[1], total[2], total[3]);
    }

    /* Adds a plane whose first eight rows are there, and makes those of the plane `after` it.
     * blocks: eights of rows that are wanted, two at once. The loop is unrolled as far as places in
     * `sums` ask for it: more code than caches hold is waited for. */
    MEMBER void add_plane(plane own, plane after, int blocks, uint32_t planes, uint4 *totals)
    {
        uint32_t made[4] = {};
#pragma unroll
        for (int i = 1; i < ROWS; i++) {
            begin_step(own, own, i + 1, i);
        }
#pragma unroll 1
        for (int first = 0; first < blocks; first += TURN) {
#pragma unroll
            for (int i = 0; i < TURN; i += 2) {
                if (i > 0 && first + i >= blocks) {
                    break;
                }
                const bool ends = first + i + 2 >= blocks;
                const plane then = ends ? after : own;
                const int next = ends ? 0 : ROWS + first + i + 1;
                uint4 *place = &totals[(first + i) * 32];
                add_step(own, then, next, i % ROWS, planes, place);
                add_step(then, then, next + 1, (i + 1) % ROWS, planes, place + 32);
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    made[k] = sums[k / 2][(i + 1) % ROWS * 2 + k % 2];
                }
            }
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            sums[k / 2][k % 2] = made[k];
        }
    }

    /* The share's planes; `plane_of`: that of a bin of the list. The result: how many were added.
     */
    template <typename PlaneOf>
    MEMBER uint32_t add_share(const present_bins &bins, const plane_share &share, PlaneOf plane_of,
                              int blocks, uint4 *totals)
    {
        uint32_t added = 0;
        places.fetch(plane_of(share.first), 0);
        begin_step(plane_of(share.first), plane_of(share.first), 1, 0);
#pragma unroll 1
        for (int i = share.first; i < share.end; i += share.next) {
            const int after = i + share.next < share.end ? i + share.next : i;
            const uint32_t like = (uint32_t)(bins.list[i + 1] - bins.list[i]);
            add_plane(plane_of(i), plane_of(after), blocks, like, totals);
            added += like;
        }
        return added;
    }
};
