/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* In which parts the outputs of a tile are sums of what is blurred by a level's nodes: looked up for eight outputs
 * a lane, and kept as pairs, as products give them. */
#ifndef FOVEA_KERNELS_FOVEATE_SMALL_MIX_CUH
#define FOVEA_KERNELS_FOVEATE_SMALL_MIX_CUH

#include "foveate_small_work.cuh"

template <int NODES> struct small_mix {
    uint32_t of[NODES][2][2]; /* [node][n][row g, row g + 8] */
};

/* Entries of a level's table, from a node on. */
struct small_entries {
    uint64_t first; /* less what the bits below add */
    float per;
    bool root; /* of a square they are found by, else by itself */
};

/* Whole numbers below 2^23 in the bits of a float: this and the number. */
#define SMALL_WHOLE 8388608.0f
#define SMALL_WHOLE_BITS 0x4b000000u

static __device__ __forceinline__ small_entries entries_of(const small_work &work, int level,
                                                           int first_node)
{
    const uint64_t bytes = 2 * FOVEATE_SMALL_NODES;
    const uint64_t at = work.small.mixes + (uint64_t)level * FOVEATE_SMALL_ENTRIES * bytes;
    return {at + 2 * (uint64_t)first_node - SMALL_WHOLE_BITS * bytes,
            work.small.entries_per[level], level == 0};
}

static __device__ __forceinline__ float root_of(float v)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(v));
    return root;
}

template <int NODES>
static __device__ __forceinline__ uint4 entry_at(const small_entries &entries, float at)
{
    const uint32_t bits =
        __float_as_uint(fminf(at, FOVEATE_SMALL_ENTRIES - 1.0f) + SMALL_WHOLE);
    const uint64_t from = entries.first + (uint64_t)bits * (2 * FOVEATE_SMALL_NODES);
    if constexpr (NODES > 4) {
        return __ldg((const uint4 *)from);
    } else {
        const uint2 four = __ldg((const uint2 *)from);
        return make_uint4(four.x, four.y, 0, 0);
    }
}

/* Outputs at columns 0 and 1 are of n = 0, 2 and 3 of n = 1; in pixels from the top left corner. */
template <int NODES>
static __device__ __forceinline__ void take_parts(small_mix<NODES> &mix, int n, int r,
                                                  const uint4 &a, const uint4 &b)
{
    const uint32_t first[4] = {a.x, a.y, a.z, a.w};
    const uint32_t second[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int j = 0; j < NODES; j++) {
        mix.of[j][n][r] = __byte_perm(first[j / 2], second[j / 2], j % 2 ? 0x7632 : 0x5410);
    }
}

template <int NODES>
static __device__ __forceinline__ small_mix<NODES>
mix_at(const small_work &work, const small_entries &entries, const float (&x)[4],
       const float (&y)[2])
{
    small_mix<NODES> mix;
    if (work.small.by_distance) {
        const float gaze_x = (float)work.frame.gaze_x_q8 * (1.0f / 256);
        const float gaze_y = (float)work.frame.gaze_y_q8 * (1.0f / 256);
        float across[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            across[i] = (x[i] - gaze_x) * entries.per;
        }
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const float down = (y[r] - gaze_y) * entries.per;
            const float square = down * down;
#pragma unroll
            for (int n = 0; n < 2; n++) {
                const float *at = across + 2 * n;
                const float first = at[0] * at[0] + square;
                const float second = at[1] * at[1] + square;
                take_parts<NODES>(mix, n, r,
                                  entry_at<NODES>(entries, entries.root ? root_of(first) : first),
                                  entry_at<NODES>(entries, entries.root ? root_of(second) : second));
            }
        }
        return mix;
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
#pragma unroll
        for (int n = 0; n < 2; n++) {
            const float first = work.sigma_at(x[2 * n], y[r]) * entries.per;
            const float second = work.sigma_at(x[2 * n + 1], y[r]) * entries.per;
            take_parts<NODES>(mix, n, r, entry_at<NODES>(entries, first),
                              entry_at<NODES>(entries, second));
        }
    }
    return mix;
}

/* Of samples of a coarser level. */
template <int NODES>
static __device__ __forceinline__ small_mix<NODES> mix_of_samples(const small_work &work, int level,
                                                                  int first_node, int x0, int y0,
                                                                  const small_lane &l)
{
    const float step = work.small.spacing[level];
    const float left = work.small.x.first[level] + 0.5f + step * (float)(x0 + 2 * l.t);
    const float top = work.small.y.first[level] + 0.5f + step * (float)(y0 + l.g);
    const float x[4] = {left, left + step, left + 8.0f * step, left + 9.0f * step};
    const float y[2] = {top, top + 8.0f * step};
    return mix_at<NODES>(work, entries_of(work, level, first_node), x, y);
}

/* Of the picture: a lane has pixels x0 + 4 t .. + 3 of rows g and g + 8. */
static __device__ __forceinline__ small_mix<FOVEATE_SMALL_NODES_0>
mix_of_pixels(const small_work &work, int x0, int y0, const small_lane &l)
{
    const float left = (float)(x0 + 4 * l.t) + 0.5f;
    const float top = (float)(y0 + l.g) + 0.5f;
    const float x[4] = {left, left + 1.0f, left + 2.0f, left + 3.0f};
    const float y[2] = {top, top + 8.0f};
    return mix_at<FOVEATE_SMALL_NODES_0>(work, entries_of(work, 0, 0), x, y);
}

#endif
