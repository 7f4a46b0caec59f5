/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Batches of small pictures: a block foveates a picture of up to 128 x 128 pixels in shared memory,
 * whatever the slope of its law (foveate/cuda/small/params.h). The kernel is bound by what 24 warps
 * of a multiprocessor wait for: products, weights, each other.
 *
 * small_*: block of 12 warps for each picture; grid (1, 1, pictures)
 *
 *     phase                    a warp's task                      in shared memory
 *     load                     threads issue copies               picture[rows][pitch]
 *     choose (choose.cuh)      a row of blocks of 4 x 4 px        state, corners (over level 1)
 *     -- copies have arrived, __syncthreads --
 *     read (levels.cuh)        16 x 16 px near the gaze, written  level 1: half[64][64] a channel
 *                              or 16 x 16 samples of level 1
 *     -- __syncthreads; the picture is no longer needed --
 *     blur (blur.cuh)          16 x 16 samples of level 2,        level 2: half[32][32] a channel
 *                              a blurred tile of level 1          over the picture
 *                              -- mbarrier made_2 --
 *                              a blurred tile of level 2          half[32][32] a channel
 *     -- __syncthreads --
 *     upsample (upsample.cuh)  16 x 16 px, written                a tile a warp, over level 2
 *
 *     lane 4g + t: outputs of rows g and g + 8, columns 2t and 2t + 1, and the columns 8 on;
 *     operands are 512 B, 16 B a lane, loaded from global memory
 *
 * Warps take longer tasks in turns, from a counter. Laying level 1's blur over the picture leaves
 * first-level cache for weights, or lets two blocks in. work.cuh has what phases share, blend.cuh
 * the weights of nodes, image.cuh shared memory and the way to and from global memory, pixel.cuh
 * formats. */

#include "choose.cuh"
#include "levels.cuh"
#include "upsample.cuh"

namespace {

extern __shared__ char small_shared[];

__device__ void fill_light(const small_work &work)
{
    for (int i = (int)threadIdx.x; work.memory.light && i < 256; i += FOVEATE_SMALL_THREADS) {
        const float light = srgb_to_light((float)i * (1.0f / 255.0f));
        work.memory.light[i] = __half_as_ushort(__float2half_rn(light));
    }
}

/* Does all that reads the picture: the tiles near the gaze, which take longer, then level 1. */
template <typename Format> __device__ __forceinline__ void read_picture(const small_work &work)
{
    const int near = (int)work.memory.state->near_count;
    const int made = work.small.y.samples / TILE * TILES_1;
    for (int task = first_task(); task < near + made; task = take_task(work, 0)) {
        if (task < near) {
            blur_near<Format>(work, task);
        } else if ((task - near) % TILES_1 * TILE < work.small.x.samples) {
            make_level_1<Format>(work, task - near);
        }
    }
}

/* Level 2 is made first, and blurred last. */
template <typename Format> __device__ __forceinline__ void blur_levels(const small_work &work)
{
    small_state &state = *work.memory.state;
    const int fine = (int)state.blur_count;
    const int coarse = state.far ? 4 * Format::CHANNELS : 0;
    for (int task = small_warp(); task < coarse; task += WARPS) {
        make_level_2(work, task % 4, task / 4);
    }
    barrier_pass(&state.made_2);
    for (int task = first_task(); task < fine + coarse; task = take_task(work, 1)) {
        if (task < fine) {
            blur_level_1<Format>(work, state.blur_tiles[task]);
        } else {
            barrier_wait(&state.made_2);
            blur_level_2(work, (task - fine) % 4, (task - fine) / 4);
        }
    }
}

template <typename Format> __device__ __forceinline__ void upsample(const small_work &work)
{
    const int columns = (work.frame.width_px + TILE - 1) / TILE;
    const small_view src = small_src(work.params);
    const small_view dst = small_dst(work.params);
    for (int tile = small_warp(); tile < TILES * TILES; tile += WARPS) {
        if (tile % TILES < columns && tile / TILES * TILE < work.frame.height_px) {
            upsample_tile<Format>(work, src, dst, tile);
        }
    }
}

template <typename Format> __device__ void run(const foveate_small_linear_params &params)
{
    const small_memory memory =
        small_layout(small_shared, params.small, Format::CHANNELS, Format::LIGHT);
    small_begin_load(memory, small_src(params), params.frame.width_px, params.frame.height_px,
                     Format::BYTES);
    const foveate_frame frame = frame_of_image(params.frame, params.batch);
    const small_work work = {params, params.small, frame, memory};
    const bool foveated = frame.gaze_x_q8 != GAZE_NONE;
    if (foveated) {
        const float2 gaze = make_float2((float)frame.gaze_x_q8 * (1.0f / 256),
                                        (float)frame.gaze_y_q8 * (1.0f / 256));
        if (threadIdx.x == 0) {
            memory.state->gaze = gaze;
        }
        fill_light(work);
        choose_levels(work, gaze);
        if (small_warp() == WARPS - 1) {
            list_tiles(work);
        }
    }
    copy_wait();
    __syncthreads();
    if (!foveated) {
        small_store(work.memory, small_dst(params), frame.width_px, frame.height_px, Format::BYTES);
        return;
    }
    read_picture<Format>(work);
    __syncthreads();
    blur_levels<Format>(work);
    __syncthreads();
    upsample<Format>(work);
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
