/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blockwise foveation (Malkin, Deza and Poggio 2020): each fragment of a grid centred on the gaze
 * is copied or blurred by one separable Gaussian, borders replicated.
 *
 * foveate_*: block of 32 x quads threads for one tile of one fragment, so that all have one filter;
 * grid x, y: the tiles of the worst gaze (blocks outside this frame's grid return), z: images
 *     shared      float4 stage[32][33], 16,896 B: the pitch has no bank conflicts either way
 *     loading     thread x: column, y: every quads-th row of 32 x 32 decoded pixels
 *                 -- barrier --
 *     rows        thread x: row, y: four columns, whose sums stay in registers
 *                 -- barrier; more chunks of columns; the sums go to the stage; barrier --
 *     columns     thread x: column, y: four rows, whose sums stay in registers
 *                 -- barrier; more chunks of rows --
 *
 * foveate_light_*: block of 128 threads; grid x: pixels of a row, y: rows, z: images
 *
 * However large the radius, a thread adds 32 samples of a row or column to four neighbours' sums at
 * a time. Loads are coalesced, and taps are the same for a whole warp. The kernel is bound by
 * shared memory and instruction issue: about (tile + 2 radius)^2 staged pixels a tile. */

#include "kernels/foveate/cuda/common/image.cuh"
#include "kernels/foveate/grid.h"
#include "kernels/image/light.cuh"

namespace {

const int TILE = FOVEATE_CUDA_TILE_PX;
const int OUTPUTS = FOVEATE_CUDA_OUTPUTS;
const int PITCH = TILE + 1;
const int MAX_THREADS = TILE * TILE / OUTPUTS;

struct tile {
    int x, y; /* the first pixel; may lie outside the image */
    int columns, rows;
    int ring;
};

struct filter {
    const float *taps; /* centre first */
    int radius;
};

/* Returns where tile `index` of an axis starts, and how many pixels of its fragment are left for
 * it. */
__device__ int tile_start(int index, int gaze_q8, const foveate_frame &frame,
                          const foveate_cuda_tables &tables, int *fragment, int *count)
{
    const int inside = index % tables.tiles_per_side * tables.tile_px;
    const int shift = foveate_grid_shift_px(gaze_q8, frame.fragment_px);
    *fragment = index / tables.tiles_per_side;
    *count = min(tables.tile_px, frame.fragment_px - inside);
    return foveate_grid_start_px(*fragment, frame.fragment_px, shift) + inside;
}

/* Finds the block's tile, alike in all threads. Returns false if no pixel of it is in the image. */
__device__ bool find_tile(const foveate_frame &frame, const foveate_cuda_tables &tables, tile *t)
{
    int fragment_x, fragment_y;
    t->x = tile_start(blockIdx.x, frame.gaze_x_q8, frame, tables, &fragment_x, &t->columns);
    t->y = tile_start(blockIdx.y, frame.gaze_y_q8, frame, tables, &fragment_y, &t->rows);
    if (t->x >= frame.width_px || t->y >= frame.height_px || t->x + t->columns <= 0 ||
        t->y + t->rows <= 0) {
        return false;
    }
    const foveate_grid_filters filters = {(const foveate_ring *)tables.rings, &tables.law,
                                          (const float *)tables.law_table};
    t->ring = frame.gaze_x_q8 == GAZE_NONE
                  ? FOVEATE_RING_NONE
                  : foveate_grid_filter(&filters, &frame, fragment_x, fragment_y);
    return true;
}

__device__ bool in_image(const foveate_frame &frame, const tile &t, int column, int row)
{
    return column < t.columns && row < t.rows && t.x + column >= 0 && t.y + row >= 0 &&
           t.x + column < frame.width_px && t.y + row < frame.height_px;
}

__device__ int clamp(int value, int count)
{
    return min(max(value, 0), count - 1);
}

__device__ void add_scaled(float4 *sum, float weight, const float4 &v)
{
    sum->x = fmaf(weight, v.x, sum->x);
    sum->y = fmaf(weight, v.y, sum->y);
    sum->z = fmaf(weight, v.z, sum->z);
    sum->w = fmaf(weight, v.w, sum->w);
}

__device__ float tap_at(const filter &f, int distance)
{
    return __ldg(f.taps + min(abs(distance), f.radius));
}

/* Adds TILE samples, `step` apart, to the sums of OUTPUTS neighbours; `first` is the position of
 * the first sample, seen from the first output. A sample out of an output's reach is left out
 * rather than given the weight 0: it may be NaN. Each tap is loaded once and handed from output to
 * output. */
__device__ void accumulate(float4 sums[OUTPUTS], const float4 *samples, int step, int first,
                           const filter &f)
{
    const int begin = max(0, -f.radius - first);
    const int end = min(TILE, f.radius + OUTPUTS - first);
    float weights[OUTPUTS];
#pragma unroll
    for (int j = 1; j < OUTPUTS; j++) {
        weights[j - 1] = tap_at(f, first + begin - j);
    }
#pragma unroll 4
    for (int i = begin; i < end; i++) {
        const float4 sample = samples[i * step];
#pragma unroll
        for (int j = OUTPUTS - 1; j > 0; j--) {
            weights[j] = weights[j - 1];
        }
        weights[0] = tap_at(f, first + i);
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            if (abs(first + i - j) <= f.radius) {
                add_scaled(&sums[j], weights[j], sample);
            }
        }
    }
}

template <typename Pixel, typename Image>
__device__ float4 light_at(const Image &src, const frame_light &light, int x, int y)
{
    const float4 v = Pixel::decode(src.load(x, y));
    return light.kind ? levels_to_light<Pixel>(v, light) : v;
}

/* Returns the light of this image's pixels, if it was made. */
__device__ float4 *lights_of(const foveate_cuda_tables &tables)
{
    return (float4 *)(tables.lights + blockIdx.z * tables.lights_next_bytes);
}

template <typename Pixel, typename Image>
__device__ void load_stage(float4 (*stage)[PITCH], const Image &src, const foveate_frame &frame,
                           const frame_light &light, const foveate_cuda_tables &tables, int x,
                           int y)
{
    const int column = clamp(x + (int)threadIdx.x, frame.width_px);
    for (int row = threadIdx.y; row < TILE; row += blockDim.y) {
        const int inside = clamp(y + row, frame.height_px);
        stage[row][threadIdx.x] =
            tables.lights ? lights_of(tables)[(ptrdiff_t)inside * frame.width_px + column]
                          : light_at<Pixel>(src, light, column, inside);
    }
}

/* Makes this thread's vertical sums: column threadIdx.x, rows from OUTPUTS * threadIdx.y on. */
template <typename Pixel, typename Image>
__device__ void blur(float4 sums[OUTPUTS], const Image &src, const foveate_frame &frame,
                     const frame_light &light, const foveate_cuda_tables &tables, const tile &t,
                     const filter &f)
{
    __shared__ float4 stage[TILE][PITCH];
    const int lane = threadIdx.x;
    const int quad = OUTPUTS * threadIdx.y;

    for (int row = -f.radius; row < t.rows + f.radius; row += TILE) {
        float4 across[OUTPUTS] = {};
        for (int column = -f.radius; column < t.columns + f.radius; column += TILE) {
            load_stage<Pixel>(stage, src, frame, light, tables, t.x + column, t.y + row);
            __syncthreads();
            accumulate(across, stage[lane], 1, column - quad, f);
            __syncthreads();
        }
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            stage[lane][quad + j] = across[j];
        }
        __syncthreads();
        accumulate(sums, &stage[0][lane], PITCH, row - quad, f);
        __syncthreads();
    }
}

