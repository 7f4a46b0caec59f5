/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_cuda.h"

#include "gaze.h"

extern const unsigned char foveate_gaze_fatbin[];

_Static_assert(sizeof(struct foveate_cuda_put_gazes_params) <= 4096, "more than a launch carries");

enum fovea_result foveate_cuda_gaze_load(const struct cuda_device *device,
                                         struct foveate_cuda_gaze_kernels *out_kernels)
{
    CU_TRY(device->log, device->cu,
           device->cu->ModuleLoadData(&out_kernels->module, foveate_gaze_fatbin));
    FOVEA_TRY(foveate_cuda_get_kernel(device, out_kernels->module, "gaze_put", &out_kernels->put));
    return foveate_cuda_get_kernel(device, out_kernels->module, "gaze_take", &out_kernels->take);
}

void foveate_cuda_gaze_unload(const struct cuda_device *device,
                              struct foveate_cuda_gaze_kernels *kernels)
{
    if (kernels->module) {
        CU_WARN(device->log, device->cu, device->cu->ModuleUnload(kernels->module));
    }
}

static enum fovea_result launch(const struct foveate_cuda_gaze_run *run, CUfunction kernel,
                                uint32_t count, void *params)
{
    const struct cuda_device *device = run->device;
    const uint32_t blocks = (count + FOVEATE_CUDA_GAZE_THREADS - 1) / FOVEATE_CUDA_GAZE_THREADS;
    CU_TRY(device->log, device->cu,
           device->cu->LaunchKernel(kernel, blocks, 1, 1, FOVEATE_CUDA_GAZE_THREADS, 1, 1, 0,
                                    run->stream, (void *[]){params}, NULL));
    return FOVEA_OK;
}

static enum fovea_result put_some(const struct foveate_cuda_gaze_run *run, uint32_t first,
                                  uint32_t count)
{
    struct foveate_cuda_put_gazes_params params = {
        .table = run->table + (uint64_t)first * FOVEATE_CUDA_GAZE_BYTES, .count = (int32_t)count};
    const float *uv = run->gazes_uv + 2 * (size_t)first;
    for (uint32_t i = 0; i < count; i++, uv += 2) {
        params.gazes_q8[i][0] = foveate_gaze_q8((double)uv[0], run->frame->width_px);
        params.gazes_q8[i][1] = foveate_gaze_q8((double)uv[1], run->frame->height_px);
    }
    return launch(run, run->kernels->put, count, &params);
}

enum fovea_result foveate_cuda_gaze_put(const struct foveate_cuda_gaze_run *run)
{
    uint32_t first = 0;
    while (first < run->count) {
        const uint32_t left = run->count - first;
        const uint32_t some = left < FOVEATE_CUDA_GAZES_PUT ? left : FOVEATE_CUDA_GAZES_PUT;
        FOVEA_TRY(put_some(run, first, some));
        first += some;
    }
    return FOVEA_OK;
}

enum fovea_result foveate_cuda_gaze_take(const struct foveate_cuda_gaze_run *run)
{
    struct foveate_cuda_take_gazes_params params = {.table = run->table,
                                                    .gazes_uv = (uintptr_t)run->gazes_uv,
                                                    .count = (int32_t)run->count,
                                                    .width_px = run->frame->width_px,
                                                    .height_px = run->frame->height_px};
    return launch(run, run->kernels->take, run->count, &params);
}
