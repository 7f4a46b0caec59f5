/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The kernels of foveation_paper.h. The paper's has all that its Figure 12 counts; the others go
 * without one of these each:
 *
 *     tile       a fragment's pixels and those around them lie in shared memory as bytes
 *     result     what is blurred along the rows lies in shared memory as floats
 *     constant   weights lie in constant memory
 *     line       threads are a line that each step lays out anew, not a square
 *     reuse      a thread makes four results at once and keeps pixels and the weight in registers
 *
 * A block works on one channel after the other: pixels, rows, columns, with a barrier between each
 * two. Bound by arithmetic and by shared memory. */

#include "foveation_paper.h"

__constant__ float foveation_paper_weights[FOVEATION_PAPER_WEIGHTS];
__constant__ int32_t foveation_paper_starts[FOVEATION_PAPER_STARTS];
#ifdef FOVEA_CUDA_HOST
CUDA_HOST_CONSTANT(foveation_paper_weights)
CUDA_HOST_CONSTANT(foveation_paper_starts)
#endif

extern __shared__ __align__(16) char shared_memory[];

namespace {

struct fragment {
    int x, y; /* its first pixel */
    int filter;
    int length; /* of its filter */
    const float *weights;
    int tile_width, tile_height;
};

template <int kReuse, bool kLine, bool kTile, bool kResult, bool kConstant> struct Ways {
    static constexpr int reuse = kReuse;
    static constexpr bool line = kLine;
    static constexpr bool tile = kTile;
    static constexpr bool result = kResult;
    static constexpr bool constant = kConstant;
};

__device__ int clamped(int value, int last)
{
    return value < 0 ? 0 : value > last ? last : value;
}

/* act(x, y) for all of width x height: by a line of threads, x first, or by a square of them. */
template <bool kLine, typename Act> __device__ void for_all(int width, int height, Act act)
{
    if (kLine) {
        for (int i = threadIdx.x; i < width * height; i += blockDim.x) {
            act(i % width, i / width);
        }
    } else {
        for (int y = threadIdx.y; y < height; y += blockDim.y) {
            for (int x = threadIdx.x; x < width; x += blockDim.x) {
                act(x, y);
            }
        }
    }
}

template <typename W> __device__ fragment own_fragment(const foveation_paper_params &p)
{
    fragment own;
    own.x = p.first_x_px + (int)blockIdx.x * p.fragment_px;
    own.y = p.first_y_px + (int)blockIdx.y * p.fragment_px;
    own.filter = ((const uint16_t *)p.grid)[blockIdx.y * p.columns + blockIdx.x];
    const int32_t *starts = W::constant ? foveation_paper_starts : (const int32_t *)p.starts;
    const int begin = own.filter > 0 ? starts[own.filter - 1] : 0;
    own.length = own.filter > 0 ? starts[own.filter] - begin : 1;
    own.weights =
        (W::constant ? (const float *)foveation_paper_weights : (const float *)p.weights) + begin;
    own.tile_width = own.tile_height = p.fragment_px + own.length - 1;
    return own;
}

__device__ bool inside(const foveation_paper_params &p, int x, int y)
{
    return x >= 0 && y >= 0 && x < p.width_px && y < p.height_px;
}

__device__ size_t at(const foveation_paper_params &p, int x, int y)
{
    return ((size_t)y * p.width_px + x) * p.pixel_bytes;
}

template <typename W> __device__ void copy_pixels(const foveation_paper_params &p, fragment own)
{
    const uint8_t *src = (const uint8_t *)p.src;
    uint8_t *dst = (uint8_t *)p.dst;
    for_all<W::line>(p.fragment_px, p.fragment_px, [&](int x, int y) {
        if (inside(p, own.x + x, own.y + y)) {
            const size_t i = at(p, own.x + x, own.y + y);
            for (int byte = own.filter > 0 ? 3 : 0; byte < p.pixel_bytes; byte++) {
                dst[i + byte] = src[i + byte];
            }
        }
    });
}

/* The pixel of the tile at x, y, which begins so far left of and above the fragment as its filter
 * reaches. */
__device__ uint8_t source(const foveation_paper_params &p, const fragment &own, int channel, int x,
                          int y)
{
    const int reach = own.length / 2;
    const int px = clamped(own.x - reach + x, p.width_px - 1);
    const int py = clamped(own.y - reach + y, p.height_px - 1);
    return ((const uint8_t *)p.src)[at(p, px, py) + channel];
}

/* kReuse sums at once: each weight is fetched once, and each pixel but the last is the previous
 * one's neighbour. get(i): the i-th input of the first sum. */
template <int kReuse, typename Get>
__device__ void sums_of(const float *weights, int length, float *sums, Get get)
{
    float window[kReuse];
#pragma unroll
    for (int i = 0; i < kReuse; i++) {
        sums[i] = 0.0f;
        window[i] = i < kReuse - 1 ? get(i) : 0.0f;
    }
    for (int tap = 0; tap < length; tap++) {
        const float weight = weights[tap];
        window[kReuse - 1] = get(tap + kReuse - 1);
#pragma unroll
        for (int i = 0; i < kReuse; i++) {
            sums[i] += weight * window[i];
        }
#pragma unroll
        for (int i = 0; i < kReuse - 1; i++) {
            window[i] = window[i + 1];
        }
    }
}

template <typename W>
__device__ void blur_rows(const foveation_paper_params &p, const fragment &own, int channel,
                          const uint8_t *tile, float *result)
{
    const auto act = [&](int group, int row) {
        float sums[W::reuse];
        const int x = group * W::reuse;
        sums_of<W::reuse>(own.weights, own.length, sums, [&](int i) {
            return (float)(W::tile ? tile[row * own.tile_width + x + i]
                                   : source(p, own, channel, x + i, row));
        });
#pragma unroll
        for (int i = 0; i < W::reuse; i++) {
            result[row * p.fragment_px + x + i] = sums[i];
        }
    };
    const int groups = p.fragment_px / W::reuse;
    if (W::line) { /* the line stands upright: Figure 13 a */
        for_all<true>(own.tile_height, groups, [&](int row, int group) { act(group, row); });
    } else {
        for_all<false>(groups, own.tile_height, act);
    }
}

template <typename W>
__device__ void blur_columns(const foveation_paper_params &p, const fragment &own, int channel,
                             const float *result)
{
    for_all<W::line>(p.fragment_px, p.fragment_px / W::reuse, [&](int x, int group) {
        float sums[W::reuse];
        const int y = group * W::reuse;
        sums_of<W::reuse>(own.weights, own.length, sums,
                          [&](int i) { return result[(y + i) * p.fragment_px + x]; });
        for (int i = 0; i < W::reuse; i++) {
            if (inside(p, own.x + x, own.y + y + i)) {
                ((uint8_t *)p.dst)[at(p, own.x + x, own.y + y + i) + channel] =
                    (uint8_t)(sums[i] + 0.5f);
            }
        }
    });
}

template <typename W>
__device__ void load_tile(const foveation_paper_params &p, const fragment &own, int channel,
                          uint8_t *tile)
{
    for_all<W::line>(own.tile_width, own.tile_height, [&](int x, int y) {
        tile[y * own.tile_width + x] = source(p, own, channel, x, y);
    });
}

template <typename W> __device__ void foveate(const foveation_paper_params &p)
{
    const fragment own = own_fragment<W>(p);
    const int most = p.fragment_px + p.longest - 1; /* of a tile's side */
    float *result = W::result ? (float *)shared_memory
                              : (float *)p.scratch + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) *
                                                         p.fragment_px * most;
    uint8_t *tile =
        (uint8_t *)shared_memory + (W::result ? sizeof(float) * p.fragment_px * most : 0);
    copy_pixels<W>(p, own);
    for (int channel = 0; own.filter > 0 && channel < 3; channel++) {
        if (W::tile) {
            load_tile<W>(p, own, channel, tile);
            __syncthreads();
        }
        blur_rows<W>(p, own, channel, tile, result);
        __syncthreads();
        blur_columns<W>(p, own, channel, result);
        __syncthreads();
    }
}