template <typename Pixel, typename Image>
__device__ void foveate(const foveate_frame &frame, const foveate_cuda_tables &tables,
                        const Image &src, const Image &dst)
{
    tile t;
    if (!find_tile(frame, tables, &t)) {
        return;
    }
    const bool blurred = t.ring != FOVEATE_RING_NONE;
    /* The display's samples lie behind the law's table. */
    const frame_light light(frame.light, frame.light_value,
                            (const float *)tables.law_table + tables.law.table_count);
    float4 sums[OUTPUTS] = {};
    if (blurred) {
        const foveate_ring *ring = (const foveate_ring *)tables.rings + t.ring;
        const filter f = {(const float *)tables.taps + ring->first_tap, (int)ring->radius_px};
        blur<Pixel>(sums, src, frame, light, tables, t, f);
    }
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        const int column = threadIdx.x;
        const int row = OUTPUTS * threadIdx.y + j;
        if (in_image(frame, t, column, row)) {
            typename Pixel::word word = src.load(t.x + column, t.y + row);
            if (blurred) {
                const typename Pixel::word colour =
                    Pixel::encode(light.kind ? light_to_levels<Pixel>(sums[j], light) : sums[j]);
                word = frame.blur_alpha ? colour : Pixel::keep_alpha(colour, word);
            }
            dst.store(t.x + column, t.y + row, word);
        }
    }
}

