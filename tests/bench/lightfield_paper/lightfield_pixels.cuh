/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Reads and writes of the paper's kernels. */
#pragma once

#include "kernels/cuda/ptx.cuh"
#include "lightfield_paper.h"

extern __shared__ __align__(16) char shared_memory[];

namespace {

/* No macros: pragmas take none. */
constexpr float PITCH = LIGHTFIELD_PAPER_PITCH_PX;
constexpr int PATCH = LIGHTFIELD_PAPER_PATCH_PX;
constexpr int RANGE = LIGHTFIELD_PAPER_RANGE;
constexpr int GROUPS = LIGHTFIELD_PAPER_GROUPS;
constexpr int LINE = LIGHTFIELD_PAPER_LINE;
constexpr int SIZES = LIGHTFIELD_PAPER_SIZES;

enum load { DEFAULT, TEXTURE, RGB };
enum layout { AOS, SOA, REGISTERS };
/* The first four micro-images are added in one of these ways; none of them ends a pixel. */
enum beginning { ONE_LOOP, APART, APART_SYNC };

/* A micro-image, and a pixel of the patch of the output pixel. */
struct place {
    int lens, q;
};

__device__ place place_of(int pixel)
{
    return {pixel / PATCH, pixel % PATCH};
}

__device__ bool exists(const lightfield_paper_params &p, int column, int row)
{
    return column >= 0 && column < p.columns && row >= 0 && row < p.rows;
}

/* R in the lowest byte. */
template <int kLoad> __device__ uint32_t raw_at(const lightfield_paper_params &p, int x, int y)
{
    if (kLoad == TEXTURE) {
        return tex2D<unsigned>((cudaTextureObject_t)p.texture, (float)x + 0.5f, (float)y + 0.5f);
    }
    const uint8_t *row = (const uint8_t *)p.raw + (size_t)y * p.row_bytes;
    if (kLoad == RGB) {
        return __ldg(row + 3 * x) | (uint32_t)__ldg(row + 3 * x + 1) << 8 |
               (uint32_t)__ldg(row + 3 * x + 2) << 16 | 0xff000000u;
    }
    return __ldg((const uint32_t *)row + x);
}

template <bool kResVect>
__device__ void store(const lightfield_paper_params &p, int x, int y, uint32_t pixel)
{
    const size_t at = (size_t)y * (p.columns * PATCH) + x;
    if (kResVect) {
        ((uint32_t *)p.dst)[at] = pixel | 0xff000000u;
    } else {
        uint8_t *to = (uint8_t *)p.dst + 4 * at;
        to[0] = (uint8_t)pixel;
        to[1] = (uint8_t)(pixel >> 8);
        to[2] = (uint8_t)(pixel >> 16);
    }
}

/* Micro-images of a row whose pixels a block writes. */
struct part {
    int first, end;
};

__device__ part own_part(const lightfield_paper_params &p)
{
    const int wide = (p.columns + gridDim.x - 1) / gridDim.x;
    const int first = blockIdx.x * wide;
    return {first, min(first + wide, p.columns)};
}

/* A thread's values in shared memory stay there, as the paper has it. */
__device__ __forceinline__ void keep_in_memory()
{
    asm volatile("" ::: "memory");
}

} // namespace

#define KERNEL(application, name, threads, ...)                                                    \
    extern "C" __global__ void __launch_bounds__(threads)                                          \
        lightfield_paper_##application##_##name(const __grid_constant__ lightfield_paper_params p) \
    {                                                                                              \
        __VA_ARGS__(p);                                                                            \
    }
#define BASE_THREADS 320
#define LINE_THREADS (2 * LINE)
