/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The bins of a picture's channels, as kernels/saliency/cpu/bins.c has them. A warp reads and
 * writes neighbours; memory bounds it. */
#pragma once

#include "kernels/image/image.cuh"
#include "present.cuh"

/* NaN is 0. */
DEVICE float within(float value, float most)
{
    return fminf(fmaxf(value, 0.0f), most);
}

DEVICE unsigned char bin_of(float value, float bin)
{
    return (unsigned char)min((int)(value / bin), SALIENCY_BINS - 1);
}

template <typename Pixel> DEVICE void make_bins(const saliency_cuda_image &image)
{
    const int x = (int)(blockIdx.x * SALIENCY_CUDA_SEGMENT + threadIdx.x);
    const int y = (int)(blockIdx.y * SALIENCY_CUDA_ROWS + threadIdx.y);
    if (x >= image.width_px || y >= image.height_px) {
        return;
    }
    linear_image<Pixel> src = {image.src};
    src.view.data += blockIdx.z * image.next_bytes;
    const float4 color = Pixel::decode(src.load(x, y));
    const float most = image.most;
    const int64_t pixels = (int64_t)image.width_px * image.height_px;
    unsigned char *out = (unsigned char *)image.bins + (int64_t)y * image.width_px + x;
    const float r = within(color.x, most);
    if (Pixel::channels == 1) {
        out[blockIdx.z * pixels] = bin_of(r + r + r, 3.0f * image.bin);
        return;
    }
    const float g = within(color.y, most);
    const float b = within(color.z, most);
    out += 3 * (int64_t)blockIdx.z * pixels;
    out[0] = bin_of(r + g + b, 3.0f * image.bin);
    out[pixels] = bin_of(r - b + most, 2.0f * image.bin);
    out[2 * pixels] = bin_of(2.0f * g - r - b + 2.0f * most, 4.0f * image.bin);
}

/* Finds which bins a layer has: a block looks at so many bytes. */
DEVICE void find_present(const saliency_cuda_frame &frame, present_bins &bins)
{
    const int pixels = frame.width_px * frame.height_px;
    const uint32_t layer = frame.layer_first + blockIdx.z;
    const unsigned char *of = (const unsigned char *)frame.bins + (int64_t)layer * pixels;
    const int thread = (int)threadIdx.x;
    const int first = (int)blockIdx.x * SALIENCY_CUDA_PRESENT_PIXELS;
    uint32_t own[MASK_WORDS] = {};
    clear_bins(bins, thread);
    __syncthreads();
    for (int at = first + 4 * thread; at < first + SALIENCY_CUDA_PRESENT_PIXELS;
         at += 4 * SALIENCY_CUDA_THREADS) {
        add_bits(load_four(of, at, pixels), 0, 0, 4, own);
    }
    add_mask(bins, own, thread);
    __syncthreads();
    if (thread < MASK_WORDS) {
        atomicOr((uint32_t *)frame.present + layer * MASK_WORDS + thread, bins.mask[thread]);
    }
}
