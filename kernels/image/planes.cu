/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Packs planes into pixels, and unpacks them: a thread has four neighbours of a row, an image is
 * one step along y of the grid. Memory alone decides how long it takes. */

#include "planes.h"

#define KERNEL extern "C" __global__ void __launch_bounds__(PLANES_CUDA_THREADS)

template <typename SAMPLE> struct alignas(PLANES_FOUR * sizeof(SAMPLE)) four_samples {
    SAMPLE of[PLANES_FOUR];
};

/* Where a thread's four pixels lie, and how many of them are there. */
struct four_place {
    char *samples;
    char *pixels;
    int count;
};

template <typename SAMPLE>
static __device__ __forceinline__ four_place place_of(const planes &planes)
{
    const int columns = (planes.width_px + PLANES_FOUR - 1) / PLANES_FOUR;
    const int i = (int)(blockIdx.x * PLANES_CUDA_THREADS + threadIdx.x);
    const int y = i / columns;
    const int x = (i - y * columns) * PLANES_FOUR;
    const int64_t image = (int64_t)blockIdx.y;
    return {(char *)(planes.planes + image * planes.next_bytes + y * planes.row_bytes +
                     x * planes.sample_bytes),
            (char *)(planes.pixels + image * planes.pixel_next_bytes + y * planes.pixel_row_bytes +
                     x * (int64_t)(PLANES_CHANNELS * sizeof(SAMPLE))),
            y < planes.height_px ? min(planes.width_px - x, PLANES_FOUR) : 0};
}

template <typename SAMPLE> static __device__ __forceinline__ void pack(const planes &planes)
{
    const four_place at = place_of<SAMPLE>(planes);
    if (planes.fours != 0 && at.count == PLANES_FOUR) {
        four_samples<SAMPLE> channels[PLANES_CHANNELS];
        four_samples<SAMPLE> pixels[PLANES_CHANNELS];
#pragma unroll
        for (int c = 0; c < PLANES_CHANNELS; c++) {
            channels[c] = *(const four_samples<SAMPLE> *)(at.samples + c * planes.plane_bytes);
        }
#pragma unroll
        for (int i = 0; i < PLANES_FOUR * PLANES_CHANNELS; i++) {
            pixels[i / PLANES_FOUR].of[i % PLANES_FOUR] =
                channels[i % PLANES_CHANNELS].of[i / PLANES_CHANNELS];
        }
#pragma unroll
        for (int i = 0; i < PLANES_CHANNELS; i++) {
            ((four_samples<SAMPLE> *)at.pixels)[i] = pixels[i];
        }
        return;
    }
    for (int i = 0; i < at.count; i++) {
        for (int c = 0; c < PLANES_CHANNELS; c++) {
            ((SAMPLE *)at.pixels)[i * PLANES_CHANNELS + c] =
                *(const SAMPLE *)(at.samples + i * planes.sample_bytes + c * planes.plane_bytes);
        }
    }
}

template <typename SAMPLE> static __device__ __forceinline__ void unpack(const planes &planes)
{
    const four_place at = place_of<SAMPLE>(planes);
    if (planes.fours != 0 && at.count == PLANES_FOUR) {
        four_samples<SAMPLE> channels[PLANES_CHANNELS];
        four_samples<SAMPLE> pixels[PLANES_CHANNELS];
#pragma unroll
        for (int i = 0; i < PLANES_CHANNELS; i++) {
            pixels[i] = ((const four_samples<SAMPLE> *)at.pixels)[i];
        }
#pragma unroll
        for (int i = 0; i < PLANES_FOUR * PLANES_CHANNELS; i++) {
            channels[i % PLANES_CHANNELS].of[i / PLANES_CHANNELS] =
                pixels[i / PLANES_FOUR].of[i % PLANES_FOUR];
        }
#pragma unroll
        for (int c = 0; c < PLANES_CHANNELS; c++) {
            *(four_samples<SAMPLE> *)(at.samples + c * planes.plane_bytes) = channels[c];
        }
        return;
    }
    for (int i = 0; i < at.count; i++) {
        for (int c = 0; c < PLANES_CHANNELS; c++) {
            *(SAMPLE *)(at.samples + i * planes.sample_bytes + c * planes.plane_bytes) =
                ((const SAMPLE *)at.pixels)[i * PLANES_CHANNELS + c];
        }
    }
}

KERNEL planes_pack_8(const __grid_constant__ planes params)
{
    pack<uint8_t>(params);
}

KERNEL planes_pack_16(const __grid_constant__ planes params)
{
    pack<uint16_t>(params);
}

KERNEL planes_pack_32(const __grid_constant__ planes params)
{
    pack<uint32_t>(params);
}

KERNEL planes_unpack_8(const __grid_constant__ planes params)
{
    unpack<uint8_t>(params);
}

KERNEL planes_unpack_16(const __grid_constant__ planes params)
{
    unpack<uint16_t>(params);
}

KERNEL planes_unpack_32(const __grid_constant__ planes params)
{
    unpack<uint32_t>(params);
}
