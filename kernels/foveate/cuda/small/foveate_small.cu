/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Batches of small pictures: a block foveates a picture of up to 128 x 128 pixels within shared
 * memory, whatever the slope of its law (foveate/cuda/small/params.h).
 *
 * In order, with barriers between: the picture is asked for, and sigma at blocks of 4 x 4 pixels
 * says from which level each is made; level 1, and the pixels near the gaze, which are written;
 * level 2, and the blurs of both levels, one of them where the picture was; the pixels that are
 * made from them, which are written. Tasks are 16 x 16 outputs; warps take the longer ones in
 * turns. What the picture's place saves is first-level cache for weights, or lets two blocks in.
 *
 * Grid: (1, 1, pictures). Bound by what 24 warps a multiprocessor wait for: products, weights, each
 * other.
 *
 *     foveate/cuda/small/work.cuh     what the phases share
 *     foveate/cuda/small/choose.cuh   which levels
 *     foveate/cuda/small/levels.cuh   levels from the picture
 *     foveate/cuda/small/blend.cuh      in which parts an output is a sum of blurs
 *     foveate/cuda/small/blur.cuh     blurs
 *     foveate/cuda/small/upsample.cuh     the picture from levels
 *     foveate/cuda/small/image.cuh    shared memory, and the way from and to global memory
 *     foveate/cuda/small/pixel.cuh    formats
 *     cuda/barrier.cuh        where some wait for others */

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

/* All that is read of the picture: the tiles near the gaze, which take longer, then level 1. */
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
