/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method (gauss/pyramid.h) for 32-bit floats, and for whole numbers in wide light. Each
 * has launches for level 0 from the picture, every further level from the one below (of light:
 * nodes_levels_* of gauss/cuda/nodes/gauss_nodes.cu), and the picture from nodes.
 *
 * smooth_level_*: block of 32 x 8 threads; grid x, y: blocks of 32 x 8 px, z: images
 *     thread      one pixel to one sample; a warp reads and writes neighbours
 *
 * smooth_decimate_*: block of 32 x 8 threads; grid x, y: blocks of 32 x 8 samples, z: images
 *     shared      float4 rows[20][32], 10,240 B: rows below, filtered along x
 *     thread      two or three of those rows' samples; -- barrier --; its own sample's six rows
 *
 * smooth_picture_* (wide.cuh): block of 4 warps; grid x, y: 2 x 2 tiles of 16 x 16 px, z: images
 *     warp w      the tile w % 2 to the right and w / 2 down; no shared memory, no barrier
 *     lane 4g+t   of rows gauss_nodes_place(g) and two on, pixels 4t to 4t + 3
 *
 * light_level_*: block of 32 x 8 threads; grid x, y: blocks of 32 fours x 8 rows, z: images
 *     shared      the light of each level of a colour, 1,024 or 4,096 B; -- barrier --
 *     thread      four pixels to a four of samples
 *
 * light_picture_*, light_alpha_* (light.cuh): as smooth_picture_*, and
 *     shared      what warps have of tiles, and need of each other's, 16,448 B, with alpha 20,544
 *     barriers    after places are found; two for each tile that all warps make */

#include "light.cuh"
#include "wide.cuh"

namespace {

const int WIDTH = GAUSS_CUDA_BLOCK_WIDTH;
const int HEIGHT = GAUSS_CUDA_BLOCK_HEIGHT;

__device__ int thread_x()
{
    return (int)(blockIdx.x * WIDTH + threadIdx.x);
}

__device__ int thread_y()
{
    return (int)(blockIdx.y * HEIGHT + threadIdx.y);
}

__device__ bool in_image(const gauss_frame &frame)
{
    return thread_x() < frame.width_px && thread_y() < frame.height_px;
}

/* ---- Level 0: a thread makes a sample of its pixel. Bound by memory: a pixel in, a sample out */

template <typename Pixel, typename Image>
__device__ void make_level_0(const gauss_frame &frame, const gauss_cuda_smooth &smooth,
                             const Image &src)
{
    if (!in_image(frame)) {
        return;
    }
    const int x = thread_x();
    const int y = thread_y();
    sample_level<float_sample>(smooth, 0).row(y)[x] = {Pixel::decode(src.load(x, y))};
}

/* ---- Level k from level k - 1: the block filters rows along x into shared memory, then each
 * thread filters its sample's six rows. Bound by memory: each sample below is read three times,
 * twice from the cache */

const int TAPS = 6;
const int TAPS_BEFORE = 2; /* sample i lies between 2i and 2i + 1 of the level below */
const int ROWS_BELOW = 2 * HEIGHT + TAPS - 2;

__device__ float tap(int i)
{
    return i == 0 || i == 5 ? 1.0f / 32 : i == 1 || i == 4 ? 5.0f / 32 : 10.0f / 32;
}

template <typename Sample>
__device__ float4 filter_row(const sample_level<Sample> &below, int x, int y)
{
    const Sample *row = below.row(y);
    float4 sum = {};
#pragma unroll
    for (int i = 0; i < TAPS; i++) {
        sum = gaussian_add(sum, tap(i), row[below.column(2 * x - TAPS_BEFORE + i)].value());
    }
    return sum;
}

template <typename Sample> __device__ void decimate(const gauss_cuda_smooth &smooth, int k)
{
    __shared__ float4 rows[ROWS_BELOW][WIDTH];
    if (!is_wanted(smooth.sigmas)) {
        return;
    }
    const sample_level<Sample> below(smooth, k - 1);
    const sample_level<Sample> level(smooth, k);
    const int x = level.first + thread_x();
    const int y = level.first + thread_y();
    const int first_row = 2 * (y - (int)threadIdx.y) - TAPS_BEFORE;
    for (int i = threadIdx.y; i < ROWS_BELOW; i += HEIGHT) {
        rows[i][threadIdx.x] = filter_row(below, x, first_row + i);
    }
    __syncthreads();
    if (x > level.last_x || y > level.last_y) {
        return;
    }
    float4 sum = {};
#pragma unroll
    for (int i = 0; i < TAPS; i++) {
        sum = gaussian_add(sum, tap(i), rows[2 * threadIdx.y + i][threadIdx.x]);
    }
    level.row(y)[x] = Sample::of(sum);
}

} // namespace

