/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Packs planes into pixels, and unpacks them; an image is one step along y of the grid. Memory
 * alone decides how long it takes: where four neighbours are aligned a thread takes four of a row
 * at once, and elsewhere neighbours in a plane are neighbouring threads'. */

#include "planes.h"

#include "kernels/cuda/ptx.cuh"

#define KERNEL extern "C" __global__ void __launch_bounds__(PLANES_CUDA_THREADS)

template <typename SAMPLE> struct alignas(PLANES_FOUR * sizeof(SAMPLE)) four_samples {
    SAMPLE of[PLANES_FOUR];
};

/* The first sample of a pixel in its plane, and the pixel. */
struct pixel_place {
    char *sample;
    char *pixel;
};

template <typename SAMPLE> DEVICE pixel_place place_of(const planes &planes, int x, int y)
{
    const int64_t image = (int64_t)blockIdx.y;
    return {(char *)(planes.planes + image * planes.next_bytes + y * planes.row_bytes +
                     x * planes.sample_bytes),
            (char *)(planes.pixels + image * planes.pixel_next_bytes + y * planes.pixel_row_bytes +
                     x * (int64_t)(PLANES_CHANNELS * sizeof(SAMPLE)))};
}

template <typename SAMPLE> DEVICE void copy_pixel(const planes &planes, pixel_place at, bool packs)
{
#pragma unroll
    for (int c = 0; c < PLANES_CHANNELS; c++) {
        SAMPLE *sample = (SAMPLE *)(at.sample + c * planes.plane_bytes);
        SAMPLE *channel = (SAMPLE *)at.pixel + c;
        if (packs) {
            *channel = *sample;
        } else {
            *sample = *channel;
        }
    }
}

template <typename SAMPLE> DEVICE void copy_four(const planes &planes, pixel_place at, bool packs)
{
    four_samples<SAMPLE> channels[PLANES_CHANNELS];
    four_samples<SAMPLE> pixels[PLANES_CHANNELS];
    four_samples<SAMPLE> *const to = (four_samples<SAMPLE> *)at.pixel;
#pragma unroll
    for (int c = 0; c < PLANES_CHANNELS; c++) {
        const char *from = packs ? at.sample + c * planes.plane_bytes : (const char *)(to + c);
        (packs ? channels : pixels)[c] = *(const four_samples<SAMPLE> *)from;
    }
#pragma unroll
    for (int i = 0; i < PLANES_FOUR * PLANES_CHANNELS; i++) {
        SAMPLE &channel = channels[i % PLANES_CHANNELS].of[i / PLANES_CHANNELS];
        SAMPLE &pixel = pixels[i / PLANES_FOUR].of[i % PLANES_FOUR];
        if (packs) {
            pixel = channel;
        } else {
            channel = pixel;
        }
    }
#pragma unroll
    for (int c = 0; c < PLANES_CHANNELS; c++) {
        char *into = packs ? (char *)(to + c) : at.sample + c * planes.plane_bytes;
        *(four_samples<SAMPLE> *)into = (packs ? pixels : channels)[c];
    }
}

template <typename SAMPLE> DEVICE void copy_fours(const planes &planes, bool packs)
{
    const int columns = (planes.width_px + PLANES_FOUR - 1) / PLANES_FOUR;
    const int i = (int)(blockIdx.x * PLANES_CUDA_THREADS + threadIdx.x);
    const int y = i / columns;
    const int x = (i - y * columns) * PLANES_FOUR;
    if (y >= planes.height_px) {
        return;
    }
    if (x + PLANES_FOUR <= planes.width_px) {
        copy_four<SAMPLE>(planes, place_of<SAMPLE>(planes, x, y), packs);
        return;
    }
    for (int last = x; last < planes.width_px; last++) {
        copy_pixel<SAMPLE>(planes, place_of<SAMPLE>(planes, last, y), packs);
    }
}

template <typename SAMPLE> DEVICE void copy_pixels(const planes &planes, bool packs)
{
    const int first = (int)(blockIdx.x * (PLANES_CUDA_THREADS * PLANES_FOUR) + threadIdx.x);
#pragma unroll
    for (int k = 0; k < PLANES_FOUR; k++) {
        const int i = first + k * PLANES_CUDA_THREADS;
        const int y = i / planes.width_px;
        if (y < planes.height_px) {
            copy_pixel<SAMPLE>(planes, place_of<SAMPLE>(planes, i - y * planes.width_px, y), packs);
        }
    }
}

template <typename SAMPLE> DEVICE void copy(const planes &planes, bool packs)
{
    if (planes.fours != 0) {
        copy_fours<SAMPLE>(planes, packs);
    } else {
        copy_pixels<SAMPLE>(planes, packs);
    }
}

#define KERNELS(bits)                                                                              \
    KERNEL planes_pack_##bits(const __grid_constant__ planes params)                               \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        copy<uint##bits##_t>(params, true);                                                        \
    }                                                                                              \
    KERNEL planes_unpack_##bits(const __grid_constant__ planes params)                             \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        copy<uint##bits##_t>(params, false);                                                       \
    }

KERNELS(8)
KERNELS(16)
KERNELS(32)
