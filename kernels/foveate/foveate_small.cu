/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Batches of small pictures: a block foveates a picture of up to 128 x 128 pixels within shared memory,
 * whatever the slope of its law (foveate_small_params.h).
 *
 * In order, with barriers between: the picture is read; sigma at the corners of blocks of 4 x 4 pixels says
 * from which level each is made; level 1; level 2, and the blur of level 1; the blur of level 2, and of the
 * pixels near the gaze; the rest of the picture from levels, in place; it is written. Blurs are tasks of
 * 16 x 16 outputs that warps take in turns: for each sigma of the level's set that the tile needs, two
 * products of 16 x 32 weights, and the sums of a sample's two neighbours in the set.
 *
 * Grid: (1, 1, pictures). Bound by tensor products and the issue of instructions.
 *
 *     foveate_small_work.cuh     what the phases share
 *     foveate_small_levels.cuh   levels from the picture, the picture from levels
 *     foveate_small_blur.cuh     blurs
 *     foveate_small_image.cuh    shared memory
 *     foveate_small_pixel.cuh    formats */

#include "foveate_small_blur.cuh"
#include "foveate_small_levels.cuh"

namespace {

extern __shared__ char small_shared[];

/* ---- What every block of 4 x 4 pixels is made from */

__device__ void measure_corners(const small_work &work)
{
    const int across = (work.frame.width_px + 3) / 4 + 1;
    const int down = (work.frame.height_px + 3) / 4 + 1;
    for (int i = (int)threadIdx.x; i < across * down; i += FOVEATE_SMALL_THREADS) {
        const int y = i / across;
        const int x = i - y * across;
        const float px[1] = {4.0f * (float)x};
        const float py[1] = {4.0f * (float)y};
        float sigma[1][1];
        look_up(work, 3, px, py, sigma);
        work.memory.corners[y * (BLOCKS + 1) + x] = sigma[0][0];
    }
    if (threadIdx.x == 0) {
        *work.memory.state = {0, BLOCKS, -1, BLOCKS, -1, {}, 0, {}};
    }
    if (work.memory.light && threadIdx.x < 256) {
        const float light = srgb_to_light((float)threadIdx.x * (1.0f / 255.0f));
        work.memory.light[threadIdx.x] = __half_as_ushort(__float2half_rn(light));
    }
}

/* Tiles of level 1 that a block's pixels are interpolated from. */
__device__ void note_level_1(const small_work &work, int x, int y)
{
    const foveate_small &s = work.small;
    const int left = s.x.from_1[x / 4] / TILE;
    const int right = (s.x.from_1[x / 4] + TILE - 1) / TILE;
    const int top = s.y.from_1[y / 4] / TILE;
    const int bottom = (s.y.from_1[y / 4] + TILE - 1) / TILE;
    const uint32_t bits = 1u << left | 1u << right;
    atomicOr(&work.memory.state->level_1[top], bits);
    atomicOr(&work.memory.state->level_1[bottom], bits);
}

__device__ void choose_levels(const small_work &work)
{
    const int across = (work.frame.width_px + 3) / 4;
    const int down = (work.frame.height_px + 3) / 4;
    small_state *state = work.memory.state;
    for (int i = (int)threadIdx.x; i < across * down; i += FOVEATE_SMALL_THREADS) {
        const int y = i / across;
        const int x = i - y * across;
        const float *corner = work.memory.corners + y * (BLOCKS + 1) + x;
        const float least =
            fminf(fminf(corner[0], corner[1]), fminf(corner[BLOCKS + 1], corner[BLOCKS + 2]));
        const int level = least >= work.small.from_sigma[2]   ? 2
                          : least >= work.small.from_sigma[1] ? 1
                                                              : 0;
        work.memory.blocks[y * BLOCKS + x] = (uint8_t)level;
        atomicOr(&state->tiles[y / 4 * 8 + x / 4], 1u << level);
        if (level == 0) {
            atomicMin(&state->left, x);
            atomicMax(&state->right, x);
            atomicMin(&state->top, y);
            atomicMax(&state->bottom, y);
        } else if (level == 1) {
            note_level_1(work, x, y);
        } else {
            state->far = 1;
        }
    }
}

/* ---- A picture */

__device__ __forceinline__ void next_phase(const small_work &work)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        work.memory.state->next = 0;
    }
    __syncthreads();
}

