/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The table of a batch's gazes on the device, int2 in q8 for each image: from host memory, carried
 * by the launch itself, or from uv in device memory. A thread a gaze, one axis of blocks. */

#include "gaze_params.h"
#include "kernels/cuda/ptx.cuh"
#include "kernels/operator/gaze.h"

#define KERNEL extern "C" __global__ void __launch_bounds__(GAZE_CUDA_THREADS)

static __device__ int thread_index()
{
    return (int)(blockIdx.x * GAZE_CUDA_THREADS + threadIdx.x);
}

KERNEL gaze_put(const __grid_constant__ gaze_cuda_put_params params)
{
    ptx_wait_for_kernel_ahead();
    const int i = thread_index();
    if (i < params.count) {
        ((int2 *)params.table)[i] = make_int2(params.gazes_q8[i][0], params.gazes_q8[i][1]);
    }
}

KERNEL gaze_take(const __grid_constant__ gaze_cuda_take_params params)
{
    ptx_wait_for_kernel_ahead();
    const int i = thread_index();
    if (i >= params.count) {
        return;
    }
    const ptrdiff_t place = (ptrdiff_t)(i / params.group) * params.apart + i % params.group;
    const float *uv = (const float *)params.gazes_uv + 2 * place;
    const float x_uv = uv[0];
    const float y_uv = uv[1];
    int2 gaze = make_int2(GAZE_NONE, 0);
    if (isfinite(x_uv) && isfinite(y_uv)) {
        gaze = make_int2(gaze_to_q8((double)x_uv, params.width_px),
                         gaze_to_q8((double)y_uv, params.height_px));
    }
    ((int2 *)params.table)[i] = gaze;
}
