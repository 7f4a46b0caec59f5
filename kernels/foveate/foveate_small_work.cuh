/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the phases of foveate_small.cu share: the block's picture with its matrices, sigma at a place, and the tasks
 * that warps take. */
#ifndef FOVEA_KERNELS_FOVEATE_SMALL_WORK_CUH
#define FOVEA_KERNELS_FOVEATE_SMALL_WORK_CUH

#include "foveate_small_image.cuh"
#include "foveate_small_mma.cuh"
#include "foveate_smooth.h"

const int TILE = FOVEATE_SMALL_TILE;
const int WARPS = FOVEATE_SMALL_THREADS / 32;
const int BLOCKS = FOVEATE_SMALL_BLOCKS;
const int PIECE = FOVEATE_SMALL_PIECE_BYTES / 16; /* a sixteenth a lane */

struct small_lane {
    int lane, g, t;

    __device__ small_lane() : lane((int)threadIdx.x % 32), g(lane / 4), t(lane % 4)
    {
    }
};

struct small_work {
    const foveate_small &small;
    const foveate_frame &frame;
    small_memory memory;

    __device__ __forceinline__ const uint4 *pieces(int number, const small_lane &l) const
    {
        return (const uint4 *)small.pieces + number * PIECE + l.lane;
    }
    __device__ __forceinline__ uint4 piece(int number, const small_lane &l) const
    {
        return __ldg(pieces(number, l));
    }

    __device__ __noinline__ float sigma_at(float x_px, float y_px) const
    {
        return foveate_law_sigma_at(&small.law, (const float *)small.table, x_px, y_px,
                                    (float)frame.gaze_x_q8 / 256.0f,
                                    (float)frame.gaze_y_q8 / 256.0f);
    }
};

/* sqrt to 22 bits is enough for a place in a table. */
static __device__ __forceinline__ float fast_sqrt(float v)
{
    return v * rsqrtf(fmaxf(v, 1e-12f));
}

static __device__ __forceinline__ float entry_at(const uint16_t *entries, float at)
{
    const int entry = (int)(fminf(at, FOVEATE_SMALL_PLACES - 1.0f) + 0.5f);
    return __half2float(__ushort_as_half(__ldg(entries + entry)));
}

/* At places in pixels from the top left corner, row by row. Table 0 to 2: where sigma lies in the level's
 * set; 3: sigma. */
template <int COLUMNS, int ROWS>
static __device__ __forceinline__ void look_up(const small_work &work, int table,
                                               const float (&x)[COLUMNS], const float (&y)[ROWS],
                                               float (&out)[ROWS][COLUMNS])
{
    const uint16_t *entries = (const uint16_t *)work.small.places + table * FOVEATE_SMALL_PLACES;
    const float per_px = work.small.places_per_px[table < 3 ? table : 1];
    if (work.small.by_distance) {
        const float gaze_x = (float)work.frame.gaze_x_q8 * (1.0f / 256);
        const float gaze_y = (float)work.frame.gaze_y_q8 * (1.0f / 256);
#pragma unroll
        for (int j = 0; j < ROWS; j++) {
            const float down = (y[j] - gaze_y) * (y[j] - gaze_y);
#pragma unroll
            for (int i = 0; i < COLUMNS; i++) {
                const float across = x[i] - gaze_x;
                out[j][i] = entry_at(entries, fast_sqrt(across * across + down) * per_px);
            }
        }
        return;
    }
    for (int j = 0; j < ROWS; j++) {
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            const float sigma = work.sigma_at(x[i], y[j]);
            out[j][i] = table < 3 ? entry_at(entries, sigma * per_px) : sigma;
        }
    }
}

/* The next task of the phase, to all lanes. */
static __device__ __forceinline__ int take_task(const small_work &work)
{
    int task = 0;
    if (threadIdx.x % 32 == 0) {
        task = (int)atomicAdd((uint32_t *)&work.memory.state->next, 1u);
    }
    return __shfl_sync(~0u, task, 0);
}

/* The sums of 16 x 16 samples, into a plane of the level. */
template <int LEVEL>
static __device__ __forceinline__ void store_tile(char *to, int channel, int x0, int y0,
                                                  const small_result (&sums)[2],
                                                  const small_lane &l)
{
#pragma unroll
    for (int n = 0; n < 2; n++) {
        const int x = x0 + 8 * n + 2 * l.t;
        *(uint32_t *)(to + sample_at<LEVEL>(channel, x, y0 + l.g)) = sums[n].x;
        *(uint32_t *)(to + sample_at<LEVEL>(channel, x, y0 + l.g + 8)) = sums[n].y;
    }
}

#endif
