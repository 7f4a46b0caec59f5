/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Chooses the level of every block of 4 x 4 pixels by its smallest sigma, and what tiles of 16 x 16
 * pixels need. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_SMALL_CHOOSE_CUH
#define FOVEA_KERNELS_FOVEATE_CUDA_SMALL_CHOOSE_CUH

#include "work.cuh"

/* For laws that do not depend on the distance alone, measures sigma at corners. */
static __device__ void measure_corners(const small_work &work, float2 gaze)
{
    const int across = (work.frame.width_px + 3) / 4 + 1;
    const int down = (work.frame.height_px + 3) / 4 + 1;
    for (int i = (int)threadIdx.x; i < across * down; i += FOVEATE_SMALL_THREADS) {
        const int y = i / across;
        const int x = i - y * across;
        work.memory.corners[y * (BLOCKS + 1) + x] =
            work.sigma_at(4.0f * (float)x, 4.0f * (float)y, gaze);
    }
}

static __device__ __forceinline__ int level_from(float value, const float (&from)[3])
{
    return value >= from[2] ? 2 : value >= from[1] ? 1 : 0;
}

/* Returns the block's smallest sigma: that of its place nearest to the gaze, or of its corners. */
static __device__ __forceinline__ int level_of_block(const small_work &work, float2 gaze, int x,
                                                     int y)
{
    if (work.small.by_distance) {
        const float across = fabsf(gaze.x - (float)(4 * x + 2));
        const float down = fabsf(gaze.y - (float)(4 * y + 2));
        const float dx = fmaxf(across - 2.0f, 0.0f);
        const float dy = fmaxf(down - 2.0f, 0.0f);
        return level_from(dx * dx + dy * dy, work.small.from_square);
    }
    const float *corner = work.memory.corners + y * (BLOCKS + 1) + x;
    const float above = fminf(corner[0], corner[1]);
    const float below = fminf(corner[BLOCKS + 1], corner[BLOCKS + 2]);
    return level_from(fminf(above, below), work.small.from_sigma);
}

/* A warp chooses a row of blocks at a time. A barrier of the block follows. */
static __device__ __forceinline__ void choose_levels(const small_work &work, float2 gaze)
{
    const int x = (int)(threadIdx.x % 32);
    small_state *state = work.memory.state;
    if (!work.small.by_distance) {
        measure_corners(work, gaze);
        __syncthreads();
    }
    for (int y = small_warp(); y < BLOCKS; y += WARPS) {
        const bool there = 4 * x < work.frame.width_px && 4 * y < work.frame.height_px;
        const int level = there ? level_of_block(work, gaze, x, y) : -1;
#pragma unroll
        for (int k = 0; k < 3; k++) {
            const uint32_t row = __ballot_sync(~0u, level == k);
            if (x == 0) {
                state->rows[k][y] = row;
            }
        }
    }
    __syncthreads();
}

/* Returns a bit for each tile of level 1 that a tile's pixels are interpolated from. */
static __device__ __forceinline__ uint32_t needed_of_level_1(const small_work &work, int tile)
{
    const int x = work.small.x.from[1][tile % TILES];
    const int y = work.small.y.from[1][tile / TILES];
    const uint32_t columns = 1u << x / TILE | 1u << (x + TILE - 1) / TILE;
    return columns << 4 * (y / TILE) | columns << 4 * ((y + TILE - 1) / TILE);
}

/* One warp lists tiles by their chosen levels. */
static __device__ __forceinline__ void list_tiles(const small_work &work)
{
    const int lane = (int)(threadIdx.x % 32);
    small_state *state = work.memory.state;
    uint32_t needed = 0;
    uint32_t far = 0;
    int count = 0;
#pragma unroll
    for (int tile = lane; tile < TILES * TILES; tile += 32) {
        uint32_t levels = 0;
#pragma unroll
        for (int i = 0; i < 12; i++) {
            const uint32_t row = state->rows[i / 4][tile / TILES * 4 + i % 4];
            levels |= (row >> tile % TILES * 4 & 15u) ? 1u << i / 4 : 0u;
        }
        const uint32_t near = __ballot_sync(~0u, levels & 1u);
        const int index = count + __popc(near & ((1u << lane) - 1u));
        state->levels[tile] = (uint8_t)levels;
        if (levels & 1u && index < FOVEATE_SMALL_NEAR_TILES) {
            state->near_tiles[index] = (uint8_t)tile;
        }
        count += __popc(near);
        needed |= levels & 2u ? needed_of_level_1(work, tile) : 0u;
        far |= levels & 4u;
    }
#pragma unroll
    for (int i = 16; i > 0; i /= 2) {
        needed |= __shfl_xor_sync(~0u, needed, i);
        far |= __shfl_xor_sync(~0u, far, i);
    }
    if (needed >> lane & 1u) {
        state->blur_tiles[__popc(needed & ((1u << lane) - 1u))] = (uint8_t)lane;
    }
    if (lane == 0) {
        barrier_begin(&state->made_2, FOVEATE_SMALL_THREADS);
        state->next[0] = state->next[1] = WARPS;
        state->blur_count = (uint32_t)__popc(needed);
        state->far = far;
        state->near_count = (uint32_t)min(count, FOVEATE_SMALL_NEAR_TILES);
    }
}

#endif