/* A fragment's window has many times its pixels, so their light is made once. */
template <typename Pixel, typename Image>
__device__ void make_lights(const foveate_frame &frame, const foveate_cuda_tables &tables,
                            const Image &src)
{
    const frame_light light(frame.light, frame.light_value,
                            (const float *)tables.law_table + tables.law.table_count);
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)blockIdx.y;
    if (x < frame.width_px) {
        lights_of(tables)[(ptrdiff_t)y * frame.width_px + x] = light_at<Pixel>(src, light, x, y);
    }
}

} // namespace

#define KERNEL(kind, suffix, format)                                                               \
    extern "C" __global__ void __launch_bounds__(MAX_THREADS)                                      \
        foveate_##kind##_##suffix(const __grid_constant__ foveate_cuda_##kind##_params params)     \
    {                                                                                              \
        const foveate_frame frame = frame_of_image(params.frame, params.batch);                    \
        foveate<pixel<format>>(frame, params.tables, kind##_src<pixel<format>>(params, frame),     \
                               kind##_dst<pixel<format>>(params, frame));                          \
    }

#define LIGHT_KERNEL(kind, suffix, format)                                                         \
    extern "C" __global__ void __launch_bounds__(FOVEATE_CUDA_LIGHT_THREADS)                       \
        foveate_light_##kind##_##suffix(                                                           \
            const __grid_constant__ foveate_cuda_##kind##_params params)                           \
    {                                                                                              \
        make_lights<pixel<format>>(params.frame, params.tables,                                    \
                                   kind##_src<pixel<format>>(params, params.frame));               \
    }

KERNEL(linear, rgba8, FOVEA_FORMAT_RGBA8)
KERNEL(linear, rgb8, FOVEA_FORMAT_RGB8)
KERNEL(linear, r8, FOVEA_FORMAT_R8)
KERNEL(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
KERNEL(linear, b10g11r11f, FOVEA_FORMAT_B10G11R11F)
KERNEL(linear, rgba16f, FOVEA_FORMAT_RGBA16F)
KERNEL(linear, rgba32f, FOVEA_FORMAT_RGBA32F)
KERNEL(linear, rgb16f, FOVEA_FORMAT_RGB16F)
KERNEL(linear, r16f, FOVEA_FORMAT_R16F)
KERNEL(linear, rgb32f, FOVEA_FORMAT_RGB32F)
KERNEL(linear, r32f, FOVEA_FORMAT_R32F)

KERNEL(surface, rgba8, FOVEA_FORMAT_RGBA8)
KERNEL(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
KERNEL(surface, b10g11r11f, FOVEA_FORMAT_B10G11R11F)
KERNEL(surface, rgba16f, FOVEA_FORMAT_RGBA16F)

LIGHT_KERNEL(linear, rgba8, FOVEA_FORMAT_RGBA8)
LIGHT_KERNEL(linear, rgb8, FOVEA_FORMAT_RGB8)
LIGHT_KERNEL(linear, r8, FOVEA_FORMAT_R8)
LIGHT_KERNEL(linear, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)

LIGHT_KERNEL(surface, rgba8, FOVEA_FORMAT_RGBA8)
LIGHT_KERNEL(surface, a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
