/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A warp's matrix products: 16 x 16 outputs D X A^T from a window X of samples, 8 STEPS along
 * either axis. The first product, A X^T, leaves in a lane's registers the operand of the second
 * (cuda/mma.cuh). Rows and columns of a window are numbered as gauss_nodes_place and
 * gauss_nodes_last say, and so are the rows of the matrices: what a lane reads of a row at once
 * is four neighbours, and so is what it has of a row in the end. */
#pragma once

#include "kernels/cuda/mma.cuh"
#include "params.h"

const int NODES_TILE = GAUSS_NODES_TILE_PX;
const int NODES_WARPS = GAUSS_NODES_WARPS;
const int NODES_THREADS = 32 * NODES_WARPS;

/* A lane's place in an mma. */
struct node_lane {
    int row; /* of eight */
    int pair; /* of four */

    MEMBER node_lane() : row((int)threadIdx.x % 32 / 4), pair((int)threadIdx.x % 4)
    {
    }
    /* Its first row among 16, which has the next two rows on; the other is two further. */
    MEMBER int place() const
    {
        return gauss_nodes_place(row);
    }
};

/* A matrix of 16 rows: of each step of 8 columns a lane holds rows g and g + 8, columns 2t and 2t +
 * 1. */
template <int STEPS> struct node_matrix {
    uint2 steps[STEPS];

    /* `first_byte` is that of its first step. */
    MEMBER node_matrix(const uint64_t matrices, uint32_t first_byte)
    {
        const char *place = (const char *)matrices + first_byte;
        const uint32_t lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i + 1 < STEPS; i += 2) {
            const uint4 both = __ldg((const uint4 *)(place + GAUSS_NODES_STEP_BYTES * i) + lane);
            steps[i] = make_uint2(both.x, both.y);
            steps[i + 1] = make_uint2(both.z, both.w);
        }
        if (STEPS % 2 != 0) {
            steps[STEPS - 1] =
                __ldg((const uint2 *)(place + GAUSS_NODES_STEP_BYTES * (STEPS - 1)) + lane);
        }
    }
};

/* D += A B for B's steps of 8 rows. D is in floats, or in halves. Devices from sm_80 on take two
 * steps at once. */
template <int STEPS, typename Sums>
DEVICE void node_multiply(Sums &d, const node_matrix<STEPS> &a, const uint32_t (&b)[STEPS])
{
#if __CUDA_ARCH__ >= 800
#pragma unroll
    for (int i = 0; i + 1 < STEPS; i += 2) {
        const uint32_t both[4] = {a.steps[i].x, a.steps[i].y, a.steps[i + 1].x, a.steps[i + 1].y};
        mma_add(d, both, b[i], b[i + 1]);
    }
    if (STEPS % 2 != 0) {
        mma_add_of_8(d, a.steps[STEPS - 1], b[STEPS - 1]);
    }
#else
#pragma unroll
    for (int i = 0; i < STEPS; i++) {
        mma_add_of_8(d, a.steps[i], b[i]);
    }
#endif
}

/* A channel of a window: a lane's row of each eight rows, and its pairs of each step along it. */
template <int STEPS> struct node_channel {
    uint32_t of[STEPS][STEPS];

    /* window.four(j, i, c) are four samples of row j and of pair of steps i, window.pair(j, c) two
     * of the last step; window.repeated(four, i) is right also where the window crosses edges. */
    template <typename Window> MEMBER void load(const Window &window, int c)
    {
#pragma unroll
        for (int j = 0; j < STEPS; j++) {
#pragma unroll
            for (int i = 0; i + 1 < STEPS; i += 2) {
                const uint2 four = window.four(j, i / 2, c);
                of[j][i] = four.x;
                of[j][i + 1] = four.y;
            }
            if (STEPS % 2 != 0) {
                of[j][STEPS - 1] = window.pair(j, c);
            }
        }
    }
    template <typename Window> MEMBER void repeat_edges(const Window &window)
    {
#pragma unroll
        for (int k = 0; k < STEPS * (STEPS / 2); k++) {
            const int j = k / (STEPS / 2);
            const int i = k % (STEPS / 2) * 2;
            const uint2 four = window.repeated(make_uint2(of[j][i], of[j][i + 1]), i / 2);
            of[j][i] = four.x;
            of[j][i + 1] = four.y;
        }
    }
};

/* The sums of the first product: floats, or halves, of which a step loses up to one in 2,048. That
 * is half a level of 10 bits in all, a tenth of a level of 8. */
struct node_float_sums {
    float of[4];

    MEMBER uint32_t upper() const
    {
        return mma_rounded(of[0], of[1]);
    }
    MEMBER uint32_t lower() const
    {
        return mma_rounded(of[2], of[3]);
    }
};
struct node_half_sums {
    mma_halves of;

    MEMBER uint32_t upper() const
    {
        return of.x;
    }
    MEMBER uint32_t lower() const
    {
        return of.y;
    }
};

/* Makes the window's products, the second one's sums by Outputs, floats or halves: for each half of
 * the tile's columns two outputs of row g, then of row g + 8. */
template <typename Sums, typename Outputs, int STEPS>
DEVICE void node_product(const node_matrix<STEPS> &across, const node_matrix<STEPS> &down,
                         const node_channel<STEPS> &samples, Outputs (&outputs)[2])
{
    uint32_t transposed[2][STEPS];
#pragma unroll
    for (int j = 0; j < STEPS; j++) {
        Sums sums = {};
        node_multiply(sums.of, across, samples.of[j]);
        transposed[0][j] = sums.upper();
        transposed[1][j] = sums.lower();
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
        outputs[half] = {};
        node_multiply(outputs[half].of, down, transposed[half]);
    }
}

/* Returns whether the warp's values are all finite. */
template <int ROWS, int COUNT> DEVICE bool all_finite(const float (&values)[ROWS][COUNT])
{
    float none = 0.0f;
#pragma unroll
    for (int i = 0; i < ROWS * COUNT; i++) {
        none += values[i / COUNT][i % COUNT] * 0.0f;
    }
    return __all_sync(~0u, none == 0.0f);
}
