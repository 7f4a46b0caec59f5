/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A warp's matrix products: 16 x 16 outputs D X A^T from a window X of samples, 8 STEPS along
 * either axis. Its rows lie in memory as pairs of samples, with the channels of a pair side by
 * side. The first product, A X^T, leaves in a lane's registers the operand of the second
 * (cuda/mma.cuh). */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_NODES_PRODUCT_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_NODES_PRODUCT_CUH

#include "kernels/cuda/mma.cuh"
#include "params.h"

/* Two neighbouring samples of a row, with a word of two halves for each channel. */
struct node_pair {
    uint4 of;

    __device__ __forceinline__ uint32_t channel(int c) const
    {
        return c == 0 ? of.x : c == 1 ? of.y : c == 2 ? of.z : of.w;
    }
    static __device__ __forceinline__ node_pair read(const node_pair *constant)
    {
        return {__ldg(&constant->of)};
    }
    static __device__ __forceinline__ node_pair make(const uint32_t (&words)[4])
    {
        return {make_uint4(words[0], words[1], words[2], words[3])};
    }
};

/* Two samples of a grey picture. */
struct node_grey_pair {
    uint32_t of;

    __device__ __forceinline__ uint32_t channel(int) const
    {
        return of;
    }
    static __device__ __forceinline__ node_grey_pair read(const node_grey_pair *constant)
    {
        return {__ldg(&constant->of)};
    }
    static __device__ __forceinline__ node_grey_pair make(const uint32_t (&words)[4])
    {
        return {words[0]};
    }
};

/* The type that holds two samples of a format: floats of one colour are as rare as they are few,
 * and go as three. */
template <typename Pixel, bool GREY = Pixel::channels == 1 && (Pixel::white > 0)>
struct node_samples_of {
    typedef node_pair pair;
};
template <typename Pixel> struct node_samples_of<Pixel, true> {
    typedef node_grey_pair pair;
};

/* A matrix of 16 rows: of each step of 8 columns a lane holds rows g and g + 8, columns 2t and 2t +
 * 1. */
template <int STEPS> struct node_matrix {
    uint2 steps[STEPS];

    __device__ __forceinline__ node_matrix(const uint64_t matrices, int first_step)
    {
        const uint2 *place =
            (const uint2 *)matrices + (uint32_t)(first_step * 32 + threadIdx.x % 32);
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            steps[i] = __ldg(place + 32 * i);
        }
    }
};

/* D += A B for B's steps of 8 rows. D is in floats, or in the halves that a next product takes.
 * Devices from sm_80 on take two steps at once. */
template <int STEPS, typename Sums>
static __device__ __forceinline__ void node_multiply(Sums &d, const node_matrix<STEPS> &a,
                                                     const uint32_t (&b)[STEPS])
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

/* The window as a lane reads it: its row of each eight rows, and its pair of each eight columns. */
template <typename Pair, int STEPS> struct node_window {
    const Pair *first;
    uint32_t rows[STEPS];
    uint32_t columns[STEPS];

    __device__ __forceinline__ Pair at(int j, int i) const
    {
        return first[rows[j] + columns[i]];
    }
};

/* The same, for memory that nobody writes to. */
template <typename Pair, int STEPS> struct node_constant_window {
    const node_window<Pair, STEPS> &of;

    __device__ __forceinline__ Pair at(int j, int i) const
    {
        return Pair::read(of.first + (of.rows[j] + of.columns[i]));
    }
};

/* For each channel and half of the tile's columns: outputs of row g, columns 2t and 2t + 1, then of
 * row g + 8. */
template <int CHANNELS> struct node_outputs {
    float of[CHANNELS][2][4];
};

/* The sums of the first product: floats, or halves, of which a step loses up to one in 2,048. That
 * is half a level of 10 bits in all, a tenth of a level of 8. */
struct node_float_sums {
    float of[4];

    __device__ __forceinline__ uint32_t upper() const
    {
        return mma_rounded(of[0], of[1]);
    }
    __device__ __forceinline__ uint32_t lower() const
    {
        return mma_rounded(of[2], of[3]);
    }
};
struct node_half_sums {
    mma_halves of;

    __device__ __forceinline__ uint32_t upper() const
    {
        return of.x;
    }
    __device__ __forceinline__ uint32_t lower() const
    {
        return of.y;
    }
};

/* Multiplies a node_window or a node_constant_window. */
template <typename Sums, int CHANNELS, int STEPS, typename Window>
static __device__ __forceinline__ void node_product(const node_matrix<STEPS> &across,
                                                    const node_matrix<STEPS> &down,
                                                    const Window &window,
                                                    node_outputs<CHANNELS> &outputs)
{
    uint32_t transposed[CHANNELS][2][STEPS];
#pragma unroll
    for (int j = 0; j < STEPS; j++) {
        uint32_t samples[CHANNELS][STEPS];
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            const auto pair = window.at(j, i);
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                samples[c][i] = pair.channel(c);
            }
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            Sums sums = {};
            node_multiply(sums.of, across, samples[c]);
            transposed[c][0][j] = sums.upper();
            transposed[c][1][j] = sums.lower();
        }
    }
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                outputs.of[c][half][i] = 0.0f;
            }
            node_multiply(outputs.of[c][half], down, transposed[c][half]);
        }
    }
}

#endif
