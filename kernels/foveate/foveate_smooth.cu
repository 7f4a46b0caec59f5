/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method (foveate_smooth.h): level 0 from the picture, every further level from the one
 * below, then each pixel gathered from the level that its sigma asks for. One launch each.
 *
 * Blocks are 32 x 8 threads, grids count such blocks over what is written; x runs along rows, so that a
 * warp reads and writes neighbours. */

#include "foveate_gaussian.cuh"
#include "foveate_image.cuh"
#include "foveate_sample.cuh"

namespace {

const int WIDTH = FOVEATE_CUDA_BLOCK_WIDTH;
const int HEIGHT = FOVEATE_CUDA_BLOCK_HEIGHT;

__device__ int thread_x()
{
    return (int)(blockIdx.x * WIDTH + threadIdx.x);
}

__device__ int thread_y()
{
    return (int)(blockIdx.y * HEIGHT + threadIdx.y);
}

__device__ bool in_image(const foveate_frame &frame)
{
    return thread_x() < frame.width_px && thread_y() < frame.height_px;
}

/* ---- Level 0. A thread makes a sample of its pixel. Bound by memory: a pixel in, a sample out. */

template <typename Pixel, typename Sample, typename Image>
__device__ void make_level_0(const foveate_frame &frame, const foveate_cuda_smooth &smooth,
                             const Image &src)
{
    if (!in_image(frame)) {
        return;
    }
    const int x = thread_x();
    const int y = thread_y();
    const float4 v = sample_of_pixel<Pixel>(src.load(x, y), light_of(frame, smooth));
    sample_level<Sample>(smooth, 0).row(y)[x] = Sample::of(v);
}

/* ---- Level k from level k - 1. A block filters the rows that its samples need along x into shared
 * memory, then a thread filters its sample's six rows of it. Bound by memory: each sample below is read
 * three times, from the cache but for once. */

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

template <typename Sample> __device__ void decimate(const foveate_cuda_smooth &smooth, int k)
{
    __shared__ float4 rows[ROWS_BELOW][WIDTH];
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

/* ---- The picture. A thread finds its pixel's sigma and averages the level's samples around it. Bound
 * by instruction issue: 36 to 289 samples a pixel, which neighbours share through the cache. */

/* Along a row. Far from the borders, which is nearly everywhere, no column has to be clamped. */
template <bool CLAMPED, typename Sample>
__device__ float4 sum_row(const sample_level<Sample> &level, const Sample *row,
                          const gaussian_axis &across)
{
    float4 sum = {};
    gaussian g = across.start;
#pragma unroll 4
    for (int i = across.first; i <= across.last; i++, g.step()) {
        sum = gaussian_add(sum, g.weight, row[CLAMPED ? level.column(i) : i].value());
    }
    return sum;
}

template <typename Sample>
__device__ float4 gather(const foveate_cuda_smooth &smooth, int light, float sigma_px, int x, int y)
{
    const int k = foveate_level_with(sigma_px, foveate_light_rest(light), smooth.level_count);
    const float per_px = 1.0f / (float)(1 << k);
    const float sigma = sqrtf(sigma_px * sigma_px - foveate_level_variance(k)) * per_px;
    const float reach = foveate_light_reach(light);
    const gaussian_axis across(((float)x + 0.5f) * per_px - 0.5f, sigma, reach);
    const gaussian_axis down(((float)y + 0.5f) * per_px - 0.5f, sigma, reach);
    const sample_level<Sample> level(smooth, k);
    const bool clamped = across.first < level.first || across.last > level.last_x;
    float4 sum = {};
    gaussian g = down.start;
    for (int j = down.first; j <= down.last; j++, g.step()) {
        const Sample *row = level.row(j);
        sum = gaussian_add(sum, g.weight,
                           clamped ? sum_row<true>(level, row, across)
                                   : sum_row<false>(level, row, across));
    }
    const float scale = 1.0f / (across.total() * down.total());
    return make_float4(sum.x * scale, sum.y * scale, sum.z * scale, sum.w * scale);
}

/* A Gaussian that reaches no neighbour is a copy too. */
__device__ bool is_copied(float sigma_px, int light)
{
    return sigma_px * foveate_light_reach(light) < 1.0f;
}

__device__ float sigma_at(const foveate_frame &frame, const foveate_cuda_smooth &smooth, int x,
                          int y)
{
    if (smooth.level_count == 0 || frame.gaze_x_q8 == FOVEATE_GAZE_NONE) {
        return 0.0f;
    }
    return foveate_law_sigma(&smooth.law, (const float *)smooth.table, x, y,
                             (float)frame.gaze_x_q8 / 256.0f, (float)frame.gaze_y_q8 / 256.0f);
}

template <typename Pixel, typename Sample, typename Image>
__device__ void make_picture(const foveate_frame &frame, const foveate_cuda_smooth &smooth,
                             const Image &src, const Image &dst)
{
    if (!in_image(frame)) {
        return;
    }
    const int x = thread_x();
    const int y = thread_y();
    const float sigma_px = sigma_at(frame, smooth, x, y);
    typename Pixel::word word = src.load(x, y);
    if (!is_copied(sigma_px, frame.light)) {
        const float4 average = gather<Sample>(smooth, frame.light, sigma_px, x, y);
        const typename Pixel::word colour =
            pixel_of_sample<Pixel>(average, light_of(frame, smooth));
        word = frame.blur_alpha ? colour : Pixel::keep_alpha(colour, word);
    }
    dst.store(x, y, word);
}

} // namespace

#define KERNEL extern "C" __global__ void __launch_bounds__(WIDTH *HEIGHT)

KERNEL smooth_decimate_half(const __grid_constant__ foveate_cuda_decimate_params params)
{
    decimate<half_sample>(params.smooth, params.level);
}

KERNEL smooth_decimate_float(const __grid_constant__ foveate_cuda_decimate_params params)
{
    decimate<float_sample>(params.smooth, params.level);
}

#define KERNELS(kind, suffix, format, sample)                                                      \
    KERNEL smooth_level_##kind##_##suffix(                                                         \
        const __grid_constant__ foveate_cuda_smooth_##kind##_params params)                        \
    {                                                                                              \
        const kind##_image<pixel<format>> src = kind##_src<pixel<format>>(params, params.frame);   \
        make_level_0<pixel<format>, sample>(params.frame, params.smooth, src);                     \
    }                                                                                              \
    KERNEL smooth_gather_##kind##_##suffix(                                                        \
        const __grid_constant__ foveate_cuda_smooth_##kind##_params params)                        \
    {                                                                                              \
        const foveate_frame frame = frame_of_image(params.frame, params.batch);                    \
        const kind##_image<pixel<format>> src = kind##_src<pixel<format>>(params, frame);          \
        const kind##_image<pixel<format>> dst = kind##_dst<pixel<format>>(params, frame);          \
        make_picture<pixel<format>, sample>(frame, params.smooth, src, dst);                       \
    }

KERNELS(linear, rgba8, FOVEA_FORMAT_RGBA8, half_sample)
KERNELS(linear, rgb8, FOVEA_FORMAT_RGB8, half_sample)
KERNELS(linear, r8, FOVEA_FORMAT_R8, half_sample)
KERNELS(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10, half_sample)
KERNELS(linear, b10g11r11f, FOVEA_FORMAT_B10G11R11F, half_sample)
KERNELS(linear, rgba16f, FOVEA_FORMAT_RGBA16F, half_sample)
KERNELS(linear, rgba32f, FOVEA_FORMAT_RGBA32F, float_sample)

KERNELS(surface, rgba8, FOVEA_FORMAT_RGBA8, half_sample)
KERNELS(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10, half_sample)
KERNELS(surface, b10g11r11f, FOVEA_FORMAT_B10G11R11F, half_sample)
KERNELS(surface, rgba16f, FOVEA_FORMAT_RGBA16F, half_sample)
