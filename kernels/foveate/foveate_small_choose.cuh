/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* From which level every block of 4 x 4 pixels is made, by its smallest sigma, and what tiles of 16 x 16 pixels need. */
#ifndef FOVEA_KERNELS_FOVEATE_SMALL_CHOOSE_CUH
#define FOVEA_KERNELS_FOVEATE_SMALL_CHOOSE_CUH

#include "foveate_small_work.cuh"

/* Laws that know more than distance. */
static __device__ void measure_corners(const small_work &work)
{
    const int across = (work.frame.width_px + 3) / 4 + 1;
    const int down = (work.frame.height_px + 3) / 4 + 1;
    for (int i = (int)threadIdx.x; i < across * down; i += FOVEATE_SMALL_THREADS) {
        const int y = i / across;
        const int x = i - y * across;
        work.memory.corners[y * (BLOCKS + 1) + x] =
            work.sigma_at(4.0f * (float)x, 4.0f * (float)y);
    }
}

static __device__ __forceinline__ int level_from(float value, const float (&from)[3])
{
    return value >= from[2] ? 2 : value >= from[1] ? 1 : 0;
}

/* Of the block's place that is nearest to the gaze, or of its corners. */
static __device__ __forceinline__ int level_of_block(const small_work &work, int x, int y)
{
    if (work.small.by_distance) {
        const float across = fabsf((float)work.frame.gaze_x_q8 * (1.0f / 256) - (float)(4 * x + 2));
        const float down = fabsf((float)work.frame.gaze_y_q8 * (1.0f / 256) - (float)(4 * y + 2));
        const float dx = fmaxf(across - 2.0f, 0.0f);
        const float dy = fmaxf(down - 2.0f, 0.0f);
        return level_from(dx * dx + dy * dy, work.small.from_square);
    }
    const float *corner = work.memory.corners + y * (BLOCKS + 1) + x;
    const float above = fminf(corner[0], corner[1]);
    const float below = fminf(corner[BLOCKS + 1], corner[BLOCKS + 2]);
    return level_from(fminf(above, below), work.small.from_sigma);
}

/* Tiles of level 1 that a tile's pixels are interpolated from. */
static __device__ void note_level_1(const small_work &work, int tx, int ty)
{
    const int x = work.small.x.from[1][tx];
    const int y = work.small.y.from[1][ty];
    const uint32_t columns = 1u << x / TILE | 1u << (x + TILE - 1) / TILE;
    atomicOr(&work.memory.state->level_1,
             columns << 4 * (y / TILE) | columns << 4 * ((y + TILE - 1) / TILE));
}

static __device__ void note_tile(const small_work &work, int tile, uint32_t near, uint32_t one,
                                 uint32_t two)
{
    small_state *state = work.memory.state;
    const int list = two ? SMALL_FAR : near ? SMALL_NEAR : SMALL_MIDDLE;
    state->blocks[tile] = near | one << 16;
    state->levels[tile] = (uint8_t)((near ? 1 : 0) | (one ? 2 : 0) | (two ? 4 : 0));
    state->lists[list][atomicAdd(&state->counts[list], 1u)] = (uint8_t)tile;
    if (one) {
        note_level_1(work, tile % TILES, tile / TILES);
    }
}

/* A warp finds out about two tiles at a time, a lane about a block. */
static __device__ void choose_levels(const small_work &work)
{
    const int lane = (int)threadIdx.x % 32;
    if (threadIdx.x < 7) {
        (&work.memory.state->next[0])[threadIdx.x] = 0;
    }
    if (!work.small.by_distance) {
        measure_corners(work);
    }
    __syncthreads();
    for (int i = (int)threadIdx.x / 32; i < TILES * TILES / 2; i += WARPS) {
        const int tile = 2 * i + lane / 16;
        const int x = tile % TILES * 4 + lane % 4;
        const int y = tile / TILES * 4 + lane / 4 % 4;
        const bool there = 4 * x < work.frame.width_px && 4 * y < work.frame.height_px;
        const int level = there ? level_of_block(work, x, y) : -1;
        const uint32_t near = __ballot_sync(~0u, level == 0);
        const uint32_t one = __ballot_sync(~0u, level == 1);
        const uint32_t two = __ballot_sync(~0u, level == 2);
        const int half = lane & 16;
        if (lane % 16 == 0 && there) {
            note_tile(work, tile, near >> half & 0xffffu, one >> half & 0xffffu,
                      two >> half & 0xffffu);
        }
    }
}

#endif