/* One pass of length^2 taps: the tile in shared memory, weights in constant memory. */
__device__ void foveate_square(const foveation_paper_params &p)
{
    using W = Ways<1, true, true, true, true>;
    const fragment own = own_fragment<W>(p);
    uint8_t *tile = (uint8_t *)shared_memory;
    copy_pixels<W>(p, own);
    for (int channel = 0; own.filter > 0 && channel < 3; channel++) {
        load_tile<W>(p, own, channel, tile);
        __syncthreads();
        for_all<true>(p.fragment_px, p.fragment_px, [&](int x, int y) {
            float sum = 0.0f;
            for (int row = 0; row < own.length; row++) {
                const uint8_t *begin = tile + (y + row) * own.tile_width + x;
                for (int tap = 0; tap < own.length; tap++) {
                    sum += own.weights[row] * own.weights[tap] * begin[tap];
                }
            }
            if (inside(p, own.x + x, own.y + y)) {
                ((uint8_t *)p.dst)[at(p, own.x + x, own.y + y) + channel] = (uint8_t)(sum + 0.5f);
            }
        });
        __syncthreads();
    }
}

/* A row of a pixel's own Gaussian. */
__device__ void add_row(const foveation_pixelwise_params &p, int x, int y, int reach, float scale,
                        float weight, float *sums)
{
    const uint8_t *row =
        (const uint8_t *)p.src + (size_t)clamped(y, p.height_px - 1) * p.width_px * p.pixel_bytes;
    for (int i = -reach; i <= reach; i++) {
        const uint8_t *px = row + (size_t)clamped(x + i, p.width_px - 1) * p.pixel_bytes;
        const float own = weight * __expf((float)(i * i) * scale);
        sums[0] += own * px[0];
        sums[1] += own * px[1];
        sums[2] += own * px[2];
        sums[3] += own;
    }
}

} // namespace

