/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* CSDD on CUDA; each file says what bounds it, and run.c in which order they run.
 *
 *     bins.cuh        pixels to bins
 *     fine.cuh        level 0: responses at every pixel
 *     planes.cuh      coarser levels: planes, by plane_rows.cuh
 *     filter.cuh      coarser levels: responses at their samples; as level 0, by lines.cuh
 *     maxima.cuh      candidates, and their way back
 *
 * saliency_bins_*: block of 32 x 4 threads; grid x, y: pixels, z: images
 * saliency_present: block of 128 threads; grid x: pixels, z: layers
 * saliency_fine: block of 32 x 8 threads; grid x, y: 16 x 64 pixels, z: layers
 * saliency_first_planes: block of 32 x 8 threads; grid x: 32 x 16 samples, y: shares of the planes,
 * z: layers; so saliency_next_planes
 * saliency_filter: block of 32 x 8 threads; grid x: strips, y: shares of the planes, z: layers
 * saliency_maxima: block of 32 x 8 threads; grid x, y: pixels, z: images
 * saliency_report: block of 128 threads; grid x: images */

#include "bins.cuh"
#include "filter.cuh"
#include "fine.cuh"
#include "maxima.cuh"
#include "planes.cuh"

#define KERNEL(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define BINS(kind, suffix, format)                                                                 \
    KERNEL(SALIENCY_CUDA_THREADS, 1)                                                               \
    saliency_bins_##kind##_##suffix(const __grid_constant__ saliency_cuda_image params)            \
    {                                                                                              \
        ptx_wait_for_kernel_ahead();                                                               \
        make_bins<pixel<format>>(params);                                                          \
    }
#define LINEAR_BINS(suffix, format) BINS(linear, suffix, format)
LINEAR_BINS(rgba8, FOVEA_FORMAT_RGBA8)
LINEAR_BINS(rgb8, FOVEA_FORMAT_RGB8)
LINEAR_BINS(r8, FOVEA_FORMAT_R8)
LINEAR_BINS(a2b10g10r10, FOVEA_FORMAT_A2B10G10R10)
LINEAR_BINS(b10g11r11f, FOVEA_FORMAT_B10G11R11F)
LINEAR_BINS(rgba16f, FOVEA_FORMAT_RGBA16F)
LINEAR_BINS(rgba32f, FOVEA_FORMAT_RGBA32F)
LINEAR_BINS(rgb16f, FOVEA_FORMAT_RGB16F)
LINEAR_BINS(r16f, FOVEA_FORMAT_R16F)
LINEAR_BINS(rgb32f, FOVEA_FORMAT_RGB32F)
LINEAR_BINS(r32f, FOVEA_FORMAT_R32F)

KERNEL(STRIP_THREADS, 2)
saliency_fine(const __grid_constant__ saliency_cuda_frame params)
{
    ptx_wait_for_kernel_ahead();
    __shared__ fine_memory memory;
    make_fine(params, memory);
}

KERNEL(SALIENCY_CUDA_THREADS, 1)
saliency_present(const __grid_constant__ saliency_cuda_frame params)
{
    ptx_wait_for_kernel_ahead();
    __shared__ present_bins bins;
    find_present(params, bins);
}

KERNEL(STRIP_THREADS, 3)
saliency_first_planes(const __grid_constant__ saliency_cuda_frame params)
{
    ptx_wait_for_kernel_ahead();
    __shared__ plane_memory memory;
    make_first_planes(params, memory);
}

KERNEL(STRIP_THREADS, 2)
saliency_next_planes(const __grid_constant__ saliency_cuda_frame params)
{
    ptx_wait_for_kernel_ahead();
    __shared__ plane_memory memory;
    make_next_planes(params, memory);
}

KERNEL(STRIP_THREADS, 2)
saliency_filter(const __grid_constant__ saliency_cuda_frame params)
{
    ptx_wait_for_kernel_ahead();
    __shared__ filter_memory memory;
    make_filtered(params, memory);
}

KERNEL(MAXIMA_THREADS, 6)
saliency_maxima(const __grid_constant__ saliency_cuda_frame params)
{
    ptx_wait_for_kernel_ahead();
    __shared__ maxima_memory memory;
    find_maxima(params, memory);
}

KERNEL(SALIENCY_CUDA_THREADS, 1)
saliency_report(const __grid_constant__ saliency_cuda_report params)
{
    ptx_wait_for_kernel_ahead();
    report_candidates(params);
}