template <typename Format> __device__ void foveate(const small_work &work)
{
    const int CHANNELS = Format::CHANNELS;
    const small_state &state = *work.memory.state;
    measure_corners(work);
    __syncthreads();
    choose_levels(work);
    const int made = work.small.x.samples / TILE * (work.small.y.samples / TILE);
    for (int tile = (int)threadIdx.x / 32; tile < made; tile += WARPS) {
        make_level_1<Format>(work, tile);
    }
    next_phase(work);
    const int coarse = state.far ? 4 * CHANNELS : 0;
    for (int task = take_task(work); task < coarse + 16 * CHANNELS; task = take_task(work)) {
        const int tile = (task - coarse) / CHANNELS;
        if (task < coarse) {
            make_level_2(work, task / CHANNELS, task % CHANNELS);
        } else if (state.level_1[tile / 4] >> tile % 4 & 1u) {
            blur_level_1(work, tile, (task - coarse) % CHANNELS);
        }
    }
    next_phase(work);
    const near_tiles tiles(state);
    const int near = tiles.count * CHANNELS;
    for (int task = take_task(work); task < near + coarse; task = take_task(work)) {
        if (task < near) { /* the longer ones first */
            const int tile = task / CHANNELS;
            blur_near<Format>(work, tile, task % CHANNELS, tiles.left + tile % tiles.columns * TILE,
                              tiles.top + tile / tiles.columns * TILE);
        } else {
            blur_level_2(work, (task - near) / CHANNELS, (task - near) % CHANNELS);
        }
    }
    __syncthreads();
    put_near<Format>(work, tiles);
    const int tx = (int)threadIdx.x / 32 % 8;
    if (tx * TILE < work.frame.width_px) {
        show_columns<Format>(work, tx, (int)threadIdx.x / 32 / 8, WARPS / 8);
    }
}

template <typename Format> __device__ void run(const foveate_small_linear_params &params)
{
    const foveate_frame frame = frame_of_image(params.frame, params.batch);
    const small_work work = {
        params.small, frame,
        small_layout(small_shared, params.small, Format::CHANNELS, Format::LIGHT)};
    const foveate_cuda_linear src = view_of(params.src, frame, params.batch.src_next_bytes);
    const foveate_cuda_linear dst = view_of(params.dst, frame, params.batch.dst_next_bytes);
    small_move<true>(work.memory, src, frame.width_px, frame.height_px, Format::BYTES);
    if (frame.gaze_x_q8 != FOVEATE_GAZE_NONE) {
        foveate<Format>(work);
    }
    __syncthreads();
    small_move<false>(work.memory, dst, frame.width_px, frame.height_px, Format::BYTES);
}

} // namespace

#define KERNEL(name, bytes, channels, light)                                                       \
    extern "C" __global__ void __launch_bounds__(FOVEATE_SMALL_THREADS, 2)                         \
        small_##name(const __grid_constant__ foveate_small_linear_params params)                   \
    {                                                                                              \
        run<small_format<bytes, channels, light>>(params);                                         \
    }

KERNEL(r8, 1, 1, false)
KERNEL(rgb8, 3, 3, false)
KERNEL(rgba8, 4, 3, false) /* alpha is kept */
KERNEL(rgba8_alpha, 4, 4, false)
KERNEL(r8_light, 1, 1, true)
KERNEL(rgb8_light, 3, 3, true)
KERNEL(rgba8_light, 4, 3, true)
KERNEL(rgba8_alpha_light, 4, 4, true)