#define KERNEL(name)                                                                               \
    extern "C" __global__ void __launch_bounds__(FOVEATION_PAPER_THREADS)                          \
        foveation_paper_##name(const __grid_constant__ foveation_paper_params p)

KERNEL(all)
{
    foveate<Ways<4, true, true, true, true>>(p);
}

KERNEL(reuse_1)
{
    foveate<Ways<1, true, true, true, true>>(p);
}

KERNEL(reuse_2)
{
    foveate<Ways<2, true, true, true, true>>(p);
}

KERNEL(reuse_8)
{
    foveate<Ways<8, true, true, true, true>>(p);
}

KERNEL(square_block)
{
    foveate<Ways<4, false, true, true, true>>(p);
}

KERNEL(global_weights)
{
    foveate<Ways<4, true, true, true, false>>(p);
}

KERNEL(global_pixels)
{
    foveate<Ways<4, true, false, true, true>>(p);
}

KERNEL(global_result)
{
    foveate<Ways<4, true, true, false, true>>(p);
}

KERNEL(global_both)
{
    foveate<Ways<4, true, false, false, true>>(p);
}

KERNEL(none)
{
    foveate<Ways<1, false, false, false, false>>(p);
}

KERNEL(not_separable)
{
    foveate_square(p);
}

extern "C" __global__ void __launch_bounds__(FOVEATION_PAPER_THREADS)
    foveation_paper_pixelwise(const __grid_constant__ foveation_pixelwise_params p)
{
    const int x = blockIdx.x * FOVEATION_PAPER_SIDE + threadIdx.x;
    const int y = blockIdx.y * FOVEATION_PAPER_SIDE + threadIdx.y;
    if (x >= p.width_px || y >= p.height_px) {
        return;
    }
    const float from_x = (float)x + 0.5f - p.gaze_x_px;
    const float from_y = (float)y + 0.5f - p.gaze_y_px;
    const float law = p.sigma_at_gaze_px + p.slope * sqrtf(from_x * from_x + from_y * from_y);
    const float sigma = fminf(law, p.most_px);
    const int reach = law < p.least_px ? 0 : (int)ceilf(6.0f * sigma) / 2;
    const float scale = -0.5f / (sigma * sigma);
    float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = -reach; i <= reach; i++) {
        add_row(p, x, y + i, reach, scale, __expf((float)(i * i) * scale), sums);
    }
    const size_t place = ((size_t)y * p.width_px + x) * p.pixel_bytes;
    for (int byte = 0; byte < p.pixel_bytes; byte++) {
        ((uint8_t *)p.dst)[place + byte] = byte < 3 ? (uint8_t)(sums[byte] / sums[3] + 0.5f)
                                                    : ((const uint8_t *)p.src)[place + byte];
    }
}
