/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The weights with which the outputs of a tile blend a level's nodes. They are looked up for a
 * lane's eight outputs, and kept as pairs, as mma gives outputs: rows g and g + 8, which are
 * columns of the picture, and pairs of its rows. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_BLEND_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_BLEND_CUH

#include "work.cuh"

/* 2^23: an integer below it stands in the low bits of this float plus the integer. */
#define SMALL_WHOLE 8388608.0f
#define SMALL_WHOLE_BITS 0x4b000000u

/* Entries of the level's table for a lane's outputs, as such bits: [n][row g, row g + 8][of the
 * pair]. */
struct small_entries {
    uint32_t of[2][2][2];
};

template <int NODES> struct small_blend {
    uint32_t of[NODES][2][2]; /* [node][n][row g, row g + 8] */
};

static __device__ __forceinline__ float root_of(float v)
{
    return ptx_sqrt(v);
}

/* Finds the entries at places x[row] and y[2 n + of the pair], in pixels from the top left
 * corner. */
template <int LEVEL>
static __device__ __forceinline__ small_entries entries_at(const small_work &work,
                                                           const float (&x)[2], const float (&y)[4])
{
    const float per = work.small.entries_per[LEVEL];
    const float2 gaze = work.memory.state->gaze;
    small_entries entries;
    float at[2][4];
    if (work.small.by_distance) {
        float down[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            down[i] = (y[i] - gaze.y) * per;
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float across = (x[i / 4] - gaze.x) * per;
            at[i / 4][i % 4] = root_of(across * across + down[i % 4] * down[i % 4]);
        }
    } else {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            at[i / 4][i % 4] = work.sigma_at(x[i / 4], y[i % 4], gaze) * per;
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        entries.of[i % 4 / 2][i / 4][i % 2] = __float_as_uint(
            fminf(at[i / 4][i % 4], FOVEATE_SMALL_ENTRIES(LEVEL) - 1.0f) + SMALL_WHOLE);
    }
    return entries;
}

/* Finds them for samples of a coarser level. */
template <int LEVEL>
static __device__ __forceinline__ small_entries entries_of_samples(const small_work &work, int x0,
                                                                   int y0, const small_lane &l)
{
    const float step = work.small.spacing[LEVEL];
    const float left = work.small.x.first[LEVEL] + 0.5f + step * (float)(x0 + l.g);
    const float top = work.small.y.first[LEVEL] + 0.5f + step * (float)(y0 + 2 * l.t);
    const float x[2] = {left, left + 8.0f * step};
    const float y[4] = {top, top + step, top + 8.0f * step, top + 9.0f * step};
    return entries_at<LEVEL>(work, x, y);
}

/* Finds them for the picture: rows are columns of pixels in fours, the first pair of each and then
 * the second. */
static __device__ __forceinline__ small_entries entries_of_pixels(const small_work &work, int x0,
                                                                  int y0, const small_lane &l)
{
    const float left = (float)(x0 + l.g / 2 * 4 + l.g % 2) + 0.5f;
    const float top = (float)(y0 + 2 * l.t) + 0.5f;
    const float x[2] = {left, left + 2.0f};
    const float y[4] = {top, top + 1.0f, top + 8.0f, top + 9.0f};
    return entries_at<0>(work, x, y);
}

/* Loads the weights of NODES nodes, from one with which a table begins. */
template <int LEVEL, int NODES>
static __device__ __forceinline__ small_blend<NODES> blend_of(const small_work &work,
                                                              const small_entries &entries,
                                                              int first_node)
{
    const uint64_t bytes = 2 * FOVEATE_SMALL_ENTRY_HALVES(NODES);
    const uint64_t table = work.small.blend_weights + LEVEL * FOVEATE_SMALL_BLEND_HALVES * 2 +
                           (uint64_t)first_node * 2 * FOVEATE_SMALL_ENTRIES(LEVEL) -
                           SMALL_WHOLE_BITS * bytes;
    small_blend<NODES> blend;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int n = i / 2;
        const int r = i % 2;
        uint32_t parts[2][4];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const uint64_t from = table + (uint64_t)entries.of[n][r][k] * bytes;
            if constexpr (NODES > 4) {
                const uint4 all = __ldg((const uint4 *)from);
                parts[k][0] = all.x;
                parts[k][1] = all.y;
                parts[k][2] = all.z;
                parts[k][3] = all.w;
            } else {
                const uint2 all = __ldg((const uint2 *)from);
                parts[k][0] = all.x;
                parts[k][1] = all.y;
            }
        }
#pragma unroll
        for (int j = 0; j < NODES; j++) {
            blend.of[j][n][r] =
                __byte_perm(parts[0][j / 2], parts[1][j / 2], j % 2 ? 0x7632 : 0x5410);
        }
    }
    return blend;
}

#endif