#define KERNEL extern "C" __global__ void __launch_bounds__(WIDTH *HEIGHT)
#define PICTURE extern "C" __global__ void __launch_bounds__(GAUSS_WIDE_THREADS, 3)

KERNEL smooth_decimate_half(const __grid_constant__ gauss_cuda_decimate_params params)
{
    ptx_wait_for_kernel_ahead();
    decimate<half_sample>(params.smooth, params.level);
}

KERNEL smooth_decimate_float(const __grid_constant__ gauss_cuda_decimate_params params)
{
    ptx_wait_for_kernel_ahead();
    decimate<float_sample>(params.smooth, params.level);
}

#define KERNELS(suffix, format)                                                                    \
    KERNEL smooth_level_linear_##suffix(const __grid_constant__ gauss_cuda_smooth_params params)   \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        if (!is_wanted(params.smooth.sigmas)) {                                                    \
            return;                                                                                \
        }                                                                                          \
        make_level_0<pixel<format>>(params.frame, params.smooth,                                   \
                                    linear_src<pixel<format>>(params, params.frame));              \
    }                                                                                              \
    PICTURE smooth_picture_linear_##suffix(                                                        \
        const __grid_constant__ gauss_cuda_smooth_params params)                                   \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        if (!is_wanted(params.smooth.sigmas)) {                                                    \
            return;                                                                                \
        }                                                                                          \
        const gauss_frame frame = frame_of_image(params.frame, params.batch);                      \
        make_wide_picture<pixel<format>>(frame, params.smooth,                                     \
                                         linear_src<pixel<format>>(params, frame),                 \
                                         linear_dst<pixel<format>>(params, frame));                \
    }

KERNELS(rgba32f, FOVEA_FORMAT_RGBA32F)
KERNELS(rgb32f, FOVEA_FORMAT_RGB32F)
KERNELS(r32f, FOVEA_FORMAT_R32F)

#define LIGHT_PICTURE(name, kind, suffix, format, most)                                            \
    extern "C" __global__ void __launch_bounds__(NODES_THREADS, 3)                                 \
        light_##name##_##kind##_##suffix(const __grid_constant__ gauss_nodes_params params)        \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        const int count = pixel<format>::channels < most ? pixel<format>::channels : most;         \
        if (!is_wanted(params.nodes.sigmas)) {                                                     \
            return;                                                                                \
        }                                                                                          \
        const gauss_frame frame = frame_of_image(params.frame, params.batch);                      \
        make_light_picture<pixel<format>, count>(frame, params.nodes,                              \
                                                 kind##_src<pixel<format>>(params, frame),         \
                                                 kind##_dst<pixel<format>>(params, frame));        \
    }

#define LIGHT_KERNELS(kind, suffix, format)                                                        \
    KERNEL light_level_##kind##_##suffix(const __grid_constant__ gauss_nodes_params params)        \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        __shared__ light_of_levels<pixel<format>> lights;                                          \
        const int count = pixel<format>::channels;                                                 \
        const int colours = count < 3 ? count : 3;                                                 \
        if (!is_wanted(params.nodes.sigmas)) {                                                     \
            return;                                                                                \
        }                                                                                          \
        lights.fill(light_of(params.frame, params.nodes),                                          \
                    (int)(threadIdx.y * WIDTH + threadIdx.x), WIDTH *HEIGHT);                      \
        const auto src = kind##_src<pixel<format>>(params, params.frame);                          \
        if (params.frame.blur_alpha) {                                                             \
            make_light_level<pixel<format>, count>(params.frame, params.nodes, lights, src,        \
                                                   thread_x(), thread_y());                        \
        } else {                                                                                   \
            make_light_level<pixel<format>, colours>(params.frame, params.nodes, lights, src,      \
                                                     thread_x(), thread_y());                      \
        }                                                                                          \
    }                                                                                              \
    LIGHT_PICTURE(picture, kind, suffix, format, 3)

/* light_alpha averages alpha, too. */
#define LIGHT_ALPHA_KERNELS(kind, suffix, format)                                                  \
    LIGHT_KERNELS(kind, suffix, format)                                                            \
    LIGHT_PICTURE(alpha, kind, suffix, format, 4)

LIGHT_ALPHA_KERNELS(linear, rgba8, FOVEA_FORMAT_RGBA8)
LIGHT_ALPHA_KERNELS(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
LIGHT_KERNELS(linear, rgb8, FOVEA_FORMAT_RGB8)
LIGHT_KERNELS(linear, r8, FOVEA_FORMAT_R8)

LIGHT_ALPHA_KERNELS(surface, rgba8, FOVEA_FORMAT_RGBA8)
LIGHT_ALPHA_KERNELS(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
