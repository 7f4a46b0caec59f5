/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The thesis's convolutions in CUDA, a thread a pixel:
 *
 *     convolve_*       in two dimensions: a block's pixels and those around them in shared memory.
 *                      corners: each thread loads the four corners of its own window, as the
 *                      thesis does, which needs a block wider than the window
 *     rows_*, columns_*   separable: as float4, or as four planes without bank conflicts
 *     reshuffle        pixels with equal weights are summed up first
 *
 * Bound by arithmetic and shared memory. */

#include "blur_pixels.cuh"

__constant__ float blur_thesis_weights[BLUR_THESIS_WEIGHTS];
__constant__ int32_t blur_thesis_links[BLUR_THESIS_LINKS];
#ifdef FOVEA_CUDA_HOST
CUDA_HOST_CONSTANT(blur_thesis_weights)
CUDA_HOST_CONSTANT(blur_thesis_links)
#endif

namespace {

/* ---- Convolution in two dimensions */

template <bool kCorners>
__device__ void load_square(const blur_thesis_params &p, int taps, float4 *tile)
{
    const int side = BLUR_THESIS_SIDE + taps - 1;
    const int left = blockIdx.x * BLUR_THESIS_SIDE - taps / 2;
    const int above = blockIdx.y * BLUR_THESIS_SIDE - taps / 2;
    if (kCorners) {
#pragma unroll
        for (int corner = 0; corner < 4; corner++) {
            const int x = threadIdx.x + (corner % 2) * (taps - 1);
            const int y = threadIdx.y + (corner / 2) * (taps - 1);
            tile[y * side + x] = source(p, left + x, above + y);
        }
    } else {
        for (int y = threadIdx.y; y < side; y += BLUR_THESIS_SIDE) {
            for (int x = threadIdx.x; x < side; x += BLUR_THESIS_SIDE) {
                tile[y * side + x] = source(p, left + x, above + y);
            }
        }
    }
    __syncthreads();
}

/* kTaps: a number that the compiler knows, or 0. */
template <bool kCorners, int kTaps, bool kConstant>
__device__ void convolve(const blur_thesis_params &p)
{
    float4 *tile = (float4 *)shared_memory;
    const int taps = kTaps > 0 ? kTaps : p.taps;
    const float *weights =
        kConstant ? (const float *)blur_thesis_weights : (const float *)p.weights;
    load_square<kCorners>(p, taps, tile);
    const place at = own_place(p);
    float4 sum = zero();
    for (int y = 0; y < taps; y++) {
        const float4 *row = tile + (threadIdx.y + y) * (BLUR_THESIS_SIDE + taps - 1) + threadIdx.x;
#pragma unroll(kTaps > 0 ? kTaps : 1)
        for (int x = 0; x < taps; x++) {
            add(sum, weights[y * taps + x], row[x]);
        }
    }
    if (at.inside) {
        target(p, at.x, at.y) = sum;
    }
}

/* Links of one weight follow their number: x + 1024 and, above 16 bits, y + 1024. */
__device__ void reshuffle(const blur_thesis_params &p)
{
    float4 *tile = (float4 *)shared_memory;
    load_square<false>(p, p.taps, tile);
    const place at = own_place(p);
    const float4 *middle = tile + (threadIdx.y + p.taps / 2) * (BLUR_THESIS_SIDE + p.taps - 1) +
                           threadIdx.x + p.taps / 2;
    float4 sum = zero();
    int link = 0;
    for (int i = 0; i < p.step_px; i++) {
        float4 group = zero();
        const int end = link + 1 + blur_thesis_links[link];
        for (link++; link < end; link++) {
            const int x = (blur_thesis_links[link] & 0xffff) - 1024;
            const int y = (blur_thesis_links[link] >> 16) - 1024;
            add(group, 1.0f, middle[y * (BLUR_THESIS_SIDE + p.taps - 1) + x]);
        }
        add(sum, blur_thesis_weights[i], group);
    }
    if (at.inside) {
        target(p, at.x, at.y) = sum;
    }
}

/* ---- Separable convolution: a block has two lines, each thread loads two pixels */

template <bool kRows> __device__ float4 of_line(const blur_thesis_params &p, int along, int across)
{
    return kRows ? source(p, along, across) : source(p, across, along);
}

template <bool kRows, bool kPlanes> __device__ void separable(const blur_thesis_params &p)
{
    const int length = BLUR_THESIS_LINE + p.taps - 1;
    float4 *tile = (float4 *)shared_memory;
    float *planes = (float *)shared_memory;
    const int own = kRows ? threadIdx.x : threadIdx.y;
    const int line = kRows ? threadIdx.y : threadIdx.x;
    const int begin = (kRows ? blockIdx.x : blockIdx.y) * BLUR_THESIS_LINE - p.taps / 2;
    const int across = (kRows ? blockIdx.y : blockIdx.x) * 2 + line;
    for (int i = own; i < length; i += BLUR_THESIS_LINE) {
        const float4 v = of_line<kRows>(p, begin + i, across);
        if (kPlanes) {
            planes[(0 + line) * length + i] = v.x;
            planes[(2 + line) * length + i] = v.y;
            planes[(4 + line) * length + i] = v.z;
            planes[(6 + line) * length + i] = v.w;
        } else {
            tile[line * length + i] = v;
        }
    }
    __syncthreads();
    float4 sum = zero();
    for (int i = 0; i < p.taps; i++) {
        const float weight = blur_thesis_weights[i];
        const int at = own + i;
        add(sum, weight,
            kPlanes
                ? make_float4(planes[(0 + line) * length + at], planes[(2 + line) * length + at],
                              planes[(4 + line) * length + at], planes[(6 + line) * length + at])
                : tile[line * length + at]);
    }
    const place at = own_place(p);
    if (at.inside) {
        target(p, at.x, at.y) = sum;
    }
}

} // namespace

#define SQUARE (BLUR_THESIS_SIDE * BLUR_THESIS_SIDE)
#define LINES (2 * BLUR_THESIS_LINE)

KERNEL(convolve_corners, SQUARE, (convolve<true, 0, true>))
KERNEL(convolve_wide, SQUARE, (convolve<false, 0, true>))
KERNEL(convolve_global, SQUARE, (convolve<false, 0, false>))
KERNEL(convolve_unrolled_19, SQUARE, (convolve<true, BLUR_THESIS_TAPS_3, true>))
KERNEL(convolve_unrolled_37, SQUARE, (convolve<false, BLUR_THESIS_TAPS_6, true>))
KERNEL(reshuffle, SQUARE, reshuffle)
KERNEL(rows_float4, LINES, (separable<true, false>))
KERNEL(columns_float4, LINES, (separable<false, false>))
KERNEL(rows_planes, LINES, (separable<true, true>))
KERNEL(columns_planes, LINES, (separable<false, true>))
